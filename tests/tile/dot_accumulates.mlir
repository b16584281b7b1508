// acc + dot(a, b) onto zero becomes a dot onto acc.
// RUN: tile-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @float_sum
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xbf16, {{.*}}>, %[[ACC:.*]]: tensor<4x2xf32
// CHECK-NEXT:    %[[R:.*]] = tile.dot %[[A]], %{{.*}}, %[[ACC]] over
// CHECK-NEXT:    return %[[R]]
!a = tensor<4x8xbf16, #tile.axes<"i", "k">>
!b = tensor<2x8xbf16, #tile.axes<"j", "k">>
!c = tensor<4x2xf32, #tile.axes<"i", "j">>
func.func @float_sum(%a: !a, %acc: !c, %b: !b, %k: !tile.span<"k", 8>) -> !c {
  %zero = arith.constant dense<0.0> : !c
  %p = tile.dot %a, %b, %zero over (%k) : !a, !b, !tile.span<"k", 8> -> !c
  %r = arith.addf %p, %acc fastmath<contract> : !c
  return %r : !c
}

// -----

// Flags stay.
// CHECK-LABEL: func.func @integer_sum
// CHECK-NEXT:    tile.dot %{{.*}}, %{{.*}}, %{{.*}} over(%{{.*}}) lhs_unsigned : {{.*}} -> i32
// CHECK-NEXT:    return
!a = tensor<8xi8, #tile.axes<"k">>
func.func @integer_sum(%a: !a, %acc: i32, %k: !tile.span<"k", 8>) -> i32 {
  %zero = arith.constant 0 : i32
  %p = tile.dot %a, %a, %zero over (%k) lhs_unsigned : !a, !a, !tile.span<"k", 8> -> i32
  %r = arith.addi %acc, %p : i32
  return %r : i32
}

// -----

// A product's axes may stand in any order, so a transposition of it goes.
// CHECK-LABEL: func.func @transposed_sum
// CHECK-NEXT:    tile.dot %{{.*}} -> tensor<2x4xf32, #tile.axes<"j", "i">>
// CHECK-NEXT:    return
!a = tensor<4x8xbf16, #tile.axes<"i", "k">>
!b = tensor<2x8xbf16, #tile.axes<"j", "k">>
!c = tensor<4x2xf32, #tile.axes<"i", "j">>
!ct = tensor<2x4xf32, #tile.axes<"j", "i">>
func.func @transposed_sum(%a: !a, %acc: !ct, %b: !b, %k: !tile.span<"k", 8>) -> !ct {
  %zero = arith.constant dense<0.0> : !c
  %p = tile.dot %a, %b, %zero over (%k) : !a, !b, !tile.span<"k", 8> -> !c
  %t = tile.broadcast %p : !c -> !ct
  %r = arith.addf %acc, %t : !ct
  return %r : !ct
}

// -----

// A product that is repeated along an axis of the sum stays: it is computed once.
// CHECK-LABEL: func.func @repeated_product
// CHECK:         tile.dot
// CHECK:         tile.broadcast
// CHECK:         arith.addf
!a = tensor<4x8xbf16, #tile.axes<"i", "k">>
!c = tensor<4xf32, #tile.axes<"i">>
!e = tensor<4x2xf32, #tile.axes<"i", "j">>
func.func @repeated_product(%a: !a, %acc: !e, %k: !tile.span<"k", 8>) -> !e {
  %zero = arith.constant dense<0.0> : !c
  %p = tile.dot %a, %a, %zero over (%k) : !a, !a, !tile.span<"k", 8> -> !c
  %t = tile.broadcast %p : !c -> !e
  %r = arith.addf %acc, %t : !e
  return %r : !e
}

// -----

// A product that is used elsewhere stays.
// CHECK-LABEL: func.func @product_used_twice
// CHECK:         tile.dot
// CHECK:         arith.addf
!a = tensor<8xbf16, #tile.axes<"k">>
func.func @product_used_twice(%a: !a, %acc: f32, %k: !tile.span<"k", 8>) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %p = tile.dot %a, %a, %zero over (%k) : !a, !a, !tile.span<"k", 8> -> f32
  %r = arith.addf %acc, %p : f32
  return %p, %r : f32, f32
}

// -----

// A dot that has an accumulator keeps it.
// CHECK-LABEL: func.func @accumulator_in_use
// CHECK:         tile.dot
// CHECK:         arith.addf
!a = tensor<8xbf16, #tile.axes<"k">>
func.func @accumulator_in_use(%a: !a, %acc: f32, %other: f32, %k: !tile.span<"k", 8>) -> f32 {
  %p = tile.dot %a, %a, %other over (%k) : !a, !a, !tile.span<"k", 8> -> f32
  %r = arith.addf %acc, %p : f32
  return %r : f32
}
