// Math whose value is rounded to 16 bits or fewer is marked; what something else sees is not.
// RUN: tile-opt %s --choose-approximations --split-input-file | FileCheck %s

!tile = tensor<64xf32, #tile.axes<"n">>
!narrow = tensor<64xbf16, #tile.axes<"n">>
!indices = tensor<64xi64, #tile.axes<"n">>
!span = !tile.span<"n", 64>
!in = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!out = !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>
!wide = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// Through arithmetic and a selection; the same function is exact where f32 leaves the kernel, and where both happen.
// CHECK-LABEL: @rounded
// CHECK:         math.tanh %{{.*}} fastmath<afn>
// CHECK:         arith.divf %{{.*}}, %{{.*}} fastmath<afn>
// CHECK:         math.tanh %{{[a-z0-9]+}} :
// CHECK:         math.sqrt %{{[a-z0-9]+}} :
tile.kernel @rounded(%x: !in, %y: !out, %z: !wide, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "n" %n : !span in %c0 to %N {
    %i = tile.index %n : !span -> !indices
    %a = tile.load %x[%i] spans(%n) compare [false] : !in, (!indices), spans(!span) -> !tile
    %c = arith.cmpf ogt, %a, %a : !tile
    %t = math.tanh %a : !tile
    %u = arith.addf %t, %a fastmath<contract> : !tile
    %q = arith.divf %u, %a : !tile
    %s = arith.select %c, %q, %a : tensor<64xi1, #tile.axes<"n">>, !tile
    %r = tile.cast %s : !tile -> !narrow
    tile.store %r, %y[%i] spans(%n) compare [false] : !narrow, !out, (!indices), spans(!span)
    %f = arith.negf %a : !tile
    %v = math.tanh %f : !tile
    tile.store %v, %z[%i] spans(%n) compare [false] : !tile, !wide, (!indices), spans(!span)
    %w = math.sqrt %a : !tile
    %e = tile.cast %w : !tile -> !narrow
    tile.store %e, %y[%i] spans(%n) compare [false] : !narrow, !out, (!indices), spans(!span)
    tile.store %w, %z[%i] spans(%n) compare [false] : !tile, !wide, (!indices), spans(!span)
  }
}

// -----

!tile = tensor<64xf32, #tile.axes<"n">>
!narrow = tensor<64xf16, #tile.axes<"n">>
!indices = tensor<64xi64, #tile.axes<"n">>
!span = !tile.span<"n", 64>
!in = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!out = !tile.view<element = f16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>

// An error would grow in exp, and turn a comparison or a conversion to an integer; log1p of an exponential lets it pass.
// CHECK-LABEL: @passes
// CHECK:         %[[INNER:.*]] = math.log %{{[a-z0-9]+}} :
// CHECK:         math.exp %[[INNER]] fastmath<afn>
// CHECK:         math.log1p %{{.*}} fastmath<afn>
// CHECK:         math.sin %{{[a-z0-9]+}} :
// CHECK:         math.cos %{{[a-z0-9]+}} :
// CHECK:         math.erf %{{[a-z0-9]+}} :
// CHECK:         math.log1p %{{.*}} fastmath<afn>
tile.kernel @passes(%x: !in, %y: !out, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "n" %n : !span in %c0 to %N {
    %i = tile.index %n : !span -> !indices
    %a = tile.load %x[%i] spans(%n) compare [false] : !in, (!indices), spans(!span) -> !tile
    %l = math.log %a : !tile
    %e = math.exp %l : !tile
    %p = math.log1p %e : !tile
    %s = math.sin %a : !tile
    %c = arith.cmpf ogt, %s, %a : !tile
    %o = math.cos %a : !tile
    %k = tile.cast %o : !tile -> tensor<64xi32, #tile.axes<"n">>
    %d = tile.cast %k : tensor<64xi32, #tile.axes<"n">> -> !tile
    %f = math.erf %a : !tile
    %g = math.log1p %f : !tile
    %t = arith.select %c, %p, %d : tensor<64xi1, #tile.axes<"n">>, !tile
    %u = arith.addf %t, %g : !tile
    %r = tile.cast %u : !tile -> !narrow
    tile.store %r, %y[%i] spans(%n) compare [false] : !narrow, !out, (!indices), spans(!span)
  }
}

// -----

!tile = tensor<64xf32, #tile.axes<"n">>
!narrow = tensor<64xbf16, #tile.axes<"n">>
!indices = tensor<64xi64, #tile.axes<"n">>
!span = !tile.span<"n", 64>
!in = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!out = !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>
!inner = tensor<64xf32, #tile.axes<"k">>
!kspan = !tile.span<"k", 64>
!kindices = tensor<64xi64, #tile.axes<"k">>

// What a loop carries into a rounding is rounded, sums included; what it carries into a condition is not.
// CHECK-LABEL: @carried
// CHECK:         math.exp %{{.*}} fastmath<afn>
// CHECK:         math.exp2 %{{[a-z0-9]+}} :
// CHECK:         arith.divf %{{.*}}, %{{.*}} fastmath<afn>
tile.kernel @carried(%x: !in, %y: !out, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  tile.parallel "n" %n : !span in %c0 to %N {
    %i = tile.index %n : !span -> !indices
    %a = tile.load %x[%i] spans(%n) compare [false] : !in, (!indices), spans(!span) -> !tile
    %sum, %other = tile.for "k" %k : !kspan in %c0 to %N carries (%l = %zero, %m = %zero) : f32, f32 {
      %j = tile.index %k : !kspan -> !kindices
      %b = tile.load %x[%j] spans(%k) compare [false] : !in, (!kindices), spans(!kspan) -> !inner
      %e = math.exp %b : !inner
      %s = tile.reduce add %e over (%k) : !inner, !kspan -> f32
      %next = arith.addf %l, %s : f32
      %f = math.exp2 %b : !inner
      %t = tile.reduce add %f over (%k) : !inner, !kspan -> f32
      tile.yield %next, %t : f32, f32
    }
    %one = arith.constant 1.0 : f32
    %large = arith.cmpf ogt, %other, %one : f32
    %total = tile.broadcast %sum : f32 -> !tile
    %condition = tile.broadcast %large : i1 -> tensor<64xi1, #tile.axes<"n">>
    %q = arith.divf %a, %total : !tile
    %w = arith.select %condition, %q, %a : tensor<64xi1, #tile.axes<"n">>, !tile
    %r = tile.cast %w : !tile -> !narrow
    tile.store %r, %y[%i] spans(%n) compare [false] : !narrow, !out, (!indices), spans(!span)
  }
}

// -----

!tile = tensor<64xf32, #tile.axes<"n">>
!mask = tensor<64xi1, #tile.axes<"n">>
!narrow = tensor<64xbf16, #tile.axes<"n">>
!indices = tensor<64xi64, #tile.axes<"n">>
!span = !tile.span<"n", 64>
!in = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!out = !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>

// Whether a sum of exponentials is 0 is the same with a relative error; of a difference it may not be.
// CHECK-LABEL: @compared_with_zero
// CHECK:         math.exp %{{.*}} fastmath<afn>
// CHECK:         math.exp2 %{{[a-z0-9]+}} :
// CHECK:         arith.divf %{{.*}}, %{{.*}} fastmath<afn>
tile.kernel @compared_with_zero(%x: !in, %y: !out, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !tile
  tile.parallel "n" %n : !span in %c0 to %N {
    %i = tile.index %n : !span -> !indices
    %a = tile.load %x[%i] spans(%n) compare [false] : !in, (!indices), spans(!span) -> !tile
    %l = tile.for "t" %t : i64 in %c0 to %N carries (%sum = %zero) : !tile {
      %e = math.exp %a : !tile
      %next = arith.addf %sum, %e : !tile
      tile.yield %next : !tile
    }
    %f = math.exp2 %a : !tile
    %d = arith.subf %f, %a : !tile
    %p = arith.cmpf ogt, %l, %zero : !tile
    %q = arith.cmpf ogt, %d, %zero : !tile
    %m = arith.andi %p, %q : !mask
    %r = arith.divf %d, %l : !tile
    %s = arith.select %m, %r, %zero : !mask, !tile
    %o = tile.cast %s : !tile -> !narrow
    tile.store %o, %y[%i] spans(%n) compare [false] : !narrow, !out, (!indices), spans(!span)
  }
}
