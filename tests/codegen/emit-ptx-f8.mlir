// The PTX version is the lowest that the target and the instructions need: products of f8 came with 8.4.
// ARCHITECTURES: sm_89 sm_90a sm_100a sm_120a
// RUN: tile-opt --emit-ptx=sm_89 %s | FileCheck %s
// RUN: not tile-opt --emit-ptx=sm_80 %s 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: .version 8.4
// CHECK: .target sm_89
// CHECK: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
// REFUSED: sm_80 has no instruction for `llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32`, which `k` ({{.*}}) uses
llvm.func @k(%p: !llvm.ptr<1>, %a: i32, %c: f32) attributes {nvvm.kernel} {
  %d = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32"(%a, %a, %a, %a, %a, %a, %c, %c, %c, %c) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %d0, %p : f32, !llvm.ptr<1>
  llvm.return
}
