// Outputs that are added to.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg -verify-diagnostics | FileCheck %s

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 16>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<16xi64, #tile.axes<"j">>
!j = tensor<16xf32, #tile.axes<"j">>
!ij = tensor<8x16xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!db = !tile.view<element = bf16, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 2>

// Several tiles add to one element: by partial sums in f32, which finish adds to the old value and rounds once.
// CHECK-LABEL: module attributes {tilewright.grid = "product", tilewright.sums = [{dtype = "f32", kind = "add", view = "db"}]}
// CHECK-LABEL: func.func @tw_cpu_begin(
// CHECK:         scf.for %[[E:.+]] =
// CHECK:           memref.store %{{.+}}, %{{.+}}[%[[E]]] : memref<?xf32>
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         llvm.getelementptr %{{.+}}[3]
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : memref<?xf32, strided<[1], offset: ?>>)
// CHECK:         ^bb0(%[[V:.+]]: f32, %[[OLD:.+]]: f32):
// CHECK:           arith.addf %[[OLD]], %[[V]] : f32
// CHECK-LABEL: func.func @tw_cpu_finish(
// CHECK:         scf.for %[[E:.+]] =
// CHECK:           %[[BEFORE:.+]] = memref.load %{{.+}} : memref<?xbf16>
// CHECK:           %[[START:.+]] = tile.cast %[[BEFORE]] : bf16 -> f32
// CHECK:           %[[TOTAL:.+]] = scf.for {{.*}} iter_args(%[[SUM:.+]] = %[[START]])
// CHECK:             arith.addf %[[SUM]], %{{.+}} : f32
// CHECK:           %[[ROUNDED:.+]] = tile.cast %[[TOTAL]] : f32 -> bf16
// CHECK:           memref.store %[[ROUNDED]]
tile.kernel @column_sums(%x: !x, %db: !db, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ii = tile.index %i : !si -> !ii
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
      %r = tile.reduce add %v over (%i) : !ij, !si -> !j
      tile.accumulate add %r, %db[%ji] spans(%j) compare [false] shared : !j, !db, (!ji), spans(!sj)
    }
  }
}

// -----

!sj = !tile.span<"j", 16>
!ji = tensor<16xi64, #tile.axes<"j">>
!j = tensor<16xf32, #tile.axes<"j">>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// Each element belongs to one tile: the sum is formed in the view, which begin(0) sets to 0.
// CHECK-LABEL: module attributes {tilewright.grid = "product", tilewright.sums = []}
// CHECK-LABEL: func.func @tw_cpu_begin(
// CHECK:         arith.cmpi eq
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             memref.store
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK-NOT:     llvm.getelementptr %{{.+}}[3]
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK-LABEL: func.func @tw_cpu_finish(
// CHECK-NEXT:    return
tile.kernel @owned(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %v = tile.load %x[%ji] spans(%j) compare [false] : !x, (!ji), spans(!sj) -> !j
    tile.accumulate add %v, %y[%ji] spans(%j) compare [false] : !j, !y, (!ji), spans(!sj)
  }
}

// -----

!sj = !tile.span<"j", 16>
!ji = tensor<16xi64, #tile.axes<"j">>
!j = tensor<16xf32, #tile.axes<"j">>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>

// A narrow element that a loop adds to would be rounded in every iteration: partial sums.
// CHECK-LABEL: module attributes {tilewright.grid = "product", tilewright.sums = [{dtype = "f32", kind = "add", view = "y"}]}
tile.kernel @narrow_in_loop(%x: !x, %y: !y, %n: i64, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    tile.for "r" %r : i64 in %c0 to %n {
      %v = tile.load %x[%ji] spans(%j) compare [false] : !x, (!ji), spans(!sj) -> !j
      tile.accumulate add %v, %y[%ji] spans(%j) compare [false] : !j, !y, (!ji), spans(!sj)
    }
  }
}

// -----

!sj = !tile.span<"j", 16>
!ji = tensor<16xi64, #tile.axes<"j">>
!j = tensor<16xi32, #tile.axes<"j">>
!at = !tile.view<element = i64, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!h = !tile.view<element = i8, dims = ["B"], access = out, unit_stride = 0, pack_rank = 1, alignment = 1>

// A histogram: places from memory are added to one by one; the maximum of u8 starts from 0.
// CHECK-LABEL: module attributes {tilewright.grid = "product", tilewright.sums = [{dtype = "i32", kind = "max", view = "h"}]}
// CHECK-LABEL: func.func @tw_cpu_begin(
// CHECK:         %[[LEAST:.+]] = arith.constant 0 : i8
// CHECK:         tile.cast %[[LEAST]] source_unsigned : i8 -> i32
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[OLD:.+]] = memref.load %[[SUMS:.+]][%[[PLACE:.+]]] : memref<?xi32>
// CHECK:             %[[NEW:.+]] = arith.maxsi %[[OLD]], %{{.+}} : i32
// CHECK:             memref.store %[[NEW]], %[[SUMS]][%[[PLACE]]]
// CHECK-LABEL: func.func @tw_cpu_finish(
// CHECK:         tile.cast %{{.+}} result_unsigned : i32 -> i8
tile.kernel @most(%at: !at, %h: !h, %N: i64, %B: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %v = arith.constant dense<7> : !j
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %p = tile.load %at[%ji] spans(%j) compare [false] : !at, (!ji), spans(!sj) -> !ji
    tile.accumulate max %v, %h[%p] spans(%j) compare [false] shared {is_unsigned} : !j, !h, (!ji), spans(!sj)
  }
}

// -----

!sj = !tile.span<"j", 16>
!ji = tensor<16xi64, #tile.axes<"j">>
!j = tensor<16xi32, #tile.axes<"j">>
!at = !tile.view<element = i64, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!n = !tile.view<element = i32, dims = ["B"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = i32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// An atomic gives the old value, and 0 where nothing is written.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[OLDS:.+]] = memref.alloc() : memref<16xi32>
// CHECK:         %[[OLD:.+]] = scf.if %{{.+}} -> (i32) {
// CHECK:           %[[BEFORE:.+]] = memref.atomic_rmw addi
// CHECK:           scf.yield %[[BEFORE]]
// CHECK:         } else {
// CHECK:           scf.yield
// CHECK:         memref.store %[[OLD]], %[[OLDS]]
tile.kernel @slots(%at: !at, %n: !n, %y: !y, %N: i64, %B: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %p = tile.load %at[%ji] spans(%j) compare [false] : !at, (!ji), spans(!sj) -> !ji
    %old = tile.atomic_rmw add %one, %n[%p] spans(%j) compare [true] : i32, !n, (!ji), spans(!sj) -> !j
    tile.store %old, %y[%ji] spans(%j) compare [false] : !j, !y, (!ji), spans(!sj)
  }
}

// -----

!sj = !tile.span<"j", 16>
!ji = tensor<16xi64, #tile.axes<"j">>
!j = tensor<16xf32, #tile.axes<"j">>
!at = !tile.view<element = i64, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// A promise that is to be verified: each chunk counts what it writes (the store whose places are no promise too, since the two
// may meet), and finish reports an element of more than one. What it is told is the element's indices and the count.
// CHECK-LABEL: module attributes {tilewright.grid = "product", tilewright.sums = [{dtype = "i32", kind = "count", view = "y"}]}
// CHECK-LABEL: func.func @tw_cpu_begin(
// CHECK:         memref.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<?xi32>
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         scf.if %{{.+}} {
// CHECK:           %[[BEFORE:.+]] = memref.load %[[COUNTS:.+]][%[[PLACE:.+]]] : memref<?xi32>
// CHECK:           %[[AFTER:.+]] = arith.addi %[[BEFORE]], %{{.+}} : i32
// CHECK:           memref.store %[[AFTER]], %[[COUNTS]][%[[PLACE]]] : memref<?xi32>
// CHECK:         memref.store %{{.+}} : memref<?xf32>
// CHECK:         memref.store %{{.+}}, %[[COUNTS]][%{{.+}}] : memref<?xi32>
// CHECK:         linalg.generic
// CHECK-LABEL: func.func @tw_cpu_finish(
// CHECK-NOT:     memref.store
// CHECK:         arith.remui
// CHECK:         %[[COUNT:.+]] = scf.for
// CHECK:           arith.addi %{{.+}} : i32
// CHECK:         %[[AGAIN:.+]] = arith.cmpi sgt, %[[COUNT]], %{{.+}} : i32
// CHECK:         scf.if %[[AGAIN]]
// CHECK-COUNT-3:   llvm.store %{{.+}} : i64, !llvm.ptr
// CHECK:           llvm.call
// CHECK-NOT:     memref.store
tile.kernel @promised(%at: !at, %y: !y, %M: i64, %N: i64) dimensions = 2 checked {
  %c0 = arith.constant 0 : i64
  %v = arith.constant dense<1.0> : !j
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %p = tile.load %at[%ji] spans(%j) compare [false] : !at, (!ji), spans(!sj) -> !ji
    tile.store %v, %y[%p, %ji] spans(%j) compare [true, false] promised_unique message 5 : !j, !y, (!ji, !ji), spans(!sj)
    tile.store %v, %y[%c0, %ji] spans(%j) compare [false, false] : !j, !y, (i64, !ji), spans(!sj)
  }
}

// -----

!sj = !tile.span<"j", 16>
!ji = tensor<16xi64, #tile.axes<"j">>
!j = tensor<16xf32, #tile.axes<"j">>
!at = !tile.view<element = i64, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// Without a message the promise is believed.
// CHECK-LABEL: module attributes {tilewright.grid = "product", tilewright.sums = []}
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK-NOT:     memref<?xi32>
// CHECK-LABEL: func.func @tw_cpu_finish(
// CHECK-NEXT:    return
tile.kernel @believed(%at: !at, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %v = arith.constant dense<1.0> : !j
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %p = tile.load %at[%ji] spans(%j) compare [false] : !at, (!ji), spans(!sj) -> !ji
    tile.store %v, %y[%p] spans(%j) compare [true] promised_unique : !j, !y, (!ji), spans(!sj)
  }
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

tile.kernel @two_kinds(%y: !y, %a: f32, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.accumulate add %a, %y[%c0] compare [false] shared : f32, !y, (i64)
  // expected-error @below {{combines a view's elements in another way than an operation before it}}
  tile.accumulate max %a, %y[%c0] compare [false] shared : f32, !y, (i64)
}
