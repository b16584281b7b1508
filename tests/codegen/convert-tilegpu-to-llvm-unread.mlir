// What was fetched and nothing asks for is waited for and read all the same, piece by piece: the next tile's copies go to the same places, and its
// waits count on these.
// RUN: tile-opt %s -allocate-shared-memory -convert-tilegpu-to-llvm -cse | FileCheck %s

!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!p = !tilegpu.buffer<tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 1>
#wgmma = #tilegpu.distributed<[64, 128], registers = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]]>

// CHECK-LABEL: llvm.func @unread(
// CHECK:         scf.for
// CHECK:         nvvm.mbarrier.arrive.expect_tx %[[BARRIER:.+]], %c2048_i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.mbarrier.try_wait %[[BARRIER]], %c0_i32
// CHECK-COUNT-4: nvvm.ldmatrix
// CHECK:         nvvm.bar.warp.sync
// CHECK:         nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %c2048_i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.mbarrier.try_wait %[[BARRIER]], %c1_i32
// CHECK-COUNT-4: nvvm.ldmatrix
// CHECK:         scf.yield
tile.kernel @unread(%r: !r, %M: i64, %N: i64) dimensions = 2 attributes {tilegpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : i64
  %map = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128 : !r
  %arrived = tilegpu.mbarriers arrivals 1 : !tilegpu.mbarriers<8>
  tilegpu.mbarriers_ready
  tilegpu.roles groups 2 registers [40, 232] producer {
    tile.parallel "i" %i : !tile.span<"i", 64> in %c0 to %M {
      tile.parallel "j" %j : !tile.span<"j", 128> in %c0 to %N {
      }
    }
  } consumers {
    %pieces = tilegpu.alloc : !p
    tile.parallel "i" %i : !tile.span<"i", 64> in %c0 to %M {
      tile.parallel "j" %j : !tile.span<"j", 128> in %c0 to %N {
        %column = tile.span_start %j : !tile.span<"j", 128>
        %row = tile.span_start %i : !tile.span<"i", 64>
        %l = tilegpu.tma_fetch [%map][%column, %row] rows 1 through %pieces signals %arrived : !p, !tilegpu.mbarriers<8> -> tensor<64x128xbf16, #tile.axes<"i", "j", layout = #wgmma>>
      }
    }
  }
}
