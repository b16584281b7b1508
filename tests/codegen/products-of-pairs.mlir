// A product of two numbers of 16 bits that is rounded to 16 bits is formed in pairs; of what f32 alone can hold it is not.
// RUN: tile-opt %s -plan-schedule -assign-layouts=capability=90 -cse -specialize-warps -cse -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!bik = tensor<64x64xi1, #tile.axes<"i", "k">>
!fik = tensor<64x64xf32, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// relu's slope is a comparison.
// CHECK-LABEL: llvm.func @relu(
// CHECK:         %[[SLOPE:.*]] = llvm.inline_asm {{.*}}"set.gt.bf16x2.bf16x2 $0, $1, $2;"
// CHECK:         %[[PAIR:.*]] = llvm.bitcast %[[SLOPE]] : i32 to vector<2xbf16>
// CHECK:         llvm.fmul %{{.*}}, %[[PAIR]] : vector<2xbf16>
// CHECK-NOT:     ff2bf16x2
// CHECK:         wgmma.mma_async
tile.kernel @relu(%x: !x, %z: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %start = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %start) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %f = tile.cast %p : !ik -> !fik
        %g = tile.cast %r : !ik -> !fik
        %zero = arith.constant dense<0.0> : !fik
        %one = arith.constant dense<1.0> : !fik
        %two = arith.constant dense<2.0> : !fik
        %tenth = arith.constant dense<0.1> : !fik
        %m = arith.cmpf ogt, %g, %zero : !fik
        %s = arith.select %m, %one, %zero : !bik, !fik
        %c = arith.mulf %f, %s : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// Twice a number is one of bf16.
// CHECK-LABEL: llvm.func @squared(
// CHECK:         %[[MAX:.*]] = llvm.intr.maximum(%{{.*}}, %{{.*}}) : (vector<2xbf16>, vector<2xbf16>) -> vector<2xbf16>
// CHECK:         %[[TWICE:.*]] = llvm.fmul %[[MAX]], %{{.*}} : vector<2xbf16>
// CHECK:         llvm.fmul %{{.*}}, %[[TWICE]] : vector<2xbf16>
// CHECK-NOT:     ff2bf16x2
// CHECK:         wgmma.mma_async
tile.kernel @squared(%x: !x, %z: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %start = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %start) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %f = tile.cast %p : !ik -> !fik
        %g = tile.cast %r : !ik -> !fik
        %zero = arith.constant dense<0.0> : !fik
        %one = arith.constant dense<1.0> : !fik
        %two = arith.constant dense<2.0> : !fik
        %tenth = arith.constant dense<0.1> : !fik
        %m = arith.maximumf %g, %zero : !fik
        %s = arith.mulf %m, %two : !fik
        %c = arith.mulf %f, %s : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// A sum, a product with a tenth, and one of three numbers are f32's.
// CHECK-LABEL: llvm.func @others(
// CHECK-NOT:     llvm.fmul
// CHECK:         ff2bf16x2
tile.kernel @others(%x: !x, %z: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %start = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %start) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %f = tile.cast %p : !ik -> !fik
        %g = tile.cast %r : !ik -> !fik
        %zero = arith.constant dense<0.0> : !fik
        %one = arith.constant dense<1.0> : !fik
        %two = arith.constant dense<2.0> : !fik
        %tenth = arith.constant dense<0.1> : !fik
        %m = arith.mulf %g, %tenth : !fik
        %s = arith.mulf %g, %f : !fik
        %b = arith.mulf %s, %f : !fik
        %c = arith.addf %b, %m : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// A tenth is no number of bf16.
// CHECK-LABEL: llvm.func @tenth(
// CHECK-NOT:     llvm.fmul
// CHECK:         ff2bf16x2
tile.kernel @tenth(%x: !x, %z: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %start = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %start) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %f = tile.cast %p : !ik -> !fik
        %g = tile.cast %r : !ik -> !fik
        %zero = arith.constant dense<0.0> : !fik
        %one = arith.constant dense<1.0> : !fik
        %two = arith.constant dense<2.0> : !fik
        %tenth = arith.constant dense<0.1> : !fik
        %s = arith.maximumf %g, %tenth : !fik
        %c = arith.mulf %f, %s : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: llvm.func @three(
// CHECK-NOT:     llvm.fmul
// CHECK:         ff2bf16x2
tile.kernel @three(%x: !x, %z: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %start = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %start) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %r = tile.load %z[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %f = tile.cast %p : !ik -> !fik
        %g = tile.cast %r : !ik -> !fik
        %zero = arith.constant dense<0.0> : !fik
        %one = arith.constant dense<1.0> : !fik
        %two = arith.constant dense<2.0> : !fik
        %tenth = arith.constant dense<0.1> : !fik
        %s = arith.mulf %g, %f : !fik
        %c = arith.mulf %s, %f : !fik
        %a = tile.cast %c : !fik -> !ik
        %d = tile.dot %a, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
