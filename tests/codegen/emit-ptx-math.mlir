// What a GPU computes by an instruction is one.
// RUN: tile-opt --emit-ptx=sm_80 %s | FileCheck %s

// CHECK: .entry exponential(
// CHECK: mul.rn.f32 [[P:%r[0-9]+]], %{{.*}}, 0f3FB8AA3B;
// CHECK-NEXT: ex2.approx.ftz.f32 %{{.*}}, [[P]];
llvm.func @exponential(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.load %p : !llvm.ptr<1> -> f32
  %r = math.exp %a fastmath<afn> : f32
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
}

// CHECK: .entry instructions(
// CHECK: sqrt.rn.f32
// CHECK: sqrt.approx.f32
// CHECK: rsqrt.approx.f32
// CHECK: tanh.approx.f32
// CHECK: rcp.rn.f32
// CHECK: rcp.approx.f32
// CHECK: div.rn.f32
// CHECK: div.full.f32
// CHECK: fma.rn.f32
// CHECK-DAG: cvt.rmi.f32.f32
// CHECK-DAG: cvt.rni.f32.f32
llvm.func @instructions(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %one = arith.constant 1.0 : f32
  %a = llvm.load %p : !llvm.ptr<1> -> f32
  %0 = math.sqrt %a : f32
  %1 = math.sqrt %0 fastmath<afn> : f32
  %2 = math.rsqrt %1 : f32
  %3 = math.tanh %2 fastmath<afn> : f32
  %4 = arith.divf %one, %3 : f32
  %5 = arith.divf %one, %4 fastmath<afn> : f32
  %6 = arith.divf %a, %5 : f32
  %7 = arith.divf %a, %6 fastmath<afn> : f32
  %8 = math.fma %7, %a, %a : f32
  %9 = math.floor %8 : f32
  %10 = math.roundeven %8 : f32
  %11 = arith.subf %9, %10 : f32
  llvm.store %11, %p : f32, !llvm.ptr<1>
  llvm.return
}

// NaN wins.
// CHECK: .entry extremes(
// CHECK: min.NaN.f32
// CHECK: max.NaN.f32
llvm.func @extremes(%p: !llvm.ptr<1>, %x: f32, %y: f32) attributes {nvvm.kernel} {
  %0 = arith.minimumf %x, %y : f32
  %1 = arith.maximumf %0, %x : f32
  llvm.store %1, %p : f32, !llvm.ptr<1>
  llvm.return
}

// Pairs are computed element by element.
// CHECK: .entry pairs(
// CHECK-COUNT-2: tanh.approx.f32
// CHECK-COUNT-2: ex2.approx.ftz.f32
// CHECK: cvt.rn.f16x2.f32
llvm.func @pairs(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.load %p : !llvm.ptr<1> -> vector<2xf32>
  %0 = math.tanh %a fastmath<afn> : vector<2xf32>
  %1 = math.exp2 %0 fastmath<afn> : vector<2xf32>
  %r = arith.truncf %1 : vector<2xf32> to vector<2xf16>
  llvm.store %r, %p : vector<2xf16>, !llvm.ptr<1>
  llvm.return
}

// The exponential without the licence: bounds by one instruction each, no division, no branch.
// CHECK: .entry exact(
// CHECK: max.NaN.f32
// CHECK-NEXT: min.NaN.f32
// CHECK-NOT: setp
// CHECK-NOT: div
// CHECK: ret;
llvm.func @exact(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %r = math.exp %x : f32
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
}
