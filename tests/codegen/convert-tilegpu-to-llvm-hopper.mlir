// What the operations of the Hopper path become: roles, barriers in shared memory, tensor copies, wgmma.
// RUN: tile-opt %s -split-input-file -assign-layouts=capability=90 -cse -specialize-warps -cse -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<16x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x16xf32, #tile.axes<"i", "j">>
!n = tensor<64x16xbf16, #tile.axes<"i", "j">>

// Two groups and what feeds them: 384 threads, of which one block is on a multiprocessor. Tensor maps are parameters behind the slots, in the
// order of their operations. Whatever depends on the warp comes by a shuffle, which says that it is one for all lanes.
// CHECK:       tilewright.resident_blocks = 1 : i64, tilewright.shared_bytes = 53280 : i64
// CHECK-SAME:  tilewright.tensor_maps = [{box = array<i64: 16, 16>, order = array<i64: 1, 0>, swizzle = 32 : i64, tf32 = false, view = "y"},
// CHECK-SAME:    {box = array<i64: 64, 64>, order = array<i64: 1, 0>, swizzle = 128 : i64, tf32 = false, view = "x"},
// CHECK-SAME:    {box = array<i64: 64, 16>, order = array<i64: 1, 0>, swizzle = 128 : i64, tf32 = false, view = "w"}], tilewright.threads = 384 : i64
// CHECK-LABEL: llvm.func @ping_pong(
// CHECK-SAME:    %arg1: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    %arg2: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    %arg3: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    attributes {nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384, 1, 1>}
// CHECK:         %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
// CHECK:         %[[LANE:.+]] = arith.andi %[[THREAD]], %c31_i32
// CHECK-NEXT:    %[[WARPS:.+]] = arith.shrui %[[THREAD]], %c5_i32
// CHECK-NEXT:    %[[OWN:.+]] = arith.andi %[[THREAD]], %c127_i32
// CHECK-NEXT:    %[[FOURTH:.+]] = arith.andi %[[WARPS]], %c3_i32
// CHECK-NEXT:    %[[WARP:.+]] = nvvm.shfl.sync idx %c-1_i32, %[[FOURTH]], %c0_i32, %c31_i32
// The thread that feeds, 256, fetches the tensor maps and initializes the barriers: 1 arrival, its own, and 1 for the warpgroup. Copies see it.
// Its warp does not wait for the others.
// CHECK:         %[[FEEDS:.+]] = arith.cmpi eq, %[[THREAD]], %c256_i32
// CHECK-NEXT:    nvvm.prefetch tensormap, %arg1, predicate = %[[FEEDS]]
// CHECK-COUNT-2: nvvm.prefetch tensormap
// CHECK:         %[[ROWS:.+]] = llvm.getelementptr %[[SHARED:.+]][32768]
// CHECK-NEXT:    %[[COLUMNS:.+]] = llvm.getelementptr %[[SHARED]][49152]
// CHECK-NEXT:    %[[FULL:.+]] = llvm.getelementptr %[[SHARED]][53248]
// CHECK-NEXT:    scf.if %[[FEEDS]] {
// CHECK-NEXT:      nvvm.mbarrier.init %[[FULL]], %c1_i32
// CHECK-NEXT:      %[[SECOND:.+]] = llvm.getelementptr %[[FULL]][8]
// CHECK-NEXT:      nvvm.mbarrier.init %[[SECOND]], %c1_i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[EMPTY:.+]] = llvm.getelementptr %[[SHARED]][53264]
// CHECK-NEXT:    scf.if %[[FEEDS]] {
// CHECK-COUNT-2:   nvvm.mbarrier.init %{{.+}}, %c1_i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[FEEDING:.+]] = arith.cmpi eq, %[[WARPS]], %c8_i32
// CHECK-NEXT:    scf.if %[[FEEDING]] {
// CHECK-NEXT:      nvvm.fence.mbarrier.init
// CHECK-NEXT:      nvvm.bar.warp.sync
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%c0_i32, %c384_i32)
// CHECK-NEXT:    } else {
// CHECK-NEXT:      nvvm.barrier id = %c0_i32 number_of_threads = %c384_i32
// CHECK-NEXT:    }
// Which group a thread is of.
// CHECK:         %[[HUNDREDS:.+]] = arith.divui %[[THREAD]], %c128_i32
// CHECK-NEXT:    %[[GROUP:.+]] = nvvm.shfl.sync idx %c-1_i32, %[[HUNDREDS]], %c0_i32, %c31_i32
// CHECK-NEXT:    %[[COMPUTES:.+]] = arith.cmpi ult, %[[GROUP]], %c2_i32
// CHECK-NEXT:    %[[BLOCKS:.+]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK-NEXT:    %[[STRIDE:.+]] = arith.extui %[[BLOCKS]]
// CHECK-NEXT:    scf.if %[[COMPUTES]] {
// Groups take registers. The last one passes the first turn, which nobody has before: barriers 8 and 9, of 256 threads.
// CHECK-NEXT:      nvvm.setmaxregister increase 232
// CHECK-NEXT:      %[[LAST:.+]] = arith.cmpi eq, %[[GROUP]], %c1_i32
// CHECK-NEXT:      scf.if %[[LAST]] {
// CHECK-NEXT:        %[[MINE:.+]] = arith.addi %[[GROUP]], %c8_i32
// CHECK-NEXT:        %[[THEIRS:.+]] = arith.subi %c17_i32, %[[MINE]]
// CHECK-NEXT:        llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%[[THEIRS]], %c256_i32)
// CHECK-NEXT:      }
// Group g: every second of the block's tiles from the g-th on; staging of its own.
// CHECK-NEXT:      %[[ORDINAL:.+]] = arith.extui %[[GROUP]]
// CHECK-NEXT:      %[[SKIPPED:.+]] = arith.muli %[[ORDINAL]], %[[STRIDE]]
// CHECK-NEXT:      %[[FROM:.+]] = arith.addi %{{.+}}, %[[SKIPPED]]
// CHECK-NEXT:      %[[TWICE:.+]] = arith.muli %[[STRIDE]], %c2_i64
// CHECK-NEXT:      %[[BYTES:.+]] = arith.muli %[[GROUP]], %c16384_i32
// CHECK-NEXT:      %[[STAGING:.+]] = llvm.getelementptr %[[SHARED]][%[[BYTES]]]
// What a tile's place is divided by does not change from tile to tile.
// CHECK-COUNT-2:   arith.divui %c-1_i32
// CHECK-NEXT:      llvm.getelementptr %arg0[2]
// CHECK-NEXT:      %[[TILES:.+]] = llvm.load
// CHECK-NEXT:      scf.for %[[TILE:.+]] = %[[FROM]] to %[[TILES]] step %[[TWICE]] iter_args(%[[COUNT:.+]] = %[[ORDINAL]])
// What is estimated of a quotient is it or one less.
// CHECK:             %{{.+}}, %[[ESTIMATE:.+]] = arith.mului_extended %[[NUMBER:.+]], %[[RECIPROCAL:.+]] : i32
// CHECK-NEXT:        %[[PRODUCT:.+]] = arith.muli %[[ESTIMATE]], %[[INGROUP:.+]] : i32
// CHECK-NEXT:        %[[LEFT:.+]] = arith.subi %[[NUMBER]], %[[PRODUCT]]
// CHECK-NEXT:        %[[ISLESS:.+]] = arith.cmpi uge, %[[LEFT]], %[[INGROUP]]
// CHECK-NEXT:        %[[MORE:.+]] = arith.addi %[[ESTIMATE]], %c1_i32
// CHECK-NEXT:        arith.select %[[ISLESS]], %[[MORE]], %[[ESTIMATE]]
// CHECK-NEXT:        %[[LESS:.+]] = arith.subi %[[LEFT]], %[[INGROUP]]
// CHECK-NEXT:        arith.select %[[ISLESS]], %[[LESS]], %[[LEFT]]
// CHECK-NOT:         arith.div
// CHECK:             %[[TURN:.+]] = arith.addi %[[GROUP]], %c8_i32
// CHECK-NEXT:        nvvm.barrier id = %[[TURN]] number_of_threads = %c256_i32
// Whether a stage is full is asked until it is.
// CHECK:             %[[BARRIER:.+]] = llvm.getelementptr %[[FULL]][%{{.+}}]
// CHECK-NEXT:        %[[PARITY:.+]] = arith.trunci
// CHECK-NEXT:        scf.while : () -> () {
// CHECK-NEXT:          %[[OVER:.+]] = nvvm.mbarrier.try_wait %[[BARRIER]], %[[PARITY]] : !llvm.ptr<3>, i32 -> i1
// CHECK-NEXT:          %[[AGAIN:.+]] = arith.xori %[[OVER]], %true
// CHECK-NEXT:          scf.condition(%[[AGAIN]])
// CHECK-NEXT:        } do {
// CHECK-NEXT:          scf.yield
// CHECK-NEXT:        }
// Descriptors: bits 4 to 17 of the address, 1,024 bytes between groups of eight rows, the swizzle of 128 bytes (2⁶² + 64 · 2³²). A step of 16 is
// 32 bytes, 2 in a descriptor. The first instruction starts from zero.
// CHECK:             %[[PLACE:.+]] = llvm.ptrtoint %{{.+}} : !llvm.ptr<3> to i32
// CHECK-NEXT:        %[[LOW:.+]] = arith.andi %[[PLACE]], %c262143_i32
// CHECK-NEXT:        %[[SIXTEENTHS:.+]] = arith.shrui %[[LOW]], %c4_i32
// CHECK-NEXT:        %[[WIDE:.+]] = arith.extui %[[SIXTEENTHS]]
// CHECK-NEXT:        %[[A:.+]] = arith.ori %[[WIDE]], %c4611686293305294848_i64
// CHECK:             %[[B:.+]] = arith.ori %{{.+}}, %c4611686293305294848_i64
// CHECK-NEXT:        %[[NONE:.+]] = llvm.mlir.undef
// CHECK-NEXT:        nvvm.wgmma.fence.aligned
// CHECK-NEXT:        %[[D0:.+]] = nvvm.wgmma.mma_async %[[A]], %[[B]], %[[NONE]], <m = 64, n = 16, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK-NEXT:        %[[A2:.+]] = arith.addi %[[A]], %c2_i64
// CHECK-NEXT:        %[[B2:.+]] = arith.addi %[[B]], %c2_i64
// CHECK-NEXT:        %[[D1:.+]] = nvvm.wgmma.mma_async %[[A2]], %[[B2]], %[[D0]], <m = 64, n = 16, k = 16>, D[<f32>, <one>]
// CHECK:             %[[D2:.+]] = nvvm.wgmma.mma_async %{{.+}}, %{{.+}}, %[[D1]]
// CHECK-NEXT:        %[[A6:.+]] = arith.addi %[[A]], %c6_i64
// CHECK-NEXT:        %[[B6:.+]] = arith.addi %[[B]], %c6_i64
// CHECK-NEXT:        %[[D3:.+]] = nvvm.wgmma.mma_async %[[A6]], %[[B6]], %[[D2]]
// CHECK-NEXT:        nvvm.wgmma.commit.group.sync.aligned
// The other steps: accumulators go in, eight to the thread. What is given back is the stage before; the warpgroup's first thread does it.
// CHECK:             %[[ALL:.+]]:11 = scf.for
// CHECK:               nvvm.mbarrier.try_wait
// CHECK-COUNT-8:       llvm.insertvalue
// CHECK-NEXT:          nvvm.wgmma.fence.aligned
// CHECK-NEXT:          nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK-COUNT-3:       nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK-NEXT:          nvvm.wgmma.commit.group.sync.aligned
// CHECK-COUNT-8:       llvm.extractvalue
// CHECK-NEXT:          nvvm.wgmma.wait.group.sync.aligned 1
// CHECK:               %[[BACK:.+]] = llvm.getelementptr %[[EMPTY]][%{{.+}}]
// CHECK-NEXT:          %[[FIRSTOFGROUP:.+]] = arith.cmpi eq, %[[OWN]], %c0_i32
// CHECK-NEXT:          scf.if %[[FIRSTOFGROUP]] {
// CHECK-NEXT:            nvvm.mbarrier.arrive %[[BACK]] : !llvm.ptr<3>
// CHECK-NEXT:          }
// The turn is the other group's as soon as all products are issued; the wait has the accumulators as operands and results.
// CHECK:             %[[OTHER:.+]] = arith.subi %c17_i32, %[[TURN]]
// CHECK-NEXT:        llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%[[OTHER]], %c256_i32)
// CHECK-NEXT:        %[[WAITED:.+]] = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7" %[[ALL]]#0, %[[ALL]]#1, %[[ALL]]#2, %[[ALL]]#3, %[[ALL]]#4, %[[ALL]]#5, %[[ALL]]#6, %[[ALL]]#7
// CHECK:             nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<3>
// The store. Two neighbours are one word, the first in its low half. One slice does not fill the two stages, so that the copy before has been read
// altogether. Rows of 32 bytes: the chunk of 16 is the other one in every second four rows. The warp's writes are made visible to its copy.
// CHECK:             %[[W0:.+]] = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%{{.+}}, %{{.+}}) : (f32, f32) -> vector<2xbf16>
// CHECK-NEXT:        llvm.bitcast %[[W0]] : vector<2xbf16> to i32
// CHECK-COUNT-3:     llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:             %[[LANE0:.+]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK-NEXT:        scf.if %[[LANE0]] {
// CHECK-NEXT:          nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT:        }
// CHECK-NEXT:        nvvm.bar.warp.sync %c-1_i32
// CHECK-NEXT:        %[[OFWARP:.+]] = arith.muli %[[WARP]], %c2048_i32
// CHECK-NEXT:        %[[REGION:.+]] = llvm.getelementptr %[[STAGING]][%[[OFWARP]]]
// CHECK-NEXT:        %[[ROW:.+]] = arith.andi %[[LANE]], %c15_i32
// CHECK-NEXT:        %[[HALF:.+]] = arith.shrui %[[LANE]], %c4_i32
// CHECK-NEXT:        %[[FOURS:.+]] = arith.shrui %[[ROW]], %c2_i32
// CHECK-NEXT:        %[[ODD:.+]] = arith.andi %[[FOURS]], %c1_i32
// CHECK-NEXT:        %[[ROWBYTES:.+]] = arith.muli %[[ROW]], %c32_i32
// CHECK-NEXT:        %[[ATROW:.+]] = llvm.getelementptr %[[REGION]][%[[ROWBYTES]]]
// CHECK-NEXT:        %[[CHUNK:.+]] = arith.xori %[[HALF]], %[[ODD]]
// CHECK-NEXT:        %[[CHUNKBYTES:.+]] = arith.muli %[[CHUNK]], %c16_i32
// CHECK-NEXT:        %[[AT:.+]] = llvm.getelementptr %[[ATROW]][%[[CHUNKBYTES]]]
// CHECK-NEXT:        nvvm.stmatrix %[[AT]], %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} {
// CHECK-NEXT:        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT:        nvvm.bar.warp.sync %c-1_i32
// CHECK-NEXT:        scf.if %[[LANE0]] {
// CHECK:               nvvm.cp.async.bulk.tensor.global.shared.cta %arg1, %[[REGION]], box[%{{.+}}, %{{.+}}]
// CHECK-NEXT:          nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[NEXTCOUNT:.+]] = arith.addi %[[COUNT]], %c2_i64
// CHECK-NEXT:        scf.yield %[[NEXTCOUNT]]
// CHECK-NEXT:      }
// CHECK-NEXT:      nvvm.cp.async.bulk.wait_group 0 {read}
// What feeds gives up registers; one thread of it does all, over every tile of the block. It waits for the stage, then announces both copies' bytes.
// CHECK-NEXT:    } else {
// CHECK-NEXT:      nvvm.setmaxregister decrease 40
// CHECK-NEXT:      scf.if %[[FEEDS]] {
// CHECK:             scf.for %{{.+}} = %{{.+}} to %{{.+}} step %[[STRIDE]] iter_args(%[[PRODUCED:.+]] = %c0_i64)
// What is the same in all steps of a tile stands before them.
// CHECK:               %[[EMPTYPARITY:.+]] = arith.xori %{{.+}}, %c1_i64
// CHECK-NEXT:          %[[I:.+]] = arith.trunci %{{.+}} : i64 to i32
// CHECK-NEXT:          %[[J:.+]] = arith.trunci %{{.+}} : i64 to i32
// CHECK-NEXT:          %{{.+}}:2 = scf.for %{{.+}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %[[EMPTYPARITY]])
// CHECK:                 %[[FREE:.+]] = llvm.getelementptr %[[EMPTY]][%[[STAGE:.+]]]
// CHECK:                 nvvm.mbarrier.try_wait %[[FREE]], %
// CHECK:                 %[[FILLED:.+]] = llvm.getelementptr %[[FULL]][%[[STAGE]]]
// CHECK-NEXT:            nvvm.mbarrier.arrive.expect_tx %[[FILLED]], %c10240_i32
// CHECK-NEXT:            %[[START:.+]] = arith.muli %{{.+}}, %c64_i64
// CHECK:                 %[[TOROWS:.+]] = llvm.getelementptr %[[ROWS]]
// CHECK-NEXT:            %[[K:.+]] = arith.trunci %[[START]]
// CHECK-NEXT:            %[[CLUSTER:.+]] = llvm.addrspacecast %[[TOROWS]] : !llvm.ptr<3> to !llvm.ptr<7>
// CHECK-NEXT:            nvvm.cp.async.bulk.tensor.shared.cluster.global %[[CLUSTER]], %arg2, %[[FILLED]], box[%[[K]], %[[I]]]
// CHECK:                 %[[TOCOLUMNS:.+]] = llvm.getelementptr %[[COLUMNS]]
// CHECK-NEXT:            %[[CLUSTER2:.+]] = llvm.addrspacecast %[[TOCOLUMNS]]
// CHECK-NEXT:            nvvm.cp.async.bulk.tensor.shared.cluster.global %[[CLUSTER2]], %arg3, %[[FILLED]], box[%[[K]], %[[J]]]
// CHECK:               %[[NEXTPRODUCED:.+]] = arith.addi %[[PRODUCED]], %c1_i64
// CHECK-NEXT:          scf.yield %[[NEXTPRODUCED]]
tile.kernel @ping_pong(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<16x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x16xf32, #tile.axes<"i", "j">>

// One group of two warpgroups. Each has 64 of the rows: its descriptor of the first operand is 8,192 bytes further. A stage is free when the first
// thread of each has given it back. There are no turns, and registers that are 0 stay as they are.
// CHECK-LABEL: llvm.func @cooperative(
// CHECK-SAME:    nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK-NOT:     nvvm.setmaxregister
// CHECK:         %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
// CHECK:         %[[OWN:.+]] = arith.andi %[[THREAD]], %c255_i32
// CHECK:         %[[WARP:.+]] = nvvm.shfl.sync
// CHECK:         %[[FEEDS:.+]] = arith.cmpi eq, %[[THREAD]], %c256_i32
// CHECK:         nvvm.mbarrier.init %{{.+}}, %c1_i32
// CHECK:         nvvm.mbarrier.init %{{.+}}, %c1_i32
// CHECK:         nvvm.mbarrier.init %{{.+}}, %c2_i32
// CHECK:         nvvm.mbarrier.init %{{.+}}, %c2_i32
// CHECK:         barrier.cta.arrive
// CHECK-NOT:     barrier.cta.arrive
// CHECK:         arith.divui %[[THREAD]], %c256_i32
// CHECK:         arith.cmpi ult, %{{.+}}, %c1_i32
// CHECK-NOT:     nvvm.barrier id
// CHECK:         %[[WARPGROUP:.+]] = arith.shrui %[[WARP]], %c2_i32
// CHECK-NEXT:    %[[PLACE:.+]] = llvm.ptrtoint
// CHECK-NEXT:    %[[FURTHER:.+]] = arith.muli %[[WARPGROUP]], %c8192_i32
// CHECK-NEXT:    %[[OWNROWS:.+]] = arith.addi %[[PLACE]], %[[FURTHER]]
// CHECK-NEXT:    arith.andi %[[OWNROWS]], %c262143_i32
// CHECK:         %[[COLUMNS:.+]] = llvm.ptrtoint
// CHECK-NEXT:    arith.andi %[[COLUMNS]], %c262143_i32
// CHECK:         nvvm.wgmma.mma_async {{.*}} <m = 64, n = 16, k = 16>
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 1
// CHECK:         %[[INWARPGROUP:.+]] = arith.andi %[[OWN]], %c127_i32
// CHECK-NEXT:    %[[FIRST:.+]] = arith.cmpi eq, %[[INWARPGROUP]], %c0_i32
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK-NEXT:      nvvm.mbarrier.arrive
// CHECK-NOT:     nvvm.barrier id
// CHECK:         scf.if %[[FEEDS]] {
// CHECK-NOT:     nvvm.setmaxregister
tile.kernel @cooperative(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 2, registers = [0, 0], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["K", "M"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["K", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 32>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<128x32xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x32xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x128xf32, #tile.axes<"i", "j">>

// Operands whose free axes are contiguous. Panels of 64 rows or columns are 32 · 128 bytes apart (256 in a descriptor, at bit 16), the second 64 rows
// are one panel further, a step of 16 is 16 rows of 128 bytes (128). The tensor copies of a tile are side by side in the view, and panels in the buffer.
// CHECK-LABEL: llvm.func @transposed(
// CHECK:         %[[A:.+]] = arith.ori %{{.+}}, %c4611686293322072064_i64
// CHECK:         %[[B:.+]] = arith.ori %{{.+}}, %c4611686293322072064_i64
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK-NEXT:    nvvm.wgmma.mma_async %[[A]], %[[B]], %[[NONE:.+]], <m = 64, n = 128, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK-NEXT:    %[[SECONDROWS:.+]] = arith.addi %[[A]], %c256_i64
// CHECK-NEXT:    nvvm.wgmma.mma_async %[[SECONDROWS]], %[[B]], %[[NONE]], <m = 64, n = 128, k = 16>, D[<f32>, <zero>]
// CHECK-NEXT:    %[[A16:.+]] = arith.addi %[[A]], %c128_i64
// CHECK-NEXT:    %[[B16:.+]] = arith.addi %[[B]], %c128_i64
// CHECK-NEXT:    nvvm.wgmma.mma_async %[[A16]], %[[B16]], %{{.+}}, D[<f32>, <one>]
// CHECK-NEXT:    %[[SECONDROWS16:.+]] = arith.addi %[[A]], %c384_i64
// CHECK-NEXT:    nvvm.wgmma.mma_async %[[SECONDROWS16]], %[[B16]], %{{.+}}, D[<f32>, <one>]
// CHECK-NEXT:    nvvm.wgmma.commit.group.sync.aligned
// CHECK:         nvvm.setmaxregister decrease
// CHECK:         %[[I64:.+]] = arith.addi %[[I:.+]], %c64_i32
// CHECK:         scf.for
// CHECK:         nvvm.mbarrier.arrive.expect_tx %[[FILLED:.+]], %c16384_i32
// CHECK:         %[[K:.+]] = arith.trunci
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg1, %[[FILLED]], box[%[[I]], %[[K]]]
// CHECK-NEXT:    %[[PANEL:.+]] = llvm.getelementptr %{{.+}}[4096]
// CHECK-NEXT:    %[[CLUSTER:.+]] = llvm.addrspacecast %[[PANEL]]
// CHECK-NEXT:    nvvm.cp.async.bulk.tensor.shared.cluster.global %[[CLUSTER]], %arg1, %[[FILLED]], box[%[[I64]], %[[K]]]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg2
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg2
tile.kernel @transposed(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%tk, %ti] spans(%i, %k) compare [false, false] : !x, (!k, !i), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tk, %tj] spans(%j, %k) compare [false, false] : !w, (!k, !j), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xf16, #tile.axes<"i", "k">>
!jk = tensor<16x64xf16, #tile.axes<"j", "k">>
!ij = tensor<128x16xf32, #tile.axes<"i", "j">>

// Two blocks of 64 rows for one warpgroup: the second 64 rows are 8,192 bytes further (512), steps of 16 are 2; each block has a chain of its own.
// CHECK-LABEL: llvm.func @blocks(
// CHECK:         %[[A:.+]] = arith.ori %{{.+}}, %c4611686293305294848_i64
// CHECK:         %[[B:.+]] = arith.ori %{{.+}}, %c4611686293305294848_i64
// CHECK:         %[[UPPER:.+]] = nvvm.wgmma.mma_async %[[A]], %[[B]], %{{.+}}, D[<f32>, <zero>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
// CHECK-NEXT:    %[[SECOND:.+]] = arith.addi %[[A]], %c512_i64
// CHECK-NEXT:    %[[LOWER:.+]] = nvvm.wgmma.mma_async %[[SECOND]], %[[B]], %{{.+}}, D[<f32>, <zero>]
// CHECK:         nvvm.wgmma.mma_async %{{.+}}, %{{.+}}, %[[UPPER]], <m = 64, n = 16, k = 16>, D[<f32>, <one>]
// CHECK-NEXT:    %[[SECOND2:.+]] = arith.addi %[[A]], %c514_i64
// CHECK-NEXT:    nvvm.wgmma.mma_async %[[SECOND2]], %{{.+}}, %[[LOWER]], <m = 64, n = 16, k = 16>, D[<f32>, <one>]
tile.kernel @blocks(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 128>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<64x128xbf16, #tile.axes<"i", "k">>
!jk = tensor<16x128xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x16xf32, #tile.axes<"i", "j">>

// Steps beyond a row of 128 bytes are in the next panel, 64 rows of 128 bytes further (512), or 16 (128).
// CHECK-LABEL: llvm.func @panels(
// CHECK:         %[[A:.+]] = arith.ori %{{.+}}, %c4611686293305294848_i64
// CHECK:         %[[B:.+]] = arith.ori %{{.+}}, %c4611686293305294848_i64
// CHECK:         %[[A6:.+]] = arith.addi %[[A]], %c6_i64
// CHECK-NEXT:    %[[B6:.+]] = arith.addi %[[B]], %c6_i64
// CHECK-NEXT:    nvvm.wgmma.mma_async %[[A6]], %[[B6]]
// CHECK-NEXT:    %[[A8:.+]] = arith.addi %[[A]], %c512_i64
// CHECK-NEXT:    %[[B8:.+]] = arith.addi %[[B]], %c128_i64
// CHECK-NEXT:    nvvm.wgmma.mma_async %[[A8]], %[[B8]]
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg1, %[[FILLED:.+]], box[%[[K:.+]], %[[I:[^ ]+]]]
// CHECK-NEXT:    llvm.getelementptr %{{.+}}[8192]
// CHECK-NEXT:    %[[K64:.+]] = arith.addi %[[K]], %c64_i32
// CHECK-NEXT:    llvm.addrspacecast
// CHECK-NEXT:    nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg1, %[[FILLED]], box[%[[K64]], %[[I]]]
tile.kernel @panels(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!jf = tensor<80xf32, #tile.axes<"j">>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 80>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<80xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<80x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x80xf32, #tile.axes<"i", "j">>
!n = tensor<64x80xbf16, #tile.axes<"i", "j">>

// A slice of 64 columns and one of 16. Each computes its elements, waits for its stage (the other one's copy may still be reading), and writes them
// together; nothing of the second is computed before the first is on its way. A bias of a column is read once for both of its rows.
// CHECK-LABEL: llvm.func @slices(
// CHECK:         %[[ALL:.+]] = llvm.inline_asm {{.*}} "wgmma.wait_group.sync.aligned 0;"
// CHECK:         nvvm.mbarrier.arrive
// CHECK-NOT:     arith.addf
// CHECK-COUNT-2: llvm.load {{.*}} !llvm.ptr<1> -> f32
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK-NEXT:    llvm.bitcast
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK-COUNT-28: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-NOT:     arith.addf
// CHECK:         %[[REGION:.+]] = llvm.getelementptr %[[STAGING:.+]][%[[OFWARP:.+]]] : (!llvm.ptr<3>, i32)
// CHECK-NEXT:    %[[ROW:.+]] = arith.andi %[[LANE:.+]], %c15_i32
// CHECK-NEXT:    %[[HALF:.+]] = arith.shrui %[[LANE]], %c4_i32
// CHECK-NEXT:    %[[TURN:.+]] = arith.andi %[[ROW]], %c7_i32
// CHECK-NEXT:    arith.muli %[[ROW]], %c128_i32
// CHECK:         arith.xori %[[HALF]], %[[TURN]]
// CHECK:         nvvm.stmatrix
// CHECK:         %[[HALF2:.+]] = arith.addi %[[HALF]], %c2_i32
// CHECK-NEXT:    arith.xori %[[HALF2]], %[[TURN]]
// CHECK-COUNT-3: nvvm.stmatrix
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %arg1, %[[REGION]], box[%[[J:.+]], %[[I:[^ ]+]]]
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
// CHECK-COUNT-8: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK:         %[[SECOND:.+]] = llvm.getelementptr %[[STAGING]][8192]
// CHECK-NEXT:    %[[REGION2:.+]] = llvm.getelementptr %[[SECOND]][%[[OFWARP]]]
// CHECK:         nvvm.stmatrix
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK:         %[[J64:.+]] = arith.addi %{{.+}}, %c64_i32
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %arg2, %[[REGION2]], box[%[[J64]], %{{.+}}]
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
tile.kernel @slices(%x: !x, %w: !w, %y: !y, %b: !b, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %bias = tile.load %b[%tj] spans(%j) compare [false] : !b, (!j), spans(!sj) -> !jf
      %all = tile.broadcast %bias : !jf -> !ij
      %a = arith.addf %sum, %all : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 48>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<48xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<48x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x48xf32, #tile.axes<"i", "j">>
!n = tensor<64x48xbf16, #tile.axes<"i", "j">>

// 48 columns that are left are one slice, with parts of 32 and 16, the second 1,024 bytes behind the first. In rows of 64 bytes two bits of the chunk
// turn every second row.
// CHECK-LABEL: llvm.func @last_slice(
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:         %[[REGION:.+]] = llvm.getelementptr %{{.+}}[%{{.+}}] : (!llvm.ptr<3>, i32)
// CHECK-NEXT:    %[[ROW:.+]] = arith.andi %{{.+}}, %c15_i32
// CHECK-NEXT:    %[[HALF:.+]] = arith.shrui %{{.+}}, %c4_i32
// CHECK-NEXT:    %[[TWOS:.+]] = arith.shrui %[[ROW]], %c1_i32
// CHECK-NEXT:    %[[TURN:.+]] = arith.andi %[[TWOS]], %c3_i32
// CHECK-NEXT:    arith.muli %[[ROW]], %c64_i32
// CHECK-COUNT-2: nvvm.stmatrix
// CHECK-NEXT:    %[[BEHIND:.+]] = llvm.getelementptr %[[REGION]][1024]
// CHECK:         nvvm.stmatrix
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %arg1, %[[REGION]], box[%{{.+}}, %{{.+}}]
// CHECK:         %[[NEXT:.+]] = arith.addi %{{.+}}, %c32_i32
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %arg2, %{{.+}}, box[%[[NEXT]], %{{.+}}]
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
tile.kernel @last_slice(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = i8, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xi8, #tile.axes<"i", "j">>

// Scratch memory of a group is its own, and so are its barriers: 1 and 2, of 128 threads.
// CHECK-LABEL: llvm.func @scratch(
// CHECK:         "wgmma.wait_group.sync.aligned 0;"
// CHECK:         %[[BARRIER:.+]] = arith.addi %[[GROUP:.+]], %c1_i32
// CHECK-NEXT:    nvvm.barrier id = %[[BARRIER]] number_of_threads = %c128_i32
// CHECK:         %[[BYTES:.+]] = arith.muli %[[GROUP]], %c4096_i32
// CHECK:         llvm.getelementptr %{{.+}}[%[[BYTES]]]
// CHECK:         llvm.store {{.*}} : vector<2xi8>, !llvm.ptr<3>
// CHECK:         nvvm.barrier id = %[[BARRIER]] number_of_threads = %c128_i32
// CHECK:         llvm.load {{.*}} !llvm.ptr<3> -> vector<16xi8>
// CHECK-NOT:     nvvm.barrier0
tile.kernel @scratch(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 2, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M...", "N"], access = out, unit_stride = 1, pack_rank = 2, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>
!n = tensor<128x64xbf16, #tile.axes<"i", "j">>

// The index of a pack in parts is taken apart by the extents that the launch gives: of each of the two boxes of rows.
// CHECK-LABEL: llvm.func @packs(
// Once for each tile: nothing is divided in the loop over its steps.
// CHECK:         nvvm.setmaxregister decrease
// CHECK:         scf.for
// CHECK:         %[[EXTENT:.+]] = arith.maxsi
// CHECK-NEXT:    %[[WITHIN:.+]] = arith.remui %[[ROW:.+]], %[[EXTENT]] : i32
// CHECK-NEXT:    %[[PART:.+]] = arith.divui %[[ROW]], %[[EXTENT]]
// CHECK:         %[[BOX:.+]] = arith.addi %[[ROW]], %c64_i32
// CHECK:         %[[WITHIN2:.+]] = arith.remui %[[BOX]], %[[EXTENT]]
// CHECK:         %[[PART2:.+]] = arith.divui %[[BOX]], %[[EXTENT]]
// CHECK:         scf.for
// CHECK-NOT:     arith.divui
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%{{.+}}, %[[WITHIN]], %[[PART]]]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%{{.+}}, %[[WITHIN2]], %[[PART2]]]
tile.kernel @packs(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 64, 1, 16, 1, 1, 1>, tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>
!n = tensor<128x64xbf16, #tile.axes<"i", "j">>

// What a store alone needs is computed where its tile meets the view, which is not expected.
// CHECK-LABEL: llvm.func @part_of_rows(
// CHECK:         %[[END:.+]] = arith.addi %[[COLUMN:.+]], %c64_i64
// CHECK:         arith.cmpi sgt, %[[END]], %c0_i64
// CHECK:         arith.cmpi slt, %[[COLUMN]], %{{.+}}
// CHECK:         %[[MEETS:.+]] = llvm.intr.expect.with.probability %{{.+}}, %false, 8.000000e-01
// CHECK-NEXT:    scf.if %[[MEETS]] {
// CHECK:           llvm.nvvm.ff2bf16x2.rn
// CHECK:           nvvm.stmatrix
// A copy must not begin before the view: then all lanes store what is in the view, in pieces of 16 bytes that each compares.
// CHECK:           %[[FIRSTCOLUMN:.+]] = arith.trunci %[[COLUMN]] : i64 to i32
// CHECK:           %[[SINCE:.+]] = arith.cmpi sge, %[[FIRSTCOLUMN]], %c0_i32
// CHECK:           %[[BEGINS:.+]] = arith.andi %[[SINCE]], %{{.+}} : i1
// CHECK-NEXT:      scf.if %{{.+}} {
// CHECK-NEXT:        scf.if %[[BEGINS]] {
// CHECK-NEXT:          nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NEXT:        }
// CHECK-NEXT:        nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[BEFORE:.+]] = arith.xori %[[BEGINS]], %true
// CHECK-NEXT:      scf.if %[[BEFORE]] {
// CHECK-NEXT:        scf.for %{{.+}} = %{{.+}} to %c128_i32 step %c32_i32
// CHECK-COUNT-2:       arith.cmpi ult
// CHECK:               scf.if
// CHECK:                 llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK:                 llvm.store %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
tile.kernel @part_of_rows(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64, %P: i64) dimensions = 4 attributes {tile.pack_runs = array<i64: 1, 1, 1, 1, 1, 1, 1>, tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  %all = arith.addi %P, %N : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %all {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %bp = tile.broadcast %P : i64 -> !j
      %rest = arith.subi %tj, %bp : !j
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %rest] spans(%i, %j) compare [false, true] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = i8, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = i8, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = i32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 128>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<64x128xi8, #tile.axes<"i", "k">>
!jk = tensor<16x128xi8, #tile.axes<"j", "k">>
!ij = tensor<64x16xi32, #tile.axes<"i", "j">>

// Four steps of 32 bytes; sums are i32, which the wait carries too.
// CHECK-LABEL: llvm.func @integers(
// CHECK:         nvvm.wgmma.mma_async %{{.+}}, <m = 64, n = 16, k = 32>, D[<s32>, <zero>], A[<s8>, {{.*}}], B[<s8>, {{.*}}] : {{.*}} -> !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32)>
// CHECK-COUNT-3: nvvm.wgmma.mma_async %{{.+}}, <m = 64, n = 16, k = 32>, D[<s32>, <one>]
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=r,=r,=r,=r,=r,=r,=r,=r,0,1,2,3,4,5,6,7"
tile.kernel @integers(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f32, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xf32, #tile.axes<"i", "k">>
!jk = tensor<16x64xf32, #tile.axes<"j", "k">>
!ij = tensor<64x16xf32, #tile.axes<"i", "j">>

// Two panels of 32 elements, that the copies round. The second begins 8,192 bytes (rows) and 2,048 bytes (columns) later.
// CHECK:       tilewright.tensor_maps = [{box = array<i64: 32, 64>, order = array<i64: 1, 0>, swizzle = 128 : i64, tf32 = true, view = "x"},
// CHECK-SAME:    {box = array<i64: 32, 16>, order = array<i64: 1, 0>, swizzle = 128 : i64, tf32 = true, view = "w"}]
// CHECK-LABEL: llvm.func @tf32(
// CHECK:         nvvm.wgmma.mma_async %[[A:.+]], %[[B:.+]], %{{.+}}, <m = 64, n = 16, k = 8>, D[<f32>, <zero>], A[<tf32>, {{.*}}], B[<tf32>, {{.*}}]
// CHECK:         arith.addi %[[A]], %c2_i64
// CHECK:         arith.addi %[[A]], %c512_i64
// CHECK:         arith.addi %[[B]], %c128_i64
tile.kernel @tf32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) precision tf32 : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f8E4M3FN, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f8E5M2, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 128>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<64x128xf8E4M3FN, #tile.axes<"i", "k">>
!jk = tensor<16x128xf8E5M2, #tile.axes<"j", "k">>
!ij = tensor<64x16xf32, #tile.axes<"i", "j">>

// Each step starts a sum of its own, which is waited for and added.
// CHECK-LABEL: llvm.func @promoted(
// CHECK:         nvvm.wgmma.mma_async %{{.+}}, <m = 64, n = 16, k = 32>, D[<f32>, <zero>], A[<e4m3>, {{.*}}], B[<e5m2>, {{.*}}]
// CHECK-COUNT-3: nvvm.wgmma.mma_async %{{.+}}, <m = 64, n = 16, k = 32>, D[<f32>, <one>]
// CHECK-NOT:     nvvm.wgmma.mma_async
// CHECK:         "wgmma.wait_group.sync.aligned 0;"
// CHECK-NOT:     nvvm.wgmma.mma_async
// CHECK-COUNT-8: arith.addf
tile.kernel @promoted(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
