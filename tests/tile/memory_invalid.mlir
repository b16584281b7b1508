// RUN: tile-opt %s --split-input-file --verify-diagnostics

!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
func.func @load_c1(%x: !x, %i: i64) {
  // expected-error @below {{expects as many indices as its view has dimensions, 2, not 1}}
  %t = tile.load %x[%i] compare [false, false] : !x, (i64) -> f32
  return
}

// -----

!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
func.func @load_c2(%x: !x, %i: i64) {
  // expected-error @below {{expects as many entries of compare as its view has dimensions, 2, not 1}}
  %t = tile.load %x[%i, %i] compare [false] : !x, (i64, i64) -> f32
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @load_c3_missing(%x: !x, %ti: tensor<4xi64, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of index 0 [i:4] to be among those of its spans [], but "i" is not}}
  %t = tile.load %x[%ti] compare [false] : !x, (tensor<4xi64, #tile.axes<"i">>) -> f32
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @load_c3_capacity(%x: !x, %i: !tile.span<"i", 8>, %ti: tensor<4xi64, #tile.axes<"i">>) {
  // expected-error @below {{expects axis "i" to have one extent in index 0 [i:4] and its spans [i:8]}}
  %t = tile.load %x[%ti] spans(%i) compare [false] : !x, (tensor<4xi64, #tile.axes<"i">>), spans(!tile.span<"i", 8>) -> tensor<8xf32, #tile.axes<"i">>
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @load_c3_more(%x: !x, %i: !tile.span<"i", 8>, %n: i64) {
  // expected-error @below {{has a span over axis "i", which is in none of its values}}
  %t = tile.load %x[%n] spans(%i) compare [false] : !x, (i64), spans(!tile.span<"i", 8>) -> tensor<8xf32, #tile.axes<"i">>
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @load_c3_twice(%x: !x, %i: !tile.span<"i", 4>, %ti: tensor<4xi64, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of its spans [i:4, i:4] to be distinct, but "i" occurs twice}}
  %t = tile.load %x[%ti] spans(%i, %i) compare [false] : !x, (tensor<4xi64, #tile.axes<"i">>), spans(!tile.span<"i", 4>, !tile.span<"i", 4>) -> tensor<4xf32, #tile.axes<"i">>
  return
}

// -----

!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
func.func @load_c4(%x: !x, %i: !tile.span<"i", 4>, %j: !tile.span<"j", 8>, %ti: tensor<4xi64, #tile.axes<"i">>, %tj: tensor<8xi64, #tile.axes<"j">>) {
  // expected-error @below {{expects its result [j:8, i:4] to have the axes of its spans [i:4, j:8], in their order}}
  %t = tile.load %x[%ti, %tj] spans(%i, %j) compare [false, false] : !x, (tensor<4xi64, #tile.axes<"i">>, tensor<8xi64, #tile.axes<"j">>), spans(!tile.span<"i", 4>, !tile.span<"j", 8>) -> tensor<8x4xf32, #tile.axes<"j", "i">>
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @load_c5(%x: !x, %i: i64) {
  // expected-error @below {{expects its result to have elements of type 'f32', not 'i1'}}
  %t = tile.load %x[%i] compare [false] : !x, (i64) -> i1
  return
}

// -----

// Memory holds bool and u8 as i8; only the load knows which.
!x = !tile.view<element = i8, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 1>
func.func @load_c5_bool(%x: !x, %i: i64) {
  %t = tile.load %x[%i] compare [false] : !x, (i64) -> i1
  %u = tile.load %x[%i] compare [false] : !x, (i64) -> i8
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @load_c6_element(%x: !x, %i: i64) {
  // expected-error @below {{expects the else value to have elements of type 'f32', not 'i64'}}
  %t = tile.load %x[%i] else %i compare [true] : !x, (i64) else i64 -> f32
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @load_c6_axes(%x: !x, %i: i64, %t: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of the else value [i:4] to be among those of its result [], but "i" is not}}
  %u = tile.load %x[%i] else %t compare [true] : !x, (i64) else tensor<4xf32, #tile.axes<"i">> -> f32
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @load_c7(%x: !x, %i: i64) {
  // expected-error @below {{compares an index with its extent, but has no else value}}
  %t = tile.load %x[%i] compare [true] : !x, (i64) -> f32
  return
}

// -----

!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>
func.func @store_c1(%y: !y, %i: i64, %a: f32) {
  // expected-error @below {{expects as many indices as its view has dimensions, 2, not 1}}
  tile.store %a, %y[%i] compare [false, false] : f32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @store_c2(%y: !y, %i: i64, %a: f32) {
  // expected-error @below {{expects as many entries of compare as its view has dimensions, 1, not 0}}
  tile.store %a, %y[%i] compare [] : f32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @store_c3(%y: !y, %ti: tensor<4xi64, #tile.axes<"i">>, %a: f32) {
  // expected-error @below {{expects the axes of index 0 [i:4] to be among those of its spans [], but "i" is not}}
  tile.store %a, %y[%ti] compare [false] : f32, !y, (tensor<4xi64, #tile.axes<"i">>)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @store_c4(%y: !y, %n: i64, %t: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of its value [i:4] to be among those of its spans [], but "i" is not}}
  tile.store %t, %y[%n] compare [false] : tensor<4xf32, #tile.axes<"i">>, !y, (i64)
  return
}

// -----

// A value with fewer axes than the place is repeated.
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @store_c4_fewer(%y: !y, %i: !tile.span<"i", 4>, %ti: tensor<4xi64, #tile.axes<"i">>, %a: f32) {
  tile.store %a, %y[%ti] spans(%i) compare [false] : f32, !y, (tensor<4xi64, #tile.axes<"i">>), spans(!tile.span<"i", 4>)
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>
func.func @store_c5(%y: !y, %n: i64, %a: f32) {
  // expected-error @below {{expects its value to have elements of type 'bf16', not 'f32'}}
  tile.store %a, %y[%n] compare [false] : f32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @store_c6(%y: !y, %n: i64, %a: f32) {
  // expected-error @below {{writes to a view that is neither out nor inout}}
  tile.store %a, %y[%n] compare [false] : f32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @store_c7(%y: !y, %n: i64, %a: f32) {
  // expected-error @below {{has a message, which needs promised_unique}}
  tile.store %a, %y[%n] compare [false] message 0 : f32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>
func.func @accumulate_c1(%y: !y, %n: i64, %a: f32) {
  // expected-error @below {{expects as many indices as its view has dimensions, 2, not 1}}
  tile.accumulate add %a, %y[%n] compare [false, false] : f32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @accumulate_c2(%y: !y, %n: i64, %a: f32) {
  // expected-error @below {{expects as many entries of compare as its view has dimensions, 1, not 2}}
  tile.accumulate add %a, %y[%n] compare [false, false] : f32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @accumulate_c3(%y: !y, %i: !tile.span<"i", 4>, %n: i64, %a: f32) {
  // expected-error @below {{has a span over axis "i", which is in none of its values}}
  tile.accumulate add %a, %y[%n] spans(%i) compare [false] : f32, !y, (i64), spans(!tile.span<"i", 4>)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @accumulate_c4(%y: !y, %n: i64, %t: tensor<4xf32, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of its value [i:4] to be among those of its spans [], but "i" is not}}
  tile.accumulate add %t, %y[%n] compare [false] : tensor<4xf32, #tile.axes<"i">>, !y, (i64)
  return
}

// -----

// A sum is formed in the accumulator type and rounded by the operation.
!y = !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>
func.func @accumulate_c5(%y: !y, %n: i64, %a: bf16) {
  // expected-error @below {{expects its value to have elements of type 'f32', not 'bf16'}}
  tile.accumulate add %a, %y[%n] compare [false] : bf16, !y, (i64)
  return
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @accumulate_c6(%y: !y, %n: i64, %a: f32) {
  // expected-error @below {{writes to a view that is neither out nor inout}}
  tile.accumulate add %a, %y[%n] compare [false] : f32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @accumulate_c7(%y: !y, %n: i64, %a: i32) {
  // expected-error @below {{combines by add, max or min, not or}}
  tile.accumulate or %a, %y[%n] compare [false] : i32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @accumulate_c8(%y: !y, %n: i64, %a: i32) {
  // expected-error @below {{is unsigned, which needs a view of i8, not 'i32'}}
  tile.accumulate add %a, %y[%n] compare [false] {is_unsigned} : i32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @atomic_rmw_c1(%y: !y, %n: i64, %a: i32) {
  // expected-error @below {{expects as many indices as its view has dimensions, 1, not 2}}
  tile.atomic_rmw add %a, %y[%n, %n] compare [false] : i32, !y, (i64, i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @atomic_rmw_c2(%y: !y, %n: i64, %a: i32) {
  // expected-error @below {{expects as many entries of compare as its view has dimensions, 1, not 2}}
  tile.atomic_rmw add %a, %y[%n] compare [false, true] : i32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @atomic_rmw_c3(%y: !y, %ti: tensor<4xi64, #tile.axes<"i">>, %a: i32) {
  // expected-error @below {{expects the axes of index 0 [i:4] to be among those of its spans [], but "i" is not}}
  tile.atomic_rmw add %a, %y[%ti] compare [false] : i32, !y, (tensor<4xi64, #tile.axes<"i">>)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @atomic_rmw_c4(%y: !y, %n: i64, %t: tensor<4xi32, #tile.axes<"i">>) {
  // expected-error @below {{expects the axes of its value [i:4] to be among those of its spans [], but "i" is not}}
  tile.atomic_rmw add %t, %y[%n] compare [false] : tensor<4xi32, #tile.axes<"i">>, !y, (i64)
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 2>
func.func @atomic_rmw_c5_view(%y: !y, %n: i64, %a: bf16) {
  // expected-error @below {{needs a view of f32, f64, i32 or i64, not 'bf16'}}
  tile.atomic_rmw add %a, %y[%n] compare [false] : bf16, !y, (i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @atomic_rmw_c5_value(%y: !y, %n: i64) {
  // expected-error @below {{expects its value to have elements of type 'i32', not 'i64'}}
  tile.atomic_rmw add %n, %y[%n] compare [false] : i64, !y, (i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @atomic_rmw_c6(%y: !y, %n: i64, %a: i32) {
  // expected-error @below {{writes to a view that is neither out nor inout}}
  tile.atomic_rmw add %a, %y[%n] compare [false] : i32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @atomic_rmw_c7(%y: !y, %n: i64, %a: i32) {
  // expected-error @below {{combines by add, max or min, not umax}}
  tile.atomic_rmw umax %a, %y[%n] compare [false] : i32, !y, (i64)
  return
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @atomic_rmw_c8(%y: !y, %i: !tile.span<"i", 4>, %ti: tensor<4xi64, #tile.axes<"i">>, %a: i32) {
  // expected-error @below {{expects its result [] to have the axes of its spans [i:4], in their order}}
  %old = tile.atomic_rmw add %a, %y[%ti] spans(%i) compare [false] : i32, !y, (tensor<4xi64, #tile.axes<"i">>), spans(!tile.span<"i", 4>) -> i32
  return
}
