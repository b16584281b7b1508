// What combines the elements along an axis.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 16>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<16xi64, #tile.axes<"j">>
!i = tensor<8xf32, #tile.axes<"i">>
!ij = tensor<8x16xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// Along a row: the reduced axis is contiguous, so it is innermost. Part of the nest is what is reduced.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[BUFFER:.+]] = memref.alloc() : memref<8xf32>
// CHECK:         %[[SUM:.+]] = memref.subview %[[BUFFER]][0] [%{{.+}}] [1]
// CHECK:         linalg.generic {{.*}} outs(%[[SUM]]
// CHECK:           linalg.yield %{{.+}} : f32
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.+}}) outs(%[[SUM]]
// CHECK:         ^bb0(%[[X:.+]]: f32, %[[OLD:.+]]: f32):
// CHECK:           %[[SQUARE:.+]] = arith.mulf %[[X]], %[[X]]
// CHECK:           %[[NEW:.+]] = arith.addf %[[OLD]], %[[SQUARE]]
// CHECK:           linalg.yield %[[NEW]]
tile.kernel @rows(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %j = tile.span : !sj
    %ii = tile.index %i : !si -> !ii
    %ji = tile.index %j : !sj -> !ji
    %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
    %s = arith.mulf %v, %v : !ij
    %r = tile.reduce add %s over (%j) : !ij, !sj -> !i
    tile.store %r, %y[%ii] spans(%i) compare [false] : !i, !y, (!ii), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 16>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<16xi64, #tile.axes<"j">>
!j = tensor<16xbf16, #tile.axes<"j">>
!ij = tensor<8x16xbf16, #tile.axes<"i", "j">>
!x = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 2>
!y = !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>

// Down a column: the kept axis is contiguous and innermost. The maximum of narrow floats is formed in f32.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         memref.alloc() : memref<16xf32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]}
// CHECK:         ^bb0(%[[X:.+]]: bf16, %[[OLD:.+]]: f32):
// CHECK:           %[[WIDE:.+]] = tile.cast %[[X]] : bf16 -> f32
// CHECK:           arith.maximumf %[[OLD]], %[[WIDE]] fastmath<nsz> : f32
tile.kernel @columns(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "j" %j : !sj in %c0 to %N {
    %i = tile.span : !si
    %ii = tile.index %i : !si -> !ii
    %ji = tile.index %j : !sj -> !ji
    %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
    %r = tile.reduce max %v over (%i) : !ij, !si -> !j
    tile.store %r, %y[%ji] spans(%j) compare [false] : !j, !y, (!ji), spans(!sj)
  }
}

// -----

!sj = !tile.span<"j", 16>
!ji = tensor<16xi64, #tile.axes<"j">>
!y = !tile.view<element = i64, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>

// No operand gives the extent of an axis of indices: an input that nothing reads does.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[SUM:.+]] = memref.alloc() : memref<i64>
// CHECK:         %[[SHAPE:.+]] = memref.reinterpret_cast %[[SUM]] to offset: [0], sizes: [16], strides: [1]
// CHECK:         linalg.generic {{.*}} ins(%[[SHAPE]] {{.*}} outs(%[[SUM]]
// CHECK:         memref.load %[[SUM]][]
tile.kernel @indices(%y: !y, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %j = tile.span : !sj
  %ji = tile.index %j : !sj -> !ji
  %r = tile.reduce add %ji over (%j) : !ji, !sj -> i64
  tile.store %r, %y[%c0] compare [false] : i64, !y, (i64)
}

// -----

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 16>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<16xi64, #tile.axes<"j">>
!ij = tensor<8x16xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = i64, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>

// The first of equals, and NaN, win: from element 0 in order.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %{{.+}}:2 = scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[BEST:.+]] = %{{.+}}, %[[AT:.+]] = %{{.+}}) -> (f32, i64)
// CHECK:               arith.cmpf ogt, %{{.+}}, %[[BEST]]
// CHECK:               arith.cmpf ord, %[[BEST]], %[[BEST]]
// CHECK:             memref.store
tile.kernel @first_of_best(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %j = tile.span : !sj
    %ii = tile.index %i : !si -> !ii
    %ji = tile.index %j : !sj -> !ji
    %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
    %r = tile.arg_reduce max %v over %j : !ij, !sj -> !ii
    tile.store %r, %y[%ii] spans(%i) compare [false] : !ii, !y, (!ii), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!at = tensor<8xi64, #tile.axes<"i">>
!t = tensor<8xf32, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// A scan stores every state.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[BUFFER:.+]] = memref.alloc() : memref<8xf32>
// CHECK:         %[[FIRST:.+]] = memref.load
// CHECK:         memref.store %[[FIRST]], %[[BUFFER]]
// CHECK:         scf.for {{.*}} iter_args(%[[STATE:.+]] = %[[FIRST]])
// CHECK:           %[[NEXT:.+]] = arith.addf %[[STATE]], %{{.+}}
// CHECK:           memref.store %[[NEXT]], %[[BUFFER]]
// CHECK:           scf.yield %[[NEXT]]
tile.kernel @running_sum(%x: !x, %y: !y, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %at = tile.index %i : !si -> !at
    %v = tile.load %x[%at] spans(%i) compare [false] : !x, (!at), spans(!si) -> !t
    %r = tile.scan %v over %i : (!t), !si -> (!t) combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    tile.store %r, %y[%at] spans(%i) compare [false] : !t, !y, (!at), spans(!si)
  }
}
