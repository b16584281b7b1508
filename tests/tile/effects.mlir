// What may be merged, dropped and moved.
// RUN: tile-opt %s --split-input-file --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

// Nothing changes an input, so equal loads are one, and a load that nobody uses goes.
// CHECK-LABEL: func.func @input_loads_merge
// CHECK:         tile.load
// CHECK-NOT:     tile.load
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @input_loads_merge(%x: !x, %n: i64) -> (f32, f32) {
  %a = tile.load %x[%n] compare [false] : !x, (i64) -> f32
  %b = tile.load %x[%n] compare [false] : !x, (i64) -> f32
  %c0 = arith.constant 0 : i64
  %c = tile.load %x[%c0] compare [false] : !x, (i64) -> f32
  return %a, %b : f32, f32
}

// -----

// The value of an inout view before a store is not the one after it.
// CHECK-LABEL: func.func @inout_loads_stay
// CHECK:         %[[OLD:.*]] = tile.load
// CHECK:         tile.store
// CHECK:         %[[NEW:.*]] = tile.load
// CHECK:         return %[[OLD]], %[[NEW]]
!x = !tile.view<element = f32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @inout_loads_stay(%x: !x, %n: i64, %v: f32) -> (f32, f32) {
  %a = tile.load %x[%n] compare [false] : !x, (i64) -> f32
  tile.store %v, %x[%n] compare [false] : f32, !x, (i64)
  %b = tile.load %x[%n] compare [false] : !x, (i64) -> f32
  return %a, %b : f32, f32
}

// -----

// A loop may run no time, so a load in it, which is in range only there, is not moved out; what is pure is.
// CHECK-LABEL: func.func @loop_invariants
// CHECK:         arith.addf
// CHECK:         tile.for
// CHECK-NEXT:      tile.load
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
func.func @loop_invariants(%x: !x, %n: i64, %v: f32) -> f32 {
  %r = tile.for "k" %k : i64 in %n to %n carries (%a = %v) : f32 {
    %s = arith.addf %v, %v : f32
    %l = tile.load %x[%n] compare [false] : !x, (i64) -> f32
    %t = arith.mulf %s, %l : f32
    %u = arith.addf %a, %t : f32
    tile.yield %u : f32
  }
  return %r : f32
}

// -----

// Reports have an effect, so they stay, in their order.
// CHECK-LABEL: func.func @reports_stay
// CHECK:         tile.assert 0
// CHECK:         tile.print 1
// CHECK:         tile.assert 0
func.func @reports_stay(%c: i1) {
  tile.assert 0 %c : i1
  tile.print 1 unsigned []
  tile.assert 0 %c : i1
  return
}

// -----

// Equal calls are one, and one that nobody uses goes; but a call is not moved to where it was not to run.
// CHECK-LABEL: func.func @external_calls
// CHECK-NOT:     tile.call_external
// CHECK:         tile.for
// CHECK-NEXT:      %[[V:.+]] = tile.call_external "f"(%{{.+}}) : (f32) -> f32
// CHECK-NEXT:      arith.addf %[[V]], %[[V]]
// CHECK-NOT:     tile.call_external
func.func @external_calls(%n: i64, %v: f32) -> f32 {
  %unused = tile.call_external "f"(%v) : (f32) -> f32
  %r = tile.for "k" %k : i64 in %n to %n carries (%a = %v) : f32 {
    %s = tile.call_external "f"(%v) : (f32) -> f32
    %t = tile.call_external "f"(%v) : (f32) -> f32
    %u = arith.addf %s, %t : f32
    %w = arith.addf %a, %u : f32
    tile.yield %w : f32
  }
  return %r : f32
}
