// print and assert write to the message buffer.
// RUN: tile-opt %s -split-input-file -assign-layouts -convert-tilegpu-to-llvm | FileCheck %s

!si = !tile.span<"i", 2>
!sj = !tile.span<"j", 16>
!at = tensor<2xi64, #tile.axes<"i">>
!jat = tensor<16xi64, #tile.axes<"j">>
!t = tensor<2x16xf32, #tile.axes<"i", "j">>
!x = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>

// One thread reserves the words of all elements that exist: 4 for each. Each element's owner writes its record at its row-major
// number among them, if it fits: the message, the number of values, the values in the low bytes of a word each.
// CHECK:       tilewright.message_words = 128 : i64
// CHECK-LABEL: llvm.func @table(
// CHECK:         %[[ROWS:.+]] = arith.muli %{{.+}}, %{{.+}} : i64
// CHECK:         %[[SHARED:.+]] = llvm.getelementptr %{{.+}}[128]
// CHECK:         scf.if
// CHECK:           llvm.getelementptr %arg0[0]
// CHECK:           %[[USED:.+]] = scf.if %{{.+}} -> (i64) {
// CHECK:             llvm.atomicrmw add %{{.+}} syncscope("device") monotonic : !llvm.ptr<1>, i64
// CHECK:           llvm.store %[[USED]], %[[SHARED]]
// CHECK:         nvvm.barrier0
// CHECK:         %[[BEFORE:.+]] = llvm.load %[[SHARED]]
// CHECK:         scf.if
// CHECK:           %[[ROW_START:.+]] = arith.muli %{{.+}}, %[[LENGTH:.+]] : i64
// CHECK:           %[[NUMBER:.+]] = arith.addi %[[ROW_START]], %{{.+}} : i64
// CHECK:           %[[OFFSET:.+]] = arith.muli %[[NUMBER]], %{{.+}} : i64
// CHECK:           arith.addi %[[BEFORE]], %[[OFFSET]] : i64
// CHECK:           llvm.getelementptr %arg0[1]
// CHECK:           %[[FITS:.+]] = arith.cmpi sle
// CHECK:           scf.if %[[FITS]]
// CHECK:             llvm.store %c3_i64
// CHECK:             llvm.store %c2_i64
// CHECK:             llvm.store
// CHECK:             %[[BITS:.+]] = arith.bitcast %{{.+}} : f32 to i32
// CHECK:             %[[WORD:.+]] = arith.extui %[[BITS]] : i32 to i64
// CHECK:             llvm.store %[[WORD]]
tile.kernel @table(%x: !x, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %at = tile.index %i : !si -> !at
      %jat = tile.index %j : !sj -> !jat
      %v = tile.load %x[%at, %jat] spans(%i, %j) compare [false, false] : !x, (!at, !jat), spans(!si, !sj) -> !t
      tile.print 3 (%at, %v : !at, !t) spans(%i, %j : !si, !sj) unsigned [false, false] {tilegpu.scratch_offset = 128 : i64}
    }
  }
}

// -----

!si = !tile.span<"i", 32>
!at = tensor<32xi64, #tile.axes<"i">>
!t = tensor<32xf32, #tile.axes<"i">>
!b = tensor<32xi1, #tile.axes<"i">>
!x = !tile.view<element = f32, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>

// The threads agree on the first element that is wrong, whose owner reports it before the tile goes on:
// messages keep the order of the program.
// CHECK:       tilewright.message_words = 3 : i64
// CHECK-LABEL: llvm.func @checked(
// CHECK:         %[[NONE:.+]] = arith.constant 2147483647 : i32
// CHECK:         %[[FIRST:.+]] = llvm.getelementptr %{{.+}}[64]
// CHECK:         scf.if
// CHECK:           llvm.store %[[NONE]], %[[FIRST]]
// CHECK:         %[[WRONG:.+]] = arith.xori
// CHECK:         %[[FAILS:.+]] = arith.andi %{{.+}}, %[[WRONG]]
// CHECK:         %[[MINE:.+]] = arith.select %[[FAILS]], %{{.+}}, %[[NONE]] : i32
// CHECK:         nvvm.barrier0
// CHECK:         arith.cmpi ne, %[[MINE]], %[[NONE]]
// CHECK:         llvm.atomicrmw min %[[FIRST]], %[[MINE]] syncscope("block") monotonic : !llvm.ptr<3>, i32
// CHECK:         nvvm.barrier0
// CHECK:         %[[ALL:.+]] = llvm.load %[[FIRST]]
// CHECK:         %[[ANY:.+]] = arith.cmpi ne, %[[ALL]], %[[NONE]]
// CHECK:         scf.if %[[ANY]]
// CHECK:           arith.cmpi eq, %[[MINE]], %[[ALL]]
// CHECK:           llvm.store %c4_i64
// CHECK:           llvm.store %c1_i64
// CHECK:           arith.bitcast %{{.+}} : f32 to i32
// CHECK:           nvvm.barrier0
tile.kernel @checked(%x: !x, %M: i64) dimensions = 1 checked {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : !t
  tile.parallel "i" %i : !si in %c0 to %M {
    %at = tile.index %i : !si -> !at
    %v = tile.load %x[%at] spans(%i) compare [false] : !x, (!at), spans(!si) -> !t
    %ok = arith.cmpf oge, %v, %zero : !t
    tile.assert 4 %ok (%v : !t) spans(%i : !si) {tilegpu.scratch_offset = 64 : i64} : !b
  }
}

// -----

// What a whole tile has to say one thread says.
// CHECK:       tilewright.message_words = 4 : i64
// CHECK-LABEL: llvm.func @scalars(
// CHECK-NOT:     nvvm.barrier0
// CHECK:         %[[IS_TRUE:.+]] = arith.cmpi sgt
// CHECK:         %[[SPEAKS:.+]] = arith.cmpi eq
// CHECK:         scf.if %[[SPEAKS]]
// CHECK:           llvm.atomicrmw add
// CHECK:         %[[IS_FALSE:.+]] = arith.xori %[[IS_TRUE]]
// CHECK:         arith.andi %{{.+}}, %[[IS_FALSE]]
// CHECK:           llvm.atomicrmw add
// CHECK:           %[[WORD:.+]] = arith.extui %[[IS_TRUE]] : i1 to i64
// CHECK-NEXT:      llvm.store %[[WORD]]
tile.kernel @scalars(%a: i64, %h: f16, %M: i64) dimensions = 1 checked {
  %c0 = arith.constant 0 : i64
  %ok = arith.cmpi sgt, %a, %c0 : i64
  tile.print 1 (%a, %h : i64, f16) unsigned [false, false]
  tile.assert 4 %ok (%ok : i1) : i1
}

// -----

// Asserts run in checked mode only.
// CHECK:       tilewright.message_words = 0 : i64
// CHECK-LABEL: llvm.func @unchecked(
// CHECK-NEXT:    llvm.return
tile.kernel @unchecked(%a: i64, %M: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %ok = arith.cmpi sgt, %a, %c0 : i64
  tile.assert 4 %ok : i1
}
