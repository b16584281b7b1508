// How tiles are counted, listed and found again.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 16>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<16xi64, #tile.axes<"j">>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// The number of a product's tile says which it is; the last variable changes fastest.
// CHECK-LABEL: module attributes {tilewright.grid = "product"
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         scf.for %[[TILE:.+]] = %{{.+}} to
// CHECK:           %[[J:.+]] = arith.remui %[[TILE]], %[[COLUMNS:.+]] : i64
// CHECK:           %[[I:.+]] = arith.divui %[[TILE]], %[[COLUMNS]] : i64
// CHECK:           arith.muli %[[J]], %{{.+}} : i64
// CHECK:           arith.muli %[[I]], %{{.+}} : i64
tile.kernel @product(%y: !y, %a: f32, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ii = tile.index %i : !si -> !ii
      %ji = tile.index %j : !sj -> !ji
      tile.store %a, %y[%ii, %ji] spans(%i, %j) compare [false, false] : f32, !y, (!ii, !ji), spans(!si, !sj)
    }
  }
}

// -----

!si = !tile.span<"i", 8>
!ii = tensor<8xi64, #tile.axes<"i">>
!first = !tile.view<element = i64, dims = ["E + 1"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// Ranges from memory are walked by count and list; tiles reads (first, end) of each variable from slot 2.
// CHECK-LABEL: module attributes {tilewright.grid = "listed"
// CHECK-LABEL: func.func @tw_cpu_count(
// CHECK:         %[[COUNT:.+]] = scf.for %{{.+}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (i64)
// CHECK:           memref.load
// CHECK:           memref.load
// CHECK:           arith.divui
// CHECK:         return %[[COUNT]]
// CHECK-LABEL: func.func @tw_cpu_list(
// CHECK:         scf.for %[[E:.+]] = %{{.+}} to %{{.+}} iter_args(%[[TILE:.+]] = %{{.+}})
// CHECK:           scf.for %[[I:.+]] = %{{.+}} to %[[HIGH:.+]] step %{{.+}} iter_args
// CHECK-DAG:         memref.store %[[E]], %[[LIST:.+]][
// CHECK-DAG:         memref.store %[[I]], %[[LIST]][
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         llvm.getelementptr %{{.+}}[2]
// CHECK:         scf.for %[[TILE:.+]] = %{{.+}} to
// CHECK:           arith.muli %[[TILE]], %{{.+}}
// CHECK:           memref.load
// CHECK:           memref.load
tile.kernel @listed(%first: !first, %y: !y, %a: f32, %E: i64, %M: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  tile.parallel "e" %e : i64 in %c0 to %E {
    %next = arith.addi %e, %c1 : i64
    %low = tile.load %first[%e] compare [false] : !first, (i64) -> i64
    %high = tile.load %first[%next] compare [false] : !first, (i64) -> i64
    tile.parallel "i" %i : !si in %low to %high {
      %ii = tile.index %i : !si -> !ii
      tile.store %a, %y[%ii] spans(%i) compare [true] : f32, !y, (!ii), spans(!si)
    }
  }
}
