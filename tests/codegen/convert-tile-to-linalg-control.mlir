// Loops and branches that carry tiles.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s

!si = !tile.span<"i", 8>
!at = tensor<8xi64, #tile.axes<"i">>
!t = tensor<8xf32, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// Values that are carried crosswise: one of them is saved before it is overwritten.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[A:.+]] = memref.alloc() : memref<8xf32>
// CHECK:         %[[B:.+]] = memref.alloc() : memref<8xf32>
// CHECK:         scf.for
// CHECK:           %[[SAVED:.+]] = memref.alloc() : memref<8xf32>
// CHECK:           memref.subview %[[SAVED]]
// CHECK:           linalg.generic
// CHECK:           memref.subview %[[B]]
// CHECK:           linalg.generic
// CHECK:           memref.subview %[[A]]
// CHECK:           linalg.generic
// CHECK:             memref.load %[[SAVED]]
tile.kernel @crosswise(%x: !x, %y: !y, %n: i64, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %one = arith.constant dense<1.0> : !t
  tile.parallel "i" %i : !si in %c0 to %M {
    %at = tile.index %i : !si -> !at
    %v = tile.load %x[%at] spans(%i) compare [false] : !x, (!at), spans(!si) -> !t
    %r:2 = tile.for "r" %r : i64 in %c0 to %n carries (%a = %v, %b = %one) : !t, !t {
      %c = arith.addf %a, %b : !t
      tile.yield %b, %c : !t, !t
    }
    tile.store %r#0, %y[%at] spans(%i) compare [false] : !t, !y, (!at), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!at = tensor<8xi64, #tile.axes<"i">>
!t = tensor<8xf32, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// A branch that changes what the loop carries works in the loop's buffer, and the branch that does not does nothing.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[A:.+]] = memref.alloc() : memref<8xf32>
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           scf.if %{{.+}} {
// CHECK:             %[[PART:.+]] = memref.subview %[[A]]
// CHECK:             linalg.generic {{.*}} outs(%[[PART]]
// CHECK:           } else {
// CHECK-NEXT:      }
// CHECK-NEXT:    }
tile.kernel @branch(%x: !x, %y: !y, %n: i64, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %at = tile.index %i : !si -> !at
    %v = tile.load %x[%at] spans(%i) compare [false] : !x, (!at), spans(!si) -> !t
    %r = tile.for "r" %r : i64 in %c0 to %n carries (%a = %v) : !t {
      %small = arith.cmpi slt, %r, %c2 : i64
      %b = scf.if %small -> !t {
        %c = arith.addf %a, %a : !t
        scf.yield %c : !t
      } else {
        scf.yield %a : !t
      }
      tile.yield %b : !t
    }
    tile.store %r, %y[%at] spans(%i) compare [false] : !t, !y, (!at), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!at = tensor<8xi64, #tile.axes<"i">>
!t = tensor<8xf32, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// `while` carries scalars as values and tiles in buffers.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         memref.alloc() : memref<8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.while (%[[N:.+]] = %{{.+}}) : (i64) -> i64 {
// CHECK:           scf.condition(%{{.+}}) %[[N]] : i64
// CHECK:         } do {
// CHECK:           linalg.generic
// CHECK:           scf.yield %{{.+}} : i64
tile.kernel @halve(%x: !x, %y: !y, %n: i64, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %at = tile.index %i : !si -> !at
    %v = tile.load %x[%at] spans(%i) compare [false] : !x, (!at), spans(!si) -> !t
    %r:2 = scf.while (%k = %n, %a = %v) : (i64, !t) -> (i64, !t) {
      %more = arith.cmpi sgt, %k, %c0 : i64
      scf.condition(%more) %k, %a : i64, !t
    } do {
    ^bb0(%k: i64, %a: !t):
      %less = arith.subi %k, %c1 : i64
      %b = arith.addf %a, %a : !t
      scf.yield %less, %b : i64, !t
    }
    tile.store %r#1, %y[%at] spans(%i) compare [false] : !t, !y, (!at), spans(!si)
  }
}
