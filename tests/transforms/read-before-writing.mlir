// Loads of inout views are moved before the kernel's own stores, with what their indices need.
// RUN: tile-opt %s --read-before-writing --split-input-file | FileCheck %s

!view = !tile.view<element = f32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>

// CHECK-LABEL: @swap
// CHECK:         %[[OTHER:.*]] = tile.load %y
// CHECK:         %[[OWN:.*]] = tile.load %x
// CHECK:         tile.store %[[OTHER]], %x
// CHECK:         tile.store %[[OWN]], %y
tile.kernel @swap(%x: !view, %y: !view, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "n" %n : !tile.span<"n", 64> in %c0 to %N {
    %i = tile.index %n : !tile.span<"n", 64> -> tensor<64xi64, #tile.axes<"n">>
    %a = tile.load %y[%i] spans(%n) compare [false] : !view, (tensor<64xi64, #tile.axes<"n">>), spans(!tile.span<"n", 64>) -> tensor<64xf32, #tile.axes<"n">>
    tile.store %a, %x[%i] spans(%n) compare [false] : tensor<64xf32, #tile.axes<"n">>, !view, (tensor<64xi64, #tile.axes<"n">>), spans(!tile.span<"n", 64>)
    %b = tile.load %x[%i] spans(%n) compare [false] : !view, (tensor<64xi64, #tile.axes<"n">>), spans(!tile.span<"n", 64>) -> tensor<64xf32, #tile.axes<"n">>
    tile.store %b, %y[%i] spans(%n) compare [false] : tensor<64xf32, #tile.axes<"n">>, !view, (tensor<64xi64, #tile.axes<"n">>), spans(!tile.span<"n", 64>)
  }
}

// -----

!view = !tile.view<element = f32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
!in = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>

// A load of a view that nobody writes stays where it is, and so does one that stands before the stores.
// CHECK-LABEL: @stays
// CHECK:         %[[OLD:.*]] = tile.load %y
// CHECK-NEXT:    tile.store %[[OLD]], %y
// CHECK-NEXT:    tile.load %x
tile.kernel @stays(%x: !in, %y: !view, %z: !view, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "n" %n : !tile.span<"n", 64> in %c0 to %N {
    %i = tile.index %n : !tile.span<"n", 64> -> tensor<64xi64, #tile.axes<"n">>
    %a = tile.load %y[%i] spans(%n) compare [false] : !view, (tensor<64xi64, #tile.axes<"n">>), spans(!tile.span<"n", 64>) -> tensor<64xf32, #tile.axes<"n">>
    tile.store %a, %y[%i] spans(%n) compare [false] : tensor<64xf32, #tile.axes<"n">>, !view, (tensor<64xi64, #tile.axes<"n">>), spans(!tile.span<"n", 64>)
    %b = tile.load %x[%i] spans(%n) compare [false] : !in, (tensor<64xi64, #tile.axes<"n">>), spans(!tile.span<"n", 64>) -> tensor<64xf32, #tile.axes<"n">>
    tile.store %b, %z[%i] spans(%n) compare [false] : tensor<64xf32, #tile.axes<"n">>, !view, (tensor<64xi64, #tile.axes<"n">>), spans(!tile.span<"n", 64>)
  }
}
