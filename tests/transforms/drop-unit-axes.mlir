// Grid axes of one index a tile become scalars where a product has several axes on one side.
// RUN: tile-opt %s -split-input-file -drop-unit-axes | FileCheck %s

!q = !tile.view<element = bf16, dims = ["G", "M", "D"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!k = !tile.view<element = bf16, dims = ["N", "D"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!o = !tile.view<element = f32, dims = ["G", "M", "N"], access = out, unit_stride = 2, pack_rank = 1, alignment = 16>
!e = !tile.view<element = f32, dims = ["G", "M"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!sg = !tile.span<"g", 1>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sd = !tile.span<"d", 64>
!g = tensor<1xi64, #tile.axes<"g">>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!d = tensor<64xi64, #tile.axes<"d">>
!gid = tensor<1x64x64xbf16, #tile.axes<"g", "i", "d">>
!jd = tensor<64x64xbf16, #tile.axes<"j", "d">>
!gij = tensor<1x64x64xf32, #tile.axes<"g", "i", "j">>
!gi = tensor<1x64xf32, #tile.axes<"g", "i">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @crowded(
// CHECK:         tile.parallel "g" %[[G:.*]]: i64 in
// CHECK:           %[[PLACE:.*]] = arith.addi %[[G]], %
// CHECK:           %[[Q:.*]] = tile.load %q[%[[PLACE]], %{{.*}}, %{{.*}}] spans(%i, %d) {{.*}} -> tensor<64x64xbf16, #tile.axes<"i", "d">>
// CHECK:           %[[S:.*]] = tile.dot %[[Q]], %{{.*}}, %{{.*}} over(%d) : {{.*}} -> tensor<64x64xf32, #tile.axes<"i", "j">>
// CHECK-NOT:       tile.broadcast
// CHECK:           %[[L:.*]] = tile.reduce add %[[S]] over(%j) : {{.*}} -> tensor<64xf32, #tile.axes<"i">>
// CHECK-NOT:       tile.reduce
// CHECK:           tile.store %[[S]], %o[%[[G]], %{{.*}}, %{{.*}}] spans(%i, %j)
// CHECK:           tile.store %[[L]], %e[%[[G]], %{{.*}}] spans(%i)
tile.kernel @crowded(%q: !q, %k: !k, %o: !o, %e: !e, %G: i64, %M: i64, %D: i64, %N: i64) dimensions = 4 {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "g" %g : !sg in %c0 to %G {
    tile.parallel "i" %i : !si in %c0 to %M {
      tile.parallel "j" %j : !sj in %c0 to %N {
        %zero = arith.constant dense<0.0> : !gij
        %one = arith.constant dense<1> : !g
        %tg = tile.index %g : !sg -> !g
        %ti = tile.index %i : !si -> !i
        %tj = tile.index %j : !sj -> !j
        %td = tile.index %d : !sd -> !d
        %next = arith.addi %tg, %one : !g
        %p = tile.load %q[%next, %ti, %td] spans(%g, %i, %d) compare [false, false, false] : !q, (!g, !i, !d), spans(!sg, !si, !sd) -> !gid
        %r = tile.load %k[%tj, %td] spans(%j, %d) compare [false, false] : !k, (!j, !d), spans(!sj, !sd) -> !jd
        %s = tile.dot %p, %r, %zero over (%d) : !gid, !jd, !sd -> !gij
        %l = tile.reduce add %s over (%j) : !gij, !sj -> !gi
        %m = tile.reduce max %s over (%g) : !gij, !sg -> !ij
        %w = tile.broadcast %m : !ij -> !gij
        tile.store %w, %o[%tg, %ti, %tj] spans(%g, %i, %j) compare [false, false, false] : !gij, !o, (!g, !i, !j), spans(!sg, !si, !sj)
        tile.store %l, %e[%tg, %ti] spans(%g, %i) compare [false, false] : !gi, !e, (!g, !i), spans(!sg, !si)
      }
    }
  }
}

// An operation that wants the axis keeps it.
// CHECK-LABEL: tile.kernel @scanned(
// CHECK:         tile.parallel "g" %{{.*}}: !tile.span<"g", 1> in
tile.kernel @scanned(%q: !q, %k: !k, %o: !o, %G: i64, %M: i64, %D: i64, %N: i64) dimensions = 4 {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "g" %g : !sg in %c0 to %G {
    tile.parallel "i" %i : !si in %c0 to %M {
      tile.parallel "j" %j : !sj in %c0 to %N {
        %zero = arith.constant dense<0.0> : !gij
        %tg = tile.index %g : !sg -> !g
        %ti = tile.index %i : !si -> !i
        %tj = tile.index %j : !sj -> !j
        %td = tile.index %d : !sd -> !d
        %p = tile.load %q[%tg, %ti, %td] spans(%g, %i, %d) compare [false, false, false] : !q, (!g, !i, !d), spans(!sg, !si, !sd) -> !gid
        %r = tile.load %k[%tj, %td] spans(%j, %d) compare [false, false] : !k, (!j, !d), spans(!sj, !sd) -> !jd
        %s = tile.dot %p, %r, %zero over (%d) : !gid, !jd, !sd -> !gij
        %a = tile.arg_reduce max %s over %g : !gij, !sg -> tensor<64x64xi64, #tile.axes<"i", "j">>
        %f = tile.cast %a : tensor<64x64xi64, #tile.axes<"i", "j">> -> !ij
        tile.store %f, %o[%tg, %ti, %tj] spans(%g, %i, %j) compare [false, false, false] : !ij, !o, (!g, !i, !j), spans(!sg, !si, !sj)
      }
    }
  }
}

// -----

!k = !tile.view<element = bf16, dims = ["N", "D"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!o = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!sg = !tile.span<"g", 1>
!sj = !tile.span<"j", 64>
!sd = !tile.span<"d", 64>
!g = tensor<1xi64, #tile.axes<"g">>
!j = tensor<64xi64, #tile.axes<"j">>
!d = tensor<64xi64, #tile.axes<"d">>
!gd = tensor<1x64xbf16, #tile.axes<"g", "d">>
!jd = tensor<64x64xbf16, #tile.axes<"j", "d">>
!gj = tensor<1x64xf32, #tile.axes<"g", "j">>

// Its only axis of rows: nothing is gained.
// CHECK-LABEL: tile.kernel @alone(
// CHECK:         tile.parallel "g" %{{.*}}: !tile.span<"g", 1> in
tile.kernel @alone(%q: !k, %k: !k, %o: !o, %M: i64, %D: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %d = tile.span : !sd
  tile.parallel "g" %g : !sg in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !gj
      %tg = tile.index %g : !sg -> !g
      %tj = tile.index %j : !sj -> !j
      %td = tile.index %d : !sd -> !d
      %p = tile.load %q[%tg, %td] spans(%g, %d) compare [false, false] : !k, (!g, !d), spans(!sg, !sd) -> !gd
      %r = tile.load %k[%tj, %td] spans(%j, %d) compare [false, false] : !k, (!j, !d), spans(!sj, !sd) -> !jd
      %s = tile.dot %p, %r, %zero over (%d) : !gd, !jd, !sd -> !gj
      tile.store %s, %o[%tg, %tj] spans(%g, %j) compare [false, false] : !gj, !o, (!g, !j), spans(!sg, !sj)
    }
  }
}
