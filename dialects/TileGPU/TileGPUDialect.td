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
    layout, `#tile.axes<"i", "k" : #tilegpu.distributed<…>>`, so operands of one operation are in the same places, and every
    movement between places is an operation that can be seen: tilegpu.convert_layout.

    *The shape of a layout* is that of the tile, each extent rounded up to what layouts can cover (paddedExtent in TileGPU.h).
    What lies beyond the tile's extent, like what lies beyond a span's length, is garbage that no program can observe.

    *Decisions* are attributes and types; the passes that act on them decide nothing. tile.kernel has
    `tilegpu.warps` (i64: warps of a block) and, once memory is allocated, `tilegpu.shared_bytes`.
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
