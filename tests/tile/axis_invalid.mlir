// RUN: tile-opt %s --split-input-file --verify-diagnostics

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @reduce_c1_missing(%t: !ij, %k: !tile.span<"k", 4>) {
  // expected-error @below {{expects the axes of its spans [k:4] to be among those of its operand [i:4, j:8], but "k" is not}}
  %r = tile.reduce add %t over (%k) : !ij, !tile.span<"k", 4> -> !ij
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @reduce_c1_capacity(%t: !ij, %j: !tile.span<"j", 4>) {
  // expected-error @below {{expects axis "j" to have one extent in its spans [j:4] and its operand [i:4, j:8]}}
  %r = tile.reduce add %t over (%j) : !ij, !tile.span<"j", 4> -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @reduce_c1_twice(%t: !ij, %j: !tile.span<"j", 8>) {
  // expected-error @below {{expects the axes of its spans [j:8, j:8] to be distinct, but "j" occurs twice}}
  %r = tile.reduce add %t over (%j, %j) : !ij, !tile.span<"j", 8>, !tile.span<"j", 8> -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @reduce_c1_none(%t: !ij) {
  // expected-error @below {{expects at least one span}}
  %r = "tile.reduce"(%t) <{kind = 0 : i32}> : (!ij) -> !ij
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @reduce_c2_axes(%t: !ij, %j: !tile.span<"j", 8>) {
  // expected-error @below {{expects its result [] to have the axes of its operand [i:4], in their order}}
  %r = tile.reduce add %t over (%j) : !ij, !tile.span<"j", 8> -> f32
  return
}

// -----

!ij = tensor<4x8xbf16, #tile.axes<"i", "j">>
func.func @reduce_c2_element(%t: !ij, %j: !tile.span<"j", 8>) {
  // expected-error @below {{expects its result to have elements of type 'bf16', not 'f32'}}
  %r = tile.reduce add %t over (%j) : !ij, !tile.span<"j", 8> -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

!i = tensor<4xi1, #tile.axes<"i">>
func.func @reduce_c3_add(%t: !i, %i: !tile.span<"i", 4>) {
  // expected-error @below {{cannot combine elements of type 'i1' by add}}
  %r = tile.reduce add %t over (%i) : !i, !tile.span<"i", 4> -> i1
  return
}

// -----

!i = tensor<4xf32, #tile.axes<"i">>
func.func @reduce_c3_or(%t: !i, %i: !tile.span<"i", 4>) {
  // expected-error @below {{cannot combine elements of type 'f32' by or}}
  %r = tile.reduce or %t over (%i) : !i, !tile.span<"i", 4> -> f32
  return
}

// -----

!i = tensor<4xi32, #tile.axes<"i">>
func.func @reduce_c3_umax(%t: !i, %i: !tile.span<"i", 4>) {
  // expected-error @below {{cannot combine elements of type 'i32' by umax}}
  %r = tile.reduce umax %t over (%i) : !i, !tile.span<"i", 4> -> i32
  return
}

// -----

!i = tensor<4xf32, #tile.axes<"i">>
func.func @arg_reduce_c1(%t: !i, %j: !tile.span<"j", 4>) {
  // expected-error @below {{expects the axes of its span [j:4] to be among those of its operand [i:4], but "j" is not}}
  %r = tile.arg_reduce max %t over %j : !i, !tile.span<"j", 4> -> i64
  return
}

// -----

!i = tensor<4xf32, #tile.axes<"i">>
func.func @arg_reduce_c2(%t: !i, %i: !tile.span<"i", 4>) {
  // expected-error @below {{expects its result to have elements of type 'i64', not 'i32'}}
  %r = tile.arg_reduce max %t over %i : !i, !tile.span<"i", 4> -> i32
  return
}

// -----

!i = tensor<4xf32, #tile.axes<"i">>
func.func @arg_reduce_c3_kind(%t: !i, %i: !tile.span<"i", 4>) {
  // expected-error @below {{finds a max, min, umax or umin, not add}}
  %r = tile.arg_reduce add %t over %i : !i, !tile.span<"i", 4> -> i64
  return
}

// -----

!i = tensor<4xi1, #tile.axes<"i">>
func.func @arg_reduce_c3_element(%t: !i, %i: !tile.span<"i", 4>) {
  // expected-error @below {{cannot combine elements of type 'i1' by max}}
  %r = tile.arg_reduce max %t over %i : !i, !tile.span<"i", 4> -> i64
  return
}

// -----

func.func @dot_c1_one_side(%a: tensor<4x8xf32, #tile.axes<"i", "k">>, %b: tensor<2xf32, #tile.axes<"j">>, %k: !tile.span<"k", 8>, %c: tensor<4x2xf32, #tile.axes<"i", "j">>) {
  // expected-error @below {{expects the axes of its spans [k:8] to be among those of its right operand [j:2], but "k" is not}}
  %r = tile.dot %a, %b, %c over (%k) : tensor<4x8xf32, #tile.axes<"i", "k">>, tensor<2xf32, #tile.axes<"j">>, !tile.span<"k", 8> -> tensor<4x2xf32, #tile.axes<"i", "j">>
  return
}

// -----

func.func @dot_c1_none(%a: tensor<4xf32, #tile.axes<"i">>, %c: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects at least one span}}
  %r = "tile.dot"(%a, %a, %c) <{precision = 0 : i32}> : (tensor<4xf32, #tile.axes<"i">>, tensor<4xf32, #tile.axes<"i">>, tensor<4xf32, #tile.axes<"i">>) -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

func.func @dot_c2_missing(%a: tensor<4x8xf32, #tile.axes<"i", "k">>, %k: !tile.span<"k", 8>, %c: f32) {
  // expected-error @below {{expects the axes of its left operand [i:4] to be among those of its result [], but "i" is not}}
  %r = tile.dot %a, %a, %c over (%k) : tensor<4x8xf32, #tile.axes<"i", "k">>, tensor<4x8xf32, #tile.axes<"i", "k">>, !tile.span<"k", 8> -> f32
  return
}

// -----

func.func @dot_c2_more(%a: tensor<8xf32, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{has a span over axis "i", which is in none of its values}}
  %r = tile.dot %a, %a, %c over (%k) : tensor<8xf32, #tile.axes<"k">>, tensor<8xf32, #tile.axes<"k">>, !tile.span<"k", 8> -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

func.func @dot_c2_summed(%a: tensor<8xf32, #tile.axes<"k">>, %k: !tile.span<"k", 8>) {
  // expected-error @below {{sums over axis "k", but its result [k:8] has it}}
  %r = tile.dot %a, %a, %a over (%k) : tensor<8xf32, #tile.axes<"k">>, tensor<8xf32, #tile.axes<"k">>, !tile.span<"k", 8> -> tensor<8xf32, #tile.axes<"k">>
  return
}

// -----

// The order of a product's axes is free.
func.func @dot_c2_order(%a: tensor<4x8xf32, #tile.axes<"i", "k">>, %b: tensor<2x8xf32, #tile.axes<"j", "k">>, %k: !tile.span<"k", 8>, %c: tensor<2x4xf32, #tile.axes<"j", "i">>) {
  %r = tile.dot %a, %b, %c over (%k) : tensor<4x8xf32, #tile.axes<"i", "k">>, tensor<2x8xf32, #tile.axes<"j", "k">>, !tile.span<"k", 8> -> tensor<2x4xf32, #tile.axes<"j", "i">>
  return
}

// -----

func.func @dot_c3(%a: tensor<4x8xf32, #tile.axes<"i", "k">>, %b: tensor<2x8xf32, #tile.axes<"i", "k">>, %k: !tile.span<"k", 8>, %c: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects axis "i" to have one extent in its left operand [i:4, k:8] and its right operand [i:2, k:8]}}
  %r = tile.dot %a, %b, %c over (%k) : tensor<4x8xf32, #tile.axes<"i", "k">>, tensor<2x8xf32, #tile.axes<"i", "k">>, !tile.span<"k", 8> -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

func.func @dot_c4_mixed(%a: tensor<8xf32, #tile.axes<"k">>, %b: tensor<8xi32, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: f32) {
  // expected-error @below {{cannot sum products of 'f32' and 'i32' in 'f32'}}
  %r = tile.dot %a, %b, %c over (%k) : tensor<8xf32, #tile.axes<"k">>, tensor<8xi32, #tile.axes<"k">>, !tile.span<"k", 8> -> f32
  return
}

// -----

func.func @dot_c4_narrow(%a: tensor<8xbf16, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: bf16) {
  // expected-error @below {{cannot sum products of 'bf16' and 'bf16' in 'bf16'}}
  %r = tile.dot %a, %a, %c over (%k) : tensor<8xbf16, #tile.axes<"k">>, tensor<8xbf16, #tile.axes<"k">>, !tile.span<"k", 8> -> bf16
  return
}

// -----

func.func @dot_c4_f64(%a: tensor<8xf64, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: f32) {
  // expected-error @below {{cannot sum products of 'f64' and 'f64' in 'f32'}}
  %r = tile.dot %a, %a, %c over (%k) : tensor<8xf64, #tile.axes<"k">>, tensor<8xf64, #tile.axes<"k">>, !tile.span<"k", 8> -> f32
  return
}

// -----

func.func @dot_c4_integers(%a: tensor<8xi8, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: f32) {
  // expected-error @below {{cannot sum products of 'i8' and 'i8' in 'f32'}}
  %r = tile.dot %a, %a, %c over (%k) : tensor<8xi8, #tile.axes<"k">>, tensor<8xi8, #tile.axes<"k">>, !tile.span<"k", 8> -> f32
  return
}

// -----

func.func @dot_c5(%a: tensor<8xi32, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: i32) {
  // expected-error @below {{expects an unsigned operand to have elements of type i8, not 'i32'}}
  %r = tile.dot %a, %a, %c over (%k) rhs_unsigned : tensor<8xi32, #tile.axes<"k">>, tensor<8xi32, #tile.axes<"k">>, !tile.span<"k", 8> -> i32
  return
}

// -----

func.func @dot_c6_narrow(%a: tensor<8xbf16, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: f32) {
  // expected-error @below {{cannot multiply 'bf16' and 'bf16' with precision tf32}}
  %r = tile.dot %a, %a, %c over (%k) precision tf32 : tensor<8xbf16, #tile.axes<"k">>, tensor<8xbf16, #tile.axes<"k">>, !tile.span<"k", 8> -> f32
  return
}

// -----

func.func @dot_c6_integers(%a: tensor<8xi8, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: i32) {
  // expected-error @below {{cannot multiply 'i8' and 'i8' with precision fast}}
  %r = tile.dot %a, %a, %c over (%k) precision fast : tensor<8xi8, #tile.axes<"k">>, tensor<8xi8, #tile.axes<"k">>, !tile.span<"k", 8> -> i32
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
!ji = tensor<8x4xf32, #tile.axes<"j", "i">>
func.func @fold_c1(%t: !ij, %u: !ji, %j: !tile.span<"j", 8>) {
  // expected-error @below {{expects all states to have the same axes, but they are 'tensor<4x8xf32, #tile.axes<"i", "j">>' and 'tensor<8x4xf32, #tile.axes<"j", "i">>'}}
  %r:2 = tile.fold %t, %u over %j : (!ij, !ji), !tile.span<"j", 8> -> (tensor<4xf32, #tile.axes<"i">>, tensor<4xf32, #tile.axes<"i">>) combine (%a: f32, %b: f32, %c: f32, %d: f32) {
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @fold_c2(%t: !ij, %j: !tile.span<"j", 4>) {
  // expected-error @below {{expects the span's axis, "j" of capacity 4, to be one of 'tensor<4x8xf32, #tile.axes<"i", "j">>'}}
  %r = tile.fold %t over %j : (!ij), !tile.span<"j", 4> -> (tensor<4xf32, #tile.axes<"i">>) combine (%a: f32, %b: f32) {
    tile.yield %a : f32
  }
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @fold_c3_arguments(%t: !ij, %j: !tile.span<"j", 8>) {
  // expected-error @below {{expects its region to take ('f32', 'f32'), not ('f32')}}
  %r = tile.fold %t over %j : (!ij), !tile.span<"j", 8> -> (tensor<4xf32, #tile.axes<"i">>) combine (%a: f32) {
    tile.yield %a : f32
  }
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @fold_c3_yield(%t: !ij, %j: !tile.span<"j", 8>) {
  // expected-error @below {{expects its region to yield ('f32'), not ('f32', 'f32')}}
  %r = tile.fold %t over %j : (!ij), !tile.span<"j", 8> -> (tensor<4xf32, #tile.axes<"i">>) combine (%a: f32, %b: f32) {
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

!ij = tensor<4x8xf32, #tile.axes<"i", "j">>
func.func @fold_c4(%t: !ij, %j: !tile.span<"j", 8>) {
  // expected-error @below {{expects results of types ('tensor<4xf32, #tile.axes<"i">>'), not ('f32')}}
  %r = tile.fold %t over %j : (!ij), !tile.span<"j", 8> -> (f32) combine (%a: f32, %b: f32) {
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scan_c1(%j: !tile.span<"j", 8>) {
  // expected-error @below {{expects at least one state}}
  "tile.scan"(%j) ({
    tile.yield
  }) : (!tile.span<"j", 8>) -> ()
  return
}

// -----

!i = tensor<4xf32, #tile.axes<"i">>
func.func @scan_c2(%t: !i, %j: !tile.span<"j", 4>) {
  // expected-error @below {{expects the span's axis, "j" of capacity 4, to be one of 'tensor<4xf32, #tile.axes<"i">>'}}
  %r = tile.scan %t over %j : (!i), !tile.span<"j", 4> -> (!i) combine (%a: f32, %b: f32) {
    tile.yield %a : f32
  }
  return
}

// -----

!i = tensor<4xf32, #tile.axes<"i">>
func.func @scan_c3(%t: !i, %i: !tile.span<"i", 4>) {
  // expected-error @below {{expects its region to take ('f32', 'f32'), not ('f32', 'f64')}}
  %r = tile.scan %t over %i : (!i), !tile.span<"i", 4> -> (!i) combine (%a: f32, %b: f64) {
    tile.yield %a : f32
  }
  return
}

// -----

!i = tensor<4xf32, #tile.axes<"i">>
func.func @scan_c4(%t: !i, %i: !tile.span<"i", 4>) {
  // expected-error @below {{expects results of types ('tensor<4xf32, #tile.axes<"i">>'), not ('tensor<8xf32, #tile.axes<"i">>')}}
  %r = tile.scan %t over %i : (!i), !tile.span<"i", 4> -> (tensor<8xf32, #tile.axes<"i">>) combine (%a: f32, %b: f32) {
    tile.yield %a : f32
  }
  return
}
