// One thread's program: addresses, what exists, copies, products, the grid.
// RUN: tile-opt %s -split-input-file -assign-layouts -cse -plan-pipeline -expand-pipeline -cse -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse 2>/dev/null | FileCheck %s

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 16>
!s = !tile.span<"i", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!t = tensor<128xf32, #tile.axes<"i">>

// Four neighbours of a thread are one access of 16 bytes if the span's length is a multiple of four, which is asked once; else each
// is an access of its own. A vector leaves the branch either way, so that LLVM does not make single loads of both arms. There is no branch for a load: what does not exist is read from sixteen bytes of zeros. A block's number
// is its tile's.
// CHECK:       tilewright.entries = {tiles = "vectors"}, tilewright.grid = "product", tilewright.grid_axes = ["i"]
// CHECK-SAME:  tilewright.threads = 32 : i64
// CHECK:       llvm.mlir.global internal constant @tw_zeros(dense<0> : tensor<16xi8>) {addr_space = 1 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @vectors(
// CHECK-SAME:    nvvm.kernel, nvvm.minctasm = 16 : i32, nvvm.reqntid = array<i32: 32, 1, 1>
// CHECK:         %[[PLACE:.+]] = arith.muli %{{.+}}, %c4_i32 : i32
// CHECK:         %[[BLOCK:.+]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-NEXT:    %[[NUMBER:.+]] = arith.extui %[[BLOCK]]
// CHECK-NEXT:    %[[START:.+]] = arith.muli %[[NUMBER]], %c128_i64
// CHECK-NEXT:    %[[LEFT:.+]] = arith.subi %{{.+}}, %[[START]]
// CHECK-NEXT:    %[[LEAST:.+]] = arith.minsi %[[LEFT]], %c128_i64
// CHECK-NEXT:    %[[LENGTH:.+]] = arith.trunci %[[LEAST]]
// CHECK:         %[[REST:.+]] = arith.andi %[[LENGTH]], %c3_i32
// CHECK-NEXT:    %[[WHOLE:.+]] = arith.cmpi eq, %[[REST]], %c0_i32
// CHECK-NEXT:    %[[VALUES:.+]] = scf.if %[[WHOLE]] -> (vector<4xf32>) {
// CHECK-NEXT:      %[[EXISTS:.+]] = arith.cmpi slt, %[[PLACE]], %[[LENGTH]]
// CHECK-NEXT:      %[[ADDRESS:.+]] = llvm.getelementptr
// CHECK-NEXT:      %[[ZEROS:.+]] = llvm.mlir.addressof @tw_zeros
// CHECK-NEXT:      %[[FROM:.+]] = arith.select %[[EXISTS]], %[[ADDRESS]], %[[ZEROS]]
// CHECK-NEXT:      %[[FOUR:.+]] = llvm.load %[[FROM]] invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NEXT:      scf.yield %[[FOUR]]
// CHECK-NEXT:    } else {
// CHECK-COUNT-4:   llvm.load %{{.+}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-COUNT-4:   llvm.insertelement
// CHECK-NEXT:      scf.yield
// CHECK:         llvm.extractelement %[[VALUES]]
// CHECK:         scf.if %[[WHOLE]] {
// CHECK:           scf.if %{{.+}} {
// CHECK:             llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xf32>
// CHECK:         } else {
// CHECK-COUNT-4:   llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : f32
// CHECK-NOT:     llvm.store
// CHECK:         llvm.return
tile.kernel @vectors(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !s in %c0 to %N {
    %ti = tile.index %i : !s -> !i
    %a = tile.load %x[%ti] spans(%i) compare [false] : !x, (!i), spans(!s) -> !t
    tile.store %a, %y[%ti] spans(%i) compare [false] : !t, !y, (!i), spans(!s)
  }
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 16>
!s = !tile.span<"i", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!t = tensor<128xf32, #tile.axes<"i">>

// A span of constant length: everything exists, and nothing is asked.
// CHECK-LABEL: llvm.func @whole(
// CHECK-NOT:     scf.if
// CHECK-NOT:     tw_zeros
// CHECK:         llvm.load %{{.+}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:         llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xf32>
// CHECK-NEXT:    llvm.return
tile.kernel @whole(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %i = tile.span : !s
  %ti = tile.index %i : !s -> !i
  %a = tile.load %x[%ti] spans(%i) compare [false] : !x, (!i), spans(!s) -> !t
  tile.store %a, %y[%ti] spans(%i) compare [false] : !t, !y, (!i), spans(!s)
}

// -----

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!s = !tile.span<"i", 8>
!i = tensor<8xi64, #tile.axes<"i">>
!t = tensor<8xf32, #tile.axes<"i">>

// Eight elements, four times in a warp: those that hold what others do write nothing. An index that is compared reads what it is given
// instead, and within the view only.
// CHECK-LABEL: llvm.func @replicas(
// CHECK:         %[[LANE:.+]] = arith.andi %{{.+}}, %c31_i32
// CHECK-NEXT:    %[[ELEMENT:.+]] = arith.andi %[[LANE]], %c7_i32
// CHECK:         %[[ONE:.+]] = arith.constant 1.0
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[INDEX:.+]], %{{.+}} : i64
// CHECK-NEXT:    %[[EXISTS:.+]] = arith.cmpi slt, %[[ELEMENT]], %{{.+}} : i32
// CHECK-NEXT:    %[[BOTH:.+]] = arith.andi %[[INSIDE]], %[[EXISTS]]
// CHECK-NEXT:    %[[ADDRESS:.+]] = llvm.getelementptr %{{.+}}[%[[INDEX]]]
// CHECK:         %[[FROM:.+]] = arith.select %[[BOTH]], %[[ADDRESS]], %
// CHECK-NEXT:    %[[READ:.+]] = llvm.load %[[FROM]]
// CHECK-NEXT:    %[[VALUE:.+]] = arith.select %[[INSIDE]], %[[READ]], %[[ONE]]
// CHECK-NEXT:    %[[COPY:.+]] = arith.andi %[[LANE]], %c24_i32
// CHECK-NEXT:    %[[OWNER:.+]] = arith.cmpi eq, %[[COPY]], %c0_i32
// CHECK-NEXT:    %[[WRITES:.+]] = arith.andi %[[OWNER]], %[[EXISTS]]
// CHECK:         scf.if %[[WRITES]] {
// CHECK-NEXT:      llvm.store %[[VALUE]]
tile.kernel @replicas(%x: !x, %y: !y, %N: i64, %k: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1.0 : f32
  tile.parallel "i" %i : !s in %c0 to %N {
    %ti = tile.index %i : !s -> !i
    %ks = tile.broadcast %k : i64 -> !i
    %n = arith.addi %ti, %ks : !i
    %a = tile.load %x[%n] spans(%i) else %one compare [true] : !x, (!i), spans(!s) else f32 -> !t
    tile.store %a, %y[%ti] spans(%i) compare [false] : !t, !y, (!i), spans(!s)
  }
}

// -----

!n = !tile.view<element = i64, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!y = !tile.view<element = i64, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 8>
!s = !tile.span<"j", 32>
!j = tensor<32xi64, #tile.axes<"j">>

// How many columns a row has is in memory: the blocks of a column of the launch share them.
// CHECK:       tilewright.grid = "nested", tilewright.grid_axes = ["i"]
// CHECK-LABEL: llvm.func @nested(
// CHECK:         %[[ROW:.+]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK:         %[[HIGH:.+]] = llvm.load %{{.+}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK-NEXT:    nvvm.read.ptx.sreg.ctaid.y
// CHECK:         %[[FIRST:.+]] = arith.muli %{{.+}}, %c32_i64
// CHECK-NEXT:    nvvm.read.ptx.sreg.nctaid.y
// CHECK:         %[[STEP:.+]] = arith.muli %{{.+}}, %c32_i64
// CHECK-NEXT:    scf.for %{{.+}} = %[[FIRST]] to %[[HIGH]] step %[[STEP]]
// CHECK:           llvm.store
tile.kernel @nested(%n: !n, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : i64 in %c0 to %M {
    %high = tile.load %n[%i] compare [false] : !n, (i64) -> i64
    tile.parallel "j" %j : !s in %c0 to %high {
      %tj = tile.index %j : !s -> !j
      tile.store %tj, %y[%i, %tj] spans(%j) compare [false, true] : !j, !y, (i64, !j), spans(!s)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 16>
!sj = !tile.span<"j", 16>
!sk = !tile.span<"k", 16>
!i = tensor<16xi64, #tile.axes<"i">>
!j = tensor<16xi64, #tile.axes<"j">>
!k = tensor<16xi64, #tile.axes<"k">>
!ik = tensor<16x16xbf16, #tile.axes<"i", "k">>
!jk = tensor<16x16xbf16, #tile.axes<"j", "k">>
!ij = tensor<16x16xf32, #tile.axes<"i", "j">>
!n = tensor<16x16xbf16, #tile.axes<"i", "j">>

// A product. Tiles are taken in groups of eight rows, their numbers taken apart in 32 bits. Copies of 16 bytes, of which only what exists is read; the rest becomes zeros. Of
// a row of 32 bytes the second half is where the first is in every other group of four rows. The operands' fragments come by ldmatrix;
// one instruction for each eight columns. bf16 accumulators go through shared memory and are stored 16 bytes at a time.
// CHECK:       tilewright.shared_bytes = 8192 : i64
// CHECK:       llvm.mlir.global external @tw_shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @product(
// CHECK:         %[[DOWN:.+]] = arith.divui %{{.+}}, %c16_i64
// CHECK:         %[[ACROSS:.+]] = arith.divui %{{.+}}, %c16_i64
// CHECK-NEXT:    %[[NUMBER:.+]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-NEXT:    %[[ROWS:.+]] = arith.trunci %[[DOWN]]
// CHECK-NEXT:    %[[COLUMNS:.+]] = arith.trunci %[[ACROSS]]
// CHECK-NEXT:    %[[HIGHEST:.+]] = arith.minsi %[[ROWS]], %c8_i32
// CHECK-NEXT:    %[[IN_GROUP:.+]] = arith.muli %[[COLUMNS]], %[[HIGHEST]]
// CHECK-NEXT:    %[[GROUP:.+]] = arith.divui %[[NUMBER]], %[[IN_GROUP]]
// CHECK-NEXT:    %[[WITHIN:.+]] = arith.remui %[[NUMBER]], %[[IN_GROUP]]
// CHECK-NEXT:    %[[FIRST:.+]] = arith.muli %[[GROUP]], %c8_i32
// CHECK-NEXT:    %[[LEFT:.+]] = arith.subi %[[ROWS]], %[[FIRST]]
// CHECK-NEXT:    %[[HEIGHT:.+]] = arith.minsi %[[LEFT]], %c8_i32
// CHECK-NEXT:    %[[OFFSET:.+]] = arith.remui %[[WITHIN]], %[[HEIGHT]]
// CHECK-NEXT:    arith.addi %[[FIRST]], %[[OFFSET]]
// CHECK-NEXT:    arith.divui %[[WITHIN]], %[[HEIGHT]]
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK-NEXT:    nvvm.cp.async.commit.group
// CHECK-COUNT-2: nvvm.cp.async.commit.group
// CHECK:         %[[SUMS:.+]]:9 = scf.for
// CHECK-NEXT:      nvvm.cp.async.wait.group 2
// CHECK:           nvvm.barrier0
// CHECK:           %[[EXISTS:.+]] = arith.cmpi sgt, %[[BYTES:.+]], %c0_i32
// CHECK-NEXT:      %[[AND:.+]] = arith.andi %{{.+}}, %[[EXISTS]]
// CHECK:           %[[FROM:.+]] = arith.select %[[AND]], %{{.+}}, %{{.+}} : !llvm.ptr<1>
// CHECK-NEXT:      %[[SIZE:.+]] = arith.select %[[AND]], %{{.+}}, %c0_i32
// CHECK-NEXT:      %[[TO:.+]] = llvm.getelementptr
// CHECK-NEXT:      nvvm.cp.async.shared.global %[[TO]], %[[FROM]], 16, cache =  cg, %[[SIZE]]
// CHECK:           nvvm.cp.async.commit.group
// CHECK-NOT:       nvvm.barrier0
// CHECK:           %[[HALF:.+]] = arith.andi %{{.+}}, %c31_i32
// CHECK-NEXT:      %[[FOURS:.+]] = arith.shrui %[[ROW:.+]], %c2_i32
// CHECK-NEXT:      %[[ODD:.+]] = arith.andi %[[FOURS]], %c1_i32
// CHECK-NEXT:      %[[MOVED:.+]] = arith.muli %[[ODD]], %c16_i32
// CHECK-NEXT:      arith.xori %[[HALF]], %[[MOVED]]
// CHECK-NEXT:      arith.muli %[[ROW]], %c32_i32
// CHECK:           nvvm.ldmatrix {{.*}} num = 4
// CHECK:           nvvm.ldmatrix {{.*}} num = 4
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-NOT:       llvm.call_intrinsic
// CHECK:           scf.yield
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK-COUNT-8: tile.cast %[[SUMS]]#{{[0-7]}} : f32 -> bf16
// CHECK-NEXT:    nvvm.barrier0
// CHECK-COUNT-4: llvm.store {{.*}} : vector<2xbf16>, !llvm.ptr<3>
// CHECK-NEXT:    nvvm.barrier0
// CHECK:         llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK:         llvm.store {{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
tile.kernel @product(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!si = !tile.span<"i", 8>
!j = tensor<32xf32, #tile.axes<"j">>
!sj = !tile.span<"j", 32>
!ji = tensor<32xi64, #tile.axes<"j">>
!db = !tile.view<element = f32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>

// Sums of several tiles: a block runs a chunk of them, T * c / C to T * (c + 1) / C. A tile's number is taken apart in 32 bits.
// CHECK-LABEL: llvm.func @chunks(
// CHECK:         %[[CHUNK:.+]] = arith.extui %{{.+}} : i32 to i64
// CHECK:         llvm.getelementptr %arg0[3]
// CHECK:         llvm.getelementptr %arg0[2]
// CHECK-NEXT:    %[[TILES:.+]] = llvm.load
// CHECK-NEXT:    llvm.getelementptr %arg0[4]
// CHECK-NEXT:    %[[CHUNKS:.+]] = llvm.load
// CHECK-NEXT:    %[[BEFORE:.+]] = arith.muli %[[TILES]], %[[CHUNK]]
// CHECK-NEXT:    %[[FIRST:.+]] = arith.divui %[[BEFORE]], %[[CHUNKS]]
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %[[CHUNK]], %c1_i64
// CHECK-NEXT:    %[[WITH:.+]] = arith.muli %[[TILES]], %[[NEXT]]
// CHECK-NEXT:    %[[LAST:.+]] = arith.divui %[[WITH]], %[[CHUNKS]]
// CHECK-NEXT:    scf.for %[[TILE:.+]] = %[[FIRST]] to %[[LAST]] step %c1_i64
// CHECK-NEXT:      %[[SHORT:.+]] = arith.trunci %[[TILE]] : i64 to i32
// CHECK-NEXT:      %[[ACROSS:.+]] = arith.trunci %{{.+}} : i64 to i32
// CHECK-NEXT:      arith.remui %[[SHORT]], %[[ACROSS]] : i32
tile.kernel @chunks(%db: !db, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %v = arith.constant dense<1.0> : !j
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %ji = tile.index %j : !sj -> !ji
      tile.accumulate add %v, %db[%ji] spans(%j) compare [false] shared : !j, !db, (!ji), spans(!sj)
    }
  }
}

// -----

!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 8>
!sj = !tile.span<"j", 8>
!sk = !tile.span<"k", 8>
!i = tensor<8xi64, #tile.axes<"i">>
!j = tensor<8xi64, #tile.axes<"j">>
!ik = tensor<8x8xf32, #tile.axes<"i", "k">>
!jk = tensor<8x8xf32, #tile.axes<"j", "k">>
!ij = tensor<8x8xf32, #tile.axes<"i", "j">>

// A product by multiply-adds. Operands become zero where a summed index does not exist; four steps are read at once, and each thread
// has one column in two rows.
// CHECK-LABEL: llvm.func @multiply_adds(
// CHECK:         scf.for
// CHECK:           %[[EXISTS:.+]] = arith.cmpi slt, %{{.+}}, %{{.+}} : i32
// CHECK-NEXT:      arith.select %[[EXISTS]], %{{.+}}, %{{.+}} : f32
// CHECK:           nvvm.barrier0
// CHECK-COUNT-2:   llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK:           arith.select %[[EXISTS]], %{{.+}}, %{{.+}} : f32
// CHECK-COUNT-2:   llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK-NEXT:      nvvm.barrier0
// CHECK:           scf.for %{{.+}} = %c0_i32 to %c8_i32 step %c4_i32
// CHECK-COUNT-3:     llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-8:     math.fma
// CHECK-NOT:         math.fma
// CHECK:             scf.yield
// CHECK-COUNT-2: llvm.store {{.*}} : f32, !llvm.ptr<1>
tile.kernel @multiply_adds(%y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %a = arith.constant dense<1.0> : !ik
  %b = arith.constant dense<2.0> : !jk
  %zero = arith.constant dense<0.0> : !ij
  %i = tile.span : !si
  %j = tile.span : !sj
  %ti = tile.index %i : !si -> !i
  %tj = tile.index %j : !sj -> !j
  %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
    %d = tile.dot %a, %b, %acc over (%k) : !ik, !jk, !sk -> !ij
    tile.yield %d : !ij
  }
  tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
}
