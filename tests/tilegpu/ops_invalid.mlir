// RUN: tile-opt %s --split-input-file --verify-diagnostics

#rows = #tilegpu.distributed<[16, 8], registers = [[0, 1], [0, 2]], lanes = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warps = []>
#mma = #tilegpu.distributed<[16, 8], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = []>
func.func @convert_layout_c1_elements(%a: tensor<16x8xf32, #tile.axes<"i", "j", layout = #rows>>) {
  // expected-error @below {{expects operand and result to differ in nothing but the layout, but they are}}
  %r = tilegpu.convert_layout %a : tensor<16x8xf32, #tile.axes<"i", "j", layout = #rows>> -> tensor<16x8xf16, #tile.axes<"i", "j", layout = #mma>>
  return
}

// -----

#rows = #tilegpu.distributed<[16, 8], registers = [[0, 1], [0, 2]], lanes = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warps = []>
func.func @convert_layout_c1_none(%a: tensor<16x8xf32, #tile.axes<"i", "j", layout = #rows>>) {
  // expected-error @below {{expects operand and result to have layouts}}
  %r = tilegpu.convert_layout %a : tensor<16x8xf32, #tile.axes<"i", "j", layout = #rows>> -> tensor<16x8xf32, #tile.axes<"i", "j">>
  return
}

// -----

func.func @zero_absent_c1(%a: tensor<16x8xf32, #tile.axes<"i", "j">>, %k: !tile.span<"k", 8>) {
  // expected-error @below {{has a span over axis "k", which its operand lacks}}
  %r = tilegpu.zero_absent %a over (%k) : tensor<16x8xf32, #tile.axes<"i", "j">>, !tile.span<"k", 8>
  return
}

// -----

!ring = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 3>
!other = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 32, stages = 1>
func.func @stage_c1(%ring: !ring, %n: i64) {
  // expected-error @below {{expects a result of type '!tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 1>', not '!tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 32, stages = 1>'}}
  %s = tilegpu.stage %ring[%n] : !ring -> !other
  return
}

// -----

!ring = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 3>
!named = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 0, stages = 1>
!wide = !tilegpu.buffer<tensor<8x16xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 1>
func.func @stage_c1_shape(%ring: !ring, %n: i64) {
  %s = tilegpu.stage %ring[%n] : !ring -> !named
  // expected-error @below {{expects a result of type}}
  %w = tilegpu.stage %ring[%n] : !ring -> !wide
  return
}

// -----

!ring = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 3>
func.func @store_shared_c1_stages(%ring: !ring, %a: tensor<16x8xf32, #tile.axes<"i", "j">>) {
  // expected-error @below {{expects a buffer of one stage (take it by tilegpu.stage), not of 3}}
  tilegpu.store_shared %a, %ring : tensor<16x8xf32, #tile.axes<"i", "j">>, !ring
  return
}

// -----

!b = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 1>
func.func @store_shared_c1_tile(%b: !b, %a: tensor<16x8xf32, #tile.axes<"j", "i">>) {
  // expected-error @below {{expects a value with the axes and elements of the buffer's 'tensor<16x8xf32, #tile.axes<"i", "j">>', not 'tensor<16x8xf32, #tile.axes<"j", "i">>'}}
  tilegpu.store_shared %a, %b : tensor<16x8xf32, #tile.axes<"j", "i">>, !b
  return
}

// -----

// Axes may have another order.
!b = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "j">>, contiguous = 1, swizzle = 0, stages = 1>
func.func @transposed(%b: !b, %a: tensor<8x16xf32, #tile.axes<"j", "i">>) {
  tilegpu.store_shared %a, %b : tensor<8x16xf32, #tile.axes<"j", "i">>, !b
  return
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!b = !tilegpu.buffer<tensor<8xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 2>
#layout = #tilegpu.distributed<[8], registers = [[1], [2]], lanes = [[4], [0], [0], [0], [0]], warps = []>
func.func @async_load_c1_stages(%x: !x, %b: !b, %t: tensor<8xi64, #tile.axes<"i">>, %i: !tile.span<"i", 8>) {
  // expected-error @below {{expects a buffer of one stage (take it by tilegpu.stage), not of 2}}
  tilegpu.async_load %x[%t] spans(%i) into %b layout #layout : !x, (tensor<8xi64, #tile.axes<"i">>), spans(!tile.span<"i", 8>), !b
  return
}

// -----

!x = !tile.view<element = f16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!b = !tilegpu.buffer<tensor<8xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 1>
#layout = #tilegpu.distributed<[8], registers = [[1], [2]], lanes = [[4], [0], [0], [0], [0]], warps = []>
func.func @async_load_c1_elements(%x: !x, %b: !b, %t: tensor<8xi64, #tile.axes<"i">>, %i: !tile.span<"i", 8>) {
  // expected-error @below {{expects a buffer of 'tensor<8xf16, #tile.axes<"i">>', not of 'tensor<8xf32, #tile.axes<"i">>'}}
  tilegpu.async_load %x[%t] spans(%i) into %b layout #layout : !x, (tensor<8xi64, #tile.axes<"i">>), spans(!tile.span<"i", 8>), !b
  return
}

// -----

!p = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 0, stages = 2>
!q = !tilegpu.buffer<tensor<8x8xf32, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 0, stages = 1>
func.func @dot_c1(%p: !p, %q: !q, %c: tensor<16x8xf32, #tile.axes<"i", "j">>) {
  // expected-error @below {{expects a buffer of one stage (take it by tilegpu.stage), not of 2}}
  %d = tilegpu.dot fma %p, %q, %c over ["k"] precision default : !p, !q -> tensor<16x8xf32, #tile.axes<"i", "j">>
  return
}

// -----

!p = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 0, stages = 1>
!q = !tilegpu.buffer<tensor<8x8xf32, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 0, stages = 1>
func.func @dot_c2_summed(%p: !p, %q: !q, %c: tensor<16x8xf32, #tile.axes<"i", "j">>) {
  // expected-error @below {{sums over axis "j", which is not one of both operands}}
  %d = tilegpu.dot fma %p, %q, %c over ["j"] precision default : !p, !q -> tensor<16x8xf32, #tile.axes<"i", "j">>
  return
}

// -----

!p = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 0, stages = 1>
!q = !tilegpu.buffer<tensor<8x8xf32, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 0, stages = 1>
func.func @dot_c2_kept(%p: !p, %q: !q, %c: tensor<16xf32, #tile.axes<"i">>) {
  // expected-error @below {{keeps axis "j", which the result lacks}}
  %d = tilegpu.dot fma %p, %q, %c over ["k"] precision default : !p, !q -> tensor<16xf32, #tile.axes<"i">>
  return
}

// -----

#row = #tilegpu.distributed<[16], registers = [], lanes = [[0], [1], [2], [4], [8]], warps = []>
func.func @load_shared_c1_stages(%b: !tilegpu.buffer<tensor<16xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 2>) {
  // expected-error @below {{expects a buffer of one stage}}
  %r = tilegpu.load_shared %b : !tilegpu.buffer<tensor<16xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 2> -> tensor<16xf32, #tile.axes<"i", layout = #row>>
  return
}

// -----

#row = #tilegpu.distributed<[16], registers = [], lanes = [[0], [1], [2], [4], [8]], warps = []>
func.func @load_shared_c1_elements(%b: !tilegpu.buffer<tensor<16xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 1>) {
  // expected-error @below {{expects a result with a layout and the axes and elements of the buffer's}}
  %r = tilegpu.load_shared %b : !tilegpu.buffer<tensor<16xf32, #tile.axes<"i">>, contiguous = 0, swizzle = 0, stages = 1> -> tensor<16xf16, #tile.axes<"i", layout = #row>>
  return
}
