// What an operation prints when its optional parts are there, and when they are not.
// RUN: tile-opt %s --split-input-file | tile-opt --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @checked(%a: f32) dimensions = 0 checked attributes {schedule = "reference"} {
// CHECK-NEXT:  }
tile.kernel @checked(%a: f32) dimensions = 0 checked attributes {schedule = "reference"} {
}

// -----

// A loop with nothing to carry needs no yield; one over single indices has an i64.
// CHECK-LABEL: func.func @loops
// CHECK:         tile.for "r" %r: i64 in %{{.*}} to %{{.*}} attributes {unroll} {
// CHECK-NEXT:    }
// CHECK:         %{{.*}}:2 = tile.for "k" %k: !tile.span<"k", 4> in %{{.*}} to %{{.*}} carries (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) : i64, f32 {
// CHECK-NEXT:      tile.yield %[[A]], %[[B]] : i64, f32
func.func @loops(%n: i64, %x: f32) {
  tile.for "r" %r : i64 in %n to %n attributes {unroll} {
  }
  %s:2 = tile.for "k" %k : !tile.span<"k", 4> in %n to %n carries (%a = %n, %b = %x) : i64, f32 {
    tile.yield %a, %b : i64, f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @access
// CHECK:         tile.load %{{.*}}[%{{.*}}] compare [false] : <{{.*}}>, (i64) -> f32
// CHECK:         tile.load %{{.*}}[%{{.*}}] else %{{.*}} compare [true] : <{{.*}}>, (i64) else f32 -> f32
// CHECK:         tile.load %{{.*}}[%{{.*}}] spans(%{{.*}}) else %{{.*}} compare [true] : <{{.*}}>, (tensor<4xi64, #tile.axes<"i">>), spans(!tile.span<"i", 4>) else f32 -> tensor<4xf32, #tile.axes<"i">>
// CHECK:         tile.store %{{.*}}, %{{.*}}[%{{.*}}] compare [false] promised_unique : f32, <{{.*}}>, (i64)
// CHECK:         tile.accumulate max %{{.*}}, %{{.*}}[%{{.*}}] compare [false] shared : f32, <{{.*}}>, (i64)
// CHECK:         tile.accumulate add %{{.*}}, %{{.*}}[%{{.*}}] compare [true] {is_unsigned} : i32, <{{.*}}>, (i64)
// CHECK:         tile.atomic_rmw add %{{.*}}, %{{.*}}[%{{.*}}] compare [true] : f32, <{{.*}}>, (i64)
// CHECK:         tile.atomic_rmw min %{{.*}}, %{{.*}}[%{{.*}}] compare [true] : f32, <{{.*}}>, (i64) -> f32
!x = !tile.view<element = f32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
!u = !tile.view<element = i8, dims = ["N"], access = out, unit_stride = -1, pack_rank = 1, alignment = 1>
func.func @access(%x: !x, %u: !u, %n: i64, %i: !tile.span<"i", 4>, %t: tensor<4xi64, #tile.axes<"i">>, %c: i32) {
  %a = tile.load %x[%n] compare [false] : !x, (i64) -> f32
  %b = tile.load %x[%n] else %a compare [true] : !x, (i64) else f32 -> f32
  %d = tile.load %x[%t] spans(%i) else %a compare [true] : !x, (tensor<4xi64, #tile.axes<"i">>), spans(!tile.span<"i", 4>) else f32 -> tensor<4xf32, #tile.axes<"i">>
  tile.store %b, %x[%n] compare [false] promised_unique : f32, !x, (i64)
  tile.accumulate max %b, %x[%n] compare [false] shared : f32, !x, (i64)
  tile.accumulate add %c, %u[%n] compare [true] {is_unsigned} : i32, !u, (i64)
  tile.atomic_rmw add %b, %x[%n] compare [true] : f32, !x, (i64)
  %o = tile.atomic_rmw min %b, %x[%n] compare [true] : f32, !x, (i64) -> f32
  return
}

// -----

// CHECK-LABEL: func.func @dots
// CHECK:         tile.dot %{{.*}}, %{{.*}}, %{{.*}} over(%{{.*}}) : tensor
// CHECK:         tile.dot %{{.*}}, %{{.*}}, %{{.*}} over(%{{.*}}) precision tf32x3 : tensor
func.func @dots(%a: tensor<8xf32, #tile.axes<"k">>, %k: !tile.span<"k", 8>, %c: f32) {
  %r = tile.dot %a, %a, %c over (%k) precision default : tensor<8xf32, #tile.axes<"k">>, tensor<8xf32, #tile.axes<"k">>, !tile.span<"k", 8> -> f32
  %s = tile.dot %a, %a, %c over (%k) precision tf32x3 : tensor<8xf32, #tile.axes<"k">>, tensor<8xf32, #tile.axes<"k">>, !tile.span<"k", 8> -> f32
  return
}

// -----

// Elementwise operations also serve the vectors that a target cuts tiles into.
// CHECK-LABEL: func.func @vectors
// CHECK:         tile.cast %{{.*}} source_unsigned : vector<8xi8> -> vector<8xf32>
// CHECK:         tile.floor_div %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK:         tile.random_bits %{{.*}}, %{{.*}} : vector<8xi64> -> vector<8xi32>
func.func @vectors(%a: vector<8xi8>, %n: vector<8xi64>, %seed: i64) {
  %b = tile.cast %a source_unsigned : vector<8xi8> -> vector<8xf32>
  %q = tile.floor_div %n, %n : vector<8xi64>
  %r = tile.random_bits %seed, %n : vector<8xi64> -> vector<8xi32>
  return
}
