// Products of tiles become packed panels and blocks of registers.
// RUN: tile-opt %s --lower-contractions=vector-bits=512 --split-input-file | FileCheck %s
// RUN: tile-opt %s --lower-contractions=vector-bits=256 --split-input-file | FileCheck %s --check-prefix=AVX2
// RUN: tile-opt %s --lower-contractions=vector-bits=512 --split-input-file -o /dev/null \
// RUN:   --remarks-filter-missed="lower-contractions" --remark-policy=all 2>&1 | FileCheck %s --check-prefix=REMARK

// x times w transposed, both contiguous along k: rows are copied, columns transposed in registers, 8 x 32 accumulators carried.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %{{.*}}: memref<?x?xf32{{.*}}>, %[[W:.*]]: memref<?x?xf32
// CHECK-DAG:     %[[ACC:.*]] = memref.alloc() : memref<128x256xf32>
// CHECK-DAG:     %[[ROWS:.*]] = memref.alloc() : memref<16x8x64xf32>
// CHECK-DAG:     %[[COLUMNS:.*]] = memref.alloc() : memref<64x32xf32>
// CHECK:         %[[X_ROW:.*]] = vector.load %{{.*}} : memref<?x?xf32, strided
// CHECK-NEXT:    vector.store %[[X_ROW]], %[[ROWS]]
// CHECK:         vector.load %[[W]]
// CHECK:         vector.shuffle
// CHECK:         vector.store %{{.*}}, %[[COLUMNS]]
// CHECK-COUNT-16: vector.load %[[ACC]]
// CHECK:         %{{.*}}:16 = scf.for %[[K:[^ ]*]] =
// CHECK:           vector.load %[[COLUMNS]][%[[K]]
// CHECK:           %[[A:.*]] = memref.load %[[ROWS]]
// CHECK:           vector.broadcast %[[A]] : f32 to vector<16xf32>
// CHECK-COUNT-16:  arith.addf %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK-COUNT-16: vector.store %{{.*}}, %[[ACC]]
// CHECK-NOT:     linalg.generic
// Half as many registers of half the size: 4 x 16.
// AVX2-LABEL:  func.func @linear(
// AVX2:          %{{.*}}:8 = scf.for
// AVX2-COUNT-8:    arith.addf %{{.*}} fastmath<contract> : vector<8xf32>
#row_k = affine_map<(i, j, k) -> (i, k)>
#column_k = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>
!view = memref<?x?xf32, strided<[?, 1], offset: ?>>
!part = memref<?x?xf32, strided<[256, 1]>>
func.func @linear(%x: !view, %w: !view, %m: index, %n: index, %left: index) {
  %c64 = arith.constant 64 : index
  %acc = memref.alloc() : memref<128x256xf32>
  %c = memref.subview %acc[0, 0] [%m, %n] [1, 1] : memref<128x256xf32> to !part
  %k = arith.minsi %left, %c64 : index
  %xk = memref.subview %x[0, 0] [%m, %k] [1, 1] : !view to !view
  linalg.generic {indexing_maps = [#row_k, #column_k, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xk, %w : !view, !view) outs(%c : !part) attrs = {tilewright.dot} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// bf16 factors are converted while they are packed, sixteen at a time; the micro-kernel is f32.
// CHECK-LABEL: func.func @narrow(
// CHECK:         %[[LOADED:.*]] = vector.load %{{.*}} : memref<?x?xbf16{{.*}}>, vector<16xbf16>
// CHECK-NEXT:    arith.bitcast %[[LOADED]] : vector<16xbf16> to vector<16xi16>
// CHECK-NOT:     tile.cast
// CHECK:         scf.for {{.*}} -> (vector<16xf32>
#row_k = affine_map<(i, j, k) -> (i, k)>
#column_k = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>
!view = memref<?x?xbf16, strided<[?, 1], offset: ?>>
func.func @narrow(%x: !view, %w: !view) {
  %acc = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#row_k, #column_k, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !view, !view) outs(%acc : memref<64x64xf32>) attrs = {tilewright.dot} {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %a32 = tile.cast %a : bf16 -> f32
    %b32 = tile.cast %b : bf16 -> f32
    %p = arith.mulf %a32, %b32 : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The accumulator is contiguous along the left factor's axis: the factors are exchanged. Both are contiguous along their own
// axis, so nothing is transposed: rows lie [k][8].
// CHECK-LABEL: func.func @exchanged(
// CHECK:         memref.alloc() : memref<8x256x8xf32>
// CHECK-NOT:     vector.shuffle
// CHECK:         scf.for {{.*}} -> (vector<16xf32>
#k_row = affine_map<(i, j, k) -> (k, i)>
#k_column = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (j, i)>
!view = memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func @exchanged(%x: !view, %w: !view) {
  %acc = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#k_row, #k_column, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !view, !view) outs(%acc : memref<64x64xf32>) attrs = {tilewright.dot} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %sum : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A buffer without room for whole blocks: the last block is computed apart and what exists of it is copied.
// CHECK-LABEL: func.func @no_room(
// CHECK:         scf.if
// CHECK:           vector.store %{{.*}} : memref<19x32xf32>, vector<16xf32>
// CHECK:         } else {
// CHECK:           %[[APART:.*]] = memref.alloc() : memref<8x32xf32>
// CHECK:           memref.store %{{.*}}, %[[APART]]
// CHECK:           vector.store %{{.*}}, %[[APART]]
// CHECK:           memref.load %[[APART]]
#row_k = affine_map<(i, j, k) -> (i, k)>
#column_k = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>
!view = memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func @no_room(%x: !view, %w: !view) {
  %acc = memref.alloc() : memref<19x32xf32>
  linalg.generic {indexing_maps = [#row_k, #column_k, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !view, !view) outs(%acc : memref<19x32xf32>) attrs = {tilewright.dot} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %sum : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A matrix times a vector is left to the loops.
// CHECK-LABEL: func.func @matrix_vector(
// CHECK:         linalg.generic
// REMARK:      it is a product of vectors, or of a matrix and a vector
#a = affine_map<(i, k) -> (i, k)>
#b = affine_map<(i, k) -> (k)>
#out = affine_map<(i, k) -> (i)>
func.func @matrix_vector(%x: memref<64x64xf32>, %v: memref<64xf32>) {
  %acc = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#a, #b, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x, %v : memref<64x64xf32>, memref<64xf32>) outs(%acc : memref<64xf32>) attrs = {tilewright.dot} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %sum : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// So are blocks that are too small, and products that are not marked.
// CHECK-LABEL: func.func @small_and_unmarked(
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// REMARK:      blocks of 2 x 64 x 64 are too small to be packed
#row_k = affine_map<(i, j, k) -> (i, k)>
#column_k = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>
func.func @small_and_unmarked(%x: memref<2x64xf32>, %w: memref<64x64xf32>) {
  %acc = memref.alloc() : memref<2x64xf32>
  linalg.generic {indexing_maps = [#row_k, #column_k, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<2x64xf32>, memref<64x64xf32>) outs(%acc : memref<2x64xf32>) attrs = {tilewright.dot} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %sum : f32
    linalg.yield %s : f32
  }
  %large = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#row_k, #column_k, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%large : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %sum : f32
    linalg.yield %s : f32
  }
  return
}
