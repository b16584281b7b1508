// Each fold: where it fires, and the nearest case where it must not.
// RUN: tile-opt %s --canonicalize --split-input-file | FileCheck %s

// A span of constant length runs over 0..capacity.
// CHECK-LABEL: func.func @bounds_of_whole_span
// CHECK-DAG:     %[[START:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[END:.*]] = arith.constant 128 : i64
// CHECK:         return %[[START]], %[[END]]
func.func @bounds_of_whole_span() -> (i64, i64) {
  %d = tile.span : !tile.span<"d", 128>
  %start = tile.span_start %d : !tile.span<"d", 128>
  %end = tile.span_end %d : !tile.span<"d", 128>
  return %start, %end : i64, i64
}

// -----

// The last piece of a range is shorter than its capacity.
// CHECK-LABEL: func.func @bounds_of_other_span
// CHECK:         tile.span_start
// CHECK:         tile.span_end
func.func @bounds_of_other_span(%i: !tile.span<"i", 128>) -> (i64, i64) {
  %start = tile.span_start %i : !tile.span<"i", 128>
  %end = tile.span_end %i : !tile.span<"i", 128>
  return %start, %end : i64, i64
}

// -----

// CHECK-LABEL: func.func @broadcast_to_same_type
// CHECK-SAME:    (%[[T:.*]]: tensor<4x8xf32, #tile.axes<"i", "j">>)
// CHECK-NEXT:    return %[[T]]
!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @broadcast_to_same_type(%t: !ij) -> !ij {
  %u = tile.broadcast %t : !ij -> !ij
  return %u : !ij
}

// -----

// The same axes in another order are a transposition.
// CHECK-LABEL: func.func @broadcast_permutes
// CHECK-NEXT:    tile.broadcast
!ij = tensor<4x4xf32, #tile.axes<"i", "j">>
!ji = tensor<4x4xf32, #tile.axes<"j", "i">>
func.func @broadcast_permutes(%t: !ij) -> !ji {
  %u = tile.broadcast %t : !ij -> !ji
  return %u : !ji
}

// -----

// CHECK-LABEL: func.func @broadcast_of_broadcast
// CHECK-SAME:    (%[[S:.*]]: f32)
// CHECK-NEXT:    %[[U:.*]] = tile.broadcast %[[S]] : f32 -> tensor<4x8xf32, #tile.axes<"i", "j">>
// CHECK-NEXT:    return %[[U]]
func.func @broadcast_of_broadcast(%s: f32) -> tensor<4x8xf32, #tile.axes<"i", "j">> {
  %t = tile.broadcast %s : f32 -> tensor<4xf32, #tile.axes<"i">>
  %u = tile.broadcast %t : tensor<4xf32, #tile.axes<"i">> -> tensor<4x8xf32, #tile.axes<"i", "j">>
  return %u : tensor<4x8xf32, #tile.axes<"i", "j">>
}

// -----

// A transposition and its inverse are nothing.
// CHECK-LABEL: func.func @broadcast_there_and_back
// CHECK-SAME:    (%[[T:.*]]: tensor
// CHECK-NEXT:    return %[[T]]
!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
!ji = tensor<8x4xf32, #tile.axes<"j", "i">>
func.func @broadcast_there_and_back(%t: !ij) -> !ij {
  %u = tile.broadcast %t : !ij -> !ji
  %v = tile.broadcast %u : !ji -> !ij
  return %v : !ij
}

// -----

// CHECK-LABEL: func.func @broadcast_of_constants
// CHECK-DAG:     %[[A:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32, #tile.axes<"i">>
// CHECK-DAG:     %[[B:.*]] = arith.constant dense<true> : tensor<4x8xi1, #tile.axes<"i", "j">>
// CHECK:         return %[[A]], %[[B]]
func.func @broadcast_of_constants() -> (tensor<4xf32, #tile.axes<"i">>, tensor<4x8xi1, #tile.axes<"i", "j">>) {
  %s = arith.constant 2.0 : f32
  %t = tile.broadcast %s : f32 -> tensor<4xf32, #tile.axes<"i">>
  %u = arith.constant dense<true> : tensor<8xi1, #tile.axes<"j">>
  %v = tile.broadcast %u : tensor<8xi1, #tile.axes<"j">> -> tensor<4x8xi1, #tile.axes<"i", "j">>
  return %t, %v : tensor<4xf32, #tile.axes<"i">>, tensor<4x8xi1, #tile.axes<"i", "j">>
}

// -----

// CHECK-LABEL: func.func @broadcast_of_unequal_elements
// CHECK:         tile.broadcast
func.func @broadcast_of_unequal_elements() -> tensor<4x2xf32, #tile.axes<"i", "j">> {
  %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32, #tile.axes<"j">>
  %u = tile.broadcast %t : tensor<2xf32, #tile.axes<"j">> -> tensor<4x2xf32, #tile.axes<"i", "j">>
  return %u : tensor<4x2xf32, #tile.axes<"i", "j">>
}

// -----

// i8 and u8 have the same bits.
// CHECK-LABEL: func.func @cast_to_same_type
// CHECK-SAME:    (%[[A:.*]]: i8)
// CHECK-NEXT:    return %[[A]]
func.func @cast_to_same_type(%a: i8) -> i8 {
  %b = tile.cast %a source_unsigned : i8 -> i8
  return %b : i8
}

// -----

// A cast and back is not the value: f32 to bf16 rounds.
// CHECK-LABEL: func.func @cast_there_and_back
// CHECK:         tile.cast
// CHECK:         tile.cast
func.func @cast_there_and_back(%a: f32) -> f32 {
  %b = tile.cast %a : f32 -> bf16
  %c = tile.cast %b : bf16 -> f32
  return %c : f32
}

// -----

// To a narrower float: nearest even; f16 overflows to inf, f8 saturates, inf included.
// CHECK-LABEL: func.func @cast_float_constants
// CHECK-DAG:     arith.constant 1.000000e+00 : bf16
// CHECK-DAG:     arith.constant 0x7C00 : f16
// CHECK-DAG:     arith.constant 4.480000e+02 : f8E4M3FN
// CHECK-DAG:     arith.constant -4.480000e+02 : f8E4M3FN
// CHECK-DAG:     arith.constant 5.734400e+04 : f8E5M2
// CHECK-DAG:     arith.constant 0x7F : f8E4M3FN
// CHECK-DAG:     arith.constant dense<1.500000e+00> : tensor<4xf64, #tile.axes<"i">>
// CHECK-NOT:     tile.cast
func.func @cast_float_constants() -> (bf16, f16, f8E4M3FN, f8E4M3FN, f8E5M2, f8E4M3FN, tensor<4xf64, #tile.axes<"i">>) {
  %tie = arith.constant 1.00390625 : f32
  %bf16 = tile.cast %tie : f32 -> bf16
  %large = arith.constant 65520.0 : f32
  %f16 = tile.cast %large : f32 -> f16
  %inf = arith.constant 0x7F800000 : f32
  %f8 = tile.cast %inf : f32 -> f8E4M3FN
  %below = arith.constant -1.0e9 : f32
  %f8n = tile.cast %below : f32 -> f8E4M3FN
  %f8w = tile.cast %inf : f32 -> f8E5M2
  %nan = arith.constant 0x7FC00000 : f32
  %f8q = tile.cast %nan : f32 -> f8E4M3FN
  %t = arith.constant dense<1.5> : tensor<4xf32, #tile.axes<"i">>
  %f64 = tile.cast %t : tensor<4xf32, #tile.axes<"i">> -> tensor<4xf64, #tile.axes<"i">>
  return %bf16, %f16, %f8, %f8n, %f8w, %f8q, %f64 : bf16, f16, f8E4M3FN, f8E4M3FN, f8E5M2, f8E4M3FN, tensor<4xf64, #tile.axes<"i">>
}

// -----

// To an integer: toward zero, saturating, NaN to 0; to bool: not 0.
// CHECK-LABEL: func.func @cast_float_to_integer_constants
// CHECK-DAG:     %[[A:.*]] = arith.constant -1 : i32
// CHECK-DAG:     %[[B:.*]] = arith.constant 127 : i8
// CHECK-DAG:     %[[C:.*]] = arith.constant -1 : i8
// CHECK-DAG:     %[[D:.*]] = arith.constant 0 : i8
// CHECK-DAG:     %[[E:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[F:.*]] = arith.constant true
// CHECK:         return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]] :
func.func @cast_float_to_integer_constants() -> (i32, i8, i8, i8, i64, i1) {
  %x = arith.constant -1.75 : f32
  %a = tile.cast %x : f32 -> i32
  %y = arith.constant 300.0 : f32
  %b = tile.cast %y : f32 -> i8
  %c = tile.cast %y result_unsigned : f32 -> i8
  %d = tile.cast %x result_unsigned : f32 -> i8
  %nan = arith.constant 0x7FC00000 : f32
  %e = tile.cast %nan : f32 -> i64
  %f = tile.cast %nan : f32 -> i1
  return %a, %b, %c, %d, %e, %f : i32, i8, i8, i8, i64, i1
}

// -----

// Between integers modulo 2^n; u8 and bool widen without a sign.
// CHECK-LABEL: func.func @cast_integer_constants
// CHECK-DAG:     %[[A:.*]] = arith.constant 44 : i8
// CHECK-DAG:     %[[B:.*]] = arith.constant -1 : i32
// CHECK-DAG:     %[[C:.*]] = arith.constant 255 : i32
// CHECK-DAG:     %[[D:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[E:.*]] = arith.constant 2.550000e+02 : f32
// CHECK-DAG:     %[[F:.*]] = arith.constant true
// CHECK:         return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]] :
func.func @cast_integer_constants() -> (i8, i32, i32, i32, f32, i1) {
  %x = arith.constant 300 : i32
  %a = tile.cast %x : i32 -> i8
  %y = arith.constant -1 : i8
  %b = tile.cast %y : i8 -> i32
  %c = tile.cast %y source_unsigned : i8 -> i32
  %t = arith.constant true
  %d = tile.cast %t : i1 -> i32
  %e = tile.cast %y source_unsigned : i8 -> f32
  %z = arith.constant 256 : i32
  %f = tile.cast %z : i32 -> i1
  return %a, %b, %c, %d, %e, %f : i8, i32, i32, i32, f32, i1
}

// -----

// Quotients are rounded down, remainders have the divisor's sign; by 0 both are 0; the least value by -1 wraps.
// CHECK-LABEL: func.func @division_constants
// CHECK-DAG:     %[[Q:.*]] = arith.constant -2 : i64
// CHECK-DAG:     %[[R:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[Z:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[M:.*]] = arith.constant -2147483648 : i32
// CHECK-DAG:     %[[S:.*]] = arith.constant dense<-1> : tensor<4xi64, #tile.axes<"i">>
// CHECK:         return %[[Q]], %[[R]], %[[Z]], %[[Z]], %[[M]], %[[S]] :
func.func @division_constants() -> (i64, i64, i64, i64, i32, tensor<4xi64, #tile.axes<"i">>) {
  %a = arith.constant -5 : i64
  %b = arith.constant 3 : i64
  %q = tile.floor_div %a, %b : i64
  %r = tile.floor_mod %a, %b : i64
  %zero = arith.constant 0 : i64
  %qz = tile.floor_div %a, %zero : i64
  %rz = tile.floor_mod %a, %zero : i64
  %least = arith.constant -2147483648 : i32
  %minus = arith.constant -1 : i32
  %w = tile.floor_div %least, %minus : i32
  %t = arith.constant dense<5> : tensor<4xi64, #tile.axes<"i">>
  %u = arith.constant dense<-3> : tensor<4xi64, #tile.axes<"i">>
  %s = tile.floor_mod %t, %u : tensor<4xi64, #tile.axes<"i">>
  return %q, %r, %qz, %rz, %w, %s : i64, i64, i64, i64, i32, tensor<4xi64, #tile.axes<"i">>
}

// -----

// CHECK-LABEL: func.func @division_by_one
// CHECK-SAME:    (%[[A:.*]]: i64, %[[T:.*]]: tensor
// CHECK-DAG:     %[[Z:.*]] = arith.constant 0 : i64
// CHECK:         return %[[A]], %[[Z]], %[[T]] :
func.func @division_by_one(%a: i64, %t: tensor<4xi64, #tile.axes<"i">>) -> (i64, i64, tensor<4xi64, #tile.axes<"i">>) {
  %one = arith.constant 1 : i64
  %q = tile.floor_div %a, %one : i64
  %r = tile.floor_mod %a, %one : i64
  %ones = arith.constant dense<1> : tensor<4xi64, #tile.axes<"i">>
  %u = tile.floor_div %t, %ones : tensor<4xi64, #tile.axes<"i">>
  return %q, %r, %u : i64, i64, tensor<4xi64, #tile.axes<"i">>
}

// -----

// x / x is no 1: x may be 0.
// CHECK-LABEL: func.func @division_by_itself
// CHECK:         tile.floor_div
// CHECK:         tile.floor_mod
func.func @division_by_itself(%a: i64) -> (i64, i64) {
  %q = tile.floor_div %a, %a : i64
  %r = tile.floor_mod %a, %a : i64
  return %q, %r : i64, i64
}
