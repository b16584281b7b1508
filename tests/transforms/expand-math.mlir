// Math functions become straight-line arith; what is an instruction stays.
// RUN: tile-opt %s --expand-math --split-input-file | FileCheck %s
// RUN: tile-opt %s --expand-math=ldexp --split-input-file | FileCheck %s --check-prefix=LDEXP
// RUN: tile-opt %s --expand-math=fma=false --split-input-file | FileCheck %s --check-prefix=NOFMA
// RUN: tile-opt %s --expand-math=nvidia --split-input-file | FileCheck %s --check-prefix=NVIDIA

// exp: x / ln 2 is rounded by an addition, and 2^n is made by a shift.
// CHECK-LABEL: func.func @exponential(
// CHECK:         %[[T:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK:         arith.subf %[[T]], %{{.*}} : f32
// CHECK:         arith.bitcast %[[T]] : f32 to i32
// CHECK:         arith.shli
// CHECK-NOT:     math.
// CHECK-NOT:     scf.if
// With an instruction that scales by powers of two it is one call, which the loop vectorizer widens.
// LDEXP-LABEL: func.func @exponential(
// LDEXP-NOT:     arith.shli
// LDEXP:         llvm.intr.ldexp(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
func.func @exponential(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// -----

// No function is left, in f32 or f64, on scalars or vectors, and none has a branch.
// CHECK-LABEL: func.func @all(
// CHECK-NOT:     math.{{(exp|exp2|tanh|log|log2|log1p|sin|cos|erf|powf|rsqrt) }}
// CHECK-NOT:     scf.
// CHECK:         return
func.func @all(%x: f32, %y: f64, %v: vector<8xf32>) -> (f32, f64, vector<8xf32>) {
  %0 = math.exp2 %x : f32
  %1 = math.tanh %0 : f32
  %2 = math.log %1 : f32
  %3 = math.log2 %2 : f32
  %4 = math.log1p %3 : f32
  %5 = math.erf %4 : f32
  %6 = math.powf %5, %x : f32
  %7 = math.rsqrt %6 : f32
  %8 = math.sin %y : f64
  %9 = math.cos %8 : f64
  %10 = math.powf %9, %y : f64
  %11 = math.exp %v : vector<8xf32>
  return %7, %10, %11 : f32, f64, vector<8xf32>
}

// -----

// Instructions stay.
// CHECK-LABEL: func.func @instructions(
// CHECK-NEXT:    math.sqrt
// CHECK-NEXT:    math.floor
// CHECK-NEXT:    math.ceil
// CHECK-NEXT:    math.roundeven
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    math.fma
// CHECK-NEXT:    return
// Without an instruction for it, fma on f32 is a product and a sum in f64, rounded to odd there.
// NOFMA-LABEL: func.func @instructions(
// NOFMA:         math.absf
// NOFMA-NOT:     math.fma
// NOFMA:         arith.truncf %{{.*}} : f64 to f32
func.func @instructions(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.floor %0 : f32
  %2 = math.ceil %1 : f32
  %3 = math.roundeven %2 : f32
  %4 = math.absf %3 : f32
  %5 = math.fma %4, %x, %x : f32
  return %5 : f32
}

// -----

// Narrow floats are left to expand-casts, tensors and other functions to nobody.
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT:    math.exp %{{.*}} : bf16
// CHECK-NEXT:    math.exp %{{.*}} : tensor<4xf32>
// CHECK-NEXT:    math.atan %{{.*}} : f32
func.func @stays(%x: bf16, %t: tensor<4xf32>, %y: f32) -> (bf16, tensor<4xf32>, f32) {
  %0 = math.exp %x : bf16
  %1 = math.exp %t : tensor<4xf32>
  %2 = math.atan %y : f32
  return %0, %1, %2 : bf16, tensor<4xf32>, f32
}

// -----

// f64's exponent is narrowed; vectors are scaled by bits (the intrinsic takes one exponent), and so are scalars without the option.
// CHECK-LABEL: func.func @scaled(
// CHECK-NOT:     ldexp
// LDEXP-LABEL: func.func @scaled(
// LDEXP:         %[[N:.*]] = arith.trunci %{{.*}} : i64 to i32
// LDEXP:         llvm.intr.ldexp(%{{.*}}, %[[N]]) : (f64, i32) -> f64
// LDEXP-NOT:     ldexp
// LDEXP:         arith.shli %{{.*}} : vector<8xi32>
func.func @scaled(%x: f64, %v: vector<8xf32>) -> (f64, vector<8xf32>) {
  %0 = math.exp %x : f64
  %1 = math.exp2 %v : vector<8xf32>
  return %0, %1 : f64, vector<8xf32>
}

// -----

// On a GPU of NVIDIA's the licence makes one or two instructions of a function, element by element.
// CHECK-LABEL: func.func @approximate(
// CHECK-NOT:     call_intrinsic
// NVIDIA-LABEL: func.func @approximate(
// NVIDIA-SAME:    %[[X:[^:]*]]: f32
// NVIDIA:         %[[P:.*]] = arith.mulf %[[X]], %cst
// NVIDIA-NEXT:    llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[P]]) : (f32) -> f32
// NVIDIA-NEXT:    math.tanh %{{.*}} fastmath<afn> : f32
// NVIDIA-NEXT:    llvm.call_intrinsic "llvm.nvvm.div.full"(%[[X]], %{{.*}}) : (f32, f32) -> f32
// NVIDIA:         arith.divf %{{.*}}, %{{.*}} fastmath<afn> : f32
// NVIDIA-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%{{.*}}) : (f32) -> f32
// NVIDIA:         vector.from_elements
func.func @approximate(%x: f32, %v: vector<2xf32>) -> (f32, vector<2xf32>) {
  %0 = math.exp %x fastmath<afn> : f32
  %1 = math.tanh %0 fastmath<afn> : f32
  %2 = arith.divf %x, %1 fastmath<afn> : f32
  %one = arith.constant 1.0 : f32
  %3 = arith.divf %one, %2 fastmath<afn> : f32
  %4 = math.exp2 %v fastmath<afn> : vector<2xf32>
  return %3, %4 : f32, vector<2xf32>
}

// -----

// erf is the tanh of a polynomial.
// NVIDIA-LABEL: func.func @error_function(
// NVIDIA-NOT:     arith.select
// NVIDIA:         %[[ARGUMENT:.*]] = arith.mulf %arg0, %{{[0-9]+}} : f32
// NVIDIA-NEXT:    math.tanh %[[ARGUMENT]] fastmath<afn> : f32
// NVIDIA-NEXT:    return
func.func @error_function(%x: f32) -> f32 {
  %0 = math.erf %x fastmath<afn> : f32
  return %0 : f32
}

// -----

// The quotient that stands for a sigmoid is recognized; a divisor that is a constant becomes a factor, unless its reciprocal is subnormal.
// NVIDIA-LABEL: func.func @sigmoid(
// NVIDIA-SAME:    %[[X:[^:]*]]: f32
// NVIDIA:         %[[P:.*]] = arith.mulf %[[X]], %{{.*}} : f32
// NVIDIA:         %[[T:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[P]])
// NVIDIA:         %[[S:.*]] = arith.addf %[[T]], %{{.*}} : f32
// NVIDIA:         %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[S]])
// NVIDIA:         %[[Q:.*]] = arith.mulf %[[R]], %{{.*}} : f32
// NVIDIA:         llvm.call_intrinsic "llvm.nvvm.div.full"(%[[Q]], %{{.*}})
func.func @sigmoid(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %six = arith.constant 6.0 : f32
  %huge = arith.constant 2.0e38 : f32
  %m = math.absf %x : f32
  %n = arith.negf %m : f32
  %t = math.exp %n fastmath<afn> : f32
  %c = arith.cmpf oge, %x, %zero : f32
  %u = arith.select %c, %one, %t : f32
  %d = arith.addf %one, %t : f32
  %s = arith.divf %u, %d fastmath<afn> : f32
  %q = arith.divf %s, %six fastmath<afn> : f32
  %r = arith.divf %q, %huge fastmath<afn> : f32
  return %r : f32
}

// -----

// x sigmoid(x) is x / 2 + x / 2 tanh(x / 2), in either order.
// NVIDIA-LABEL: func.func @silu(
// NVIDIA-SAME:    %[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f32
// NVIDIA:         %[[H:.*]] = arith.mulf %[[X]], %{{.*}} : f32
// NVIDIA-NEXT:    %[[T:.*]] = math.tanh %[[H]] fastmath<afn> : f32
// NVIDIA-NEXT:    %[[P:.*]] = arith.mulf %[[H]], %[[T]] fastmath<contract> : f32
// NVIDIA-NEXT:    arith.addf %[[P]], %[[H]] fastmath<contract> : f32
// NVIDIA-NOT:     rcp.approx
// NVIDIA:         return
func.func @silu(%x: f32, %y: f32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = math.absf %x : f32
  %n = arith.negf %m : f32
  %t = math.exp %n fastmath<afn> : f32
  %c = arith.cmpf oge, %x, %zero : f32
  %u = arith.select %c, %one, %t : f32
  %d = arith.addf %one, %t : f32
  %s = arith.divf %u, %d fastmath<afn> : f32
  %r = arith.mulf %x, %s : f32
  %r2 = arith.mulf %s, %x : f32
  return %r, %r2 : f32, f32
}

// -----

// Not where the sigmoid has another use, is not an approximation, or meets another number.
// NVIDIA-LABEL: func.func @no_silu(
// NVIDIA-NOT:     math.tanh
// NVIDIA:         rcp.approx
// NVIDIA-NOT:     math.tanh
// NVIDIA:         rcp.approx
// NVIDIA-NOT:     math.tanh
// NVIDIA:         return
func.func @no_silu(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = math.absf %x : f32
  %n = arith.negf %m : f32
  %t = math.exp %n fastmath<afn> : f32
  %c = arith.cmpf oge, %x, %zero : f32
  %u = arith.select %c, %one, %t : f32
  %d = arith.addf %one, %t : f32
  %s = arith.divf %u, %d fastmath<afn> : f32
  %r = arith.mulf %x, %s : f32
  %s2 = arith.divf %u, %d fastmath<afn> : f32
  %r2 = arith.mulf %y, %s2 : f32
  %s3 = arith.divf %u, %d : f32
  %r3 = arith.mulf %x, %s3 : f32
  return %r, %s, %r2, %r3 : f32, f32, f32, f32
}

// -----

// k x (1 + erf(c x)) is max(2 k x, -0) less |x| 2^q, with one exponential. Here k is 1/2, and twice that no factor.
// NVIDIA-LABEL: func.func @gaussian(
// NVIDIA-SAME:    %[[X:[^:]*]]: f32
// NVIDIA:         %[[M:.*]] = math.absf %[[X]] : f32
// NVIDIA:         %[[A:.*]] = arith.minnumf %[[M]], %{{.*}} : f32
// NVIDIA:         arith.mulf %[[A]], %{{.*}} fastmath<contract> : f32
// NVIDIA-COUNT-4: arith.mulf %{{.*}}, %[[A]] fastmath<contract> : f32
// NVIDIA-NOT:     arith.mulf
// NVIDIA:         %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// NVIDIA-NEXT:    %[[N:.*]] = arith.negf %[[A]] : f32
// NVIDIA:         %[[R:.*]] = arith.maximumf %[[X]], %{{.*}} : f32
// NVIDIA-NEXT:    %[[P:.*]] = arith.mulf %[[N]], %[[E]] fastmath<contract> : f32
// NVIDIA-NEXT:    arith.addf %[[P]], %[[R]] fastmath<contract> : f32
// NVIDIA-NOT:     math.tanh
// NVIDIA:         return
func.func @gaussian(%x: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710677 : f32
  %h = arith.mulf %x, %half : f32
  %y = arith.mulf %x, %root : f32
  %e = math.erf %y fastmath<afn> : f32
  %s = arith.addf %e, %one : f32
  %r = arith.mulf %h, %s : f32
  return %r : f32
}

// -----

// Not where erf is exact or has another use, another number is added or multiplied, or a constant is negative.
// NVIDIA-LABEL: func.func @no_gaussian(
// NVIDIA-NOT:     minnumf
// NVIDIA:         return
func.func @no_gaussian(%x: f32, %z: f32) -> (f32, f32, f32, f32, f32, f32) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710677 : f32
  %negative = arith.constant -0.70710677 : f32
  %h = arith.mulf %x, %half : f32
  %y = arith.mulf %x, %root : f32
  %exact = math.erf %y : f32
  %s = arith.addf %exact, %one : f32
  %r = arith.mulf %h, %s : f32
  %e2 = math.erf %y fastmath<afn> : f32
  %s2 = arith.addf %e2, %one : f32
  %r2 = arith.mulf %h, %s2 : f32
  %e3 = math.erf %y fastmath<afn> : f32
  %s3 = arith.addf %e3, %half : f32
  %r3 = arith.mulf %h, %s3 : f32
  %e4 = math.erf %y fastmath<afn> : f32
  %s4 = arith.addf %e4, %one : f32
  %r4 = arith.mulf %z, %s4 : f32
  %y5 = arith.mulf %x, %negative : f32
  %e5 = math.erf %y5 fastmath<afn> : f32
  %s5 = arith.addf %e5, %one : f32
  %r5 = arith.mulf %h, %s5 : f32
  return %r, %r2, %e2, %r3, %r4, %r5 : f32, f32, f32, f32, f32, f32
}

// -----

// A quotient that only looks like one is none: the other comparison, another number.
// NVIDIA-LABEL: func.func @no_sigmoid(
// NVIDIA-NOT:     rcp.approx
// NVIDIA:         llvm.call_intrinsic "llvm.nvvm.div.full"
// NVIDIA-NOT:     rcp.approx
// NVIDIA:         llvm.call_intrinsic "llvm.nvvm.div.full"
// NVIDIA-NOT:     rcp.approx
// NVIDIA:         return
func.func @no_sigmoid(%x: f32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %m = math.absf %x : f32
  %n = arith.negf %m : f32
  %t = math.exp %n fastmath<afn> : f32
  %d = arith.addf %one, %t : f32
  %c = arith.cmpf olt, %x, %zero : f32
  %u = arith.select %c, %one, %t : f32
  %s = arith.divf %u, %d fastmath<afn> : f32
  %c2 = arith.cmpf oge, %x, %zero : f32
  %u2 = arith.select %c2, %two, %t : f32
  %s2 = arith.divf %u2, %d fastmath<afn> : f32
  return %s, %s2 : f32, f32
}

// -----

// Four quotients by one divisor, or more, are made of its reciprocal, if all are of ordinary size.
// CHECK-LABEL: func.func @shared_divisor(
// CHECK-COUNT-4: arith.divf
// NVIDIA-LABEL: func.func @shared_divisor(
// NVIDIA-SAME:    %[[A:[^:]*]]: f32, %[[B:[^:]*]]: f32
// NVIDIA:         %[[Y:.*]] = arith.divf %{{.*}}, %[[B]] : f32
// NVIDIA:         scf.if %{{.*}} -> (f32, f32, f32, f32) {
// NVIDIA-NEXT:      %[[Q:.*]] = arith.mulf %[[A]], %[[Y]] : f32
// NVIDIA-NEXT:      %[[N:.*]] = arith.negf %[[Q]] : f32
// NVIDIA-NEXT:      %[[R:.*]] = math.fma %[[N]], %[[B]], %[[A]] : f32
// NVIDIA-NEXT:      math.fma %[[R]], %[[Y]], %[[Q]] : f32
// NVIDIA-NOT:       arith.divf
// NVIDIA:         } else {
// NVIDIA-COUNT-4:   arith.divf
// NVIDIA-NOT:     arith.divf
// NVIDIA:         return
func.func @shared_divisor(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32) -> (f32, f32, f32, f32) {
  %0 = arith.divf %a, %b : f32
  %1 = arith.divf %c, %b : f32
  %2 = arith.divf %d, %b : f32
  %3 = arith.divf %e, %b : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// -----

// By a power of two they are products as they are.
// NVIDIA-LABEL: func.func @power_of_two(
// NVIDIA-NOT:     scf.if
// NVIDIA-COUNT-4: arith.divf
func.func @power_of_two(%a: f32, %c: f32, %d: f32, %e: f32) -> (f32, f32, f32, f32) {
  %b = arith.constant 1024.0 : f32
  %0 = arith.divf %a, %b : f32
  %1 = arith.divf %c, %b : f32
  %2 = arith.divf %d, %b : f32
  %3 = arith.divf %e, %b : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// -----

// Three are too few; one that is used before the last would have to wait.
// NVIDIA-LABEL: func.func @few_or_used_early(
// NVIDIA-NOT:     scf.if
// NVIDIA:         return
func.func @few_or_used_early(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32) -> (f32, f32, f32, f32, f32) {
  %0 = arith.divf %a, %c : f32
  %1 = arith.divf %b, %c : f32
  %2 = arith.divf %d, %c : f32
  %3 = arith.divf %a, %e : f32
  %4 = arith.divf %b, %e : f32
  %5 = arith.divf %c, %e : f32
  %6 = arith.addf %5, %a : f32
  %7 = arith.divf %6, %e : f32
  %8 = arith.addf %3, %4 : f32
  return %0, %1, %2, %7, %8 : f32, f32, f32, f32, f32
}

// -----

// Without it, and on f64 always, only rsqrt has an instruction that is good enough: for f32.
// NVIDIA-LABEL: func.func @exact(
// NVIDIA-NOT:     approx
// NVIDIA:         llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
// NVIDIA-NOT:     call_intrinsic
// NVIDIA:         return
func.func @exact(%x: f32, %y: f64) -> (f32, f32, f32, f64, f64) {
  %0 = math.exp %x : f32
  %1 = arith.divf %x, %0 : f32
  %2 = math.rsqrt %1 : f32
  %3 = math.exp %y fastmath<afn> : f64
  %4 = math.rsqrt %y : f64
  return %0, %1, %2, %3, %4 : f32, f32, f32, f64, f64
}

// -----

// Small angles are reduced in f32, large ones in f64, in a branch; vectors and f64 go the way of all processors.
// NVIDIA-LABEL: func.func @angles(
// NVIDIA:         %[[SMALL:.*]] = arith.cmpf olt, %{{.*}}, %cst{{.*}} : f32
// NVIDIA:         scf.if %[[SMALL]] -> (f32) {
// NVIDIA-NOT:     f64
// NVIDIA:         } else {
// NVIDIA:         arith.extf %{{.*}} : f32 to f64
// NVIDIA:         }
// NVIDIA-NOT:     scf.if
// NVIDIA:         return
func.func @angles(%x: f32, %v: vector<2xf32>, %y: f64) -> (f32, vector<2xf32>, f64) {
  %0 = math.sin %x : f32
  %1 = math.cos %v : vector<2xf32>
  %2 = math.sin %y : f64
  return %0, %1, %2 : f32, vector<2xf32>, f64
}

// -----

// gelu's slope, as the standard library has it, is one exponential: of the argument before it was held between -8 and 8.
// NVIDIA-LABEL: func.func @gelu_slope(
// NVIDIA-SAME:    %[[X:.*]]: f32)
// NVIDIA:         %[[SIZE:.*]] = math.absf %[[X]] : f32
// NVIDIA:         %[[HELD:.*]] = arith.minimumf %[[SIZE]], %{{.*}} : f32
// NVIDIA:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// NVIDIA-NOT:     llvm.call_intrinsic
// NVIDIA-NOT:     arith.divf
// NVIDIA:         return
func.func @gelu_slope(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %low = arith.constant -8.0 : f32
  %high = arith.constant 8.0 : f32
  %a = arith.constant 1.5957691216057308 : f32
  %b = arith.constant 0.07135481627260025 : f32
  %b3 = arith.constant 0.21406444881780075 : f32
  %c0 = arith.maximumf %x, %low : f32
  %c = arith.minimumf %c0, %high : f32
  %q0 = arith.mulf %c, %b : f32
  %q1 = arith.mulf %q0, %c : f32
  %q2 = arith.addf %q1, %a : f32
  %argument = arith.mulf %c, %q2 : f32
  %size = math.absf %argument : f32
  %negated = arith.negf %size : f32
  %e = math.exp %negated fastmath<afn> : f32
  %isPositive = arith.cmpf oge, %argument, %zero : f32
  %numerator = arith.select %isPositive, %one, %e : f32
  %denominator = arith.addf %e, %one : f32
  %s = arith.divf %numerator, %denominator fastmath<afn> : f32
  %t = arith.mulf %c, %s : f32
  %ts = arith.mulf %t, %s : f32
  %difference = arith.subf %t, %ts : f32
  %p0 = arith.mulf %c, %b3 : f32
  %p1 = arith.mulf %p0, %c : f32
  %p2 = arith.addf %p1, %a : f32
  %product = arith.mulf %difference, %p2 : f32
  %slope = arith.addf %s, %product : f32
  return %slope : f32
}

// -----

// gelu_erf's slope, as the compiler makes it, is one exponential, too.
// NVIDIA-LABEL: func.func @gelu_erf_slope(
// NVIDIA-SAME:    %[[X:.*]]: f32)
// NVIDIA:         math.absf %[[X]] : f32
// NVIDIA:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// NVIDIA:         return
func.func @gelu_erf_slope(%x: f32) -> f32 {
  %root = arith.constant 0.7071067811865476 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %k = arith.constant 1.1283791670955126 : f32
  %scaled = arith.mulf %x, %root : f32
  %e = math.erf %scaled fastmath<afn> : f32
  %sum = arith.addf %e, %one : f32
  %left = arith.mulf %sum, %half : f32
  %h = arith.mulf %x, %half : f32
  %square = arith.mulf %scaled, %scaled : f32
  %negated = arith.negf %square : f32
  %power = math.exp %negated fastmath<afn> : f32
  %p0 = arith.mulf %power, %k : f32
  %p1 = arith.mulf %p0, %root : f32
  %right = arith.mulf %h, %p1 : f32
  %slope = arith.addf %left, %right : f32
  return %slope : f32
}

// -----

// What a sigmoid's slope is made of is one multiplication and subtraction.
// NVIDIA-LABEL: func.func @sigmoid_slope(
// NVIDIA:         %[[S:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// NVIDIA-NEXT:    %[[MINUS:.*]] = arith.negf %[[S]]
// NVIDIA-NEXT:    %[[SQUARE:.*]] = arith.mulf %[[MINUS]], %[[S]] fastmath<contract>
// NVIDIA-NEXT:    %[[SLOPE:.*]] = arith.addf %[[SQUARE]], %[[S]] fastmath<contract>
// NVIDIA-NEXT:    return %[[SLOPE]]
func.func @sigmoid_slope(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %size = math.absf %x : f32
  %negated = arith.negf %size : f32
  %e = math.exp %negated fastmath<afn> : f32
  %isPositive = arith.cmpf oge, %x, %zero : f32
  %numerator = arith.select %isPositive, %one, %e : f32
  %denominator = arith.addf %e, %one : f32
  %s = arith.divf %numerator, %denominator fastmath<afn> : f32
  %rest = arith.subf %one, %s : f32
  %slope = arith.mulf %s, %rest : f32
  return %slope : f32
}
