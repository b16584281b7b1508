// The code of one thread: scalar operations of many dialects, down to PTX.
// RUN: tile-opt %s --gpu-to-llvm=target=sm_90a | FileCheck %s --check-prefix=LLVM
// RUN: tile-opt --emit-ptx=sm_90a %s | FileCheck %s --check-prefixes=PTX,SM90
// RUN: tile-opt --emit-ptx=sm_80 %s | FileCheck %s --check-prefixes=PTX,SM80

// LLVM-NOT: arith.
// LLVM-NOT: scf.
// LLVM-NOT: tile.
// LLVM-NOT: unrealized

// SM90: .version 8.0
// SM80: .version 7.0
// No `, debug`: ptxas would ignore setmaxnreg.
// SM90: .target sm_90a{{$}}
// SM80: .target sm_80{{$}}
// PTX: .visible .entry scale(
// PTX: .param .align 8 .b8 scale_param_0[80]
// PTX: .reqntid 128
// The slots are read from the parameter's own space, without a copy.
// PTX-NOT: local
// PTX: ld.param.b64
// PTX: .loc [[$FILE:[0-9]+]] 12 3
// PTX: ld.global.b32
// PTX: fma.rn.f32
// PTX: st.global.b32

#here = loc("scale.tile":12:3)
llvm.func @scale(%slots: !llvm.ptr {llvm.byval = !llvm.array<10 x i64>, nvvm.grid_constant, llvm.align = 8 : i64})
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  %x_slot = llvm.getelementptr inbounds %slots[6] : (!llvm.ptr) -> !llvm.ptr, i64
  %y_slot = llvm.getelementptr inbounds %slots[7] : (!llvm.ptr) -> !llvm.ptr, i64
  %n_slot = llvm.getelementptr inbounds %slots[8] : (!llvm.ptr) -> !llvm.ptr, i64
  %x_address = llvm.load %x_slot : !llvm.ptr -> i64
  %y_address = llvm.load %y_slot : !llvm.ptr -> i64
  %n = llvm.load %n_slot : !llvm.ptr -> i64
  %x = llvm.inttoptr %x_address : i64 to !llvm.ptr<1>
  %y = llvm.inttoptr %y_address : i64 to !llvm.ptr<1>
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %c128 = arith.constant 128 : i64
  %c4 = arith.constant 4 : i64
  %c1 = arith.constant 1 : i64
  %t = arith.extui %thread : i32 to i64
  %b = arith.extui %block : i32 to i64
  %first = arith.muli %b, %c128 : i64
  %i = arith.addi %first, %t : i64
  %quarter = tile.floor_div %n, %c4 : i64
  scf.for %j = %i to %n step %quarter : i64 {
    %in_range = arith.cmpi slt, %j, %n : i64
    scf.if %in_range {
      %p = llvm.getelementptr %x[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %q = llvm.getelementptr %y[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %a = llvm.load %p : !llvm.ptr<1> -> f32 loc(#here)
      %c2 = arith.constant 2.0 : f32
      %m = arith.mulf %a, %c2 fastmath<contract> : f32 loc(#here)
      %v = arith.addf %m, %a fastmath<contract> : f32 loc(#here)
      %e = math.exp %v : f32 loc(#here)
      llvm.store %e, %q : f32, !llvm.ptr<1> loc(#here)
    }
  }
  llvm.return
} loc(#here)

// Pairs, narrow floats, control flow of cf. The loop is not unrolled: the schedule has done what pays.
// PTX: .visible .entry pairs(
// PTX: bar.sync 0;
// PTX-NOT: bar.sync
// PTX: cvt.rn.bf16x2.f32
// PTX-NOT: bar.sync
// PTX: ret;
// PTX: .file [[$FILE]] "scale.tile"
llvm.func @pairs(%slots: !llvm.ptr {llvm.byval = !llvm.array<10 x i64>, nvvm.grid_constant, llvm.align = 8 : i64})
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %slot = llvm.getelementptr inbounds %slots[6] : (!llvm.ptr) -> !llvm.ptr, i64
  %address = llvm.load %slot : !llvm.ptr -> i64
  %p = llvm.inttoptr %address : i64 to !llvm.ptr<1>
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  %one = arith.constant 1 : index
  cf.br ^loop(%zero : index)
^loop(%i: index):
  %more = arith.cmpi ult, %i, %ten : index
  cf.cond_br %more, ^body, ^end
^body:
  nvvm.barrier0
  %k = arith.index_cast %i : index to i64
  %q = llvm.getelementptr %p[%k] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<2xf32>
  %v = llvm.load %q : !llvm.ptr<1> -> vector<2xf32>
  %w = llvm.fptrunc %v : vector<2xf32> to vector<2xbf16>
  llvm.store %w, %q : vector<2xbf16>, !llvm.ptr<1>
  %next = arith.addi %i, %one : index
  cf.br ^loop(%next : index)
^end:
  llvm.return
}
