// A whole kernel, written with all that may be left out when it is printed; it survives printing, in both forms.
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @linear(%x: !tile.view<element = bf16, dims = ["M...", "K"], {{.*}}>, %w: {{.*}}, %b: {{.*}}, %y: {{.*}}, %M: i64, %K: i64, %N: i64) dimensions = 3 {
// CHECK:         tile.parallel "i" %i: !tile.span<"i", 128> in %{{.*}} to %M {
// CHECK:           tile.parallel "j" %j: !tile.span<"j", 192> in %{{.*}} to %N {
// CHECK:             %[[SUM:.*]] = tile.for "k" %k: !tile.span<"k", 64> in %{{.*}} to %K carries (%[[ACC:.*]] = %{{.*}}) : tensor<128x192xf32, #tile.axes<"i", "j">> {
// CHECK:               %[[NEXT:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[ACC]] over(%k)
// CHECK:               tile.yield %[[NEXT]]
// CHECK:             arith.addf %[[SUM]], %{{.*}} fastmath<contract>
// CHECK:             tile.store %{{.*}}, %y[%{{.*}}, %{{.*}}] spans(%i, %j) compare [false, false]
// CHECK-NOT:         tile.yield
!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!b = !tile.view<element = bf16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M...", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!ti = tensor<128xi64, #tile.axes<"i">>
!tj = tensor<192xi64, #tile.axes<"j">>
!tk = tensor<64xi64, #tile.axes<"k">>
!acc = tensor<128x192xf32, #tile.axes<"i", "j">>
tile.kernel @linear(%x: !x, %w: !w, %b: !b, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !tile.span<"i", 128> in %c0 to %M {
    tile.parallel "j" %j : !tile.span<"j", 192> in %c0 to %N {
      %ti = tile.index %i : !tile.span<"i", 128> -> !ti
      %tj = tile.index %j : !tile.span<"j", 192> -> !tj
      %zero = arith.constant dense<0.0> : !acc
      %sum = tile.for "k" %k : !tile.span<"k", 64> in %c0 to %K carries (%acc = %zero) : !acc {
        %tk = tile.index %k : !tile.span<"k", 64> -> !tk
        %xt = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!ti, !tk), spans(!tile.span<"i", 128>, !tile.span<"k", 64>) -> tensor<128x64xbf16, #tile.axes<"i", "k">>
        %wt = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!tj, !tk), spans(!tile.span<"j", 192>, !tile.span<"k", 64>) -> tensor<192x64xbf16, #tile.axes<"j", "k">>
        %next = tile.dot %xt, %wt, %acc over (%k) : tensor<128x64xbf16, #tile.axes<"i", "k">>, tensor<192x64xbf16, #tile.axes<"j", "k">>, !tile.span<"k", 64> -> !acc
        tile.yield %next : !acc
      }
      %bt = tile.load %b[%tj] spans(%j) compare [false] : !b, (!tj), spans(!tile.span<"j", 192>) -> tensor<192xbf16, #tile.axes<"j">>
      %bf = tile.cast %bt : tensor<192xbf16, #tile.axes<"j">> -> tensor<192xf32, #tile.axes<"j">>
      %bb = tile.broadcast %bf : tensor<192xf32, #tile.axes<"j">> -> !acc
      %r = arith.addf %sum, %bb fastmath<contract> : !acc
      %o = tile.cast %r : !acc -> tensor<128x192xbf16, #tile.axes<"i", "j">>
      tile.store %o, %y[%ti, %tj] spans(%i, %j) compare [false, false] : tensor<128x192xbf16, #tile.axes<"i", "j">>, !y, (!ti, !tj), spans(!tile.span<"i", 128>, !tile.span<"j", 192>)
    }
  }
}
