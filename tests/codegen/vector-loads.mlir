// A load that is of vectors in one arm of a branch and of elements in the other stays so in PTX.
// RUN: tile-opt %s -assign-layouts -allocate-shared-memory -insert-barriers -convert-tilegpu-to-llvm > %t && tile-opt --emit-ptx=sm_80 %t | FileCheck %s

!x = !tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["N"], access = out, unit_stride = 0, pack_rank = 1, alignment = 16>
!s = !tile.span<"i", 256>
!i = tensor<256xi64, #tile.axes<"i">>
!t = tensor<256xf32, #tile.axes<"i">>

// CHECK: .entry doubled(
// CHECK: ld.global{{.*}}v4
// CHECK: st.global.v4
tile.kernel @doubled(%x: !x, %y: !y, %N: i64) dimensions = 1 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !s in %c0 to %N {
    %ti = tile.index %i : !s -> !i
    %a = tile.load %x[%ti] spans(%i) compare [false] : !x, (!i), spans(!s) -> !t
    %b = arith.addf %a, %a : !t
    tile.store %b, %y[%ti] spans(%i) compare [false] : !t, !y, (!i), spans(!s)
  }
}
