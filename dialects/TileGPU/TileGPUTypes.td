#ifndef TILEWRIGHT_DIALECTS_TILEGPU_TILEGPUTYPES_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_TILEGPUTYPES_TD

include "dialects/TileGPU/TileGPUDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class TileGPU_Attr<string name, string attributeMnemonic, list<Trait> traits = []> : AttrDef<TileGPU_Dialect, name, traits> {
  let mnemonic = attributeMnemonic;
}

class TileGPU_Type<string name, string typeMnemonic> : TypeDef<TileGPU_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TileGPU_DistributedAttr : TileGPU_Attr<"Distributed", "distributed"> {
  let summary = "Which element of a tile does a register of a lane of a warp hold?";
  let description = [{
    A layout::DistributedLayout (dialects/Layout has the idea): `shape` is the padded shape; each bit of the numbers of a register,
    a lane and a warp adds, by exclusive or, a coordinate.

    - distributed_c1: the bases make a layout: five lane bits, every element held by somebody

    ```mlir
    #tilegpu.distributed<[16, 8], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = []>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, ArrayRefParameter<"int64_t">:$registers,
                        ArrayRefParameter<"int64_t">:$lanes, ArrayRefParameter<"int64_t">:$warps);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::tilewright::layout::DistributedLayout &":$layout)>];
  let extraClassDeclaration = [{
    ::tilewright::layout::DistributedLayout getValue() const;
  }];
}

def TileGPU_BufferType : TileGPU_Type<"Buffer", "buffer"> {
  let summary = "A tile in shared memory, or several of them in turn";
  let description = [{
    `stages` tiles, one after another, each at a multiple of 1,024 bytes if it is swizzled, of 128 if it has one dimension (tensor
    copies want that), else of 16. Within a tile dimension
    `contiguous` is the fastest; the others follow row-major. `swizzle` (0, 32, 64 or 128) is the width in bytes of the panels
    whose 16-byte chunks are permuted (layout::SharedLayout); it needs two dimensions. Extents are padded as in a layout.

    - buffer_c1: the tile has axes and no layout
    - buffer_c2: `contiguous` is one of its dimensions; without a swizzle it is the last
    - buffer_c3: `swizzle` is 0, 32, 64 or 128, and if it is not 0 the tile has two dimensions and the contiguous one is whole panels
    - buffer_c4: there is a stage

    ```mlir
    !tilegpu.buffer<tensor<128x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 3>
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tile, "int64_t":$contiguous, "int64_t":$swizzle, "int64_t":$stages);
  let assemblyFormat = "`<` $tile `,` `contiguous` `=` $contiguous `,` `swizzle` `=` $swizzle `,` `stages` `=` $stages `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The padded shape of one tile.
    ::llvm::SmallVector<int64_t> getPaddedShape() const;
    int64_t getElementBytes() const;
    /// Of one stage, rounded up to where the next may begin.
    int64_t getStageBytes() const;
    int64_t getBytes() const { return getStageBytes() * getStages(); }
    int64_t getAlignment() const { return getSwizzle() ? 1024 : getTile().getRank() == 1 ? 128 : 16; }
  }];
}

def TileGPU_MbarriersType : TileGPU_Type<"Mbarriers", "mbarriers"> {
  let summary = "Barriers in shared memory, numbered from 0";
  let description = [{
    8 bytes each.

    - mbarriers_c1: there is one at least

    ```mlir
    !tilegpu.mbarriers<2>
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

def TileGPU_TensorMapType : TileGPU_Type<"TensorMap", "tensor_map"> {
  let summary = "A tensor map: 128 bytes that the host makes of a view";
  let description = [{
    ```mlir
    !tilegpu.tensor_map
    ```
  }];
}

def TileGPU_ScheduleAttr : TileGPU_Attr<"Schedule", "schedule"> {
  let summary = "How the warps of a block divide the work of a product";
  let description = [{
    `groups` groups of `warps` warps compute; one more warpgroup feeds them. With two groups (ping-pong) each has tiles of its own, and the
    epilogue of one runs beside the products of the other; with one group (cooperative) its warpgroups share a tile. `stages` of the ring, 0 for
    as many as fit. `registers` of a thread, of the feeding warpgroup and of the others. `prepares`: vectors along the columns are left in
    shared memory by a warp of their own. `split`: so many blocks, a cluster, have one tile, each a part of the summed axis; then each adds up the
    sums of its share of the columns and stores it. `raster`: tiles are taken in groups of so many rows of tiles.

    - schedule_c1: one or two groups of 4 or 8 warps
    - schedule_c2: registers are 0, or multiples of 8 from 24 to 240; together no more than the block begins with: 168 for each of 384 threads, 96 of 640; 0 where it begins with as many as a thread can have
    - schedule_c3: stages are 0, or from 2 to 16
    - schedule_c4: split is 1, 2, 4 or 8; more than 1 is for one group
    - schedule_c5: raster is from 1 to 64

    ```mlir
    #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [24, 240], prepares = true>
    ```
    ```mlir
    #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [24, 240], prepares = false, split = 4, raster = 16>
    ```
  }];
  let parameters = (ins "int64_t":$groups, "int64_t":$warps, "int64_t":$stages, ArrayRefParameter<"int64_t">:$registers, "bool":$prepares,
                        DefaultValuedParameter<"int64_t", "1">:$split, DefaultValuedParameter<"int64_t", "8">:$raster);
  let assemblyFormat = [{
    `<` `groups` `=` $groups `,` `warps` `=` $warps `,` `stages` `=` $stages `,` `registers` `=` `[` $registers `]` `,` `prepares` `=` $prepares
    `` custom<FieldsWithDefaults>($split, $raster) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of a block, the feeding ones among them.
    int64_t getThreads() const { return 32 * (getGroups() * getWarps() + 4); }
  }];
}

def TileGPU_DotKindEnum : I32EnumAttr<"DotKind", "which units form a product", [
    I32EnumAttrCase<"Fma", 0, "fma">, I32EnumAttrCase<"Mma", 1, "mma">, I32EnumAttrCase<"Wgmma", 2, "wgmma">]> {
  let cppNamespace = "::tilewright::tilegpu";
}

#endif
