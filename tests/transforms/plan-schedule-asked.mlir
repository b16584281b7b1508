// Schedules that are asked for: two groups of two warpgroups, and one group of one warpgroup, whose threads have all registers from the start.
// RUN: tile-opt %s -split-input-file "-plan-schedule=shared-bytes=232448 schedule=groups=2,warps=8" 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: tile-opt %s -split-input-file "-plan-schedule=shared-bytes=232448 schedule=groups=1,warps=4" 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %s -split-input-file "-plan-schedule=shared-bytes=232448 schedule=groups=2,warps=8,registers=24/120" 2>&1 | FileCheck %s --check-prefix=MANY

// MANY: this product is formed by mma.sync, not by wgmma: its threads want 64512 registers, and a block of 640 threads begins with 61440 (96 each)

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x128xf32, #tile.axes<"i", "j">>
!l = tensor<128x128xbf16, #tile.axes<"i", "j">>
!v = tensor<128xbf16, #tile.axes<"j">>
!vf = tensor<128xf32, #tile.axes<"j">>
!n = tensor<128x128xbf16, #tile.axes<"i", "j">>

// PAIRS-LABEL: tile.kernel @widest(
// PAIRS-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 8, stages = 0, registers = [24, 112], prepares = false>
// ONE-LABEL: tile.kernel @widest(
// ONE-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 4, stages = 0, registers = [0, 0], prepares = false>
tile.kernel @widest(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%tj] spans(%j) compare [false] : !r, (!j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

// A thread of 640 has no registers for so many accumulators.
// PAIRS: its tile has 72 accumulators a thread, and there is room for 64
!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 144>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<144xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<144x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x144xf32, #tile.axes<"i", "j">>
!l = tensor<128x144xbf16, #tile.axes<"i", "j">>
!v = tensor<144xbf16, #tile.axes<"j">>
!vf = tensor<144xf32, #tile.axes<"j">>
!n = tensor<128x144xbf16, #tile.axes<"i", "j">>

tile.kernel @too_wide(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%tj] spans(%j) compare [false] : !r, (!j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
