#layout = #tilegpu.distributed<[64, 128], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>
#layout1 = #tilegpu.distributed<[128], registers = [[1], [8], [16], [32], [64]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]]>
module {
  tile.kernel @linear(%x: !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, %w: !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>, %b: !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>, %y: !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>, tilegpu.shared_bytes = 230496 : i64, tilegpu.warps = 4 : i64} {
    %c0_i64 = arith.constant 0 : i64
    %0 = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128 : <element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
    %1 = tilegpu.tensor_map %x order [1, 0] box [64, 64] swizzle 128 : <element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
    %2 = tilegpu.tensor_map %w order [1, 0] box [64, 128] swizzle 128 : <element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
    %3 = tilegpu.tensor_map %b order [0] box [128] swizzle 0 : <element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
    %4 = tilegpu.alloc {offset = 131072 : i64} : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
    %5 = tilegpu.alloc {offset = 0 : i64} : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2>
    %6 = tilegpu.mbarriers arrivals 1 {offset = 230464 : i64} : <2>
    %7 = tilegpu.mbarriers arrivals 1 {offset = 230480 : i64} : <2>
    %8 = tilegpu.alloc {offset = 229376 : i64} : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4>
    %9 = tilegpu.mbarriers arrivals 1 {offset = 230400 : i64} : <4>
    %10 = tilegpu.mbarriers arrivals 4 {offset = 230432 : i64} : <4>
    tilegpu.mbarriers_ready
    %c255_i64 = arith.constant 255 : i64
    %11 = arith.addi %K, %c255_i64 : i64
    %c256_i64 = arith.constant 256 : i64
    %12 = arith.divui %11, %c256_i64 : i64
    %c1_i64 = arith.constant 1 : i64
    %13 = arith.maxsi %12, %c1_i64 : i64
    tilegpu.roles groups 2 registers [40, 232] attributes {tilegpu.group_bytes = 16384 : i64} producer {
      tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %M {
        tile.parallel "j" %j: !tile.span<"j", 128> in %c0_i64 to %N {
          %14 = tilegpu.tile_ordinal
          %c4_i64 = arith.constant 4 : i64
          %15 = arith.divui %14, %c4_i64 : i64
          %16 = arith.remui %14, %c4_i64 : i64
          %17 = arith.andi %15, %c1_i64 : i64
          %18 = arith.xori %17, %c1_i64 : i64
          tilegpu.mbarrier_wait %10[%16] parity %18 : <4>
          tilegpu.mbarrier_arrive %9[%16] expecting 256 : <4>
          %19 = tile.span_start %j : <"j", 128>
          %20 = tilegpu.stage %8[%16] : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4> -> <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 1>
          tilegpu.tma_load %3[%19] into %20 signals %9[%16] : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 1>, <4>
          %21 = arith.muli %14, %13 : i64
          %c2_i64 = arith.constant 2 : i64
          %22 = arith.divui %21, %c2_i64 : i64
          %23 = arith.remui %21, %c2_i64 : i64
          %24 = arith.andi %22, %c1_i64 : i64
          %25 = arith.xori %24, %c1_i64 : i64
          %26:2 = tile.for "k" %k: i64 in %c0_i64 to %13 carries (%arg0 = %23, %arg1 = %25) : i64, i64 {
            tilegpu.mbarrier_wait %7[%arg0] parity %arg1 : <2>
            tilegpu.mbarrier_arrive %6[%arg0] expecting 98304 : <2>
            %27 = arith.muli %k, %c256_i64 : i64
            %28 = tile.span_start %i : <"i", 64>
            %29 = tilegpu.stage %4[%arg0] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            tilegpu.tma_load %1[%27, %28] into %29 signals %6[%arg0] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, <2>
            %30 = tilegpu.stage %5[%arg0] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            tilegpu.tma_load %2[%27, %19] into %30 signals %6[%arg0] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>, <2>
            %31 = arith.addi %arg0, %c1_i64 : i64
            %32 = arith.cmpi eq, %31, %c2_i64 : i64
            %33 = arith.xori %arg1, %c1_i64 : i64
            %34 = arith.select %32, %c0_i64, %31 : i64
            %35 = arith.select %32, %33, %arg1 : i64
            tile.yield %34, %35 : i64, i64
          }
        }
      }
    } consumers {
      %14 = tilegpu.alloc {offset = 196608 : i64} : <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
      tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %M {
        tile.parallel "j" %j: !tile.span<"j", 128> in %c0_i64 to %N {
          %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %15 = tilegpu.tile_ordinal
          %16 = arith.muli %15, %13 : i64
          %c2_i64 = arith.constant 2 : i64
          %17 = arith.divui %16, %c2_i64 : i64
          %18 = arith.remui %16, %c2_i64 : i64
          %19 = arith.andi %17, %c1_i64 : i64
          tilegpu.turn_wait
          tilegpu.mbarrier_wait %6[%18] parity %19 : <2>
          %20 = tilegpu.stage %4[%18] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %21 = tilegpu.stage %5[%18] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %22 = tilegpu.wgmma %20, %21 : !tilegpu.buffer<tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, !tilegpu.buffer<tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %23 = arith.addi %18, %c1_i64 : i64
          %24 = arith.cmpi eq, %23, %c2_i64 : i64
          %25 = arith.xori %19, %c1_i64 : i64
          %26 = arith.select %24, %c0_i64, %23 : i64
          %27 = arith.select %24, %25, %19 : i64
          %28:4 = tile.for "k" %k: i64 in %c1_i64 to %13 carries (%arg0 = %22, %arg1 = %26, %arg2 = %27, %arg3 = %18) : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>, i64, i64, i64 {
            tilegpu.mbarrier_wait %6[%arg1] parity %arg2 : <2>
            %42 = tilegpu.stage %4[%arg1] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            %43 = tilegpu.stage %5[%arg1] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            %44 = tilegpu.wgmma %42, %43 onto %arg0 : !tilegpu.buffer<tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, !tilegpu.buffer<tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
            tilegpu.wgmma_wait 1
            tilegpu.mbarrier_arrive %7[%arg3] : <2>
            %45 = arith.addi %arg1, %c1_i64 : i64
            %46 = arith.cmpi eq, %45, %c2_i64 : i64
            %47 = arith.xori %arg2, %c1_i64 : i64
            %48 = arith.select %46, %c0_i64, %45 : i64
            %49 = arith.select %46, %47, %arg2 : i64
            tile.yield %44, %48, %49, %arg1 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>, i64, i64, i64
          }
          tilegpu.turn_pass
          %29 = tilegpu.wgmma_wait 0 of %28#0 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          tilegpu.mbarrier_arrive %7[%28#3] : <2>
          %c4_i64 = arith.constant 4 : i64
          %30 = arith.divui %15, %c4_i64 : i64
          %31 = arith.remui %15, %c4_i64 : i64
          %32 = arith.andi %30, %c1_i64 : i64
          tilegpu.mbarrier_wait %9[%31] parity %32 : <4>
          %33 = tilegpu.stage %8[%31] : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4> -> <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 1>
          %34 = tilegpu.load_shared %33 : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 1> -> tensor<128xbf16, #tile.axes<"j", layout = #layout1>>
          %35 = tile.cast %34 : tensor<128xbf16, #tile.axes<"j", layout = #layout1>> -> tensor<128xf32, #tile.axes<"j", layout = #layout1>>
          %36 = tile.broadcast %35 : tensor<128xf32, #tile.axes<"j", layout = #layout1>> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %37 = arith.addf %29, %36 fastmath<contract> : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %38 = arith.maximumf %37, %cst : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %39 = tile.cast %38 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>> -> tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout>>
          %40 = tile.span_start %j : <"j", 128>
          %41 = tile.span_start %i : <"i", 64>
          tilegpu.tma_store %39 through %14 to[%0] [%40, %41] rows 1 : tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout>>, <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
          tilegpu.mbarrier_arrive each_warp %10[%31] : <4>
        }
      }
      tilegpu.tma_store_wait
    }
  }
}

