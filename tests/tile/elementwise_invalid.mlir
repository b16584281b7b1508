// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @index_c1_axis(%i: !tile.span<"i", 4>) {
  // expected-error @below {{expects its result [j:4] to have the axes of its span [i:4], in their order}}
  %t = tile.index %i : !tile.span<"i", 4> -> tensor<4xi64, #tile.axes<"j">>
  return
}

// -----

func.func @index_c1_element(%i: !tile.span<"i", 4>) {
  // expected-error @below {{expects its result to have elements of type 'i64', not 'i32'}}
  %t = tile.index %i : !tile.span<"i", 4> -> tensor<4xi32, #tile.axes<"i">>
  return
}

// -----

func.func @broadcast_c1(%a: f32) {
  // expected-error @below {{expects its result to have elements of type 'f32', not 'f64'}}
  %t = tile.broadcast %a : f32 -> tensor<4xf64, #tile.axes<"i">>
  return
}

// -----

func.func @broadcast_c2_missing(%a: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of its operand [i:4] to be among those of its result [j:4], but "i" is not}}
  %t = tile.broadcast %a : tensor<4xf32, #tile.axes<"i">> -> tensor<4xf32, #tile.axes<"j">>
  return
}

// -----

func.func @broadcast_c2_capacity(%a: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects axis "i" to have one extent in its operand [i:4] and its result [i:8]}}
  %t = tile.broadcast %a : tensor<4xf32, #tile.axes<"i">> -> tensor<8xf32, #tile.axes<"i">>
  return
}

// -----

func.func @cast_c1(%a: tensor<4x4xf32, #tile.axes<"i", "j">>) {
  // expected-error @below {{expects its result [j:4, i:4] to have the axes of its operand [i:4, j:4], in their order}}
  %t = tile.cast %a : tensor<4x4xf32, #tile.axes<"i", "j">> -> tensor<4x4xbf16, #tile.axes<"j", "i">>
  return
}

// -----

func.func @cast_c1_vector(%a: vector<4xf32>) {
  // expected-error @below {{expects its operand 'vector<4xf32>' to have the shape of its result 'vector<8xbf16>'}}
  %t = tile.cast %a : vector<4xf32> -> vector<8xbf16>
  return
}

// -----

func.func @cast_c2(%a: i32) {
  // expected-error @below {{expects an unsigned side to have elements of type i8, not 'i32'}}
  %t = tile.cast %a source_unsigned : i32 -> f32
  return
}

// -----

func.func @floor_div_c1(%a: i1) {
  // expected-error @below {{needs i32 or i64, not 'i1'}}
  %t = tile.floor_div %a, %a : i1
  return
}

// -----

func.func @floor_mod_c1(%a: f32) {
  // expected-error @below {{needs i32 or i64, not 'f32'}}
  %t = tile.floor_mod %a, %a : f32
  return
}

// -----

func.func @random_bits_c1_element(%n: i64) {
  // expected-error @below {{expects its result to have elements of type 'i32', not 'i64'}}
  %t = tile.random_bits %n, %n : i64 -> i64
  return
}

// -----

func.func @random_bits_c1_axes(%n: i64, %t: tensor<4xi64, #tile.axes<"i">>) {
  // expected-error @below {{expects its result [] to have the axes of its operand [i:4], in their order}}
  %u = tile.random_bits %n, %t : tensor<4xi64, #tile.axes<"i">> -> i32
  return
}

// -----

func.func @call_external_c1_none(%a: f32) {
  // expected-error @below {{expects at least one result}}
  tile.call_external "f"(%a) : (f32) -> ()
  return
}

// -----

func.func @call_external_c1_argument(%a: f32, %i: !tile.span<"i", 4>) {
  // expected-error @below {{expects argument 0 [] to have the axes of its first result [i:4], in their order}}
  %t = tile.call_external "f"(%a) spans(%i : !tile.span<"i", 4>) : (f32) -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

func.func @call_external_c1_result(%a: tensor<4xf32, #tile.axes<"i">>, %i: !tile.span<"i", 4>) {
  // expected-error @below {{expects result 1 [] to have the axes of its first result [i:4], in their order}}
  %t, %u = tile.call_external "f"(%a) spans(%i : !tile.span<"i", 4>) : (tensor<4xf32, #tile.axes<"i">>) -> (tensor<4xf32, #tile.axes<"i">>, f32)
  return
}

// -----

func.func @call_external_c2(%a: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects its spans [] to have the axes of its first result [i:4], in their order}}
  %t = tile.call_external "f"(%a) : (tensor<4xf32, #tile.axes<"i">>) -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

func.func @call_external_c3(%a: f32) {
  // expected-error @below {{calls "2f", which is no identifier}}
  %t = tile.call_external "2f"(%a) : (f32) -> f32
  return
}

// -----

func.func @call_external_c3_empty() {
  // expected-error @below {{calls "", which is no identifier}}
  %t = tile.call_external ""() : () -> f32
  return
}
