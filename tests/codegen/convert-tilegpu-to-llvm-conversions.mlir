// tilegpu.convert_layout: from one layout to another.
// RUN: tile-opt %s -split-input-file -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm -cse | FileCheck %s

#a = #tilegpu.distributed<[128], registers = [[32], [64]], lanes = [[1], [2], [4], [8], [16]], warps = []>
#b = #tilegpu.distributed<[128], registers = [[64], [32]], lanes = [[1], [2], [4], [8], [16]], warps = []>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!s = !tile.span<"i", 128>
!ia = tensor<128xi64, #tile.axes<"i", layout = #a>>
!ib = tensor<128xi64, #tile.axes<"i", layout = #b>>
!a = tensor<128xf32, #tile.axes<"i", layout = #a>>
!b = tensor<128xf32, #tile.axes<"i", layout = #b>>

// The same elements of a thread in another order: nothing happens.
// CHECK-LABEL: llvm.func @renamed(
// CHECK:         %[[R0:.+]] = llvm.load %{{.+}} invariant
// CHECK:         %[[R1:.+]] = llvm.load %{{.+}} invariant
// CHECK:         %[[R2:.+]] = llvm.load %{{.+}} invariant
// CHECK:         %[[R3:.+]] = llvm.load %{{.+}} invariant
// CHECK-NOT:     shfl
// CHECK-NOT:     llvm.ptr<3>
// CHECK:         llvm.store %[[R0]]
// CHECK:         llvm.store %[[R2]]
// CHECK:         llvm.store %[[R1]]
// CHECK:         llvm.store %[[R3]]
tile.kernel @renamed(%x: !x, %y: !y, %N: i64) dimensions = 1 attributes {tilegpu.warps = 1 : i64} {
  %s = tile.span : !s
  %ia = tile.index %s : !s -> !ia
  %ib = tile.index %s : !s -> !ib
  %a = tile.load %x[%ia] spans(%s) compare [false] : !x, (!ia), spans(!s) -> !a
  %b = tilegpu.convert_layout %a : !a -> !b
  tile.store %b, %y[%ib] spans(%s) compare [false] {tilegpu.place_layout = #b} : !b, !y, (!ib), spans(!s)
}

// -----

#a = #tilegpu.distributed<[64], registers = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = []>
#b = #tilegpu.distributed<[64], registers = [[2]], lanes = [[1], [4], [8], [16], [32]], warps = []>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!s = !tile.span<"i", 64>
!ia = tensor<64xi64, #tile.axes<"i", layout = #a>>
!ib = tensor<64xi64, #tile.axes<"i", layout = #b>>
!a = tensor<64xf32, #tile.axes<"i", layout = #a>>
!b = tensor<64xf32, #tile.axes<"i", layout = #b>>

// A register's bit becomes a lane's: through shared memory, written 8 bytes at a time, since neighbours there are in one thread.
// CHECK-LABEL: llvm.func @exchanged(
// CHECK:         llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NEXT:    nvvm.barrier0
// CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK-NOT:     nvvm.barrier0
// CHECK:         llvm.return
tile.kernel @exchanged(%x: !x, %y: !y, %N: i64) dimensions = 1 attributes {tilegpu.warps = 1 : i64} {
  %s = tile.span : !s
  %ia = tile.index %s : !s -> !ia
  %ib = tile.index %s : !s -> !ib
  %a = tile.load %x[%ia] spans(%s) compare [false] : !x, (!ia), spans(!s) -> !a
  %b = tilegpu.convert_layout %a : !a -> !b
  tile.store %b, %y[%ib] spans(%s) compare [false] {tilegpu.place_layout = #b} : !b, !y, (!ib), spans(!s)
}

// -----

#a = #tilegpu.distributed<[64], registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32]]>
#b = #tilegpu.distributed<[64], registers = [], lanes = [[32], [2], [4], [8], [16]], warps = [[1]]>
!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 4>
!s = !tile.span<"i", 64>
!ia = tensor<64xi64, #tile.axes<"i", layout = #a>>
!ib = tensor<64xi64, #tile.axes<"i", layout = #b>>
!a = tensor<64xf32, #tile.axes<"i", layout = #a>>
!b = tensor<64xf32, #tile.axes<"i", layout = #b>>

// Another warp has the element: through shared memory.
// CHECK-LABEL: llvm.func @warps(
// CHECK-SAME:    nvvm.reqntid = array<i32: 64, 1, 1>
// CHECK:         llvm.store %{{.+}} : f32, !llvm.ptr<3>
// CHECK-NEXT:    nvvm.barrier0
// CHECK:         llvm.load %{{.+}} : !llvm.ptr<3> -> f32
tile.kernel @warps(%x: !x, %y: !y, %N: i64) dimensions = 1 attributes {tilegpu.warps = 2 : i64} {
  %s = tile.span : !s
  %ia = tile.index %s : !s -> !ia
  %ib = tile.index %s : !s -> !ib
  %a = tile.load %x[%ia] spans(%s) compare [false] : !x, (!ia), spans(!s) -> !a
  %b = tilegpu.convert_layout %a : !a -> !b
  tile.store %b, %y[%ib] spans(%s) compare [false] {tilegpu.place_layout = #b} : !b, !y, (!ib), spans(!s)
}
