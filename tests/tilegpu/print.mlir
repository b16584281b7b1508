// A layout stands after a tile's axes, and is printed once, at the top. What is printed parses again.
// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK: #layout = #tilegpu.distributed<[16, 8], registers = {{\[\[}}0, 1], [8, 0]], lanes = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = []>
#layout = #tilegpu.distributed<[16, 8], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = []>
// CHECK: func.func private @with(tensor<16x8xf32, #tile.axes<"i", "j", layout = #layout>>)
func.func private @with(tensor<16x8xf32, #tile.axes<"i", "j", layout = #layout>>)
// CHECK: func.func private @without(tensor<16x8xf32, #tile.axes<"i", "j">>)
func.func private @without(tensor<16x8xf32, #tile.axes<"i", "j">>)
// An axis may be called layout.
// CHECK: func.func private @name(tensor<8xf32, #tile.axes<"layout">>)
func.func private @name(tensor<8xf32, #tile.axes<"layout">>)

// What is not there is not printed.
// CHECK-LABEL: func.func @optional
// CHECK:         tilegpu.alloc : <tensor<16x8xf16
// CHECK:         tilegpu.alloc {offset = 64 : i64} : <tensor<8x8xf16
// CHECK:         tilegpu.async_load %{{.+}}[%{{.+}}, %{{.+}}] spans(%{{.+}}, %{{.+}}) into %{{.+}} layout #layout :
// CHECK:         tilegpu.dot fma %{{.+}}, %{{.+}}, %{{.+}} over ["k"] precision default :
// CHECK:         tilegpu.dot fma %{{.+}}, %{{.+}}, %{{.+}} over ["k"] precision default lhs_unsigned rhs_unsigned :
!x = !tile.view<element = i8, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!p = !tilegpu.buffer<tensor<16x8xf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 0, stages = 1>
!q = !tilegpu.buffer<tensor<8x8xf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 0, stages = 1>
!b = !tilegpu.buffer<tensor<16x8xi8, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 0, stages = 1>
!c = !tilegpu.buffer<tensor<8x8xi8, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 0, stages = 1>
func.func @optional(%x: !x, %b: !b, %c: !c, %i: !tile.span<"i", 16>, %k: !tile.span<"k", 8>, %ti: tensor<16xi64, #tile.axes<"i">>,
                    %tk: tensor<8xi64, #tile.axes<"k">>, %f: tensor<16x8xf32, #tile.axes<"i", "j">>, %n: tensor<16x8xi32, #tile.axes<"i", "j">>) {
  %p = tilegpu.alloc : !p
  %q = tilegpu.alloc {offset = 64 : i64} : !q
  tilegpu.async_load %x[%ti, %tk] spans(%i, %k) into %b layout #layout
      : !x, (tensor<16xi64, #tile.axes<"i">>, tensor<8xi64, #tile.axes<"k">>), spans(!tile.span<"i", 16>, !tile.span<"k", 8>), !b
  %d = tilegpu.dot fma %p, %q, %f over ["k"] precision default : !p, !q -> tensor<16x8xf32, #tile.axes<"i", "j">>
  %e = tilegpu.dot fma %b, %c, %n over ["k"] precision default lhs_unsigned rhs_unsigned : !b, !c -> tensor<16x8xi32, #tile.axes<"i", "j">>
  return
}
