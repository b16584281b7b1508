// Loads become asynchronous copies. A multiprocessor of 30,000 bytes has room for two blocks with three stages of 4 KiB.
// RUN: tile-opt %s -split-input-file -assign-layouts -plan-pipeline="multiprocessor-bytes=30000" -expand-pipeline -cse | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 32>
!sj = !tile.span<"j", 32>
!sk = !tile.span<"k", 32>
!i = tensor<32xi64, #tile.axes<"i">>
!j = tensor<32xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<32x32xbf16, #tile.axes<"i", "k">>
!jk = tensor<32x32xbf16, #tile.axes<"j", "k">>
!ij = tensor<32x32xf32, #tile.axes<"i", "j">>

// Three stages. Before the loop the copies of iterations 0 and 1 start, each into its stage, a group for each; in iteration t, when
// group t is done, those of iteration t + 2 into stage (t - 1) mod 3. What an iteration beyond the range copies does not exist. The
// loop carries the number of its stage; after it nothing is under way.
// CHECK-LABEL: tile.kernel @both(
// CHECK:         %[[X:.+]] = tilegpu.alloc : <tensor<32x32xbf16, #tile.axes<"i", "k">>, contiguous = 1, swizzle = 64, stages = 3>
// CHECK-NEXT:    %[[W:.+]] = tilegpu.alloc : <tensor<32x32xbf16, #tile.axes<"j", "k">>, contiguous = 1, swizzle = 64, stages = 3>
// CHECK:         %[[FIRST:.+]] = tilegpu.span_at %[[LOW:.+]] to %K : <"k", 32>
// CHECK-NEXT:    %[[EXISTS:.+]] = arith.cmpi slt, %[[LOW]], %K
// CHECK:         %[[TI:.+]] = tile.index %i
// CHECK:         %[[TK:.+]] = tile.index %[[FIRST]]
// CHECK:         %[[X0:.+]] = tilegpu.stage %[[X]][%{{.+}}] {tilegpu.step = 0 : i64}
// CHECK:         tilegpu.async_load %x[%[[TI]], %[[TK]]] spans(%i, %[[FIRST]]) if %[[EXISTS]] into %[[X0]] layout
// CHECK:         %[[W0:.+]] = tilegpu.stage %[[W]][%{{.+}}] {tilegpu.step = 0 : i64}
// CHECK:         tilegpu.async_load %w[{{.*}}] spans(%j, %[[FIRST]]) if %[[EXISTS]] into %[[W0]] layout
// CHECK-NEXT:    tilegpu.async_commit
// CHECK:         %[[AT:.+]] = arith.addi %[[LOW]], %c32_i64
// CHECK:         %[[SECOND:.+]] = tilegpu.span_at %[[AT]] to %K
// CHECK:         %[[X1:.+]] = tilegpu.stage %[[X]][%{{.+}}] {tilegpu.step = 1 : i64}
// CHECK:         tilegpu.async_load %x[{{.*}}] spans(%i, %[[SECOND]]) {{.*}} into %[[X1]] layout
// CHECK:         tilegpu.async_load %w[{{.*}}] spans(%j, %[[SECOND]])
// CHECK-NEXT:    tilegpu.async_commit
// CHECK-NOT:     async
// CHECK:         %[[RESULTS:.+]]:2 = tile.for "k" %k: {{.*}} carries (%[[ACC:.+]] = %{{.+}}, %[[STAGE:.+]] = %{{.+}}) : tensor<32x32xf32, {{.*}}>, i64 {
// CHECK-NEXT:      tilegpu.async_wait 1
// CHECK:           %[[START:.+]] = tile.span_start %k
// CHECK:           %[[ISFIRST:.+]] = arith.cmpi eq, %[[STAGE]], %c0_i64
// CHECK:           %[[BEFORE:.+]] = arith.addi %[[STAGE]], %c-1_i64
// CHECK:           %[[FREE:.+]] = arith.select %[[ISFIRST]], %c2_i64, %[[BEFORE]]
// CHECK:           %[[LATER:.+]] = arith.addi %[[START]], %c64_i64
// CHECK:           %[[SPAN:.+]] = tilegpu.span_at %[[LATER]] to %K
// CHECK-NEXT:      %[[GOESON:.+]] = arith.cmpi slt, %[[LATER]], %K
// CHECK:           %[[X2:.+]] = tilegpu.stage %[[X]][%[[FREE]]] {tilegpu.step = 2 : i64}
// CHECK:           tilegpu.async_load %x[{{.*}}] spans(%i, %[[SPAN]]) if %[[GOESON]] into %[[X2]] layout
// CHECK:           tilegpu.async_load %w[{{.*}}] spans(%j, %[[SPAN]]) if %[[GOESON]]
// CHECK-NEXT:      tilegpu.async_commit
// CHECK-NOT:       tile.load
// CHECK-NOT:       store_shared
// CHECK:           %[[P:.+]] = tilegpu.stage %[[X]][%[[STAGE]]] {tilegpu.step = 0 : i64}
// CHECK:           %[[Q:.+]] = tilegpu.stage %[[W]][%[[STAGE]]] {tilegpu.step = 0 : i64}
// CHECK:           %[[D:.+]] = tilegpu.dot mma %[[P]], %[[Q]], %[[ACC]]
// CHECK:           %[[NEXT:.+]] = arith.addi %[[STAGE]], %c1_i64
// CHECK:           %[[ISBEYOND:.+]] = arith.cmpi eq, %[[NEXT]], %c3_i64
// CHECK:           %[[WRAPPED:.+]] = arith.select %[[ISBEYOND]], %c0_i64, %[[NEXT]]
// CHECK:           tile.yield %[[D]], %[[WRAPPED]]
// CHECK:         tilegpu.async_wait 0
// CHECK-NOT:     async
// CHECK:         tile.store %[[RESULTS]]#0
tile.kernel @both(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 2>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 32>
!sj = !tile.span<"j", 32>
!sk = !tile.span<"k", 32>
!i = tensor<32xi64, #tile.axes<"i">>
!j = tensor<32xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<32x32xbf16, #tile.axes<"i", "k">>
!jk = tensor<32x32xbf16, #tile.axes<"j", "k">>
!ij = tensor<32x32xf32, #tile.axes<"i", "j">>

// One operand is not copied: it is loaded in its own iteration, and has a buffer without stages in the loop.
// CHECK-LABEL: tile.kernel @one(
// CHECK:         tilegpu.alloc : {{.*}} stages = 4>
// CHECK-COUNT-3: tilegpu.async_commit
// CHECK:         tile.for
// CHECK-NEXT:      tilegpu.async_wait 2
// CHECK:           tilegpu.async_load %w
// CHECK-NOT:       tilegpu.async_load
// CHECK:           %[[A:.+]] = tile.load %x
// CHECK:           %[[P:.+]] = tilegpu.alloc : {{.*}} stages = 1>
// CHECK-NEXT:      tilegpu.store_shared %[[A]], %[[P]]
// CHECK:           tilegpu.dot mma %[[P]], %
tile.kernel @one(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 32>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<64x32xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x32xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>

// Two stages, the fewest: the group of an iteration must be done, and one is under way.
// CHECK-LABEL: tile.kernel @two(
// CHECK-COUNT-1: tilegpu.async_commit
// CHECK-NOT:     tilegpu.async_commit
// CHECK:         tile.for
// CHECK-NEXT:      tilegpu.async_wait 0
// CHECK:           arith.select %{{.+}}, %c1_i64, %
tile.kernel @two(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 32>
!sj = !tile.span<"j", 32>
!sk = !tile.span<"k", 32>
!i = tensor<32xi64, #tile.axes<"i">>
!j = tensor<32xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<32x32xbf16, #tile.axes<"i", "k">>
!jk = tensor<32x32xbf16, #tile.axes<"j", "k">>
!ij = tensor<32x32xf32, #tile.axes<"i", "j">>

// A loop that plan-pipeline left alone.
// CHECK-LABEL: tile.kernel @none(
// CHECK-NOT:     async
// CHECK:         tile.for "k" {{.*}} carries (%{{[a-z0-9]+}} = %{{[a-z0-9_]+}}) : tensor
// CHECK-NOT:     async
// CHECK:         tile.store
tile.kernel @none(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %M to %K carries (%acc = %zero) : !ij {
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
