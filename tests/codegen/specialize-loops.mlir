// Loops with several products by warps with roles: rings, their order, products in their places or a step later.
// RUN: tile-opt %s -assign-layouts=capability=90 -cse -specialize-loops -cse -verify-diagnostics | FileCheck %s

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

// CHECK-LABEL: tile.kernel @in_place(
// CHECK:         %[[Q:.*]] = tilegpu.alloc : <tensor<128x64xbf16, #tile.axes<"i", "d">>, contiguous = 1, swizzle = 128, stages = 2>
// CHECK-NEXT:    %[[QFULL:.*]] = tilegpu.mbarriers arrivals 1 : <2>
// CHECK-NEXT:    %[[QEMPTY:.*]] = tilegpu.mbarriers arrivals 2 : <2>
// CHECK-NEXT:    %[[K:.*]] = tilegpu.alloc : <{{.*}}, stages = 3>
// CHECK-NEXT:    %[[KFULL:.*]] = tilegpu.mbarriers arrivals 1 : <3>
// CHECK-NEXT:    %[[KEMPTY:.*]] = tilegpu.mbarriers arrivals 2 : <3>
// CHECK-NEXT:    %[[V:.*]] = tilegpu.alloc : <{{.*}}, stages = 3>
// CHECK-NEXT:    %[[VFULL:.*]] = tilegpu.mbarriers arrivals 1 : <3>
// CHECK-NEXT:    %[[VEMPTY:.*]] = tilegpu.mbarriers arrivals 2 : <3>
// CHECK:         tilegpu.roles groups 1 registers [32, 232] producer {
// CHECK:           tilegpu.mbarrier_wait %[[QEMPTY]]
// CHECK-NEXT:      tilegpu.mbarrier_arrive %[[QFULL]][%{{.*}}] expecting 16384
// CHECK:           tilegpu.tma_load
// CHECK:           %[[FIRST:.*]] = tilegpu.step_ordinal
// CHECK:           tile.for "t" %[[NUMBER:.*]]: i64 in %{{.*}} to %[[COUNT:.*]] {
// CHECK:             %[[AT:.*]] = arith.addi %[[FIRST]], %[[NUMBER]]
// CHECK:             tilegpu.mbarrier_wait %[[KEMPTY]]
// CHECK-NEXT:        tilegpu.mbarrier_arrive %[[KFULL]][%{{.*}}] expecting 8192
// CHECK:             tilegpu.tma_load
// CHECK:             tilegpu.mbarrier_wait %[[VEMPTY]]
// CHECK-NEXT:        tilegpu.mbarrier_arrive %[[VFULL]][%{{.*}}] expecting 8192
// CHECK:             tilegpu.tma_load
// CHECK:           tilegpu.count_steps %[[COUNT]]
// CHECK:         } consumers {
// CHECK-NOT:       tilegpu.turn
// CHECK:           tilegpu.mbarrier_wait %[[QFULL]]
// CHECK:           %[[RESULT:.*]]:2 = tile.for "t" %[[SPAN:.*]]: !tile.span<"t", 64> in {{.*}} carries (%[[ACC:.*]] = %{{.*}}, %[[STEP:.*]] = %{{.*}})
// CHECK:             tilegpu.mbarrier_wait %[[KFULL]]
// CHECK:             %[[S:.*]] = tilegpu.wgmma %{{.*}}, %{{.*}} : 
// CHECK-NEXT:        %[[SEEN:.*]] = tilegpu.wgmma_wait 0 of %[[S]]
// CHECK-NEXT:        tilegpu.mbarrier_arrive %[[KEMPTY]]
// CHECK:             %[[ABSENT:.*]] = tilegpu.zero_absent %{{.*}} over(%[[SPAN]]) : tensor<128x64xf32
// CHECK-NEXT:        %[[P:.*]] = tile.cast %[[ABSENT]]
// CHECK:             tilegpu.mbarrier_wait %[[VFULL]]
// CHECK:             tilegpu.clear_absent %{{.*}} over %[[SPAN]]
// CHECK:             %[[O:.*]] = tilegpu.wgmma_registers %[[P]], %{{.*}} onto %[[ACC]]
// CHECK-NEXT:        %[[SUM:.*]] = tilegpu.wgmma_wait 0 of %[[O]]
// CHECK-NEXT:        tilegpu.mbarrier_arrive %[[VEMPTY]]
// CHECK:             tile.yield %[[SUM]], %{{.*}}
// CHECK:           tilegpu.mbarrier_arrive %[[QEMPTY]]
// CHECK-NEXT:      tilegpu.count_steps
// CHECK:           tilegpu.tma_store
tile.kernel @in_place(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "in_turns", tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 3, registers = [32, 232], prepares = false>} {
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
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] {tilegpu.cleared} : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %low over (%d) : !id, !td, !sd -> !it
      %pos = arith.maximumf %s, %low : !it
      %n = tile.cast %pos : !it -> !itb
      %a = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] {tilegpu.tensor_copy} : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// All indices exist: the last product is formed beside the next step's computations, and warpgroups take turns.
// CHECK-LABEL: tile.kernel @in_turns(
// CHECK:         } consumers {
// CHECK:           tilegpu.turn_pass warpgroups first
// CHECK:           %[[ANY:.*]] = arith.cmpi ne, %[[COUNT:.*]], %c0_i64
// CHECK:           %[[RESULT:.*]] = scf.if %[[ANY]]
// CHECK:             tilegpu.turn_wait warpgroups
// CHECK:             %[[S:.*]] = tilegpu.wgmma %
// CHECK:             tilegpu.turn_pass warpgroups
// CHECK-NEXT:        tilegpu.wgmma_wait 0 of %[[S]]
// CHECK-NOT:         tilegpu.zero_absent
// CHECK:             %[[WORDS:.*]] = tilegpu.pack_pairs
// CHECK:             %[[LOOP:.*]]:3 = tile.for {{.*}} carries (%[[ACC:.*]] = %{{.*}}, %[[PAIRS:.*]] = %[[WORDS]], %[[BEFORE:.*]] = %{{.*}}) : {{.*}} attributes {tilegpu.whole_spans} {
// CHECK:               tilegpu.turn_wait warpgroups
// CHECK:               %[[S:.*]] = tilegpu.wgmma %
// CHECK:               %[[ROWS:.*]] = tilegpu.unpack_pairs %[[PAIRS]]
// CHECK:               %[[O:.*]] = tilegpu.wgmma_registers %[[ROWS]], %{{.*}} onto %[[ACC]]
// CHECK:               tilegpu.turn_pass warpgroups
// CHECK-NEXT:          %[[SEEN:.*]] = tilegpu.wgmma_wait 1 of %[[S]]
// CHECK-NEXT:          tilegpu.mbarrier_arrive
// CHECK:               %[[NEXT:.*]] = tilegpu.pack_pairs
// CHECK-NEXT:          %[[SUM:.*]] = tilegpu.wgmma_wait 0 of %[[O]]
// CHECK-NEXT:          tilegpu.mbarrier_arrive
// CHECK:               tile.yield %[[SUM]], %[[NEXT]], %{{.*}}
// CHECK:             tilegpu.wgmma_registers %{{.*}}, %{{.*}} onto %[[LOOP]]#0
// CHECK:             scf.yield
// CHECK:           } else {
tile.kernel @in_turns(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "in_turns", tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 3, registers = [32, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %r = tile.for "t" %t : !st in %c0 to %N carries (%acc = %zero) : !acc attributes {tilegpu.whole_spans} {
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

// The accumulator's next value is read in the step: nothing may be late.
// CHECK-LABEL: tile.kernel @read_in_the_step(
// CHECK:         } consumers {
// CHECK:           tilegpu.wgmma_wait 0
// CHECK:           tilegpu.wgmma_wait 0
// CHECK-NOT:       tilegpu.wgmma_wait
tile.kernel @read_in_the_step(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "delayed", tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [32, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %r = tile.for "t" %t : !st in %c0 to %N carries (%acc = %zero) : !acc attributes {tilegpu.whole_spans} {
      %tt = tile.index %t : !st -> !t
      %kt = tile.load %k[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %low over (%d) : !id, !td, !sd -> !it
      %pos = arith.maximumf %s, %low : !it
      %n = tile.cast %pos : !it -> !itb
      %e = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      %a = arith.maximumf %e, %zero : !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// No room for the stages that are asked for.
// CHECK-LABEL: tile.kernel @too_many_stages(
// CHECK-NOT:     tilegpu.loops
// CHECK-NOT:     tilegpu.roles
// CHECK:         tilegpu.dot mma
// CHECK:         tilegpu.dot mma
tile.kernel @too_many_stages(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "in_turns", tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 16, registers = [32, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    // expected-remark @below {{these products are formed by mma.sync, not by wgmma: 16 stages take 262144 bytes of shared memory, and what else the group needs leaves}}
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
