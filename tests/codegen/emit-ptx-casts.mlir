// Conversions are the GPU's own where it has them.
// RUN: tile-opt --emit-ptx=sm_90a %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tile-opt --emit-ptx=sm_80 %s | FileCheck %s --check-prefixes=CHECK,SM80

// CHECK: .entry narrow(
// CHECK-DAG: cvt.rn.bf16.f32
// CHECK-DAG: cvt.rn.f16.f32
// CHECK-DAG: cvt.rn.f16.f64
// CHECK-DAG: cvt.rn.f16.s32
llvm.func @narrow(%p: !llvm.ptr<1>, %x: f32, %y: f64, %i: i32) attributes {nvvm.kernel} {
  %0 = tile.cast %x : f32 -> bf16
  %1 = tile.cast %x : f32 -> f16
  %2 = tile.cast %y : f64 -> f16
  %3 = tile.cast %i : i32 -> f16
  llvm.store volatile %0, %p : bf16, !llvm.ptr<1>
  llvm.store volatile %1, %p : f16, !llvm.ptr<1>
  llvm.store volatile %2, %p : f16, !llvm.ptr<1>
  llvm.store volatile %3, %p : f16, !llvm.ptr<1>
  llvm.return
}

// Pairs take one instruction. sm_80 has none for f8.
// CHECK: .entry pairs(
// CHECK-DAG: cvt.rn.bf16x2.f32
// CHECK-DAG: cvt.rn.f16x2.f32
// SM90-DAG: cvt.rn.satfinite.e4m3x2.f32
// SM90-DAG: cvt.rn.f16x2.e5m2x2
// SM80-NOT: e4m3
// CHECK: ret;
llvm.func @pairs(%p: !llvm.ptr<1>, %x: f32, %y: f32, %f: i16) attributes {nvvm.kernel} {
  %v = vector.from_elements %x, %y : vector<2xf32>
  %0 = tile.cast %v : vector<2xf32> -> vector<2xbf16>
  %1 = tile.cast %v : vector<2xf32> -> vector<2xf16>
  %2 = tile.cast %v : vector<2xf32> -> vector<2xf8E4M3FN>
  %codes = arith.bitcast %2 : vector<2xf8E4M3FN> to vector<2xi8>
  %bytes = llvm.bitcast %f : i16 to vector<2xi8>
  %w = arith.bitcast %bytes : vector<2xi8> to vector<2xf8E5M2>
  %3 = tile.cast %w : vector<2xf8E5M2> -> vector<2xf32>
  llvm.store volatile %0, %p : vector<2xbf16>, !llvm.ptr<1>
  llvm.store volatile %1, %p : vector<2xf16>, !llvm.ptr<1>
  llvm.store volatile %codes, %p : vector<2xi8>, !llvm.ptr<1>
  llvm.store volatile %3, %p : vector<2xf32>, !llvm.ptr<1>
  llvm.return
}

// One instruction saturates; NaN needs a second only from f64 and to i64.
// CHECK: .entry integers(
// CHECK: cvt.rzi.s32.f32
// CHECK-NOT: setp.nan
// CHECK: cvt.rzi.s64.f32
// CHECK-DAG: setp.nan.f32
// CHECK-DAG: selp
// CHECK: ret;
llvm.func @integers(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  %0 = tile.cast %x : f32 -> i32
  %1 = tile.cast %x : f32 -> i64
  llvm.store volatile %0, %p : i32, !llvm.ptr<1>
  llvm.store volatile %1, %p : i64, !llvm.ptr<1>
  llvm.return
}

// Philox needs no product of 64 bits.
// CHECK: .entry random(
// CHECK-NOT: mul.lo.s64
// CHECK: mul.hi.u32
// CHECK-NOT: mul.lo.s64
// CHECK: ret;
llvm.func @random(%p: !llvm.ptr<1>, %seed: i64, %n: i64) attributes {nvvm.kernel} {
  %0 = tile.random_bits %seed, %n : i64 -> i32
  llvm.store %0, %p : i32, !llvm.ptr<1>
  llvm.return
}
