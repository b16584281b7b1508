// Vectors along the columns that tensor copies bring.
// RUN: tile-opt %s -split-input-file -assign-layouts=capability=90 -cse -specialize-warps -cse | FileCheck %s

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

// The thread that feeds copies a tile's part of the vector ahead of its first step, to one of four stages, when all warps of the group that had the tile four before have
// given it back. Groups wait for it behind the product, and read it in the type that it has.
// CHECK-LABEL: tile.kernel @copied(
// CHECK:         %[[MAP:.+]] = tilegpu.tensor_map %r order [0] box [112] swizzle 0
// CHECK:         %[[RING:.+]] = tilegpu.alloc : <tensor<112xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4>
// CHECK-NEXT:    %[[FULL:.+]] = tilegpu.mbarriers arrivals 1 : <4>
// CHECK-NEXT:    %[[EMPTY:.+]] = tilegpu.mbarriers arrivals 4 : <4>
// CHECK:         tilegpu.roles groups 2 registers [40, 232] producer {
// CHECK:           tile.parallel "j" %[[J:.+]]: !tile.span<"j", 112>
// CHECK-NEXT:        %[[ORDINAL:.+]] = tilegpu.tile_ordinal
// CHECK:             tile.for
// CHECK:             %[[ROUND:.+]] = arith.divui %[[ORDINAL]], %c4_i64
// CHECK:             %[[STAGE:.+]] = arith.remui %[[ORDINAL]], %c4_i64
// CHECK:             %[[PARITY:.+]] = arith.andi %[[ROUND]], %c1_i64
// CHECK:             %[[BEFORE:.+]] = arith.xori %[[PARITY]], %c1_i64
// CHECK-NEXT:        tilegpu.mbarrier_wait %[[EMPTY]][%[[STAGE]]] parity %[[BEFORE]]
// CHECK-NEXT:        tilegpu.mbarrier_arrive %[[FULL]][%[[STAGE]]] expecting 224 :
// CHECK:             %[[COLUMN:.+]] = tile.span_start %[[J]]
// CHECK-NEXT:        %[[PART:.+]] = tilegpu.stage %[[RING]][%[[STAGE]]]
// CHECK-NEXT:        tilegpu.tma_load %[[MAP]][%[[COLUMN]]] into %[[PART]] signals %[[FULL]][%[[STAGE]]]
// CHECK-NOT:       preparer
// CHECK:         } consumers {
// CHECK:             tilegpu.wgmma_wait 0 of
// CHECK:             tilegpu.mbarrier_wait %[[FULL]]
// CHECK:             %[[READ:.+]] = tilegpu.load_shared
// CHECK-NEXT:        tile.cast %[[READ]]
// CHECK:             tilegpu.tma_store
// CHECK:             tilegpu.mbarrier_arrive each_warp %[[EMPTY]]
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

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["B", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
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

// Each of two has stages of its own.
// CHECK-LABEL: tile.kernel @two_copied(
// CHECK-DAG:     tilegpu.alloc : <tensor<112xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4>
// CHECK-DAG:     tilegpu.alloc : <tensor<112xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4>
// CHECK:         } consumers {
// CHECK:           %[[FIRST:.+]] = tilegpu.load_shared
// CHECK:           %[[SECOND:.+]] = tilegpu.load_shared
// CHECK:           arith.addf %[[FIRST]], %[[SECOND]]
tile.kernel @two_copied(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%b, %tj] spans(%j) compare [false, false]  {tilegpu.tensor_copy} : !r, (i64, !j), spans(!sj) -> !v
      %m = tile.load %r[%c0, %tj] spans(%j) compare [false, false]  {tilegpu.tensor_copy} : !r, (i64, !j), spans(!sj) -> !v
      %s = arith.addf %l, %m : !v
      %f = tile.cast %s : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["B", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
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

// And where a warp prepares them.
// CHECK-LABEL: tile.kernel @two_prepared(
// CHECK-DAG:     tilegpu.alloc : <tensor<112xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4>
// CHECK-DAG:     tilegpu.alloc : <tensor<112xbf16, #tile.axes<"j">>, contiguous = 0, swizzle = 0, stages = 4>
// CHECK:         } consumers {
// CHECK:           %[[FIRST:.+]] = tilegpu.load_shared
// CHECK:           %[[SECOND:.+]] = tilegpu.load_shared
// CHECK:           arith.addf %[[FIRST]], %[[SECOND]]
tile.kernel @two_prepared(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = true>} {
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
      %l = tile.load %r[%b, %tj] spans(%j) compare [false, false] : !r, (i64, !j), spans(!sj) -> !v
      %m = tile.load %r[%c0, %tj] spans(%j) compare [false, false] : !r, (i64, !j), spans(!sj) -> !v
      %s = arith.addf %l, %m : !v
      %f = tile.cast %s : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
