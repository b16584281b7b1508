#ifndef TILEWRIGHT_COMPILER_TRANSFORMS_PASSES_TD
#define TILEWRIGHT_COMPILER_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===--------------------------------------------------------------------------------------------------------------===//
// The passes of the CPU target, in the order in which compiler/pipeline/Pipeline.cpp runs them.
//===--------------------------------------------------------------------------------------------------------------===//

def FuseSingleIterationLoops : Pass<"fuse-single-iteration-loops", "::mlir::ModuleOp"> {
  let summary = "Gives a tile a second version for rows that fit in one tile, where loops over the row become one";
  let description = [{
    ```mlir
    %r = tile.for "j" %j : … in %low to %high carries (%a = %0) : … {
      %s = tile.load %x[%i, %jt] …
      %e = math.exp %s : …
      tile.yield %b : …
    }
    tile.for "k" %k : … in %low to %high {
      %t = tile.load %x[%i, %kt] …
      %f = math.exp %t : …
      …
    }
    ```
    becomes
    ```mlir
    %once = …                                                            // 0 < %high - %low <= capacity
    scf.if %once {
      tile.for "j" %j : … in %low to %high {
        %s = tile.load %x[%i, %jt] …
        %e = math.exp %s : …                                             // serves both
        …
      }
    } else {
      …                                                                  // as before
    }
    ```
    Done for the innermost tile.parallel if it holds two or more loops over one range and capacity that compute math functions, the
    first two of which read one view, and no product. Not handled: loops in loops or branches.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def ConvertTileToLinalg : Pass<"convert-tile-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers a tile.kernel to the CPU's five functions, with linalg on memrefs";
  let description = [{
    A kernel becomes the functions tw_cpu_count, tw_cpu_list (if tiles must be listed), tw_cpu_begin, tw_cpu_tiles and tw_cpu_finish
    of compiler_c.h. Two attributes of the module report what an artifact must say of it: `tilewright.grid`, "product" or "listed",
    and `tilewright.sums`, an array of {view, kind, dtype}.

    Every loop runs exactly over the indices that exist, so no lane holds garbage. Tiles with a buffer are a memref.alloc of their
    capacities (in tw_cpu_tiles: allocate-scratch gives it a place; its scope is its lifetime, and nothing frees it); all others
    are expressions, computed where they are used. `plan-only` stops after the decisions, which are the attributes
    `tilewright.materialize` and `tilewright.into` of the tile operations.

    ```mlir
    tile.kernel @scale(%x: !tile.view<element = f32, dims = ["N"], …>, %y: …, %a: f32, %N: i64) dimensions = 1 {
      tile.parallel "n" %n : !tile.span<"n", 64> in %c0 to %N {
        %i = tile.index %n : !tile.span<"n", 64> -> tensor<64xi64, #tile.axes<"n">>
        %v = tile.load %x[%i] spans(%n) compare [false] : …
        %s = tile.broadcast %a : f32 -> tensor<64xf32, #tile.axes<"n">>
        %w = arith.mulf %v, %s : tensor<64xf32, #tile.axes<"n">>
        tile.store %w, %y[%i] spans(%n) compare [false] : …
      }
    }
    ```
    becomes
    ```mlir
    func.func @tw_cpu_tiles(%arguments: !llvm.ptr, %first: i64, %last: i64, %chunk: i64, %scratch: !llvm.ptr) {
      …                                                                     // addresses, extents and strides from their slots
      scf.for %tile = %first to %last step %c1 : i64 {
        …                                                                   // %start, %len = min(64, %N - %start)
        %x1 = memref.reinterpret_cast %x to offset: [%start], sizes: [%len], strides: [1] : …
        %y1 = memref.reinterpret_cast %y to offset: [%start], sizes: [%len], strides: [1] : …
        linalg.generic {…, iterator_types = ["parallel"]} ins(%x1 : …) outs(%y1 : …) {
        ^bb0(%v: f32, %old: f32):
          %w = arith.mulf %v, %a : f32
          linalg.yield %w : f32
        }
      }
      return
    }
    ```
    A dot becomes a linalg.generic with the attribute `tilewright.dot`: inputs in their own dtypes, the accumulator as output, and a
    body that converts by tile.cast, multiplies and adds. Gathers and `else` are memref.load under scf.if in a body. Stores with
    `else drop`, atomics, scans, folds and arg_reduce are scf.for loops.

    A nest that stores long rows has the attribute `tilewright.streamed` and an input that its body does not read: `tilewright.large`
    is the number of an i1, whether the whole view has at least `streamed-bytes`. That nest, or an expensive one before it, also has
    inputs that the next tile will read, their numbers in `tilewright.later`.

    Not handled: vectorization, packing, scratch offsets, and the scalar operations tile.cast, tile.floor_div, tile.floor_mod and
    tile.random_bits, which stay.
  }];
  let options = [
    Option<"reference", "reference", "bool", "false", "The oracle: dots in f64, no fused multiply-add">,
    Option<"fuseMultiplyAdd", "fuse-multiply-add", "bool", "true", "a * b + c rounds once: the processor has an instruction for it">,
    Option<"streamedBytes", "streamed-bytes", "int64_t", "16777216", "Outputs of this size are written past the caches; 0: none are">,
    Option<"planOnly", "plan-only", "bool", "false", "Only decide which tiles get a buffer, for tests">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"
  ];
}

def LowerContractions : Pass<"lower-contractions", "::mlir::ModuleOp"> {
  let summary = "Turns linalg.generic marked `tilewright.dot` into packed panels and a register-blocked micro-kernel";
  let description = [{
    out[row, column] += Σ rows[row, k] · columns[k, column] becomes loops over blocks of registers. Both factors are copied first,
    converted to the accumulator's type, in the order in which the blocks read them; LowerContractions.cpp draws the levels.

    ```mlir
    linalg.generic {indexing_maps = […], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<?x?xbf16, strided<[?, 1]>>, memref<?x?xbf16, strided<[?, 1]>>) outs(%acc : memref<?x?xf32, strided<[256, 1]>>)
        attrs = {tilewright.dot} { … }
    ```
    becomes
    ```mlir
    %rows = memref.alloc() : memref<16x8x64xf32>                  // panels of 8 rows
    %columns = memref.alloc() : memref<64x32xf32>                 // one panel of 32 columns
    …                                                             // pack all rows
    scf.for %column = %c0 to %N step %c32 {
      …                                                           // pack 32 columns
      scf.for %panel = %c0 to %panels step %c1 {
        …                                                         // load 8 x 32 accumulators
        %sums:16 = scf.for %k = %c0 to %K step %c1 iter_args(…) -> (vector<16xf32>, …) {
          %b0 = vector.load %columns[%k, %c0] : memref<64x32xf32>, vector<16xf32>
          %a0 = memref.load %rows[%panel, %c0, %k] : memref<16x8x64xf32>
          …                                                       // 16 multiply-adds
        }
        …                                                         // store them
      }
    }
    ```
    Blocks may write beyond the existing elements of the accumulator's buffer, never beyond the buffer. Left to
    lower-linalg-to-loops, with a remark that says why: products with a vector, blocks of fewer than 4 rows or columns or 8 of k,
    accumulators that are not a buffer of static shape.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "The width of the processor's vectors: 128, 256 or 512">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerLinalgToLoops : Pass<"lower-linalg-to-loops", "::mlir::ModuleOp"> {
  let summary = "Turns every linalg.generic on memrefs into scf.for nests that LLVM's loop vectorizer can use";
  let description = [{
    Loops in the order of the dimensions. A value of the body is computed in the outermost loop that has all indices it depends on.
    If the innermost dimensions are reductions, their loops carry the accumulators, and additions of floats to them may be
    reassociated (not with `reference`, which keeps sums in order).

    ```mlir
    linalg.generic {indexing_maps = [(i, j) -> (i, j), (i, j) -> (i)], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<?x?xf32, …>) outs(%sum : memref<?xf32, …>) {
    ^bb0(%a: f32, %s: f32):
      %t = arith.addf %s, %a : f32
      linalg.yield %t : f32
    }
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %m step %c1 {
      %s0 = memref.load %sum[%i]
      %s1 = scf.for %j = %c0 to %n step %c1 iter_args(%s = %s0) -> (f32) {
        %a = memref.load %x[%i, %j]
        %t = arith.addf %s, %a fastmath<reassoc,contract> : f32
        scf.yield %t : f32
      }
      memref.store %s1, %sum[%i]
    }
    ```
    A nest with the hint `tilewright.streamed` computes its innermost dimension in strips of 4 KiB and copies each to the output by
    vectors, non-temporal ones if the input that `tilewright.large` names is true. Under the same condition a nest prefetches the inputs
    that `tilewright.later` names, so many lines at a time as the processor can wait for at once.

    Extents must be at least 1. Not handled: tensors, and indexing maps that are no projected permutations.
  }];
  let options = [
    Option<"reference", "reference", "bool", "false", "Keep sums in order: no reassociation">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandCasts : Pass<"expand-casts", "::mlir::ModuleOp"> {
  let summary = "Expands tile.cast, tile.floor_div, tile.floor_mod and tile.random_bits on scalars and vectors";
  let description = [{
    The scalar ops of the tile dialect, and arith and math on f16, bf16 and f8, become arith on i32, i64, f32 and f64 by the rules
    of the language (§3.2, §3.15): straight-line and without a library call, so that LLVM's loop vectorizer widens them. Arithmetic
    on a narrow float is computed in f32.

    ```mlir
    %y = tile.cast %x : f32 -> bf16
    ```
    becomes
    ```mlir
    %code = arith.bitcast %x : f32 to i32
    %kept = arith.shrui %code, %c16 : i32
    %odd = arith.andi %kept, %c1 : i32
    %up = arith.addi %code, %c0x7fff : i32
    %near = arith.addi %up, %odd : i32
    %quiet = arith.ori %code, %c0x400000 : i32
    %nan = arith.cmpf uno, %x, %x : f32
    %wide = arith.select %nan, %quiet, %near : i32
    %high = arith.shrui %wide, %c16 : i32
    %low = arith.trunci %high : i32 to i16
    %y = arith.bitcast %low : i16 to bf16
    ```
    With `nvidia` the GPU's own conversions are used where they follow the rules:
    ```mlir
    %y = tile.cast %x : f32 -> bf16
    %i = tile.cast %x : f32 -> i32
    // ==>
    %y = arith.truncf %x : f32 to bf16
    %i = llvm.call_intrinsic "llvm.nvvm.f2i.rz"(%x) : (f32) -> i32     // saturates, NaN gives 0
    ```
    Not handled: tiles (tensors), which are no longer there when it runs; loads, stores, constants, selects and bitcasts of narrow
    types, which stay.
  }];
  let options = [
    Option<"f16c", "f16c", "bool", "false", "The processor converts between f16 and f32; otherwise integers do">,
    Option<"nvidia", "nvidia", "bool", "false", "The processor is a GPU of NVIDIA's">,
    Option<"f8", "f8", "bool", "false", "That GPU converts f8 (sm_89 and later)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"expand-math", "::mlir::ModuleOp"> {
  let summary = "Expands the math functions into arithmetic of a stated error";
  let description = [{
    exp, exp2, tanh, log, log2, log1p, sin, cos, erf, powf and rsqrt on f32 and f64, scalars or vectors, become straight-line
    arith without a branch or a call; ExpandMath.cpp has the table of errors (at most 2 units in the last place) and the methods.

    ```mlir
    %y = math.exp %x : f32
    ```
    becomes
    ```mlir
    …                                                       // x bounded to -104 … 89
    %p = arith.mulf %x, %log2e fastmath<contract> : f32
    %t = arith.addf %p, %c1.5x2^23 fastmath<contract> : f32 // n = round(x / ln 2) in the low bits
    %n = arith.subf %t, %c1.5x2^23 : f32
    …                                                       // r = x - n ln 2; a polynomial of r; times 2^n by bits
    ```
    With `ldexp` the last step is llvm.intr.ldexp (scalars only: the loop vectorizer widens it).

    With `nvidia` rsqrt on f32 is an instruction, sin and cos on scalar f32 branch for huge angles, and operations on f32 with
    `fastmath<afn>`, arith.divf too, become approximations with a relative error of at most 2^-10.9:
    ```mlir
    %y = math.exp %x fastmath<afn> : f32
    // ==>
    %p = arith.mulf %x, %log2e : f32
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%p) : (f32) -> f32
    ```

    With `nvidia`, four quotients of a block by one divisor, or more, are products with its reciprocal and a correction, if divisor and
    dividends are of ordinary size: correctly rounded all the same (ExpandMathQuotients.cpp).

    sqrt, floor, ceil, roundeven, absf and fma stay: they are instructions (SSE4.1 and FMA on x86). Without `fma`, math.fma is
    emulated. Not handled: narrow floats (expand-casts widens them first), other functions of the math dialect.
  }];
  let options = [
    Option<"fma", "fma", "bool", "true", "The processor multiplies and adds with one rounding">,
    Option<"ldexp", "ldexp", "bool", "false", "The processor multiplies vectors by powers of two with one rounding">,
    Option<"nvidia", "nvidia", "bool", "false", "The processor is a GPU of NVIDIA's">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def AllocateScratch : Pass<"allocate-scratch", "::mlir::ModuleOp"> {
  let summary = "Gives every memref.alloc of @tw_cpu_tiles a constant offset in the thread's scratch";
  let description = [{
    Each memref.alloc becomes an address in the scratch argument (the function's last, an `!llvm.ptr`) at a constant offset, a
    multiple of 64. Buffers that never live together may share an offset; buffers at different offsets never overlap, so an alias
    analysis may take (scratch, offset) for the buffer. The module's attribute `tilewright.scratch_bytes` says how much is used.

    ```mlir
    %b = memref.alloc() : memref<8x16xf32>
    ```
    becomes
    ```mlir
    %p = llvm.getelementptr inbounds %scratch[1024] : (!llvm.ptr) -> !llvm.ptr, i8
    …                                              // a memref descriptor around %p
    %b = builtin.unrealized_conversion_cast %descriptor : !llvm.struct<…> to memref<8x16xf32>
    ```
    Deallocations are removed. Not handled, and refused: dynamic shapes, and a buffer allocated in a loop that the loop carries to
    its next iteration. Functions other than @tw_cpu_tiles are left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

def AnnotateAliasScopes : Pass<"annotate-alias-scopes", "::mlir::ModuleOp"> {
  let summary = "Tells LLVM which buffers cannot overlap";
  let description = [{
    Gives every llvm.load and llvm.store the alias scope of the buffer that its address is computed from, and declares it not to
    alias the scopes of the function's other buffers. See the essay at the top of the file for why that is so. An access
    whose buffer is not found (its address comes through a block argument, say) keeps no annotation.

    ```mlir
    %p = llvm.inttoptr %slot3 : i64 to !llvm.ptr
    %v = llvm.load %p : !llvm.ptr -> f32
    // ==>
    %v = llvm.load %p {alias_scopes = [#buffer0], noalias_scopes = [#buffer1]} : !llvm.ptr -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

//===--------------------------------------------------------------------------------------------------------------===//
// The passes of GPU targets, in the order in which compiler/pipeline/Pipeline.cpp runs them.
//===--------------------------------------------------------------------------------------------------------------===//

def DropUnitAxes : Pass<"drop-unit-axes", "::mlir::ModuleOp"> {
  let summary = "Makes scalars of grid axes with one index a tile, where products have several axes on one side";
  let description = [{
    Tensor cores take one axis of rows and one of columns. A grid's span of capacity 1 becomes an i64, and its axis leaves all tiles. An
    operation that wants the axis as such (a scan, a fold, a batch of a product) keeps it in the whole kernel.

    ```mlir
    tile.parallel "g" %g : !tile.span<"g", 1> in %c0 to %G {
      %tg = tile.index %g : !tile.span<"g", 1> -> tensor<1xi64, #tile.axes<"g">>
      %a = tile.load %q[%tg, %ti, %td] spans(%g, %i, %d) … -> tensor<1x64x64xbf16, #tile.axes<"g", "i", "d">>
    ```
    becomes
    ```mlir
    tile.parallel "g" %g : i64 in %c0 to %G {
      %a = tile.load %q[%g, %ti, %td] spans(%i, %d) … -> tensor<64x64xbf16, #tile.axes<"i", "d">>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def ChooseApproximations : Pass<"choose-approximations", "::mlir::ModuleOp"> {
  let summary = "Marks math whose value is rounded to 16 bits or fewer: approximations may serve";
  let description = [{
    exp, exp2, log, log2, log1p, sqrt, sin, cos, tanh, erf and quotients of f32 get `fastmath<afn>` if each of their uses ends, through
    arithmetic, maxima, selections, sums and what loops carry, in a conversion to a float of at most 16 bits (or a sum in a view of such
    floats). expand-math acts on the mark.

    ```mlir
    %t = math.tanh %x : tensor<64xf32, #tile.axes<"n">>
    %r = tile.cast %t : tensor<64xf32, #tile.axes<"n">> -> tensor<64xbf16, #tile.axes<"n">>
    ```
    becomes
    ```mlir
    %t = math.tanh %x fastmath<afn> : tensor<64xf32, #tile.axes<"n">>
    %r = tile.cast %t : tensor<64xf32, #tile.axes<"n">> -> tensor<64xbf16, #tile.axes<"n">>
    ```
    Not followed, so that what feeds them stays exact: arguments of exp, pow, log, sin and cos (an error grows there), comparisons,
    conversions to integers, operands of dot, folds, scans, prints.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReadBeforeWriting : Pass<"read-before-writing", "::mlir::ModuleOp"> {
  let summary = "Moves loads of inout views before the kernel's own stores";
  let description = [{
    A load of an `inout` view reads the value before the kernel's own store to that element, wherever it stands. (On the CPU
    convert-tile-to-linalg does this before it plans its buffers.)

    ```mlir
    tile.store %a, %y[%i] …
    %b = tile.load %y[%i] …
    ```
    becomes
    ```mlir
    %b = tile.load %y[%i] …
    tile.store %a, %y[%i] …
    ```
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def PlanSchedule : Pass<"plan-schedule", "::mlir::ModuleOp"> {
  let summary = "Chooses the kernels whose product warps with roles form (sm_90a), and the stores that tensor copies make";
  let description = [{
    ScheduleRules.h says which: one product of bf16 or f16, alone in its loop, of operands that tensor copies can take. The kernel gets
    `tilegpu.schedule`, such stores `tilegpu.tensor_copy`; of any other product a remark says why it has none.

    ```mlir
    tile.kernel @linear(…) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = true>} { … }
    ```
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "232448", "shared memory that a block may have">,
                 Option<"schedule", "schedule", "std::string", "", "fields of a schedule in place of the default's (ScheduleRequest.h)">,
                 Option<"split", "split", "int64_t", "1", "over how many blocks a product's sum should be split, if it can be and no schedule is asked for">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def SplitLoops : Pass<"split-loops", "::mlir::ModuleOp"> {
  let summary = "Of loops with several products: first the steps in which all indices exist and comparisons of indices hold, then the others";
  let description = [{
    Of kernels with `tilegpu.loops`. The first of the two loops gets `tilegpu.whole_spans`; comparisons of the loop's index with the grid's, such
    as those of a causal mask, are true in it.

    ```mlir
    %r = tile.for "t" %t : !tile.span<"t", 64> in %c0 to %n carries (…) { %c = arith.cmpi sle, %tt, %ti : …; %m = arith.select %c, %s, %low : … }
    ```
    becomes
    ```mlir
    %q = tile.for "t" %t : !tile.span<"t", 64> in %c0 to %middle carries (…) {tilegpu.whole_spans} { … %s … }
    %r = tile.for "t" %t : !tile.span<"t", 64> in %middle to %n carries (%q) { %c = arith.cmpi sle, %tt, %ti : …; %m = arith.select %c, %s, %low : … }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def SplitSums : Pass<"split-sums", "::mlir::ModuleOp"> {
  let summary = "Of products whose sum is split over a cluster's blocks: what is done with the sum is done for a share of its columns";
  let description = [{
    Of kernels whose schedule has a `split`. Each block forms its part of the sum of the whole tile; behind the loop a cluster_sum is this block's
    share of the sum, and everything else in the tile has that share's columns.

    ```mlir
    tile.parallel "j" %j : !tile.span<"j", 64> in %c0 to %N {
      %r = tile.for "k" … { … } -> tensor<64x64xf32, #tile.axes<"i", "j">>
      %c = tile.cast %r : tensor<64x64xf32, #tile.axes<"i", "j">> -> tensor<64x64xbf16, #tile.axes<"i", "j">>
      tile.store %c to %y[…] over (%i, %j) …
    ```
    becomes
    ```mlir
    tile.parallel "j" %j : !tile.span<"j", 64> in %c0 to %N {
      %rank = tilegpu.cluster_rank
      …
      %share = tilegpu.span_at %first to %N : !tile.span<"j", 32>
      %r = tile.for "k" … { … } -> tensor<64x64xf32, #tile.axes<"i", "j">>
      %s = tilegpu.cluster_sum %r : tensor<64x64xf32, #tile.axes<"i", "j">> -> tensor<64x32xf32, #tile.axes<"i", "j">>
      %c = tile.cast %s : tensor<64x32xf32, #tile.axes<"i", "j">> -> tensor<64x32xbf16, #tile.axes<"i", "j">>
      tile.store %c to %y[…] over (%i, %share) …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect", "::tilewright::tilegpu::TileGPUDialect"];
}

def AssignLayouts : Pass<"assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Gives each tile a layout, and makes products and movements between layouts operations of tilegpu";
  let description = [{
    LayoutRules.h decides where the elements of loads, stores and products are; everything between takes the layout of what it is
    computed from. What costs nothing to compute again (indices, constants, broadcasts, loads of one-dimensional tiles) is computed in
    whatever layout its use has; every other difference becomes a tilegpu.convert_layout. A tile.dot becomes a tilegpu.dot of two
    buffers.

    ```mlir
    %b = tile.load %x[%j] … -> tensor<128xf32, #tile.axes<"j">>
    %c = tile.broadcast %b : tensor<128xf32, #tile.axes<"j">> -> tensor<64x128xf32, #tile.axes<"i", "j">>
    %r = arith.addf %acc, %c : tensor<64x128xf32, #tile.axes<"i", "j">>
    ```
    becomes
    ```mlir
    %b = tile.load %x[%j'] … -> tensor<128xf32, #tile.axes<"j", layout = #layout1>>
    %c = tile.broadcast %b : tensor<128xf32, #tile.axes<"j", layout = #layout1>> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
    %r = arith.addf %acc, %c : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
    ```
  }];
  let options = [Option<"capability", "capability", "int64_t", "80", "80 for sm_80, 90 for sm_90a">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect", "::tilewright::tilegpu::TileGPUDialect"];
}

def PlanPipeline : Pass<"plan-pipeline", "::mlir::ModuleOp"> {
  let summary = "Chooses the loads that a loop starts ahead of their use, and how far ahead";
  let description = [{
    A load of a loop over spans is one of them if it only feeds a product through shared memory, and cp.async can copy it as it is: rows
    aligned, contiguous where the buffer is, indices known without memory. The loop gets `tilegpu.stages`: as many as leave room for a
    second block, two to four; a loop for which two do not fit gets none.

    ```mlir
    %0 = tile.for "k" %k : … attributes {tilegpu.stages = 3 : i64} {
      %a = tile.load %x[%i, %t] … {tilegpu.pipelined} : …
      …
    }
    ```
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "101376", "shared memory that a block may have">,
                 Option<"multiprocessorBytes", "multiprocessor-bytes", "int64_t", "102400", "shared memory of a multiprocessor">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def ExpandPipeline : Pass<"expand-pipeline", "::mlir::ModuleOp"> {
  let summary = "Makes the loads that plan-pipeline chose asynchronous copies, so many iterations ahead";
  let description = [{
    ```mlir
    %b = tilegpu.alloc : … stages = 3                                   // copies of iterations 0 and 1 started here
    %r:2 = tile.for "k" %k : … carries (%acc = …, %stage = %c0) : … {
      tilegpu.async_wait 1
      tilegpu.async_load %x[%i, %t2] … into %s2 …                       // iteration + 2
      tilegpu.async_commit
      %s = tilegpu.stage %b[%stage] {tilegpu.step = 0 : i64} : …
      %d = tilegpu.dot mma %s, … : …
      …
    }
    tilegpu.async_wait 0
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tilegpu::TileGPUDialect"];
}

def SpecializeWarps : Pass<"specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Gives the warps of a kernel with a schedule their roles: one thread that feeds a ring by tensor copies, groups that multiply";
  let description = [{
    The ring of S stages, filled and emptied through two barriers each. Step n of the block's all (its tiles one after another) is in stage n mod S,
    in round n / S: a group waits for `full` with that round's parity, the producer for `empty` with the one before's. The first step of a
    tile is peeled: it starts the sum, so that no register is zeroed. A stage is given back when the products after it have been started and
    it has been read (wgmma_wait 1). If the rows' operand is computed of tiles on the way, these have rings, and the groups compute it
    (load_shared, …, wgmma_registers stepwise).

    ```mlir
    tilegpu.roles groups 2 registers [40, 232] producer {
      tile.parallel … { tile.for … { mbarrier_wait %empty …; mbarrier_arrive %full … expecting …; tma_load … } }
    } consumers {
      tile.parallel … {
        turn_wait; mbarrier_wait %full …; %a = wgmma …
        %r = tile.for … { mbarrier_wait …; wgmma … onto …; wgmma_wait 1; mbarrier_arrive %empty … }
        turn_pass; %v = wgmma_wait 0 of %r; mbarrier_arrive …
        …
      }
    }
    ```
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "232448", "shared memory that a block may have">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tilegpu::TileGPUDialect"];
}

def SpecializeLoops : Pass<"specialize-loops", "::mlir::ModuleOp"> {
  let summary = "Gives the warps of a kernel with several products in a loop their roles: one thread that feeds rings, warpgroups that multiply and compute";
  let description = [{
    A ring of S stages, with two barriers each, for each operand that the loops load; a stage a tile for each that is loaded before them. Step n of the
    block's all is in stage n mod S, round n / S, which is counted from tile to tile (step_ordinal), since loops may have different lengths.
    Each product is started and waited for in its place; an operand that is computed stays in registers (wgmma_registers).

    ```mlir
    tilegpu.roles groups 1 registers [24, 240] producer {
      tile.parallel … {
        mbarrier_wait %q_empty …; tma_load … ; step_ordinal
        tile.for … { mbarrier_wait %k_empty …; tma_load …; mbarrier_wait %v_empty …; tma_load … }
        count_steps …
      }
    } consumers {
      tile.parallel … {
        mbarrier_wait %q_full …
        tile.for … { mbarrier_wait %k_full …; wgmma …; wgmma_wait 0; mbarrier_arrive %k_empty …; …; mbarrier_wait %v_full …; wgmma_registers … }
        mbarrier_arrive %q_empty …; count_steps …
      }
    }
    ```
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "232448", "shared memory that a block may have">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tilegpu::TileGPUDialect"];
}

def AllocateSharedMemory : Pass<"allocate-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Gives buffers, and what operations need while they run, places in the shared memory of a block";
  let description = [{
    Places of things that live at different times overlap. tilegpu.alloc gets `offset`, other operations `tilegpu.scratch_offset`, the
    kernel `tilegpu.shared_bytes`.

    ```mlir
    %b = tilegpu.alloc {offset = 0 : i64} : …
    %r = tilegpu.convert_layout %a {tilegpu.scratch_offset = 16384 : i64} : …
    ```
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def InsertBarriers : Pass<"insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Puts a tilegpu.barrier wherever a thread could see what another is about to write, or not yet has";
  let description = [{
    Two accesses of one place, one of them a write, need a barrier between them, unless it is a thread's own register that is written
    and read in the same layout. Places are intervals of shared memory and the views that a kernel writes.

    ```mlir
    tilegpu.store_shared %a, %b : …
    %d = tilegpu.dot mma %b, %c, %acc …
    ```
    becomes
    ```mlir
    tilegpu.store_shared %a, %b : …
    tilegpu.barrier
    %d = tilegpu.dot mma %b, %c, %acc …
    ```
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def ConvertTileGPUToLLVM : Pass<"convert-tilegpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers a tile.kernel with layouts to the entry points of a GPU module: one thread's program";
  let description = [{
    A kernel becomes an llvm.func of its name, with the calling convention of compiler_c.h, and, where outputs are added to, `NAME_begin` and
    `NAME_finish`. Bodies are scalar operations of arith, math, scf and tile (cast, floor_div, floor_mod, random_bits), and LLVM and NVVM
    operations for memory and threads. A tile is a value for each register of its layout.

    ```mlir
    llvm.func @scale(%arg0: !llvm.ptr {llvm.byval = !llvm.array<12 x i64>, …}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      …
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect", "::tilewright::tilegpu::TileGPUDialect"];
}

#endif
