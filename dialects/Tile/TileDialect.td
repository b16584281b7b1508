#ifndef TILEWRIGHT_DIALECTS_TILE_TILEDIALECT_TD
#define TILEWRIGHT_DIALECTS_TILE_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "One tile of a kernel's result: named axes, spans, views; no target, no threads";
  let description = [{
    A kernel of the tile language after its names are resolved. Tiles are builtin tensors whose encoding names their axes,
    so `arith` and `math` serve for all that is elementwise; this dialect adds what moves data along an axis or touches memory.

    *Existence.* A tile has an element for each pair of indices in its spans, and a span has `len = end - start` indices, at most
    its capacity. The tensor's shape is made of capacities; the lanes at and beyond `len` hold garbage that no program can
    observe. Exactly these operations take spans as operands and respect `len`: load, store, accumulate, atomic_rmw, reduce,
    arg_reduce, fold, dot (the contracted axes), assert, print. All others leave garbage in its lane. A scan runs over all lanes:
    the lanes beyond `len` come last.

    *Broadcasting* is explicit: the operands of an `arith` or `math` operation have one type, so one order of axes; tile.broadcast
    repeats and permutes. A tile without axes is a scalar, never a tensor of rank 0.

    *Constraints* have labels, `load_c1`, which stand in an operation's description, at the line of its verifier that checks it
    and in the name of the test that breaks it.

    *Examples.* Unless they say otherwise, they stand in the innermost region of this kernel, which is shown once:

    ```mlir
    tile.kernel @stage(%x: !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>,
                       %w: !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>,
                       %y: !tile.view<element = bf16, dims = ["M...", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>,
                       %db: !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>,
                       %count: !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>,
                       %seed: i64, %eps: f32, %M: i64, %K: i64, %N: i64) dimensions = 3 {
      %c0 = arith.constant 0 : i64
      tile.parallel "i" %i : !tile.span<"i", 128> in %c0 to %M {
        tile.parallel "j" %j : !tile.span<"j", 192> in %c0 to %N {
          %zero = arith.constant dense<0.0> : tensor<128x192xf32, #tile.axes<"i", "j">>
          %sum = tile.for "k" %k : !tile.span<"k", 64> in %c0 to %K carries (%acc = %zero) : tensor<128x192xf32, #tile.axes<"i", "j">> {
            %ti = tile.index %i : !tile.span<"i", 128> -> tensor<128xi64, #tile.axes<"i">>
            %tj = tile.index %j : !tile.span<"j", 192> -> tensor<192xi64, #tile.axes<"j">>
            %tk = tile.index %k : !tile.span<"k", 64> -> tensor<64xi64, #tile.axes<"k">>
            %a = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false]
                : !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>,
                  (tensor<128xi64, #tile.axes<"i">>, tensor<64xi64, #tile.axes<"k">>), spans(!tile.span<"i", 128>, !tile.span<"k", 64>)
                -> tensor<128x64xbf16, #tile.axes<"i", "k">>
            %b = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false]
                : !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>,
                  (tensor<192xi64, #tile.axes<"j">>, tensor<64xi64, #tile.axes<"k">>), spans(!tile.span<"j", 192>, !tile.span<"k", 64>)
                -> tensor<192x64xbf16, #tile.axes<"j", "k">>
            %s = tile.cast %a : tensor<128x64xbf16, #tile.axes<"i", "k">> -> tensor<128x64xf32, #tile.axes<"i", "k">>
            // the example stands here
            tile.yield %acc : tensor<128x192xf32, #tile.axes<"i", "j">>
          }
        }
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif
