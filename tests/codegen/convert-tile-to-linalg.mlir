// The functions that a kernel becomes, and its simplest nest.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg=fuse-multiply-add=false | FileCheck %s --check-prefix=SEPARATE
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg=reference | FileCheck %s --check-prefix=REFERENCE

!i = !tile.span<"n", 64>
!x = !tile.view<element = f32, dims = ["N..."], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N..."], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!t = tensor<64xf32, #tile.axes<"n">>
!at = tensor<64xi64, #tile.axes<"n">>

// A kernel becomes entry points; a scalar parameter stands in the slot after the views before it (4 + 3 + 3).
// CHECK-LABEL: module attributes {tilewright.grid = "product", tilewright.sums = []}
// CHECK-LABEL: func.func @tw_cpu_count(
// CHECK-SAME:    !llvm.ptr) -> i64
// CHECK-NOT:   func.func @tw_cpu_list
// CHECK-LABEL: func.func @tw_cpu_begin(
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK-SAME:    %[[SLOTS:[a-z0-9]+]]: !llvm.ptr, %[[FIRST:[a-z0-9]+]]: i64, %[[LAST:[a-z0-9]+]]: i64
// CHECK:         %[[ADDRESS:.+]] = llvm.getelementptr %[[SLOTS]][10]
// CHECK:         %[[A:.+]] = llvm.load %[[ADDRESS]] : !llvm.ptr -> f32
// CHECK:         scf.for %{{.+}} = %[[FIRST]] to %[[LAST]]
// CHECK:           %[[Y:.+]] = memref.reinterpret_cast %{{.+}} to offset: [%{{.+}}], sizes: [%[[LEN:.+]]], strides: [1]
// CHECK:           %[[X:.+]] = memref.reinterpret_cast %{{.+}} to offset: [%{{.+}}], sizes: [%[[LEN]]], strides: [1]
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[X]] {{.*}}) outs(%[[Y]]
// CHECK:           ^bb0(%[[IN:.+]]: f32, %{{.+}}: f32):
// CHECK:             %[[OUT:.+]] = arith.mulf %[[IN]], %[[A]] : f32
// CHECK:             linalg.yield %[[OUT]]
// CHECK-LABEL: func.func @tw_cpu_finish(
tile.kernel @scale(%x: !x, %y: !y, %a: f32, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "n" %n : !i in %c0 to %N {
    %at = tile.index %n : !i -> !at
    %v = tile.load %x[%at] spans(%n) compare [false] : !x, (!at), spans(!i) -> !t
    %s = tile.broadcast %a : f32 -> !t
    %w = arith.mulf %v, %s : !t
    tile.store %w, %y[%at] spans(%n) compare [false] : !t, !y, (!at), spans(!i)
  }
}

// -----

!y = !tile.view<element = i64, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>

// A kernel over () has one tile, and a store without axes is one store.
// CHECK-LABEL: func.func @tw_cpu_count(
// CHECK-NEXT:    %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT:    return %[[ONE]]
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         scf.for
// CHECK-NOT:       linalg.generic
// CHECK:           memref.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<?xi64>
tile.kernel @first(%y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.store %N, %y[%c0] compare [false] : i64, !y, (i64)
}

// -----

!i = !tile.span<"n", 64>
!x = !tile.view<element = i8, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 1>
!y = !tile.view<element = i8, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 1>
!at = tensor<64xi64, #tile.axes<"n">>
!t = tensor<64xi1, #tile.axes<"n">>

// Memory holds a bool as a byte.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         ^bb0(%[[IN:.+]]: i8, %{{.+}}: i8):
// CHECK:           %[[BOOL:.+]] = arith.cmpi ne, %[[IN]], %{{.+}} : i8
// CHECK:           %[[NOT:.+]] = arith.xori %[[BOOL]], %{{.+}} : i1
// CHECK:           %[[OUT:.+]] = arith.extui %[[NOT]] : i1 to i8
// CHECK:           linalg.yield %[[OUT]]
tile.kernel @invert(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %true = arith.constant dense<true> : !t
  tile.parallel "n" %n : !i in %c0 to %N {
    %at = tile.index %n : !i -> !at
    %v = tile.load %x[%at] spans(%n) compare [false] : !x, (!at), spans(!i) -> !t
    %w = arith.xori %v, %true : !t
    tile.store %w, %y[%at] spans(%n) compare [false] : !t, !y, (!at), spans(!i)
  }
}

// -----

!i = !tile.span<"n", 64>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!at = tensor<64xi64, #tile.axes<"n">>
!t = tensor<64xf32, #tile.axes<"n">>

// a - b * c rounds once, in every nest that evaluates it, if the processor can do it; not in the oracle.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         ^bb0(%[[V:.+]]: f32, %{{.+}}: f32):
// CHECK:           %[[N:.+]] = arith.negf %[[V]]
// CHECK:           math.fma %[[N]], %[[V]], %[[V]] : f32
// SEPARATE-NOT:  math.fma
// SEPARATE:      arith.subf %{{.+}}, %{{.+}} fastmath<contract> : f32
// REFERENCE-NOT: math.fma
// REFERENCE:     arith.subf %{{.+}}, %{{.+}} : f32
tile.kernel @fused(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "n" %n : !i in %c0 to %N {
    %at = tile.index %n : !i -> !at
    %v = tile.load %x[%at] spans(%n) compare [false] : !x, (!at), spans(!i) -> !t
    %s = arith.mulf %v, %v fastmath<contract> : !t
    %w = arith.subf %v, %s fastmath<contract> : !t
    tile.store %w, %y[%at] spans(%n) compare [false] : !t, !y, (!at), spans(!i)
  }
}
