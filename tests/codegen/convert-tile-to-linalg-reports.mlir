// print and assert call the function in slot 0.
// RUN: tile-opt %s -split-input-file -convert-tile-to-linalg | FileCheck %s

!si = !tile.span<"i", 8>
!at = tensor<8xi64, #tile.axes<"i">>
!t = tensor<8xf32, #tile.axes<"i">>
!b = tensor<8xi1, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>

// One report for each element; values stand in the low bytes of the slots. An assert tests a whole tile at once; only if it fails,
// a second nest looks for the first element that is wrong and reports its values.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK:         %[[VALUES:.+]] = llvm.alloca %{{.+}} x i64
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[BITS:.+]] = arith.bitcast %{{.+}} : f32 to i32
// CHECK:             %[[SLOT:.+]] = arith.extui %[[BITS]] : i32 to i64
// CHECK:             llvm.store %[[SLOT]]
// CHECK:             llvm.call %{{.+}}(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, i64) -> ()
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK:           scf.if
// CHECK:             llvm.store %[[NO:.+]], %[[DONE:.+]] : i1
// CHECK:             scf.for
// CHECK:               %[[IS_DONE:.+]] = llvm.load %[[DONE]] : !llvm.ptr -> i1
// CHECK:               %[[OTHER:.+]] = arith.ori %{{.+}}, %[[IS_DONE]]
// CHECK:               %[[HERE:.+]] = arith.xori %[[OTHER]]
// CHECK:               scf.if %[[HERE]]
// CHECK:                 arith.bitcast %{{.+}} : f32 to i32
// CHECK:                 llvm.call
// CHECK:                 llvm.store %{{.+}}, %[[DONE]] : i1
tile.kernel @checked(%x: !x, %M: i64) dimensions = 1 checked {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !t
  tile.parallel "i" %i : !si in %c0 to %M {
    %at = tile.index %i : !si -> !at
    %v = tile.load %x[%at] spans(%i) compare [false] : !x, (!at), spans(!si) -> !t
    tile.print 3 (%v : !t) spans(%i : !si) unsigned [false]
    %ok = arith.cmpf oge, %v, %zero : !t
    tile.assert 4 %ok (%v : !t) spans(%i : !si) : !b
  }
}

// -----

// A condition on the whole tile needs no search.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK-NOT:     alloca %{{.+}} x i1
// CHECK:         scf.if
// CHECK-NEXT:      llvm.getelementptr
// CHECK-NOT:       scf.for
// CHECK:           llvm.call
tile.kernel @whole(%a: i64, %M: i64) dimensions = 1 checked {
  %c0 = arith.constant 0 : i64
  %ok = arith.cmpi sgt, %a, %c0 : i64
  tile.assert 4 %ok (%a : i64) : i1
}

// -----

// Asserts run in checked mode only.
// CHECK-LABEL: func.func @tw_cpu_tiles(
// CHECK-NOT:     llvm.call
tile.kernel @unchecked(%a: i64, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %ok = arith.cmpi sgt, %a, %c0 : i64
  tile.assert 4 %ok : i1
}
