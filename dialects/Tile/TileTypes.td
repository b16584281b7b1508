#ifndef TILEWRIGHT_DIALECTS_TILE_TILETYPES_TD
#define TILEWRIGHT_DIALECTS_TILE_TILETYPES_TD

include "dialects/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Tile_Attr<string name, string attributeMnemonic, list<Trait> traits = []> : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attributeMnemonic;
}

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_AxesAttr : Tile_Attr<"Axes", "axes", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "The names of a tile's axes, one for each dimension of its tensor";
  let description = [{
    The encoding of a tile's tensor type. Names are unique in a tile, and in a kernel each names the axis that one span made.
    The order has no meaning in the language; here it is the order of the tensor's dimensions, whose extents are the capacities
    of the spans.

    A target with threads adds a `layout`, which says who holds which element; it is an attribute of that target's dialect:
    `#tile.axes<"i", "k", layout = #tilegpu.distributed<…>>`.

    - axes_c1: there is an axis, and no two have one name or an empty one
    - axes_c2: a tile's tensor has one dimension for each axis, with a static extent of at least 1
    - axes_c3: its elements are of a dtype: f64 f32 f16 bf16 f8E4M3FN f8E5M2 i64 i32 i16 i8 (also u8) i1 (bool)

    ```mlir
    tensor<128x64xf32, #tile.axes<"i", "k">>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names, OptionalParameter<"::mlir::Attribute">:$layout);
  let hasCustomAssemblyFormat = 1; // a generated one would take what follows a name for more names
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::mlir::StringAttr>":$names), "return $_get($_ctxt, names, ::mlir::Attribute());">];
  let genVerifyDecl = 1;
}

def Tile_SpanType : Tile_Type<"Span", "span"> {
  let summary = "Up to `capacity` consecutive indices: an axis";
  let description = [{
    A value of this type is a run-time pair (start, len) with 1 <= len <= capacity. Its name is the axis of the tiles made with it.

    - span_c1: the axis has a name
    - span_c2: the capacity is at least 1

    ```mlir
    !tile.span<"i", 128>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$axis, "int64_t":$capacity);
  let assemblyFormat = "`<` $axis `,` $capacity `>`";
  let genVerifyDecl = 1;
}

def Tile_AccessEnum : I32EnumAttr<"Access", "how a kernel uses a view", [
    I32EnumAttrCase<"In", 0, "in">, I32EnumAttrCase<"Out", 1, "out">, I32EnumAttrCase<"InOut", 2, "inout">]> {
  let cppNamespace = "::tilewright::tile";
  let genSpecializedAttr = 0;
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "Strided memory with named dimensions";
  let description = [{
    A kernel's view parameter and what is known of it when it is compiled: its dimensions' names (`M...` for a pack, empty for
    a computed one), how it is used, which dimension has stride 1 (-1: none is known to), how many dimensions of memory a pack
    stands for (1: its strides merge), and the alignment in bytes of its address and other strides. bool is stored as i8 and
    u8 as i8.

    - view_c1: the elements are of a dtype that memory holds: f64 f32 f16 bf16 f8E4M3FN f8E5M2 i64 i32 i16 i8
    - view_c2: there are 1 to 5 dimensions, each a string, at most one of them a pack
    - view_c3: unit_stride is a dimension or -1
    - view_c4: pack_rank is 1 to 5, and 1 without a pack
    - view_c5: the alignment is a power of two

    ```mlir
    !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 2>
    ```
  }];
  let parameters = (ins "::mlir::Type":$element, "::mlir::ArrayAttr":$dims, EnumParameter<Tile_AccessEnum>:$access,
                        "int64_t":$unit_stride, "int64_t":$pack_rank, "int64_t":$alignment);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of indices of an access (a pack counts once).
    int64_t getRank() const { return static_cast<int64_t>(getDims().size()); }
    /// The position of the pack `M...`, or -1.
    int64_t getPackDimension() const;
    /// The element type of the tiles loaded from it: i1 for bool, which memory holds as i8, is the loads' business.
    bool isWritten() const { return getAccess() != Access::In; }
  }];
}

#endif
