// What combines the elements along an axis, in the layouts that assign-layouts gives: of 2,048 elements along k the lowest five bits
// of k are the lane's, the next two the warp's, the others the register's.
// RUN: tile-opt %s -split-input-file -assign-layouts -allocate-shared-memory -convert-tilegpu-to-llvm | FileCheck %s

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!k = !tile.span<"k", 2048>
!i = tensor<2048xi64, #tile.axes<"k">>
!a = tensor<2048xf32, #tile.axes<"k">>

// First registers, then lanes, then warps. A thread's sum may be contracted; what threads combine may not: both must get the same.
// A warp's lane 0 leaves what its lanes have, and all threads combine what the warps left in one order.
// CHECK:       tilewright.shared_bytes = 16
// CHECK-LABEL: llvm.func @warps(
// CHECK-DAG:     %[[LANE:.+]] = arith.andi %{{.+}}, %c31_i32
// CHECK-COUNT-14: arith.addf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK:         %[[OWN:.+]] = arith.addf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK:         %[[OTHER:.+]] = nvvm.shfl.sync bfly %c-1_i32, %[[OWN]], %c1_i32, %c31_i32 : f32 -> f32
// CHECK:         arith.addf %[[OWN]], %[[OTHER]] : f32
// CHECK:         nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c2_i32,
// CHECK:         nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c4_i32,
// CHECK:         nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c8_i32,
// CHECK:         %[[LAST:.+]] = nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c16_i32,
// CHECK:         %[[WARP:.+]] = arith.addf %{{.+}}, %[[LAST]] : f32
// CHECK:         %[[WRITES:.+]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK:         scf.if %[[WRITES]] {
// CHECK:           llvm.store %[[WARP]], %{{.+}} : f32, !llvm.ptr<3>
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.barrier0
// CHECK:         %[[W0:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK:         %[[W1:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK:         %[[W2:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK:         %[[W3:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK:         %[[LOW:.+]] = arith.addf %[[W0]], %[[W1]] : f32
// CHECK:         %[[HIGH:.+]] = arith.addf %[[W2]], %[[W3]] : f32
// CHECK:         %[[SUM:.+]] = arith.addf %[[LOW]], %[[HIGH]] : f32
// CHECK-NOT:     nvvm.barrier0
// CHECK:         llvm.store %[[SUM]], %{{.+}} : f32, !llvm.ptr<1>
tile.kernel @warps(%y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %k = tile.span : !k
  %i = tile.index %k : !k -> !i
  %a = tile.cast %i : !i -> !a
  %r = tile.reduce add %a over (%k) : !a, !k -> f32
  tile.store %r, %y[%c0] compare [false] : f32, !y, (i64)
}

// -----

!y = !tile.view<element = i64, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>
!k = !tile.span<"k", 5>
!i = tensor<5xi64, #tile.axes<"k">>

// Five elements of eight places: lanes 0 to 7 have them, the others have the same once more and take no part. Elements that do not
// exist are the identity. 64 bits are shuffled as two words. One warp needs no shared memory.
// CHECK:       tilewright.shared_bytes = 0
// CHECK-LABEL: llvm.func @lanes(
// CHECK:         %[[EXISTS:.+]] = arith.cmpi slt, %[[PLACE:.+]], %c5_i32
// CHECK:         %[[A:.+]] = arith.select %[[EXISTS]], %{{.+}}, %c-9223372036854775808_i64 : i64
// CHECK:         %[[WORDS:.+]] = llvm.bitcast %[[A]] : i64 to vector<2xi32>
// CHECK:         %[[LOW:.+]] = llvm.extractelement %[[WORDS]][%c0_i32
// CHECK:         %[[LOW1:.+]] = nvvm.shfl.sync bfly %c-1_i32, %[[LOW]], %c1_i32,
// CHECK:         %[[HALF:.+]] = llvm.insertelement %[[LOW1]], %[[WORDS]][%c0_i32
// CHECK:         %[[HIGH:.+]] = llvm.extractelement %[[HALF]][%c1_i32
// CHECK:         %[[HIGH1:.+]] = nvvm.shfl.sync bfly %c-1_i32, %[[HIGH]], %c1_i32,
// CHECK:         %[[WHOLE:.+]] = llvm.insertelement %[[HIGH1]], %[[HALF]][%c1_i32
// CHECK:         %[[OTHER:.+]] = llvm.bitcast %[[WHOLE]] : vector<2xi32> to i64
// CHECK:         arith.maxsi %[[A]], %[[OTHER]] : i64
// CHECK-COUNT-2: nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c2_i32,
// CHECK-COUNT-2: nvvm.shfl.sync bfly %c-1_i32, %{{.+}}, %c4_i32,
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     nvvm.barrier0
// CHECK:         llvm.return
tile.kernel @lanes(%y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %k = tile.span : !k
  %i = tile.index %k : !k -> !i
  %r = tile.reduce max %i over (%k) : !i, !k -> i64
  tile.store %r, %y[%c0] compare [false] : i64, !y, (i64)
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 2>
!y = !tile.view<element = bf16, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 2>
!m = !tile.span<"m", 8>
!n = !tile.span<"n", 32>
!mi = tensor<8xi64, #tile.axes<"m">>
!ni = tensor<32xi64, #tile.axes<"n">>
!a = tensor<8x32xbf16, #tile.axes<"m", "n">>
!r = tensor<32xbf16, #tile.axes<"n">>

// Down the columns: each thread has one, and needs nobody. Narrow floats are combined in f32 and rounded once. What a load does not
// read is zero, which a sum may see, and a maximum may not.
// CHECK-LABEL: llvm.func @registers(
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     nvvm.barrier0
// CHECK:         scf.for
// CHECK-COUNT-8: llvm.load {{.*}} -> bf16
// CHECK-NOT:     arith.select {{.*}} : f32
// CHECK-COUNT-7: arith.addf {{.*}} : f32
// CHECK:         tile.cast %{{.+}} : f32 -> bf16
// CHECK-COUNT-8: arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
// CHECK-COUNT-7: arith.maximumf {{.*}} fastmath<nsz> : f32
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     nvvm.barrier0
// CHECK:         llvm.return
tile.kernel @registers(%x: !x, %y: !y, %z: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "n" %n : !n in %c0 to %N {
    %ni = tile.index %n : !n -> !ni
    tile.for "m" %m : !m in %c0 to %M {
      %mi = tile.index %m : !m -> !mi
      %a = tile.load %x[%mi, %ni] spans(%m, %n) compare [false, false] : !x, (!mi, !ni), spans(!m, !n) -> !a
      %s = tile.reduce add %a over (%m) : !a, !m -> !r
      tile.store %s, %y[%ni] spans(%n) compare [false] : !r, !y, (!ni), spans(!n)
      %t = tile.reduce max %a over (%m) : !a, !m -> !r
      tile.store %t, %z[%ni] spans(%n) compare [false] : !r, !y, (!ni), spans(!n)
    }
  }
}

// -----

!x = !tile.view<element = i8, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 1>
!y = !tile.view<element = i8, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 1>
!k = !tile.span<"k", 32>
!i = tensor<32xi64, #tile.axes<"k">>
!u = tensor<32xi8, #tile.axes<"k">>
!b = tensor<32xi1, #tile.axes<"k">>

// Narrow integers are combined in 32 bits, which is what a shuffle moves: extended as their kind reads them.
// CHECK-LABEL: llvm.func @narrow(
// CHECK:         %[[U:.+]] = arith.extui %{{.+}} : i8 to i32
// CHECK:         %[[U1:.+]] = nvvm.shfl.sync bfly %c-1_i32, %[[U]], %c1_i32,
// CHECK:         arith.maxui %[[U]], %[[U1]] : i32
// CHECK:         arith.trunci %{{.+}} : i32 to i8
// CHECK:         %[[S:.+]] = arith.extsi %{{.+}} : i8 to i32
// CHECK:         arith.minsi %[[S]], %{{.+}} : i32
// CHECK:         %[[B:.+]] = arith.extui %{{.+}} : i1 to i32
// CHECK:         arith.andi %[[B]], %{{.+}} : i32
// CHECK:         arith.trunci %{{.+}} : i32 to i1
tile.kernel @narrow(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %k = tile.span : !k
  %i = tile.index %k : !k -> !i
  %u = tile.load %x[%i] spans(%k) compare [false] : !x, (!i), spans(!k) -> !u
  %b = arith.cmpi slt, %u, %u : !u
  %r = tile.reduce umax %u over (%k) : !u, !k -> i8
  tile.store %r, %y[%c0] compare [false] : i8, !y, (i64)
  %s = tile.reduce min %u over (%k) : !u, !k -> i8
  tile.store %s, %y[%c1] compare [false] : i8, !y, (i64)
  %t = tile.reduce and %b over (%k) : !b, !k -> i1
  %t8 = tile.cast %t : i1 -> i8
  tile.store %t8, %y[%c2] compare [false] : i8, !y, (i64)
}

// -----

!y = !tile.view<element = i64, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>
!k = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"k">>
!a = tensor<64xf32, #tile.axes<"k">>

// A thread goes through its elements in order, so the later one must be better; the elements of two threads lie between one
// another's, so there the index decides between equals. NaN is better than a number. The index is what the place adds to the start.
// CHECK-LABEL: llvm.func @arg(
// CHECK-DAG:     %[[LANE:.+]] = arith.andi %{{.+}}, %c31_i32
// CHECK-DAG:     %[[PLACE:.+]] = arith.addi %[[LANE]], %c32_i32
// CHECK:         %[[A:.+]] = tile.cast
// CHECK:         %[[B:.+]] = tile.cast
// CHECK:         %[[MORE:.+]] = arith.cmpf ugt, %[[B]], %[[A]] : f32
// CHECK:         %[[NUMBER:.+]] = arith.cmpf ord, %[[A]], %[[A]] : f32
// CHECK:         %[[BETTER:.+]] = arith.andi %[[MORE]], %[[NUMBER]] : i1
// CHECK:         %[[V:.+]] = arith.select %[[BETTER]], %[[B]], %[[A]] : f32
// CHECK:         %[[I:.+]] = arith.select %[[BETTER]], %[[PLACE]], %[[LANE]] : i32
// CHECK:         %[[V1:.+]] = nvvm.shfl.sync bfly %c-1_i32, %[[V]],
// CHECK:         %[[I1:.+]] = nvvm.shfl.sync bfly %c-1_i32, %[[I]],
// CHECK:         %[[MORE1:.+]] = arith.cmpf ugt, %[[V1]], %[[V]] : f32
// CHECK:         %[[NUMBER1:.+]] = arith.cmpf ord, %[[V]], %[[V]] : f32
// CHECK:         %[[BETTER1:.+]] = arith.andi %[[MORE1]], %[[NUMBER1]] : i1
// CHECK:         %[[EARLIER:.+]] = arith.cmpi slt, %[[I1]], %[[I]] : i32
// CHECK:         %[[LESS:.+]] = arith.cmpf ugt, %[[V]], %[[V1]] : f32
// CHECK:         %[[NUMBER2:.+]] = arith.cmpf ord, %[[V1]], %[[V1]] : f32
// CHECK:         %[[WORSE:.+]] = arith.andi %[[LESS]], %[[NUMBER2]] : i1
// CHECK:         %[[NOWORSE:.+]] = arith.xori %[[WORSE]], %true
// CHECK:         %[[TAKES:.+]] = arith.select %[[EARLIER]], %[[NOWORSE]], %[[BETTER1]] : i1
// CHECK:         arith.select %[[TAKES]], %[[V1]], %[[V]] : f32
// CHECK:         arith.select %[[TAKES]], %[[I1]], %[[I]] : i32
tile.kernel @arg(%y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %k = tile.span : !k
  %i = tile.index %k : !k -> !i
  %a = tile.cast %i : !i -> !a
  %r = tile.arg_reduce max %a over %k : !a, !k -> i64
  tile.store %r, %y[%c0] compare [false] : i64, !y, (i64)
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!k = !tile.span<"k", 4096>
!i = tensor<4096xi64, #tile.axes<"k">>
!a = tensor<4096xf32, #tile.axes<"k">>

// In the order of the axis: the bits of k are the lane's, the warp's, the register's. The lane with the bit has the later block. A block
// takes part if its first index, whose lower bits are zero, is before the span's end.
// CHECK-LABEL: llvm.func @fold(
// CHECK-DAG:     %[[LANE:.+]] = arith.andi %{{.+}}, %c31_i32
// CHECK:         scf.for
// CHECK:           %[[LENGTH:.+]] = arith.trunci %{{.+}} : i64 to i32
// CHECK:           %[[BIT:.+]] = arith.andi %[[LANE]], %c1_i32
// CHECK:           %[[LATER:.+]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK:           %[[OTHER:.+]] = nvvm.shfl.sync bfly %c-1_i32, %[[OWN:.+]], %c1_i32,
// CHECK:           %[[EVEN:.+]] = arith.andi %{{.+}}, %c-2_i32
// CHECK:           %[[FIRST:.+]] = arith.addi %[[EVEN]], %c1_i32
// CHECK:           %[[EXISTS:.+]] = arith.cmpi slt, %[[FIRST]], %[[LENGTH]]
// CHECK:           %[[P:.+]] = arith.select %[[LATER]], %[[OTHER]], %[[OWN]] : f32
// CHECK:           %[[Q:.+]] = arith.select %[[LATER]], %[[OWN]], %[[OTHER]] : f32
// CHECK:           %[[DOUBLE:.+]] = arith.addf %[[P]], %[[P]] : f32
// CHECK:           %[[BOTH:.+]] = arith.subf %[[DOUBLE]], %[[Q]] : f32
// CHECK:           arith.select %[[EXISTS]], %[[BOTH]], %[[P]] : f32
// CHECK:           nvvm.barrier0
// CHECK-COUNT-64:  llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT:       nvvm.barrier0
// CHECK:           arith.addf %[[R:.+]], %[[R]] fastmath<contract> : f32
// CHECK-NOT:       nvvm.shfl
// CHECK:           llvm.store {{.*}} : f32, !llvm.ptr<1>
tile.kernel @fold(%y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.for "k" %k : !k in %c0 to %N {
    %i = tile.index %k : !k -> !i
    %a = tile.cast %i : !i -> !a
    %r = tile.fold %a over %k : (!a), !k -> (f32) combine (%p: f32, %q: f32) {
      %d = arith.addf %p, %p fastmath<contract> : f32
      %s = arith.subf %d, %q fastmath<contract> : f32
      tile.yield %s : f32
    }
    tile.store %r, %y[%c0] compare [false] : f32, !y, (i64)
  }
}

// -----

!y = !tile.view<element = i64, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 8>
!k = !tile.span<"k", 96>
!i = tensor<96xi64, #tile.axes<"k">>

// 96 = 32 · 3: a bit of the lane at a time, each from the last lane of the block before; then the totals of the repetitions, all from
// lane 31, one after another. Existence is not asked.
// CHECK:       tilewright.shared_bytes = 0
// CHECK-LABEL: llvm.func @scan(
// CHECK-DAG:     %[[LANE:.+]] = arith.andi %{{.+}}, %c31_i32
// CHECK:         %[[FROM:.+]] = arith.andi %[[LANE]], %c-2_i32
// CHECK-COUNT-6: nvvm.shfl.sync idx %c-1_i32, %{{.+}}, %[[FROM]],
// CHECK:         %[[BIT:.+]] = arith.andi %[[LANE]], %c1_i32
// CHECK:         %[[UPPER:.+]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK:         %[[JOINED:.+]] = arith.addi %[[TOTAL:.+]], %[[OWN:.+]] : i64
// CHECK:         arith.select %[[UPPER]], %[[JOINED]], %[[OWN]] : i64
// CHECK:         %[[EVEN:.+]] = arith.andi %[[LANE]], %c-3_i32
// CHECK:         %[[FROM2:.+]] = arith.ori %[[EVEN]], %c1_i32
// CHECK-COUNT-6: nvvm.shfl.sync idx %c-1_i32, %{{.+}}, %[[FROM2]],
// CHECK-NOT:     arith.cmpi slt
// CHECK:         %[[ALL:.+]] = arith.ori %[[LANE]], %c31_i32
// CHECK-COUNT-4: nvvm.shfl.sync idx %c-1_i32, %{{.+}}, %[[ALL]],
// CHECK:         %[[T1:.+]] = arith.addi %[[T0:.+]], %{{.+}} : i64
// CHECK:         arith.addi %[[T0]], %{{.+}} : i64
// CHECK:         arith.addi %[[T1]], %{{.+}} : i64
// CHECK-NOT:     nvvm.barrier0
tile.kernel @scan(%y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %k = tile.span : !k
  %i = tile.index %k : !k -> !i
  %j = arith.addi %i, %i : !i
  %r = tile.scan %j over %k : (!i), !k -> (!i) combine (%p: i64, %q: i64) {
    %s = arith.addi %p, %q : i64
    tile.yield %s : i64
  }
  tile.store %r, %y[%i] spans(%k) compare [false] : !i, !y, (!i), spans(!k)
}

// -----

!y = !tile.view<element = i32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!k = !tile.span<"k", 1024>
!i = tensor<1024xi64, #tile.axes<"k">>
!a = tensor<1024xi32, #tile.axes<"k">>

// Of two warps the first one's lane 31 leaves the totals of sixteen registers in shared memory, and the second one puts them in
// front. Then all have a part of each of the sixteen blocks of 64, and get the totals of the first fifteen from the second warp at
// once, through other shared memory: so no barrier is needed before. A sixteenth place is written for the vector in which LLVM loads.
// CHECK:       tilewright.shared_bytes = 128
// CHECK-LABEL: llvm.func @across_warps(
// CHECK:         nvvm.shfl.sync idx
// CHECK:         %[[LAST:.+]] = arith.cmpi eq, %{{.+}}, %c31_i32
// CHECK:         %[[FIRSTWARP:.+]] = arith.cmpi eq, %{{.+}}, %c0_i32
// CHECK:         %[[WRITES:.+]] = arith.andi %[[LAST]], %[[FIRSTWARP]] : i1
// CHECK:         scf.if %[[WRITES]] {
// CHECK-COUNT-16:  llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.barrier0
// CHECK-COUNT-16: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK:         %[[SECOND:.+]] = arith.cmpi ne, %{{.+}}, %c0_i32
// CHECK:         arith.select %[[SECOND]], %{{.+}}, %{{.+}} : i32
// CHECK-NOT:     nvvm.shfl
// CHECK:         llvm.getelementptr %{{.+}}[64] : (!llvm.ptr<3>)
// CHECK:         %[[LASTWARP:.+]] = arith.cmpi eq, %{{.+}}, %c1_i32
// CHECK:         %[[WRITES2:.+]] = arith.andi %[[LAST2:.+]], %[[LASTWARP]] : i1
// CHECK:         scf.if %[[WRITES2]] {
// CHECK-COUNT-16:  llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.barrier0
// CHECK-COUNT-15: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:     nvvm.barrier0
tile.kernel @across_warps(%y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %k = tile.span : !k
  %i = tile.index %k : !k -> !i
  %a = tile.cast %i : !i -> !a
  %r = tile.scan %a over %k : (!a), !k -> (!a) combine (%p: i32, %q: i32) {
    %s = arith.addi %p, %q : i32
    tile.yield %s : i32
  }
  tile.store %r, %y[%i] spans(%k) compare [false] : !a, !y, (!i), spans(!k)
}

// -----

!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!i = !tile.span<"i", 8>
!d = !tile.span<"d", 1024>
!ti = tensor<8xi64, #tile.axes<"i">>
!td = tensor<1024xi64, #tile.axes<"d">>
!f = tensor<8x1024xi64, #tile.axes<"i", "d">>
!a = tensor<8x1024xf32, #tile.axes<"i", "d">>
!r = tensor<1024xf32, #tile.axes<"d">>

// Eight warps have left sixteen values each of a lane: each combines two of the sixteen, of all eight, and leaves them for the others.
// CHECK-LABEL: llvm.func @parts(
// CHECK:         nvvm.barrier0
// CHECK:         %[[PART:.+]] = arith.muli %{{.+}}, %c2_i32
// CHECK-COUNT-16: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK-NOT:     llvm.load
// CHECK-COUNT-14: arith.addf %{{.+}}, %{{.+}} : f32
// CHECK-COUNT-2: llvm.store %{{.+}}, %{{.+}} : f32, !llvm.ptr<3>
// CHECK:         nvvm.barrier0
// CHECK-COUNT-16: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
// CHECK-NOT:     arith.addf
// CHECK:         llvm.return
tile.kernel @parts(%y: !y, %N: i64) dimensions = 1 {
  %i = tile.span : !i
  %d = tile.span : !d
  %ti = tile.index %i : !i -> !ti
  %td = tile.index %d : !d -> !td
  %bi = tile.broadcast %ti : !ti -> !f
  %bd = tile.broadcast %td : !td -> !f
  %f = arith.addi %bi, %bd : !f
  %a = tile.cast %f : !f -> !a
  %r = tile.reduce add %a over (%i) : !a, !i -> !r
  tile.store %r, %y[%td] spans(%d) compare [true] : !r, !y, (!td), spans(!d)
}
