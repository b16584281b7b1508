#layout = #tilegpu.distributed<[64, 128], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
#layout1 = #tilegpu.distributed<[128], registers = [[1], [8], [16], [32], [64]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]]>
module {
  tile.kernel @linear(%x: !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, %w: !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, %b: !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>, %y: !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>, tilegpu.shared_bytes = 229408 : i64, tilegpu.warps = 4 : i64} {
    %c0_i64 = arith.constant 0 : i64
    %0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : <element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
    %1 = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 : <element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
    %2 = tilegpu.tensor_map %w order [1, 0] box [64, 128] swizzle 128 : <element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
    %3 = tilegpu.alloc {offset = 131072 : i64} : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
    %4 = tilegpu.alloc {offset = 0 : i64} : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2>
    %5 = tilegpu.mbarriers arrivals 1 {offset = 229376 : i64} : <2>
    %6 = tilegpu.mbarriers arrivals 1 {offset = 229392 : i64} : <2>
    tilegpu.mbarriers_ready
    %c255_i64 = arith.constant 255 : i64
    %7 = arith.addi %K, %c255_i64 : i64
    %c256_i64 = arith.constant 256 : i64
    %8 = arith.divui %7, %c256_i64 : i64
    %c1_i64 = arith.constant 1 : i64
    %9 = arith.maxsi %8, %c1_i64 : i64
    tilegpu.roles groups 2 registers [40, 232] attributes {tilegpu.group_bytes = 16384 : i64} producer {
      tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %M {
        tile.parallel "j" %j: !tile.span<"j", 128> in %c0_i64 to %N {
          %10 = tilegpu.tile_ordinal
          %11 = arith.muli %10, %9 : i64
          %c2_i64 = arith.constant 2 : i64
          %12 = arith.divui %11, %c2_i64 : i64
          %13 = arith.remui %11, %c2_i64 : i64
          %14 = arith.andi %12, %c1_i64 : i64
          %15 = arith.xori %14, %c1_i64 : i64
          %16:2 = tile.for "k" %k: i64 in %c0_i64 to %9 carries (%arg0 = %13, %arg1 = %15) : i64, i64 {
            tilegpu.mbarrier_wait %6[%arg0] parity %arg1 : <2>
            tilegpu.mbarrier_arrive %5[%arg0] expecting 98304 : <2>
            %17 = arith.muli %k, %c256_i64 : i64
            %18 = tile.span_start %i : <"i", 64>
            %19 = tilegpu.stage %3[%arg0] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            tilegpu.tma_load %1[%17, %18] into %19 signals %5[%arg0] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, <2>
            %20 = tile.span_start %j : <"j", 128>
            %21 = tilegpu.stage %4[%arg0] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            tilegpu.tma_load %2[%17, %20] into %21 signals %5[%arg0] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>, <2>
            %22 = arith.addi %arg0, %c1_i64 : i64
            %23 = arith.cmpi eq, %22, %c2_i64 : i64
            %24 = arith.xori %arg1, %c1_i64 : i64
            %25 = arith.select %23, %c0_i64, %22 : i64
            %26 = arith.select %23, %24, %arg1 : i64
            tile.yield %25, %26 : i64, i64
          }
        }
      }
    } consumers {
      %10 = tilegpu.alloc {offset = 196608 : i64} : <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
      tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %M {
        tile.parallel "j" %j: !tile.span<"j", 128> in %c0_i64 to %N {
          %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %11 = tilegpu.tile_ordinal
          %12 = arith.muli %11, %9 : i64
          %c2_i64 = arith.constant 2 : i64
          %13 = arith.divui %12, %c2_i64 : i64
          %14 = arith.remui %12, %c2_i64 : i64
          %15 = arith.andi %13, %c1_i64 : i64
          tilegpu.turn_wait
          tilegpu.mbarrier_wait %5[%14] parity %15 : <2>
          %16 = tilegpu.stage %3[%14] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %17 = tilegpu.stage %4[%14] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %18 = tilegpu.wgmma %16, %17 : !tilegpu.buffer<tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, !tilegpu.buffer<tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %19 = arith.addi %14, %c1_i64 : i64
          %20 = arith.cmpi eq, %19, %c2_i64 : i64
          %21 = arith.xori %15, %c1_i64 : i64
          %22 = arith.select %20, %c0_i64, %19 : i64
          %23 = arith.select %20, %21, %15 : i64
          %24:4 = tile.for "k" %k: i64 in %c1_i64 to %9 carries (%arg0 = %18, %arg1 = %22, %arg2 = %23, %arg3 = %14) : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>, i64, i64, i64 {
            tilegpu.mbarrier_wait %5[%arg1] parity %arg2 : <2>
            %35 = tilegpu.stage %3[%arg1] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            %36 = tilegpu.stage %4[%arg1] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            %37 = tilegpu.wgmma %35, %36 onto %arg0 : !tilegpu.buffer<tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, !tilegpu.buffer<tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
            tilegpu.wgmma_wait 1
            tilegpu.mbarrier_arrive %6[%arg3] : <2>
            %38 = arith.addi %arg1, %c1_i64 : i64
            %39 = arith.cmpi eq, %38, %c2_i64 : i64
            %40 = arith.xori %arg2, %c1_i64 : i64
            %41 = arith.select %39, %c0_i64, %38 : i64
            %42 = arith.select %39, %40, %arg2 : i64
            tile.yield %37, %41, %42, %arg1 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>, i64, i64, i64
          }
          tilegpu.turn_pass
          %25 = tilegpu.wgmma_wait 0 of %24#0 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          tilegpu.mbarrier_arrive %6[%24#3] : <2>
          %26 = tile.index %j : <"j", 128> -> tensor<128xi64, #tile.axes<"j", layout = #layout1>>
          %27 = tile.load %b[%26] spans(%j) compare [false] : <element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>, (tensor<128xi64, #tile.axes<"j", layout = #layout1>>), spans(!tile.span<"j", 128>) -> tensor<128xbf16, #tile.axes<"j", layout = #layout1>>
          %28 = tile.cast %27 : tensor<128xbf16, #tile.axes<"j", layout = #layout1>> -> tensor<128xf32, #tile.axes<"j", layout = #layout1>>
          %29 = tile.broadcast %28 : tensor<128xf32, #tile.axes<"j", layout = #layout1>> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %30 = arith.addf %25, %29 fastmath<contract> : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %31 = arith.maximumf %30, %cst : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %32 = tile.cast %31 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>> -> tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout>>
          %33 = tile.span_start %j : <"j", 128>
          %34 = tile.span_start %i : <"i", 64>
          tilegpu.tma_store %32 through %10 to[%0] [%33, %34] rows 1 : tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout>>, <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
        }
      }
      tilegpu.tma_store_wait
    }
  }
}

