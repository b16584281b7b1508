module {
  tile.kernel @linear(%x: !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>, %w: !tile.view<element = f32, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>, %b: !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>, %y: !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>, %M: i64, %K: i64, %N: i64) dimensions = 3 {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #tile.axes<"i", "j">>
    %c0_i64 = arith.constant 0 : i64
    tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %M {
      tile.parallel "j" %j: !tile.span<"j", 128> in %c0_i64 to %N {
        %0 = tile.for "k" %k: !tile.span<"k", 256> in %c0_i64 to %K carries (%arg0 = %cst) : tensor<64x128xf32, #tile.axes<"i", "j">> {
          %7 = tile.index %i : <"i", 64> -> tensor<64xi64, #tile.axes<"i">>
          %8 = tile.index %k : <"k", 256> -> tensor<256xi64, #tile.axes<"k">>
          %9 = tile.load %x[%7, %8] spans(%i, %k) compare [false, false] : <element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>, (tensor<64xi64, #tile.axes<"i">>, tensor<256xi64, #tile.axes<"k">>), spans(!tile.span<"i", 64>, !tile.span<"k", 256>) -> tensor<64x256xf32, #tile.axes<"i", "k">>
          %10 = tile.index %j : <"j", 128> -> tensor<128xi64, #tile.axes<"j">>
          %11 = tile.load %w[%10, %8] spans(%j, %k) compare [false, false] : <element = f32, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>, (tensor<128xi64, #tile.axes<"j">>, tensor<256xi64, #tile.axes<"k">>), spans(!tile.span<"j", 128>, !tile.span<"k", 256>) -> tensor<128x256xf32, #tile.axes<"j", "k">>
          %12 = tile.dot %9, %11, %arg0 over(%k) : tensor<64x256xf32, #tile.axes<"i", "k">>, tensor<128x256xf32, #tile.axes<"j", "k">>, !tile.span<"k", 256> -> tensor<64x128xf32, #tile.axes<"i", "j">>
          tile.yield %12 : tensor<64x128xf32, #tile.axes<"i", "j">>
        }
        %1 = tile.index %j : <"j", 128> -> tensor<128xi64, #tile.axes<"j">>
        %2 = tile.load %b[%1] spans(%j) compare [false] : <element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>, (tensor<128xi64, #tile.axes<"j">>), spans(!tile.span<"j", 128>) -> tensor<128xf32, #tile.axes<"j">>
        %3 = tile.broadcast %2 : tensor<128xf32, #tile.axes<"j">> -> tensor<64x128xf32, #tile.axes<"i", "j">>
        %4 = arith.addf %0, %3 fastmath<contract> : tensor<64x128xf32, #tile.axes<"i", "j">>
        %5 = arith.maximumf %4, %cst : tensor<64x128xf32, #tile.axes<"i", "j">>
        %6 = tile.index %i : <"i", 64> -> tensor<64xi64, #tile.axes<"i">>
        tile.store %5, %y[%6, %1] spans(%i, %j) compare [false, false] : tensor<64x128xf32, #tile.axes<"i", "j">>, <element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>, (tensor<64xi64, #tile.axes<"i">>, tensor<128xi64, #tile.axes<"j">>), spans(!tile.span<"i", 64>, !tile.span<"j", 128>)
      }
    }
  }
}

