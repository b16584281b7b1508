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
    %c4_i64 = arith.constant 4 : i64
    %14 = arith.remui %13, %c4_i64 : i64
    %15 = arith.trunci %14 : i64 to i32
    tilegpu.roles groups 2 registers [40, 232] attributes {tilegpu.group_bytes = 16384 : i64} producer {
      tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %M {
        tile.parallel "j" %j: !tile.span<"j", 128> in %c0_i64 to %N {
          %16 = tilegpu.tile_ordinal
          %17 = arith.trunci %16 : i64 to i32
          %c2_i32 = arith.constant 2 : i32
          %c4_i32 = arith.constant 4 : i32
          %18 = arith.remui %17, %c4_i32 : i32
          %19 = arith.muli %18, %15 : i32
          %20 = arith.remui %19, %c4_i32 : i32
          %21 = arith.cmpi uge, %20, %c2_i32 : i32
          %22 = arith.subi %20, %c2_i32 : i32
          %23 = arith.select %21, %22, %20 : i32
          %24 = arith.extui %23 : i32 to i64
          %25 = arith.extui %21 : i1 to i64
          %26 = arith.xori %25, %c1_i64 : i64
          %27:2 = tile.for "k" %k: i64 in %c0_i64 to %13 carries (%arg0 = %24, %arg1 = %26) : i64, i64 {
            tilegpu.mbarrier_wait %7[%arg0] parity %arg1 : <2>
            tilegpu.mbarrier_arrive %6[%arg0] expecting 98304 : <2>
            %34 = arith.muli %k, %c256_i64 : i64
            %35 = tile.span_start %i : <"i", 64>
            %36 = tilegpu.stage %4[%arg0] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            tilegpu.tma_load %1[%34, %35] into %36 signals %6[%arg0] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, <2>
            %37 = tile.span_start %j : <"j", 128>
            %38 = tilegpu.stage %5[%arg0] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            tilegpu.tma_load %2[%34, %37] into %38 signals %6[%arg0] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>, <2>
            %39 = arith.addi %arg0, %c1_i64 : i64
            %c2_i64 = arith.constant 2 : i64
            %40 = arith.cmpi eq, %39, %c2_i64 : i64
            %41 = arith.xori %arg1, %c1_i64 : i64
            %42 = arith.select %40, %c0_i64, %39 : i64
            %43 = arith.select %40, %41, %arg1 : i64
            tile.yield %42, %43 : i64, i64
          }
          %28 = arith.divui %16, %c4_i64 : i64
          %29 = arith.remui %16, %c4_i64 : i64
          %30 = arith.andi %28, %c1_i64 : i64
          %31 = arith.xori %30, %c1_i64 : i64
          tilegpu.mbarrier_wait %10[%29] parity %31 : <4>
          tilegpu.mbarrier_arrive %9[%29] expecting 256 : <4>
          %32 = tile.span_start %j : <"j", 128>
          %33 = tilegpu.stage %8[%29] : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4> -> <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 1>
          tilegpu.tma_load %3[%32] into %33 signals %9[%29] : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 1>, <4>
        }
      }
    } consumers {
      %16 = tilegpu.alloc {offset = 196608 : i64} : <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
      tile.parallel "i" %i: !tile.span<"i", 64> in %c0_i64 to %M {
        tile.parallel "j" %j: !tile.span<"j", 128> in %c0_i64 to %N {
          %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %17 = tilegpu.tile_ordinal
          %18 = arith.trunci %17 : i64 to i32
          %c2_i32 = arith.constant 2 : i32
          %c4_i32 = arith.constant 4 : i32
          %19 = arith.remui %18, %c4_i32 : i32
          %20 = arith.muli %19, %15 : i32
          %21 = arith.remui %20, %c4_i32 : i32
          %22 = arith.cmpi uge, %21, %c2_i32 : i32
          %23 = arith.subi %21, %c2_i32 : i32
          %24 = arith.select %22, %23, %21 : i32
          %25 = arith.extui %24 : i32 to i64
          %26 = arith.extui %22 : i1 to i64
          tilegpu.turn_wait
          tilegpu.mbarrier_wait %6[%25] parity %26 : <2>
          %27 = tilegpu.stage %4[%25] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %28 = tilegpu.stage %5[%25] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
          %29 = tilegpu.wgmma %27, %28 : !tilegpu.buffer<tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, !tilegpu.buffer<tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %30 = arith.addi %25, %c1_i64 : i64
          %c2_i64 = arith.constant 2 : i64
          %31 = arith.cmpi eq, %30, %c2_i64 : i64
          %32 = arith.xori %26, %c1_i64 : i64
          %33 = arith.select %31, %c0_i64, %30 : i64
          %34 = arith.select %31, %32, %26 : i64
          %35:4 = tile.for "k" %k: i64 in %c1_i64 to %13 carries (%arg0 = %29, %arg1 = %33, %arg2 = %34, %arg3 = %25) : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>, i64, i64, i64 {
            tilegpu.mbarrier_wait %6[%arg1] parity %arg2 : <2>
            %49 = tilegpu.stage %4[%arg1] : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            %50 = tilegpu.stage %5[%arg1] : <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 2> -> <tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1>
            %51 = tilegpu.wgmma %49, %50 onto %arg0 : !tilegpu.buffer<tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 1>, !tilegpu.buffer<tensor<128x256xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 1> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
            tilegpu.wgmma_wait 1
            tilegpu.mbarrier_arrive %7[%arg3] : <2>
            %52 = arith.addi %arg1, %c1_i64 : i64
            %53 = arith.cmpi eq, %52, %c2_i64 : i64
            %54 = arith.xori %arg2, %c1_i64 : i64
            %55 = arith.select %53, %c0_i64, %52 : i64
            %56 = arith.select %53, %54, %arg2 : i64
            tile.yield %51, %55, %56, %arg1 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>, i64, i64, i64
          }
          tilegpu.turn_pass
          %36 = tilegpu.wgmma_wait 0 of %35#0 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          tilegpu.mbarrier_arrive %7[%35#3] : <2>
          %37 = arith.divui %17, %c4_i64 : i64
          %38 = arith.remui %17, %c4_i64 : i64
          %39 = arith.andi %37, %c1_i64 : i64
          tilegpu.mbarrier_wait %9[%38] parity %39 : <4>
          %40 = tilegpu.stage %8[%38] : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4> -> <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 1>
          %41 = tilegpu.load_shared %40 : <tensor<128xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 1> -> tensor<128xbf16, #tile.axes<"j", layout = #layout1>>
          %42 = tile.cast %41 : tensor<128xbf16, #tile.axes<"j", layout = #layout1>> -> tensor<128xf32, #tile.axes<"j", layout = #layout1>>
          %43 = tile.broadcast %42 : tensor<128xf32, #tile.axes<"j", layout = #layout1>> -> tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %44 = arith.addf %36, %43 fastmath<contract> : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %45 = arith.maximumf %44, %cst : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>>
          %46 = tile.cast %45 : tensor<64x128xf32, #tile.axes<"i", "j", layout = #layout>> -> tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout>>
          %47 = tile.span_start %j : <"j", 128>
          %48 = tile.span_start %i : <"i", 64>
          tilegpu.tma_store %46 through %16 to[%0] [%47, %48] rows 1 : tensor<64x128xbf16, #tile.axes<"i", "j", layout = #layout>>, <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
          tilegpu.mbarrier_arrive each_warp %10[%38] : <4>
        }
      }
      tilegpu.tma_store_wait
    }
  }
}

