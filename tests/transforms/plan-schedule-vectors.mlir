// Which vectors along the columns come by tensor copies; none where threads are asked to load or prepare them.
// RUN: tile-opt %s -split-input-file -plan-schedule=shared-bytes=232448 | FileCheck %s
// RUN: tile-opt %s -split-input-file "-plan-schedule=shared-bytes=232448 schedule=vectors=loaded" | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -split-input-file "-plan-schedule=shared-bytes=232448 schedule=vectors=prepared" | FileCheck %s --check-prefix=NONE

// NONE-NOT: tile.load {{.*}}tilegpu.tensor_copy

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
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
!v = tensor<112xbf16, #tile.axes<"j">>
!vf = tensor<112xf32, #tile.axes<"j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// A vector along the columns.
// CHECK-LABEL: tile.kernel @bias(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r{{.*}} {tilegpu.tensor_copy}
tile.kernel @bias(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%tj] spans(%j) compare [false] : !r, (!j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
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
!v = tensor<112xf32, #tile.axes<"j">>
!vf = tensor<112xf32, #tile.axes<"j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Of 32 bits.
// CHECK-LABEL: tile.kernel @wide(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r{{.*}} {tilegpu.tensor_copy}
tile.kernel @wide(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%tj] spans(%j) compare [false] : !r, (!j), spans(!sj) -> !v
      %bf = tile.broadcast %l : !v -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["B", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
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
!v = tensor<112xbf16, #tile.axes<"j">>
!vf = tensor<112xf32, #tile.axes<"j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// One row of a view.
// CHECK-LABEL: tile.kernel @row_of_view(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r{{.*}} {tilegpu.tensor_copy}
tile.kernel @row_of_view(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %l = tile.load %r[%b, %tj] spans(%j) compare [false, false] : !r, (i64, !j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f8E4M3FN, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
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
!v = tensor<112xf8E4M3FN, #tile.axes<"j">>
!vf = tensor<112xf32, #tile.axes<"j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// Elements of other types.
// CHECK-LABEL: tile.kernel @bytes(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store
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
      %l = tile.load %r[%tj] spans(%j) compare [false] : !r, (!j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
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
!v = tensor<112xbf16, #tile.axes<"j">>
!vf = tensor<112xf32, #tile.axes<"j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// It does not begin at 16 bytes.
// CHECK-LABEL: tile.kernel @unaligned(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store
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
      %l = tile.load %r[%tj] spans(%j) compare [false] : !r, (!j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["P"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
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
!v = tensor<112xbf16, #tile.axes<"j">>
!vf = tensor<112xf32, #tile.axes<"j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// It has more than the columns.
// CHECK-LABEL: tile.kernel @part(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store
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
      %l = tile.load %r[%tj] spans(%j) compare [false] : !r, (!j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 16>
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
!v = tensor<112xbf16, #tile.axes<"j">>
!vf = tensor<112xf32, #tile.axes<"j">>
!n = tensor<128x112xbf16, #tile.axes<"i", "j">>

// The kernel writes it, too.
// CHECK-LABEL: tile.kernel @written(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4
// CHECK:         tile.load %r[
// CHECK-NOT:     tilegpu.tensor_copy
// CHECK:         tile.store
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
      %l = tile.load %r[%tj] spans(%j) compare [false] : !r, (!j), spans(!sj) -> !v
      %f = tile.cast %l : !v -> !vf
      %bf = tile.broadcast %f : !vf -> !ij
      %a = arith.addf %sum, %bf : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
