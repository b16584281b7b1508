// A product whose sum is split over a cluster's blocks: if it is asked for, what its columns must be, and what may meet it.
// RUN: tile-opt %s -split-input-file "-plan-schedule=schedule=split=4" -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s -split-input-file "-plan-schedule=split=4" | FileCheck %s --check-prefix=PROPOSED
// RUN: tile-opt %s -split-input-file "-plan-schedule=schedule=split=4,raster=64,stages=3,store=registers" | FileCheck %s --check-prefix=FIELDS
// RUN: not tile-opt %s -split-input-file "-plan-schedule=schedule=split=four" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: `split=four` is no field of a schedule, or stands there twice

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

// 16 columns for each of four blocks: the edge.
// CHECK-LABEL: tile.kernel @split(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [40, 232], prepares = false, split = 4>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
// PROPOSED-LABEL: tile.kernel @split(
// PROPOSED-SAME:    split = 4>
// FIELDS-LABEL: tile.kernel @split(
// FIELDS-SAME:    stages = 3, registers = [40, 232], prepares = false, split = 4, raster = 64>
// FIELDS-NOT:     tilegpu.tensor_copy
tile.kernel @split(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %n, %y[%pi, %pj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 96>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<96xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<96x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x96xf32, #tile.axes<"i", "j">>

// What is only proposed is dropped.
// PROPOSED-LABEL: tile.kernel @columns(
// PROPOSED-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
tile.kernel @columns(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{its tile has 96 columns, and a split over 4 blocks needs a multiple of 64}}
        %d = tile.dot %xt, %wt, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %r, %y[%pi, %pj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!s = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!if = tensor<128xf32, #tile.axes<"i">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// PROPOSED-LABEL: tile.kernel @reduced(
// PROPOSED-NOT:     split
tile.kernel @reduced(%x: !x, %w: !w, %s: !s, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      // expected-remark @below {{it reduces or scans along its columns, of which each block of a cluster has a share}}
      %sum = tile.reduce add %r over (%j) : !ij, !sj -> !if
      tile.store %r, %y[%pi, %pj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
      tile.store %sum, %s[%pi] spans(%i) compare [false] : !if, !s, (!i), spans(!si)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!s = !tile.view<element = i64, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// PROPOSED-LABEL: tile.kernel @rows(
// PROPOSED-NOT:     split
tile.kernel @rows(%x: !x, %w: !w, %s: !s, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %r, %y[%pi, %pj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
      // expected-remark @below {{a store that is not along its columns would be made by each block of a cluster}}
      tile.store %pi, %s[%pi] spans(%i) compare [false] : !i, !s, (!i), spans(!si)
    }
  }
}
