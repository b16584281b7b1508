// Loops with several products: steps that are counted on, turns of warpgroups, pairs that are carried, rows that are cleared.
// RUN: tile-opt %s -assign-layouts=capability=90 -cse -specialize-loops -cse -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse | FileCheck %s

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


// The number of steps goes from tile to tile; what is not there is cleared by all threads of the group, who meet behind a proxy fence.
// CHECK-LABEL: llvm.func @in_place(
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[STEPS:.*]] = %c0_i64) -> (i64, i64)
// CHECK:           scf.for
// CHECK:             "wgmma.wait_group.sync.aligned 0;"
// CHECK:             %[[IS_PARTIAL:.*]] = arith.cmpi slt, %[[LENGTH:.*]], %c64_i32
// CHECK:             scf.if %[[IS_PARTIAL]] {
// CHECK:               %[[ROWS:.*]] = arith.muli %[[LENGTH]], %c128_i32
// CHECK:               scf.for %{{.*}} = %{{.*}} to %c8192_i32 step %c4096_i32
// CHECK:                 llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK:               nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK:               nvvm.barrier id = %{{.*}} number_of_threads = %c256_i32
// CHECK:             "llvm.nvvm.ff2bf16x2.rn"
// CHECK:             nvvm.wgmma.fence.aligned
// CHECK:             "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK:         nvvm.setmaxregister decrease 32
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[STEPS:.*]] = %c0_i64) -> (i64, i64)
// CHECK:           scf.yield %{{.*}}, %{{.*}} : i64, i64
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

// The last warpgroup passes the first turn; a barrier for each, where it waits and the other arrives.
// CHECK-LABEL: llvm.func @in_turns(
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:         %[[WARPGROUP:.*]] = arith.shrui %{{.*}}, %c2_i32
// CHECK:         %[[OWN:.*]] = arith.addi %[[WARPGROUP]], %c8_i32
// CHECK:         %[[IS_LAST:.*]] = arith.cmpi eq, %[[WARPGROUP]], %c1_i32
// CHECK-NEXT:    scf.if %[[IS_LAST]] {
// CHECK:           %[[OTHER:.*]] = arith.subi %c17_i32, %[[OWN]]
// CHECK-NEXT:      llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%[[OTHER]], %c256_i32)
// CHECK:         scf.for
// CHECK:           scf.if {{.*}} -> (f32
// CHECK:             nvvm.barrier id = %[[OWN]] number_of_threads = %c256_i32
// CHECK:             nvvm.wgmma.fence.aligned
// CHECK:             "llvm.nvvm.barrier.cta.arrive.aligned.count"
// The words are carried as 32-bit integers, 16 of a thread's 32 elements.
// CHECK:             scf.for {{.*}} -> ({{(f32, )+(i32, )+}}i64)
// CHECK:               nvvm.barrier id = %[[OWN]] number_of_threads = %c256_i32
// CHECK:               nvvm.wgmma.commit.group.sync.aligned
// CHECK:               llvm.bitcast %{{.*}} : i32 to vector<2xbf16>
// CHECK:               nvvm.wgmma.commit.group.sync.aligned
// CHECK:               "wgmma.wait_group.sync.aligned 1;"
// CHECK:               "wgmma.wait_group.sync.aligned 0;"
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

// Equal elements of an accumulator get registers of their own before the fence.
// CHECK-LABEL: llvm.func @bias(
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "", "=f,
// CHECK:         nvvm.wgmma.fence.aligned
tile.kernel @bias(%q: !q, %k: !k, %v: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 attributes {tilegpu.loops = "in_turns", tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 3, registers = [32, 232], prepares = false>} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "i" %i : !si in %c0 to %M {
    %zero = arith.constant dense<0.0> : !acc
    %low = arith.constant dense<0.0> : !it
    %ti = tile.index %i : !si -> !i
    %b = tile.cast %ti : !i -> tensor<128xf32, #tile.axes<"i">>
    %wide = tile.broadcast %b : tensor<128xf32, #tile.axes<"i">> -> !it
    %td = tile.index %d : !sd -> !d
    %p = tile.load %q[%ti, %td] spans(%i, %d) compare [false, false] : !q, (!i, !d), spans(!si, !sd) -> !id
    %r = tile.for "t" %t : !st in %c0 to %N carries (%acc = %zero) : !acc attributes {tilegpu.whole_spans} {
      %tt = tile.index %t : !st -> !t
      %kt = tile.load %k[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %vt = tile.load %v[%tt, %td] spans(%t, %d) compare [false, false] : !k, (!t, !d), spans(!st, !sd) -> !td
      %s = tile.dot %p, %kt, %wide over (%d) : !id, !td, !sd -> !it
      %pos = arith.maximumf %s, %low : !it
      %n = tile.cast %pos : !it -> !itb
      %a = tile.dot %n, %vt, %acc over (%t) : !itb, !td, !st -> !acc
      tile.yield %a : !acc
    }
    %y = tile.cast %r : !acc -> !id
    tile.store %y, %o[%ti, %td] spans(%i, %d) compare [false, false] : !id, !o, (!i, !d), spans(!si, !sd)
  }
}

// The innermost axis from its end: the number of a tile over the product of all others' counts says how far before it, the rest is theirs.
// CHECK-LABEL: llvm.func @longest_first(
// CHECK:         %[[LAST:.*]] = arith.subi %{{.*}}, %c1_i32 : i32
// CHECK-NEXT:    %[[BEFORE:.*]] = arith.divui %[[TILE:.*]], %[[HEADS:.*]] : i32
// CHECK-NEXT:    arith.subi %[[LAST]], %[[BEFORE]] : i32
// CHECK-NEXT:    arith.remui %[[TILE]], %[[HEADS]] : i32
tile.kernel @longest_first(%o: !o, %M: i64, %D: i64) dimensions = 2 attributes {tilegpu.longest_first} {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "h" %h : i64 in %c0 to %D {
    tile.parallel "i" %i : !si in %c0 to %M {
      %one = arith.constant dense<1.0> : tensor<128xbf16, #tile.axes<"i">>
      %ti = tile.index %i : !si -> !i
      tile.store %one, %o[%ti, %h] spans(%i) compare [false, false] : tensor<128xbf16, #tile.axes<"i">>, !o, (!i, i64), spans(!si)
    }
  }
}
