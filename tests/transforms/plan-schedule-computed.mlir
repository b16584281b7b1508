// Products with an operand that is computed on the way: which of them warps with roles form, and how they divide them.
// RUN: tile-opt %s -split-input-file -plan-schedule -verify-diagnostics | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 256>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<256xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!zik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<256x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x256xf32, #tile.axes<"i", "j">>
!n = tensor<128x256xbf16, #tile.axes<"i", "j">>

// Both warpgroups share a tile, and a thread has registers to compute in.
// CHECK-LABEL: tile.kernel @shared(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [24, 240], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @shared(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %a = arith.mulf %p, %r : !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// It may be the dot's right operand, if it is that of the result's rows.
// CHECK-LABEL: tile.kernel @right(
// CHECK-SAME:    groups = 1, warps = 8,
tile.kernel @right(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %a = arith.mulf %p, %r : !ik
        %d = tile.dot %q, %a, %acc over (%k) : !jk, !ik, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// Of vectors, constants and scalars too, which the loop may load.
!v = !tile.view<element = bf16, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 2>
// CHECK-LABEL: tile.kernel @others(
// CHECK-SAME:    groups = 1, warps = 8,
tile.kernel @others(%x: !x, %w: !w, %y: !y, %v: !v, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        %s = tile.load %v[%ti] spans(%i) compare [false] : !v, (!i), spans(!si) -> tensor<128xbf16, #tile.axes<"i">>
        %one = tile.load %v[%c0] compare [false] : !v, (i64) -> bf16
        %two = arith.addf %one, %one : bf16
        %b = tile.broadcast %s : tensor<128xbf16, #tile.axes<"i">> -> !ik
        %o = tile.broadcast %two : bf16 -> !ik
        %c = arith.mulf %b, %p : !ik
        %a = arith.addf %c, %o : !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// The other operand must be there as it is.
// CHECK-LABEL: tile.kernel @columns(
// CHECK-NOT:     tilegpu.
tile.kernel @columns(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the operand of the result's second axis is not loaded as it is in its loop}}
        %a = arith.addf %q, %q : !jk
        %d = tile.dot %p, %a, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @reduced(
// CHECK-NOT:     tilegpu.
tile.kernel @reduced(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its operand is computed by more than elementwise operations}}
        %m = tile.reduce max %r over (%k) : !zik, !sk -> tensor<128xbf16, #tile.axes<"i">>
        %b = tile.broadcast %m : tensor<128xbf16, #tile.axes<"i">> -> !ik
        %a = arith.mulf %p, %b : !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @no_tile(
// CHECK-NOT:     tilegpu.
tile.kernel @no_tile(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its operand is not computed of tiles that are loaded in its loop}}
        %a = arith.constant dense<1.0> : !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 256>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<256xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!zik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<256x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x256xf32, #tile.axes<"i", "j">>
!n = tensor<64x256xbf16, #tile.axes<"i", "j">>

// Of 64 rows each group has a tile of its own.
// CHECK-LABEL: tile.kernel @narrow(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [24, 240], prepares = false>
tile.kernel @narrow(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %a = arith.mulf %p, %r : !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 256>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<256xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<256x64xbf16, #tile.axes<"i", "k">>
!zik = tensor<256x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<256x128xf32, #tile.axes<"i", "j">>
!n = tensor<256x128xbf16, #tile.axes<"i", "j">>

// 128 accumulators and 32 registers of the operand are all that there is room for.
// CHECK-LABEL: tile.kernel @most_registers(
// CHECK-SAME:    groups = 1, warps = 8,
tile.kernel @most_registers(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %a = arith.mulf %p, %r : !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 256>
!sj = !tile.span<"j", 144>
!sk = !tile.span<"k", 64>
!i = tensor<256xi64, #tile.axes<"i">>
!j = tensor<144xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<256x64xbf16, #tile.axes<"i", "k">>
!zik = tensor<256x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<144x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<256x144xf32, #tile.axes<"i", "j">>
!n = tensor<256x144xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @more_registers(
// CHECK-NOT:     tilegpu.
tile.kernel @more_registers(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %a = arith.mulf %p, %r : !ik
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile has 144 accumulators a thread and its computed operand 32 registers, and there is room for 160}}
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 256>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<256xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!zik = tensor<128x64xf32, #tile.axes<"i", "k">>
!jk = tensor<256x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x256xf32, #tile.axes<"i", "j">>
!n = tensor<128x256xbf16, #tile.axes<"i", "j">>

// A tile of f32 takes twice the room.
// CHECK-LABEL: tile.kernel @wide_tiles(
// CHECK-SAME:    groups = 1, warps = 8,
tile.kernel @wide_tiles(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %t = tile.cast %r : !zik -> !ik
        %a = arith.mulf %p, %t : !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f64, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 256>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<256xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!zik = tensor<128x64xf64, #tile.axes<"i", "k">>
!jk = tensor<256x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x256xf32, #tile.axes<"i", "j">>
!n = tensor<128x256xbf16, #tile.axes<"i", "j">>

// Two stages and the staging of its stores are too much.
// CHECK-LABEL: tile.kernel @no_room(
// CHECK-NOT:     tilegpu.
tile.kernel @no_room(%x: !x, %z: !z, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !z, (!i, !k), spans(!si, !sk) -> !zik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %t = tile.cast %r : !zik -> !ik
        %a = arith.mulf %p, %t : !ik
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: 2 stages and what its stores, vectors and reductions need take 263168 bytes of shared memory, and a block has 232448}}
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 256>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<256xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!zik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<256x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x256xf32, #tile.axes<"i", "j">>
!n = tensor<128x256xbf16, #tile.axes<"i", "j">>

// Each tile must be one that tensor copies can take.
!u = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 8>
// CHECK-LABEL: tile.kernel @unaligned(
// CHECK-NOT:     tilegpu.
tile.kernel @unaligned(%x: !x, %z: !z, %w: !w, %y: !y, %u: !u, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `u`: its rows are not known to be aligned to 16 bytes}}
        %s = tile.load %u[%ti, %tk] spans(%i, %k) compare [false, false] : !u, (!i, !k), spans(!si, !sk) -> !ik
        %a = arith.mulf %p, %s : !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
