// What a GPU has no instruction for is a message, not the end of the process.
// RUN: split-file %s %t
// RUN: not tile-opt --emit-ptx=sm_90a %t/sin.mlir 2>&1 | FileCheck %s --check-prefix=SIN
// RUN: not tile-opt --emit-ptx=sm_90a %t/library.mlir 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: tile-opt --emit-ptx=sm_90a %t/external.mlir | FileCheck %s --check-prefix=EXTERNAL
// RUN: not tile-opt --emit-ptx=sm_90a %t/remainder.mlir 2>&1 | FileCheck %s --check-prefix=REMAINDER
// RUN: not tile-opt --emit-ptx=sm_80 %t/registers.mlir 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: tile-opt --emit-ptx=sm_90a %t/registers.mlir | FileCheck %s --check-prefix=TAKEN
// RUN: not tile-opt --emit-ptx=sm_100a %t/wgmma.mlir 2>&1 | FileCheck %s --check-prefix=WGMMA
// RUN: not tile-opt --emit-ptx=sm_75 %t/sin.mlir 2>&1 | FileCheck %s --check-prefix=TARGET

// RUN: not tile-opt --emit-ptx=sm_89 %t/wait.mlir 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: not tile-opt --emit-ptx=sm_89 %t/expect.mlir 2>&1 | FileCheck %s --check-prefix=EXPECT

//--- sin.mlir
// SIN: tile-opt: the call of `llvm.sin.f64` in `k` (k.tile:3:5) has no instruction in PTX, and there is no library to call; it must be expanded before LLVM
// TARGET: tile-opt: unknown target `sm_75`; expected one of sm_80, sm_86, sm_87, sm_89, sm_90a, sm_100a, sm_120a
#here = loc("k.tile":3:5)
llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f64
  %y = llvm.intr.sin(%x) : (f64) -> f64 loc(#here)
  llvm.store %y, %p : f64, !llvm.ptr<1>
  llvm.return
} loc(#here)

//--- library.mlir
// LIBRARY: the call of `vprintf` in `k`
llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @k(%p: !llvm.ptr) attributes {nvvm.kernel} {
  %r = llvm.call @vprintf(%p, %p) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.return
}

//--- external.mlir
// What the runtime will put into the module may be called.
// EXTERNAL: .extern .func  (.param .b32 func_retval0) tw_cuda_hash
// EXTERNAL: call.uni (retval0), tw_cuda_hash, (param0);
llvm.func @tw_cuda_hash(i32) -> i32 attributes {passthrough = ["tilewright-external"]}
llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> i32
  %y = llvm.call @tw_cuda_hash(%x) : (i32) -> i32
  llvm.store %y, %p : i32, !llvm.ptr<1>
  llvm.return
}

//--- remainder.mlir
// REMAINDER: `frem` in `k`
llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.frem %x, %x : f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}

//--- registers.mlir
// REGISTERS: sm_80 has no instruction for `llvm.nvvm.setmaxnreg.inc.sync.aligned.u32`, which `k` ({{.*}}) uses
// TAKEN: setmaxnreg.inc.sync.aligned.u32 232;
llvm.func @k() attributes {nvvm.kernel} {
  nvvm.setmaxregister increase 232
  llvm.return
}

//--- wgmma.mlir
// WGMMA: sm_100a has no instruction for `llvm.nvvm.wgmma.commit_group.sync.aligned`, which `k` ({{.*}}) uses
llvm.func @k() attributes {nvvm.kernel} {
  nvvm.wgmma.commit.group.sync.aligned
  llvm.return
}

//--- wait.mlir
// WAIT: sm_89 has no instruction for `llvm.nvvm.mbarrier.try.wait.parity.{{.*}}`, which `k`
llvm.func @k(%bar: !llvm.ptr<3>, %phase: i32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %w = nvvm.mbarrier.try_wait %bar, %phase : !llvm.ptr<3>, i32 -> i1
  llvm.store %w, %p : i1, !llvm.ptr<1>
  llvm.return
}

//--- expect.mlir
// EXPECT: sm_89 has no instruction for `llvm.nvvm.mbarrier.arrive.expect.tx.{{.*}}`, which `k`
llvm.func @k(%bar: !llvm.ptr<3>, %bytes: i32) attributes {nvvm.kernel} {
  nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
  llvm.return
}
