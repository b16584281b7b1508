// Where buffers and scratch memory are.
// RUN: tile-opt %s -split-input-file -allocate-shared-memory | FileCheck %s

!t = tensor<32x32xf32, #tile.axes<"i", "j">>
!large = !tilegpu.buffer<tensor<32x32xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 1>
!v = tensor<4xf32, #tile.axes<"i">>
!small = !tilegpu.buffer<tensor<4xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 1>

// Things that live one after another are in one place; what lives at the same time is beside, also if it is first of all used later.
// CHECK-LABEL: tile.kernel @times(
// CHECK-SAME:    tilegpu.shared_bytes = 4224 : i64
// CHECK:         tilegpu.alloc {offset = 4096 : i64} : <tensor<4xf32
// CHECK:         tilegpu.alloc {offset = 0 : i64} : <tensor<32x32xf32
// CHECK:         tilegpu.alloc {offset = 0 : i64} : <tensor<32x32xf32
tile.kernel @times() dimensions = 0 attributes {tilegpu.warps = 1 : i64} {
  %t = arith.constant dense<0.0> : !t
  %v = arith.constant dense<0.0> : !v
  %s = tilegpu.alloc : !small
  %p = tilegpu.alloc : !large
  tilegpu.store_shared %t, %p : !t, !large
  %q = tilegpu.alloc : !large
  tilegpu.store_shared %t, %q : !t, !large
  tilegpu.store_shared %v, %s : !v, !small
}

// -----

!t = tensor<32x32xf32, #tile.axes<"i", "j">>
!large = !tilegpu.buffer<tensor<32x32xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 1>
!ring = !tilegpu.buffer<tensor<32x32xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 2>

// A buffer from before a loop that the loop uses, through its stages, lives until the loop's end: what the loop allocates after that use
// is elsewhere, for the next iteration uses it again. What is allocated after the loop may be where it was.
// CHECK-LABEL: tile.kernel @ring(
// CHECK-SAME:    tilegpu.shared_bytes = 12288 : i64
// CHECK:         tilegpu.alloc {offset = 0 : i64} : {{.*}} stages = 2>
// CHECK:         tile.for
// CHECK:           tilegpu.alloc {offset = 8192 : i64} : {{.*}} stages = 1>
// CHECK:         }
// CHECK:         tilegpu.alloc {offset = 0 : i64} : {{.*}} stages = 1>
tile.kernel @ring(%N: i64) dimensions = 1 attributes {tilegpu.warps = 1 : i64} {
  %c0 = arith.constant 0 : i64
  %t = arith.constant dense<0.0> : !t
  %ring = tilegpu.alloc : !ring
  tile.for "r" %r : i64 in %c0 to %N {
    %s = tilegpu.stage %ring[%c0] : !ring -> !large
    tilegpu.store_shared %t, %s : !t, !large
    %q = tilegpu.alloc : !large
    tilegpu.store_shared %t, %q : !t, !large
  }
  %p = tilegpu.alloc : !large
  tilegpu.store_shared %t, %p : !t, !large
}

// -----

!v = tensor<4xf32, #tile.axes<"i">>
!t = tensor<32x8xf32, #tile.axes<"i", "j">>
!small = !tilegpu.buffer<tensor<4xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 1>
!swizzled = !tilegpu.buffer<tensor<32x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 32, stages = 1>
!rows = !tilegpu.buffer<tensor<40x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 1>
!u = tensor<40x8xf32, #tile.axes<"i", "j">>

// A swizzled buffer begins at a multiple of 1,024 bytes; a small one fits in the gap before it.
// CHECK-LABEL: tile.kernel @alignment(
// CHECK-SAME:    tilegpu.shared_bytes = 3072 : i64
// CHECK:         tilegpu.alloc {offset = 2048 : i64} : {{.*}} swizzle = 32
// CHECK:         tilegpu.alloc {offset = 0 : i64} : <tensor<40x8
// CHECK:         tilegpu.alloc {offset = 1536 : i64} : <tensor<4xf32
tile.kernel @alignment() dimensions = 0 attributes {tilegpu.warps = 1 : i64} {
  %t = arith.constant dense<0.0> : !t
  %u = arith.constant dense<0.0> : !u
  %v = arith.constant dense<0.0> : !v
  %a = tilegpu.alloc : !swizzled
  %b = tilegpu.alloc : !rows
  %c = tilegpu.alloc : !small
  tilegpu.store_shared %t, %a : !t, !swizzled
  tilegpu.store_shared %u, %b : !u, !rows
  tilegpu.store_shared %v, %c : !v, !small
}

// -----

#rows = #tilegpu.distributed<[32, 32], registers = [[0, 1], [0, 2], [8, 0], [16, 0]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0]]>
#columns = #tilegpu.distributed<[32, 32], registers = [[1, 0], [2, 0], [0, 8], [0, 16]], lanes = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warps = [[0, 4]]>
#near = #tilegpu.distributed<[32, 32], registers = [[0, 2], [0, 1], [8, 0], [16, 0]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0]]>
!r = tensor<32x32xf32, #tile.axes<"i", "j", layout = #rows>>
!c = tensor<32x32xf32, #tile.axes<"i", "j", layout = #columns>>
!n = tensor<32x32xf32, #tile.axes<"i", "j", layout = #near>>
!v = tensor<4xf32, #tile.axes<"i">>
!small = !tilegpu.buffer<tensor<4xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 1>

// Scratch memory of an operation lives as long as it: two conversions share it, a buffer that lives over both does not. A conversion
// that only renames registers needs none.
// CHECK-LABEL: tile.kernel @scratch(
// CHECK:         tilegpu.alloc {offset = 4096 : i64}
// CHECK:         tilegpu.convert_layout %{{[a-z0-9_]+}} {tilegpu.scratch_offset = 0 : i64}
// CHECK:         tilegpu.convert_layout %{{[a-z0-9_]+}} {tilegpu.scratch_offset = 0 : i64}
// CHECK:         tilegpu.convert_layout %{{[a-z0-9_]+}} :
tile.kernel @scratch() dimensions = 0 attributes {tilegpu.warps = 2 : i64} {
  %a = arith.constant dense<0.0> : !r
  %v = arith.constant dense<0.0> : !v
  %s = tilegpu.alloc : !small
  %b = tilegpu.convert_layout %a : !r -> !c
  %c = tilegpu.convert_layout %b : !c -> !r
  %d = tilegpu.convert_layout %a : !r -> !n
  tilegpu.store_shared %v, %s : !v, !small
}

// -----

// CHECK-LABEL: tile.kernel @nothing(
// CHECK-SAME:    tilegpu.shared_bytes = 0 : i64
tile.kernel @nothing() dimensions = 0 attributes {tilegpu.warps = 1 : i64} {
}

// -----

#rows = #tilegpu.distributed<[64, 32], registers = [[0, 1], [0, 2], [16, 0], [32, 0]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]]>
#columns = #tilegpu.distributed<[64, 32], registers = [[1, 0], [2, 0], [0, 8], [0, 16]], lanes = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warps = [[0, 2], [0, 4]]>
!r = tensor<64x32xf32, #tile.axes<"i", "j", layout = #rows>>
!c = tensor<64x32xf32, #tile.axes<"i", "j", layout = #columns>>
!ring = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
!stage = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!staging = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
!small = !tilegpu.buffer<tensor<64xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 1>
!v = tensor<64xf32, #tile.axes<"i">>

// What groups of warps have of their own is laid out once, and there is a copy of it for each: here 16,384 bytes of staging, and 8,192 that the
// conversion's scratch memory and then a buffer have in turn. The copies are one thing of the block. What the producer uses lives beside
// them, as long as the roles; barriers are 8 bytes each.
// CHECK-LABEL: tile.kernel @groups(
// CHECK-SAME:    tilegpu.shared_bytes = 65568 : i64
// CHECK:         tilegpu.alloc {offset = 49152 : i64} : <tensor<64x64xbf16, #tile.axes<"i", "k">>
// CHECK:         tilegpu.mbarriers arrivals 1 {offset = 65536 : i64} : <2>
// CHECK:         tilegpu.mbarriers arrivals 1 {offset = 65552 : i64} : <2>
// CHECK:         tilegpu.roles groups 2 registers [40, 232] attributes {tilegpu.group_bytes = 24576 : i64}
// CHECK:         consumers {
// CHECK:           tilegpu.alloc {offset = 0 : i64} : <tensor<64x64xbf16, #tile.axes<"row", "column">>
// CHECK:           tilegpu.convert_layout %{{[a-z0-9_]+}} {tilegpu.scratch_offset = 16384 : i64}
// CHECK:           tilegpu.alloc {offset = 16384 : i64} : <tensor<64xf32
tile.kernel @groups() dimensions = 0 attributes {tilegpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : i64
  %ring = tilegpu.alloc : !ring
  %full = tilegpu.mbarriers arrivals 1 : !tilegpu.mbarriers<2>
  %empty = tilegpu.mbarriers arrivals 1 : !tilegpu.mbarriers<2>
  tilegpu.mbarriers_ready
  tilegpu.roles groups 2 registers [40, 232] producer {
    %s = tilegpu.stage %ring[%c0] : !ring -> !stage
    tilegpu.mbarrier_wait %empty[%c0] parity %c0 : !tilegpu.mbarriers<2>
    tilegpu.mbarrier_arrive %full[%c0] expecting 8192 : !tilegpu.mbarriers<2>
  } consumers {
    %staging = tilegpu.alloc : !staging
    %a = arith.constant dense<0.0> : !r
    %b = tilegpu.convert_layout %a : !r -> !c
    %v = arith.constant dense<0.0> : !v
    %small = tilegpu.alloc : !small
    tilegpu.store_shared %v, %small : !v, !small
    %last = tilegpu.stage %staging[%c0] : !staging -> !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 1>
  }
}

// -----

!small = !tilegpu.buffer<tensor<64xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 1>
!v = tensor<64xf32, #tile.axes<"i">>

// A group's memory begins at a multiple of 1,024 bytes, so 256 bytes of it are 1,024 for each. With one group there is one copy.
// CHECK-LABEL: tile.kernel @rounded(
// CHECK-SAME:    tilegpu.shared_bytes = 2048 : i64
// CHECK:         tilegpu.group_bytes = 1024 : i64
// CHECK-LABEL: tile.kernel @one_group(
// CHECK-SAME:    tilegpu.shared_bytes = 1024 : i64
// CHECK:         tilegpu.group_bytes = 1024 : i64
tile.kernel @rounded() dimensions = 0 attributes {tilegpu.warps = 4 : i64} {
  tilegpu.roles groups 2 registers [40, 232] producer {
  } consumers {
    %v = arith.constant dense<0.0> : !v
    %small = tilegpu.alloc : !small
    tilegpu.store_shared %v, %small : !v, !small
  }
}
tile.kernel @one_group() dimensions = 0 attributes {tilegpu.warps = 8 : i64} {
  tilegpu.roles groups 1 registers [40, 232] producer {
  } consumers {
    %v = arith.constant dense<0.0> : !v
    %small = tilegpu.alloc : !small
    tilegpu.store_shared %v, %small : !v, !small
  }
}
