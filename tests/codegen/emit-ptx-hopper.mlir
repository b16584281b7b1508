// What a Hopper kernel is made of: a copy of a tile that an mbarrier waits for, wgmma, a wait that yields the accumulators, stmatrix.
// ARCHITECTURES: sm_90a
// RUN: tile-opt --emit-ptx=sm_90a %s | FileCheck %s

// CHECK: .version 8.0
// CHECK: .target sm_90a{{$}}

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// The tensor map stays in the parameter's space.
// CHECK: .entry tile(
// CHECK: .param .align 64 .b8 tile_param_0[128]
// CHECK: .reqntid 128
// CHECK: .minnctapersm 1
// CHECK-NOT: .local
// CHECK: mbarrier.init.shared.b64
// CHECK: fence.mbarrier_init
// CHECK: mbarrier.arrive.expect_tx.shared.b64
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// The loop around try_wait is of branches; the instruction is convergent.
// CHECK: bar.sync 0;
// CHECK-NEXT: $L__BB[[LOOP:[0-9_]+]]:
// CHECK: mbarrier.try_wait.parity.shared.b64
// CHECK: bra $L__BB[[LOOP]];
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
// Nothing moved over the wait.
// CHECK: mul.rn.f32
// CHECK: stmatrix.sync.aligned.m8n8.x2.shared.b16
llvm.func @tile(%map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %scale: f32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %bar = llvm.getelementptr %smem[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bytes = arith.constant 16384 : i32
  %is_first = arith.cmpi eq, %thread, %zero : i32
  scf.if %is_first {
    nvvm.mbarrier.init %bar, %one : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
    %to = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %bar, box [%zero, %zero] : !llvm.ptr<7>, !llvm.ptr
  }
  nvvm.barrier0
  cf.br ^wait
^wait:
  %done = nvvm.mbarrier.try_wait %bar, %zero : !llvm.ptr<3>, i32 -> i1
  cf.cond_br %done, ^go, ^wait
^go:
  nvvm.wgmma.fence.aligned
  %descriptor = arith.constant 4611686293305294848 : i64
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
  %a = nvvm.wgmma.mma_async %descriptor, %descriptor, %u, <m = 64, n = 8, k = 16>, D [<f32>, <zero>], A [<bf16>, <one>, <row>], B [<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  %a0 = llvm.extractvalue %a[0] : !llvm.struct<(f32, f32, f32, f32)>
  %a1 = llvm.extractvalue %a[1] : !llvm.struct<(f32, f32, f32, f32)>
  %a2 = llvm.extractvalue %a[2] : !llvm.struct<(f32, f32, f32, f32)>
  %a3 = llvm.extractvalue %a[3] : !llvm.struct<(f32, f32, f32, f32)>
  %d = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3" %a0, %a1, %a2, %a3 : (f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
  %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
  %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
  %low = vector.from_elements %d0, %d1 : vector<2xf32>
  %high = vector.from_elements %d2, %d3 : vector<2xf32>
  %scales = vector.broadcast %scale : f32 to vector<2xf32>
  %low_scaled = arith.mulf %low, %scales : vector<2xf32>
  %high_scaled = arith.mulf %high, %scales : vector<2xf32>
  %low_half = tile.cast %low_scaled : vector<2xf32> -> vector<2xbf16>
  %high_half = tile.cast %high_scaled : vector<2xf32> -> vector<2xbf16>
  %m0 = llvm.bitcast %low_half : vector<2xbf16> to i32
  %m1 = llvm.bitcast %high_half : vector<2xbf16> to i32
  %row = llvm.getelementptr %smem[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
  nvvm.stmatrix %row, %m0, %m1 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
  llvm.return
}
