// Where threads must meet, and where they need not.
// RUN: tile-opt %s -split-input-file -insert-barriers -verify-diagnostics | FileCheck %s

!a = tensor<16x16xbf16, #tile.axes<"i", "k">>
!b = tensor<16x16xbf16, #tile.axes<"j", "k">>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!p = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 1>
!q = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 32, stages = 1>

// One barrier serves both operands. Reads of a product do not need one between them; what is written after they are read does.
// CHECK-LABEL: tile.kernel @product(
// CHECK:         tilegpu.store_shared
// CHECK-NEXT:    tilegpu.store_shared
// CHECK-NEXT:    tilegpu.barrier
// CHECK-NEXT:    tilegpu.dot
// CHECK-NEXT:    tilegpu.dot
// CHECK-NEXT:    tilegpu.barrier
// CHECK-NEXT:    tilegpu.store_shared
// CHECK-NOT:     tilegpu.barrier
tile.kernel @product() dimensions = 0 attributes {tilegpu.warps = 1 : i64, tilegpu.shared_bytes = 2048 : i64} {
  %a = arith.constant dense<0.0> : !a
  %b = arith.constant dense<0.0> : !b
  %c = arith.constant dense<0.0> : !c
  %p = tilegpu.alloc {offset = 0 : i64} : !p
  %q = tilegpu.alloc {offset = 1024 : i64} : !q
  tilegpu.store_shared %a, %p : !a, !p
  tilegpu.store_shared %b, %q : !b, !q
  %d = tilegpu.dot mma %p, %q, %c over ["k"] precision default : !p, !q -> !c
  %e = tilegpu.dot mma %p, %q, %d over ["k"] precision default : !p, !q -> !c
  tilegpu.store_shared %a, %p : !a, !p
}

// -----

!a = tensor<16x16xbf16, #tile.axes<"i", "k">>
!p = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 0, stages = 1>

// Buffers in one place, one after another: what the first was for must be over. Beside one another they
// do not meet.
// CHECK-LABEL: tile.kernel @places(
// CHECK:         tilegpu.store_shared %{{.+}}, %0 :
// CHECK-NEXT:    tilegpu.store_shared %{{.+}}, %1 :
// CHECK-NEXT:    tilegpu.barrier
// CHECK-NEXT:    tilegpu.store_shared %{{.+}}, %2 :
// CHECK-NOT:     tilegpu.barrier
tile.kernel @places() dimensions = 0 attributes {tilegpu.warps = 1 : i64, tilegpu.shared_bytes = 1024 : i64} {
  %a = arith.constant dense<0.0> : !a
  %p = tilegpu.alloc {offset = 0 : i64} : !p
  %q = tilegpu.alloc {offset = 512 : i64} : !p
  %r = tilegpu.alloc {offset = 256 : i64} : !p
  tilegpu.store_shared %a, %p : !a, !p
  tilegpu.store_shared %a, %q : !a, !p
  tilegpu.store_shared %a, %r : !a, !p
}

// -----

!a = tensor<16x16xbf16, #tile.axes<"i", "k">>
!b = tensor<16x16xbf16, #tile.axes<"j", "k">>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!p = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 1>
!q = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 32, stages = 1>

// The next iteration writes what this one has read: a barrier before the write too.
// CHECK-LABEL: tile.kernel @loop(
// CHECK:         tile.for
// CHECK-NEXT:      tilegpu.barrier
// CHECK-NEXT:      tilegpu.store_shared
// CHECK-NEXT:      tilegpu.store_shared
// CHECK-NEXT:      tilegpu.barrier
// CHECK-NEXT:      tilegpu.dot
// CHECK-NEXT:      tile.yield
// CHECK-NOT:     tilegpu.barrier
tile.kernel @loop(%N: i64) dimensions = 1 attributes {tilegpu.warps = 1 : i64, tilegpu.shared_bytes = 2048 : i64} {
  %c0 = arith.constant 0 : i64
  %a = arith.constant dense<0.0> : !a
  %b = arith.constant dense<0.0> : !b
  %c = arith.constant dense<0.0> : !c
  %p = tilegpu.alloc {offset = 0 : i64} : !p
  %q = tilegpu.alloc {offset = 1024 : i64} : !q
  %r = tile.for "r" %r : i64 in %c0 to %N carries (%acc = %c) : !c {
    tilegpu.store_shared %a, %p : !a, !p
    tilegpu.store_shared %b, %q : !b, !q
    %d = tilegpu.dot mma %p, %q, %acc over ["k"] precision default : !p, !q -> !c
    tile.yield %d : !c
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!i = tensor<16xi64, #tile.axes<"i">>
!k = tensor<16xi64, #tile.axes<"k">>
!si = !tile.span<"i", 16>
!sk = !tile.span<"k", 16>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!ring = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 3>
!p = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 1>
!q = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 32, stages = 1>
#layout = #tilegpu.distributed<[16, 16], registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warps = []>

// A pipeline of three stages: one barrier in an iteration, behind the wait, and none before the product: it reads another stage than
// the copies write that have been started since.
// CHECK-LABEL: tile.kernel @pipeline(
// CHECK-NOT:     tilegpu.barrier
// CHECK:         tile.for
// CHECK-NEXT:      tilegpu.async_wait 1
// CHECK-NEXT:      tilegpu.stage
// CHECK-NEXT:      tilegpu.barrier
// CHECK-NEXT:      tilegpu.async_load
// CHECK-NEXT:      tilegpu.async_commit
// CHECK-NEXT:      tilegpu.stage
// CHECK-NEXT:      tilegpu.dot
// CHECK-NEXT:      tile.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    tilegpu.async_wait 0
// CHECK-NOT:     tilegpu.barrier
tile.kernel @pipeline(%x: !x, %M: i64, %K: i64) dimensions = 2 attributes {tilegpu.warps = 1 : i64, tilegpu.shared_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c = arith.constant dense<0.0> : !c
  %si = tile.span : !si
  %sk = tile.span : !sk
  %ti = tile.index %si : !si -> !i
  %tk = tile.index %sk : !sk -> !k
  %ring = tilegpu.alloc {offset = 0 : i64} : !ring
  %q = tilegpu.alloc {offset = 3072 : i64} : !q
  %s0 = tilegpu.stage %ring[%c0] {tilegpu.step = 0 : i64} : !ring -> !p
  tilegpu.async_load %x[%ti, %tk] spans(%si, %sk) into %s0 layout #layout : !x, (!i, !k), spans(!si, !sk), !p
  tilegpu.async_commit
  %s1 = tilegpu.stage %ring[%c1] {tilegpu.step = 1 : i64} : !ring -> !p
  tilegpu.async_load %x[%ti, %tk] spans(%si, %sk) into %s1 layout #layout : !x, (!i, !k), spans(!si, !sk), !p
  tilegpu.async_commit
  %r:2 = tile.for "r" %r : i64 in %c0 to %K carries (%acc = %c, %stage = %c0) : !c, i64 {
    tilegpu.async_wait 1
    %s2 = tilegpu.stage %ring[%c1] {tilegpu.step = 2 : i64} : !ring -> !p
    tilegpu.async_load %x[%ti, %tk] spans(%si, %sk) into %s2 layout #layout : !x, (!i, !k), spans(!si, !sk), !p
    tilegpu.async_commit
    %s = tilegpu.stage %ring[%stage] {tilegpu.step = 0 : i64} : !ring -> !p
    %d = tilegpu.dot mma %s, %q, %acc over ["k"] precision default : !p, !q -> !c
    tile.yield %d, %stage : !c, i64
  }
  tilegpu.async_wait 0
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!i = tensor<16xi64, #tile.axes<"i">>
!k = tensor<16xi64, #tile.axes<"k">>
!si = !tile.span<"i", 16>
!sk = !tile.span<"k", 16>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!p = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 1>
!q = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 32, stages = 1>
#layout = #tilegpu.distributed<[16, 16], registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warps = []>

// A barrier does not wait for copies.
tile.kernel @unfinished(%x: !x, %M: i64, %K: i64) dimensions = 2 attributes {tilegpu.warps = 1 : i64, tilegpu.shared_bytes = 2048 : i64} {
  %c = arith.constant dense<0.0> : !c
  %si = tile.span : !si
  %sk = tile.span : !sk
  %ti = tile.index %si : !si -> !i
  %tk = tile.index %sk : !sk -> !k
  %p = tilegpu.alloc {offset = 0 : i64} : !p
  %q = tilegpu.alloc {offset = 1024 : i64} : !q
  tilegpu.async_load %x[%ti, %tk] spans(%si, %sk) into %p layout #layout : !x, (!i, !k), spans(!si, !sk), !p
  tilegpu.async_commit
  tilegpu.barrier
  // expected-error @below {{touches a buffer that is still being copied to: an async_wait is missing}}
  %d = tilegpu.dot mma %p, %q, %c over ["k"] precision default : !p, !q -> !c
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 16>
!s = !tile.span<"i", 64>
#rows = #tilegpu.distributed<[64], registers = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = []>
#other = #tilegpu.distributed<[64], registers = [[32]], lanes = [[1], [2], [4], [8], [16]], warps = []>
!i = tensor<64xi64, #tile.axes<"i", layout = #rows>>
!o = tensor<64xi64, #tile.axes<"i", layout = #other>>
!t = tensor<64xf32, #tile.axes<"i", layout = #rows>>

// A tile of an inout view that is read must have been read by all before one of them stores there. Reading a view that nothing writes
// needs nothing, nor does a store to another view.
// CHECK-LABEL: tile.kernel @views(
// CHECK:         tile.load %x
// CHECK-NOT:     tilegpu.barrier
// CHECK:         tile.load %y
// CHECK:         tilegpu.barrier
// CHECK-NEXT:    tile.store %{{.+}}, %y
// CHECK-NEXT:    tile.store %{{.+}}, %z
// CHECK-NOT:     tilegpu.barrier
tile.kernel @views(%x: !x, %y: !y, %z: !y, %N: i64) dimensions = 1 attributes {tilegpu.warps = 1 : i64, tilegpu.shared_bytes = 0 : i64} {
  %s = tile.span : !s
  %i = tile.index %s : !s -> !i
  %o = tile.index %s : !s -> !o
  %a = tile.load %x[%i] spans(%s) compare [false] : !x, (!i), spans(!s) -> !t
  %b = tile.load %y[%i] spans(%s) compare [false] : !y, (!i), spans(!s) -> !t
  %c = arith.addf %a, %b : !t
  tile.store %c, %y[%o] spans(%s) compare [false] {tilegpu.place_layout = #other} : !t, !y, (!o), spans(!s)
  tile.store %c, %z[%o] spans(%s) compare [false] {tilegpu.place_layout = #other} : !t, !y, (!o), spans(!s)
}

// -----

#rows = #tilegpu.distributed<[32, 32], registers = [[0, 1], [0, 2], [8, 0], [16, 0]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0]]>
#columns = #tilegpu.distributed<[32, 32], registers = [[1, 0], [2, 0], [0, 8], [0, 16]], lanes = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warps = [[0, 4]]>
!r = tensor<32x32xf32, #tile.axes<"i", "j", layout = #rows>>
!c = tensor<32x32xf32, #tile.axes<"i", "j", layout = #columns>>

// A conversion has a barrier of its own between its writes and its reads. Another one in the same place waits for its reads, one in
// another place does not.
// CHECK-LABEL: tile.kernel @scratch(
// CHECK-NOT:     tilegpu.barrier
// CHECK:         tilegpu.convert_layout
// CHECK-NEXT:    tilegpu.barrier
// CHECK-NEXT:    tilegpu.convert_layout
// CHECK-NEXT:    tilegpu.convert_layout
// CHECK-NOT:     tilegpu.barrier
tile.kernel @scratch() dimensions = 0 attributes {tilegpu.warps = 2 : i64, tilegpu.shared_bytes = 16384 : i64} {
  %a = arith.constant dense<0.0> : !r
  %b = tilegpu.convert_layout %a {tilegpu.scratch_offset = 0 : i64} : !r -> !c
  %c = tilegpu.convert_layout %b {tilegpu.scratch_offset = 0 : i64} : !c -> !r
  %d = tilegpu.convert_layout %a {tilegpu.scratch_offset = 8192 : i64} : !r -> !c
}

// -----

!a = tensor<16x16xbf16, #tile.axes<"i", "k">>
!b = tensor<16x16xbf16, #tile.axes<"j", "k">>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!p = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 1>
!q = !tilegpu.buffer<tensor<16x16xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 32, stages = 1>

// What one of two ways has written is pending behind both.
// CHECK-LABEL: tile.kernel @branch(
// CHECK:         scf.if
// CHECK-NEXT:      tilegpu.store_shared
// CHECK-NEXT:    }
// CHECK-NEXT:    tilegpu.barrier
// CHECK-NEXT:    tilegpu.dot
tile.kernel @branch(%e: i1) dimensions = 0 attributes {tilegpu.warps = 1 : i64, tilegpu.shared_bytes = 2048 : i64} {
  %a = arith.constant dense<0.0> : !a
  %c = arith.constant dense<0.0> : !c
  %p = tilegpu.alloc {offset = 0 : i64} : !p
  %q = tilegpu.alloc {offset = 1024 : i64} : !q
  scf.if %e {
    tilegpu.store_shared %a, %p : !a, !p
  }
  %d = tilegpu.dot mma %p, %q, %c over ["k"] precision default : !p, !q -> !c
}

// The same of the other way.
// CHECK-LABEL: tile.kernel @otherwise(
// CHECK:         } else {
// CHECK-NEXT:      tilegpu.store_shared
// CHECK-NEXT:    }
// CHECK-NEXT:    tilegpu.barrier
// CHECK-NEXT:    tilegpu.dot
tile.kernel @otherwise(%e: i1) dimensions = 0 attributes {tilegpu.warps = 1 : i64, tilegpu.shared_bytes = 2048 : i64} {
  %a = arith.constant dense<0.0> : !a
  %c = arith.constant dense<0.0> : !c
  %p = tilegpu.alloc {offset = 0 : i64} : !p
  %q = tilegpu.alloc {offset = 1024 : i64} : !q
  scf.if %e {
  } else {
    tilegpu.store_shared %a, %p : !a, !p
  }
  %d = tilegpu.dot mma %p, %q, %c over ["k"] precision default : !p, !q -> !c
}

// -----

!k = !tile.span<"k", 64>
#layout = #tilegpu.distributed<[64], registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32]]>
!v = tensor<64xf32, #tile.axes<"k", layout = #layout>>

// A loop ends behind its condition: what that has read is pending there, though the body has had a barrier since the condition before.
// CHECK-LABEL: tile.kernel @condition(
// CHECK:         scf.while
// CHECK-NOT:       tilegpu.barrier
// CHECK:         } do {
// CHECK:           tilegpu.barrier
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    tilegpu.barrier
// CHECK-NEXT:    tile.reduce
tile.kernel @condition(%n: f32) dimensions = 0 attributes {tilegpu.warps = 2 : i64, tilegpu.shared_bytes = 16 : i64} {
  %k = tile.span : !k
  %v = arith.constant dense<1.0> : !v
  %one = arith.constant 1.0 : f32
  %r = scf.while (%x = %n) : (f32) -> f32 {
    %s = tile.reduce add %v over (%k) {tilegpu.scratch_offset = 0 : i64} : !v, !k -> f32
    %goes = arith.cmpf olt, %s, %x : f32
    scf.condition(%goes) %x : f32
  } do {
  ^bb0(%x: f32):
    %y = arith.subf %x, %one : f32
    tilegpu.barrier
    scf.yield %y : f32
  }
  %t = tile.reduce max %v over (%k) {tilegpu.scratch_offset = 0 : i64} : !v, !k -> f32
}

// -----

#rows = #tilegpu.distributed<[64, 32], registers = [[0, 1], [0, 2], [16, 0], [32, 0]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]]>
#columns = #tilegpu.distributed<[64, 32], registers = [[1, 0], [2, 0], [0, 8], [0, 16]], lanes = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warps = [[0, 2], [0, 4]]>
!r = tensor<64x32xf32, #tile.axes<"i", "j", layout = #rows>>
!c = tensor<64x32xf32, #tile.axes<"i", "j", layout = #columns>>
!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!ring = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
!stage = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!si = !tile.span<"i", 64>

// What producer and groups share is guarded by barriers in shared memory: neither gets one of threads for it. Within a group what one operation
// has read another may write after a barrier, of a tile's last and the next one's first too.
// CHECK-LABEL: tile.kernel @roles(
// CHECK:         producer {
// CHECK-NOT:       tilegpu.barrier
// CHECK:           tilegpu.tma_load
// CHECK-NOT:       tilegpu.barrier
// CHECK:         consumers {
// CHECK-NEXT:      tile.parallel
// CHECK:             tilegpu.mbarrier_wait
// CHECK-NEXT:        tilegpu.mbarrier_arrive
// CHECK-NEXT:        tilegpu.barrier
// CHECK-NEXT:        tilegpu.convert_layout
// CHECK-NEXT:        tilegpu.barrier
// CHECK-NEXT:        tilegpu.convert_layout
// CHECK-NOT:       tilegpu.barrier
tile.kernel @roles(%x: !x, %M: i64, %K: i64) dimensions = 2 attributes {tilegpu.warps = 4 : i64, tilegpu.shared_bytes = 32800 : i64} {
  %c0 = arith.constant 0 : i64
  %map = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 : !x
  %ring = tilegpu.alloc {offset = 16384 : i64} : !ring
  %full = tilegpu.mbarriers arrivals 1 {offset = 32768 : i64} : !tilegpu.mbarriers<2>
  %empty = tilegpu.mbarriers arrivals 1 {offset = 32784 : i64} : !tilegpu.mbarriers<2>
  tilegpu.mbarriers_ready
  tilegpu.roles groups 2 registers [40, 232] attributes {tilegpu.group_bytes = 8192 : i64} producer {
    tile.parallel "i" %i : !si in %c0 to %M {
      tilegpu.mbarrier_wait %empty[%c0] parity %c0 : !tilegpu.mbarriers<2>
      tilegpu.mbarrier_arrive %full[%c0] expecting 8192 : !tilegpu.mbarriers<2>
      %s = tilegpu.stage %ring[%c0] : !ring -> !stage
      tilegpu.tma_load %map[%c0, %c0] into %s signals %full[%c0] : !stage, !tilegpu.mbarriers<2>
    }
  } consumers {
    tile.parallel "i" %i : !si in %c0 to %M {
      %a = arith.constant dense<0.0> : !r
      tilegpu.mbarrier_wait %full[%c0] parity %c0 : !tilegpu.mbarriers<2>
      tilegpu.mbarrier_arrive %empty[%c0] : !tilegpu.mbarriers<2>
      %b = tilegpu.convert_layout %a {tilegpu.scratch_offset = 0 : i64} : !r -> !c
      %c = tilegpu.convert_layout %b {tilegpu.scratch_offset = 0 : i64} : !c -> !r
    }
  }
}
