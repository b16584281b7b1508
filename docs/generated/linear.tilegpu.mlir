#layout = #tilegpu.distributed<[64, 128], registers = [[0, 1], [8, 0], [0, 32], [0, 64], [32, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [0, 8], [0, 16]]>
#layout1 = #tilegpu.distributed<[64], registers = [[8], [16], [32]], lanes = [[0], [0], [0], [0], [0]], warps = [[1], [2], [4]]>
#layout2 = #tilegpu.distributed<[256], registers = [[1], [2], [4]], lanes = [[8], [16], [32], [64], [128]], warps = [[0], [0], [0]]>
#layout3 = #tilegpu.distributed<[64, 256], registers = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warps = [[1, 0], [2, 0], [4, 0]]>
#layout4 = #tilegpu.distributed<[128], registers = [[8], [16], [32], [64]], lanes = [[0], [0], [0], [0], [0]], warps = [[1], [2], [4]]>
#layout5 = #tilegpu.distributed<[128, 256], registers = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0], [64, 0]], lanes = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warps = [[1, 0], [2, 0], [4, 0]]>
#layout6 = #tilegpu.distributed<[128], registers = [[1], [32], [64]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [8], [16]]>
#layout7 = #tilegpu.distributed<[64, 128], registers = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lanes = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warps = [[2, 0], [4, 0], [8, 0]]>
#layout8 = #tilegpu.distributed<[64], registers = [[16], [32]], lanes = [[0], [0], [0], [0], [1]], warps = [[2], [4], [8]]>
#layout9 = #tilegpu.distributed<[128], registers = [[1], [2], [4]], lanes = [[8], [16], [32], [64], [0]], warps = [[0], [0], [0]]>
module {
  tile.kernel @linear(%x: !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, %w: !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, %b: !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>, %y: !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.blocks = 2 : i64, tilegpu.shared_bytes = 196608 : i64, tilegpu.warps = 8 : i64} {
    %c0_i64 = arith.constant 0 : i64
    tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %M {
      tile.parallel "j" %j: !tile.span<"j", 128> in %c0_i64 to %N {
        %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
        %0 = tilegpu.alloc {offset = 131072 : i64} : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
        %1 = tilegpu.alloc {offset = 0 : i64} : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2>
        %2 = tilegpu.span_at %c0_i64 to %K : <"k", 256>
        %3 = arith.cmpi slt, %c0_i64, %K : i64
        %4 = tile.index %i : <"i", 64> -> tensor<64xi64, #tile.axes<"i", layout = #layout1>>
        %5 = tile.index %2 : <"k", 256> -> tensor<256xi64, #tile.axes<"k", layout = #layout2>>
        %6 = tilegpu.stage %0[%c0_i64] {tilegpu.step = 0 : i64} : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
        tilegpu.async_load %x[%4, %5] spans(%i, %2) if %3 into %6 layout #layout3 : <element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, (tensor<64xi64, #tile.axes<"i", layout = #layout1>>, tensor<256xi64, #tile.axes<"k", layout = #layout2>>), spans(!tile.span<"i", 64>, !tile.span<"k", 256>), <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
        %7 = tile.index %j : <"j", 128> -> tensor<128xi64, #tile.axes<"j", layout = #layout4>>
        %8 = tilegpu.stage %1[%c0_i64] {tilegpu.step = 0 : i64} : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
        tilegpu.barrier
        tilegpu.async_load %w[%7, %5] spans(%j, %2) if %3 into %8 layout #layout5 : <element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, (tensor<128xi64, #tile.axes<"j", layout = #layout4>>, tensor<256xi64, #tile.axes<"k", layout = #layout2>>), spans(!tile.span<"j", 128>, !tile.span<"k", 256>), <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
        tilegpu.async_commit
        %9:2 = tile.for "k" %k: !tile.span<"k", 256> in %c0_i64 to %K carries (%arg0 = %cst, %arg1 = %c0_i64) : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>, i64 {
          tilegpu.async_wait 0
          %20 = tile.span_start %k : <"k", 256>
          %21 = arith.cmpi eq, %arg1, %c0_i64 : i64
          %c1_i64 = arith.constant 1 : i64
          %c-1_i64 = arith.constant -1 : i64
          %22 = arith.addi %arg1, %c-1_i64 : i64
          %23 = arith.select %21, %c1_i64, %22 : i64
          %c256_i64 = arith.constant 256 : i64
          %24 = arith.addi %20, %c256_i64 : i64
          %25 = tilegpu.span_at %24 to %K : <"k", 256>
          %26 = arith.cmpi slt, %24, %K : i64
          %27 = tile.index %25 : <"k", 256> -> tensor<256xi64, #tile.axes<"k", layout = #layout2>>
          %28 = tilegpu.stage %0[%23] {tilegpu.step = 1 : i64} : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          tilegpu.barrier
          tilegpu.async_load %x[%4, %27] spans(%i, %25) if %26 into %28 layout #layout3 : <element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, (tensor<64xi64, #tile.axes<"i", layout = #layout1>>, tensor<256xi64, #tile.axes<"k", layout = #layout2>>), spans(!tile.span<"i", 64>, !tile.span<"k", 256>), <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %29 = tilegpu.stage %1[%23] {tilegpu.step = 1 : i64} : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          tilegpu.async_load %w[%7, %27] spans(%j, %25) if %26 into %29 layout #layout5 : <element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, (tensor<128xi64, #tile.axes<"j", layout = #layout4>>, tensor<256xi64, #tile.axes<"k", layout = #layout2>>), spans(!tile.span<"j", 128>, !tile.span<"k", 256>), <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          tilegpu.async_commit
          %30 = tilegpu.stage %0[%arg1] {tilegpu.step = 0 : i64} : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %31 = tilegpu.stage %1[%arg1] {tilegpu.step = 0 : i64} : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %32 = tilegpu.dot mma %30, %31, %arg0 over ["k"] precision default : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %33 = arith.addi %arg1, %c1_i64 : i64
          %c2_i64 = arith.constant 2 : i64
          %34 = arith.cmpi eq, %33, %c2_i64 : i64
          %35 = arith.select %34, %c0_i64, %33 : i64
          tile.yield %32, %35 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>, i64
        }
        tilegpu.async_wait 0
        %10 = tile.index %j : <"j", 128> -> tensor<128xi64, #tile.axes<"j", layout = #layout6>>
        %11 = tile.load %b[%10] spans(%j) compare [false] : <element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>, (tensor<128xi64, #tile.axes<"j", layout = #layout6>>), spans(!tile.span<"j", 128>) -> tensor<128xbf16, #tile.axes<"j", layout = #layout6>>
        %12 = tile.cast %11 : tensor<128xbf16, #tile.axes<"j", layout = #layout6>> -> tensor<128xf32, #tile.axes<"j", layout = #layout6>>
        %13 = tile.broadcast %12 : tensor<128xf32, #tile.axes<"j", layout = #layout6>> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
        %14 = arith.addf %9#0, %13 fastmath<contract> : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
        %15 = arith.maximumf %14, %cst : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
        %16 = tile.cast %15 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>> -> tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout>>
        tilegpu.barrier
        %17 = tilegpu.convert_layout %16 {tilegpu.scratch_offset = 0 : i64} : tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout>> -> tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout7>>
        %18 = tile.index %i : <"i", 64> -> tensor<64xi64, #tile.axes<"i", layout = #layout8>>
        %19 = tile.index %j : <"j", 128> -> tensor<128xi64, #tile.axes<"j", layout = #layout9>>
        tile.store %17, %y[%18, %19] spans(%i, %j) compare [false, false] {tilegpu.place_layout = #layout7} : tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout7>>, <element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>, (tensor<64xi64, #tile.axes<"i", layout = #layout8>>, tensor<128xi64, #tile.axes<"j", layout = #layout9>>), spans(!tile.span<"i", 64>, !tile.span<"j", 128>)
      }
    }
  }
}

