// Which loads of a loop run ahead of it, and how far.
// RUN: tile-opt %s -split-input-file -assign-layouts -plan-pipeline | FileCheck %s
// RUN: tile-opt %s -split-input-file -assign-layouts -plan-pipeline="shared-bytes=8192 multiprocessor-bytes=16384" | FileCheck %s --check-prefix=SMALL

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

// Both operands of a product. A stage is 4 KiB, so four of them leave room for a second block; of 16 KiB, a block may have half
// without what the system takes, which is less than two stages, but two fit.
// CHECK-LABEL: tile.kernel @both(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 4 : i64}
// CHECK:           tile.load %x{{.*}} {tilegpu.pipelined}
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
// SMALL-LABEL: tile.kernel @both(
// SMALL:         tile.for {{.*}} attributes {tilegpu.stages = 2 : i64}
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

// Rows of x begin at multiples of 2 bytes; cp.async copies at least 4.
// CHECK-LABEL: tile.kernel @unaligned(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 4 : i64}
// CHECK:           tile.load %x
// CHECK-NOT:       pipelined
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
tile.kernel @unaligned(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
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

// 4 bytes are enough.
// CHECK-LABEL: tile.kernel @aligned4(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 4 : i64}
// CHECK:           tile.load %x{{.*}} {tilegpu.pipelined}
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
tile.kernel @aligned4(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
!g = !tile.view<element = i64, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!si = !tile.span<"i", 32>
!sj = !tile.span<"j", 32>
!sk = !tile.span<"k", 32>
!i = tensor<32xi64, #tile.axes<"i">>
!j = tensor<32xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<32x32xbf16, #tile.axes<"i", "k">>
!jk = tensor<32x32xbf16, #tile.axes<"j", "k">>
!ij = tensor<32x32xf32, #tile.axes<"i", "j">>

// The rows of x are named by memory: not known of another iteration without a read. (Where they are read before the loop, as here,
// assign-layouts reads them again in it.)
// CHECK-LABEL: tile.kernel @gather(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 4 : i64}
// CHECK:           tile.load %x
// CHECK-NOT:       pipelined
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
tile.kernel @gather(%x: !x, %w: !w, %y: !y, %g: !g, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %rows = tile.load %g[%ti] spans(%i) compare [false] : !g, (!i), spans(!si) -> !i
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%rows, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
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
!g = !tile.view<element = i64, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!si = !tile.span<"i", 32>
!sj = !tile.span<"j", 32>
!sk = !tile.span<"k", 32>
!i = tensor<32xi64, #tile.axes<"i">>
!j = tensor<32xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<32x32xbf16, #tile.axes<"i", "k">>
!jk = tensor<32x32xbf16, #tile.axes<"j", "k">>
!ij = tensor<32x32xf32, #tile.axes<"i", "j">>

// Here each iteration has another row.
// CHECK-LABEL: tile.kernel @gather_inside(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 4 : i64}
// CHECK:           tile.load %x
// CHECK-NOT:       pipelined
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
tile.kernel @gather_inside(%x: !x, %w: !w, %y: !y, %g: !g, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %at = tile.span_start %k : !sk
        %row = tile.load %g[%at] compare [false] : !g, (i64) -> i64
        %all = tile.broadcast %row : i64 -> !i
        %rows = arith.addi %all, %ti : !i
        %p = tile.load %x[%rows, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
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

// What does not exist is not zero.
// CHECK-LABEL: tile.kernel @otherwise(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 4 : i64}
// CHECK:           tile.load %x
// CHECK-NOT:       pipelined
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
tile.kernel @otherwise(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %one = arith.constant 1.0 : bf16
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) else %one compare [false, false] : !x, (!i, !k), spans(!si, !sk) else bf16 -> !ik
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

// The loop starts anywhere, so no vector of its elements is known to be aligned.
// CHECK-LABEL: tile.kernel @start(
// CHECK-NOT:     pipelined
// CHECK-NOT:     tilegpu.stages
// CHECK:         tile.store
tile.kernel @start(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = inout, unit_stride = 1, pack_rank = 1, alignment = 16>
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

// The kernel writes x.
// CHECK-LABEL: tile.kernel @inout(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 4 : i64}
// CHECK:           tile.load %x
// CHECK-NOT:       pipelined
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
tile.kernel @inout(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
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

// The contiguous dimension is not the one along which the buffer is.
// CHECK-LABEL: tile.kernel @column(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 4 : i64}
// CHECK:           tile.load %x
// CHECK-NOT:       pipelined
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
tile.kernel @column(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x128xf32, #tile.axes<"i", "j">>

// Two stages of 2 * 16 KiB are more than a block of the smaller device may have.
// CHECK-LABEL: tile.kernel @large(
// CHECK:         tile.for {{.*}} attributes {tilegpu.stages = 2 : i64}
// CHECK:           tile.load %x{{.*}} {tilegpu.pipelined}
// CHECK:           tile.load %w{{.*}} {tilegpu.pipelined}
// SMALL-LABEL: tile.kernel @large(
// SMALL-NOT:     pipelined
// SMALL-NOT:     tilegpu.stages
// SMALL:         tile.store
tile.kernel @large(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
