// Products with an operand that is computed on the way: rings for what it is computed of, and where it is computed.
// RUN: tile-opt %s -split-input-file -plan-schedule -assign-layouts=capability=90 -cse -specialize-warps -cse | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f32, dims = ["K", "M"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!v = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!vi = tensor<128xf32, #tile.axes<"i">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!ki = tensor<64x128xf32, #tile.axes<"k", "i">>
!fik = tensor<128x64xf32, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x128xf32, #tile.axes<"i", "j">>
!n = tensor<128x128xbf16, #tile.axes<"i", "j">>

// A ring for each tile, filled as memory lies; three fit. Each of the eight warps gives a stage back.
// CHECK:       #[[$P:.+]] = #tilegpu.distributed<[128, 64], registers = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = {{\[\[}}16, 0], [32, 0], [64, 0]]>
// CHECK:       #[[$T:.+]] = #tilegpu.distributed<[64, 128], registers = {{\[\[}}1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lanes = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warps = {{\[\[}}0, 16], [0, 32], [0, 64]]>
// CHECK-LABEL: tile.kernel @computed(
// CHECK-DAG:     %[[X:.+]] = tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 3>
// CHECK-DAG:     %[[Z:.+]] = tilegpu.alloc : <tensor<64x128xf32, #tile.axes<"k", "i">>, contiguous = 1, swizzle = 128, stages = 3>
// CHECK-DAG:     %[[W:.+]] = tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 3>
// CHECK:         %[[FULL:.+]] = tilegpu.mbarriers arrivals 1
// CHECK:         %[[EMPTY:.+]] = tilegpu.mbarriers arrivals 8
// CHECK:         tilegpu.roles groups 1 registers [24, 240] {{.*}}producer {
// CHECK:           tilegpu.mbarrier_arrive %[[FULL]][%{{.+}}] expecting 65536
// CHECK-COUNT-3:   tilegpu.tma_load
// CHECK-NOT:       tilegpu.tma_load
// CHECK:         } consumers {
// The first step: what is the same in all of them is loaded here, once.
// CHECK:           tilegpu.mbarrier_wait %[[FULL]]
// CHECK-DAG:       tilegpu.load_shared %{{.+}} -> tensor<128x64xbf16, #tile.axes<"i", "k", layout = #[[$P]]>>
// CHECK-DAG:       tilegpu.load_shared %{{.+}} -> tensor<64x128xf32, #tile.axes<"k", "i", layout = #[[$T]]>>
// CHECK-DAG:       %[[V:.+]] = tile.load %v
// CHECK-DAG:       %[[B:.+]] = tile.broadcast %[[V]]
// CHECK:           tilegpu.wgmma_registers stepwise %{{.+}}, %{{.+}} : tensor<128x64xbf16, #tile.axes<"i", "k", layout = #[[$P]]>>
// CHECK:           tile.for "k"
// CHECK:             tilegpu.mbarrier_wait %[[FULL]]
// CHECK-COUNT-2:     tilegpu.load_shared
// CHECK-NOT:         tile.load
// CHECK:             arith.mulf %{{.+}}, %[[B]]
// What a vector makes of zeros is not known: it might be infinite.
// CHECK:             tilegpu.zero_absent %{{.+}} over(%{{.+}}) : tensor<128x64xf32, #tile.axes<"i", "k", layout = #[[$P]]>>, !tile.span<"k", 64>
// CHECK-NEXT:        tile.cast
// CHECK:             tilegpu.wgmma_registers stepwise %{{.+}}, %{{.+}} onto %{{.+}} : tensor<128x64xbf16, #tile.axes<"i", "k", layout = #[[$P]]>>
// All steps of 16 but the four of this product have been waited for: the stage before has been read.
// CHECK-NEXT:        tilegpu.wgmma_wait 4
// CHECK-NEXT:        tilegpu.mbarrier_arrive each_warp %[[EMPTY]]
// CHECK:           tilegpu.wgmma_wait 0 of
// CHECK-NEXT:      tilegpu.mbarrier_arrive each_warp %[[EMPTY]]
// CHECK:           tilegpu.tma_store
tile.kernel @computed(%x: !x, %z: !z, %v: !v, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%tk, %ti] spans(%k, %i) compare [false, false] : !z, (!k, !i), spans(!sk, !si) -> !ki
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %s = tile.load %v[%ti] spans(%i) compare [false] : !v, (!i), spans(!si) -> !vi
        %f = tile.cast %p : !ik -> !fik
        %t = tile.broadcast %r : !ki -> !fik
        %b = tile.broadcast %s : !vi -> !fik
        %g = arith.addf %f, %t : !fik
        %c = arith.mulf %g, %b : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f32, dims = ["K", "M"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!v = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!vi = tensor<128xf32, #tile.axes<"i">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!ki = tensor<64x128xf32, #tile.axes<"k", "i">>
!fik = tensor<128x64xf32, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x128xf32, #tile.axes<"i", "j">>
!n = tensor<128x128xbf16, #tile.axes<"i", "j">>

// A finite number beyond the end adds nothing, since the other operand has zeros there.
// CHECK-LABEL: tile.kernel @finite(
// CHECK-NOT:     tilegpu.zero_absent
// CHECK:         tilegpu.wgmma_registers
// CHECK-NOT:     tilegpu.zero_absent
tile.kernel @finite(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %one = arith.constant dense<1.0> : !fik
        %f = tile.cast %p : !ik -> !fik
        %e = math.exp %f : !fik
        %g = arith.addf %e, %one : !fik
        %is = arith.cmpf oge, %f, %one : !fik
        %s = arith.select %is, %g, %f : tensor<128x64xi1, #tile.axes<"i", "k">>, !fik
        %c = arith.divf %s, %g : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// A logarithm of zero is not finite.
// CHECK-LABEL: tile.kernel @infinite(
// CHECK:         tilegpu.zero_absent
// CHECK:         tilegpu.wgmma_registers
// CHECK:         tilegpu.zero_absent
// CHECK:         tilegpu.wgmma_registers
tile.kernel @infinite(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %f = tile.cast %p : !ik -> !fik
        %c = math.log %f : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
