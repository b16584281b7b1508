// Two neighbours of a vector of bf16 are read as one word: its low half becomes f32 by a shift, its high one by a mask. As a vector of two the high one would be selected first.
// RUN: tile-opt %s -assign-layouts=capability=90 -cse -specialize-warps -cse -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm > %t && tile-opt --emit-ptx=sm_90a %t | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xbf16, #tile.axes<"i", "j">>
!v = tensor<112xbf16, #tile.axes<"j">>
!vf = tensor<112xf32, #tile.axes<"j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// CHECK: .entry copied(
// CHECK-NOT: ld.shared.v2.b16
// CHECK: ld.shared.b32 [[WORD:%r[0-9]+]],
// CHECK-DAG: and.b32 {{.+}}, [[WORD]], -65536;
// CHECK-DAG: shl.b32 {{.+}}, [[WORD]], 16;
// CHECK-NOT: ld.shared.v2.b16
tile.kernel @copied(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %l = tile.load %r[%tj] spans(%j) compare [false] {tilegpu.tensor_copy} : !r, (!j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
