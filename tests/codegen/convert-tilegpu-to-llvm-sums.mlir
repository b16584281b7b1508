// Outputs that are added to.
// RUN: tile-opt %s -split-input-file -assign-layouts -convert-tilegpu-to-llvm | FileCheck %s

!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 32>
!ii = tensor<8xi64, #tile.axes<"i">>
!ji = tensor<32xi64, #tile.axes<"j">>
!j = tensor<32xf32, #tile.axes<"j">>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!db = !tile.view<element = bf16, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 2>

// Several tiles add to one element: by partial sums in f32, one block for a chunk of tiles. begin clears all chunks at once; the
// tiles' threads each add to what is theirs; finish adds all chunks, many loads at a time, to the old value and rounds once.
// CHECK:       tilewright.entries = {begin = "column_sums_begin", finish = "column_sums_finish", tiles = "column_sums"}
// CHECK-SAME:  tilewright.message_words = 0 : i64
// CHECK-SAME:  tilewright.sums = [{dtype = "f32", kind = "add", view = "db"}]
// CHECK-LABEL: llvm.func @column_sums(
// CHECK:         llvm.getelementptr %arg0[3]
// CHECK:         %[[SUMS:.+]] = llvm.inttoptr
// CHECK:         llvm.getelementptr %arg0[2]
// CHECK:         llvm.getelementptr %arg0[4]
// CHECK:         scf.for
// CHECK:           %[[EXISTS:.+]] = arith.cmpi slt
// CHECK:           %[[PLACE:.+]] = llvm.getelementptr %[[SUMS]]{{.*}}, f32
// CHECK:           %[[FROM:.+]] = arith.select %{{.+}}, %[[PLACE]], %{{.+}}
// CHECK:           %[[OLD:.+]] = llvm.load %[[FROM]]
// CHECK:           %[[NEW:.+]] = arith.addf %[[OLD]], %{{.+}} : f32
// CHECK:           scf.if
// CHECK-NEXT:        llvm.store %[[NEW]], %[[PLACE]]
// CHECK-LABEL: llvm.func @column_sums_begin(
// CHECK-SAME:    nvvm.reqntid = array<i32: 256, 1, 1>
// CHECK:         nvvm.read.ptx.sreg.nctaid.x
// CHECK:         scf.for
// CHECK:           llvm.store %{{.+}} {alignment = 16 : i64} : vector<4xi32>
// CHECK-LABEL: llvm.func @column_sums_finish(
// CHECK:         scf.for
// CHECK:           %[[BEFORE:.+]] = llvm.load %[[OUTPUT:.+]] {{.*}} -> bf16
// CHECK:           %[[START:.+]] = tile.cast %[[BEFORE]] : bf16 -> f32
// CHECK:           %[[MOST:.+]] = scf.for {{.*}} iter_args(%{{.+}} = %[[START]])
// CHECK-COUNT-16:    llvm.load %{{.+}} -> f32
// CHECK-COUNT-16:    arith.addf
// CHECK:           %[[TOTAL:.+]] = scf.for {{.*}} iter_args(%{{.+}} = %[[MOST]])
// CHECK:             llvm.load %{{.+}} -> f32
// CHECK:           %[[ROUNDED:.+]] = tile.cast %[[TOTAL]] : f32 -> bf16
// CHECK-NEXT:      llvm.store %[[ROUNDED]], %[[OUTPUT]]
tile.kernel @column_sums(%x: !x, %db: !db, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ji = tile.index %j : !sj -> !ji
      %v = tile.load %x[%ji] spans(%j) compare [false] : !x, (!ji), spans(!sj) -> !j
      tile.accumulate add %v, %db[%ji] spans(%j) compare [false] shared : !j, !db, (!ji), spans(!sj)
    }
  }
}

// -----

!sj = !tile.span<"j", 32>
!ji = tensor<32xi64, #tile.axes<"j">>
!j = tensor<32xf32, #tile.axes<"j">>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["A...", "N"], access = out, unit_stride = 1, pack_rank = 2, alignment = 4>

// Each element belongs to one tile: the maximum is formed in the view, which begin sets to -inf, through both dimensions that
// the pack stands for.
// CHECK:       tilewright.entries = {begin = "owned_begin", tiles = "owned"}
// CHECK-SAME:  tilewright.sums = []
// CHECK-LABEL: llvm.func @owned(
// CHECK-NOT:     scf.for
// CHECK:         %[[VALUE:.+]] = llvm.load %{{.+}} invariant
// CHECK:         %[[OLD:.+]] = llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK:         arith.maximumf %[[OLD]], %[[VALUE]] fastmath<nsz> : f32
// CHECK-LABEL: llvm.func @owned_begin(
// CHECK:         %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
// CHECK:         scf.for
// CHECK:           arith.remui
// CHECK:           arith.divui
// CHECK:           arith.remui
// CHECK:           arith.divui
// CHECK:           llvm.store %[[LEAST]], %{{.+}} : f32
tile.kernel @owned(%x: !x, %y: !y, %a: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %v = tile.load %x[%ji] spans(%j) compare [false] : !x, (!ji), spans(!sj) -> !j
    tile.accumulate max %v, %y[%a, %ji] spans(%j) compare [false, false] : !j, !y, (i64, !ji), spans(!sj)
  }
}

// -----

!sj = !tile.span<"j", 32>
!ji = tensor<32xi64, #tile.axes<"j">>
!j = tensor<32xi32, #tile.axes<"j">>
!at = !tile.view<element = i64, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!h = !tile.view<element = i8, dims = ["B"], access = out, unit_stride = 0, pack_rank = 1, alignment = 1>

// Places from memory may meet. What any order gives the same result for is done by atomic operations. The maximum of u8 starts
// from 0 and is formed in i32.
// CHECK:       tilewright.sums = [{dtype = "i32", kind = "max", view = "h"}]
// CHECK-LABEL: llvm.func @most(
// CHECK:         scf.for
// CHECK:           arith.cmpi ult
// CHECK:           scf.if
// CHECK-NEXT:        llvm.atomicrmw max %{{.+}}, %{{.+}} syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK-LABEL: llvm.func @most_begin(
// CHECK:         %[[LEAST:.+]] = arith.constant 0 : i8
// CHECK:         %[[START:.+]] = tile.cast %[[LEAST]] source_unsigned : i8 -> i32
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             llvm.store %[[START]]
// CHECK-LABEL: llvm.func @most_finish(
// CHECK:         tile.cast %{{.+}} result_unsigned : i32 -> i8
tile.kernel @most(%at: !at, %h: !h, %N: i64, %B: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %v = arith.constant dense<7> : !j
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %p = tile.load %at[%ji] spans(%j) compare [false] : !at, (!ji), spans(!sj) -> !ji
    tile.accumulate max %v, %h[%p] spans(%j) compare [true] shared {is_unsigned} : !j, !h, (!ji), spans(!sj)
  }
}

// -----

!si = !tile.span<"i", 16>
!sr = !tile.span<"r", 2>
!ir = tensor<16x2xf32, #tile.axes<"i", "r">>
!ii = tensor<16xi64, #tile.axes<"i">>
!ri = tensor<2xi64, #tile.axes<"r">>
!iri = tensor<16x2xi64, #tile.axes<"i", "r">>
!y = !tile.view<element = f32, dims = ["L"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// The order of float additions matters, so threads that meet are sorted out: each shows its address and its value, and the first
// one with an address adds all that is shown for it, in the order of the threads.
// CHECK-LABEL: llvm.func @smear(
// CHECK:         %[[ADDRESSES:.+]] = llvm.getelementptr %{{.+}}[256]
// CHECK:         %[[VALUES:.+]] = llvm.getelementptr %[[ADDRESSES]][256]
// CHECK:         %[[ADDRESS:.+]] = llvm.ptrtoint %[[PLACE:.+]] : !llvm.ptr<1> to i64
// CHECK:         %[[MINE:.+]] = arith.select %{{.+}}, %[[ADDRESS]], %{{.+}} : i64
// CHECK:         llvm.store %[[MINE]], %{{.+}} : i64, !llvm.ptr<3>
// CHECK:         llvm.store %{{.+}} : f32, !llvm.ptr<3>
// CHECK:         nvvm.barrier0
// CHECK:         scf.if
// CHECK:           %[[OLD:.+]] = llvm.load %[[PLACE]]
// CHECK:           %[[ALL:.+]]:2 = scf.for %[[THREAD:.+]] = {{.*}} iter_args(%[[TOTAL:.+]] = %[[OLD]], %[[IS_FIRST:.+]] = %{{.+}})
// CHECK:             %[[OTHER:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> i64
// CHECK:             %[[SHOWN:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK:             %[[SAME:.+]] = arith.cmpi eq, %[[OTHER]], %[[MINE]]
// CHECK:             %[[MORE:.+]] = arith.addf %[[TOTAL]], %[[SHOWN]]
// CHECK:             %[[NEXT:.+]] = arith.select %[[SAME]], %[[MORE]], %[[TOTAL]]
// CHECK:             %[[NOT_BEFORE:.+]] = arith.cmpi sge, %[[THREAD]], %{{.+}}
// CHECK:             scf.yield %[[NEXT]]
// CHECK:           scf.if %[[ALL]]#1
// CHECK-NEXT:        llvm.store %[[ALL]]#0, %[[PLACE]]
// CHECK:         nvvm.barrier0
tile.kernel @smear(%y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %v = arith.constant dense<1.0> : !ir
  %r = tile.span : !sr
  tile.parallel "i" %i : !si in %c0 to %N {
    %ii = tile.index %i : !si -> !ii
    %ri = tile.index %r : !sr -> !ri
    %a = tile.broadcast %ii : !ii -> !iri
    %b = tile.broadcast %ri : !ri -> !iri
    %p = arith.addi %a, %b : !iri
    tile.accumulate add %v, %y[%p] spans(%i, %r) compare [false] shared {tilegpu.scratch_offset = 256 : i64} : !ir, !y, (!iri), spans(!si, !sr)
  }
}

// -----

!sj = !tile.span<"j", 32>
!ji = tensor<32xi64, #tile.axes<"j">>
!j = tensor<32xi32, #tile.axes<"j">>
!at = !tile.view<element = i64, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!n = !tile.view<element = i32, dims = ["B"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = i32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>

// An atomic gives the old value, and 0 where nothing is written. Every thread has its own elements: nothing to pass on.
// CHECK-LABEL: llvm.func @slots(
// CHECK-NOT:     nvvm.barrier0
// CHECK:         %[[OLD:.+]] = scf.if %{{.+}} -> (i32) {
// CHECK-NEXT:      %[[BEFORE:.+]] = llvm.atomicrmw add %{{.+}}, %{{.+}} syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK-NEXT:      scf.yield %[[BEFORE]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield
// CHECK:         llvm.store %[[OLD]]
// CHECK-NOT:     nvvm.barrier0
// CHECK:         llvm.return
tile.kernel @slots(%at: !at, %n: !n, %y: !y, %N: i64, %B: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %p = tile.load %at[%ji] spans(%j) compare [false] : !at, (!ji), spans(!sj) -> !ji
    %old = tile.atomic_rmw add %one, %n[%p] spans(%j) compare [true] : i32, !n, (!ji), spans(!sj) -> !j
    tile.store %old, %y[%ji] spans(%j) compare [false] : !j, !y, (!ji), spans(!sj)
  }
}

// -----

!n = !tile.view<element = i64, dims = ["B"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 8>
!y = !tile.view<element = i64, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>

// One thread changes what a scalar names; all threads have the old value.
// CHECK-LABEL: llvm.func @one_slot(
// CHECK:         %[[OLD:.+]] = scf.if %{{.+}} -> (i64) {
// CHECK-NEXT:      llvm.atomicrmw add
// CHECK:         scf.if
// CHECK-NEXT:      llvm.store %[[OLD]], %[[SHARED:.+]] {{.*}} !llvm.ptr<3>
// CHECK:         nvvm.barrier0
// CHECK:         %[[KNOWN:.+]] = llvm.load %[[SHARED]]
// CHECK:         llvm.store %[[KNOWN]], %{{.+}} : i64, !llvm.ptr<1>
tile.kernel @one_slot(%n: !n, %y: !y, %N: i64, %B: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  tile.parallel "j" %j : i64 in %c0 to %N {
    %old = tile.atomic_rmw add %one, %n[%c0] compare [false] {tilegpu.scratch_offset = 64 : i64} : i64, !n, (i64) -> i64
    tile.store %old, %y[%j] compare [false] : i64, !y, (i64)
  }
}

// -----

!m = !tile.view<element = f32, dims = ["B"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
!d = !tile.view<element = f64, dims = ["B"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>

// Floats are compared as integers: those from +0 on as signed ones, the others backwards. A nan is made positive for a maximum,
// negative for a minimum; one that is in memory stays.
// CHECK-LABEL: llvm.func @extremes(
// CHECK-DAG:     %[[NAN32:.+]] = arith.constant 0x7FC00000 : f32
// CHECK-DAG:     %[[NAN64:.+]] = arith.constant 0xFFF8000000000000 : f64
// CHECK:         %[[OLD:.+]] = llvm.load %[[PLACE:.+]] atomic syncscope("device") monotonic {{.*}} -> f32
// CHECK:         %[[STAYS:.+]] = arith.cmpf uno, %[[OLD]], %[[OLD]]
// CHECK:         %[[BEYOND:.+]] = arith.cmpf ogt, %[[OLD]], %[[VALUE:.+]] : f32
// CHECK:         arith.ori %[[STAYS]], %[[BEYOND]]
// CHECK:         } else {
// CHECK:           %[[IS_NAN:.+]] = arith.cmpf uno, %[[VALUE]], %[[VALUE]]
// CHECK:           %[[SURE:.+]] = arith.select %[[IS_NAN]], %[[NAN32]], %[[VALUE]]
// CHECK:           %[[BITS:.+]] = arith.bitcast %[[SURE]] : f32 to i32
// CHECK:           arith.cmpi slt, %[[BITS]]
// CHECK:           llvm.atomicrmw umin %[[PLACE]], %[[BITS]]
// CHECK:           llvm.atomicrmw max %[[PLACE]], %[[BITS]]
// CHECK:         arith.cmpf olt
// CHECK:         arith.select %{{.+}}, %[[NAN64]]
// CHECK:         llvm.atomicrmw umax
// CHECK:         llvm.atomicrmw min
// CHECK-LABEL: llvm.func @extremes_begin(
// CHECK:         %[[MOST:.+]] = arith.constant 0x7FF0000000000000 : f64
// CHECK:         llvm.store %[[MOST]]
// CHECK-NOT:     llvm.store
tile.kernel @extremes(%m: !m, %d: !d, %a: f32, %b: f64, %B: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.atomic_rmw max %a, %m[%c0] compare [false] : f32, !m, (i64)
  tile.atomic_rmw min %b, %d[%c0] compare [false] : f64, !d, (i64)
}

// -----

!sj = !tile.span<"j", 32>
!ji = tensor<32xi64, #tile.axes<"j">>
!j = tensor<32xf32, #tile.axes<"j">>
!at = !tile.view<element = i64, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 4>

// A promise that is to be verified: each chunk counts what it writes (the store whose places are no promise too, since the two
// may meet), and finish reports an element of more than one: its indices and the count.
// CHECK:       tilewright.message_words = 5 : i64
// CHECK-SAME:  tilewright.sums = [{dtype = "i32", kind = "count", view = "y"}]
// CHECK-LABEL: llvm.func @promised(
// CHECK-COUNT-2: llvm.atomicrmw add %{{.+}} syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK-LABEL: llvm.func @promised_finish(
// CHECK:         %[[COLUMN:.+]] = arith.remui
// CHECK:         %[[ROW:.+]] = arith.divui
// CHECK:         scf.for
// CHECK:         %[[COUNT:.+]] = scf.for
// CHECK:         %[[AGAIN:.+]] = arith.cmpi sgt, %[[COUNT]], %{{.+}} : i32
// CHECK:         scf.if %[[AGAIN]]
// CHECK:           llvm.atomicrmw add %{{.+}} : !llvm.ptr<1>, i64
// CHECK:           llvm.store %[[ROW]]
// CHECK:           llvm.store %[[COLUMN]]
// CHECK:           %[[WORD:.+]] = arith.extui %[[COUNT]] : i32 to i64
// CHECK-NEXT:      llvm.store %[[WORD]]
// CHECK-NOT:     llvm.store
tile.kernel @promised(%at: !at, %y: !y, %M: i64, %N: i64) dimensions = 2 checked {
  %c0 = arith.constant 0 : i64
  %v = arith.constant dense<1.0> : !j
  tile.parallel "j" %j : !sj in %c0 to %N {
    %ji = tile.index %j : !sj -> !ji
    %p = tile.load %at[%ji] spans(%j) compare [false] : !at, (!ji), spans(!sj) -> !ji
    tile.store %v, %y[%p, %ji] spans(%j) compare [true, false] promised_unique message 5 : !j, !y, (!ji, !ji), spans(!sj)
    tile.store %v, %y[%c0, %ji] spans(%j) compare [false, false] : !j, !y, (i64, !ji), spans(!sj)
  }
}
