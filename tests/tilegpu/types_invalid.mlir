// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{the bases make no layout: each basis has a coordinate for each dimension}}
func.func private @distributed_c1_coordinates() attributes {layout = #tilegpu.distributed<[16, 8], registers = [[1]], lanes = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warps = []>}

// -----

// expected-error @below {{the bases make no layout: a warp has 5 lane bits, found 2}}
func.func private @distributed_c1_lanes() attributes {layout = #tilegpu.distributed<[4], registers = [[1]], lanes = [[2], [0]], warps = []>}

// -----

// expected-error @below {{the bases make no layout: not every element of the atom 64 is held}}
func.func private @distributed_c1_held() attributes {layout = #tilegpu.distributed<[64], registers = [], lanes = [[1], [2], [4], [8], [16]], warps = []>}

// -----

// expected-error @below {{a buffer is of a tile without a layout, not 'tensor<4xf32>'}}
func.func private @buffer_c1_axes(!tilegpu.buffer<tensor<4xf32>, contiguous = 0, swizzle = 0, stages = 1>)

// -----

#layout = #tilegpu.distributed<[4], registers = [], lanes = [[1], [2], [0], [0], [0]], warps = []>
// expected-error @below {{a buffer is of a tile without a layout, not 'tensor<4xf32, #tile.axes<"i", layout = #tilegpu.distributed<[4], registers = [], lanes = [}}
func.func private @buffer_c1_layout(!tilegpu.buffer<tensor<4xf32, #tile.axes<"i", layout = #layout>>, contiguous = 0, swizzle = 0, stages = 1>)

// -----

// expected-error @below {{the contiguous dimension is the last one, not 0}}
func.func private @buffer_c2_last(!tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 0, swizzle = 0, stages = 1>)

// -----

// expected-error @below {{the contiguous dimension is one of the tile's, not 2}}
func.func private @buffer_c2_tile(!tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 2, swizzle = 32, stages = 1>)

// -----

// expected-error @below {{a swizzle is 0, 32, 64 or 128, not 16}}
func.func private @buffer_c3_width(!tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 16, stages = 1>)

// -----

// expected-error @below {{a swizzle needs two dimensions, not 1}}
func.func private @buffer_c3_dimensions(!tilegpu.buffer<tensor<32xf32, #tile.axes<"j">>, contiguous = 0, swizzle = 32, stages = 1>)

// -----

// expected-error @below {{the contiguous dimension has 32 bytes, which are not whole panels of 64}}
func.func private @buffer_c3_panels(!tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 64, stages = 1>)

// -----

// A panel is of padded extents: 5 elements are 8.
func.func private @padded(!tilegpu.buffer<tensor<16x5xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 32, stages = 1>)

// -----

// expected-error @below {{a buffer has at least one stage, not 0}}
func.func private @buffer_c4(!tilegpu.buffer<tensor<4xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 0>)
