// A computed operand in the groups, step by step: each 16 of the summed axis are read a step ahead, computed when the registers that they go to have been
// waited for, and multiplied.
// RUN: tile-opt %s -plan-schedule -assign-layouts=capability=90 -cse -specialize-warps -cse -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!fik = tensor<128x64xf32, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x128xf32, #tile.axes<"i", "j">>
!n = tensor<128x128xbf16, #tile.axes<"i", "j">>


// CHECK-LABEL: llvm.func @stepwise(
// The first step of a tile waits for nothing: the tile before has.
// CHECK:         nvvm.mbarrier.try_wait
// CHECK:         nvvm.ldmatrix
// CHECK-NOT:     nvvm.wgmma.wait
// CHECK:         nvvm.ldmatrix
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         wgmma.mma_async
// CHECK-NOT:     nvvm.wgmma.wait
// CHECK:         scf.for
// CHECK:           nvvm.mbarrier.try_wait
// CHECK:           nvvm.ldmatrix
// CHECK-NOT:       nvvm.ldmatrix
// CHECK:           nvvm.wgmma.wait.group.sync.aligned 3
// CHECK:           nvvm.ldmatrix
// CHECK-NOT:       nvvm.ldmatrix
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK-NOT:       llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:           nvvm.wgmma.fence.aligned
// CHECK:           wgmma.mma_async
// CHECK-NEXT:      nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:      nvvm.wgmma.wait.group.sync.aligned 3
// CHECK:           nvvm.ldmatrix
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:           nvvm.wgmma.fence.aligned
// CHECK:           nvvm.wgmma.wait.group.sync.aligned 3
// CHECK:           nvvm.ldmatrix
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:           nvvm.wgmma.fence.aligned
// CHECK:           nvvm.wgmma.wait.group.sync.aligned 3
// CHECK-NOT:       nvvm.ldmatrix
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:           nvvm.wgmma.fence.aligned
// CHECK:           nvvm.wgmma.wait.group.sync.aligned 4
// Each warp gives the stage before back.
// CHECK:           nvvm.bar.warp.sync
// CHECK:           nvvm.mbarrier.arrive
tile.kernel @stepwise(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %f = tile.cast %p : !ik -> !fik
        %c = arith.addf %f, %f : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
