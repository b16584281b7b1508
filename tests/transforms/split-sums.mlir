// Behind a product whose sum is split: everything has a share of the columns. A constant that is used elsewhere stays whole there, and so
// does what the loop needs.
// RUN: tile-opt %s -split-input-file -split-sums | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!jf = tensor<128xf32, #tile.axes<"j">>
!ij = tensor<128x128xf32, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @divided(
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #tile.axes<"i", "j">>
// CHECK:         tile.parallel "j" %[[J:.+]]: !tile.span<"j", 128> in %{{.+}} to %N
// CHECK-NEXT:      %[[RANK:.+]] = tilegpu.cluster_rank
// CHECK-NEXT:      %[[COLUMNS:.+]] = arith.constant 32 : i64
// CHECK-NEXT:      %[[START:.+]] = tile.span_start %[[J]]
// CHECK-NEXT:      %[[BEFORE:.+]] = arith.muli %[[RANK]], %[[COLUMNS]]
// CHECK-NEXT:      %[[FIRST:.+]] = arith.addi %[[START]], %[[BEFORE]]
// CHECK-NEXT:      %[[SHARE:.+]] = tilegpu.span_at %[[FIRST]] to %N : <"j", 32>
// CHECK:           %[[WHOLE:.+]] = tile.index %[[J]] : <"j", 128> -> tensor<128xi64, #tile.axes<"j">>
// CHECK-NEXT:      %[[PJ:.+]] = tile.index %[[SHARE]] : <"j", 32> -> tensor<32xi64, #tile.axes<"j">>
// CHECK:           %[[BIAS:.+]] = tile.load %b[%[[PJ]]] spans(%[[SHARE]])
// CHECK-SAME:        -> tensor<32xf32, #tile.axes<"j">>
// CHECK:           %[[R:.+]] = tile.for "k" {{.*}} = %[[ZERO]]) : tensor<128x128xf32, #tile.axes<"i", "j">> {
// CHECK:             tile.load %w[%[[WHOLE]], %{{.+}}] spans(%[[J]], %{{.+}})
// CHECK:           %[[SUM:.+]] = tilegpu.cluster_sum %[[R]] : tensor<128x128xf32, #tile.axes<"i", "j">> -> tensor<128x32xf32, #tile.axes<"i", "j">>
// CHECK:           %[[NOTHING:.+]] = arith.constant dense<0.000000e+00> : tensor<128x32xf32, #tile.axes<"i", "j">>
// CHECK:           arith.maximumf %[[SUM]], %[[NOTHING]] : tensor<128x32xf32, #tile.axes<"i", "j">>
// CHECK:           tile.broadcast %[[BIAS]] : tensor<32xf32, #tile.axes<"j">> -> tensor<128x32xf32, #tile.axes<"i", "j">>
// CHECK:           scf.if %{{.+}} -> (tensor<128x32xf32, #tile.axes<"i", "j">>)
// CHECK:           tile.store %{{.+}}, %y[%{{.+}}, %[[PJ]]] spans(%{{.+}}, %[[SHARE]])
tile.kernel @divided(%x: !x, %w: !w, %b: !b, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3
    attributes {tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [40, 232], prepares = false, split = 4>} {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !ij
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %pi = tile.index %i : !si -> !i
      %pj = tile.index %j : !sj -> !j
      %bias = tile.load %b[%pj] spans(%j) compare [false] : !b, (!j), spans(!sj) -> !jf
      %r = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %pk = tile.index %k : !sk -> !k
        %xt = tile.load %x[%pi, %pk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %wt = tile.load %w[%pj, %pk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %xt, %wt, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %positive = arith.maximumf %r, %zero : !ij
      %c = arith.cmpi sgt, %K, %c0 : i64
      %columns = tile.broadcast %bias : !jf -> !ij
      %t = scf.if %c -> (!ij) {
        %s = arith.addf %positive, %columns : !ij
        scf.yield %s : !ij
      } else {
        scf.yield %positive : !ij
      }
      tile.store %t, %y[%pi, %pj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

// Without a split nothing changes.
// CHECK-LABEL: tile.kernel @whole(
// CHECK-NOT:     tilegpu.cluster
tile.kernel @whole(%M: i64) dimensions = 1
    attributes {tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [40, 232], prepares = false>} {
}
