#ifndef TILEWRIGHT_DIALECTS_TILEGPU_TILEGPUHOPPEROPS_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_TILEGPUHOPPEROPS_TD

// What sm_90 adds: warps with roles of their own, barriers in shared memory, copies by the tensor memory accelerator (TMA), products
// that a warpgroup starts and waits for (wgmma). Included by TileGPUOps.td.

//===--------------------------------------------------------------------------------------------------------------===//
// Roles
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_RolesOp : TileGPU_Op<"roles", [NoTerminator, SingleBlock, RecursiveMemoryEffects, ParentOneOf<["::tilewright::tile::KernelOp"]>]> {
  let summary = "Warps with programs of their own: one thread that feeds, groups that compute";
  let description = [{
    The block has `groups` groups of `tilegpu.warps` warps, then a warpgroup of which the first thread runs `producer`, the second warp
    `preparer` (tiles in it have layouts of one warp), and the others nothing. Each region has the grid's nest of tile.parallel; the block
    runs the tiles blockIdx, blockIdx + gridDim, …: producer and preparer all of them, group g every `groups`-th from the g-th on. `registers` are what a thread of the producer's warpgroup and one of the
    others' has from here on (setmaxnreg); both 0 leaves them as they are.

    - roles_c1: one or two groups, of whole warpgroups
    - roles_c2: registers are 0, or multiples of 8 from 24 to 240

    ```mlir
    tile.kernel @k() dimensions = 0 attributes {tilegpu.warps = 4 : i64} {
      tilegpu.roles groups 2 registers [24, 240] producer {
      } consumers {
      }
    }
    ```
  }];
  let arguments = (ins I64Attr:$groups, DenseI64ArrayAttr:$registers);
  let regions = (region SizedRegion<1>:$producer, AnyRegion:$preparer, SizedRegion<1>:$consumers);
  let assemblyFormat = [{
    `groups` $groups `registers` $registers attr-dict-with-keyword `producer` $producer (`preparer` $preparer^)? `consumers` $consumers
  }];
  let hasVerifier = 1;
}

def TileGPU_TileOrdinalOp : TileGPU_Op<"tile_ordinal", [Pure]> {
  let summary = "How many tiles the block has begun before this one";
  let description = [{
    Producer and consumers count the same tiles, so what follows from the number (which stage of a ring, which parity) is the same for
    both.

    ```mlir
    %n = tilegpu.tile_ordinal
    ```
  }];
  let results = (outs I64:$ordinal);
  let assemblyFormat = "attr-dict";
}

def TileGPU_StepOrdinalOp : TileGPU_Op<"step_ordinal", [Pure]> {
  let summary = "How many steps the role has counted in the tiles that it began before this one";
  let description = [{
    Of rings that loops of different lengths go round: tile_ordinal times a number of steps would not do.

    ```mlir
    %n = tilegpu.step_ordinal
    ```
  }];
  let results = (outs I64:$ordinal);
  let assemblyFormat = "attr-dict";
}

def TileGPU_CountStepsOp : TileGPU_Op<"count_steps", [MemoryEffects<[MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "So many steps of a ring belong to this tile";
  let description = [{
    Directly in the innermost tile.parallel of a role; the next tile's step_ordinal is so much higher.

    ```mlir
    tilegpu.count_steps %c0
    ```
  }];
  let arguments = (ins I64:$count);
  let assemblyFormat = "$count attr-dict";
}

def TileGPU_TurnWaitOp : TileGPU_Op<"turn_wait", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Waits until the other group has passed the turn";
  let description = [{
    Groups issue the products of their tiles in turn. Not only for speed: a group that waits for a stage by parity while the ring is two
    rounds behind would take the wrong round for its own. With one group it does nothing.

    `warpgroups`: of the two warpgroups of the only group, which start their products in turn so that one computes while the other multiplies.

    ```mlir
    tilegpu.turn_wait
    tilegpu.turn_wait warpgroups
    ```
  }];
  let arguments = (ins UnitAttr:$warpgroups);
  let assemblyFormat = "(`warpgroups` $warpgroups^)? attr-dict";
}

def TileGPU_TurnPassOp : TileGPU_Op<"turn_pass", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Passes the turn to the other group";
  let description = [{
    `warpgroups` as in turn_wait; with `first` as well only the last warpgroup passes it, so that the first one begins.

    ```mlir
    tilegpu.turn_pass
    tilegpu.turn_pass warpgroups first
    ```
  }];
  let arguments = (ins UnitAttr:$warpgroups, UnitAttr:$first);
  let assemblyFormat = "(`warpgroups` $warpgroups^)? (`first` $first^)? attr-dict";
}

//===--------------------------------------------------------------------------------------------------------------===//
// Clusters
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_ClusterRankOp : TileGPU_Op<"cluster_rank", [Pure]> {
  let summary = "Which block of its cluster this one is, from 0";
  let description = [{
    Of a schedule with `split`: the blocks of a cluster have one tile.

    ```mlir
    %r = tilegpu.cluster_rank
    ```
  }];
  let results = (outs I64:$rank);
  let assemblyFormat = "attr-dict";
}

def TileGPU_ClusterSumOp : TileGPU_Op<"cluster_sum", [AttrSizedOperandSegments, MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "This block's share of the columns of the sum of a cluster's accumulators";
  let description = [{
    Each block of the cluster leaves its accumulators in shared memory, where its own ring was, and adds up those of the blocks 0 … `parts` − 1 in
    this order, for its share: of N columns and `split` blocks the N / `split` from rank · N / `split` on. So the bits of the sum are the same in every run.

    A thread has the same place in each block, so what it leaves are pieces of 16 bytes, one for each four registers, next to its neighbours';
    the pieces of a share stand together. Every warp arrives at `ready` of every block when its pieces are there, and at `free` of every block
    when it has read what it needs of them; both are waited for with `parity`, `free` behind the tile (mbarrier_wait). What tensor copies write
    there next is ordered behind that.

    Before specialize-warps it says only what is wanted.

    - cluster_sum_c1: operand and result are tiles of 32-bit elements with two axes, the same but for the columns: the operand has 2, 4 or 8 times as many; if
      they have layouts, these are an accumulator's of wgmma
    - cluster_sum_c2: if it has parts, the operand has a layout, the buffers have room for the accumulators, and ready and free are one barrier each

    ```mlir
    tile.kernel @k() dimensions = 0 {
      %a = arith.constant dense<0.0> : tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
      %s = tilegpu.cluster_sum %a : tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>> -> tensor<64x32xf32, #tile.axes<"i", "j">>
      %ring = tilegpu.alloc : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 4>
      %ready = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
      %free = tilegpu.mbarriers arrivals 8 : !tilegpu.mbarriers<1>
      %c0 = arith.constant 0 : i64
      %c2 = arith.constant 2 : i64
      %t = tilegpu.cluster_sum %a parts %c2 through %ring signals %ready, %free parity %c0
          : tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>> -> tensor<64x32xf32, #tile.axes<"i", "j">>
          signals !tilegpu.mbarriers<1>, !tilegpu.mbarriers<1> through !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 4>
    }
    ```
  }];
  let arguments = (ins Tile_Tile:$accumulator, Optional<I64>:$parts, Variadic<TileGPU_BufferType>:$buffers, Optional<TileGPU_MbarriersType>:$ready,
                       Optional<TileGPU_MbarriersType>:$free, Optional<I64>:$parity);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $accumulator (`parts` $parts^ `through` $buffers `signals` $ready `,` $free `parity` $parity)? attr-dict `:` type($accumulator) `->` type($result)
    (`signals` type($ready) `,` type($free) `through` type($buffers)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many blocks have a share.
    int64_t getSplit();
    /// Of each 16 bytes that a thread leaves of a share, how many are in each buffer.
    ::llvm::SmallVector<int64_t> getPieces();
  }];
}

//===--------------------------------------------------------------------------------------------------------------===//
// Barriers in shared memory (mbarrier)
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_MbarriersOp : TileGPU_Op<"mbarriers", [MemoryEffects<[MemAlloc<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Barriers in shared memory, one for each stage of a ring";
  let description = [{
    Each completes a phase when `arrivals` arrivals and all bytes that were expected have come. They are initialized here by one
    thread; mbarriers_ready makes them known to all. `offset` is decided by allocate-shared-memory.

    ```mlir
    %empty = tilegpu.mbarriers arrivals 2 : !tilegpu.mbarriers<2>
    ```
  }];
  let arguments = (ins I64Attr:$arrivals, OptionalAttr<I64Attr>:$offset);
  let results = (outs TileGPU_MbarriersType:$barriers);
  let assemblyFormat = "`arrivals` $arrivals attr-dict `:` type($barriers)";
}

def TileGPU_MbarriersReadyOp : TileGPU_Op<"mbarriers_ready", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "All threads of the block meet; barriers made before can be used behind it, by copies too";
  let description = [{
    ```mlir
    tilegpu.mbarriers_ready
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TileGPU_MbarrierWaitOp : TileGPU_Op<"mbarrier_wait", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Waits until the phase of a parity has completed";
  let description = [{
    `parity` is that of the phase waited for, 0 for the first. While the phase before it runs, the wait for the one before that
    is over at once: a producer begins with parity 1, which says that every stage is free.

    ```mlir
    tilegpu.mbarrier_wait %full[%c0] parity %c0 : !tilegpu.mbarriers<2>
    ```
  }];
  let arguments = (ins TileGPU_MbarriersType:$barriers, I64:$number, I64:$parity);
  let assemblyFormat = "$barriers `[` $number `]` `parity` $parity attr-dict `:` type($barriers)";
}

def TileGPU_MbarrierArriveOp : TileGPU_Op<"mbarrier_arrive", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "One thread of each warpgroup of the group arrives, and may say that so many bytes are to come";
  let description = [{
    With `each_warp` one of each warp, when all its lanes have come there. In the producer it is its one thread, in the preparer one for the
    warp. The bytes are those of the tma_loads that name the barrier and stage next.

    ```mlir
    tilegpu.mbarrier_arrive %full[%c0] : !tilegpu.mbarriers<2>
    tilegpu.mbarrier_arrive %full[%c0] expecting 16384 : !tilegpu.mbarriers<2>
    tilegpu.mbarrier_arrive each_warp %full[%c0] : !tilegpu.mbarriers<2>
    ```
  }];
  let arguments = (ins TileGPU_MbarriersType:$barriers, I64:$number, OptionalAttr<I64Attr>:$bytes, UnitAttr:$each_warp);
  let assemblyFormat = "(`each_warp` $each_warp^)? $barriers `[` $number `]` (`expecting` $bytes^)? attr-dict `:` type($barriers)";
}

//===--------------------------------------------------------------------------------------------------------------===//
// Tensor copies (TMA)
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_TensorMapOp : TileGPU_Op<"tensor_map", [Pure]> {
  let summary = "How tensor copies see a view: a parameter that the host makes";
  let description = [{
    `order` has the view's dimensions of memory, the fastest first; the first has stride 1. `box` is what one copy moves, in the same
    order. What lies outside of the view is read as zero and not written. With `tf32` its copies round f32 to tf32 on the way.

    A copy is at one coordinate for each dimension of an access: a pack in parts counts once, where its last dimension of memory stands, and
    its index is taken apart. A box has one index in each of the others, so it must not go over the end of a row of the pack.

    - tensor_map_c1: order names every dimension of memory once, at most five, and begins with the one of stride 1
    - tensor_map_c2: a box has as many extents, from 1 to 256; the first is of a multiple of 16 bytes, and of no more than the swizzle
    - tensor_map_c3: the view is aligned to 16 bytes
    - tensor_map_c4: of a pack in parts, a box has one index in all dimensions of memory but the last
    - tensor_map_c5: `tf32` is of a view of f32

    ```mlir
    %m = tilegpu.tensor_map %x order [1, 0] box [8, 16] swizzle 32 : !x
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, DenseI64ArrayAttr:$order, DenseI64ArrayAttr:$box, I64Attr:$swizzle, UnitAttr:$tf32);
  let results = (outs TileGPU_TensorMapType:$map);
  let assemblyFormat = "$view `order` $order `box` $box `swizzle` $swizzle (`tf32` $tf32^)? attr-dict `:` type($view)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Where order and box have each coordinate of a copy.
    ::llvm::SmallVector<int64_t> getPositions();
    /// What a box has along each coordinate.
    ::llvm::SmallVector<int64_t> getExtents();
  }];
}

def TileGPU_TmaLoadOp : TileGPU_Op<"tma_load"> {
  let summary = "Starts to copy a tile of a view to a buffer by tensor copies; their bytes arrive at a barrier";
  let description = [{
    `coordinates` are those of the tile's first element, in the map's order. One thread does it, with as many copies as boxes fill the
    buffer, side by side along its contiguous dimension, and of a pack in parts one after another along the other one. The buffer must be
    free: read by wgmma that has been waited for.

    - tma_load_c1: one coordinate for each that a copy by the map has
    - tma_load_c2: the buffer has one stage and the map's swizzle, and boxes fill it

    ```mlir
    tilegpu.tma_load %map[%c0, %c0] into %p signals %full[%c0] : !p, !tilegpu.mbarriers<2>
    ```
  }];
  let arguments = (ins TileGPU_TensorMapType:$map, Variadic<I64>:$coordinates,
                       Arg<TileGPU_BufferType, "", [MemWrite<TileGPU_SharedMemory>]>:$buffer, TileGPU_MbarriersType:$barriers, I64:$number);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `into` $buffer `signals` $barriers `[` $number `]` attr-dict `:` type($buffer) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

def TileGPU_TmaFetchOp : TileGPU_Op<"tma_fetch", [AttrSizedOperandSegments]> {
  let summary = "Brings a tile of a view by tensor copies to registers as wgmma leaves them, piece by piece";
  let description = [{
    Each warp of a group fetches what is its own: pieces of 16 rows and 64 columns (then 32 and 16, for what is left of the width; of elements of 32 bits 32, then 16), through its
    own rows of `pieces`, a stage for each piece that is on its way. Here the first ones are started, as many as there are stages; elements are read when
    something asks for them, and when a piece has been read the next one is started in its place. Each piece has a barrier, `pieces`'
    stages for each warp of each group. `maps`, `coordinates` and `row_dimension` are as in tma_store. What is outside of the view is zero.
    If a tma_store goes through `pieces`, too, what has been made of a piece is stored from the piece's place, and the next one is started there when
    that has been read: so no staging is needed beside the pieces.

    - tma_fetch_c1: the tile has elements of 16 or 32 bits and the layout of an accumulator of wgmma
    - tma_fetch_c2: `pieces` has those elements, 16 rows for each warp, 128 bytes of columns, and swizzle 128; there are as many barriers as it has stages, or twice
      as many, for each warp of a group
    - tma_fetch_c3: one coordinate for each dimension of the maps; a map for each width of piece that there is

    ```mlir
    tile.kernel @k(%r: !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, %M: i64, %N: i64) dimensions = 2 {
      %c0 = arith.constant 0 : i64
      %pieces = tilegpu.alloc : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
      %arrived = tilegpu.mbarriers arrivals 1 : !tilegpu.mbarriers<8>
      %map = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
      %value = tilegpu.tma_fetch [%map][%c0, %c0] rows 1 through %pieces signals %arrived
          : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>, !tilegpu.mbarriers<8> -> tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
    }
    ```
  }];
  let arguments = (ins Variadic<TileGPU_TensorMapType>:$maps, Variadic<I64>:$coordinates, I64Attr:$row_dimension,
                       Arg<TileGPU_BufferType, "", [MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>:$pieces, TileGPU_MbarriersType:$barriers);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    `[` $maps `]` `[` $coordinates `]` `rows` $row_dimension `through` $pieces `signals` $barriers attr-dict `:` type($pieces) `,` type($barriers) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileGPU_ClearAbsentOp : TileGPU_Op<"clear_absent"> {
  let summary = "Zero in a buffer where an index of a span does not exist";
  let description = [{
    What a copy brought beyond the end of the span, of a view that goes on there, would be multiplied by zeros, and zero times infinity is none.
    The threads of the group clear whole rows and meet, if the span has fewer indices than its capacity; the next product sees it.

    - clear_absent_c1: the buffer has one stage and two dimensions, and the span's axis is the one that is not contiguous

    ```mlir
    tile.kernel @k(%n: i64) dimensions = 1 {
      %c0 = arith.constant 0 : i64
      %v = tilegpu.alloc : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"t", "d">>, contiguous = 1, swizzle = 128, stages = 1>
      tile.for "t" %t : !tile.span<"t", 64> in %c0 to %n {
        tilegpu.clear_absent %v over %t : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"t", "d">>, contiguous = 1, swizzle = 128, stages = 1>, !tile.span<"t", 64>
      }
    }
    ```
  }];
  let arguments = (ins Arg<TileGPU_BufferType, "", [MemWrite<TileGPU_SharedMemory>]>:$buffer, Tile_SpanType:$span);
  let assemblyFormat = "$buffer `over` $span attr-dict `:` type($buffer) `,` type($span)";
  let hasVerifier = 1;
}

def TileGPU_TmaStoreOp : TileGPU_Op<"tma_store", [AttrSizedOperandSegments]> {
  let summary = "Writes a tile that lies in registers as wgmma leaves it to a view, by tensor copies";
  let description = [{
    Slice by slice: what a warp has of 16 rows and 64 columns (then 32 and 16, for what is left of the width) goes through its own rows
    of the staging buffer, whose stages take turns, and by a tensor copy to the view. `maps` are those for slices of 64, 32 and 16
    columns, as far as there are such slices. With `add` the copies add to what the view holds (in its element type; in any order). A
    slice's elements are computed just before they are stored, so what lies between a product and its store needs few registers.
    `coordinates` are those of the tile's first element, in the map's order; the tile's columns lie along its first dimension, its
    rows along the coordinate `row_dimension`. A tile that `may_miss` the view is neither computed nor stored where it lies outside of it.
    The staging buffer may be the `pieces` of a tma_fetch whose tile, slice by slice, is only used for this one.

    - tma_store_c1: the value has elements of 16 bits and the layout of an accumulator of wgmma
    - tma_store_c2: the staging buffer has those elements, 16 rows for each warp, 64 columns, and swizzle 128
    - tma_store_c3: one coordinate for each that a copy by the maps has; a map for each width of slice that there is
    - tma_store_c4: if a tma_fetch goes through the staging buffer, it is one, of as many columns and rows, no other tma_store does, and this one neither adds nor may
      miss the view

    ```mlir
    tile.kernel @k(%y: !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>, %M: i64, %N: i64) dimensions = 2 {
      %c0 = arith.constant 0 : i64
      %value = arith.constant dense<1.0> : tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>
      %staging = tilegpu.alloc : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
      %map = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
      tilegpu.tma_store %value through %staging to [%map][%c0, %c0] rows 1
          : tensor<64x64xbf16, #tile.axes<"i", "j", layout = #wgmma>>, !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
    }
    ```
  }];
  let arguments = (ins Tile_Tile:$value, Arg<TileGPU_BufferType, "", [MemWrite<TileGPU_SharedMemory>]>:$staging,
                       Variadic<TileGPU_TensorMapType>:$maps, Variadic<I64>:$coordinates, I64Attr:$row_dimension, UnitAttr:$add, UnitAttr:$may_miss);
  let assemblyFormat = [{
    $value `through` $staging `to` `[` $maps `]` `[` $coordinates `]` `rows` $row_dimension (`add` $add^)? (`may_miss` $may_miss^)? attr-dict `:` type($value) `,` type($staging)
  }];
  let hasVerifier = 1;
}

def TileGPU_TmaStoreWaitOp : TileGPU_Op<"tma_store_wait", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Waits until the thread's stores by tensor copies have read what they store";
  let description = [{
    Before the staging buffer is used for something else, and before the block ends.

    ```mlir
    tilegpu.tma_store_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===--------------------------------------------------------------------------------------------------------------===//
// Products (wgmma)
//===--------------------------------------------------------------------------------------------------------------===//

def TileGPU_WgmmaOp : TileGPU_Op<"wgmma", [MemoryEffects<[MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Starts a product of two tiles in shared memory, onto an accumulator in registers";
  let description = [{
    The units of the group's warpgroups form it, and the threads go on; the result may be given to the next wgmma or to wgmma_wait,
    and read behind the latter. All its instructions are one group for wgmma_wait. Without an accumulator it starts from zero (the
    instruction's scale-d: a constant, since a run-time one keeps the registers alive around it). What lies beyond the summed axis' end
    must be zero in both buffers.

    - wgmma_c1: the buffers have one stage, swizzle 128 and two axes each: a common one, which is summed, and one of the result's. Both have
      elements of bf16 or f16, or, with the summed axis contiguous: f32 (of which the units take what tf32 has), f8 of either kind, or i8
    - wgmma_c2: the result is f32, of i8 i32, with the layout of an accumulator of wgmma: rows over the warps of whole warpgroups, columns a
      multiple of 8, at most 256 (of i8: 8, 16, 24, or a multiple of 16)

    ```mlir
    tile.kernel @k() dimensions = 0 {
      %c0 = arith.constant 0 : i64
      %a = tilegpu.alloc : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
      %b = tilegpu.alloc : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
      %d = tilegpu.wgmma %a, %b : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>,
          !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
      %e = tilegpu.wgmma %a, %b onto %d : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>,
          !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
    }
    ```
  }];
  let arguments = (ins TileGPU_BufferType:$lhs, TileGPU_BufferType:$rhs, Optional<Tile_Tile>:$accumulator);
  let results = (outs Tile_Tile:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TileGPU_WgmmaRegistersOp : TileGPU_Op<"wgmma_registers", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Starts a product of a tile in registers and one in shared memory, onto an accumulator in registers";
  let description = [{
    As wgmma, but the operand of the result's rows is in registers, in the layout `wgmmaOperand`: that of an accumulator with the summed axis
    along its columns, so what is computed elementwise of an accumulator is such an operand where it is. Its registers are read until the
    product has been waited for.

    With `stepwise` each 16 of the summed axis are a group of their own for wgmma_wait, and their elements are computed just before them:
    an operand that is computed on the way is computed while earlier steps are multiplied. With an accumulator as many groups as the
    operand has steps are then unfinished, those of the product before among them, so before each step it is waited until its registers
    are free: all but the latest groups, one fewer than the steps. Buffers that it is computed of are read a step ahead.

    - wgmma_registers_c1: the tile has elements of 16-bit floats, two axes, and the layout of an operand of wgmma: the result's rows over the
      warps as in the result, and a multiple of 16 along the other axis, which is summed
    - wgmma_registers_c2: the buffer has one stage and swizzle 128, the tile's elements, and two axes: the summed one and that of the result's columns
    - wgmma_registers_c3: the result and the accumulator are those of wgmma

    ```mlir
    tile.kernel @k() dimensions = 0 {
      %p = arith.constant dense<1.0> : tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>
      %b = tilegpu.alloc : !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
      %d = tilegpu.wgmma_registers %p, %b : tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>,
          !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
      %e = tilegpu.wgmma_registers stepwise %p, %b onto %d : tensor<64x64xbf16, #tile.axes<"i", "k", layout = #wgmma>>,
          !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x64xf32, #tile.axes<"i", "j", layout = #wgmma>>
    }
    ```
  }];
  let arguments = (ins Tile_Tile:$lhs, TileGPU_BufferType:$rhs, Optional<Tile_Tile>:$accumulator, UnitAttr:$stepwise);
  let results = (outs Tile_Tile:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TileGPU_PackPairsOp : TileGPU_Op<"pack_pairs", [Pure]> {
  let summary = "Neighbours along the columns of an operand of wgmma in registers, two in a word";
  let description = [{
    For a loop to carry: as 16-bit values each element would take a register.

    - pack_pairs_c1: the operand is a tile of 16-bit floats in the layout of an operand of wgmma, the result its pairs: i32, half as many columns

    ```mlir
    tile.kernel @k(%a: f32) dimensions = 0 {
      %p = arith.constant dense<1.0> : tensor<64x64xbf16, #tile.axes<"i", "t", layout = #wgmma>>
      %w = tilegpu.pack_pairs %p : tensor<64x64xbf16, #tile.axes<"i", "t", layout = #wgmma>> -> tensor<64x32xi32, #tile.axes<"i", "t", layout = #pairs>>
      %q = tilegpu.unpack_pairs %w : tensor<64x32xi32, #tile.axes<"i", "t", layout = #pairs>> -> tensor<64x64xbf16, #tile.axes<"i", "t", layout = #wgmma>>
    }
    ```
  }];
  let arguments = (ins Tile_Tile:$operand);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_UnpackPairsOp : TileGPU_Op<"unpack_pairs", [Pure]> {
  let summary = "The tile that pack_pairs packed";
  let description = [{
    - unpack_pairs_c1: the operand is the result's pairs

    ```mlir
    tile.kernel @k(%a: f32) dimensions = 0 {
      %w = arith.constant dense<0> : tensor<64x32xi32, #tile.axes<"i", "t", layout = #pairs>>
      %q = tilegpu.unpack_pairs %w : tensor<64x32xi32, #tile.axes<"i", "t", layout = #pairs>> -> tensor<64x64xbf16, #tile.axes<"i", "t", layout = #wgmma>>
    }
    ```
  }];
  let arguments = (ins Tile_Tile:$operand);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_WgmmaWaitOp : TileGPU_Op<"wgmma_wait", [MemoryEffects<[MemRead<TileGPU_SharedMemory>, MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "Waits until at most so many of the latest products are unfinished, and gives what it waited for";
  let description = [{
    Accumulators that it has waited for are its operands, and are read from its results: so no read can be moved before it. With some
    unfinished they are those of earlier products.

    - wgmma_wait_c1: results have the operands' types

    ```mlir
    tilegpu.wgmma_wait 1
    ```
  }];
  let arguments = (ins I64Attr:$pending, Variadic<Tile_Tile>:$accumulators);
  let results = (outs Variadic<Tile_Tile>:$values);
  let assemblyFormat = "$pending (`of` $accumulators^ `:` type($accumulators))? attr-dict (`->` type($values)^)?";
  let hasVerifier = 1;
}

#endif
