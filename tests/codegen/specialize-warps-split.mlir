// A tile that is split over a cluster: which steps are whose, who waits before the ring is used again, where the sums meet.
// RUN: tile-opt %s -split-sums -assign-layouts=capability=90 -cse -specialize-warps -cse | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>
!n = tensor<128x64xbf16, #tile.axes<"i", "j">>

// 32 warps arrive at each of two more barriers. Of S steps rank r has S / 4, and one more if r < S mod 4; it has one to do in any case.
// CHECK-LABEL: tile.kernel @split(
// CHECK:         %[[ROWS:.+]] = tilegpu.alloc : <tensor<128x64xbf16, {{.*}} stages = 4>
// CHECK-NEXT:    %[[COLUMNS:.+]] = tilegpu.alloc : <tensor<64x64xbf16, {{.*}} stages = 4>
// CHECK:         %[[READY:.+]] = tilegpu.mbarriers arrivals 32 : <1>
// CHECK-NEXT:    %[[READ:.+]] = tilegpu.mbarriers arrivals 32 : <1>
// CHECK-NEXT:    tilegpu.mbarriers_ready
// CHECK:         %[[ALL:.+]] = arith.maxsi %{{.+}}, %c1_i64
// CHECK:         %[[RANK:.+]] = tilegpu.cluster_rank
// CHECK:         %[[EACH:.+]] = arith.divui %[[ALL]], %c4_i64
// CHECK-NEXT:    %[[REST:.+]] = arith.remui %[[ALL]], %c4_i64
// CHECK-NEXT:    %[[HAS:.+]] = arith.cmpi ult, %[[RANK]], %[[REST]]
// CHECK-NEXT:    %[[ONE:.+]] = arith.extui %[[HAS]]
// CHECK-NEXT:    %[[OWN:.+]] = arith.addi %[[EACH]], %[[ONE]]
// CHECK-NEXT:    %[[BEFORE:.+]] = arith.muli %[[RANK]], %[[EACH]]
// CHECK-NEXT:    %[[LONGER:.+]] = arith.minui %[[RANK]], %[[REST]]
// CHECK-NEXT:    %[[FIRST:.+]] = arith.addi %[[BEFORE]], %[[LONGER]]
// CHECK-NEXT:    %[[PARTS:.+]] = arith.minui %[[ALL]], %c4_i64
// CHECK-NEXT:    %[[STEPS:.+]] = arith.maxsi %[[OWN]], %c1_i64
// CHECK:         tilegpu.roles groups 1 registers [40, 232] producer {
// CHECK:           %[[ORDINAL:.+]] = tilegpu.tile_ordinal
// CHECK-NEXT:      %[[PARITY:.+]] = arith.andi %[[ORDINAL]], %c1_i64
// CHECK-NEXT:      %[[LAST:.+]] = arith.xori %[[PARITY]], %c1_i64
// CHECK-NEXT:      tilegpu.mbarrier_wait %[[READ]][%c0_i64{{.*}}] parity %[[LAST]]
// CHECK:           tile.for "k" %[[STEP:.+]]: i64 in %c0_i64{{.*}} to %[[STEPS]]
// CHECK:             %[[AT:.+]] = arith.addi %[[FIRST]], %[[STEP]]
// CHECK-NEXT:        %[[START:.+]] = arith.muli %[[AT]], %c64_i64
// CHECK:             tilegpu.tma_load %{{.+}}[%[[START]], %{{.+}}] into
// CHECK:         } consumers {
// CHECK:           %[[SUM:.+]] = tilegpu.wgmma_wait 0 of
// CHECK:           tilegpu.cluster_sum %[[SUM]] parts %[[PARTS]] through %[[ROWS]], %[[COLUMNS]] signals %[[READY]], %[[READ]] parity
// CHECK-SAME:        -> tensor<128x16xf32
// CHECK:           tilegpu.tma_store
// CHECK:           tilegpu.mbarrier_wait %[[READ]]
// CHECK:           tilegpu.tma_store_wait
tile.kernel @split(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3
    attributes {tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 4, registers = [40, 232], prepares = false, split = 4>} {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !ij
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %pi = tile.index %i : !si -> !i
      %pj = tile.index %j : !sj -> !j
      %r = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %pk = tile.index %k : !sk -> !k
        %xt = tile.load %x[%pi, %pk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %wt = tile.load %w[%pj, %pk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %xt, %wt, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %r : !ij -> !n
      tile.store %n, %y[%pi, %pj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
