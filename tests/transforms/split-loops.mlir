// Loops with several products: first the steps in which all is there and comparisons of indices hold.
// RUN: tile-opt %s -split-loops | FileCheck %s

!q = !tile.view<element = bf16, dims = ["M", "D"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!k = !tile.view<element = bf16, dims = ["N", "D"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!o = !tile.view<element = bf16, dims = ["M", "D"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!st = !tile.span<"t", 64>
!sd = !tile.span<"d", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!t = tensor<64xi64, #tile.axes<"t">>
!d = tensor<64xi64, #tile.axes<"d">>
!id = tensor<128x64xbf16, #tile.axes<"i", "d">>
!td = tensor<64x64xbf16, #tile.axes<"t", "d">>
!it = tensor<128x64xf32, #tile.axes<"i", "t">>
!itb = tensor<128x64xbf16, #tile.axes<"i", "t">>
!acc = tensor<128x64xf32, #tile.axes<"i", "d">>
!iti = tensor<128x64xi64, #tile.axes<"i", "t">>

// CHECK-LABEL: tile.kernel @plain(
// CHECK:         %[[STEPS:.*]] = arith.divui %{{.*}}, %[[C64:.*]] : i64
// CHECK:         %[[MIDDLE:.*]] = arith.muli %[[STEPS]], %[[C64]] : i64
// CHECK:         %[[R:.*]] = tile.for "t" %{{.*}}: !tile.span<"t", 64> in %c0_i64 to %[[MIDDLE]] carries (%{{.*}} = %{{.*}}) : {{.*}} attributes {tilegpu.whole_spans} {
// CHECK:         tile.for "t" %{{.*}}: !tile.span<"t", 64> in %[[MIDDLE]] to %N carries (%{{.*}} = %[[R]]) : {{.*}} {
// CHECK-NOT:     tilegpu.whole_spans
tile.kernel @plain(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "in_turns"} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %r = tile.for "t" %t : !st in %c0 to %N carries (%acc = %zero) : !acc {
      %tt = tile.index %t : !st -> !t
      %kt = tile.load %k[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %low over (%d) : !id, !td, !sd -> !it
      %pos = arith.maximumf %s, %low : !it
      %n = tile.cast %pos : !it -> !itb
      %a = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// t <= i + shift holds up to i.start + shift + 1.
// CHECK-LABEL: tile.kernel @causal(
// CHECK:         %[[START:.*]] = tile.span_start %i
// CHECK:         %[[ONE:.*]] = arith.addi %[[START]], %c1_i64 : i64
// CHECK:         arith.addi %[[ONE]], %shift : i64
// CHECK:         %[[MIDDLE:.*]] = arith.minsi
// CHECK:         tile.for "t" %{{.*}} in %c0_i64 to %[[MIDDLE]] {{.*}} attributes {tilegpu.whole_spans} {
// CHECK-NOT:       arith.cmpi
// CHECK-NOT:       arith.select
// CHECK:         tile.for "t" %{{.*}} in %[[MIDDLE]] to %N
// CHECK:           arith.cmpi sle
// CHECK:           arith.select
tile.kernel @causal(%q: !q, %k: !k, %v: !k, %o: !o, %shift: i64, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "in_turns"} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %r = tile.for "t" %t : !st in %c0 to %N carries (%acc = %zero) : !acc {
      %tt = tile.index %t : !st -> !t
      %kt = tile.load %k[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %low over (%d) : !id, !td, !sd -> !it
      %wt = tile.broadcast %tt : !t -> !iti
      %off = tile.broadcast %shift : i64 -> !i
      %ii = arith.addi %ti, %off : !i
      %wi = tile.broadcast %ii : !i -> !iti
      %c = arith.cmpi sle, %wt, %wi : !iti
      %pos = arith.select %c, %s, %low : tensor<128x64xi1, #tile.axes<"i", "t">>, !it
      %n = tile.cast %pos : !it -> !itb
      %a = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// i + shift > t the same way, but up to i.start + shift.
// CHECK-LABEL: tile.kernel @strict(
// CHECK:         %[[START:.*]] = tile.span_start %i
// CHECK-NEXT:    arith.addi %[[START]], %shift : i64
// CHECK:         tile.for {{.*}} attributes {tilegpu.whole_spans} {
// CHECK-NOT:       arith.cmpi
// CHECK:           tile.yield
tile.kernel @strict(%q: !q, %k: !k, %v: !k, %o: !o, %shift: i64, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "in_turns"} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %r = tile.for "t" %t : !st in %c0 to %N carries (%acc = %zero) : !acc {
      %tt = tile.index %t : !st -> !t
      %kt = tile.load %k[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %low over (%d) : !id, !td, !sd -> !it
      %wt = tile.broadcast %tt : !t -> !iti
      %off = tile.broadcast %shift : i64 -> !i
      %ii = arith.addi %ti, %off : !i
      %wi = tile.broadcast %ii : !i -> !iti
      %c = arith.cmpi sgt, %wi, %wt : !iti
      %pos = arith.select %c, %s, %low : tensor<128x64xi1, #tile.axes<"i", "t">>, !it
      %n = tile.cast %pos : !it -> !itb
      %a = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// What holds from some step on does not make the first steps plain.
// CHECK-LABEL: tile.kernel @window(
// CHECK:         tile.for {{.*}} attributes {tilegpu.whole_spans} {
// CHECK:           arith.cmpi sge
tile.kernel @window(%q: !q, %k: !k, %v: !k, %o: !o, %shift: i64, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "in_turns"} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %r = tile.for "t" %t : !st in %c0 to %N carries (%acc = %zero) : !acc {
      %tt = tile.index %t : !st -> !t
      %kt = tile.load %k[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %low over (%d) : !id, !td, !sd -> !it
      %wt = tile.broadcast %tt : !t -> !iti
      %off = tile.broadcast %shift : i64 -> !i
      %ii = arith.addi %ti, %off : !i
      %wi = tile.broadcast %ii : !i -> !iti
      %c = arith.cmpi sge, %wt, %wi : !iti
      %pos = arith.select %c, %s, %low : tensor<128x64xi1, #tile.axes<"i", "t">>, !it
      %n = tile.cast %pos : !it -> !itb
      %a = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// CHECK-LABEL: tile.kernel @without_roles(
// CHECK:         tile.for
// CHECK-NOT:     tile.for
tile.kernel @without_roles(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %r = tile.for "t" %t : !st in %c0 to %N carries (%acc = %zero) : !acc {
      %tt = tile.index %t : !st -> !t
      %kt = tile.load %k[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %low over (%d) : !id, !td, !sd -> !it
      %pos = arith.maximumf %s, %low : !it
      %n = tile.cast %pos : !it -> !itb
      %a = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}
