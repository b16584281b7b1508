#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module attributes {tilewright.grid = "product", tilewright.sums = []} {
  func.func @tw_cpu_count(%arg0: !llvm.ptr) -> i64 {
    %c128_i64 = arith.constant 128 : i64
    %c127_i64 = arith.constant 127 : i64
    %c64_i64 = arith.constant 64 : i64
    %c63_i64 = arith.constant 63 : i64
    %0 = llvm.getelementptr %arg0[22] : (!llvm.ptr) -> !llvm.ptr, i64
    %1 = llvm.load %0 : !llvm.ptr -> i64
    %2 = llvm.getelementptr %arg0[24] : (!llvm.ptr) -> !llvm.ptr, i64
    %3 = llvm.load %2 : !llvm.ptr -> i64
    %c0_i64 = arith.constant 0 : i64
    %4 = arith.maxsi %1, %c0_i64 : i64
    %5 = arith.addi %4, %c63_i64 : i64
    %6 = arith.divui %5, %c64_i64 : i64
    %7 = arith.maxsi %3, %c0_i64 : i64
    %8 = arith.addi %7, %c127_i64 : i64
    %9 = arith.divui %8, %c128_i64 : i64
    %10 = arith.muli %6, %9 : i64
    return %10 : i64
  }
  func.func @tw_cpu_begin(%arg0: !llvm.ptr, %arg1: i64) {
    return
  }
  func.func @tw_cpu_tiles(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: i64, %arg4: !llvm.ptr) {
    %c256_i64 = arith.constant 256 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c128_i64 = arith.constant 128 : i64
    %c127_i64 = arith.constant 127 : i64
    %c64_i64 = arith.constant 64 : i64
    %c1_i64 = arith.constant 1 : i64
    %c9223372036854775807_i64 = arith.constant 9223372036854775807 : i64
    %c0_i64 = arith.constant 0 : i64
    %0 = llvm.getelementptr %arg0[4] : (!llvm.ptr) -> !llvm.ptr, i64
    %1 = llvm.load %0 : !llvm.ptr -> i64
    %2 = llvm.inttoptr %1 : i64 to !llvm.ptr
    %3 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %4 = llvm.insertvalue %2, %3[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %5 = llvm.insertvalue %2, %4[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %6 = llvm.insertvalue %c0_i64, %5[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %7 = llvm.insertvalue %c9223372036854775807_i64, %6[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %8 = llvm.insertvalue %c1_i64, %7[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %9 = builtin.unrealized_conversion_cast %8 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xf32>
    %10 = llvm.getelementptr %arg0[7] : (!llvm.ptr) -> !llvm.ptr, i64
    %11 = llvm.load %10 : !llvm.ptr -> i64
    %12 = llvm.getelementptr %arg0[9] : (!llvm.ptr) -> !llvm.ptr, i64
    %13 = llvm.load %12 : !llvm.ptr -> i64
    %14 = llvm.inttoptr %13 : i64 to !llvm.ptr
    %15 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %16 = llvm.insertvalue %14, %15[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %17 = llvm.insertvalue %14, %16[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %18 = llvm.insertvalue %c0_i64, %17[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %19 = llvm.insertvalue %c9223372036854775807_i64, %18[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %20 = llvm.insertvalue %c1_i64, %19[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %21 = builtin.unrealized_conversion_cast %20 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xf32>
    %22 = llvm.getelementptr %arg0[12] : (!llvm.ptr) -> !llvm.ptr, i64
    %23 = llvm.load %22 : !llvm.ptr -> i64
    %24 = llvm.getelementptr %arg0[14] : (!llvm.ptr) -> !llvm.ptr, i64
    %25 = llvm.load %24 : !llvm.ptr -> i64
    %26 = llvm.inttoptr %25 : i64 to !llvm.ptr
    %27 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %28 = llvm.insertvalue %26, %27[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %29 = llvm.insertvalue %26, %28[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %30 = llvm.insertvalue %c0_i64, %29[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %31 = llvm.insertvalue %c9223372036854775807_i64, %30[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %32 = llvm.insertvalue %c1_i64, %31[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %33 = builtin.unrealized_conversion_cast %32 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xf32>
    %34 = llvm.getelementptr %arg0[17] : (!llvm.ptr) -> !llvm.ptr, i64
    %35 = llvm.load %34 : !llvm.ptr -> i64
    %36 = llvm.inttoptr %35 : i64 to !llvm.ptr
    %37 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %38 = llvm.insertvalue %36, %37[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %39 = llvm.insertvalue %36, %38[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %40 = llvm.insertvalue %c0_i64, %39[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %41 = llvm.insertvalue %c9223372036854775807_i64, %40[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %42 = llvm.insertvalue %c1_i64, %41[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %43 = builtin.unrealized_conversion_cast %42 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xf32>
    %44 = llvm.getelementptr %arg0[20] : (!llvm.ptr) -> !llvm.ptr, i64
    %45 = llvm.load %44 : !llvm.ptr -> i64
    %46 = llvm.getelementptr %arg0[22] : (!llvm.ptr) -> !llvm.ptr, i64
    %47 = llvm.load %46 : !llvm.ptr -> i64
    %48 = llvm.getelementptr %arg0[23] : (!llvm.ptr) -> !llvm.ptr, i64
    %49 = llvm.load %48 : !llvm.ptr -> i64
    %50 = llvm.getelementptr %arg0[24] : (!llvm.ptr) -> !llvm.ptr, i64
    %51 = llvm.load %50 : !llvm.ptr -> i64
    %c0_i64_0 = arith.constant 0 : i64
    %52 = arith.maxsi %51, %c0_i64_0 : i64
    %53 = arith.addi %52, %c127_i64 : i64
    %54 = arith.divui %53, %c128_i64 : i64
    scf.for %arg5 = %arg1 to %arg2 step %c1_i64  : i64 {
      %55 = arith.remui %arg5, %54 : i64
      %56 = arith.divui %arg5, %54 : i64
      %57 = arith.muli %55, %c128_i64 : i64
      %58 = arith.subi %51, %57 : i64
      %59 = arith.minsi %58, %c128_i64 : i64
      %60 = arith.index_cast %59 : i64 to index
      %61 = arith.muli %56, %c64_i64 : i64
      %62 = arith.subi %47, %61 : i64
      %63 = arith.minsi %62, %c64_i64 : i64
      %64 = arith.index_cast %63 : i64 to index
      %alloc = memref.alloc() : memref<64x128xf32>
      %subview = memref.subview %alloc[0, 0] [%64, %60] [1, 1] : memref<64x128xf32> to memref<?x?xf32, strided<[128, 1]>>
      linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%subview : memref<?x?xf32, strided<[128, 1]>>) {
      ^bb0(%out: f32):
        linalg.yield %cst : f32
      }
      scf.for %arg6 = %c0_i64_0 to %49 step %c256_i64  : i64 {
        %70 = arith.subi %49, %arg6 : i64
        %71 = arith.minsi %70, %c256_i64 : i64
        %72 = arith.index_cast %71 : i64 to index
        %subview_3 = memref.subview %alloc[0, 0] [%64, %60] [1, 1] : memref<64x128xf32> to memref<?x?xf32, strided<[128, 1]>>
        %73 = arith.muli %61, %11 : i64
        %74 = arith.addi %73, %arg6 : i64
        %75 = arith.index_cast %11 : i64 to index
        %76 = arith.index_cast %74 : i64 to index
        %reinterpret_cast_4 = memref.reinterpret_cast %9 to offset: [%76], sizes: [%64, %72], strides: [%75, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
        %77 = arith.muli %57, %23 : i64
        %78 = arith.addi %77, %arg6 : i64
        %79 = arith.index_cast %23 : i64 to index
        %80 = arith.index_cast %78 : i64 to index
        %reinterpret_cast_5 = memref.reinterpret_cast %21 to offset: [%80], sizes: [%60, %72], strides: [%79, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
        linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%reinterpret_cast_4, %reinterpret_cast_5 : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%subview_3 : memref<?x?xf32, strided<[128, 1]>>) attrs =  {tilewright.dot} {
        ^bb0(%in: f32, %in_6: f32, %out: f32):
          %81 = arith.mulf %in, %in_6 fastmath<contract> : f32
          %82 = arith.addf %out, %81 fastmath<contract> : f32
          linalg.yield %82 : f32
        }
      }
      %65 = arith.muli %61, %45 : i64
      %66 = arith.addi %65, %57 : i64
      %67 = arith.index_cast %45 : i64 to index
      %68 = arith.index_cast %66 : i64 to index
      %reinterpret_cast = memref.reinterpret_cast %43 to offset: [%68], sizes: [%64, %60], strides: [%67, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
      %subview_1 = memref.subview %alloc[0, 0] [%64, %60] [1, 1] : memref<64x128xf32> to memref<?x?xf32, strided<[128, 1]>>
      %69 = arith.index_cast %57 : i64 to index
      %reinterpret_cast_2 = memref.reinterpret_cast %33 to offset: [%69], sizes: [%60], strides: [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_1, %reinterpret_cast_2 : memref<?x?xf32, strided<[128, 1]>>, memref<?xf32, strided<[1], offset: ?>>) outs(%reinterpret_cast : memref<?x?xf32, strided<[?, 1], offset: ?>>) {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %70 = arith.addf %in, %in_3 fastmath<contract> : f32
        %71 = arith.maximumf %70, %cst : f32
        linalg.yield %71 : f32
      }
    }
    return
  }
  func.func @tw_cpu_finish(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: i64, %arg4: i64) {
    return
  }
}

