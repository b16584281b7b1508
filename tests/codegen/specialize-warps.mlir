// One thread that feeds a ring of stages, groups that multiply what is in it: who waits for what, where copies begin, how many stages fit.
// RUN: tile-opt %s -split-input-file -assign-layouts=capability=90 -cse -specialize-warps -cse -verify-diagnostics | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Two groups with a tile each. A step's bytes are announced, then copied; the producer's parity is that of the round before. The first step of a tile is
// peeled: it starts the sum. A stage is given back when the product after it has been started and it has been read. Stores by copies: slices of
// 64, 32 and 16 columns. A stage is 30,720 bytes, of which 6 fit beside the staging.
// CHECK-LABEL: tile.kernel @ping_pong(
// CHECK-DAG:     %[[TO64:.+]] = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128
// CHECK-DAG:     %[[TO32:.+]] = tilegpu.tensor_map %y order [1, 0] box [32, 16] swizzle 64
// CHECK-DAG:     %[[TO16:.+]] = tilegpu.tensor_map %y order [1, 0] box [16, 16] swizzle 32
// CHECK-DAG:     %[[X:.+]] = tilegpu.tensor_map %x order [1, 0] box [64, 128] swizzle 128
// CHECK-DAG:     %[[W:.+]] = tilegpu.tensor_map %w order [1, 0] box [64, 112] swizzle 128
// CHECK:         %[[ROWS:.+]] = tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 6>
// CHECK-NEXT:    %[[COLUMNS:.+]] = tilegpu.alloc : <tensor<112x64xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 128, stages = 6>
// CHECK-NEXT:    %[[FULL:.+]] = tilegpu.mbarriers arrivals 1 : <6>
// CHECK-NEXT:    %[[EMPTY:.+]] = tilegpu.mbarriers arrivals 1 : <6>
// CHECK-NEXT:    tilegpu.mbarriers_ready
// CHECK:         %[[ADDED:.+]] = arith.addi %K, %c63_i64
// CHECK:         %[[QUOTIENT:.+]] = arith.divui %[[ADDED]], %c64_i64
// CHECK:         %[[STEPS:.+]] = arith.maxsi %[[QUOTIENT]], %c1_i64
// CHECK:         %[[MODULO:.+]] = arith.remui %[[STEPS]], %c12_i64
// CHECK-NEXT:    %[[STEPSINRING:.+]] = arith.trunci %[[MODULO]]
// CHECK:         tilegpu.roles groups 2 registers [40, 232] producer {
// CHECK-NEXT:      tile.parallel "i" %[[PI:.+]]: !tile.span<"i", 128> in %c0_i64 to %M {
// CHECK-NEXT:        tile.parallel "j" %[[PJ:.+]]: !tile.span<"j", 112> in %c0_i64 to %N {
// CHECK-NEXT:          %[[ORDINAL:.+]] = tilegpu.tile_ordinal
// CHECK-NEXT:          %[[TILE:.+]] = arith.trunci %[[ORDINAL]]
// CHECK:               %[[TILEINRING:.+]] = arith.remui %[[TILE]], %c12_i32
// CHECK:               %[[PRODUCT:.+]] = arith.muli %[[TILEINRING]], %[[STEPSINRING]]
// CHECK:               %[[FIRST:.+]] = arith.remui %[[PRODUCT]], %c12_i32
// CHECK:               %[[ISODD:.+]] = arith.cmpi uge, %[[FIRST]], %c6_i32
// CHECK:               %[[LESS:.+]] = arith.subi %[[FIRST]], %c6_i32
// CHECK:               %[[EITHER:.+]] = arith.select %[[ISODD]], %[[LESS]], %[[FIRST]]
// CHECK:               %[[STAGE:.+]] = arith.extui %[[EITHER]]
// CHECK:               %[[PARITY:.+]] = arith.extui %[[ISODD]]
// CHECK:               %[[BEFORE:.+]] = arith.xori %[[PARITY]], %c1_i64
// CHECK:               tile.for "k" %[[STEP:.+]]: i64 in %c0_i64{{.*}} to %[[STEPS]] carries (%[[AT:.+]] = %[[STAGE]], %[[WAITED:.+]] = %[[BEFORE]])
// CHECK-NEXT:            tilegpu.mbarrier_wait %[[EMPTY]][%[[AT]]] parity %[[WAITED]]
// CHECK-NEXT:            tilegpu.mbarrier_arrive %[[FULL]][%[[AT]]] expecting 30720
// CHECK:                 %[[START:.+]] = arith.muli %[[STEP]], %c64_i64
// CHECK:                 %[[ROW:.+]] = tile.span_start %[[PI]]
// CHECK-NEXT:            %[[TO:.+]] = tilegpu.stage %[[ROWS]][%[[AT]]]
// CHECK-NEXT:            tilegpu.tma_load %[[X]][%[[START]], %[[ROW]]] into %[[TO]] signals %[[FULL]][%[[AT]]]
// CHECK:                 %[[COLUMN:.+]] = tile.span_start %[[PJ]]
// CHECK-NEXT:            %[[TO2:.+]] = tilegpu.stage %[[COLUMNS]][%[[AT]]]
// CHECK-NEXT:            tilegpu.tma_load %[[W]][%[[START]], %[[COLUMN]]] into %[[TO2]] signals %[[FULL]][%[[AT]]]
// CHECK-NEXT:            %[[NEXT:.+]] = arith.addi %[[AT]], %c1_i64
// CHECK:                 %[[BEYOND:.+]] = arith.cmpi eq, %[[NEXT]], %c6_i64
// CHECK:                 %[[FLIPPED:.+]] = arith.xori %[[WAITED]], %c1_i64
// CHECK:                 %[[STAGE2:.+]] = arith.select %[[BEYOND]], %c0_i64{{.*}}, %[[NEXT]]
// CHECK-NEXT:            %[[PARITY2:.+]] = arith.select %[[BEYOND]], %[[FLIPPED]], %[[WAITED]]
// CHECK-NEXT:            tile.yield %[[STAGE2]], %[[PARITY2]]
// CHECK:         } consumers {
// CHECK-NEXT:      %[[STAGING:.+]] = tilegpu.alloc : <tensor<64x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
// CHECK-NEXT:      tile.parallel "i" %[[CI:.+]]: !tile.span<"i", 128> in %c0_i64 to %M {
// CHECK-NEXT:        tile.parallel "j" %[[CJ:.+]]: !tile.span<"j", 112> in %c0_i64 to %N {
// CHECK:               %[[CSTAGE:.+]] = arith.extui %{{.+}} : i32
// CHECK-NEXT:          %[[CPARITY:.+]] = arith.extui %{{.+}} : i1
// CHECK-NEXT:          tilegpu.turn_wait
// CHECK-NEXT:          tilegpu.mbarrier_wait %[[FULL]][%[[CSTAGE]]] parity %[[CPARITY]]
// CHECK-NEXT:          %[[A:.+]] = tilegpu.stage %[[ROWS]][%[[CSTAGE]]]
// CHECK-NEXT:          %[[B:.+]] = tilegpu.stage %[[COLUMNS]][%[[CSTAGE]]]
// CHECK-NEXT:          %[[SUM:.+]] = tilegpu.wgmma %[[A]], %[[B]] :
// CHECK:               %[[SECOND:.+]] = arith.select %{{.+}}, %c0_i64{{.*}}, %{{.+}}
// CHECK-NEXT:          %[[SECONDPARITY:.+]] = arith.select
// CHECK-NEXT:          %[[ALL:.+]]:4 = tile.for "k" %{{.+}}: i64 in %c1_i64{{.*}} to %[[STEPS]] carries (%[[ACC:.+]] = %[[SUM]], %[[CAT:.+]] = %[[SECOND]], %[[CWAITED:.+]] = %[[SECONDPARITY]], %[[LAST:.+]] = %[[CSTAGE]])
// CHECK-NEXT:            tilegpu.mbarrier_wait %[[FULL]][%[[CAT]]] parity %[[CWAITED]]
// CHECK-NEXT:            %[[A2:.+]] = tilegpu.stage %[[ROWS]][%[[CAT]]]
// CHECK-NEXT:            %[[B2:.+]] = tilegpu.stage %[[COLUMNS]][%[[CAT]]]
// CHECK-NEXT:            %[[FOLLOWING:.+]] = tilegpu.wgmma %[[A2]], %[[B2]] onto %[[ACC]] :
// CHECK-NEXT:            tilegpu.wgmma_wait 1{{$}}
// CHECK-NEXT:            tilegpu.mbarrier_arrive %[[EMPTY]][%[[LAST]]] :
// CHECK:                 tile.yield %[[FOLLOWING]], %{{.+}}, %{{.+}}, %[[CAT]]
// CHECK-NEXT:          }
// CHECK-NEXT:          tilegpu.turn_pass
// CHECK-NEXT:          %[[PRODUCT:.+]] = tilegpu.wgmma_wait 0 of %[[ALL]]#0
// CHECK-NEXT:          tilegpu.mbarrier_arrive %[[EMPTY]][%[[ALL]]#3] :
// CHECK-NEXT:          %[[NARROW:.+]] = tile.cast %[[PRODUCT]]
// CHECK:               %[[TOCOLUMN:.+]] = tile.span_start %[[CJ]]
// CHECK-NEXT:          %[[TOROW:.+]] = tile.span_start %[[CI]]
// CHECK-NEXT:          tilegpu.tma_store %[[NARROW]] through %[[STAGING]] to[%[[TO64]], %[[TO32]], %[[TO16]]] [%[[TOCOLUMN]], %[[TOROW]]] rows 1 :
// CHECK-NOT:       tile.store
// CHECK:           tilegpu.tma_store_wait
// CHECK-NEXT:    }
tile.kernel @ping_pong(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 256>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<256xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<256x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x256xf32, #tile.axes<"i", "j">>
!n = tensor<128x256xbf16, #tile.axes<"i", "j">>

// One group of two warpgroups, which both must have read a stage; staging for eight warps.
// CHECK-LABEL: tile.kernel @cooperative(
// CHECK:         tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 4>
// CHECK:         tilegpu.mbarriers arrivals 1 : <4>
// CHECK-NEXT:    tilegpu.mbarriers arrivals 2 : <4>
// CHECK:         tilegpu.roles groups 1 registers [24, 240] producer {
// CHECK:         consumers {
// CHECK-NEXT:      tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"row", "column">>, contiguous = 1, swizzle = 128, stages = 2>
// CHECK:           tilegpu.wgmma {{.*}} -> tensor<128x256xf32, #tile.axes<"i", "j", layout = #layout{{[0-9]*}}>>
tile.kernel @cooperative(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [24, 240], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x128xf32, #tile.axes<"i", "j">>
!n = tensor<64x128xbf16, #tile.axes<"i", "j">>

// A product whose first operand has the result's columns: wgmma's first has its rows.
// CHECK-LABEL: tile.kernel @swapped(
// CHECK:         %[[ROWS:.+]] = tilegpu.alloc : <tensor<64x64xbf16, #tile.axes<"i", "k">>
// CHECK-NEXT:    %[[COLUMNS:.+]] = tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"j", "k">>
// CHECK:         consumers {
// CHECK:           %[[A:.+]] = tilegpu.stage %[[ROWS]]
// CHECK-NEXT:      %[[B:.+]] = tilegpu.stage %[[COLUMNS]]
// CHECK-NEXT:      tilegpu.wgmma %[[A]], %[[B]] :
tile.kernel @swapped(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
        %d = tile.dot %q, %p, %acc over (%k) : !jk, !ik, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["K", "M"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["K", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 48>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<48xi64, #tile.axes<"k">>
!ik = tensor<64x48xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x48xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x128xf32, #tile.axes<"i", "j">>
!n = tensor<64x128xbf16, #tile.axes<"i", "j">>

// Operands whose free axes are contiguous: boxes of 64 rows or columns and all steps, side by side; coordinates in the order of memory.
// CHECK-LABEL: tile.kernel @transposed(
// CHECK-DAG:     %[[X:.+]] = tilegpu.tensor_map %x order [1, 0] box [64, 48] swizzle 128
// CHECK-DAG:     %[[W:.+]] = tilegpu.tensor_map %w order [1, 0] box [64, 48] swizzle 128
// CHECK:         tilegpu.alloc : <tensor<48x64xbf16, #tile.axes<"k", "i">>, contiguous = 1, swizzle = 128, stages = 10>
// CHECK:         tilegpu.alloc : <tensor<48x128xbf16, #tile.axes<"k", "j">>, contiguous = 1, swizzle = 128, stages = 10>
// CHECK:         tilegpu.mbarrier_arrive %{{.+}} expecting 18432
// CHECK:         %[[START:.+]] = arith.muli %{{.+}}, %c48_i64
// CHECK:         %[[ROW:.+]] = tile.span_start %i
// CHECK:         tilegpu.tma_load %[[X]][%[[ROW]], %[[START]]]
// CHECK:         %[[COLUMN:.+]] = tile.span_start %j
// CHECK:         tilegpu.tma_load %[[W]][%[[COLUMN]], %[[START]]]
tile.kernel @transposed(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%tk, %ti] spans(%i, %k) compare [false, false] : !x, (!k, !i), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tk, %tj] spans(%j, %k) compare [false, false] : !w, (!k, !j), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["B", "M", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["B", "N", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["B", "M", "N"], access = out, unit_stride = 2, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A grid of three variables, one of them a number. What coordinates are computed from is computed by the producer too; a box has one index along
// the batch.
// CHECK-LABEL: tile.kernel @batch(
// CHECK-DAG:     tilegpu.tensor_map %x order [2, 1, 0] box [64, 64, 1] swizzle 128
// CHECK-DAG:     tilegpu.tensor_map %y order [2, 1, 0] box [64, 16, 1] swizzle 128
// CHECK:         producer {
// CHECK-NEXT:      tile.parallel "b" %[[B:.+]]: i64 in %c0_i64 to %B {
// CHECK-NEXT:        tile.parallel "i" %[[I:.+]]: !tile.span<"i", 64> in %c0_i64 to %M {
// CHECK-NEXT:          tile.parallel "j" %[[J:.+]]: !tile.span<"j", 64> in %c0_i64 to %N {
// CHECK-NEXT:            %[[HALF:.+]] = tile.floor_div %[[B]], %c2_i64
// CHECK:                 tile.for
// CHECK:                   %[[START:.+]] = arith.muli %{{.+}}, %c64_i64
// CHECK:                   tilegpu.tma_load %{{.+}}[%[[START]], %{{.+}}, %[[HALF]]] into
// CHECK:                   tilegpu.tma_load %{{.+}}[%[[START]], %{{.+}}, %[[B]]] into
// CHECK:         consumers {
// CHECK:           tile.parallel "b" %[[CB:.+]]: i64 in %c0_i64 to %B {
// CHECK:           tilegpu.tma_store %{{.+}} through %{{.+}} to[%{{.+}}] [%{{.+}}, %{{.+}}, %[[CB]]] rows 1 :
tile.kernel @batch(%x: !x, %w: !w, %y: !y, %B: i64, %M: i64, %K: i64, %N: i64) dimensions = 4 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  tile.parallel "b" %b : i64 in %c0 to %B {
    tile.parallel "i" %i : !si in %c0 to %M {
      tile.parallel "j" %j : !sj in %c0 to %N {
        %zero = arith.constant dense<0.0> : !ij
        %ti = tile.index %i : !si -> !i
        %tj = tile.index %j : !sj -> !j
        %half = tile.floor_div %b, %c2 : i64
        %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
          %tk = tile.index %k : !sk -> !k
          %p = tile.load %x[%half, %ti, %tk] spans(%i, %k) compare [false, false, false] : !x, (i64, !i, !k), spans(!si, !sk) -> !ik
          %q = tile.load %w[%b, %tj, %tk] spans(%j, %k) compare [false, false, false] : !w, (i64, !j, !k), spans(!sj, !sk) -> !jk
          %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
          tile.yield %d : !ij
        }
        %n = tile.cast %sum : !ij -> !n
        tile.store %n, %y[%b, %ti, %tj] spans(%i, %j) compare [false, false, false] {tilegpu.tensor_copy} : !n, !y, (i64, !i, !j), spans(!si, !sj)
      }
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A store that tensor copies cannot make stays, in the same layout, beside one that they make.
// CHECK-LABEL: tile.kernel @two_stores(
// CHECK:         consumers {
// CHECK:           %[[PRODUCT:.+]] = tilegpu.wgmma_wait 0
// CHECK:           tile.store %[[PRODUCT]], %z
// CHECK:           %[[NARROW:.+]] = tile.cast %[[PRODUCT]]
// CHECK:           tilegpu.tma_store %[[NARROW]]
// CHECK:           tilegpu.tma_store_wait
tile.kernel @two_stores(%x: !x, %w: !w, %y: !y, %z: !z, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      tile.store %sum, %z[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !z, (!i, !j), spans(!si, !sj)
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>

// Without stores by copies there is no staging, and nothing to wait for at the end.
// CHECK-LABEL: tile.kernel @no_copies(
// CHECK:         consumers {
// CHECK-NEXT:      tile.parallel
// CHECK-NOT:       tilegpu.tma_store
// CHECK:           tile.store
// CHECK-NOT:       tilegpu.tma_store
tile.kernel @no_copies(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 96>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<96xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<96x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x96xf32, #tile.axes<"i", "j">>
!n = tensor<64x96xbf16, #tile.axes<"i", "j">>

// 96 columns are a slice of 64 and one of 32.
// CHECK-LABEL: tile.kernel @slices_96(
// CHECK-DAG:     %[[TO64:.+]] = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128
// CHECK-DAG:     %[[TO32:.+]] = tilegpu.tensor_map %y order [1, 0] box [32, 16] swizzle 64
// CHECK:         tilegpu.tma_store %{{.+}} to[%[[TO64]], %[[TO32]]] [
tile.kernel @slices_96(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 80>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<80xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<80x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x80xf32, #tile.axes<"i", "j">>
!n = tensor<64x80xbf16, #tile.axes<"i", "j">>

// 80 columns are a slice of 64 and one of 16.
// CHECK-LABEL: tile.kernel @slices_80(
// CHECK-DAG:     %[[TO64:.+]] = tilegpu.tensor_map %y order [1, 0] box [64, 16] swizzle 128
// CHECK-DAG:     %[[TO16:.+]] = tilegpu.tensor_map %y order [1, 0] box [16, 16] swizzle 32
// CHECK:         tilegpu.tma_store %{{.+}} to[%[[TO64]], %[[TO16]]] [
tile.kernel @slices_80(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 32>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<32xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<32x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x32xf32, #tile.axes<"i", "j">>
!n = tensor<64x32xbf16, #tile.axes<"i", "j">>

// 32 columns are a slice of 32.
// CHECK-LABEL: tile.kernel @slices_32(
// CHECK-DAG:     %[[TO32:.+]] = tilegpu.tensor_map %y order [1, 0] box [32, 16] swizzle 64
// CHECK:         tilegpu.tma_store %{{.+}} to[%[[TO32]]] [
tile.kernel @slices_32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<16x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x16xf32, #tile.axes<"i", "j">>
!n = tensor<64x16xbf16, #tile.axes<"i", "j">>

// 16 columns are a slice of 16.
// CHECK-LABEL: tile.kernel @slices_16(
// CHECK-DAG:     %[[TO16:.+]] = tilegpu.tensor_map %y order [1, 0] box [16, 16] swizzle 32
// CHECK:         tilegpu.tma_store %{{.+}} to[%[[TO16]]] [
tile.kernel @slices_16(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!h = tensor<128x112xf16, #tile.axes<"i", "j">>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Elements of each type have staging of their own, and so much less is left for stages: 5 where 6 would fit beside one type.
// CHECK-LABEL: tile.kernel @two_types(
// CHECK:         tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 5>
// CHECK:         consumers {
// CHECK-NEXT:      %[[BF16:.+]] = tilegpu.alloc : <tensor<64x64xbf16
// CHECK-NEXT:      %[[F16:.+]] = tilegpu.alloc : <tensor<64x64xf16
// CHECK:           tilegpu.tma_store %{{.+}} through %[[BF16]]
// CHECK:           tilegpu.tma_store %{{.+}} through %[[F16]]
tile.kernel @two_types(%x: !x, %w: !w, %y: !y, %z: !z, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
      %h = tile.cast %sum : !ij -> !h
      tile.store %h, %z[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !h, !z, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// As many stages as the schedule says.
// CHECK-LABEL: tile.kernel @given_stages(
// CHECK:         tilegpu.alloc : <tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 3>
tile.kernel @given_stages(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 3, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// So many, or none: who asks for more than fit is told.
// CHECK-LABEL: tile.kernel @too_many_stages(
// CHECK-NOT:     tilegpu.roles
// CHECK:         tilegpu.dot mma
tile.kernel @too_many_stages(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 12, registers = [40, 232], prepares = false>} {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: 12 stages take 368640 bytes of shared memory, and what the groups exchange leaves 199360}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<16x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x16xf32, #tile.axes<"i", "j">>

// Of small stages no more than 16.
// CHECK-LABEL: tile.kernel @most_stages(
// CHECK:         tilegpu.alloc : <tensor<64x64xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 16>
tile.kernel @most_stages(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 256>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<64x256xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x256xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x128xf32, #tile.axes<"i", "j">>
!n = tensor<64x128xbf16, #tile.axes<"i", "j">>

// The largest stages of which two fit.
// CHECK-LABEL: tile.kernel @two_fit(
// CHECK:         tilegpu.alloc : <tensor<64x256xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 128, stages = 2>
tile.kernel @two_fit(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 144>
!sk = !tile.span<"k", 256>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<144xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<64x256xbf16, #tile.axes<"i", "k">>
!jk = tensor<144x256xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x144xf32, #tile.axes<"i", "j">>
!n = tensor<64x144xbf16, #tile.axes<"i", "j">>

// plan-schedule makes no such schedule.
tile.kernel @two_do_not_fit(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: 2 stages take 212992 bytes of shared memory, and what the groups exchange leaves 199360}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A kernel without a schedule stays as it is.
// CHECK-LABEL: tile.kernel @no_schedule(
// CHECK-NOT:     tilegpu.roles
// CHECK:         tilegpu.dot mma
// CHECK-NOT:     tilegpu.roles
tile.kernel @no_schedule(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 2, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M...", "N"], access = out, unit_stride = 1, pack_rank = 3, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
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

// Packs in parts: the last part stands where the pack does, and a box has one index of each of the others.
// CHECK-LABEL: tile.kernel @packs(
// CHECK-DAG:     tilegpu.tensor_map %y order [3, 2, 1, 0] box [64, 16, 1, 1] swizzle 128
// CHECK-DAG:     %[[X:.+]] = tilegpu.tensor_map %x order [2, 1, 0] box [64, 32, 1] swizzle 128
// CHECK:         tilegpu.tma_load %[[X]][%{{.+}}, %{{.+}}] into
// CHECK:         tilegpu.tma_store %{{.+}} [%{{.+}}, %{{.+}}] rows 1 :
tile.kernel @packs(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 32, 1, 16, 1, 1, 1>, tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 0, pack_rank = 2, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
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

// Positions of a batch of channels-first tensors.
// CHECK-LABEL: tile.kernel @positions(
// CHECK:         %[[X:.+]] = tilegpu.tensor_map %x order [1, 0, 2] box [64, 1, 64] swizzle 128
// CHECK:         tilegpu.tma_load %[[X]][%{{.+}}, %{{.+}}] into
tile.kernel @positions(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 64, 1, 1, 1, 1, 1>, tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
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
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
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

// A tile may lie outside of the view.
// CHECK-LABEL: tile.kernel @part_of_rows(
// CHECK:         } consumers {
// CHECK:         %[[START:.+]] = tile.span_start %{{.+}} : <"j", 64>
// CHECK:         %[[MINUS:.+]] = arith.muli %P, %c-1_i64
// CHECK-NEXT:    %[[COLUMN:.+]] = arith.addi %[[START]], %[[MINUS]]
// CHECK:         tilegpu.tma_store %{{.+}} [%[[COLUMN]], %{{.+}}] rows 1 may_miss :
tile.kernel @part_of_rows(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64, %P: i64) dimensions = 4 attributes {tile.pack_runs = array<i64: 1, 1, 1, 1, 1, 1, 1>, tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  %all = arith.addi %P, %N : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %all {
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
      %bp = tile.broadcast %P : i64 -> !j
      %rest = arith.subi %tj, %bp : !j
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %rest] spans(%i, %j) compare [false, true] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f8E4M3FN, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f8E4M3FN, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<128x128xf8E4M3FN, #tile.axes<"i", "k">>
!jk = tensor<64x128xf8E4M3FN, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// Sums of f8: each step's is started, waited for and added before the stage is given back; none is peeled.
// CHECK-LABEL: tile.kernel @promoted(
// CHECK:         } consumers {
// CHECK:           tilegpu.turn_wait
// CHECK-NEXT:      %[[ALL:.+]]:3 = tile.for "k" %{{.+}}: i64 in %c0_i64{{.*}} to %{{.+}} carries (%[[ACC:.+]] = %{{.+}}, %[[AT:.+]] = %{{.+}}, %[[PARITY:.+]] = %{{.+}})
// CHECK-NEXT:        tilegpu.mbarrier_wait %[[FULL:.+]][%[[AT]]] parity %[[PARITY]]
// CHECK:             %[[PART:.+]] = tilegpu.wgmma %{{.+}}, %{{.+}} :
// CHECK-NEXT:        %[[WAITED:.+]] = tilegpu.wgmma_wait 0 of %[[PART]]
// CHECK-NEXT:        tilegpu.mbarrier_arrive %[[EMPTY:.+]][%[[AT]]]
// CHECK-NEXT:        %[[SUM:.+]] = arith.addf %[[ACC]], %[[WAITED]]
// CHECK:             tile.yield %[[SUM]],
// CHECK:           tilegpu.turn_pass
// CHECK:           tile.store %[[ALL]]#0
tile.kernel @promoted(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 2, registers = [40, 232], prepares = false>} {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
