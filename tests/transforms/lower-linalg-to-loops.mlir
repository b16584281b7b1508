// RUN: tile-opt %s -split-input-file -lower-linalg-to-loops -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s -split-input-file -lower-linalg-to-loops=reference -verify-diagnostics | FileCheck %s --check-prefix=REFERENCE

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

// Innermost reductions carry the sum in a register, and it may be reassociated; in the oracle it may not.
// CHECK-LABEL: func.func @row_sums
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           %[[S0:.+]] = memref.load %[[SUM:.+]][%[[I]]]
// CHECK:           %[[S1:.+]] = scf.for %[[J:.+]] = {{.*}} iter_args(%[[S:.+]] = %[[S0]]) -> (f32) {
// CHECK-NEXT:        %[[X:.+]] = memref.load %{{.+}}[%[[I]], %[[J]]]
// CHECK-NEXT:        %[[T:.+]] = arith.addf %[[S]], %[[X]] fastmath<reassoc,contract> : f32
// CHECK-NEXT:        scf.yield %[[T]] : f32
// CHECK:           memref.store %[[S1]], %[[SUM]][%[[I]]]
// REFERENCE-LABEL: func.func @row_sums
// REFERENCE:         arith.addf %{{.+}}, %{{.+}} : f32
func.func @row_sums(%x: memref<?x?xf32>, %sum: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>

// A reduction outside of a parallel dimension adds in memory, where the innermost loop is one of vectors without further licence.
// CHECK-LABEL: func.func @column_sums
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           scf.for %[[J:.+]] =
// CHECK:             %[[S:.+]] = memref.load %[[SUM:.+]][%[[J]]]
// CHECK:             %[[T:.+]] = arith.addf %[[S]], %{{.+}} : f32
// CHECK:             memref.store %[[T]], %[[SUM]][%[[J]]]
func.func @column_sums(%x: memref<?x?xf32>, %sum: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #j], iterator_types = ["reduction", "parallel"]} ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// What depends on i alone is computed once for each i; the unused old output is not loaded.
// CHECK-LABEL: func.func @hoisted
// CHECK-SAME:    (%[[A:.+]]: memref<?xf32>, %[[B:.+]]: memref<?x?xf32>, %[[Y:.+]]: memref<?x?xf32>
// CHECK:         scf.for %[[I:.+]] =
// CHECK-NEXT:      %[[V:.+]] = memref.load %[[A]][%[[I]]]
// CHECK-NEXT:      %[[R:.+]] = math.rsqrt %[[V]]
// CHECK-NEXT:      scf.for %[[J:.+]] =
// CHECK-NEXT:        %[[W:.+]] = memref.load %[[B]][%[[I]], %[[J]]]
// CHECK-NEXT:        %[[P:.+]] = arith.mulf %[[R]], %[[W]]
// CHECK-NEXT:        memref.store %[[P]], %[[Y]][%[[I]], %[[J]]]
func.func @hoisted(%a: memref<?xf32>, %b: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#i, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %w: f32, %old: f32):
    %r = math.rsqrt %v : f32
    %p = arith.mulf %r, %w : f32
    linalg.yield %p : f32
  }
  return
}

// -----

#none = affine_map<() -> ()>

// Edge: no loop at all.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT:     scf.for
// CHECK:         memref.store %{{.+}}, %{{.+}}[] : memref<f32>
func.func @scalar(%a: f32, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#none], iterator_types = []} outs(%y : memref<f32>) {
  ^bb0(%old: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#i = affine_map<(i) -> (i)>

// A read that a condition guards stays under it, and an index is the loop's variable.
// CHECK-LABEL: func.func @guarded
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[I]], %{{.+}} : index
// CHECK:           scf.if %[[INSIDE]]
// CHECK:             memref.load %{{.+}}[%[[I]]]
func.func @guarded(%x: memref<?xf32>, %n: index, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%y : memref<?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %inside = arith.cmpi ult, %i, %n : index
    %v = scf.if %inside -> (f32) {
      %w = memref.load %x[%i] : memref<?xf32>
      scf.yield %w : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  }
  return
}

// -----

#i = affine_map<(i) -> (i)>

func.func @tensors(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{has tensors; only memrefs become loops}}
  %y = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

// Rows of a large output: strips of 4 KiB are computed in the cache, and copied by vectors that bypass it; before each 16 lines,
// 16 that will be read later are fetched. The first strip begins before the row, at a line boundary, so that all others begin at one;
// what lies outside whole lines is stored by elements.
// CHECK-LABEL: func.func @streamed
// CHECK-SAME:    %[[X:.+]]: memref<?x?xf32>, %[[NEXT:.+]]: memref<?x?xf32>, %[[LARGE:.+]]: i1, %[[Y:.+]]: memref<?x?xf32>
// CHECK:         %[[STRIP:.+]] = memref.alloc() : memref<1024xf32>
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK:           arith.andi %{{.+}}, %c63
// CHECK:           %[[SINCE:.+]] = arith.divui
// CHECK:           %[[START:.+]] = arith.subi %c0, %[[SINCE]]
// CHECK:           scf.for %[[V:.+]] = %[[START]] to %[[N:.+]] step %[[LENGTH:.+]] {
// CHECK:             %[[FIRST:.+]] = arith.maxsi %[[V]], %c0
// CHECK:             %[[NEXTSTRIP:.+]] = arith.addi %[[V]], %[[LENGTH]]
// CHECK:             %[[STOP:.+]] = arith.minui %[[N]], %[[NEXTSTRIP]]
// CHECK:             %[[COUNT:.+]] = arith.subi %[[STOP]], %[[FIRST]]
// CHECK:             %[[GROUP:.+]] = arith.constant 256 : index
// CHECK:             scf.for %[[BEGIN:.+]] = %{{.+}} to %[[COUNT]] step %[[GROUP]] {
// CHECK:               %[[LEFT:.+]] = arith.subi %[[COUNT]], %[[BEGIN]]
// CHECK:               %[[SIZE:.+]] = arith.minui %[[LEFT]], %[[GROUP]]
// CHECK:               %[[HERE:.+]] = arith.addi %[[FIRST]], %[[BEGIN]]
// CHECK:               scf.if %[[LARGE]] {
// CHECK:                 %[[LINE:.+]] = arith.constant 16 : index
// CHECK:                 scf.for %[[L:.+]] = %{{.+}} to %[[SIZE]] step %[[LINE]] {
// CHECK:                   %[[AT:.+]] = arith.addi %[[HERE]], %[[L]]
// CHECK:                   memref.prefetch %[[NEXT]][%[[I]], %[[AT]]], read, locality<2>, data
// CHECK:               %[[END:.+]] = arith.addi %[[BEGIN]], %[[SIZE]]
// CHECK:               scf.for %[[K:.+]] = %[[BEGIN]] to %[[END]]
// CHECK:                 %[[J:.+]] = arith.addi %[[FIRST]], %[[K]]
// CHECK:                 %[[V:.+]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK:                 memref.store %[[V]], %[[STRIP]][%[[K]]]
// CHECK:             memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK:             memref.store %{{.+}}, %[[Y]]
// CHECK:             scf.if %[[LARGE]]
// CHECK:               vector.store %{{.+}}, %[[Y]]{{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK:             } else {
// CHECK:               vector.store %{{.+}}, %[[Y]]{{.*}} {alignment = 64 : i64}
// CHECK:             memref.store %{{.+}}, %[[Y]]
func.func @streamed(%x: memref<?x?xf32>, %next: memref<?x?xf32>, %large: i1, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#ij, #ij, #none, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %next, %large : memref<?x?xf32>, memref<?x?xf32>, i1) outs(%y : memref<?x?xf32>)
      attrs = {tilewright.large = 2 : i64, tilewright.later = array<i64: 1>, tilewright.streamed} {
  ^bb0(%a: f32, %later: f32, %l: i1, %old: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

// A nest that only fetches goes in groups of 16 lines of what it fetches (512 elements of f16), and stores as usual.
// CHECK-LABEL: func.func @fetching
// CHECK-SAME:    %[[X:.+]]: memref<?x?xf32>, %[[NEXT:.+]]: memref<?x?xf16>, %[[LARGE:.+]]: i1, %[[Y:.+]]: memref<?x?xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           %[[GROUP:.+]] = arith.constant 512 : index
// CHECK:           scf.for %[[BEGIN:.+]] = %{{.+}} to %{{.+}} step %[[GROUP]] {
// CHECK:             scf.if %[[LARGE]] {
// CHECK:               memref.prefetch %[[NEXT]]
// CHECK:             scf.for
// CHECK:               memref.store %{{.+}}, %[[Y]][%[[I]], %{{.+}}]
// CHECK-NOT:     vector.store
func.func @fetching(%x: memref<?x?xf32>, %next: memref<?x?xf16>, %large: i1, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#ij, #ij, #none, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %next, %large : memref<?x?xf32>, memref<?x?xf16>, i1) outs(%y : memref<?x?xf32>)
      attrs = {tilewright.large = 2 : i64, tilewright.later = array<i64: 1>} {
  ^bb0(%a: f32, %later: f16, %l: i1, %old: f32):
    linalg.yield %a : f32
  }
  return
}
