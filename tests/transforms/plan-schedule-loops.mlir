// Which loops with products of their steps are computed by warps with roles.
// RUN: tile-opt %s -split-input-file -plan-schedule -verify-diagnostics | FileCheck %s

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

// CHECK-LABEL: tile.kernel @two_products(
// CHECK-SAME:    tilegpu.loops = "in_turns", tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [32, 232], prepares = false>
// CHECK-NOT:     tilegpu.cleared
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @two_products(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
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

// Beyond the loop's end the values go on; rows further down see more of them.
// CHECK-LABEL: tile.kernel @ends_early(
// CHECK-SAME:    tilegpu.longest_first, tilegpu.loops
// CHECK:         tile.load %k{{[^}]*}} :
// CHECK:         tile.load %v{{.*}} {tilegpu.cleared}
tile.kernel @ends_early(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %end = tile.span_end %i : !si
    %last = arith.minsi %N, %end : i64
    %r = tile.for "t" %t : !st in %c0 to %last carries (%acc = %zero) : !acc {
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

// CHECK-LABEL: tile.kernel @computed_from_loads(
// CHECK-NOT:     tilegpu.
tile.kernel @computed_from_loads(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %loaded = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    // expected-remark @below {{this product is formed by mma.sync, not by wgmma: an operand is computed, but not from the rows of another product}}
    %p = arith.negf %loaded : !id
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

// CHECK-LABEL: tile.kernel @used_beside_products(
// CHECK-NOT:     tilegpu.
tile.kernel @used_beside_products(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
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
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: `v` is used beside products too}}
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %low over (%d) : !id, !td, !sd -> !it
      %w = tile.cast %vt : !td -> tensor<64x64xf32, #tile.axes<"t", "d">>
      %b = tile.reduce add %w over (%d) : tensor<64x64xf32, #tile.axes<"t", "d">>, !sd -> tensor<64xf32, #tile.axes<"t">>
      %c = tile.broadcast %b : tensor<64xf32, #tile.axes<"t">> -> !it
      %pos = arith.maximumf %s, %c : !it
      %n = tile.cast %pos : !it -> !itb
      %a = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// CHECK-LABEL: tile.kernel @stores_in_the_loop(
// CHECK-NOT:     tilegpu.
tile.kernel @stores_in_the_loop(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its loop does something else than loads of inputs, products, reductions and elementwise operations}}
        tile.store %p, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// An index of the loop's loads from memory would be the feeding thread's to wait for.
// CHECK-LABEL: tile.kernel @end_from_tiles(
// CHECK-NOT:     tilegpu.
tile.kernel @end_from_tiles(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %f = tile.cast %p : !id -> !acc
    %sum = tile.reduce add %f over (%i, %d) : !acc, !si, !sd -> f32
    %last = tile.cast %sum : f32 -> i64
    // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its loop's range is computed from tiles}}
    %r = tile.for "t" %t : !st in %c0 to %last carries (%acc = %zero) : !acc {
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

// -----

!q = !tile.view<element = bf16, dims = ["M", "D"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!k = !tile.view<element = bf16, dims = ["N", "D"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!o = !tile.view<element = bf16, dims = ["M", "D"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 96>
!st = !tile.span<"t", 64>
!sd = !tile.span<"d", 64>
!i = tensor<96xi64, #tile.axes<"i">>
!t = tensor<64xi64, #tile.axes<"t">>
!d = tensor<64xi64, #tile.axes<"d">>
!id = tensor<96x64xbf16, #tile.axes<"i", "d">>
!td = tensor<64x64xbf16, #tile.axes<"t", "d">>
!it = tensor<96x64xf32, #tile.axes<"i", "t">>
!itb = tensor<96x64xbf16, #tile.axes<"i", "t">>
!acc = tensor<96x64xf32, #tile.axes<"i", "d">>
!iti = tensor<96x64xi64, #tile.axes<"i", "t">>

// CHECK-LABEL: tile.kernel @rows(
// CHECK-NOT:     tilegpu.
tile.kernel @rows(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{its tile has 96 rows, and a group of 1 warpgroups needs a multiple of 64}}
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

// -----

!q = !tile.view<element = bf16, dims = ["M", "D"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!k = !tile.view<element = bf16, dims = ["N", "D"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!o = !tile.view<element = bf16, dims = ["M", "D"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!st = !tile.span<"t", 256>
!sd = !tile.span<"d", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!t = tensor<256xi64, #tile.axes<"t">>
!d = tensor<64xi64, #tile.axes<"d">>
!id = tensor<128x64xbf16, #tile.axes<"i", "d">>
!td = tensor<256x64xbf16, #tile.axes<"t", "d">>
!it = tensor<128x256xf32, #tile.axes<"i", "t">>
!itb = tensor<128x256xbf16, #tile.axes<"i", "t">>
!acc = tensor<128x64xf32, #tile.axes<"i", "d">>
!iti = tensor<128x256xi64, #tile.axes<"i", "t">>

// CHECK-LABEL: tile.kernel @registers(
// CHECK-NOT:     tilegpu.
tile.kernel @registers(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its products have 224 registers a thread, and there is room for 200}}
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
