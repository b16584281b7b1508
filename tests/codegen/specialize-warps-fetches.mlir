// Tiles that meet the product and that tensor copies bring: where they start, and how many pieces there is room for.
// RUN: tile-opt %s -split-input-file -assign-layouts=capability=90 -cse -specialize-warps -cse | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 192>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<192xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<192x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x192xf32, #tile.axes<"i", "j">>
!l = tensor<128x192xbf16, #tile.axes<"i", "j">>
!n = tensor<128x192xbf16, #tile.axes<"i", "j">>

// The result is all that is made of the tile, so it is stored from the places of the pieces. A piece of 16 rows for each of 8 warps is 16,384 bytes, and so are four of them beside
// four stages of 40,960. The first are started before the group waits for its turn, whatever is stored.
// CHECK-LABEL: tile.kernel @fetched(
// CHECK-DAG:     %[[MAP:.+]] = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128
// CHECK-DAG:     %[[ROWS:.+]] = tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 4>
// CHECK-DAG:     %[[ARRIVED:.+]] = tilegpu.mbarriers arrivals 1 : <32>
// CHECK:         tilegpu.mbarriers_ready
// CHECK:         } consumers {
// CHECK-DAG:       %[[PIECES:.+]] = tilegpu.alloc : <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 4>
// CHECK-NOT:       tilegpu.alloc
// CHECK:           tile.parallel "i" %[[I:.+]]: !tile.span<"i", 128>
// CHECK-NEXT:        tile.parallel "j" %[[J:.+]]: !tile.span<"j", 192>
// CHECK-DAG:           %[[COLUMN:.+]] = tile.span_start %[[J]]
// CHECK-DAG:           %[[ROW:.+]] = tile.span_start %[[I]]
// CHECK:               %[[FETCHED:.+]] = tilegpu.tma_fetch[%[[MAP]]] [%[[COLUMN]], %[[ROW]]] rows 1 through %[[PIECES]] signals %[[ARRIVED]] :
// CHECK:               tilegpu.turn_wait
// CHECK:               %[[PRODUCT:.+]] = tilegpu.wgmma_wait 0 of
// CHECK-NOT:           tile.load
// CHECK:               %[[WIDE:.+]] = tile.cast %[[FETCHED]]
// CHECK-NEXT:          arith.addf %[[PRODUCT]], %[[WIDE]]
// CHECK:               tilegpu.tma_store %{{.+}} through %[[PIECES]] to
tile.kernel @fetched(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 192>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<192xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<192x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x192xf32, #tile.axes<"i", "j">>
!l = tensor<128x192xbf16, #tile.axes<"i", "j">>
!n = tensor<128x192xbf16, #tile.axes<"i", "j">>

// What is stored beside the result needs staging, which the result shares: two pieces fit beside it.
// CHECK-LABEL: tile.kernel @staged(
// CHECK:         } consumers {
// CHECK-COUNT-2:   tilegpu.alloc : <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
// CHECK:           tilegpu.tma_fetch{{.+}} through %[[PIECES:[0-9]+]] signals
// CHECK-NOT:       tilegpu.tma_store {{.+}} through %[[PIECES]] to
// CHECK:           tilegpu.tma_store_wait
tile.kernel @staged(%x: !x, %w: !w, %r: !r, %y: !y, %z: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %s = tile.cast %sum : !ij -> !n
      tile.store %s, %z[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 192>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<192xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<192x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x192xf32, #tile.axes<"i", "j">>
!l = tensor<128x192xf16, #tile.axes<"i", "j">>
!n = tensor<128x192xbf16, #tile.axes<"i", "j">>

// Elements of another type have other places, though as wide.
// CHECK-LABEL: tile.kernel @other_elements(
// CHECK:         } consumers {
// CHECK-DAG:       tilegpu.alloc : <tensor<64x64xf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
// CHECK-DAG:       tilegpu.alloc : <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
// CHECK:           tilegpu.tma_fetch
tile.kernel @other_elements(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 192>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<192xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<192x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x192xf32, #tile.axes<"i", "j">>
!h = tensor<128x192xf16, #tile.axes<"i", "j">>
!l = tensor<128x192xbf16, #tile.axes<"i", "j">>
!n = tensor<128x192xbf16, #tile.axes<"i", "j">>

// What two stores take is read for the first of them.
// CHECK-LABEL: tile.kernel @stored_twice(
// CHECK:         } consumers {
// CHECK-COUNT-3:   tilegpu.alloc
// CHECK:           tilegpu.tma_fetch
// CHECK-COUNT-2:   tilegpu.tma_store %{{.+}} through
tile.kernel @stored_twice(%x: !x, %w: !w, %r: !r, %y: !y, %z: !z, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %h = tile.cast %a : !ij -> !h
      tile.store %h, %z[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !h, !z, (!i, !j), spans(!si, !sj)
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 256>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<256xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<256x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x256xf32, #tile.axes<"i", "j">>
!l = tensor<128x256xbf16, #tile.axes<"i", "j">>
!n = tensor<128x256xbf16, #tile.axes<"i", "j">>

// All four pieces of a tile, if there is room. A warp of a group of eight has as many barriers.
// CHECK-LABEL: tile.kernel @four_pieces(
// CHECK:         stages = 2>
// CHECK:         tilegpu.mbarriers arrivals 1 : <32>
// CHECK:         tilegpu.tma_fetch{{.*}} : <tensor<128x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 4>, <32>
tile.kernel @four_pieces(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 2, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 48>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<48xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<48x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x48xf32, #tile.axes<"i", "j">>
!l = tensor<64x48xbf16, #tile.axes<"i", "j">>
!n = tensor<64x48xbf16, #tile.axes<"i", "j">>

// No more pieces than a tile has.
// CHECK-LABEL: tile.kernel @one_piece(
// CHECK:         tilegpu.tma_fetch{{.*}} stages = 1>, <8>
tile.kernel @one_piece(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
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
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Pieces of 64 columns and of 48, which are 32 and 16.
// CHECK-LABEL: tile.kernel @widths(
// CHECK-DAG:     %[[M64:.+]] = tilegpu.tensor_map %r order [1, 0] box [64, 16] swizzle 128
// CHECK-DAG:     %[[M32:.+]] = tilegpu.tensor_map %r order [1, 0] box [32, 16] swizzle 64
// CHECK-DAG:     %[[M16:.+]] = tilegpu.tensor_map %r order [1, 0] box [16, 16] swizzle 32
// CHECK:         tilegpu.tma_fetch[%[[M64]], %[[M32]], %[[M16]]]
tile.kernel @widths(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 48>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<48xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<48x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x48xf32, #tile.axes<"i", "j">>
!l = tensor<64x48xf32, #tile.axes<"i", "j">>
!n = tensor<64x48xbf16, #tile.axes<"i", "j">>

// Elements of 32 bits: 32 columns to a piece, and for what is left of 48 a map of 16.
// CHECK-LABEL: tile.kernel @wide(
// CHECK-DAG:     %[[M32:.+]] = tilegpu.tensor_map %r order [1, 0] box [32, 16] swizzle 128
// CHECK-DAG:     %[[M16:.+]] = tilegpu.tensor_map %r order [1, 0] box [16, 16] swizzle 64
// CHECK:         tilegpu.tma_fetch[%[[M32]], %[[M16]]] {{.*}} : <tensor<64x32xf32, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = {{[0-9]+}}>
tile.kernel @wide(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %a = arith.addf %sum, %l : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 256>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<256xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<256x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x256xf32, #tile.axes<"i", "j">>
!l = tensor<128x256xf16, #tile.axes<"i", "j">>
!n = tensor<128x256xbf16, #tile.axes<"i", "j">>

// Where the stages that are asked for leave no room for a piece, threads load the tile.
// CHECK-LABEL: tile.kernel @no_room(
// CHECK:         tilegpu.roles
// CHECK-NOT:     tilegpu.tma_fetch
// CHECK:         tile.load %r
// CHECK-NOT:     tilegpu.tma_fetch
tile.kernel @no_room(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 4, registers = [24, 240], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>
!l = tensor<128x64xbf16, #tile.axes<"i", "j">>
!n = tensor<128x64xbf16, #tile.axes<"i", "j">>

// What plan-schedule has not chosen threads load.
// CHECK-LABEL: tile.kernel @not_marked(
// CHECK:         tilegpu.roles
// CHECK-NOT:     tilegpu.tma_fetch
// CHECK:         tile.load %r
tile.kernel @not_marked(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
