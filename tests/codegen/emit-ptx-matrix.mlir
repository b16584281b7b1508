// Instructions that a warp executes together, from sm_80 on.
// RUN: tile-opt --emit-ptx=sm_80 %s | FileCheck %s

// CHECK: .version 7.0
// CHECK: .extern .shared .align 1024 .b8 smem[];

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK: .entry product(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 0;
// CHECK: bar.sync
// CHECK: $L__BB{{[0-9_]+}}:
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
// CHECK: bra
// CHECK: shfl.sync.bfly.b32
// CHECK: redux.sync.add.s32
llvm.func @product(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %steps: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %lane = nvvm.read.ptx.sreg.tid.x : i32
  %p = llvm.getelementptr %x[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
  %s = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
  nvvm.cp.async.shared.global %s, %p, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  nvvm.barrier0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %f0 = arith.constant 0.0 : f32
  %sums:4 = scf.for %i = %zero to %steps step %one iter_args(%c0 = %f0, %c1 = %f0, %c2 = %f0, %c3 = %f0) -> (f32, f32, f32, f32) : i32 {
    %a = nvvm.ldmatrix %s {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %a0 = llvm.extractvalue %a[0] : !llvm.struct<(i32, i32, i32, i32)>
    %a1 = llvm.extractvalue %a[1] : !llvm.struct<(i32, i32, i32, i32)>
    %a2 = llvm.extractvalue %a[2] : !llvm.struct<(i32, i32, i32, i32)>
    %a3 = llvm.extractvalue %a[3] : !llvm.struct<(i32, i32, i32, i32)>
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%a0, %a1] C[%c0, %c1, %c2, %c3] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    scf.yield %d0, %d1, %d2, %d3 : f32, f32, f32, f32
  }
  %all = arith.constant -1 : i32
  %c31 = arith.constant 31 : i32
  %c16 = arith.constant 16 : i32
  %other = nvvm.shfl.sync bfly %all, %sums#0, %c16, %c31 : f32 -> f32
  %sum = arith.addf %sums#0, %other : f32
  %bits = arith.bitcast %sum : f32 to i32
  %total = nvvm.redux.sync add %bits, %all : i32 -> i32
  %q = llvm.getelementptr %y[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %total, %q : i32, !llvm.ptr<1>
  llvm.return
}
