// How accesses become memory: plain ones a memref, all others loads in a body.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s

!sh = !tile.span<"h", 4>
!se = !tile.span<"e", 8>
!h = tensor<4xi64, #tile.axes<"h">>
!e = tensor<8xi64, #tile.axes<"e">>
!he = tensor<4x8xi64, #tile.axes<"h", "e">>
!t = tensor<4x8xf32, #tile.axes<"h", "e">>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["H", "D"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// x[h * 8 + e + 1] has two axes in one dimension: a strided memref names it all the same.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [%{{.+}}], sizes: [%{{.+}}, 8], strides: [8, 1]
// CHECK:         linalg.generic
// CHECK-NOT:     memref.load
tile.kernel @merged(%x: !x, %y: !y, %N: i64, %H: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %one = arith.constant dense<1> : !he
  %eight = arith.constant dense<8> : !h
  tile.parallel "h" %h : !sh in %c0 to %H {
    %e = tile.span : !se
    %hi = tile.index %h : !sh -> !h
    %ei = tile.index %e : !se -> !e
    %h8 = arith.muli %hi, %eight : !h
    %hb = tile.broadcast %h8 : !h -> !he
    %eb = tile.broadcast %ei : !e -> !he
    %he = arith.addi %hb, %eb : !he
    %at = arith.addi %he, %one : !he
    %v = tile.load %x[%at] spans(%h, %e) compare [false] : !x, (!he), spans(!sh, !se) -> !t
    tile.store %v, %y[%hi, %ei] spans(%h, %e) compare [false, false] : !t, !y, (!h, !e), spans(!sh, !se)
  }
}

// -----

!si = !tile.span<"i", 8>
!at = tensor<8xi64, #tile.axes<"i">>
!t = tensor<8xf32, #tile.axes<"i">>
!ids = !tile.view<element = i64, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// A gather with `else` reads nothing outside the view.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         linalg.generic
// CHECK:         ^bb0(%[[ID:.+]]: i64, %{{.+}}: f32):
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[ID]], %{{.+}} : i64
// CHECK:           %[[OUT:.+]] = scf.if %[[INSIDE]] -> (f32) {
// CHECK:             %[[VALUE:.+]] = memref.load
// CHECK:             scf.yield %[[VALUE]]
// CHECK:           } else {
// CHECK-NOT:         memref.load
// CHECK:           linalg.yield %[[OUT]]
tile.kernel @gather(%ids: !ids, %x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  tile.parallel "i" %i : !si in %c0 to %M {
    %at = tile.index %i : !si -> !at
    %id = tile.load %ids[%at] spans(%i) compare [false] : !ids, (!at), spans(!si) -> !at
    %v = tile.load %x[%id] spans(%i) else %zero compare [true] : !x, (!at), spans(!si) else f32 -> !t
    tile.store %v, %y[%at] spans(%i) compare [false] : !t, !y, (!at), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!at = tensor<8xi64, #tile.axes<"i">>
!t = tensor<8xf32, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// A store with `drop` is a loop that skips what lies outside.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[INSIDE:.+]] = arith.cmpi ult
// CHECK:             scf.if %[[INSIDE]] {
// CHECK:               memref.store
tile.kernel @drop(%x: !x, %y: !y, %shift: i64, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %at = tile.index %i : !si -> !at
    %v = tile.load %x[%at] spans(%i) compare [false] : !x, (!at), spans(!si) -> !t
    %s = tile.broadcast %shift : i64 -> !at
    %to = arith.addi %at, %s : !at
    tile.store %v, %y[%to] spans(%i) compare [true] : !t, !y, (!at), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 8>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<8xi64, #tile.axes<"j">>
!t = tensor<8x8xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M...", "N"], access = in, unit_stride = 1, pack_rank = 2, alignment = 4>
!y = !tile.view<element = f32, dims = ["M...", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// A pack whose strides do not merge is taken apart by division; it has an extent and a stride for each of its dimensions
// (slots 5 to 7 and 8 to 10).
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         llvm.getelementptr %{{.+}}[6]
// CHECK:         llvm.getelementptr %{{.+}}[8]
// CHECK:         llvm.getelementptr %{{.+}}[9]
// CHECK-NOT:     llvm.getelementptr %{{.+}}[10]
// CHECK:         linalg.generic
// CHECK:           %[[INNER:.+]] = arith.remui
// CHECK:           %[[OUTER:.+]] = arith.divui
// CHECK:           memref.load
tile.kernel @pack(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ii = tile.index %i : !si -> !ii
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !t
      tile.store %v, %y[%ii, %ji] spans(%i, %j) compare [false, false] : !t, !y, (!ii, !ji), spans(!si, !sj)
    }
  }
}
