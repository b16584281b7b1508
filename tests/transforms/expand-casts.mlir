// The scalar ops of the tile dialect and arith on narrow floats become arith that every processor has.
// RUN: tile-opt %s --expand-casts --split-input-file | FileCheck %s --check-prefixes=CHECK,INTEGERS
// RUN: tile-opt %s --expand-casts=f16c=true --split-input-file | FileCheck %s --check-prefixes=CHECK,F16C
// RUN: tile-opt %s --expand-casts="nvidia=true f8=true" --split-input-file | FileCheck %s --check-prefix=NVIDIA

// f32 to bf16 adds just under half of the last place kept, and one if that place is odd; NaN is made quiet instead.
// CHECK-LABEL: func.func @to_bf16(
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK:         %[[CODE:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK-DAG:     %[[ODD:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK-DAG:     %[[UP:.*]] = arith.addi %[[CODE]], %c32767_i32
// CHECK:         %[[NEAR:.*]] = arith.addi %[[UP]], %[[ODD]]
// CHECK-DAG:     %[[QUIET:.*]] = arith.ori %[[CODE]], %c4194304_i32
// CHECK-DAG:     %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK:         arith.select %[[NAN]], %[[QUIET]], %[[NEAR]]
// CHECK:         arith.bitcast %{{.*}} : i16 to bf16
func.func @to_bf16(%x: f32) -> bf16 {
  %y = tile.cast %x : f32 -> bf16
  return %y : bf16
}

// -----

// bf16 to f32 is a shift, on vectors too.
// CHECK-LABEL: func.func @from_bf16
// CHECK:         %[[CODE:.*]] = arith.bitcast %{{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK:         %[[WIDE:.*]] = arith.extui %[[CODE]] : vector<8xi16> to vector<8xi32>
// CHECK:         %[[MOVED:.*]] = arith.shli %[[WIDE]]
// CHECK:         arith.bitcast %[[MOVED]] : vector<8xi32> to vector<8xf32>
func.func @from_bf16(%x: vector<8xbf16>) -> vector<8xf32> {
  %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// The processor's own f16 conversions are used if it has them.
// CHECK-LABEL: func.func @f16_and_f32(
// F16C:          arith.extf %{{.*}} : f16 to f32
// F16C:          arith.truncf %{{.*}} : f32 to f16
// INTEGERS-NOT:  arith.extf
// INTEGERS-NOT:  arith.truncf
func.func @f16_and_f32(%x: f16, %y: f32) -> (f32, f16) {
  %a = tile.cast %x : f16 -> f32
  %b = tile.cast %y : f32 -> f16
  return %a, %b : f32, f16
}

// -----

// f64 to f16 rounds once: to odd in f32, then to nearest. The processor's own conversion through f32 would round twice.
// CHECK-LABEL: func.func @f64_to_f16(
// CHECK:         %[[NEAREST:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK:         %[[BACK:.*]] = arith.extf %[[NEAREST]] : f32 to f64
// CHECK:         arith.subf %{{.*}}, %[[BACK]]
// CHECK:         %[[IS_EVEN:.*]] = arith.cmpi eq
// CHECK:         %[[TO_ODD:.*]] = arith.select %[[IS_EVEN]]
// CHECK:         %[[SAFE:.*]] = arith.bitcast %[[TO_ODD]] : i32 to f32
// F16C:          arith.truncf %[[SAFE]] : f32 to f16
// CHECK-NOT:     f64 to f16
func.func @f64_to_f16(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}

// -----

// f8 saturates: the code is at most that of 448.
// CHECK-LABEL: func.func @to_f8(
// CHECK:         arith.minui %{{.*}}, %c126_i32
// CHECK:         arith.bitcast %{{.*}} : i8 to f8E4M3FN
func.func @to_f8(%x: f32) -> f8E4M3FN {
  %y = tile.cast %x : f32 -> f8E4M3FN
  return %y : f8E4M3FN
}

// -----

// Float to integer: arith.fptosi is poison out of range, so it sees neither NaN nor what is too large or too small.
// CHECK-LABEL: func.func @to_integer(
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK:         %[[NUMBER:.*]] = arith.select %[[NAN]], %{{.*}}, %[[X]]
// CHECK:         %[[LARGE:.*]] = arith.cmpf oge, %[[NUMBER]]
// CHECK:         %[[IN_RANGE:.*]] = arith.select %[[LARGE]]
// CHECK:         %[[INTEGER:.*]] = arith.fptosi %[[IN_RANGE]] : f32 to i32
// CHECK:         arith.select %[[LARGE]], %c2147483647_i32, %[[INTEGER]]
func.func @to_integer(%x: f32) -> i32 {
  %y = tile.cast %x : f32 -> i32
  return %y : i32
}

// -----

// Division never sees a divisor 0 or -1, for which LLVM's is undefined.
// CHECK-LABEL: func.func @divide(
// CHECK-SAME:    %[[A:.*]]: i64, %[[B:.*]]: i64
// CHECK:         %[[SAFE:.*]] = arith.select %{{.*}}, %c1_i64{{.*}}, %[[B]]
// CHECK:         arith.divsi %[[A]], %[[SAFE]]
// CHECK-NOT:     tile.floor_div
func.func @divide(%a: i64, %b: i64) -> i64 {
  %q = tile.floor_div %a, %b : i64
  return %q : i64
}

// -----

// A constant divisor leaves no trace of these cases.
// CHECK-LABEL: func.func @divide_by_constant(
// CHECK:         %[[Q:.*]] = arith.divsi %{{.*}}, %{{.*}} : i64
// CHECK-NOT:     arith.cmpi eq
// CHECK:         return
func.func @divide_by_constant(%a: i64) -> i64 {
  %b = arith.constant 128 : i64
  %q = tile.floor_div %a, %b : i64
  return %q : i64
}

// -----

// Random words need no call: ten rounds of two 64-bit products.
// CHECK-LABEL: func.func @random(
// CHECK-COUNT-18: arith.muli
// CHECK-NOT:     tile.random_bits
func.func @random(%seed: i64, %n: i64) -> i32 {
  %r = tile.random_bits %seed, %n : i64 -> i32
  return %r : i32
}

// -----

// Arithmetic on a narrow float is done in f32.
// CHECK-LABEL: func.func @arithmetic(
// CHECK:         arith.maximumf %{{.*}}, %{{.*}} : f32
// CHECK:         arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     arith.maximumf %{{.*}} : bf16
func.func @arithmetic(%x: bf16, %y: bf16) -> (bf16, i1) {
  %m = arith.maximumf %x, %y : bf16
  %c = arith.cmpf olt, %x, %y : bf16
  return %m, %c : bf16, i1
}

// -----

// It does not touch what moves a narrow float without computing, nor f32 and f64, nor tiles.
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT:    arith.select %{{.*}} : bf16
// CHECK-NEXT:    arith.bitcast %{{.*}} : f16 to i16
// CHECK-NEXT:    arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT:    tile.cast
// CHECK-NEXT:    return
!from = tensor<4xf32, #tile.axes<"i">>
!to = tensor<4xbf16, #tile.axes<"i">>
func.func @stays(%c: i1, %x: bf16, %y: f16, %z: f64, %t: !from) -> (bf16, i16, f32, !to) {
  %0 = arith.select %c, %x, %x : bf16
  %1 = arith.bitcast %y : f16 to i16
  %2 = arith.truncf %z : f64 to f32
  %3 = tile.cast %t : !from -> !to
  return %0, %1, %2, %3 : bf16, i16, f32, !to
}

// -----

// The GPU's conversions; f8 comes in pairs, of which a single one is the low half.
// NVIDIA-LABEL: func.func @gpu(
// NVIDIA-SAME:    %[[X:[^:]*]]: f32, %[[V:[^:]*]]: vector<2xf32>
// NVIDIA:         arith.truncf %[[X]] : f32 to bf16
// NVIDIA:         llvm.call_intrinsic "llvm.nvvm.f2i.rz"(%[[X]]) : (f32) -> i32
// NVIDIA:         %[[ZERO:.*]] = arith.constant 0.0
// NVIDIA:         %[[ONE:.*]] = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[ZERO]], %[[X]]) : (f32, f32) -> i16
// NVIDIA:         arith.trunci %[[ONE]] : i16 to i8
// NVIDIA:         %[[FIRST:.*]] = vector.extract %[[V]][0]
// NVIDIA:         %[[SECOND:.*]] = vector.extract %[[V]][1]
// NVIDIA:         llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"(%[[SECOND]], %[[FIRST]])
// INTEGERS-NOT:   call_intrinsic
func.func @gpu(%x: f32, %v: vector<2xf32>) -> (bf16, i32, f8E4M3FN, vector<2xf8E5M2>) {
  %0 = tile.cast %x : f32 -> bf16
  %1 = tile.cast %x : f32 -> i32
  %2 = tile.cast %x : f32 -> f8E4M3FN
  %3 = tile.cast %v : vector<2xf32> -> vector<2xf8E5M2>
  return %0, %1, %2, %3 : bf16, i32, f8E4M3FN, vector<2xf8E5M2>
}
