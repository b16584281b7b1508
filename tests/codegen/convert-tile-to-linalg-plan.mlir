// Which tiles get a buffer (`tilewright.materialize`), and which are written where a loop carries them (`tilewright.into`).
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg=plan-only | FileCheck %s

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 16>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<16xi64, #tile.axes<"j">>
!i = tensor<8xf32, #tile.axes<"i">>
!ij = tensor<8x16xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>
!s = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// An expensive value that a sum and a store use has a buffer; a cheap one, and one that is used once, have none.
// CHECK-LABEL: tile.kernel @reused
// CHECK:         arith.addf
// CHECK-NOT:     tilewright
// CHECK:         math.exp {{.*}} {tilewright.materialize = "reused"}
// CHECK:         arith.mulf
// CHECK-NOT:     tilewright
// CHECK:         math.sqrt
// CHECK-NOT:     tilewright
tile.kernel @reused(%x: !x, %y: !y, %s: !s, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ii = tile.index %i : !si -> !ii
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
      %d = arith.addf %v, %v : !ij
      %e = math.exp %d : !ij
      %r = tile.reduce add %e over (%j) : !ij, !sj -> !i
      %f = arith.mulf %e, %d : !ij
      %g = math.sqrt %f : !ij
      tile.store %g, %y[%ii, %ji] spans(%i, %j) compare [false, false] : !ij, !y, (!ii, !ji), spans(!si, !sj)
      tile.store %r, %s[%ii] spans(%i) compare [false] : !i, !s, (!ii), spans(!si)
    }
  }
}

// -----

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 16>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<16xi64, #tile.axes<"j">>
!i = tensor<8xf32, #tile.axes<"i">>
!ij = tensor<8x16xf32, #tile.axes<"i", "j">>
!s = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// An expensive value that is repeated along a new axis is computed once, in its own axes.
// CHECK-LABEL: tile.kernel @repeated
// CHECK:         math.rsqrt {{.*}} {tilewright.materialize = "reused"} : tensor<8xf32
// CHECK:         tile.broadcast
// CHECK-NOT:     tilewright
tile.kernel @repeated(%s: !s, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ii = tile.index %i : !si -> !ii
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %s[%ii] spans(%i) compare [false] : !s, (!ii), spans(!si) -> !i
      %r = math.rsqrt %v : !i
      %b = tile.broadcast %r : !i -> !ij
      tile.store %b, %y[%ii, %ji] spans(%i, %j) compare [false, false] : !ij, !y, (!ii, !ji), spans(!si, !sj)
    }
  }
}

// -----

!si = !tile.span<"i", 8>
!sk = !tile.span<"k", 16>
!sj = !tile.span<"j", 8>
!ii = tensor<8xi64, #tile.axes<"i">>
!ki = tensor<16xi64, #tile.axes<"k">>
!ji = tensor<8xi64, #tile.axes<"j">>
!ik = tensor<8x16xf32, #tile.axes<"i", "k">>
!jk = tensor<8x16xf32, #tile.axes<"j", "k">>
!ij = tensor<8x8xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// A product adds in the buffer that the loop carries. Its operand has a buffer unless it is a plain part of a view.
// CHECK-LABEL: tile.kernel @product
// CHECK:         tile.load
// CHECK-NOT:     tilewright
// CHECK:         tile.load
// CHECK-NOT:     tilewright
// CHECK:         arith.mulf {{.*}} {tilewright.materialize = "dot operand"}
// CHECK:         tile.dot {{.*}} {tilewright.into = array<i64: 0>}
tile.kernel @product(%x: !x, %w: !x, %y: !y, %M: i64, %N: i64, %K: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !ij
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ii = tile.index %i : !si -> !ii
      %ji = tile.index %j : !sj -> !ji
      %r = tile.for "k" %k : !sk in %c0 to %K carries (%sum = %zero) : !ij {
        %ki = tile.index %k : !sk -> !ki
        %a = tile.load %x[%ii, %ki] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
        %b = tile.load %w[%ji, %ki] spans(%j, %k) compare [false, false] : !x, (!ji, !ki), spans(!sj, !sk) -> !jk
        %c = arith.mulf %b, %b : !jk
        %n = tile.dot %a, %c, %sum over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %n : !ij
      }
      tile.store %r, %y[%ii, %ji] spans(%i, %j) compare [false, false] : !ij, !y, (!ii, !ji), spans(!si, !sj)
    }
  }
}

// -----

!si = !tile.span<"i", 8>
!sk = !tile.span<"k", 16>
!ii = tensor<8xi64, #tile.axes<"i">>
!ki = tensor<16xi64, #tile.axes<"k">>
!k = tensor<16xf32, #tile.axes<"k">>
!ik = tensor<8x16xf32, #tile.axes<"i", "k">>
!i = tensor<8xf32, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// A constant operand is filled in where its axes' spans are known, not at the top of the kernel.
// CHECK-LABEL: tile.kernel @constant_operand
// CHECK:         tile.for "k"
// CHECK:           tile.load
// CHECK:           %[[ONE:.+]] = arith.constant {tilewright.materialize = "dot operand"} dense<1.000000e+00>
// CHECK:           tile.dot %{{.+}}, %[[ONE]], %{{.+}}
tile.kernel @constant_operand(%x: !x, %y: !y, %M: i64, %K: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !i
  %one = arith.constant dense<1.0> : !k
  tile.parallel "i" %i : !si in %c0 to %M {
    %ii = tile.index %i : !si -> !ii
    %r = tile.for "k" %k : !sk in %c0 to %K carries (%sum = %zero) : !i {
      %ki = tile.index %k : !sk -> !ki
      %a = tile.load %x[%ii, %ki] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
      %n = tile.dot %a, %one, %sum over (%k) : !ik, !k, !sk -> !i
      tile.yield %n : !i
    }
    tile.store %r, %y[%ii] spans(%i) compare [false] : !i, !y, (!ii), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!sk = !tile.span<"k", 8>
!ii = tensor<8xi64, #tile.axes<"i">>
!ki = tensor<8xi64, #tile.axes<"k">>
!ik = tensor<8x8xf32, #tile.axes<"i", "k">>
!i = tensor<8xf32, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// A product may not write over the old sum if the iteration still reads that afterwards.
// CHECK-LABEL: tile.kernel @old_sum_needed
// CHECK:         tile.dot
// CHECK-NOT:     tilewright.into
tile.kernel @old_sum_needed(%x: !x, %v: !y, %y: !y, %M: i64, %K: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !i
  tile.parallel "i" %i : !si in %c0 to %M {
    %ii = tile.index %i : !si -> !ii
    %r:2 = tile.for "k" %k : !sk in %c0 to %K carries (%sum = %zero, %previous = %zero) : !i, !i {
      %ki = tile.index %k : !sk -> !ki
      %a = tile.load %x[%ii, %ki] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
      %n = tile.dot %a, %a, %sum over (%k) : !ik, !ik, !sk -> !i
      tile.yield %n, %sum : !i, !i
    }
    %s = arith.addf %r#0, %r#1 : !i
    tile.store %s, %y[%ii] spans(%i) compare [false] : !i, !y, (!ii), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!ii = tensor<8xi64, #tile.axes<"i">>
!i = tensor<8xf32, #tile.axes<"i">>
!a = !tile.view<element = f32, dims = ["M"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// A load that is used after its view was written is read before; the store's own value is not.
// CHECK-LABEL: tile.kernel @overwritten
// CHECK:         tile.load %a{{.*}} {tilewright.materialize = "overwritten"}
// CHECK:         tile.load %b
// CHECK-NOT:     tilewright
tile.kernel @overwritten(%a: !a, %b: !a, %y: !y, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %ii = tile.index %i : !si -> !ii
    %v = tile.load %a[%ii] spans(%i) compare [false] : !a, (!ii), spans(!si) -> !i
    %d = arith.addf %v, %v : !i
    tile.store %d, %a[%ii] spans(%i) compare [false] : !i, !a, (!ii), spans(!si)
    tile.store %v, %y[%ii] spans(%i) compare [false] : !i, !y, (!ii), spans(!si)
    %w = tile.load %b[%ii] spans(%i) compare [false] : !a, (!ii), spans(!si) -> !i
    %e = arith.addf %w, %w : !i
    tile.store %e, %b[%ii] spans(%i) compare [false] : !i, !a, (!ii), spans(!si)
  }
}

// -----

!si = !tile.span<"i", 8>
!ii = tensor<8xi64, #tile.axes<"i">>
!i = tensor<8xf32, #tile.axes<"i">>
!a = !tile.view<element = f32, dims = ["M"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// An inout view is read as it was at launch, also by a load that stands after the store.
// CHECK-LABEL: tile.kernel @read_after_written
// CHECK:         tile.load %a{{.*}} {tilewright.materialize = "overwritten"}
// CHECK:         tile.store %{{.+}}, %a
// CHECK:         tile.store %{{.+}}, %y
tile.kernel @read_after_written(%a: !a, %y: !y, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !i
  tile.parallel "i" %i : !si in %c0 to %M {
    %ii = tile.index %i : !si -> !ii
    tile.store %zero, %a[%ii] spans(%i) compare [false] : !i, !a, (!ii), spans(!si)
    %v = tile.load %a[%ii] spans(%i) compare [false] : !a, (!ii), spans(!si) -> !i
    tile.store %v, %y[%ii] spans(%i) compare [false] : !i, !y, (!ii), spans(!si)
  }
}
