// What the operations, types and attributes of the Hopper path demand: for each label what breaks it, and what just does not.
// RUN: tile-opt %s --split-input-file --verify-diagnostics

// Types and attributes.

// expected-error @below {{there is one barrier at least, not 0}}
func.func private @mbarriers_c1(!tilegpu.mbarriers<0>)

// -----

// expected-error @below {{a schedule has one or two groups of 4 or 8 warps, not 0 of 4}}
func.func private @schedule_c1_none() attributes {a = #tilegpu.schedule<groups = 0, warps = 4, stages = 0, registers = [40, 232], prepares = true>}

// -----

// expected-error @below {{a schedule has one or two groups of 4 or 8 warps, not 3 of 4}}
func.func private @schedule_c1_groups() attributes {a = #tilegpu.schedule<groups = 3, warps = 4, stages = 0, registers = [40, 232], prepares = true>}

// -----

// expected-error @below {{a schedule has one or two groups of 4 or 8 warps, not 1 of 6}}
func.func private @schedule_c1_warps() attributes {a = #tilegpu.schedule<groups = 1, warps = 6, stages = 0, registers = [40, 232], prepares = true>}

// -----

// expected-error @below {{registers are those of a thread of the feeding warpgroup and those of another's, not 1 numbers}}
func.func private @schedule_c2_two() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40], prepares = true>}

// -----

// expected-error @below {{a block of 256 threads begins with 255 registers each, and none can have more}}
func.func private @schedule_c2_none() attributes {a = #tilegpu.schedule<groups = 1, warps = 4, stages = 0, registers = [24, 240], prepares = true>}

// -----

// expected-error @below {{registers of a thread are 0 for all, or a multiple of 8 from 24 to 240, not 0}}
func.func private @schedule_c2_all() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [0, 232], prepares = true>}

// -----

// expected-error @below {{registers of a thread are 0 for all, or a multiple of 8 from 24 to 240, not 16}}
func.func private @schedule_c2_few() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [16, 232], prepares = true>}

// -----

// expected-error @below {{registers of a thread are 0 for all, or a multiple of 8 from 24 to 240, not 236}}
func.func private @schedule_c2_eighths() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 236], prepares = true>}

// -----

// expected-error @below {{registers of a thread are 0 for all, or a multiple of 8 from 24 to 240, not 248}}
func.func private @schedule_c2_many() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [24, 248], prepares = true>}

// -----

// All that there are.
func.func private @all_registers() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [24, 240], prepares = true>}

// -----

// expected-error @below {{its threads want 66560 registers, and a block of 384 threads begins with 64512 (168 each)}}
func.func private @schedule_c2_multiprocessor() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 240], prepares = true>}

// -----

// A multiprocessor has them, but the block does not begin with them: on a GPU the groups would wait for ever.
// expected-error @below {{its threads want 65536 registers, and a block of 384 threads begins with 64512 (168 each)}}
func.func private @schedule_c2_beginning() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [32, 240], prepares = true>}

// -----

func.func private @few_threads() attributes {a = #tilegpu.schedule<groups = 1, warps = 4, stages = 0, registers = [0, 0], prepares = true>}

// -----

// expected-error @below {{a tile is split over 1, 2, 4 or 8 blocks, not 3}}
func.func private @schedule_c4_three() attributes {a = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [40, 232], prepares = true, split = 3>}

// -----

// expected-error @below {{a tile that is split needs the ring's memory for its sums, so one group, and there are 2}}
func.func private @schedule_c4_groups() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = true, split = 2>}

// -----

func.func private @most_blocks() attributes {a = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [40, 232], prepares = true, split = 8>}

// -----

// expected-error @below {{tiles are taken in groups of 1 to 64 rows, not 65}}
func.func private @schedule_c5_many() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = true, raster = 65>}

// -----

// expected-error @below {{tiles are taken in groups of 1 to 64 rows, not 0}}
func.func private @schedule_c5_none() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = true, raster = 0>}

// -----

func.func private @edges_of_raster() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = true, raster = 64>,
                                                 b = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = true, raster = 1>}

// -----

// expected-error @below {{stages are 0 (as many as fit) or 2 to 16, not 1}}
func.func private @schedule_c3_few() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 1, registers = [40, 232], prepares = true>}

// -----

// expected-error @below {{stages are 0 (as many as fit) or 2 to 16, not 17}}
func.func private @schedule_c3_many() attributes {a = #tilegpu.schedule<groups = 2, warps = 4, stages = 17, registers = [40, 232], prepares = true>}

// -----

func.func private @stages() attributes {a = #tilegpu.schedule<groups = 1, warps = 8, stages = 2, registers = [40, 232], prepares = true>,
                                        b = #tilegpu.schedule<groups = 1, warps = 8, stages = 16, registers = [0, 0], prepares = true>}

// -----

// Roles.

tile.kernel @roles_c1_groups() dimensions = 0 attributes {tilegpu.warps = 4 : i64} {
  // expected-error @below {{expects one or two groups of whole warpgroups, not 3 of 4 warps}}
  tilegpu.roles groups 3 registers [24, 240] producer {
  } consumers {
  }
}

// -----

tile.kernel @roles_c1_warpgroups() dimensions = 0 attributes {tilegpu.warps = 2 : i64} {
  // expected-error @below {{expects one or two groups of whole warpgroups, not 1 of 2 warps}}
  tilegpu.roles groups 1 registers [24, 240] producer {
  } consumers {
  }
}

// -----

tile.kernel @roles_c2() dimensions = 0 attributes {tilegpu.warps = 4 : i64} {
  // expected-error @below {{registers of a thread are 0 for all, or a multiple of 8 from 24 to 240, not 20}}
  tilegpu.roles groups 2 registers [20, 240] producer {
  } consumers {
  }
}

// -----

// Tensor maps.

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c1_twice(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects an order of the 2 dimensions of memory (at most 5), each named once}}
  %m = tilegpu.tensor_map %x order [1, 1] box [64, 64] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c1_all(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects an order of the 2 dimensions of memory (at most 5), each named once}}
  %m = tilegpu.tensor_map %x order [1] box [64] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["A...", "B", "C", "D", "E"], access = in, unit_stride = 4, pack_rank = 2, alignment = 16>
tile.kernel @tensor_map_c1_many(%x: !x, %A: i64, %B: i64, %C: i64, %D: i64, %E: i64) dimensions = 5 {
  // expected-error @below {{expects an order of the 6 dimensions of memory (at most 5), each named once}}
  %m = tilegpu.tensor_map %x order [5, 4, 3, 2, 1, 0] box [64, 1, 1, 1, 1, 1] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c1_first(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects the dimension of stride 1 to be the first of the order}}
  %m = tilegpu.tensor_map %x order [0, 1] box [64, 64] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = -1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c1_none(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects the dimension of stride 1 to be the first of the order}}
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 : !x
}

// -----

// A pack is as many dimensions of memory, and those behind it are numbered after them.
!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 2, alignment = 16>
tile.kernel @pack(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  %m = tilegpu.tensor_map %x order [2, 1, 0] box [64, 64, 1] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c2_extents(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects a box of 2 extents from 1 to 256}}
  %m = tilegpu.tensor_map %x order [1, 0] box [64] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c2_long(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // The longest there is.
  %l = tilegpu.tensor_map %x order [1, 0] box [64, 256] swizzle 128 : !x
  // expected-error @below {{expects a box of 2 extents from 1 to 256}}
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 272] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c2_empty(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects a box of 2 extents from 1 to 256}}
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 0] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c2_sixteen(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects a swizzle of 0, 32, 64 or 128, and a box whose first extent is a multiple of 16 bytes, no more than the swizzle, not 24 bytes with swizzle 128}}
  %m = tilegpu.tensor_map %x order [1, 0] box [12, 64] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c2_wide(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // Without a swizzle a box may be wider.
  %l = tilegpu.tensor_map %x order [1, 0] box [72, 64] swizzle 0 : !x
  // expected-error @below {{expects a swizzle of 0, 32, 64 or 128, and a box whose first extent is a multiple of 16 bytes, no more than the swizzle, not 144 bytes with swizzle 128}}
  %m = tilegpu.tensor_map %x order [1, 0] box [72, 64] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c2_swizzle(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects a swizzle of 0, 32, 64 or 128, and a box whose first extent is a multiple of 16 bytes, no more than the swizzle, not 64 bytes with swizzle 96}}
  %m = tilegpu.tensor_map %x order [1, 0] box [32, 64] swizzle 96 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 8>
tile.kernel @tensor_map_c3(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects a view aligned to 16 bytes, not to 8}}
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 2, alignment = 16>
tile.kernel @tensor_map_c4(%x: !x, %M: i64, %K: i64) dimensions = 2 {
  // expected-error @below {{expects a box with one index in dimension 0 of memory, which only the last of its pack may exceed, not 64}}
  %m = tilegpu.tensor_map %x order [2, 0, 1] box [64, 64, 1] swizzle 128 : !x
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!f = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
tile.kernel @tensor_map_c5(%x: !x, %f: !f, %M: i64, %K: i64) dimensions = 2 {
  %l = tilegpu.tensor_map %f order [1, 0] box [32, 64] swizzle 128 tf32 : !f
  // expected-error @below {{expects a view of f32 to round to tf32, not of 'bf16'}}
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 tf32 : !x
}

// -----

// Tensor copies.

!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
func.func @tma_load_c1_map(%m: !tilegpu.tensor_map, %b: !b, %full: !tilegpu.mbarriers<2>) {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{expects the map of a tilegpu.tensor_map, and a coordinate for each of its dimensions}}
  tilegpu.tma_load %m[%c0, %c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  return
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
func.func @tma_load_c1_coordinates(%x: !x, %b: !b, %full: !tilegpu.mbarriers<2>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 : !x
  // expected-error @below {{expects the map of a tilegpu.tensor_map, and a coordinate for each of its dimensions}}
  tilegpu.tma_load %m[%c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  return
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_load_c2_stages(%x: !x, %b: !b, %full: !tilegpu.mbarriers<2>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 : !x
  // expected-error @below {{expects a buffer of one stage with swizzle 128 and 64 rows of whole boxes of 64 elements, not '!tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>'}}
  tilegpu.tma_load %m[%c0, %c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  return
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 64, stages = 1>
func.func @tma_load_c2_swizzle(%x: !x, %b: !b, %full: !tilegpu.mbarriers<2>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 : !x
  // expected-error @below {{expects a buffer of one stage with swizzle 128 and 64 rows of whole boxes of 64 elements, not}}
  tilegpu.tma_load %m[%c0, %c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  return
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
func.func @tma_load_c2_rows(%x: !x, %b: !b, %full: !tilegpu.mbarriers<2>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %x order [1, 0] box [64, 32] swizzle 128 : !x
  // expected-error @below {{expects a buffer of one stage with swizzle 128 and 32 rows of whole boxes of 64 elements, not}}
  tilegpu.tma_load %m[%c0, %c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  return
}

// -----

// A pack in parts has one coordinate, and boxes one after another fill the buffer.
!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 3, alignment = 16>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
func.func @tma_load_in_parts(%x: !x, %b: !b, %full: !tilegpu.mbarriers<2>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %x order [3, 2, 1, 0] box [64, 16, 1, 1] swizzle 128 : !x
  tilegpu.tma_load %m[%c0, %c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  %n = tilegpu.tensor_map %x order [3, 2, 1, 0] box [64, 48, 1, 1] swizzle 128 : !x
  // expected-error @below {{expects a buffer of one stage with swizzle 128 and 48 rows of whole boxes of 64 elements, not}}
  tilegpu.tma_load %n[%c0, %c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  return
}

// -----

// Boxes side by side fill a buffer that is wider than one; the rows may be of several dimensions.
!x = !tile.view<element = bf16, dims = ["B", "M", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!b = !tilegpu.buffer<tensor<64x128xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
func.func @side_by_side(%x: !x, %b: !b, %full: !tilegpu.mbarriers<2>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %x order [2, 1, 0] box [64, 32, 2] swizzle 128 : !x
  tilegpu.tma_load %m[%c0, %c0, %c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  return
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tilegpu.buffer<tensor<32x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 0, stages = 1>
func.func @tma_load_c2_boxes(%x: !x, %b: !b, %full: !tilegpu.mbarriers<2>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %x order [1, 0] box [48, 32] swizzle 0 : !x
  // expected-error @below {{expects a buffer of one stage with swizzle 0 and 32 rows of whole boxes of 48 elements, not}}
  tilegpu.tma_load %m[%c0, %c0] into %b signals %full[%c0] : !b, !tilegpu.mbarriers<2>
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xf64, #tile.axes<"i", "j", layout = #wgmma>>
!p = !tilegpu.buffer<tensor<64x64xf64, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_fetch_c1_elements(%r: !r, %p: !p, %arrived: !tilegpu.mbarriers<8>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  // expected-error @below {{expects a tile of elements of 16 or 32 bits in the layout of an accumulator of wgmma, not 'tensor<64x64xf64}}
  %v = tilegpu.tma_fetch [%m][%c0, %c0] rows 1 through %p signals %arrived : !p, !tilegpu.mbarriers<8> -> !v
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j">>
!p = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_fetch_c1_none(%r: !r, %p: !p, %arrived: !tilegpu.mbarriers<8>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  // expected-error @below {{expects a tile of elements of 16 or 32 bits in the layout of an accumulator of wgmma, not}}
  %v = tilegpu.tma_fetch [%m][%c0, %c0] rows 1 through %p signals %arrived : !p, !tilegpu.mbarriers<8> -> !v
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!p = !tilegpu.buffer<tensor<128x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_fetch_c2_rows(%r: !r, %p: !p, %arrived: !tilegpu.mbarriers<8>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  // expected-error @below {{expects pieces of 64 x 64 elements of 'bf16' with swizzle 128, not '!tilegpu.buffer<tensor<128x64xbf16}}
  %v = tilegpu.tma_fetch [%m][%c0, %c0] rows 1 through %p signals %arrived : !p, !tilegpu.mbarriers<8> -> !v
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!p = !tilegpu.buffer<tensor<64x64xf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_fetch_c2_elements(%r: !r, %p: !p, %arrived: !tilegpu.mbarriers<8>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  // expected-error @below {{expects pieces of 64 x 64 elements of 'bf16' with swizzle 128, not '!tilegpu.buffer<tensor<64x64xf16}}
  %v = tilegpu.tma_fetch [%m][%c0, %c0] rows 1 through %p signals %arrived : !p, !tilegpu.mbarriers<8> -> !v
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!p = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_fetch_c2_barriers(%r: !r, %p: !p, %arrived: !tilegpu.mbarriers<4>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  // expected-error @below {{expects 8 barriers, one for each stage and warp, or twice as many for two groups, not 4}}
  %v = tilegpu.tma_fetch [%m][%c0, %c0] rows 1 through %p signals %arrived : !p, !tilegpu.mbarriers<4> -> !v
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!p = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_fetch_c3_widths(%r: !r, %p: !p, %arrived: !tilegpu.mbarriers<16>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %r order [1, 0] box [32, 16] swizzle 64 : !r
  // expected-error @below {{expects a map for each width of pieces (128, 64 and 32 bytes) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  %v = tilegpu.tma_fetch [%m][%c0, %c0] rows 1 through %p signals %arrived : !p, !tilegpu.mbarriers<16> -> !v
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!p = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_fetch_c3_coordinates(%r: !r, %p: !p, %arrived: !tilegpu.mbarriers<16>) {
  %c0 = arith.constant 0 : i64
  %m = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  // expected-error @below {{expects a map for each width of pieces (128, 64 and 32 bytes) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  %v = tilegpu.tma_fetch [%m][%c0] rows 1 through %p signals %arrived : !p, !tilegpu.mbarriers<16> -> !v
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c1_elements(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects a tile of elements of 16 bits in the layout of an accumulator of wgmma, not 'tensor<64x64xf32}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#rows = #tilegpu.distributed<[64, 64], registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #rows>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c1_layout(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects a tile of elements of 16 bits in the layout of an accumulator of wgmma, not}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!v = tensor<64x64xbf16, #tile.axes<"i", "j">>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c1_none(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects a tile of elements of 16 bits in the layout of an accumulator of wgmma, not}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<128x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c2_rows(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects staging for 64 x 64 elements of 'bf16' with swizzle 128, not '!tilegpu.buffer<tensor<128x64xbf16}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x128xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c2_columns(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects staging for 64 x 64 elements of 'bf16' with swizzle 128, not '!tilegpu.buffer<tensor<64x128xbf16}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c2_elements(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects staging for 64 x 64 elements of 'bf16' with swizzle 128, not '!tilegpu.buffer<tensor<64x64xf16}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 0, swizzle = 128, stages = 2>
func.func @tma_store_c2_contiguous(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects staging for 64 x 64 elements of 'bf16' with swizzle 128, not }}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 64, stages = 2>
func.func @tma_store_c2_swizzle(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects staging for 64 x 64 elements of 'bf16' with swizzle 128, not }}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_none(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_more(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  %m1 = tilegpu.tensor_map %y order [1, 0] box [32, 16] swizzle 64 : !y
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [%m0, %m1][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_width(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [32, 16] swizzle 64 : !y
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_swizzle(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [32, 16] swizzle 128 : !y
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_rows(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 8] swizzle 128 : !y
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_row_dimension(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 0 : !v, !s
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c4_add(%r: !r, %y: !y, %s: !s, %arrived: !tilegpu.mbarriers<8>) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  %m1 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  %v = tilegpu.tma_fetch [%m0][%c0, %c0] rows 1 through %s signals %arrived : !s, !tilegpu.mbarriers<8> -> !v
  // expected-error @below {{expects of a tma_fetch through its staging buffer that it fetches a}}
  tilegpu.tma_store %v through %s to [%m1][%c0, %c0] rows 1 add : !v, !s
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c4_misses(%r: !r, %y: !y, %s: !s, %arrived: !tilegpu.mbarriers<8>) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  %m1 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  %v = tilegpu.tma_fetch [%m0][%c0, %c0] rows 1 through %s signals %arrived : !s, !tilegpu.mbarriers<8> -> !v
  // expected-error @below {{expects of a tma_fetch through its staging buffer that it fetches a}}
  tilegpu.tma_store %v through %s to [%m1][%c0, %c0] rows 1 may_miss : !v, !s
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c4_two(%r: !r, %y: !y, %s: !s, %arrived: !tilegpu.mbarriers<8>) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  %m1 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  %v = tilegpu.tma_fetch [%m0][%c0, %c0] rows 1 through %s signals %arrived : !s, !tilegpu.mbarriers<8> -> !v
  // expected-error @below {{expects of a tma_fetch through its staging buffer that it fetches a}}
  tilegpu.tma_store %v through %s to [%m1][%c0, %c0] rows 1 : !v, !s
  tilegpu.tma_store %v through %s to [%m1][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
#rows = #tilegpu.distributed<[128, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [64, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!u = tensor<128x64xbf16, #tile.axes<"i", "j", layout = #rows>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c4_type(%r: !r, %y: !y, %s: !s, %arrived: !tilegpu.mbarriers<8>) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  %m1 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  %v = tilegpu.tma_fetch [%m0][%c0, %c0] rows 1 through %s signals %arrived : !s, !tilegpu.mbarriers<8> -> !v
  %u = arith.constant dense<1.0> : !u
  // expected-error @below {{expects of a tma_fetch through its staging buffer that it fetches a}}
  tilegpu.tma_store %u through %s to [%m1][%c0, %c0] rows 1 : !u, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_coordinates(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 64 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [%m0][%c0] rows 1 : !v, !s
  return
}

// -----

// 112 columns are slices of 64, 32 and 16.
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 112], registers = [[0, 1], [8, 0], [0, 8]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x112xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @slices(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  %m1 = tilegpu.tensor_map %y order [1, 0] box [32, 16] swizzle 64 : !y
  %m2 = tilegpu.tensor_map %y order [1, 0] box [16, 16] swizzle 32 : !y
  tilegpu.tma_store %v through %s to [%m0, %m1, %m2][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 112], registers = [[0, 1], [8, 0], [0, 8]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x112xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_slice(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !y
  %m1 = tilegpu.tensor_map %y order [1, 0] box [32, 16] swizzle 64 : !y
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 112 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [%m0, %m1][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
#wgmma = #tilegpu.distributed<[64, 8], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!v = tensor<64x8xbf16, #tile.axes<"i", "j", layout = #wgmma>>
!s = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
func.func @tma_store_c3_columns(%y: !y, %v: !v, %s: !s) {
  %c0 = arith.constant 0 : i64
  %m0 = tilegpu.tensor_map %y order [1, 0] box [16, 16] swizzle 32 : !y
  // expected-error @below {{expects a map for each width of slices (64, 32, 16) of 8 columns, with boxes of 16 rows, and a coordinate for each dimension}}
  tilegpu.tma_store %v through %s to [%m0][%c0, %c0] rows 1 : !v, !s
  return
}

// -----

// Products.

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_stages(%a: !a, %b: !b) {
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not '!tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>' and}}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 64, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_swizzle(%a: !a, %b: !b) {
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xf32, #tile.axes<"i", "k">>, contiguous = 0, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xf32, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_contiguous(%a: !a, %b: !b) {
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x128xi8, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x128xi8, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
!e = tensor<64x64xi32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c2_integers(%a: !a, %b: !b) {
  %e = tilegpu.wgmma %a, %b : !a, !b -> !e
  // expected-error @below {{expects a result of 'i32' in the layout of an accumulator of wgmma, not 'tensor<64x64xf32}}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 40], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x128xi8, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<40x128xi8, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!e = tensor<64x40xi32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c2_columns_of_integers(%a: !a, %b: !b) {
  // expected-error @below {{expects a multiple of 16 columns of i8, or 8 or 24, not 40}}
  %e = tilegpu.wgmma %a, %b : !a, !b -> !e
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x128xf8E4M3FN, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x128xf8E5M2, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!c = !tilegpu.buffer<tensor<64x128xi8, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_of_8_bits(%a: !a, %b: !b, %c: !c) {
  // Both kinds of f8 may meet.
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not }}
  %e = tilegpu.wgmma %a, %c : !a, !c -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xi16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xi16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_integers(%a: !a, %b: !b) {
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_one_type(%a: !a, %b: !b) {
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "l">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_none_summed(%a: !a, %b: !b) {
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_all_summed(%a: !a, %b: !b) {
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c1_swapped(%a: !a, %b: !b) {
  // expected-error @below {{expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, with one axis in common and the result's others, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

// The summed axis need not be the contiguous one, nor the last.
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"k", "i">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"k", "j">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @transposed(%a: !a, %b: !b) {
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf16, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_c2_elements(%a: !a, %b: !b) {
  // expected-error @below {{expects a result of 'f32' in the layout of an accumulator of wgmma, not 'tensor<64x64xf16}}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#rows = #tilegpu.distributed<[64, 64], registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #rows>>
func.func @wgmma_c2_layout(%a: !a, %b: !b) {
  // expected-error @below {{expects a result of 'f32' in the layout of an accumulator of wgmma, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j">>
func.func @wgmma_c2_none(%a: !a, %b: !b) {
  // expected-error @below {{expects a result of 'f32' in the layout of an accumulator of wgmma, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#one = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [16, 0], [32, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = []>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #one>>
func.func @wgmma_c2_warps(%a: !a, %b: !b) {
  // expected-error @below {{expects a result of 'f32' in the layout of an accumulator of wgmma, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wide = #tilegpu.distributed<[64, 512], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<512x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x512xf32, #tile.axes<"i", "j", layout = #wide>>
func.func @wgmma_c2_columns(%a: !a, %b: !b) {
  // expected-error @below {{expects a result of 'f32' in the layout of an accumulator of wgmma, not }}
  %d = tilegpu.wgmma %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
!c = tensor<64x64xf32, #tile.axes<"i", "j">>
func.func @wgmma_c2_accumulator(%a: !a, %b: !b, %c: !c) {
  // expected-error @below {{expects an accumulator of the result's type, not 'tensor<64x64xf32, #tile.axes<"i", "j">>'}}
  %d = "tilegpu.wgmma"(%a, %b, %c) : (!a, !b, !c) -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xf32, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c1_element(%a: !a, %b: !b) {
  // expected-error @below {{expects a tile of 16-bit floats in the layout of an operand of wgmma, with the result's rows over its warps, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k">>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c1_layout(%a: !a, %b: !b) {
  // expected-error @below {{expects a tile of 16-bit floats in the layout of an operand of wgmma, with the result's rows over its warps, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"k", "i", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c1_rows(%a: !a, %b: !b) {
  // expected-error @below {{expects a tile of 16-bit floats in the layout of an operand of wgmma, with the result's rows over its warps, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"l", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c1_axis(%a: !a, %b: !b) {
  // expected-error @below {{expects a tile of 16-bit floats in the layout of an operand of wgmma, with the result's rows over its warps, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#eight = #tilegpu.distributed<[64, 8], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x8xbf16, #tile.axes<"i", "k", layout = #eight>>
!b = !tilegpu.buffer<tensor<8x64xbf16, #tile.axes<"k", "j">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c1_depth(%a: !a, %b: !b) {
  // expected-error @below {{expects a tile of 16-bit floats in the layout of an operand of wgmma, with the result's rows over its warps, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#two = #tilegpu.distributed<[128, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0], [64, 0]]>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<128x64xbf16, #tile.axes<"i", "k", layout = #two>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c1_warps(%a: !a, %b: !b) {
  // expected-error @below {{expects a tile of 16-bit floats in the layout of an operand of wgmma, with the result's rows over its warps, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

// The summed axis may come first: what counts is where the elements are.
#transposed = #tilegpu.distributed<[64, 64], registers = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lanes = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warps = [[0, 16], [0, 32]]>
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"k", "i", layout = #transposed>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_transposed(%a: !a, %b: !b) {
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c2_stages(%a: !a, %b: !b) {
  // expected-error @below {{expects a buffer of one stage, swizzle 128 and elements of 'bf16' whose axes are "k", as in the tile, and "j", as in the result, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 64, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c2_swizzle(%a: !a, %b: !b) {
  // expected-error @below {{expects a buffer of one stage, swizzle 128 and elements of 'bf16' whose axes are "k", as in the tile, and "j", as in the result, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c2_element(%a: !a, %b: !b) {
  // expected-error @below {{expects a buffer of one stage, swizzle 128 and elements of 'bf16' whose axes are "k", as in the tile, and "j", as in the result, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "l">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c2_axes(%a: !a, %b: !b) {
  // expected-error @below {{expects a buffer of one stage, swizzle 128 and elements of 'bf16' whose axes are "k", as in the tile, and "j", as in the result, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x128xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c2_depth(%a: !a, %b: !b) {
  // expected-error @below {{expects a buffer of one stage, swizzle 128 and elements of 'bf16' whose axes are "k", as in the tile, and "j", as in the result, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<128x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c2_columns(%a: !a, %b: !b) {
  // expected-error @below {{expects a buffer of one stage, swizzle 128 and elements of 'bf16' whose axes are "k", as in the tile, and "j", as in the result, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
func.func @wgmma_registers_c3_result(%a: !a, %b: !b) {
  // expected-error @below {{expects a result of f32 in the layout of an accumulator of wgmma, not }}
  %d = tilegpu.wgmma_registers %a, %b : !a, !b -> !d
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!a = tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
!b = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!d = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
!c = tensor<64x64xf32, #tile.axes<"i", "j">>
func.func @wgmma_registers_c3_accumulator(%a: !a, %b: !b, %c: !c) {
  // expected-error @below {{expects an accumulator of the result's type, not }}
  %d = "tilegpu.wgmma_registers"(%a, %b, %c) : (!a, !b, !c) -> !d
  return
}

// -----

func.func @wgmma_wait_c1_type(%a: tensor<64x64xf32, #tile.axes<"i", "j">>) {
  // expected-error @below {{expects results of the operands' types}}
  %v = tilegpu.wgmma_wait 0 of %a : tensor<64x64xf32, #tile.axes<"i", "j">> -> tensor<64x32xf32, #tile.axes<"i", "j">>
  return
}

// -----

func.func @wgmma_wait_c1_count(%a: tensor<64x64xf32, #tile.axes<"i", "j">>) {
  // expected-error @below {{expects results of the operands' types}}
  tilegpu.wgmma_wait 0 of %a : tensor<64x64xf32, #tile.axes<"i", "j">>
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
#pairs = #tilegpu.distributed<[64, 32], registers = [[8, 0], [0, 4], [0, 8], [0, 16]], lanes = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
#turned = #tilegpu.distributed<[64, 32], registers = [[0, 4], [8, 0], [0, 8], [0, 16]], lanes = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
func.func @pack_pairs_c1(%p: tensor<64x64xbf16, #tile.axes<"i", "t", layout = #wgmma>>, %f: tensor<64x64xf32, #tile.axes<"i", "t", layout = #wgmma>>) {
  %w = tilegpu.pack_pairs %p : tensor<64x64xbf16, #tile.axes<"i", "t", layout = #wgmma>> -> tensor<64x32xi32, #tile.axes<"i", "t", layout = #pairs>>
  // expected-error @below {{expects an operand of wgmma in registers and its pairs, not}}
  %v = tilegpu.pack_pairs %p : tensor<64x64xbf16, #tile.axes<"i", "t", layout = #wgmma>> -> tensor<64x32xi32, #tile.axes<"i", "t", layout = #turned>>
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
#pairs = #tilegpu.distributed<[64, 32], registers = [[8, 0], [0, 4], [0, 8], [0, 16]], lanes = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
func.func @pack_pairs_c1_elements(%f: tensor<64x64xf32, #tile.axes<"i", "t", layout = #wgmma>>) {
  // expected-error @below {{expects an operand of wgmma in registers and its pairs, not}}
  %v = tilegpu.pack_pairs %f : tensor<64x64xf32, #tile.axes<"i", "t", layout = #wgmma>> -> tensor<64x32xi32, #tile.axes<"i", "t", layout = #pairs>>
  return
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
#pairs = #tilegpu.distributed<[64, 32], registers = [[8, 0], [0, 4], [0, 8], [0, 16]], lanes = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
func.func @unpack_pairs_c1(%w: tensor<64x32xi64, #tile.axes<"i", "t", layout = #pairs>>) {
  // expected-error @below {{expects the pairs of an operand of wgmma in registers, not}}
  %v = tilegpu.unpack_pairs %w : tensor<64x32xi64, #tile.axes<"i", "t", layout = #pairs>> -> tensor<64x64xbf16, #tile.axes<"i", "t", layout = #wgmma>>
  return
}

// -----

!q = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"t", "d">>, contiguous = 1, swizzle = 128, stages = 1>
func.func @clear_absent_c1(%q: !q, %t: !tile.span<"t", 64>, %d: !tile.span<"d", 64>) {
  tilegpu.clear_absent %q over %t : !q, !tile.span<"t", 64>
  // expected-error @below {{expects a buffer of one stage and two dimensions, of which the span's is not contiguous, not}}
  tilegpu.clear_absent %q over %d : !q, !tile.span<"d", 64>
  return
}

// -----

tile.kernel @cluster_sum_c1_columns() dimensions = 0 {
  %a = arith.constant dense<0.0> : tensor<64x96xf32, #tile.axes<"i", "j">>
  // expected-error @below {{expects tiles of 32-bit elements with two axes, of which the operand has 2, 4 or 8 times as many columns}}
  %s = tilegpu.cluster_sum %a : tensor<64x96xf32, #tile.axes<"i", "j">> -> tensor<64x32xf32, #tile.axes<"i", "j">>
}

// -----

tile.kernel @cluster_sum_c1_elements() dimensions = 0 {
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #tile.axes<"i", "j">>
  // expected-error @below {{expects tiles of 32-bit elements with two axes}}
  %s = tilegpu.cluster_sum %a : tensor<64x64xbf16, #tile.axes<"i", "j">> -> tensor<64x32xbf16, #tile.axes<"i", "j">>
}

// -----

// Two shares of 8 KiB, and a ring of 8 KiB, then of 16.
#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!ring = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
!wide = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
!narrow = tensor<64x32xf32, #tile.axes<"i", "j">>

tile.kernel @cluster_sum_c2_room() dimensions = 0 {
  %a = arith.constant dense<0.0> : !wide
  %c0 = arith.constant 0 : i64
  %ring = tilegpu.alloc : !ring
  %ready = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
  %free = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
  // expected-error @below {{expects buffers with room for a share of 8192 bytes from each block, not for 4096}}
  %s = tilegpu.cluster_sum %a parts %c0 through %ring signals %ready, %free parity %c0 : !wide -> !narrow signals !tilegpu.mbarriers<1>, !tilegpu.mbarriers<1> through !ring
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!ring = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
!wide = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
!narrow = tensor<64x32xf32, #tile.axes<"i", "j">>

tile.kernel @room_for_sums() dimensions = 0 {
  %a = arith.constant dense<0.0> : !wide
  %c0 = arith.constant 0 : i64
  %ring = tilegpu.alloc : !ring
  %ready = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
  %free = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
  %s = tilegpu.cluster_sum %a parts %c0 through %ring signals %ready, %free parity %c0 : !wide -> !narrow signals !tilegpu.mbarriers<1>, !tilegpu.mbarriers<1> through !ring
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!ring = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
!wide = tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
!narrow = tensor<64x32xf32, #tile.axes<"i", "j">>

tile.kernel @cluster_sum_c2_barriers() dimensions = 0 {
  %a = arith.constant dense<0.0> : !wide
  %c0 = arith.constant 0 : i64
  %ring = tilegpu.alloc : !ring
  %ready = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<2>
  %free = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
  // expected-error @below {{expects one barrier that says that all is there, and one that it has been read}}
  %s = tilegpu.cluster_sum %a parts %c0 through %ring signals %ready, %free parity %c0 : !wide -> !narrow signals !tilegpu.mbarriers<2>, !tilegpu.mbarriers<1> through !ring
}

// -----

#wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
!ring = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
!wide = tensor<64x64xf32, #tile.axes<"i", "j">>
!narrow = tensor<64x32xf32, #tile.axes<"i", "j">>

tile.kernel @cluster_sum_c2_layout() dimensions = 0 {
  %a = arith.constant dense<0.0> : !wide
  %c0 = arith.constant 0 : i64
  %ring = tilegpu.alloc : !ring
  %ready = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
  %free = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
  // expected-error @below {{expects accumulators in the layout of wgmma, of which parts are added up}}
  %s = tilegpu.cluster_sum %a parts %c0 through %ring signals %ready, %free parity %c0 : !wide -> !narrow signals !tilegpu.mbarriers<1>, !tilegpu.mbarriers<1> through !ring
}
