#ifndef TILEWRIGHT_DIALECTS_TILEGPU_TILEGPUDIALECT_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_TILEGPUDIALECT_TD

include "mlir/IR/OpBase.td"

def TileGPU_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tilewright::tilegpu";
  let summary = "Tiles in the registers and the shared memory of a block of threads";
  let description = [{
    What a GPU adds to the tile dialect: *layouts* (which thread holds which element), buffers in shared memory, the products and
    copies of the hardware, barriers. The operations of the tile dialect stay what they are; the types of their tiles carry a
    layout, `#tile.axes<"i", "k", layout = #tilegpu.distributed<…>>`, so operands of one operation are in the same places, and every
    movement between places is an operation that can be seen: tilegpu.convert_layout.

    *The shape of a layout* is that of the tile, each extent rounded up to what layouts can cover (paddedExtent in TileGPU.h).
    What lies beyond the tile's extent, like what lies beyond a span's length, is garbage that no program can observe.

    *Decisions* are attributes and types; the passes that act on them decide nothing. tile.kernel has
    `tilegpu.warps` (i64: warps of a block) and, once memory is allocated, `tilegpu.shared_bytes`.

    *Examples* stand in the innermost region of this kernel, which is shown once:

    ```mlir
    #rows = #tilegpu.distributed<[16, 8], registers = [[0, 1], [0, 2]], lanes = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warps = []>
    #row = #tilegpu.distributed<[16], registers = [], lanes = [[0], [1], [2], [4], [8]], warps = []>
    #column = #tilegpu.distributed<[8], registers = [[1], [2]], lanes = [[4], [0], [0], [0], [0]], warps = []>
    #mma = #tilegpu.distributed<[16, 8], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = []>
    #wgmma = #tilegpu.distributed<[64, 64], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
    #pairs = #tilegpu.distributed<[64, 32], registers = [[8, 0], [0, 4], [0, 8], [0, 16]], lanes = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
    !x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
    !ring = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 2>
    !p = !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 1>
    !q = !tilegpu.buffer<tensor<8x8xf32, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 32, stages = 1>
    tile.kernel @stage(%x: !x, %M: i64, %K: i64) dimensions = 2 attributes {tilegpu.warps = 1 : i64} {
      %c0 = arith.constant 0 : i64
      tile.parallel "i" %i : !tile.span<"i", 16> in %c0 to %M {
        %acc = arith.constant dense<0.0> : tensor<16x8xf32, #tile.axes<"i", "j", layout = #mma>>
        %ring = tilegpu.alloc : !ring
        %q = tilegpu.alloc : !q
        %full = tilegpu.mbarriers arrivals 1 : !tilegpu.mbarriers<2>
        %map = tilegpu.tensor_map %x order [1, 0] box [8, 16] swizzle 32 : !x
        tile.for "k" %k : !tile.span<"k", 8> in %c0 to %K {
          %ti = tile.index %i : !tile.span<"i", 16> -> tensor<16xi64, #tile.axes<"i", layout = #row>>
          %tk = tile.index %k : !tile.span<"k", 8> -> tensor<8xi64, #tile.axes<"k", layout = #column>>
          %a = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false]
              : !x, (tensor<16xi64, #tile.axes<"i", layout = #row>>, tensor<8xi64, #tile.axes<"k", layout = #column>>),
                spans(!tile.span<"i", 16>, !tile.span<"k", 8>)
              -> tensor<16x8xf32, #tile.axes<"i", "k", layout = #rows>>
          %p = tilegpu.stage %ring[%c0] : !ring -> !p
          %exists = arith.cmpi slt, %c0, %K : i64
          // the example stands here
        }
      }
    }
    ```
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif
