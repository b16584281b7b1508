#ifndef TILEWRIGHT_DIALECTS_TILE_TILEOPS_TD
#define TILEWRIGHT_DIALECTS_TILE_TILEOPS_TD

include "dialects/Tile/TileTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string opMnemonic, list<Trait> traits = []> : Op<Tile_Dialect, opMnemonic, traits>;

// A tile is a ranked tensor with an axes encoding; a scalar is its element type alone.
def Tile_Tile : Type<CPred<"::tilewright::tile::isTile($_self)">, "tile (a tensor with #tile.axes)">;
def Tile_TileOrScalar : Type<CPred<"::tilewright::tile::isTileOrScalar($_self)">, "tile or scalar">;
// What is elementwise also serves vectors, after a target has cut tiles into them.
def Tile_Elements : Type<CPred<"::tilewright::tile::isTileOrScalar($_self) || ::tilewright::tile::isVector($_self)">,
                         "tile, scalar or vector">;
def Tile_IndexElements : Type<CPred<"(::tilewright::tile::isTileOrScalar($_self) || ::tilewright::tile::isVector($_self)) && "
                                    "::mlir::getElementTypeOrSelf($_self).isInteger(64)">,
                              "i64 tile, scalar or vector">;
def Tile_IndexValue : Type<CPred<"::tilewright::tile::isTileOrScalar($_self) && ::mlir::getElementTypeOrSelf($_self).isInteger(64)">,
                           "i64 tile or scalar">;
def Tile_SpanOrIndex : AnyTypeOf<[Tile_SpanType, I64]>;

def Tile_ReductionEnum : I32EnumAttr<"Reduction", "how elements are combined", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"UMax", 3, "umax">, I32EnumAttrCase<"UMin", 4, "umin">,
    I32EnumAttrCase<"And", 5, "and">, I32EnumAttrCase<"Or", 6, "or">]> {
  let cppNamespace = "::tilewright::tile";
  let description = "On floats max and min propagate NaN; on integers they are signed, umax and umin unsigned. add wraps on integers.";
}
def Tile_PrecisionEnum : I32EnumAttr<"DotPrecision", "how exactly a product is formed", [
    I32EnumAttrCase<"Default", 0, "default">, I32EnumAttrCase<"Fast", 1, "fast">, I32EnumAttrCase<"TF32", 2, "tf32">,
    I32EnumAttrCase<"TF32x3", 3, "tf32x3">]> {
  let cppNamespace = "::tilewright::tile";
}

//===--------------------------------------------------------------------------------------------------------------===//
// Structure
//===--------------------------------------------------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
                                       DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A kernel: parameters, then a nest of tile.parallel";
  let description = [{
    The block's arguments are the present parameters in declared order (views, and scalars of their dtype; bool as i1), then one
    i64 for each run-time dimension. `names` has a name for each argument (in the text they are the arguments' own); the last
    `dimensions` of them are dimensions. `checked` marks checked mode.

    The body computes what the grid's ranges need and holds the first tile.parallel, whose body does the same for the second; the
    innermost one's body makes one tile. `over ()` has no tile.parallel: the kernel's own body makes its one tile.

    - kernel_c1: each argument has one name, an identifier that no other has
    - kernel_c2: there are at least `dimensions` arguments, and the last ones are i64
    - kernel_c3: the others are views and scalars

    ```mlir
    tile.kernel @scale(%x: !tile.view<element = f32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>,
                       %a: f32, %N: i64) dimensions = 1 {
      %c0 = arith.constant 0 : i64
      tile.parallel "i" %i : !tile.span<"i", 128> in %c0 to %N {
        tile.yield
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$names, I64Attr:$dimensions, UnitAttr:$checked);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    /// The block argument with a name, or null.
    ::mlir::BlockArgument getArgument(::llvm::StringRef name);
    /// The dimension arguments: the last ones.
    ::mlir::Block::BlockArgListType getDimensionArguments() { return getBlock().getArguments().take_back(getDimensions()); }
    ::mlir::Block::BlockArgListType getParameterArguments() { return getBlock().getArguments().drop_back(getDimensions()); }
  }];
}

def Tile_ParallelOp : Tile_Op<"parallel", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
                                           DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A grid variable: its tiles run in any order, in parallel";
  let description = [{
    Cuts low..high from its start into pieces of `capacity` indices, the last one shorter; the region runs once for each, with the
    span, or without `capacity` once for each index, an i64. An empty range (high <= low) runs nothing. `axis` is the
    variable's name.

    - parallel_c1: the region has one argument, an i64 or a span over `axis`
    - parallel_c2: no enclosing tile.parallel or tile.for makes the same axis
    - parallel_c3: the region yields nothing
    - parallel_c4: it stands in a kernel, in another tile.parallel, or in a part of a kernel that another dialect's operation makes

    In the body of a kernel:

    ```mlir
    tile.parallel "b" %b : i64 in %c0 to %M {
      tile.parallel "i" %i : !tile.span<"i", 128> in %b to %N {
      }
    }
    ```
  }];
  let arguments = (ins I64:$low, I64:$high, StrAttr:$axis);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVariable() { return getBody().front().getArgument(0); }
    bool isSpan();
  }];
}

def Tile_ForOp : Tile_Op<"for", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
                                 DeclareOpInterfaceMethods<LoopLikeOpInterface,
                                     ["getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable", "getLoopResults"]>,
                                 DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A loop over spans or indices, in order";
  let description = [{
    As tile.parallel, but in order and with carried values: the region's arguments are the span or i64, then the carried values,
    which start from `initial`; the region yields the next ones, and the last ones are the results.

    - for_c1: the region's first argument is an i64 or a span over `axis`
    - for_c2: no enclosing tile.parallel or tile.for makes the same axis
    - for_c3: the initial values, the region's other arguments, the yielded values and the results have the same types

    ```mlir
    %r, %n = tile.for "t" %t : !tile.span<"t", 64> in %c0 to %K carries (%u = %zero, %m = %c0) : tensor<128x192xf32, #tile.axes<"i", "j">>, i64 {
      %end = tile.span_end %t : !tile.span<"t", 64>
      tile.yield %u, %end : tensor<128x192xf32, #tile.axes<"i", "j">>, i64
    }
    tile.for "e" %e : i64 in %c0 to %n {
    }
    ```
  }];
  let arguments = (ins I64:$low, I64:$high, Variadic<AnyType>:$initial, StrAttr:$axis);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVariable() { return getBody().front().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarried() { return getBody().front().getArguments().drop_front(); }
    bool isSpan();
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike,
                                     ParentOneOf<["ParallelOp", "ForOp", "FoldOp", "ScanOp"]>]> {
  let summary = "Ends a region of this dialect";
  let description = [{
    Its operands are what the region gives to the operation around it: a tile.for's next carried values, the combined state of a
    tile.fold or tile.scan, nothing to a tile.parallel. The operation around it checks their types. Without operands it need not
    be written.

    ```mlir
    tile.for "t" %t : i64 in %c0 to %K {
      tile.yield
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===--------------------------------------------------------------------------------------------------------------===//
// Spans
//===--------------------------------------------------------------------------------------------------------------===//

def Tile_SpanOp : Tile_Op<"span", [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The span 0..capacity of a constant length";
  let description = [{
    `let d = span(n);`: its length is its capacity.

    ```mlir
    %d = tile.span : !tile.span<"d", 128>
    ```
  }];
  let results = (outs Tile_SpanType:$span);
  let assemblyFormat = "attr-dict `:` type($span)";
}

def Tile_SpanStartOp : Tile_Op<"span_start", [Pure]> {
  let summary = "The first index of a span";
  let description = [{
    ```mlir
    %first = tile.span_start %k : !tile.span<"k", 64>
    ```
  }];
  let arguments = (ins Tile_SpanType:$span);
  let results = (outs I64:$start);
  let assemblyFormat = "$span attr-dict `:` type($span)";
  let hasFolder = 1;
}

def Tile_SpanEndOp : Tile_Op<"span_end", [Pure]> {
  let summary = "One past the last index of a span";
  let description = [{
    The start plus the length, which is the capacity or, in the last piece of a range, what is left.

    ```mlir
    %end = tile.span_end %k : !tile.span<"k", 64>
    ```
  }];
  let arguments = (ins Tile_SpanType:$span);
  let results = (outs I64:$end);
  let assemblyFormat = "$span attr-dict `:` type($span)";
  let hasFolder = 1;
}

def Tile_IndexOp : Tile_Op<"index", [Pure]> {
  let summary = "The tile of a span's indices";
  let description = [{
    Lane l holds start + l (in garbage lanes too, which are not observed).

    - index_c1: the result is an i64 tile over the span's axis alone

    ```mlir
    %t = tile.index %i : !tile.span<"i", 128> -> tensor<128xi64, #tile.axes<"i">>
    ```
  }];
  let arguments = (ins Tile_SpanType:$span);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$span attr-dict `:` type($span) `->` type($result)";
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------------------------===//
// Memory
//===--------------------------------------------------------------------------------------------------------------===//

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads a tile of a view";
  let description = [{
    `indices` has one i64 tile or scalar for each dimension of the view. The result's axes are the union of theirs, and `spans`
    are the spans of the result's axes in the result's order. Elements beyond a span's len are not read.
    With `otherwise` (a scalar or tile of the result's element type) an element whose index leaves 0..extent in a dimension marked
    in `compare` has that value; unmarked dimensions are in range.
    The result's element type is the view's, but i1 for a bool view, which is stored as i8.

    Nothing changes an `in` view while the kernel runs, so a load of it has no memory effect: it may be repeated, merged and
    dropped. It must not be moved to where it was not to run, since its indices may be out of range there. A load of an `inout`
    view reads the value before the kernel's own store to that element.

    - load_c1: one index for each dimension of the view
    - load_c2: one entry of `compare` for each dimension
    - load_c3: each index's axes are among the spans' axes, with their capacities, and each span's axis is one of an index
    - load_c4: the result's axes are the spans', in their order
    - load_c5: the result's element type is the view's, or i1 where the view's is i8
    - load_c6: `otherwise` has the result's element type, and its axes are among the result's
    - load_c7: a dimension is marked in `compare` only if there is an `otherwise`

    ```mlir
    %t = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false]
        : !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>,
          (tensor<128xi64, #tile.axes<"i">>, tensor<64xi64, #tile.axes<"k">>), spans(!tile.span<"i", 128>, !tile.span<"k", 64>)
        -> tensor<128x64xbf16, #tile.axes<"i", "k">>
    %one = arith.constant 1.0 : bf16
    %before = arith.constant -1 : i64
    %row = tile.load %x[%before, %tk] spans(%k) else %one compare [true, false]
        : !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>,
          (i64, tensor<64xi64, #tile.axes<"k">>), spans(!tile.span<"k", 64>) else bf16 -> tensor<64xbf16, #tile.axes<"k">>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices, Variadic<Tile_SpanType>:$spans,
                       Optional<Tile_TileOrScalar>:$otherwise, DenseBoolArrayAttr:$compare);
  let results = (outs Tile_TileOrScalar:$result);
  let assemblyFormat = [{
    $view `[` $indices `]` (`spans` `(` $spans^ `)`)? (`else` $otherwise^)? `compare` $compare attr-dict
    `:` type($view) `,` `(` type($indices) `)` (`,` `spans` `(` type($spans)^ `)`)? (`else` type($otherwise)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

class Tile_WriteOp<string opMnemonic, list<Trait> traits = []>
    : Tile_Op<opMnemonic, !listconcat([AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)> {
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_WriteOp<"store"> {
  let summary = "Writes a tile to a view, each element once";
  let description = [{
    `indices` as in tile.load; `spans` are the spans of the union of the indices' axes, in the order in which the elements are
    best visited (the view's dimension order). The value's axes are among them; it is repeated along the others. Elements
    beyond a span's len are not written, nor, with a dimension marked in `compare`, those outside the view.
    `promised_unique` says that the author promises that no element is written twice (places from memory). With `message`, the
    number of a message, the kernel keeps count of every store to the view, and reports each element that was written more than
    once when all tiles are done; the message's values are the element's indices (i64) and the count (i32).

    - store_c1: one index for each dimension of the view
    - store_c2: one entry of `compare` for each dimension
    - store_c3: each index's axes are among the spans' axes, with their capacities, and each span's axis is one of an index
    - store_c4: the value's axes are among the spans', with their capacities
    - store_c5: the value's element type is the view's, or i1 where the view's is i8
    - store_c6: the view is out or inout
    - store_c7: `message` needs `promised_unique`

    ```mlir
    %r = tile.cast %acc : tensor<128x192xf32, #tile.axes<"i", "j">> -> tensor<128x192xbf16, #tile.axes<"i", "j">>
    tile.store %r, %y[%ti, %tj] spans(%i, %j) compare [false, false]
        : tensor<128x192xbf16, #tile.axes<"i", "j">>,
          !tile.view<element = bf16, dims = ["M...", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>,
          (tensor<128xi64, #tile.axes<"i">>, tensor<192xi64, #tile.axes<"j">>), spans(!tile.span<"i", 128>, !tile.span<"j", 192>)
    ```
  }];
  let arguments = (ins Tile_TileOrScalar:$value, Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices,
                       Variadic<Tile_SpanType>:$spans, DenseBoolArrayAttr:$compare, UnitAttr:$promised_unique,
                       OptionalAttr<I64Attr>:$message);
  let assemblyFormat = [{
    $value `,` $view `[` $indices `]` (`spans` `(` $spans^ `)`)? `compare` $compare (`promised_unique` $promised_unique^)?
    (`message` $message^)? attr-dict
    `:` type($value) `,` type($view) `,` `(` type($indices) `)` (`,` `spans` `(` type($spans)^ `)`)?
  }];
}

def Tile_AccumulateOp : Tile_WriteOp<"accumulate"> {
  let summary = "Adds a tile to a view (or takes the max or min), in an order that the schedule fixes";
  let description = [{
    As tile.store, but combines with what the element holds: the old value of an inout view, and 0 (for max and min the
    identity in the view's dtype: -inf and inf, or the dtype's limits) for an out view. The value has the view's accumulator type
    (f32, f64, i32 or i64), to which the old value is widened (`is_unsigned`: the view is u8); the sum is rounded once.
    `shared` says that several tiles of the grid may add to one element, so that partial sums must be combined; without it each
    element belongs to one tile. The value is repeated along the spans that it lacks, so that it is combined once for each of
    their indices.

    - accumulate_c1: one index for each dimension of the view
    - accumulate_c2: one entry of `compare` for each dimension
    - accumulate_c3: each index's axes are among the spans' axes, with their capacities, and each span's axis is one of an index
    - accumulate_c4: the value's axes are among the spans', with their capacities
    - accumulate_c5: the value's element type is the view's accumulator type
    - accumulate_c6: the view is out or inout
    - accumulate_c7: `kind` is add, max or min
    - accumulate_c8: `is_unsigned` needs a view of i8

    ```mlir
    %t = tile.reduce add %acc over (%i) : tensor<128x192xf32, #tile.axes<"i", "j">>, !tile.span<"i", 128> -> tensor<192xf32, #tile.axes<"j">>
    tile.accumulate add %t, %db[%tj] spans(%j) compare [false] shared
        : tensor<192xf32, #tile.axes<"j">>,
          !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>,
          (tensor<192xi64, #tile.axes<"j">>), spans(!tile.span<"j", 192>)
    ```
  }];
  let arguments = (ins Tile_TileOrScalar:$value, Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices,
                       Variadic<Tile_SpanType>:$spans, Tile_ReductionEnum:$kind, DenseBoolArrayAttr:$compare, UnitAttr:$shared,
                       UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    $kind $value `,` $view `[` $indices `]` (`spans` `(` $spans^ `)`)? `compare` $compare (`shared` $shared^)? attr-dict
    `:` type($value) `,` type($view) `,` `(` type($indices) `)` (`,` `spans` `(` type($spans)^ `)`)?
  }];
}

def Tile_AtomicRMWOp : Tile_WriteOp<"atomic_rmw"> {
  let summary = "Combines a tile with a view's elements atomically, in any order; may return the values before";
  let description = [{
    As tile.accumulate on f32, f64, i32 or i64 elements, but each element is changed by an atomic operation, so places may come
    from memory. `old`, if wanted, has an axis for each span, in their order, and holds the value before (0 where nothing was written).
    An out view starts from the reduction's identity.

    - atomic_rmw_c1: one index for each dimension of the view
    - atomic_rmw_c2: one entry of `compare` for each dimension
    - atomic_rmw_c3: each index's axes are among the spans' axes, with their capacities, and each span's axis is one of an index
    - atomic_rmw_c4: the value's axes are among the spans', with their capacities
    - atomic_rmw_c5: the value's element type is the view's, which is f32, f64, i32 or i64
    - atomic_rmw_c6: the view is out or inout
    - atomic_rmw_c7: `kind` is add, max or min
    - atomic_rmw_c8: `old` has the value's element type and the spans' axes, in their order

    ```mlir
    %one = arith.constant 1 : i32
    %rank = tile.atomic_rmw add %one, %count[%tj] spans(%j) compare [true]
        : i32, !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>,
          (tensor<192xi64, #tile.axes<"j">>), spans(!tile.span<"j", 192>) -> tensor<192xi32, #tile.axes<"j">>
    ```
  }];
  let arguments = (ins Tile_TileOrScalar:$value, Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices,
                       Variadic<Tile_SpanType>:$spans, Tile_ReductionEnum:$kind, DenseBoolArrayAttr:$compare);
  let results = (outs Optional<Tile_TileOrScalar>:$old);
  let assemblyFormat = [{
    $kind $value `,` $view `[` $indices `]` (`spans` `(` $spans^ `)`)? `compare` $compare attr-dict
    `:` type($value) `,` type($view) `,` `(` type($indices) `)` (`,` `spans` `(` type($spans)^ `)`)? (`->` type($old)^)?
  }];
}

//===--------------------------------------------------------------------------------------------------------------===//
// Elementwise (with arith and math on the tensors)
//===--------------------------------------------------------------------------------------------------------------===//

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Repeats along new axes and permutes, by name";
  let description = [{
    result[i, j, …] = operand at those of i, j, … that are its axes. The operand is a scalar or a tile whose axes are among the
    result's, in any order; with the same axes in another order it is a transposition.

    - broadcast_c1: operand and result have the same element type
    - broadcast_c2: the operand's axes are among the result's, with their capacities

    ```mlir
    %t = tile.broadcast %tj : tensor<192xi64, #tile.axes<"j">> -> tensor<128x192xi64, #tile.axes<"i", "j">>
    %u = tile.broadcast %s : tensor<128x64xf32, #tile.axes<"i", "k">> -> tensor<64x128xf32, #tile.axes<"k", "i">>
    %v = tile.broadcast %eps : f32 -> tensor<128xf32, #tile.axes<"i">>
    ```
  }];
  let arguments = (ins Tile_TileOrScalar:$operand);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_CastOp : Tile_Op<"cast", [Pure]> {
  let summary = "Converts between dtypes by the language's rules";
  let description = [{
    To a narrower float: nearest even; overflow gives inf for f16 and bf16, f8 saturates (inf included), NaN stays NaN. Float to
    integer: toward zero, saturating, NaN gives 0. Integer to float: nearest even. Between integers: modulo 2^n. From i1: 0 or 1.
    To i1: not 0 (NaN is not 0). `source_unsigned` and `result_unsigned` mark u8.

    - cast_c1: operand and result have the same axes, in the same order (vectors: the same shape)
    - cast_c2: an unsigned side has i8 elements

    ```mlir
    %t = tile.cast %s : tensor<128x64xf32, #tile.axes<"i", "k">> -> tensor<128x64xf8E4M3FN, #tile.axes<"i", "k">>
    %u = tile.cast %s result_unsigned : tensor<128x64xf32, #tile.axes<"i", "k">> -> tensor<128x64xi8, #tile.axes<"i", "k">>
    %v = tile.cast %K : i64 -> f32
    ```
  }];
  let arguments = (ins Tile_Elements:$operand, UnitAttr:$source_unsigned, UnitAttr:$result_unsigned);
  let results = (outs Tile_Elements:$result);
  let assemblyFormat = "$operand (`source_unsigned` $source_unsigned^)? (`result_unsigned` $result_unsigned^)? attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

class Tile_IntegerOp<string opMnemonic> : Tile_Op<opMnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins Tile_Elements:$lhs, Tile_Elements:$rhs);
  let results = (outs Tile_Elements:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}
def Tile_FloorDivOp : Tile_IntegerOp<"floor_div"> {
  let summary = "Integer quotient rounded down; x / 0 is 0, and the least value by -1 wraps";
  let description = [{
    Elementwise and signed. The only division whose behaviour is defined for every operand, so it may be moved and repeated.

    - floor_div_c1: the elements are i32 or i64

    ```mlir
    %c64 = arith.constant 64 : i64
    %q = tile.floor_div %K, %c64 : i64
    ```
  }];
}
def Tile_FloorModOp : Tile_IntegerOp<"floor_mod"> {
  let summary = "Integer remainder with the sign of the divisor; x % 0 is 0";
  let description = [{
    Elementwise and signed: x - y * floor_div(x, y) for y != 0.

    - floor_mod_c1: the elements are i32 or i64

    ```mlir
    %r = tile.floor_mod %ti, %ti : tensor<128xi64, #tile.axes<"i">>
    ```
  }];
}

def Tile_RandomBitsOp : Tile_Op<"random_bits", [Pure]> {
  let summary = "Words of Philox 4x32-10";
  let description = [{
    Word n mod 4 of Philox 4x32-10 with the 64-bit key `seed` and the counter n / 4 (rounded down, as a 64-bit two's complement in the low
    counter words), as i32. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

    - random_bits_c1: the result has i32 elements and the axes of `n` (vectors: its shape)

    ```mlir
    %r = tile.random_bits %seed, %tj : tensor<192xi64, #tile.axes<"j">> -> tensor<192xi32, #tile.axes<"j">>
    ```
  }];
  let arguments = (ins I64:$seed, Tile_IndexElements:$n);
  let results = (outs Tile_Elements:$bits);
  let assemblyFormat = "$seed `,` $n attr-dict `:` type($n) `->` type($bits)";
  let hasVerifier = 1;
}

def Tile_CallExternalOp : Tile_Op<"call_external", [AttrSizedOperandSegments, NoMemoryEffect]> {
  let summary = "Calls a function that is no part of the kernel, once for each element";
  let description = [{
    `callee` is a function of scalars that the code will be joined with later (on GPUs one in CUDA C++): a result of several is its
    structure, in order. It is called for the elements that exist (those of `spans`), and for no others: it may not return for, or read
    outside of a table at, what nobody computed. It has no effect and gives the same for the same operands, so equal calls are
    merged and unused ones dropped, but a call is not moved to where it was not to run.

    - call_external_c1: there is a result, and all arguments and results have the same axes in the same order
    - call_external_c2: the spans are those of these axes, in their order
    - call_external_c3: `callee` is an identifier

    ```mlir
    %t = tile.call_external "hash"(%tj) spans(%j : !tile.span<"j", 192>) : (tensor<192xi64, #tile.axes<"j">>) -> tensor<192xi32, #tile.axes<"j">>
    %u, %v = tile.call_external "sine_and_cosine"(%eps) : (f32) -> (f32, f32)
    ```
  }];
  let arguments = (ins StrAttr:$callee, Variadic<Tile_TileOrScalar>:$arguments, Variadic<Tile_SpanType>:$spans);
  let results = (outs Variadic<Tile_TileOrScalar>:$results);
  let assemblyFormat = [{
    $callee `(` $arguments `)` (`spans` `(` $spans^ `:` type($spans) `)`)? attr-dict `:` functional-type($arguments, $results)
  }];
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------------------------===//
// Along an axis
//===--------------------------------------------------------------------------------------------------------------===//

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "Combines the elements along axes";
  let description = [{
    `spans` are the spans of the reduced axes; elements beyond their len take no part. The result has the other axes in their
    order (a scalar if none is left) and the operand's element type. The order of combination is the schedule's.

    - reduce_c1: there is a span, and the spans' axes are distinct axes of the operand with their capacities
    - reduce_c2: the result has the operand's other axes, in their order, and its element type
    - reduce_c3: `kind` serves the elements: add, max and min floats and integers but i1, umax and umin i8, and and or i1

    ```mlir
    %t = tile.reduce max %s over (%k) : tensor<128x64xf32, #tile.axes<"i", "k">>, !tile.span<"k", 64> -> tensor<128xf32, #tile.axes<"i">>
    %u = tile.reduce add %s over (%k, %i) : tensor<128x64xf32, #tile.axes<"i", "k">>, !tile.span<"k", 64>, !tile.span<"i", 128> -> f32
    ```
  }];
  let arguments = (ins Tile_Tile:$operand, Variadic<Tile_SpanType>:$spans, Tile_ReductionEnum:$kind);
  let results = (outs Tile_TileOrScalar:$result);
  let assemblyFormat = "$kind $operand `over` `(` $spans `)` attr-dict `:` type($operand) `,` type($spans) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ArgReduceOp : Tile_Op<"arg_reduce", [Pure]> {
  let summary = "The index of the largest or smallest element along an axis";
  let description = [{
    The index itself (start + position), i64; of equals the smallest; NaN wins, the first one. `kind` is max, min, umax or umin.

    - arg_reduce_c1: the span's axis is one of the operand's, with its capacity
    - arg_reduce_c2: the result has i64 elements and the operand's other axes, in their order
    - arg_reduce_c3: `kind` is max or min on floats and integers but i1, umax or umin on i8

    ```mlir
    %t = tile.arg_reduce max %s over %k : tensor<128x64xf32, #tile.axes<"i", "k">>, !tile.span<"k", 64> -> tensor<128xi64, #tile.axes<"i">>
    ```
  }];
  let arguments = (ins Tile_Tile:$operand, Tile_SpanType:$span, Tile_ReductionEnum:$kind);
  let results = (outs Tile_TileOrScalar:$result);
  let assemblyFormat = "$kind $operand `over` $span attr-dict `:` type($operand) `,` type($span) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Multiplies and sums over axes that both operands have, onto an accumulator";
  let description = [{
    result = accumulator + Σ over the spans' axes of lhs · rhs. Axes of both operands that are not summed are a batch. Products are
    exact and summed in the accumulator's type, in an order the schedule fixes. Operands are floats (any two) with an f32 or f64
    accumulator, or integers with i32 or i64 (`lhs_unsigned`, `rhs_unsigned` mark u8). The result's axes may stand in any order.

    - dot_c1: there is a span, and the spans' axes are distinct axes of both operands with their capacities
    - dot_c2: the result's axes are the union of the operands' other axes, with their capacities
    - dot_c3: an axis of both operands has one capacity
    - dot_c4: float operands have an f32 or f64 accumulator (f64 if one of them is f64), integers i32 or i64, at least as wide
    - dot_c5: an unsigned operand has i8 elements
    - dot_c6: only floats have a precision; tf32 and tf32x3 need an f32 operand and no f64

    ```mlir
    %t = tile.dot %a, %b, %acc over (%k) : tensor<128x64xbf16, #tile.axes<"i", "k">>, tensor<192x64xbf16, #tile.axes<"j", "k">>,
                                           !tile.span<"k", 64> -> tensor<128x192xf32, #tile.axes<"i", "j">>
    ```
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_TileOrScalar:$accumulator, Variadic<Tile_SpanType>:$spans,
                       DefaultValuedAttr<Tile_PrecisionEnum, "DotPrecision::Default">:$precision, UnitAttr:$lhs_unsigned,
                       UnitAttr:$rhs_unsigned);
  let results = (outs Tile_TileOrScalar:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator `over` `(` $spans `)` (`precision` $precision^)? (`lhs_unsigned` $lhs_unsigned^)?
    (`rhs_unsigned` $rhs_unsigned^)? attr-dict `:` type($lhs) `,` type($rhs) `,` type($spans) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_FoldOp : Tile_Op<"fold", [Pure, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Combines the elements along an axis with an associative function, keeping their order";
  let description = [{
    One state value for each operand, all with the same axes. The region takes the earlier state, then the later one, as scalars,
    and yields the combined one. Results have the other axes. Elements beyond the span's len take no part; since a span is never
    empty there is no identity.

    - fold_c1: there is a state, and all states have the same axes in the same order
    - fold_c2: the span's axis is one of them, with its capacity
    - fold_c3: the region takes the states' element types twice and yields them once
    - fold_c4: the results have the states' element types and other axes, in their order

    ```mlir
    %t, %n = tile.fold %s, %s over %k : (tensor<128x64xf32, #tile.axes<"i", "k">>, tensor<128x64xf32, #tile.axes<"i", "k">>), !tile.span<"k", 64>
        -> (tensor<128xf32, #tile.axes<"i">>, tensor<128xf32, #tile.axes<"i">>) combine (%p1: f32, %q1: f32, %p2: f32, %q2: f32) {
      %p = arith.maximumf %p1, %p2 : f32
      %q = arith.addf %q1, %q2 : f32
      tile.yield %p, %q : f32, f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$states, Tile_SpanType:$span);
  let results = (outs Variadic<Tile_TileOrScalar>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Pure, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "The running combinations of the elements along an axis";
  let description = [{
    As tile.fold, but the results have the operands' types: element k combines the elements up to and with k.

    - scan_c1: there is a state, and all states have the same axes in the same order
    - scan_c2: the span's axis is one of them, with its capacity
    - scan_c3: the region takes the states' element types twice and yields them once
    - scan_c4: the results have the states' types

    ```mlir
    %t = tile.scan %s over %k : (tensor<128x64xf32, #tile.axes<"i", "k">>), !tile.span<"k", 64>
        -> (tensor<128x64xf32, #tile.axes<"i", "k">>) combine (%p1: f32, %p2: f32) {
      %p = arith.addf %p1, %p2 : f32
      tile.yield %p : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$states, Tile_SpanType:$span);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------------------------===//
// Debugging
//===--------------------------------------------------------------------------------------------------------------===//

def Tile_PrintOp : Tile_Op<"print", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Prints scalars, or the elements of tiles, with a text";
  let description = [{
    Reports message `message` (a number in the artifact's table) with the values: scalars once; tiles element by element in
    row-major order of their `spans`, one report each (of existing elements only). `unsigned_values` marks u8.

    - print_c1: each tile's axes are among the spans', with their capacities, and each span's axis is one of a tile
    - print_c2: one entry of `unsigned_values` for each value, marking only i8

    ```mlir
    tile.print 0 (%s, %K : tensor<128x64xf32, #tile.axes<"i", "k">>, i64) spans(%i, %k : !tile.span<"i", 128>, !tile.span<"k", 64>) unsigned [false, false]
    tile.print 1 unsigned []
    ```
  }];
  let arguments = (ins I64Attr:$message, Variadic<Tile_TileOrScalar>:$values, Variadic<Tile_SpanType>:$spans,
                       DenseBoolArrayAttr:$unsigned_values);
  let assemblyFormat = "$message (`(` $values^ `:` type($values) `)`)? (`spans` `(` $spans^ `:` type($spans) `)`)? `unsigned` $unsigned_values attr-dict";
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reports a message if an existing element of the condition is false";
  let description = [{
    Reports message `message` once, with the values at the first element, in row-major order of the spans, where the condition is
    false; and goes on: what is computed is as without it.

    - assert_c1: the condition has i1 elements
    - assert_c2: the condition's and each value's axes are among the spans', with their capacities, and each span's axis is one of
      the condition or of a value

    ```mlir
    %c0s = arith.constant dense<0> : tensor<64xi64, #tile.axes<"k">>
    %c = arith.cmpi sge, %tk, %c0s : tensor<64xi64, #tile.axes<"k">>
    tile.assert 2 %c (%tk : tensor<64xi64, #tile.axes<"k">>) spans(%k : !tile.span<"k", 64>) : tensor<64xi1, #tile.axes<"k">>
    ```
  }];
  let arguments = (ins I64Attr:$message, Tile_TileOrScalar:$condition, Variadic<Tile_TileOrScalar>:$values,
                       Variadic<Tile_SpanType>:$spans);
  let assemblyFormat = [{
    $message $condition (`(` $values^ `:` type($values) `)`)? (`spans` `(` $spans^ `:` type($spans) `)`)? attr-dict `:` type($condition)
  }];
  let hasVerifier = 1;
}

#endif
