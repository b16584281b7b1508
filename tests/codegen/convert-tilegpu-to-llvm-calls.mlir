// Calls of external functions: what is passed, for which elements, and what is declared.
// RUN: tile-opt %s -split-input-file -assign-layouts -cse -allocate-shared-memory -convert-tilegpu-to-llvm -cse -verify-diagnostics | FileCheck %s

!x = !tile.view<element = f16, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 2>
!y = !tile.view<element = i8, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 1>
!z = !tile.view<element = f64, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>
!s = !tile.span<"i", 32>
!i = tensor<32xi64, #tile.axes<"i">>
!h = tensor<32xf16, #tile.axes<"i">>
!b = tensor<32xi1, #tile.axes<"i">>
!d = tensor<32xf64, #tile.axes<"i">>

// An element that does not exist is not handed to the function; what stands for its results is zero. Elements of less than 32 bits
// are passed as the low ones of an i32, and several results as a structure. The function has no effect, and need not be there.
// CHECK:       llvm.func @f(i32) -> !llvm.struct<(i32, f64)> attributes {memory_effects = #llvm.memory_effects<other = none, {{.*}}>, no_unwind, passthrough = ["tilewright-external"], will_return}
// CHECK-LABEL: llvm.func @elements(
// CHECK:         %[[EXISTS:.+]] = arith.cmpi slt
// CHECK:         %[[RESULTS:.+]]:2 = scf.if %[[EXISTS]] -> (i1, f64) {
// CHECK-NEXT:      %[[BITS:.+]] = arith.bitcast %{{.+}} : f16 to i16
// CHECK-NEXT:      %[[WORD:.+]] = arith.extui %[[BITS]] : i16 to i32
// CHECK-NEXT:      %[[CALL:.+]] = llvm.call @f(%[[WORD]]) {memory_effects = {{.*}}} : (i32) -> !llvm.struct<(i32, f64)>
// CHECK-NEXT:      %[[FIRST:.+]] = llvm.extractvalue %[[CALL]][0]
// CHECK-NEXT:      %[[BIT:.+]] = arith.trunci %[[FIRST]] : i32 to i1
// CHECK-NEXT:      %[[SECOND:.+]] = llvm.extractvalue %[[CALL]][1]
// CHECK-NEXT:      scf.yield %[[BIT]], %[[SECOND]] : i1, f64
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %false, %cst : i1, f64
// CHECK-NOT:     llvm.call
tile.kernel @elements(%x: !x, %y: !y, %z: !z, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !s in %c0 to %N {
    %ti = tile.index %i : !s -> !i
    %a = tile.load %x[%ti] spans(%i) compare [false] : !x, (!i), spans(!s) -> !h
    %b, %c = tile.call_external "f"(%a) spans(%i : !s) : (!h) -> (!b, !d)
    tile.store %b, %y[%ti] spans(%i) compare [false] : !b, !y, (!i), spans(!s)
    tile.store %c, %z[%ti] spans(%i) compare [false] : !d, !z, (!i), spans(!s)
  }
}

// -----

!x = !tile.view<element = i32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = i32, dims = ["M"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!s = !tile.span<"i", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!t = tensor<128xi32, #tile.axes<"i">>

// In the combination of a fold the function is called on two states. What a range of the grid gets from a function the host cannot
// compute, so the variable is not numbered.
// CHECK:       tilewright.grid = "nested", tilewright.grid_axes = []
// CHECK-DAG:   llvm.func @g(i32, i32) -> i32
// CHECK-DAG:   llvm.func @count(i64) -> i64
// CHECK-LABEL: llvm.func @folded(
// CHECK:         llvm.call @count(%{{.+}})
// CHECK:         llvm.call @g(%{{.+}}, %{{.+}})
tile.kernel @folded(%x: !x, %y: !y, %N: i64, %M: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %n = tile.call_external "count"(%M) : (i64) -> i64
  tile.parallel "m" %m : i64 in %c0 to %n {
    %d = tile.span : !s
    %ti = tile.index %d : !s -> !i
    %a = tile.load %x[%ti] spans(%d) compare [false] : !x, (!i), spans(!s) -> !t
    %r = tile.fold %a over %d : (!t), !s -> (i32) combine (%p: i32, %q: i32) {
      %u = tile.call_external "g"(%p, %q) : (i32, i32) -> i32
      tile.yield %u : i32
    }
    tile.store %r, %y[%m] compare [false] : i32, !y, (i64)
  }
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// One name is one function.
tile.kernel @twice(%y: !y, %v: f32, %w: i32, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %a = tile.call_external "h"(%v) : (f32) -> f32
  // expected-error @below {{calls "h" as '!llvm.func<f32 (i32)>', but that name is already another thing's}}
  %b = tile.call_external "h"(%w) : (i32) -> f32
  %c = arith.addf %a, %b : f32
  tile.store %c, %y[%c0] compare [false] : f32, !y, (i64)
}
