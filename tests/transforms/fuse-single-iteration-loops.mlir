// RUN: tile-opt %s -split-input-file -fuse-single-iteration-loops | FileCheck %s

!si = !tile.span<"i", 4>
!sj = !tile.span<"j", 512>
!sk = !tile.span<"k", 512>
!ii = tensor<4xi64, #tile.axes<"i">>
!ji = tensor<512xi64, #tile.axes<"j">>
!ki = tensor<512xi64, #tile.axes<"k">>
!i = tensor<4xf32, #tile.axes<"i">>
!ij = tensor<4x512xf32, #tile.axes<"i", "j">>
!ik = tensor<4x512xf32, #tile.axes<"i", "k">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// A row that fits in a tile is read, and its exponentials are computed, once: the second loop's axis becomes the first's.
// CHECK-LABEL: tile.kernel @two_passes
// CHECK:         %[[LENGTH:.+]] = arith.subi %N, %[[LOW:.+]] : i64
// CHECK:         %[[SOME:.+]] = arith.cmpi sgt, %[[LENGTH]], %{{.+}}
// CHECK:         %[[FITS:.+]] = arith.cmpi sle, %[[LENGTH]], %{{.+}}
// CHECK:         %[[ONCE:.+]] = arith.andi %[[SOME]], %[[FITS]]
// CHECK:         scf.if %[[ONCE]] {
// CHECK:           tile.for "j" %[[J:.+]]: !tile.span<"j", 512> in %[[LOW]] to %N {
// CHECK:             tile.load
// CHECK-NOT:         tile.load
// CHECK:             %[[EXP:.+]] = math.exp
// CHECK-NOT:         math.exp
// CHECK:             tile.reduce add %[[EXP]]
// CHECK:             tile.store %{{.+}}, %y[%{{.+}}, %{{.+}}] spans(%i, %[[J]])
// CHECK:         } else {
// CHECK:           tile.for "j"
// CHECK:             math.exp
// CHECK:           tile.for "k"
// CHECK:             math.exp
tile.kernel @two_passes(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !i
  tile.parallel "i" %i : !si in %c0 to %M {
    %ii = tile.index %i : !si -> !ii
    %sum = tile.for "j" %j : !sj in %c0 to %N carries (%l = %zero) : !i {
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
      %e = math.exp %v : !ij
      %s = tile.reduce add %e over (%j) : !ij, !sj -> !i
      %n = arith.addf %l, %s : !i
      tile.yield %n : !i
    }
    tile.for "k" %k : !sk in %c0 to %N {
      %ki = tile.index %k : !sk -> !ki
      %v = tile.load %x[%ii, %ki] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
      %e = math.exp %v : !ik
      %b = tile.broadcast %sum : !i -> !ik
      %q = arith.divf %e, %b : !ik
      tile.store %q, %y[%ii, %ki] spans(%i, %k) compare [false, false] : !ik, !y, (!ii, !ki), spans(!si, !sk)
    }
  }
}

// -----

!si = !tile.span<"i", 4>
!sj = !tile.span<"j", 512>
!sk = !tile.span<"k", 512>
!ii = tensor<4xi64, #tile.axes<"i">>
!ji = tensor<512xi64, #tile.axes<"j">>
!ki = tensor<512xi64, #tile.axes<"k">>
!i = tensor<4xf32, #tile.axes<"i">>
!ij = tensor<4x512xf32, #tile.axes<"i", "j">>
!ik = tensor<4x512xf32, #tile.axes<"i", "k">>
!ikb = tensor<4x512xi1, #tile.axes<"i", "k">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// Constants stand before both loops: the version where the second loop's axis is the first's has its own.
// CHECK-LABEL: tile.kernel @constants
// CHECK:         arith.constant dense<1.000000e+00> : tensor<4x512xf32, #tile.axes<"i", "k">>
// CHECK:         scf.if
// CHECK:           %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<4x512xf32, #tile.axes<"i", "j">>
// CHECK:           arith.select %{{.+}}, %[[ONE]], %{{.+}} : tensor<4x512xi1, #tile.axes<"i", "j">>, tensor<4x512xf32, #tile.axes<"i", "j">>
// CHECK:         } else {
// CHECK:           arith.select %{{.+}}, %{{.+}}, %{{.+}} : tensor<4x512xi1, #tile.axes<"i", "k">>, tensor<4x512xf32, #tile.axes<"i", "k">>
tile.kernel @constants(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !i
  %one = arith.constant dense<1.0> : !ik
  tile.parallel "i" %i : !si in %c0 to %M {
    %ii = tile.index %i : !si -> !ii
    %sum = tile.for "j" %j : !sj in %c0 to %N carries (%l = %zero) : !i {
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
      %e = math.exp %v : !ij
      %s = tile.reduce add %e over (%j) : !ij, !sj -> !i
      %n = arith.addf %l, %s : !i
      tile.yield %n : !i
    }
    tile.for "k" %k : !sk in %c0 to %N {
      %ki = tile.index %k : !sk -> !ki
      %v = tile.load %x[%ii, %ki] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
      %e = math.exp %v : !ik
      %big = arith.cmpf ogt, %e, %one : !ik
      %q = arith.select %big, %one, %e : !ikb, !ik
      tile.store %q, %y[%ii, %ki] spans(%i, %k) compare [false, false] : !ik, !y, (!ii, !ki), spans(!si, !sk)
    }
  }
}

// -----

!si = !tile.span<"i", 4>
!sj = !tile.span<"j", 512>
!sk = !tile.span<"k", 512>
!ii = tensor<4xi64, #tile.axes<"i">>
!ji = tensor<512xi64, #tile.axes<"j">>
!ki = tensor<512xi64, #tile.axes<"k">>
!i = tensor<4xf32, #tile.axes<"i">>
!ij = tensor<4x512xf32, #tile.axes<"i", "j">>
!ik = tensor<4x512xf32, #tile.axes<"i", "k">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// Nothing expensive is computed twice: one version.
// CHECK-LABEL: tile.kernel @cheap
// CHECK-NOT:     scf.if
tile.kernel @cheap(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !i
  tile.parallel "i" %i : !si in %c0 to %M {
    %ii = tile.index %i : !si -> !ii
    %sum = tile.for "j" %j : !sj in %c0 to %N carries (%l = %zero) : !i {
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
      %s = tile.reduce add %v over (%j) : !ij, !sj -> !i
      %n = arith.addf %l, %s : !i
      tile.yield %n : !i
    }
    tile.for "k" %k : !sk in %c0 to %N {
      %ki = tile.index %k : !sk -> !ki
      %v = tile.load %x[%ii, %ki] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
      %b = tile.broadcast %sum : !i -> !ik
      %q = arith.divf %v, %b : !ik
      tile.store %q, %y[%ii, %ki] spans(%i, %k) compare [false, false] : !ik, !y, (!ii, !ki), spans(!si, !sk)
    }
  }
}

// -----

!si = !tile.span<"i", 4>
!sj = !tile.span<"j", 512>
!sk = !tile.span<"k", 256>
!ii = tensor<4xi64, #tile.axes<"i">>
!ji = tensor<512xi64, #tile.axes<"j">>
!ki = tensor<256xi64, #tile.axes<"k">>
!i = tensor<4xf32, #tile.axes<"i">>
!ij = tensor<4x512xf32, #tile.axes<"i", "j">>
!ik = tensor<4x256xf32, #tile.axes<"i", "k">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// Edge: pieces of another size are other axes.
// CHECK-LABEL: tile.kernel @other_pieces
// CHECK-NOT:     scf.if
tile.kernel @other_pieces(%x: !x, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !i
  tile.parallel "i" %i : !si in %c0 to %M {
    %ii = tile.index %i : !si -> !ii
    %sum = tile.for "j" %j : !sj in %c0 to %N carries (%l = %zero) : !i {
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %x[%ii, %ji] spans(%i, %j) compare [false, false] : !x, (!ii, !ji), spans(!si, !sj) -> !ij
      %e = math.exp %v : !ij
      %s = tile.reduce add %e over (%j) : !ij, !sj -> !i
      %n = arith.addf %l, %s : !i
      tile.yield %n : !i
    }
    tile.for "k" %k : !sk in %c0 to %N {
      %ki = tile.index %k : !sk -> !ki
      %v = tile.load %x[%ii, %ki] spans(%i, %k) compare [false, false] : !x, (!ii, !ki), spans(!si, !sk) -> !ik
      %e = math.exp %v : !ik
      %b = tile.broadcast %sum : !i -> !ik
      %q = arith.divf %e, %b : !ik
      tile.store %q, %y[%ii, %ki] spans(%i, %k) compare [false, false] : !ik, !y, (!ii, !ki), spans(!si, !sk)
    }
  }
}
