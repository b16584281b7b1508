// Outputs with long rows: the loops are told whether the output is large, and what the next tile will read.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg=streamed-bytes=0 | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg=reference | FileCheck %s --check-prefix=NONE
// NONE-NOT: tilewright.large
// NONE-NOT: llvm.fence

!si = !tile.span<"i", 2>
!sj = !tile.span<"j", 512>
!ii = tensor<2xi64, #tile.axes<"i">>
!ji = tensor<512xi64, #tile.axes<"j">>
!i = tensor<2xf32, #tile.axes<"i">>
!ij = tensor<2x512xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!g = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// The rows of x are read by a sum before, so the next tile's rows can be fetched while these are stored; g is not of the next tile.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-NOT:     tilewright.large
// CHECK:         %[[LARGE:.+]] = arith.cmpi sge, %{{.+}}, %{{.+}} : i64
// CHECK:         %[[NEXT:.+]] = memref.reinterpret_cast
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}}, %[[NEXT]], %[[LARGE]] : {{.*}}, i1) outs({{.*}}) attrs = {tilewright.large = 4 : i64, tilewright.later = array<i64: 3>, tilewright.streamed} {
// CHECK:         llvm.fence seq_cst
tile.kernel @scaled_rows(%x: !x, %g: !g, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %j = tile.span : !sj
    %ii = tile.index %i : !si -> !ii
    %ji = tile.index %j : !sj -> !ji
    %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
    %w = tile.load %g[%ji] spans(%j) compare [false] : !g, (!ji), spans(!sj) -> tensor<512xf32, #tile.axes<"j">>
    %wb = tile.broadcast %w : tensor<512xf32, #tile.axes<"j">> -> !ij
    %r = tile.reduce add %v over (%j) : !ij, !sj -> !i
    %rb = tile.broadcast %r : !i -> !ij
    %s = arith.mulf %v, %rb : !ij
    %t = arith.mulf %s, %wb : !ij
    tile.store %t, %y[%ii, %ji] spans(%i, %j) compare [false, false] : !ij, !y, (!ii, !ji), spans(!si, !sj)
  }
}

// -----

!si = !tile.span<"i", 2>
!sj = !tile.span<"j", 512>
!ii = tensor<2xi64, #tile.axes<"i">>
!ji = tensor<512xi64, #tile.axes<"j">>
!i = tensor<2xf32, #tile.axes<"i">>
!ij = tensor<2x512xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// While an expensive tile is computed the memory has nothing to do: its nest fetches, the store's does not.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         linalg.generic {{.*}} attrs = {tilewright.large = 3 : i64, tilewright.later = array<i64: 2>} {
// CHECK:           math.exp
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK-NOT:     tilewright.later
// CHECK:         tilewright.streamed
// CHECK-NOT:     tilewright.later
tile.kernel @exponentials(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %j = tile.span : !sj
    %ii = tile.index %i : !si -> !ii
    %ji = tile.index %j : !sj -> !ji
    %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
    %m = tile.reduce max %v over (%j) : !ij, !sj -> !i
    %mb = tile.broadcast %m : !i -> !ij
    %c = arith.subf %v, %mb : !ij
    %e = math.exp %c : !ij
    %r = tile.reduce add %e over (%j) : !ij, !sj -> !i
    %rb = tile.broadcast %r : !i -> !ij
    %s = arith.mulf %e, %rb : !ij
    tile.store %s, %y[%ii, %ji] spans(%i, %j) compare [false, false] : !ij, !y, (!ii, !ji), spans(!si, !sj)
  }
}

// -----

!sj = !tile.span<"j", 512>
!ji = tensor<512xi64, #tile.axes<"j">>
!j = tensor<512xf32, #tile.axes<"j">>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// What only the store's own nest reads comes in time by itself.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         tilewright.large = 1
// CHECK-NOT:     tilewright.later
tile.kernel @copy(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %v = tile.load %x[%ji] spans(%j) compare [false] : !x, (!ji), spans(!sj) -> !j
    tile.store %v, %y[%ji] spans(%j) compare [false] : !j, !y, (!ji), spans(!sj)
  }
}

// -----

!sj = !tile.span<"j", 64>
!ji = tensor<64xi64, #tile.axes<"j">>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// Short rows are stored as usual.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK-NOT:     tilewright.large
// CHECK-NOT:     llvm.fence
tile.kernel @short(%y: !y, %a: f32, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    tile.store %a, %y[%ji] spans(%j) compare [false] : f32, !y, (!ji), spans(!sj)
  }
}
