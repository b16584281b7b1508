// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @print_c1_missing(%t: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of value 0 [i:4] to be among those of its spans [], but "i" is not}}
  tile.print 0 (%t : tensor<4xf32, #tile.axes<"i">>) unsigned [false]
  return
}

// -----

func.func @print_c1_more(%i: !tile.span<"i", 4>, %a: f32) {
  // expected-error @below {{has a span over axis "i", which is in none of its values}}
  tile.print 0 (%a : f32) spans(%i : !tile.span<"i", 4>) unsigned [false]
  return
}

// -----

func.func @print_c2_count(%a: f32) {
  // expected-error @below {{expects as many entries of unsigned as values, 1, not 0}}
  tile.print 0 (%a : f32) unsigned []
  return
}

// -----

func.func @print_c2_element(%a: f32) {
  // expected-error @below {{expects an unsigned value to have elements of type i8, not 'f32'}}
  tile.print 0 (%a : f32) unsigned [true]
  return
}

// -----

func.func @assert_c1(%a: f32) {
  // expected-error @below {{expects its condition to have elements of type 'i1', not 'f32'}}
  tile.assert 0 %a : f32
  return
}

// -----

func.func @assert_c2_condition(%c: tensor<4xi1, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of its condition [i:4] to be among those of its spans [], but "i" is not}}
  tile.assert 0 %c : tensor<4xi1, #tile.axes<"i">>
  return
}

// -----

func.func @assert_c2_value(%c: i1, %t: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of value 0 [i:4] to be among those of its spans [], but "i" is not}}
  tile.assert 0 %c (%t : tensor<4xf32, #tile.axes<"i">>) : i1
  return
}

// -----

func.func @assert_c2_more(%i: !tile.span<"i", 4>, %c: i1) {
  // expected-error @below {{has a span over axis "i", which is in none of its values}}
  tile.assert 0 %c spans(%i : !tile.span<"i", 4>) : i1
  return
}
