// Which layout each tile gets, and where a tile is converted.
// RUN: tile-opt %s -split-input-file -assign-layouts -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s -split-input-file -assign-layouts="capability=90" 2>/dev/null | FileCheck %s --check-prefix=HOPPER

!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 16>
!sj = !tile.span<"j", 64>
!ii = tensor<16xi64, #tile.axes<"i">>
!ji = tensor<64xi64, #tile.axes<"j">>
!ij = tensor<16x64xf32, #tile.axes<"i", "j">>

// Memory is read along its contiguous axis: 16 bytes of a thread, then lanes, warps along the other axis. The store is in the same
// places, so nothing is converted; the indices are computed in their parts of the layout.
// CHECK-DAG:   #[[$I:layout[0-9]*]] = #tilegpu.distributed<[16], registers = {{\[\[}}4], [8]], lanes = {{\[\[}}0], [0], [0], [0], [1]], warps = {{\[\[}}2]]>
// CHECK-DAG:   #[[$J:layout[0-9]*]] = #tilegpu.distributed<[64], registers = {{\[\[}}1], [2]], lanes = {{\[\[}}4], [8], [16], [32], [0]], warps = {{\[\[}}0]]>
// CHECK-DAG:   #[[$IJ:layout[0-9]*]] = #tilegpu.distributed<[16, 64], registers = {{\[\[}}0, 1], [0, 2], [4, 0], [8, 0]], lanes = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = {{\[\[}}2, 0]]>
// CHECK-LABEL: tile.kernel @coalesced(
// CHECK-SAME:    tilegpu.warps = 2 : i64
// CHECK:         %[[TI:.+]] = tile.index %i : <"i", 16> -> tensor<16xi64, #tile.axes<"i", layout = #[[$I]]>>
// CHECK-NEXT:    %[[TJ:.+]] = tile.index %j : <"j", 64> -> tensor<64xi64, #tile.axes<"j", layout = #[[$J]]>>
// CHECK-NEXT:    %[[A:.+]] = tile.load %x[%[[TI]], %[[TJ]]] {{.*}} -> tensor<16x64xf32, #tile.axes<"i", "j", layout = #[[$IJ]]>>
// CHECK-NEXT:    tile.store %[[A]], %y[%[[TI]], %[[TJ]]] {{.*}} {tilegpu.place_layout = #[[$IJ]]}
tile.kernel @coalesced(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ti = tile.index %i : !si -> !ii
      %tj = tile.index %j : !sj -> !ji
      %a = tile.load %x[%ti, %tj] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
      tile.store %a, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!ii, !ji), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["N", "M"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 32>
!sj = !tile.span<"j", 32>
!ii = tensor<32xi64, #tile.axes<"i">>
!ji = tensor<32xi64, #tile.axes<"j">>
!ij = tensor<32x32xf32, #tile.axes<"i", "j">>
!jt = tensor<32x32xf32, #tile.axes<"j", "i">>

// A transposition moves nothing: the result's layout is the operand's with its axes exchanged. The store that would then touch parts
// of sectors gets a conversion, and indices of its own.
// CHECK-DAG:   #[[$READ:layout[0-9]*]] = #tilegpu.distributed<[32, 32], registers = {{\[\[}}0, 1], [0, 2], [8, 0], [16, 0]], lanes = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = {{\[\[}}4, 0]]>
// CHECK-DAG:   #[[$EXCHANGED:layout[0-9]*]] = #tilegpu.distributed<[32, 32], registers = {{\[\[}}1, 0], [2, 0], [0, 8], [0, 16]], lanes = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warps = {{\[\[}}0, 4]]>
// CHECK-LABEL: tile.kernel @transposed(
// CHECK:         %[[A:.+]] = tile.load %x{{.*}} -> tensor<32x32xf32, #tile.axes<"i", "j", layout = #[[$READ]]>>
// CHECK-NEXT:    %[[B:.+]] = tile.broadcast %[[A]] : {{.*}} -> tensor<32x32xf32, #tile.axes<"j", "i", layout = #[[$EXCHANGED]]>>
// CHECK-NEXT:    %[[C:.+]] = arith.addf %[[B]], %[[B]] : tensor<32x32xf32, #tile.axes<"j", "i", layout = #[[$EXCHANGED]]>>
// CHECK-NEXT:    %[[D:.+]] = tilegpu.convert_layout %[[C]] : {{.*}} -> tensor<32x32xf32, #tile.axes<"j", "i", layout = #[[$READ]]>>
// CHECK:         tile.store %[[D]], %y{{.*}} {tilegpu.place_layout = #[[$READ]]}
tile.kernel @transposed(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ti = tile.index %i : !si -> !ii
      %tj = tile.index %j : !sj -> !ji
      %a = tile.load %x[%ti, %tj] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
      %b = tile.broadcast %a : !ij -> !jt
      %c = arith.addf %b, %b : !jt
      tile.store %c, %y[%tj, %ti] spans(%j, %i) compare [false, false] : !jt, !y, (!ji, !ii), spans(!sj, !si)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 16>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 16>
!ii = tensor<16xi64, #tile.axes<"i">>
!ji = tensor<16xi64, #tile.axes<"j">>
!ki = tensor<16xi64, #tile.axes<"k">>
!ik = tensor<16x16xbf16, #tile.axes<"i", "k">>
!jk = tensor<16x16xbf16, #tile.axes<"j", "k">>
!ij = tensor<16x16xf32, #tile.axes<"i", "j">>
!j = tensor<16xf32, #tile.axes<"j">>
!ijn = tensor<16x16xbf16, #tile.axes<"i", "j">>

// A product by tensor cores. Its operands go through buffers; the loop carries the accumulator in the fragments' layout; what is
// added to it, a load of one axis, is read in that layout. Accumulators of f32 are stored as they are, since four lanes of a row
// write 32 bytes; of bf16 they would write 16, so those are converted to the layout of memory.
// CHECK-DAG:   #[[$ACC:layout[0-9]*]] = #tilegpu.distributed<[16, 16], registers = {{\[\[}}0, 1], [8, 0], [0, 8]], lanes = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = []>
// CHECK-DAG:   #[[$COLUMN:layout[0-9]*]] = #tilegpu.distributed<[16], registers = {{\[\[}}1], [8]], lanes = {{\[\[}}2], [4], [0], [0], [0]], warps = []>
// CHECK-DAG:   #[[$MEMORY:layout[0-9]*]] = #tilegpu.distributed<[16, 16], registers = {{\[\[}}0, 1], [0, 2], [0, 4]], lanes = {{\[\[}}0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warps = []>
// CHECK-LABEL: tile.kernel @product(
// CHECK:         %[[SUM:.+]] = tile.for "k" {{.*}} carries (%[[ACCUMULATOR:.+]] = %{{.+}}) : tensor<16x16xf32, #tile.axes<"i", "j", layout = #[[$ACC]]>>
// CHECK:           %[[P:.+]] = tile.load %x{{.*}} -> tensor<16x16xbf16, #tile.axes<"i", "k", layout = #[[$MEMORY]]>>
// CHECK:           %[[Q:.+]] = tile.load %w{{.*}} -> tensor<16x16xbf16, #tile.axes<"j", "k", layout = #[[$MEMORY]]>>
// CHECK-NEXT:      %[[PS:.+]] = tilegpu.alloc : <tensor<16x16xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 32, stages = 1>
// CHECK-NEXT:      tilegpu.store_shared %[[P]], %[[PS]]
// CHECK-NEXT:      %[[QS:.+]] = tilegpu.alloc : <tensor<16x16xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 32, stages = 1>
// CHECK-NEXT:      tilegpu.store_shared %[[Q]], %[[QS]]
// CHECK-NEXT:      %[[D:.+]] = tilegpu.dot mma %[[PS]], %[[QS]], %[[ACCUMULATOR]] over ["k"] precision default
// CHECK-NEXT:      tile.yield %[[D]]
// CHECK:         %[[BIAS:.+]] = tile.load %b{{.*}} -> tensor<16xf32, #tile.axes<"j", layout = #[[$COLUMN]]>>
// CHECK-NEXT:    %[[ROWS:.+]] = tile.broadcast %[[BIAS]] : {{.*}} -> tensor<16x16xf32, #tile.axes<"i", "j", layout = #[[$ACC]]>>
// CHECK-NEXT:    %[[R:.+]] = arith.addf %[[SUM]], %[[ROWS]]
// CHECK-NEXT:    %[[N:.+]] = tile.cast %[[R]]
// CHECK-NOT:     convert_layout
// CHECK:         tile.store %[[R]], %z{{.*}} {tilegpu.place_layout = #[[$ACC]]}
// CHECK-NEXT:    %[[M:.+]] = tilegpu.convert_layout %[[N]] : {{.*}} -> tensor<16x16xbf16, #tile.axes<"i", "j", layout = #[[$MEMORY]]>>
// CHECK:         tile.store %[[M]], %y{{.*}} {tilegpu.place_layout = #[[$MEMORY]]}
tile.kernel @product(%x: !x, %w: !w, %b: !b, %y: !y, %z: !z, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !ii
      %tj = tile.index %j : !sj -> !ji
      %bias = tile.load %b[%tj] spans(%j) compare [false] : !b, (!ji), spans(!sj) -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !ki
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!ji, !ki), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %bb = tile.broadcast %bias : !j -> !ij
      %r = arith.addf %sum, %bb : !ij
      %n = tile.cast %r : !ij -> !ijn
      tile.store %r, %z[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !z, (!ii, !ji), spans(!si, !sj)
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ijn, !y, (!ii, !ji), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!s = !tile.span<"i", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!t = tensor<64xf32, #tile.axes<"i">>

// Views aligned to one element: the neighbours of an element are in other lanes.
// CHECK-DAG:   #[[$LAYOUT:layout[0-9]*]] = #tilegpu.distributed<[64], registers = {{\[\[}}32]], lanes = {{\[\[}}1], [2], [4], [8], [16]], warps = []>
// CHECK-LABEL: tile.kernel @unaligned(
// CHECK:         tile.load %x{{.*}} -> tensor<64xf32, #tile.axes<"i", layout = #[[$LAYOUT]]>>
tile.kernel @unaligned(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !s in %c0 to %N {
    %ti = tile.index %i : !s -> !i
    %a = tile.load %x[%ti] spans(%i) compare [false] : !x, (!i), spans(!s) -> !t
    tile.store %a, %y[%ti] spans(%i) compare [false] : !t, !y, (!i), spans(!s)
  }
}

// -----

!y = !tile.view<element = f32, dims = ["I", "J"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!a = tensor<16x32xf32, #tile.axes<"i", "k">>
!b = tensor<16x32xf32, #tile.axes<"j", "k">>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!si = !tile.span<"i", 16>
!ii = tensor<16xi64, #tile.axes<"i">>
!sj = !tile.span<"j", 16>
!ij = tensor<16xi64, #tile.axes<"j">>

// Tensor cores have no products of f32 as exact as the default asks for; the remark says what would make it one for them.
// Columns lie four by four. What is no load gets zeros where a summed index does not exist.
// CHECK-DAG:   #[[$ACC:layout[0-9]*]] = #tilegpu.distributed<[16, 16], registers = {{\[\[}}0, 8], [4, 0], [8, 0]], lanes = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warps = []>
// CHECK-LABEL: tile.kernel @exact(
// CHECK-COUNT-2: tilegpu.zero_absent %{{.+}} over(%{{.+}})
// CHECK:         tilegpu.dot fma {{.*}} precision default {{.*}} -> tensor<16x16xf32, #tile.axes<"i", "j", layout = #[[$ACC]]>>
tile.kernel @exact(%y: !y, %I: i64, %J: i64) dimensions = 2 {
  %a = arith.constant dense<0.0> : !a
  %b = arith.constant dense<0.0> : !b
  %c = arith.constant dense<0.0> : !c
  %k = tile.span : !tile.span<"k", 32>
  %si = tile.span : !si
  %ti = tile.index %si : !si -> !ii
  %sj = tile.span : !sj
  %tj = tile.index %sj : !sj -> !ij
  // expected-remark @below {{this product is formed by multiply-adds, not by tensor cores: its operands are f32 and its precision is that of f32 (`precision = tf32` would do)}}
  %d = tile.dot %a, %b, %c over (%k) : !a, !b, !tile.span<"k", 32> -> !c
  tile.store %d, %y[%ti, %tj] spans(%si, %sj) compare [false, false] : !c, !y, (!ii, !ij), spans(!si, !sj)
}

// -----

!y = !tile.view<element = f32, dims = ["I", "J"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!a = tensor<16x32xf32, #tile.axes<"i", "k">>
!b = tensor<16x32xf32, #tile.axes<"j", "k">>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!si = !tile.span<"i", 16>
!ii = tensor<16xi64, #tile.axes<"i">>
!sj = !tile.span<"j", 16>
!ij = tensor<16xi64, #tile.axes<"j">>

// CHECK-LABEL: tile.kernel @rounded(
// CHECK:         tilegpu.dot mma {{.*}} precision tf32
tile.kernel @rounded(%y: !y, %I: i64, %J: i64) dimensions = 2 {
  %a = arith.constant dense<0.0> : !a
  %b = arith.constant dense<0.0> : !b
  %c = arith.constant dense<0.0> : !c
  %k = tile.span : !tile.span<"k", 32>
  %si = tile.span : !si
  %ti = tile.index %si : !si -> !ii
  %sj = tile.span : !sj
  %tj = tile.index %sj : !sj -> !ij
  %d = tile.dot %a, %b, %c over (%k) precision tf32 : !a, !b, !tile.span<"k", 32> -> !c
  tile.store %d, %y[%ti, %tj] spans(%si, %sj) compare [false, false] : !c, !y, (!ii, !ij), spans(!si, !sj)
}

// -----

!y = !tile.view<element = f64, dims = ["I", "J"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!a = tensor<16x32xf64, #tile.axes<"i", "k">>
!b = tensor<16x32xf64, #tile.axes<"j", "k">>
!c = tensor<16x16xf64, #tile.axes<"i", "j">>
!si = !tile.span<"i", 16>
!ii = tensor<16xi64, #tile.axes<"i">>
!sj = !tile.span<"j", 16>
!ij = tensor<16xi64, #tile.axes<"j">>

// CHECK-LABEL: tile.kernel @f64(
// CHECK:         tilegpu.dot fma
tile.kernel @f64(%y: !y, %I: i64, %J: i64) dimensions = 2 {
  %a = arith.constant dense<0.0> : !a
  %b = arith.constant dense<0.0> : !b
  %c = arith.constant dense<0.0> : !c
  %k = tile.span : !tile.span<"k", 32>
  %si = tile.span : !si
  %ti = tile.index %si : !si -> !ii
  %sj = tile.span : !sj
  %tj = tile.index %sj : !sj -> !ij
  // expected-remark @below {{this product is formed by multiply-adds, not by tensor cores: no tensor core instruction takes these element types}}
  %d = tile.dot %a, %b, %c over (%k) : !a, !b, !tile.span<"k", 32> -> !c
  tile.store %d, %y[%ti, %tj] spans(%si, %sj) compare [false, false] : !c, !y, (!ii, !ij), spans(!si, !sj)
}

// -----

!y = !tile.view<element = i32, dims = ["I", "J"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!a = tensor<16x32xi8, #tile.axes<"i", "k">>
!b = tensor<16x32xi8, #tile.axes<"j", "k">>
!c = tensor<16x16xi32, #tile.axes<"i", "j">>
!si = !tile.span<"i", 16>
!ii = tensor<16xi64, #tile.axes<"i">>
!sj = !tile.span<"j", 16>
!ij = tensor<16xi64, #tile.axes<"j">>

// CHECK-LABEL: tile.kernel @integers(
// CHECK:         tilegpu.dot mma
tile.kernel @integers(%y: !y, %I: i64, %J: i64) dimensions = 2 {
  %a = arith.constant dense<0> : !a
  %b = arith.constant dense<0> : !b
  %c = arith.constant dense<0> : !c
  %k = tile.span : !tile.span<"k", 32>
  %si = tile.span : !si
  %ti = tile.index %si : !si -> !ii
  %sj = tile.span : !sj
  %tj = tile.index %sj : !sj -> !ij
  %d = tile.dot %a, %b, %c over (%k) : !a, !b, !tile.span<"k", 32> -> !c
  tile.store %d, %y[%ti, %tj] spans(%si, %sj) compare [false, false] : !c, !y, (!ii, !ij), spans(!si, !sj)
}

// -----

!y = !tile.view<element = f32, dims = ["I", "J"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!a = tensor<16x32xf8E4M3FN, #tile.axes<"i", "k">>
!b = tensor<16x32xf8E5M2, #tile.axes<"j", "k">>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!si = !tile.span<"i", 16>
!ii = tensor<16xi64, #tile.axes<"i">>
!sj = !tile.span<"j", 16>
!ij = tensor<16xi64, #tile.axes<"j">>

// f8 from the first processor on that has it.
// CHECK-LABEL: tile.kernel @f8(
// CHECK:         tilegpu.dot fma
// HOPPER-LABEL: tile.kernel @f8(
// HOPPER:         tilegpu.dot mma
tile.kernel @f8(%y: !y, %I: i64, %J: i64) dimensions = 2 {
  %a = arith.constant dense<0.0> : !a
  %b = arith.constant dense<0.0> : !b
  %c = arith.constant dense<0.0> : !c
  %k = tile.span : !tile.span<"k", 32>
  %si = tile.span : !si
  %ti = tile.index %si : !si -> !ii
  %sj = tile.span : !sj
  %tj = tile.index %sj : !sj -> !ij
  // expected-remark @below {{this product is formed by multiply-adds, not by tensor cores: f8 operands need sm_89 or later}}
  %d = tile.dot %a, %b, %c over (%k) : !a, !b, !tile.span<"k", 32> -> !c
  tile.store %d, %y[%ti, %tj] spans(%si, %sj) compare [false, false] : !c, !y, (!ii, !ij), spans(!si, !sj)
}

// -----

!y = !tile.view<element = f32, dims = ["I", "J"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!a = tensor<16x8xbf16, #tile.axes<"i", "k">>
!b = tensor<16x8xbf16, #tile.axes<"j", "k">>
!c = tensor<16x16xf32, #tile.axes<"i", "j">>
!si = !tile.span<"i", 16>
!ii = tensor<16xi64, #tile.axes<"i">>
!sj = !tile.span<"j", 16>
!ij = tensor<16xi64, #tile.axes<"j">>

// The instruction sums 16 elements of 16 bits.
// CHECK-LABEL: tile.kernel @shallow(
// CHECK:         tilegpu.dot fma
tile.kernel @shallow(%y: !y, %I: i64, %J: i64) dimensions = 2 {
  %a = arith.constant dense<0.0> : !a
  %b = arith.constant dense<0.0> : !b
  %c = arith.constant dense<0.0> : !c
  %k = tile.span : !tile.span<"k", 8>
  %si = tile.span : !si
  %ti = tile.index %si : !si -> !ii
  %sj = tile.span : !sj
  %tj = tile.index %sj : !sj -> !ij
  // expected-remark @below {{this product is formed by multiply-adds, not by tensor cores: its tile is smaller than the instruction's}}
  %d = tile.dot %a, %b, %c over (%k) : !a, !b, !tile.span<"k", 8> -> !c
  tile.store %d, %y[%ti, %tj] spans(%si, %sj) compare [false, false] : !c, !y, (!ii, !ij), spans(!si, !sj)
}

// -----

!y = !tile.view<element = f32, dims = ["B", "I", "J"], access = out, unit_stride = 2, pack_rank = 1, alignment = 16>
!a = tensor<2x16x32xbf16, #tile.axes<"b", "i", "k">>
!b = tensor<2x16x32xbf16, #tile.axes<"b", "j", "k">>
!c = tensor<2x16x16xf32, #tile.axes<"b", "i", "j">>
!sb = !tile.span<"b", 2>
!ib = tensor<2xi64, #tile.axes<"b">>
!si = !tile.span<"i", 16>
!ii = tensor<16xi64, #tile.axes<"i">>
!sj = !tile.span<"j", 16>
!ij = tensor<16xi64, #tile.axes<"j">>

// CHECK-LABEL: tile.kernel @batch(
// CHECK:         tilegpu.dot fma
tile.kernel @batch(%y: !y, %B: i64, %I: i64, %J: i64) dimensions = 3 {
  %a = arith.constant dense<0.0> : !a
  %b = arith.constant dense<0.0> : !b
  %c = arith.constant dense<0.0> : !c
  %k = tile.span : !tile.span<"k", 32>
  %sb = tile.span : !sb
  %tb = tile.index %sb : !sb -> !ib
  %si = tile.span : !si
  %ti = tile.index %si : !si -> !ii
  %sj = tile.span : !sj
  %tj = tile.index %sj : !sj -> !ij
  // expected-remark @below {{this product is formed by multiply-adds, not by tensor cores: tensor cores take one axis of rows, one of columns and one that is summed}}
  %d = tile.dot %a, %b, %c over (%k) : !a, !b, !tile.span<"k", 32> -> !c
  tile.store %d, %y[%tb, %ti, %tj] spans(%sb, %si, %sj) compare [false, false, false] : !c, !y, (!ib, !ii, !ij), spans(!sb, !si, !sj)
}

// -----

!x = !tile.view<element = i32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 16>
!s = !tile.span<"i", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!t = tensor<128xi32, #tile.axes<"i">>
!f = tensor<128xf32, #tile.axes<"i">>

// A call of an external function is made once: it has the layout in which memory is met, all its results have it, and both stores
// take them as they are.
// CHECK-DAG:   #[[$V:layout[0-9]*]] = #tilegpu.distributed<[128], registers = {{\[\[}}1], [2]], lanes = {{\[\[}}4], [8], [16], [32], [64]]
// CHECK-LABEL: tile.kernel @called(
// CHECK:         %[[A:.+]] = tile.load %x{{.*}} -> tensor<128xi32, #tile.axes<"i", layout = #[[$V]]>>
// CHECK-NEXT:    %[[R:.+]]:2 = tile.call_external "f"(%[[A]]) spans(%i : {{.*}}) : (tensor<128xi32, #tile.axes<"i", layout = #[[$V]]>>) -> (tensor<128xf32, #tile.axes<"i", layout = #[[$V]]>>, tensor<128xf32, #tile.axes<"i", layout = #[[$V]]>>)
// CHECK-NOT:     tile.call_external
// CHECK-NOT:     tilegpu.convert_layout
// CHECK:         tile.store %[[R]]#0, %y
// CHECK:         tile.store %[[R]]#1, %z
tile.kernel @called(%x: !x, %y: !y, %z: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !s in %c0 to %N {
    %ti = tile.index %i : !s -> !i
    %a = tile.load %x[%ti] spans(%i) compare [false] : !x, (!i), spans(!s) -> !t
    %b, %c = tile.call_external "f"(%a) spans(%i : !s) : (!t) -> (!f, !f)
    tile.store %b, %y[%ti] spans(%i) compare [false] : !f, !y, (!i), spans(!s)
    tile.store %c, %z[%ti] spans(%i) compare [false] : !f, !y, (!i), spans(!s)
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!ii = tensor<64xi64, #tile.axes<"i">>
!ji = tensor<64xi64, #tile.axes<"j">>
!ki = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>

// A thread has 64 accumulators of both products together: 2 * 64 * 64 are those of four warps.
// CHECK-LABEL: tile.kernel @two_products(
// CHECK-SAME:    tilegpu.warps = 4 : i64
// CHECK-COUNT-2: tilegpu.dot mma
tile.kernel @two_products(%x: !x, %v: !w, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !ii
      %tj = tile.index %j : !sj -> !ji
      %g, %u = tile.for "k" %k : !sk in %c0 to %K carries (%a = %zero, %b = %zero) : !ij, !ij {
        %tk = tile.index %k : !sk -> !ki
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
        %q = tile.load %v[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!ji, !ki), spans(!sj, !sk) -> !jk
        %r = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!ji, !ki), spans(!sj, !sk) -> !jk
        %c = tile.dot %p, %q, %a over (%k) : !ik, !jk, !sk -> !ij
        %d = tile.dot %p, %r, %b over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %c, %d : !ij, !ij
      }
      %s = arith.mulf %g, %u : !ij
      tile.store %s, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!ii, !ji), spans(!si, !sj)
    }
  }
}
