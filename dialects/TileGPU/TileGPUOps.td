#ifndef TILEWRIGHT_DIALECTS_TILEGPU_TILEGPUOPS_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_TILEGPUOPS_TD

include "dialects/Tile/TileOps.td"
include "dialects/TileGPU/TileGPUTypes.td"

class TileGPU_Op<string opMnemonic, list<Trait> traits = []> : Op<TileGPU_Dialect, opMnemonic, traits>;

// Memory that the operations below name as what they read and write: hazards are found by it.
def TileGPU_SharedMemory : Resource<"::tilewright::tilegpu::SharedMemory">;

//===--------------------------------------------------------------------------------------------------------------===//
// Registers
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_ConvertLayoutOp : TileGPU_Op<"convert_layout", [Pure]> {
  let summary = "The same tile in another layout";
  let description = [{
    A renaming of registers if each thread has what it needs (layout::planRenaming), else a way through shared memory.

    - convert_layout_c1: operand and result have the same axes in the same order, extents and elements, and both have a layout

    ```mlir
    %r = tilegpu.convert_layout %a : tensor<16x8xf32, #tile.axes<"i", "k", layout = #rows>> -> tensor<16x8xf32, #tile.axes<"i", "k", layout = #mma>>
    ```
  }];
  let arguments = (ins Tile_Tile:$operand);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_ZeroAbsentOp : TileGPU_Op<"zero_absent", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Zero where an element does not exist";
  let description = [{
    What lies beyond the end of one of the spans becomes zero: what a product takes from shared memory must add nothing.

    - zero_absent_c1: the spans' axes are axes of the operand

    ```mlir
    %z = tilegpu.zero_absent %a over (%k) : tensor<16x8xf32, #tile.axes<"i", "k", layout = #rows>>, !tile.span<"k", 8>
    ```
  }];
  let arguments = (ins Tile_Tile:$operand, Variadic<Tile_SpanType>:$spans);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$operand `over` `(` $spans `)` attr-dict `:` type($operand) `,` type($spans)";
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------------------------===//
// Shared memory
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_AllocOp : TileGPU_Op<"alloc", [MemoryEffects<[MemAlloc<TileGPU_SharedMemory>]>]> {
  let summary = "A buffer in shared memory";
  let description = [{
    It lives from here to its last use in the block that it stands in. `offset`, in bytes from the start of the block's shared
    memory, is decided by allocate-shared-memory.

    ```mlir
    %b = tilegpu.alloc : !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 2>
    %c = tilegpu.alloc {offset = 1024 : i64} : !q
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs TileGPU_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def TileGPU_StageOp : TileGPU_Op<"stage", [Pure]> {
  let summary = "One tile of a buffer";
  let description = [{
    - stage_c1: the result is the operand's type with one stage; its axes may have other names (loops that share a ring)

    ```mlir
    %s = tilegpu.stage %ring[%c0] : !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 2>
                                 -> !tilegpu.buffer<tensor<16x8xf32, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 1>
    ```
  }];
  let arguments = (ins TileGPU_BufferType:$buffer, I64:$number);
  let results = (outs TileGPU_BufferType:$stage);
  let assemblyFormat = "$buffer `[` $number `]` attr-dict `:` type($buffer) `->` type($stage)";
  let hasVerifier = 1;
}

def TileGPU_StoreSharedOp : TileGPU_Op<"store_shared"> {
  let summary = "Writes a tile to a buffer";
  let description = [{
    - store_shared_c1: the buffer has one stage, and its tile has the operand's axes, extents and elements (axes in any order)

    ```mlir
    tilegpu.store_shared %a, %p : tensor<16x8xf32, #tile.axes<"i", "k", layout = #rows>>, !p
    ```
  }];
  let arguments = (ins Tile_Tile:$value, Arg<TileGPU_BufferType, "", [MemWrite<TileGPU_SharedMemory>]>:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def TileGPU_LoadSharedOp : TileGPU_Op<"load_shared"> {
  let summary = "Reads a tile from a buffer";
  let description = [{
    - load_shared_c1: the buffer has one stage, and its tile has the result's axes, extents and elements (axes in any order)

    ```mlir
    %r = tilegpu.load_shared %p : !p -> tensor<16x8xf32, #tile.axes<"i", "k", layout = #rows>>
    ```
  }];
  let arguments = (ins Arg<TileGPU_BufferType, "", [MemRead<TileGPU_SharedMemory>]>:$buffer);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_BarrierOp : TileGPU_Op<"barrier", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "All threads of the block meet, and see what the others wrote before";
  let description = [{
    ```mlir
    tilegpu.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===--------------------------------------------------------------------------------------------------------------===//
// Pipelines
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_SpanAtOp : TileGPU_Op<"span_at", [Pure]> {
  let summary = "The piece of a loop's range that begins at an index";
  let description = [{
    What the span of a tile.for over ..`high` is in the iteration that begins at `start`; beyond the end it is empty. A pipelined loop
    asks for pieces of later iterations, so this is the one case of two spans over one axis.

    ```mlir
    %next = tilegpu.span_at %c0 to %K : !tile.span<"k", 8>
    ```
  }];
  let arguments = (ins I64:$start, I64:$high);
  let results = (outs Tile_SpanType:$span);
  let assemblyFormat = "$start `to` $high attr-dict `:` type($span)";
}

//===--------------------------------------------------------------------------------------------------------------===//
// Asynchronous copies (cp.async)
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_AsyncLoadOp : TileGPU_Op<"async_load", [AttrSizedOperandSegments]> {
  let summary = "Starts to copy a tile of a view to a buffer; what does not exist is zero";
  let description = [{
    As tile.load without `else`, to shared memory, past the registers (cp.async, 16, 8 or 4 bytes at a time). The elements are there when
    an async_wait covers the group that async_commit closed after this, and a barrier has followed. `layout` says which thread
    copies what. If `enabled` is false nothing exists.

    - async_load_c1: the buffer has one stage, and its tile has the spans' axes in their order, and the view's elements

    ```mlir
    tilegpu.async_load %x[%ti, %tk] spans(%i, %k) if %exists into %p layout #rows
        : !x, (tensor<16xi64, #tile.axes<"i", layout = #row>>, tensor<8xi64, #tile.axes<"k", layout = #column>>),
          spans(!tile.span<"i", 16>, !tile.span<"k", 8>), !p
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Tile_IndexValue>:$indices, Variadic<Tile_SpanType>:$spans,
                       Optional<I1>:$enabled, Arg<TileGPU_BufferType, "", [MemWrite<TileGPU_SharedMemory>]>:$buffer,
                       TileGPU_DistributedAttr:$layout);
  let assemblyFormat = [{
    $view `[` $indices `]` `spans` `(` $spans `)` (`if` $enabled^)? `into` $buffer `layout` $layout attr-dict
    `:` type($view) `,` `(` type($indices) `)` `,` `spans` `(` type($spans) `)` `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def TileGPU_AsyncCommitOp : TileGPU_Op<"async_commit", [MemoryEffects<[MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Closes a group of asynchronous copies";
  let description = [{
    ```mlir
    tilegpu.async_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TileGPU_AsyncWaitOp : TileGPU_Op<"async_wait", [MemoryEffects<[MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Waits until at most so many of the latest groups are unfinished";
  let description = [{
    It speaks of the thread's own copies; for those of others a barrier must follow.

    ```mlir
    tilegpu.async_wait 1
    ```
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===--------------------------------------------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_DotOp : TileGPU_Op<"dot", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "A product of two tiles in shared memory, onto an accumulator in registers";
  let description = [{
    As tile.dot, over the named axes; what lies beyond the summed spans' ends must be zero in both buffers. `kind` says which units
    form it: `fma`, one multiply-add after another in the accumulator's type; `mma`, mma.sync on fragments by ldmatrix, in whose
    layout the accumulator then is; `wgmma`, which specialize-warps makes tilegpu.wgmma of. `tf32` rounds f32 operands to tf32.

    - dot_c1: the buffers have one stage
    - dot_c2: `over` names axes of both buffers, and the accumulator's axes are the others

    ```mlir
    %d = tilegpu.dot mma %p, %q, %acc over ["k"] precision tf32 : !p, !q -> tensor<16x8xf32, #tile.axes<"i", "j", layout = #mma>>
    ```
  }];
  let arguments = (ins Arg<TileGPU_BufferType, "", [MemRead<TileGPU_SharedMemory>]>:$lhs,
                       Arg<TileGPU_BufferType, "", [MemRead<TileGPU_SharedMemory>]>:$rhs, Tile_TileOrScalar:$accumulator,
                       TileGPU_DotKindEnum:$kind, StrArrayAttr:$over, Tile_PrecisionEnum:$precision, UnitAttr:$lhs_unsigned,
                       UnitAttr:$rhs_unsigned);
  let results = (outs Tile_TileOrScalar:$result);
  let assemblyFormat = [{
    $kind $lhs `,` $rhs `,` $accumulator `over` $over `precision` $precision (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)?
    attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

include "dialects/TileGPU/TileGPUHopperOps.td"

#endif
