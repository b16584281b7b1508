// Products of an operand in registers: the words of its fragments, and when they may be written again.
// RUN: tile-opt %s -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse | FileCheck %s

#p = #tilegpu.distributed<[64, 32], registers = [[0, 1], [8, 0], [0, 8], [0, 16]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
#d = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x32xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<32x64xbf16, #tile.axes<"k", "j">>, contiguous = 1, swizzle = 128, stages = 1>
!f = tensor<64x32xf32, #tile.axes<"i", "k", layout = #p>>
!p = tensor<64x32xbf16, #tile.axes<"i", "k", layout = #p>>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #d>>

// Two neighbours along the summed axis are a word, the first in its low half; four words a fragment. All are there before the fence, then one
// step of 16 follows another, 2,048 bytes of the other operand (128 in its descriptor), whose columns are contiguous.
// CHECK-LABEL: llvm.func @whole(
// CHECK:         %[[LOADED:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-NEXT:    %[[E0:.+]] = llvm.extractelement %[[LOADED]][%c0_i32 : i32]
// CHECK-NEXT:    %[[E1:.+]] = llvm.extractelement %[[LOADED]][%c1_i32 : i32]
// CHECK:         %[[W0:.+]] = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[E1]], %[[E0]]) : (f32, f32) -> vector<2xbf16>
// CHECK-NEXT:    %[[A0:.+]] = llvm.bitcast %[[W0]] : vector<2xbf16> to i32
// CHECK-COUNT-7: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK-NOT:     llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{.*}}, $31}, {$64, $65, $66, $67}, $68, p, 1, 1, 1; }",
// CHECK-SAME:      "=f,{{.*}},31,r,r,r,r,l" %{{.*}}, %[[A0]], %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %[[B:[0-9]+]] :
// CHECK:         %[[NEXT:.+]] = arith.addi %[[B]], %c128_i64
// CHECK-NOT:     nvvm.wgmma
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{.*}}, $31}, {$64, $65, $66, $67}, $68, 1, 1, 1, 1;"
// CHECK-SAME:      %[[NEXT]] :
// CHECK-NEXT:    nvvm.wgmma.commit.group.sync.aligned
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;"
// Step by step: with an accumulator two groups are unfinished at a time, so all but one are waited for before a step's words are written.
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-NOT:     nvvm.wgmma
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         llvm.inline_asm {{.*}}wgmma.mma_async
// CHECK-NEXT:    nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:    nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         llvm.inline_asm {{.*}}wgmma.mma_async
// CHECK-NEXT:    nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT:     nvvm.wgmma
// CHECK:         llvm.return
tile.kernel @whole() dimensions = 0 attributes {tilegpu.warps = 4 : i64} {
  %a = tilegpu.alloc : !a
  %b = tilegpu.alloc : !b
  %f = tilegpu.load_shared %a : !a -> !f
  %p = tile.cast %f : !f -> !p
  %d = tilegpu.wgmma_registers %p, %b : !p, !b -> !d
  %v = tilegpu.wgmma_wait 0 of %d : !d -> !d
  tilegpu.barrier
  %g = tilegpu.load_shared %a : !a -> !f
  %q = tile.cast %g : !f -> !p
  %e = tilegpu.wgmma_registers stepwise %q, %b onto %v : !p, !b -> !d
}

// Operands of 16 bits come by ldmatrix, a fragment of 16 × 16 each: lane l points at row l mod 8 of matrix l / 8, of which the second lies below the
// first and the third beside it; the swizzle exchanges chunks by the row. What runs along the rows is transposed on the way.
!m = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!t = !tilegpu.buffer<tensor<32x64xbf16, #tile.axes<"k", "i">>, contiguous = 1, swizzle = 128, stages = 1>
#m = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
// CHECK-LABEL: llvm.func @fragments(
// CHECK-DAG:     %[[LANE:.+]] = arith.andi %{{.+}}, %c31_i32
// CHECK-DAG:     %[[WARP:.+]] = arith.shrui %{{.+}}, %c5_i32
// CHECK:         %[[WITHIN:.+]] = arith.andi %[[LANE]], %c7_i32
// CHECK-NEXT:    %[[EIGHTHS:.+]] = arith.shrui %[[LANE]], %c3_i32
// CHECK-NEXT:    %[[ODD:.+]] = arith.andi %[[EIGHTHS]], %c1_i32
// CHECK-NEXT:    %[[DOWN:.+]] = arith.muli %[[ODD]], %c8_i32
// CHECK-NEXT:    %[[SIXTEENTHS:.+]] = arith.shrui %[[LANE]], %c4_i32
// CHECK-NEXT:    %[[HIGH:.+]] = arith.andi %[[SIXTEENTHS]], %c1_i32
// CHECK-NEXT:    %[[ALONG:.+]] = arith.muli %[[HIGH]], %c8_i32
// CHECK:         arith.addi %[[WITHIN]], %[[DOWN]]
// CHECK-COUNT-4: nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK-NOT:     layout = #nvvm.mma_layout<row>
// CHECK:         arith.addi %[[WITHIN]], %[[ALONG]]
// CHECK-COUNT-2: nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-NOT:     nvvm.ldmatrix
// CHECK:         llvm.return
tile.kernel @fragments() dimensions = 0 attributes {tilegpu.warps = 4 : i64} {
  %a = tilegpu.alloc : !m
  %t = tilegpu.alloc : !t
  %s = tilegpu.alloc : !s
  %b = tilegpu.alloc : !b
  %p = tilegpu.load_shared %a : !m -> tensor<64x64xbf16, #tile.axes<"i", "k", layout = #m>>
  %d = tilegpu.wgmma_registers %p, %s : tensor<64x64xbf16, #tile.axes<"i", "k", layout = #m>>, !s -> !d
  %q = tilegpu.load_shared %t : !t -> !p
  %e = tilegpu.wgmma_registers %q, %b onto %d : !p, !b -> !d
}
