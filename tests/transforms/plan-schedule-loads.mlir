// Which tiles that meet the product are brought by tensor copies.
// RUN: tile-opt %s -split-input-file -plan-schedule=shared-bytes=232448 | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xbf16, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// A tile like the result, of a view that tensor copies can take.
// CHECK-LABEL: tile.kernel @residual(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r{{.*}} {tilegpu.tensor_copy}
tile.kernel @residual(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xf16, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Of another type of 16 bits.
// CHECK-LABEL: tile.kernel @f16(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r{{.*}} {tilegpu.tensor_copy}
tile.kernel @f16(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["B", "M", "N"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xbf16, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// A box has one index along dimensions without an axis.
// CHECK-LABEL: tile.kernel @batch(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r{{.*}} {tilegpu.tensor_copy}
tile.kernel @batch(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%b, %ti, %tj] spans(%i, %j) compare [false, false, false] : !r, (i64, !i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xf32, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Of 32 bits.
// CHECK-LABEL: tile.kernel @f32(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r{{.*}} {tilegpu.tensor_copy}
tile.kernel @f32(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f8E4M3FN, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xf8E4M3FN, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Pieces are of elements of 16 or 32 bits.
// CHECK-LABEL: tile.kernel @bytes(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @bytes(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 8>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xbf16, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Rows that do not begin with whole 16 bytes.
// CHECK-LABEL: tile.kernel @unaligned(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @unaligned(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = inout, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xbf16, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// A view that the kernel writes, too.
// CHECK-LABEL: tile.kernel @written(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @written(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xbf16, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// What is outside has a value of its own.
// CHECK-LABEL: tile.kernel @compared(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @compared(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %one = arith.constant dense<1.0> : !l
      %l = tile.load %r[%ti, %tj] spans(%i, %j) else %one compare [false, true] : !r, (!i, !j), spans(!si, !sj) else !l -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["P", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xbf16, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// The view has rows beyond the tile's last one.
// CHECK-LABEL: tile.kernel @part(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @part(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 100>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<100xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<100x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x100xf32, #tile.axes<"i", "j">>
!l = tensor<128x100xbf16, #tile.axes<"i", "j">>
!n = tensor<128x100xbf16, #tile.axes<"i", "j">>

// What a box brings beyond the tile would be in its padding.
// CHECK-LABEL: tile.kernel @padded(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store
tile.kernel @padded(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["B", "M", "N"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 112>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<112xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<112x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x112xf32, #tile.axes<"i", "j">>
!l = tensor<128x112xbf16, #tile.axes<"i", "j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Where the tile is is known only behind the product.
// CHECK-LABEL: tile.kernel @late(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @late(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %late = arith.muli %b, %b : i64
      %l = tile.load %r[%late, %ti, %tj] spans(%i, %j) compare [false, false, false] : !r, (i64, !i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
