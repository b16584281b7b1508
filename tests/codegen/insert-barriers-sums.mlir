// A sum whose elements may meet passes scratch memory, and a barrier of its own, and touches its view on both sides of that: the
// next sum on the view waits for it.
// RUN: tile-opt %s --assign-layouts --allocate-shared-memory --insert-barriers | FileCheck %s

// CHECK:      tile.accumulate add {{.*}} tilegpu.scratch_offset
// CHECK:      tilegpu.barrier
// CHECK:      tile.accumulate add
// CHECK-NOT:  tilegpu.scratch_offset
module {
  tile.kernel @k(%x: !tile.view<element = f32, dims = ["N", "R"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>, %z: !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>, %y: !tile.view<element = f32, dims = [""], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>, %N: i64, %R: i64) dimensions = 2 {
    %c0_i64 = arith.constant 0 : i64
    %r = tile.span : <"r", 8>
    tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %N {
      %0 = tile.index %i : <"i", 64> -> tensor<64xi64, #tile.axes<"i">>
      %1 = tile.index %r : <"r", 8> -> tensor<8xi64, #tile.axes<"r">>
      %2 = tile.load %x[%0, %1] spans(%i, %r) compare [false, false] : <element = f32, dims = ["N", "R"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>, (tensor<64xi64, #tile.axes<"i">>, tensor<8xi64, #tile.axes<"r">>), spans(!tile.span<"i", 64>, !tile.span<"r", 8>) -> tensor<64x8xf32, #tile.axes<"i", "r">>
      %3 = tile.broadcast %0 : tensor<64xi64, #tile.axes<"i">> -> tensor<64x8xi64, #tile.axes<"i", "r">>
      %4 = tile.broadcast %1 : tensor<8xi64, #tile.axes<"r">> -> tensor<64x8xi64, #tile.axes<"i", "r">>
      %5 = arith.addi %3, %4 : tensor<64x8xi64, #tile.axes<"i", "r">>
      tile.accumulate add %2, %y[%5] spans(%i, %r) compare [false] shared : tensor<64x8xf32, #tile.axes<"i", "r">>, <element = f32, dims = [""], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>, (tensor<64x8xi64, #tile.axes<"i", "r">>), spans(!tile.span<"i", 64>, !tile.span<"r", 8>)
      %6 = tile.load %z[%0] spans(%i) compare [false] : <element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>, (tensor<64xi64, #tile.axes<"i">>), spans(!tile.span<"i", 64>) -> tensor<64xf32, #tile.axes<"i">>
      tile.accumulate add %6, %y[%0] spans(%i) compare [false] shared : tensor<64xf32, #tile.axes<"i">>, <element = f32, dims = [""], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>, (tensor<64xi64, #tile.axes<"i">>), spans(!tile.span<"i", 64>)
    }
  }
}

