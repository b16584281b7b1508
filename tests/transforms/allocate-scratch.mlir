// Buffers of @tw_cpu_tiles get constant offsets in the scratch argument.
// RUN: tile-opt %s --allocate-scratch --split-input-file --verify-diagnostics | FileCheck %s

// An allocation becomes an address in the scratch, with a descriptor around it; deallocations go.
// CHECK:       module attributes {tilewright.scratch_bytes = 512 : i64}
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK-SAME:    %{{.*}}: index, %[[SCRATCH:.*]]: !llvm.ptr
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds %[[SCRATCH]][0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         llvm.insertvalue %[[P]], %{{.*}}[1]
// CHECK:         %[[B:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<{{.*}}> to memref<8x16xf32>
// CHECK:         memref.load %[[B]]
// CHECK-NOT:     memref.dealloc
func.func @tw_cpu_tiles(%i: index, %scratch: !llvm.ptr) -> f32 {
  %b = memref.alloc() : memref<8x16xf32>
  %x = memref.load %b[%i, %i] : memref<8x16xf32>
  memref.dealloc %b : memref<8x16xf32>
  return %x : f32
}

// -----

// Two that live together do not share; offsets are multiples of 64, the largest buffer is first.
// CHECK:       scratch_bytes = 320
// CHECK:         getelementptr inbounds %{{.*}}[256]
// CHECK:         to memref<3xi8>
// CHECK:         getelementptr inbounds %{{.*}}[0]
// CHECK:         to memref<64xf32>
func.func @tw_cpu_tiles(%i: index, %scratch: !llvm.ptr) -> (i8, f32) {
  %a = memref.alloc() : memref<3xi8>
  %b = memref.alloc() : memref<64xf32>
  %x = memref.load %a[%i] : memref<3xi8>
  %y = memref.load %b[%i] : memref<64xf32>
  return %x, %y : i8, f32
}

// -----

// Buffers of two loops that follow each other share, though their sizes differ: at the same offset, never overlapping in part.
// The one that both loops use lives through both.
// CHECK:       scratch_bytes = 1536
// CHECK:         getelementptr inbounds %{{.*}}[0]
// CHECK:         to memref<256xf32>
// CHECK:         scf.for
// CHECK:           getelementptr inbounds %{{.*}}[1024]
// CHECK:           to memref<128xf32>
// CHECK:         scf.for
// CHECK:           getelementptr inbounds %{{.*}}[1024]
// CHECK:           to memref<16xf32>
func.func @tw_cpu_tiles(%n: index, %scratch: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %large = memref.alloc() : memref<256xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<128xf32>
    %x = memref.load %a[%i] : memref<128xf32>
    memref.store %x, %large[%i] : memref<256xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<16xf32>
    %x = memref.load %large[%i] : memref<256xf32>
    memref.store %x, %b[%i] : memref<16xf32>
  }
  return
}

// -----

// A view of a buffer keeps it alive.
// CHECK:       scratch_bytes = 128
func.func @tw_cpu_tiles(%n: index, %scratch: !llvm.ptr) -> f32 {
  %a = memref.alloc() : memref<16xf32>
  %part = memref.subview %a[0] [%n] [1] : memref<16xf32> to memref<?xf32, strided<[1]>>
  %b = memref.alloc() : memref<16xf32>
  memref.copy %part, %b : memref<?xf32, strided<[1]>> to memref<16xf32>
  %x = memref.load %b[%n] : memref<16xf32>
  return %x : f32
}

// -----

// Kernels without buffers need no scratch.
// CHECK:       scratch_bytes = 0
func.func @tw_cpu_tiles(%n: index) {
  return
}

// -----

// Other functions are left alone.
// CHECK:       scratch_bytes = 0
// CHECK:         memref.alloc
func.func @helper() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}

// -----

func.func @tw_cpu_tiles(%n: index, %scratch: !llvm.ptr) {
  // expected-error @below {{a scratch buffer needs a static shape and the identity layout, found 'memref<?xf32>'}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @tw_cpu_tiles(%n: index, %scratch: !llvm.ptr) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> memref<4xf32> {
    // expected-error @below {{a buffer allocated in a loop is carried to the loop's next iteration, where it would meet itself}}
    %new = memref.alloc() : memref<4xf32>
    memref.copy %old, %new : memref<4xf32> to memref<4xf32>
    scf.yield %new : memref<4xf32>
  }
  %x = memref.load %last[%c0] : memref<4xf32>
  return %x : f32
}

// -----

func.func @tw_cpu_tiles(%scratch: !llvm.ptr) -> memref<4xf32> {
  // expected-error @below {{a scratch buffer may leave its block by scf.yield only, found func.return}}
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}
