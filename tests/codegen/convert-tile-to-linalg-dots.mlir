// Products.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg=reference | FileCheck %s --check-prefix=REFERENCE

!si = !tile.span<"i", 8>
!sk = !tile.span<"k", 16>
!sj = !tile.span<"j", 8>
!ii = tensor<8xi64, #tile.axes<"i">>
!ki = tensor<16xi64, #tile.axes<"k">>
!ji = tensor<8xi64, #tile.axes<"j">>
!ik = tensor<8x16xbf16, #tile.axes<"i", "k">>
!jk = tensor<8x16xbf16, #tile.axes<"j", "k">>
!ij = tensor<8x8xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 2>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// The operands are parts of the views; the loop adds to one buffer, in place. Elements are converted, exactly, in the body.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[SUM:.+]] = memref.alloc() : memref<8x8xf32>
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : memref<?x?xf32, strided<[8, 1]>>) {
// CHECK:         scf.for
// CHECK:           %[[OUT:.+]] = memref.subview %[[SUM]]
// CHECK:           %[[X:.+]] = memref.reinterpret_cast
// CHECK:           %[[W:.+]] = memref.reinterpret_cast
// CHECK-NOT:       linalg.generic
// CHECK:           linalg.generic {indexing_maps = [#{{.+}}, #{{.+}}, #{{.+}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[OUT]] : {{.*}}) attrs = {tilewright.dot} {
// CHECK:           ^bb0(%[[A:.+]]: bf16, %[[B:.+]]: bf16, %[[OLD:.+]]: f32):
// CHECK:             %[[AW:.+]] = tile.cast %[[A]] : bf16 -> f32
// CHECK:             %[[BW:.+]] = tile.cast %[[B]] : bf16 -> f32
// CHECK:             %[[AB:.+]] = arith.mulf %[[AW]], %[[BW]] fastmath<contract> : f32
// CHECK:             %[[NEW:.+]] = arith.addf %[[OLD]], %[[AB]] fastmath<contract> : f32
// CHECK:             linalg.yield %[[NEW]]
// CHECK:           }
// CHECK-NOT:       linalg.generic
// CHECK:         }

// The oracle sums in f64.
// REFERENCE-LABEL: func.func @tw_cpu_tiles(
// REFERENCE:         scf.for
// REFERENCE:           scf.for
// REFERENCE:             memref.alloc() : memref<8x8xf64>
// REFERENCE:             linalg.generic {{.*}} attrs = {tilewright.dot}
// REFERENCE:             ^bb0(%{{.+}}: bf16, %{{.+}}: bf16, %{{.+}}: f64):
// REFERENCE:               arith.mulf %{{.+}}, %{{.+}} : f64
// REFERENCE:               arith.addf %{{.+}}, %{{.+}} : f64
// REFERENCE:             tile.cast %{{.+}} : f64 -> f32
tile.kernel @linear(%x: !x, %w: !x, %y: !y, %M: i64, %N: i64, %K: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !ij
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ii = tile.index %i : !si -> !ii
      %ji = tile.index %j : !sj -> !ji
      %r = tile.for "k" %k : !sk in %c0 to %K carries (%sum = %zero) : !ij {
        %ki = tile.index %k : !sk -> !ki
        %a = tile.load %x[%ii, %ki] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
        %b = tile.load %w[%ji, %ki] spans(%j, %k) compare [false, false] : !x, (!ji, !ki), spans(!sj, !sk) -> !jk
        %n = tile.dot %a, %b, %sum over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %n : !ij
      }
      tile.store %r, %y[%ii, %ji] spans(%i, %j) compare [false, false] : !ij, !y, (!ii, !ji), spans(!si, !sj)
    }
  }
}

// -----

!sk = !tile.span<"k", 16>
!ki = tensor<16xi64, #tile.axes<"k">>
!t = tensor<16xi8, #tile.axes<"k">>
!x = !tile.view<element = i8, dims = ["K"], access = in, unit_stride = 0, pack_rank = 1, alignment = 1>
!y = !tile.view<element = i32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// No axis is left: the sum is a scalar. u8 is converted as what it is.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[SUM:.+]] = memref.alloc() : memref<i32>
// CHECK:         memref.store %{{.+}}, %[[SUM]][]
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction"]} {{.*}} attrs = {tilewright.dot}
// CHECK:           tile.cast %{{.+}} source_unsigned : i8 -> i32
// CHECK:           tile.cast %{{.+}} : i8 -> i32
// CHECK:         memref.load %[[SUM]][]
tile.kernel @scalar(%x: !x, %w: !x, %y: !y, %K: i64, %M: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant 0 : i32
  %k = tile.span : !sk
  %ki = tile.index %k : !sk -> !ki
  %a = tile.load %x[%ki] spans(%k) compare [false] : !x, (!ki), spans(!sk) -> !t
  %b = tile.load %w[%ki] spans(%k) compare [false] : !x, (!ki), spans(!sk) -> !t
  %n = tile.dot %a, %b, %zero over (%k) lhs_unsigned : !t, !t, !sk -> i32
  tile.store %n, %y[%c0] compare [false] : i32, !y, (i64)
}
