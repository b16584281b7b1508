// Tiles that meet the product, piece by piece: copies, waits, parities, and where each word of a piece goes.
// RUN: tile-opt %s -split-input-file -assign-layouts=capability=90 -specialize-warps -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 80>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<80xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<80x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x80xf32, #tile.axes<"i", "j">>
!l = tensor<64x80xbf16, #tile.axes<"i", "j">>
!n = tensor<64x80xbf16, #tile.axes<"i", "j">>

// 64 rows for four warps: pieces of 64 and of 16 columns, each with a place. The warp's first lane starts both when all have read those of the tile before, with
// the bytes of each. An element is asked for when its slice is stored: the wait for its piece, then four words at a time. Both places are used once in a tile, so
// the parity is that of the group's tile. The slices are stored from there, so the copies wait for the stores of the tile before.
// CHECK-LABEL: llvm.func @fetched(
// CHECK:         scf.for
// CHECK:         nvvm.bar.warp.sync
// CHECK:         scf.if
// CHECK-NEXT:      nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT:      nvvm.mbarrier.arrive.expect_tx %[[OWN:.+]], %c2048_i32
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg1, %[[OWN]], box[%[[J:.+]], %[[I:[^ ]+]]]
// CHECK:           %[[SECOND:.+]] = llvm.getelementptr %[[OWN]][8]
// CHECK-NEXT:      nvvm.mbarrier.arrive.expect_tx %[[SECOND]], %c512_i32
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg2, %[[SECOND]], box[%{{.+}}, %[[I]]]
// CHECK-NEXT:    }
// CHECK:         nvvm.barrier id
// CHECK:         "wgmma.wait_group.sync.aligned 0;"
// CHECK:         %[[OFGROUP:.+]] = arith.shrui %{{[^ #]+}}, %c1_i32
// CHECK-NEXT:    %[[PARITY:.+]] = arith.andi %[[OFGROUP]], %c1_i32
// CHECK-NEXT:    scf.while
// CHECK-NEXT:      %{{.+}} = nvvm.mbarrier.try_wait %[[OWN]], %[[PARITY]]
// CHECK:         %[[WORDS:.+]] = nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-NEXT:    %[[WORD:.+]] = llvm.extractvalue %[[WORDS]][0]
// CHECK-NEXT:    %[[PAIR:.+]] = llvm.bitcast %[[WORD]] : i32 to vector<2xbf16>
// CHECK:         %[[FIRST:.+]] = llvm.extractelement %[[PAIR]][%c0_i32 : i32]
// CHECK:         %[[WIDE:.+]] = tile.cast %[[FIRST]] : bf16 -> f32
// CHECK-NEXT:    arith.addf %{{.+}}, %[[WIDE]]
// CHECK-COUNT-3: nvvm.ldmatrix
// CHECK-NOT:     nvvm.ldmatrix
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.mbarrier.try_wait %[[SECOND2:.+]], %[[PARITY]]
// CHECK:         nvvm.ldmatrix
// CHECK-NOT:     nvvm.ldmatrix
tile.kernel @fetched(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 2, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x128xf32, #tile.axes<"i", "j">>
!l = tensor<128x128xf16, #tile.axes<"i", "j">>
!n = tensor<128x128xbf16, #tile.axes<"i", "j">>

// Four pieces, of elements that the result has not, through two places (a third would cost a stage): when all lanes have read one, the copy of the next but one to its place starts. A place is used twice in a tile, so the parities are the
// same in each: 0, then 1.
// CHECK-LABEL: llvm.func @in_turns(
// CHECK:         "wgmma.wait_group.sync.aligned 0;"
// CHECK:         nvvm.mbarrier.try_wait %{{.+}}, %c0_i32
// CHECK-COUNT-4: nvvm.ldmatrix
// CHECK:         nvvm.bar.warp.sync
// CHECK:         nvvm.mbarrier.arrive.expect_tx %[[FIRST:.+]], %c2048_i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.mbarrier.try_wait %{{.+}}, %c0_i32
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.mbarrier.try_wait %[[FIRST]], %c1_i32
// CHECK-NOT:     nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.mbarrier.try_wait %{{.+}}, %c1_i32
// CHECK-NOT:     nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.setmaxregister decrease
tile.kernel @in_turns(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = bf16, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 192>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<192xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<192x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x192xf32, #tile.axes<"i", "j">>
!l = tensor<128x192xbf16, #tile.axes<"i", "j">>
!n = tensor<128x192xbf16, #tile.axes<"i", "j">>

// Six slices, stored from the four places of their pieces. A slice is written when all lanes have read its piece; when the next slice's store has been started and
// the lane's earlier stores have read theirs, the copy of the piece after the next two starts.
// CHECK-LABEL: llvm.func @in_place(
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-4: nvvm.mbarrier.arrive.expect_tx
// CHECK:         "wgmma.wait_group.sync.aligned 0;"
// CHECK:         nvvm.mbarrier.try_wait %[[FIRST:.+]], %{{.+}}
// CHECK:         nvvm.ldmatrix %[[PLACE:.+]] {
// CHECK-COUNT-3: nvvm.ldmatrix
// CHECK-NOT:     nvvm.cp.async
// CHECK:         nvvm.bar.warp.sync
// CHECK:         nvvm.stmatrix %[[PLACE]],
// CHECK:         nvvm.fence.proxy
// CHECK:         nvvm.bar.warp.sync
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:    }
// CHECK:         nvvm.mbarrier.try_wait
// CHECK-NOT:     nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NEXT:    nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:    nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-NEXT:    nvvm.mbarrier.arrive.expect_tx %[[FIRST]], %c2048_i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-NEXT:    nvvm.mbarrier.arrive.expect_tx
// CHECK-NOT:     nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.mbarrier.try_wait %[[FIRST]], %c1_i32
// CHECK-NOT:     nvvm.mbarrier.arrive.expect_tx
// CHECK:         nvvm.setmaxregister decrease
tile.kernel @in_place(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %f = tile.cast %l : !l -> !ij
      %a = arith.addf %sum, %f : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!r = !tile.view<element = f32, dims = ["M", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!l = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// Elements of 32 bits: pieces of 32 columns, those of the same rows one after another. A lane reads two neighbours at a time, of rows l / 4 and eight further.
// CHECK-LABEL: llvm.func @wide(
// CHECK:         "wgmma.wait_group.sync.aligned 0;"
// CHECK:         nvvm.mbarrier.try_wait
// CHECK:         %[[ROW:.+]] = arith.shrui %[[LANE:.+]], %c2_i32
// CHECK-NEXT:    %[[START:.+]] = arith.muli %[[ROW]], %c128_i32
// CHECK-NEXT:    %[[ODD:.+]] = arith.andi %[[LANE]], %c1_i32
// CHECK-NEXT:    %[[HALF:.+]] = arith.muli %[[ODD]], %c8_i32
// CHECK:         %[[TWOS:.+]] = arith.shrui %[[LANE]], %c1_i32
// CHECK-NEXT:    %[[CHUNK:.+]] = arith.andi %[[TWOS]], %c1_i32
// CHECK-NEXT:    %[[TURNED:.+]] = arith.xori %[[CHUNK]], %[[ROW]]
// CHECK-NEXT:    %[[BYTES:.+]] = arith.muli %[[TURNED]], %c16_i32
// CHECK-NEXT:    %[[AT:.+]] = llvm.getelementptr %{{.+}}[%[[BYTES]]]
// CHECK-NEXT:    llvm.load %[[AT]] {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-NEXT:    %[[FURTHER:.+]] = llvm.getelementptr %[[AT]][1024]
// CHECK-NEXT:    llvm.load %[[FURTHER]]
// CHECK-NOT:     nvvm.ldmatrix
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta
tile.kernel @wide(%x: !x, %w: !w, %r: !r, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>} {
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
      %l = tile.load %r[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !r, (!i, !j), spans(!si, !sj) -> !l
      %a = arith.addf %sum, %l : !ij
      %n = tile.cast %a : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] {tilegpu.tensor_copy} : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
