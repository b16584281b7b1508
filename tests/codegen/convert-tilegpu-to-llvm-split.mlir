// A cluster's blocks: they meet before any uses another's barriers, take tiles together, and read one another's sums.
// RUN: tile-opt %s -split-sums -assign-layouts=capability=90 -cse -specialize-warps -cse -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse | FileCheck %s

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

// Of 32 accumulators a thread has two pieces of four for each of four shares, all in the ring of the rows.
// CHECK:         tilewright.cluster_blocks = 4 : i64
// CHECK-LABEL: llvm.func @split(
// CHECK:         nvvm.fence.mbarrier.init
// CHECK:         nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT:    nvvm.cluster.wait {aligned}
// CHECK:         nvvm.read.ptx.sreg.clusterid.x
// CHECK:         nvvm.read.ptx.sreg.nclusterid.x
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:         nvvm.wgmma
// CHECK:         nvvm.barrier id
// CHECK-COUNT-8: llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT:     llvm.store {{.*}} vector<4xf32>
// CHECK:         nvvm.bar.warp.sync
// CHECK:         %[[READY:.+]] = nvvm.mapa %{{.+}}, %{{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT:    nvvm.mbarrier.arrive %[[READY]] {scope = #nvvm.mem_scope<cluster>}
// CHECK:         nvvm.mbarrier.try_wait {{.*}} {scope = #nvvm.mem_scope<cluster>}
// CHECK:         nvvm.mapa
// CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK:         scf.for
// CHECK:           nvvm.mapa
// CHECK-COUNT-2:   llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK-COUNT-8:   arith.addf
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK:         nvvm.bar.warp.sync
// CHECK:         nvvm.mapa
// CHECK-NEXT:    nvvm.mbarrier.arrive {{.*}} {scope = #nvvm.mem_scope<cluster>}
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
