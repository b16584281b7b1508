// Which products warps with roles form, how they divide them, and which stores tensor copies make.
// RUN: tile-opt %s -split-input-file -plan-schedule -verify-diagnostics | FileCheck %s

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f32, dims = ["M", "L", "N"], access = out, unit_stride = 2, pack_rank = 1, alignment = 16>
!v = !tile.view<element = bf16, dims = ["M", "L", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!u = !tile.view<element = bf16, dims = ["N", "L", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!e = !tile.view<element = i64, dims = ["M"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!sl = !tile.span<"l", 16>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!l = tensor<16xi64, #tile.axes<"l">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>
!ilk = tensor<64x16x64xbf16, #tile.axes<"i", "l", "k">>
!jlk = tensor<64x16x64xbf16, #tile.axes<"j", "l", "k">>
!ilj = tensor<64x16x64xf32, #tile.axes<"i", "l", "j">>
!iki = tensor<64x64xi64, #tile.axes<"i", "k">>

// A tile with few accumulators: each group has one of its own.
// CHECK-LABEL: tile.kernel @ping_pong(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @ping_pong(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

// The operands may stand the other way round.
// CHECK-LABEL: tile.kernel @swapped(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @swapped(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        %d = tile.dot %q, %p, %acc over (%k) : !jk, !ik, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// Nothing is said where there is no product.
// CHECK-LABEL: tile.kernel @no_product(
// CHECK-NOT:     tilegpu.
tile.kernel @no_product(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %c1 = arith.constant dense<1.0> : !n
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      tile.store %c1, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @two_products(
// CHECK-NOT:     tilegpu.
tile.kernel @two_products(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum:2 = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero, %more = %zero) : !ij, !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the kernel has another product}}
        %e = tile.dot %p, %q, %more over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d, %e : !ij, !ij
      }
      %n = tile.cast %sum#0 : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @no_loop(
// CHECK-NOT:     tilegpu.
tile.kernel @no_loop(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %k = tile.span : !sk
      %tk = tile.index %k : !sk -> !k
      %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
      %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: it does not stand in a loop}}
      %d = tile.dot %p, %q, %zero over (%k) : !ik, !jk, !sk -> !ij
      %n = tile.cast %d : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// Checked kernels stay as they are: what they verify stands in the loop.
// CHECK-LABEL: tile.kernel @checked(
// CHECK-NOT:     tilegpu.
// expected-remark @below {{this product is formed by mma.sync, not by wgmma: the kernel is checked}}
tile.kernel @checked(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 checked {
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

// CHECK-LABEL: tile.kernel @in_branch(
// CHECK-NOT:     tilegpu.
tile.kernel @in_branch(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %isAny = arith.cmpi sgt, %N, %c0 : i64
      %sum = scf.if %isAny -> !ij {
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its loop does not stand directly in the grid}}
        %s = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
          %tk = tile.index %k : !sk -> !k
          %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
          %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
          %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
          tile.yield %d : !ij
        }
        scf.yield %s : !ij
      } else {
        scf.yield %zero : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @grid_from_memory(
// CHECK-NOT:     tilegpu.
tile.kernel @grid_from_memory(%x: !x, %w: !w, %y: !y, %e: !e, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %high = tile.load %e[%c0] compare [false] : !e, (i64) -> i64
  tile.parallel "i" %i : !si in %c0 to %M {
    // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the grid's range depends on memory or on another variable}}
    tile.parallel "j" %j : !sj in %c0 to %high {
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

// CHECK-LABEL: tile.kernel @grid_triangular(
// CHECK-NOT:     tilegpu.
tile.kernel @grid_triangular(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    %start = tile.span_start %i : !si
    // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the grid's range depends on memory or on another variable}}
    tile.parallel "j" %j : !sj in %start to %N {
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

// CHECK-LABEL: tile.kernel @another_loop(
// CHECK-NOT:     tilegpu.
tile.kernel @another_loop(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the kernel has another loop}}
      %twice = tile.for "r" %r : i64 in %c0 to %K carries (%a = %sum) : !ij {
        %b = arith.addf %a, %sum : !ij
        tile.yield %b : !ij
      }
      %n = tile.cast %twice : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @loop_of_numbers(
// CHECK-NOT:     tilegpu.
tile.kernel @loop_of_numbers(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %k = tile.span : !sk
      %tk = tile.index %k : !sk -> !k
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its loop does not go over spans from 0}}
      %sum = tile.for "r" %r : i64 in %c0 to %K carries (%acc = %zero) : !ij {
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

// CHECK-LABEL: tile.kernel @loop_from_1(
// CHECK-NOT:     tilegpu.
tile.kernel @loop_from_1(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %c1 = arith.constant 1 : i64
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its loop does not go over spans from 0}}
      %sum = tile.for "k" %k : !sk in %c1 to %K carries (%acc = %zero) : !ij {
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

// A first wgmma starts from zero.
// CHECK-LABEL: tile.kernel @from_one(
// CHECK-NOT:     tilegpu.
tile.kernel @from_one(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<1.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its loop carries something else than the product's sum from 0}}
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

// CHECK-LABEL: tile.kernel @carries_more(
// CHECK-NOT:     tilegpu.
tile.kernel @carries_more(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its loop carries something else than the product's sum from 0}}
      %sum:2 = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero, %count = %c0) : !ij, i64 {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d, %count : !ij, i64
      }
      %n = tile.cast %sum#0 : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// A product that its step uses is one of the loops of ScheduleRulesLoops.
// CHECK-LABEL: tile.kernel @yields_else(
// CHECK-SAME:    tilegpu.loops = "in_turns", tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 4, stages = 0, registers = [0, 0], prepares = false>
tile.kernel @yields_else(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        %s = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        %d = arith.maximumf %s, %zero : !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @two_sums(
// CHECK-NOT:     tilegpu.
tile.kernel @two_sums(%x: !x, %w: !w, %y: !y, %v: !v, %u: !u, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %l = tile.span : !sl
      %tl = tile.index %l : !sl -> !l
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %v[%ti, %tl, %tk] spans(%i, %l, %k) compare [false, false, false] : !v, (!i, !l, !k), spans(!si, !sl, !sk) -> !ilk
        %q = tile.load %u[%tj, %tl, %tk] spans(%j, %l, %k) compare [false, false, false] : !u, (!j, !l, !k), spans(!sj, !sl, !sk) -> !jlk
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: it does not sum over the loop's span alone}}
        %d = tile.dot %p, %q, %acc over (%l, %k) : !ilk, !jlk, !sl, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @three_axes(
// CHECK-NOT:     tilegpu.
tile.kernel @three_axes(%x: !x, %w: !w, %y: !y, %v: !v, %z: !z, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ilj
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %l = tile.span : !sl
      %tl = tile.index %l : !sl -> !l
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ilj {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %v[%ti, %tl, %tk] spans(%i, %l, %k) compare [false, false, false] : !v, (!i, !l, !k), spans(!si, !sl, !sk) -> !ilk
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its result does not have two axes}}
        %d = tile.dot %p, %q, %acc over (%k) : !ilk, !jk, !sk -> !ilj
        tile.yield %d : !ilj
      }
      tile.store %sum, %z[%ti, %tl, %tj] spans(%i, %l, %j) compare [false, false, false] : !ilj, !z, (!i, !l, !j), spans(!si, !sl, !sj)
    }
  }
}

// An operand that the loop does not load.
// CHECK-LABEL: tile.kernel @operand_before(
// CHECK-NOT:     tilegpu.
tile.kernel @operand_before(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %all = tile.span : !sk
      %ta = tile.index %all : !sk -> !k
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its operand is, or is computed of, a tile that is not loaded in its loop}}
      %p = tile.load %x[%ti, %ta] spans(%i, %all) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @more_in_loop(
// CHECK-NOT:     tilegpu.
tile.kernel @more_in_loop(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its loop does something else}}
        %more = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
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

// CHECK-LABEL: tile.kernel @else(
// CHECK-NOT:     tilegpu.
tile.kernel @else(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %none = arith.constant 0.0 : bf16
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: `x` is written by the kernel, or loaded with `else`}}
        %p = tile.load %x[%ti, %tk] spans(%i, %k) else %none compare [true, false] : !x, (!i, !k), spans(!si, !sk) else bf16 -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @computed_index(
// CHECK-NOT:     tilegpu.
tile.kernel @computed_index(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %odd = arith.muli %ti, %ti : !i
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: it is indexed by what is computed or loaded}}
        %p = tile.load %x[%odd, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// A box of every second row would need a map with other strides.
// CHECK-LABEL: tile.kernel @every_second_row(
// CHECK-NOT:     tilegpu.
tile.kernel @every_second_row(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %two = arith.constant dense<2> : !i
      %even = arith.muli %ti, %two : !i
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: one of its indices does not step by one}}
        %p = tile.load %x[%even, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @skewed(
// CHECK-NOT:     tilegpu.
tile.kernel @skewed(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %bi = tile.broadcast %ti : !i -> !iki
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %bk = tile.broadcast %tk : !k -> !iki
        %both = arith.addi %bi, %bk : !iki
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: one of its dimensions is indexed by two spans}}
        %p = tile.load %x[%both, %tk] spans(%i, %k) compare [false, false] : !x, (!iki, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// The same row for all: a box has no axis for them.
// CHECK-LABEL: tile.kernel @missing_axis(
// CHECK-NOT:     tilegpu.
tile.kernel @missing_axis(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %first = tile.broadcast %c0 : i64 -> !i
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: `x` has no dimension for each axis of the product}}
        %p = tile.load %x[%first, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @shifted_depth(
// CHECK-NOT:     tilegpu.
tile.kernel @shifted_depth(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %one = arith.constant dense<1> : !k
        %next = arith.addi %tk, %one : !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the loop does not go over the whole of `x`'s dimension}}
        %p = tile.load %x[%ti, %next] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// Free axes may be shifted: what a box has beyond their end is not stored.
// CHECK-LABEL: tile.kernel @shifted_rows(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @shifted_rows(%x: !x, %w: !w, %y: !y, %s: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %bs = tile.broadcast %s : i64 -> !i
      %shifted = arith.addi %ti, %bs : !i
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%shifted, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// What is outside of the view a tensor copy drops.
// CHECK-LABEL: tile.kernel @store_compared(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @store_compared(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, true] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// What a box has outside of its place would be inside of the view.
// CHECK-LABEL: tile.kernel @store_shifted(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @store_shifted(%x: !x, %w: !w, %y: !y, %s: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %bs = tile.broadcast %s : i64 -> !j
      %shifted = arith.addi %tj, %bs : !j
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %shifted] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// CHECK-LABEL: tile.kernel @store_from_16(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @store_from_16(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %c16 = arith.constant 16 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c16 to %N {
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

// Copies write whole pieces of 16 bytes.
// CHECK-LABEL: tile.kernel @store_from_4(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @store_from_4(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c4 to %N {
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

// CHECK-LABEL: tile.kernel @store_in_branch(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @store_in_branch(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %isAny = arith.cmpi sgt, %N, %c0 : i64
      scf.if %isAny {
        %n = tile.cast %sum : !ij -> !n
        tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
      }
    }
  }
}

// -----

!x = !tile.view<element = f16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xf16, #tile.axes<"i", "j">>

// f16 is as bf16.
// CHECK-LABEL: tile.kernel @f16(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @f16(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 160>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<160xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<160x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x160xf32, #tile.axes<"i", "j">>
!n = tensor<128x160xbf16, #tile.axes<"i", "j">>

// 160 accumulators a thread leave enough of 232 registers.
// CHECK-LABEL: tile.kernel @accumulators_160(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @accumulators_160(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 176>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<176xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<176x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x176xf32, #tile.axes<"i", "j">>
!n = tensor<128x176xbf16, #tile.axes<"i", "j">>

// More than 160 want all the registers that there are.
// CHECK-LABEL: tile.kernel @accumulators_176(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [24, 240], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @accumulators_176(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 208>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<208xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<208x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x208xf32, #tile.axes<"i", "j">>
!n = tensor<128x208xbf16, #tile.axes<"i", "j">>

// As many as a thread can have: the tile is still a group's alone.
// CHECK-LABEL: tile.kernel @accumulators_208(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [24, 240], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @accumulators_208(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 224>
!sk = !tile.span<"k", 64>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<224xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<128x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<224x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<128x224xf32, #tile.axes<"i", "j">>
!n = tensor<128x224xbf16, #tile.axes<"i", "j">>

// 16 columns more, and two warpgroups share the tile, of which each has half of the accumulators.
// CHECK-LABEL: tile.kernel @accumulators_224(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @accumulators_224(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 256>
!sj = !tile.span<"j", 208>
!sk = !tile.span<"k", 64>
!i = tensor<256xi64, #tile.axes<"i">>
!j = tensor<208xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<256x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<208x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<256x208xf32, #tile.axes<"i", "j">>
!n = tensor<256x208xbf16, #tile.axes<"i", "j">>

// Two warpgroups with as many as they can have.
// CHECK-LABEL: tile.kernel @shared_208(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [24, 240], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @shared_208(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 256>
!sj = !tile.span<"j", 224>
!sk = !tile.span<"k", 64>
!i = tensor<256xi64, #tile.axes<"i">>
!j = tensor<224xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<256x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<224x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<256x224xf32, #tile.axes<"i", "j">>
!n = tensor<256x224xbf16, #tile.axes<"i", "j">>

// More accumulators than two warpgroups can have.
// CHECK-LABEL: tile.kernel @shared_224(
// CHECK-NOT:     tilegpu.
tile.kernel @shared_224(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile has 224 accumulators a thread, and there is room for 208}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 192>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<192xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<192x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<192x64xf32, #tile.axes<"i", "j">>
!n = tensor<192x64xbf16, #tile.axes<"i", "j">>

// Rows in blocks of 64.
// CHECK-LABEL: tile.kernel @rows_192(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @rows_192(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 32>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<32xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<32x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<32x64xf32, #tile.axes<"i", "j">>
!n = tensor<32x64xbf16, #tile.axes<"i", "j">>

// A warpgroup has 64 rows.
// CHECK-LABEL: tile.kernel @rows_32(
// CHECK-NOT:     tilegpu.
tile.kernel @rows_32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile has 32 rows, and a group of 1 warpgroups needs a multiple of 64}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 96>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<96xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<96x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<96x64xf32, #tile.axes<"i", "j">>
!n = tensor<96x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @rows_96(
// CHECK-NOT:     tilegpu.
tile.kernel @rows_96(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile has 96 rows, and a group of 1 warpgroups needs a multiple of 64}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 192>
!sj = !tile.span<"j", 144>
!sk = !tile.span<"k", 64>
!i = tensor<192xi64, #tile.axes<"i">>
!j = tensor<144xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<192x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<144x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<192x144xf32, #tile.axes<"i", "j">>
!n = tensor<192x144xbf16, #tile.axes<"i", "j">>

// Two warpgroups need 128.
// CHECK-LABEL: tile.kernel @rows_192_shared(
// CHECK-NOT:     tilegpu.
tile.kernel @rows_192_shared(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile has 192 rows, and a group of 2 warpgroups needs a multiple of 128}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 320>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<320xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<320x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<320x64xf32, #tile.axes<"i", "j">>
!n = tensor<320x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @rows_320(
// CHECK-NOT:     tilegpu.
tile.kernel @rows_320(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile is not of a multiple of 16 columns and 16 steps, and of at most 256 rows, columns and steps}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 8>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<8xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<8x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x8xf32, #tile.axes<"i", "j">>
!n = tensor<64x8xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @columns_8(
// CHECK-NOT:     tilegpu.
tile.kernel @columns_8(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile is not of a multiple of 16 columns and 16 steps, and of at most 256 rows, columns and steps}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 272>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<272xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<272x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x272xf32, #tile.axes<"i", "j">>
!n = tensor<64x272xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @columns_272(
// CHECK-NOT:     tilegpu.
tile.kernel @columns_272(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile is not of a multiple of 16 columns and 16 steps, and of at most 256 rows, columns and steps}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 60>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<60xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<60x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<60x64xf32, #tile.axes<"i", "j">>
!n = tensor<60x64xbf16, #tile.axes<"i", "j">>

// 60 rows are computed as 64. A tensor copy would write all 64, of which four are another tile's.
// CHECK-LABEL: tile.kernel @rows_padded(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @rows_padded(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 60>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<60xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<60x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x60xf32, #tile.axes<"i", "j">>
!n = tensor<64x60xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @columns_padded(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @columns_padded(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 60>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<60xi64, #tile.axes<"k">>
!ik = tensor<64x60xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x60xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A tensor copy brings 64 steps, of which four are the next iteration's: they would be summed twice.
// CHECK-LABEL: tile.kernel @steps_padded(
// CHECK-NOT:     tilegpu.
tile.kernel @steps_padded(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile is not of a multiple of 16 columns and 16 steps, and of at most 256 rows, columns and steps}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 32>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<64x32xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x32xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// Rows of 128 bytes are what the widest swizzle permutes.
// CHECK-LABEL: tile.kernel @narrow(
// CHECK-NOT:     tilegpu.
tile.kernel @narrow(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile of `x` has not whole rows of 128 bytes}}
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

!x = !tile.view<element = bf16, dims = ["K", "M"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["K", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 48>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<48xi64, #tile.axes<"k">>
!ik = tensor<64x48xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x48xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// What lies along the free axes: the summed one may then be a multiple of 16, which is a step of the instruction.
// CHECK-LABEL: tile.kernel @transposed(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @transposed(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%tk, %ti] spans(%i, %k) compare [false, false] : !x, (!k, !i), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tk, %tj] spans(%j, %k) compare [false, false] : !w, (!k, !j), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["K", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 80>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<80xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<80x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x80xf32, #tile.axes<"i", "j">>
!n = tensor<64x80xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @transposed_narrow(
// CHECK-NOT:     tilegpu.
tile.kernel @transposed_narrow(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile of `w` has not whole rows of 128 bytes}}
        %q = tile.load %w[%tk, %tj] spans(%j, %k) compare [false, false] : !w, (!k, !j), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["K", "M"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["K", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 24>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<24xi64, #tile.axes<"k">>
!ik = tensor<64x24xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x24xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @transposed_step(
// CHECK-NOT:     tilegpu.
tile.kernel @transposed_step(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%tk, %ti] spans(%i, %k) compare [false, false] : !x, (!k, !i), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tk, %tj] spans(%j, %k) compare [false, false] : !w, (!k, !j), spans(!sj, !sk) -> !jk
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile is not of a multiple of 16 columns and 16 steps, and of at most 256 rows, columns and steps}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["K", "M"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["K", "N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 272>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<272xi64, #tile.axes<"k">>
!ik = tensor<64x272xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x272xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A box has at most 256 rows.
// CHECK-LABEL: tile.kernel @transposed_steps(
// CHECK-NOT:     tilegpu.
tile.kernel @transposed_steps(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%tk, %ti] spans(%i, %k) compare [false, false] : !x, (!k, !i), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tk, %tj] spans(%j, %k) compare [false, false] : !w, (!k, !j), spans(!sj, !sk) -> !jk
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile is not of a multiple of 16 columns and 16 steps, and of at most 256 rows, columns and steps}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = f16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 256>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<64x256xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x256xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x128xf32, #tile.axes<"i", "j">>
!n = tensor<64x128xbf16, #tile.axes<"i", "j">>
!h = tensor<64x128xf16, #tile.axes<"i", "j">>
!if = tensor<64xf32, #tile.axes<"i">>
!jf = tensor<128xf32, #tile.axes<"j">>

// Two stages of 192 rows and columns of 512 bytes, staging for two groups and the barriers are 230,400 bytes of 232,448.
// CHECK-LABEL: tile.kernel @fits(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @fits(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

// Each type has staging of its own: where one would fit, two do not.
// CHECK-LABEL: tile.kernel @two_types(
// CHECK-NOT:     tilegpu.
tile.kernel @two_types(%x: !x, %w: !w, %y: !y, %z: !z, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: 2 stages and what its stores, vectors and reductions need take 263168 bytes of shared memory, and a block has 232448}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
      %h = tile.cast %sum : !ij -> !h
      tile.store %h, %z[%ti, %tj] spans(%i, %j) compare [false, false] : !h, !z, (!i, !j), spans(!si, !sj)
    }
  }
}

// A warp has whole rows of the tile: reductions along them need no memory.
// CHECK-LABEL: tile.kernel @reduced_columns(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @reduced_columns(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %most = tile.reduce max %sum over (%j) : !ij, !sj -> !if
      %all = tile.broadcast %most : !if -> !ij
      %rest = arith.subf %sum, %all : !ij
      %n = tile.cast %rest : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// Warps tell each other what they have of a column: 4 bytes for each 16 rows, 2,048 for each group.
// CHECK-LABEL: tile.kernel @reduced_rows(
// CHECK-NOT:     tilegpu.
tile.kernel @reduced_rows(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: 2 stages and what its stores, vectors and reductions need take 234496 bytes of shared memory, and a block has 232448}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %most = tile.reduce max %sum over (%i) : !ij, !si -> !jf
      %all = tile.broadcast %most : !jf -> !ij
      %rest = arith.subf %sum, %all : !ij
      %n = tile.cast %rest : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 144>
!sk = !tile.span<"k", 256>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<144xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<64x256xbf16, #tile.axes<"i", "k">>
!jk = tensor<144x256xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x144xf32, #tile.axes<"i", "j">>
!n = tensor<64x144xbf16, #tile.axes<"i", "j">>

// 16 columns more than fit.
// CHECK-LABEL: tile.kernel @does_not_fit(
// CHECK-NOT:     tilegpu.
tile.kernel @does_not_fit(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: 2 stages and what its stores, vectors and reductions need take 246784 bytes of shared memory, and a block has 232448}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 144>
!sk = !tile.span<"k", 256>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<144xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<64x256xbf16, #tile.axes<"i", "k">>
!jk = tensor<144x256xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x144xf32, #tile.axes<"i", "j">>

// Stores of f32 need no memory of their own.
// CHECK-LABEL: tile.kernel @fits_f32(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @fits_f32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 128>
!sk = !tile.span<"k", 256>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<128xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<64x256xbf16, #tile.axes<"i", "k">>
!jk = tensor<128x256xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x128xf32, #tile.axes<"i", "j">>
!n = tensor<64x128xbf16, #tile.axes<"i", "j">>

// Two stores of one type share it.
// CHECK-LABEL: tile.kernel @two_stores(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store %{{.+}}, %y{{.*}} {tilegpu.tensor_copy}
// CHECK:         tile.store %{{.+}}, %z{{.*}} {tilegpu.tensor_copy}
tile.kernel @two_stores(%x: !x, %w: !w, %y: !y, %z: !z, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %n, %z[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !z, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = i8, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 256>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<64x256xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x256xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xi8, #tile.axes<"i", "j">>

// A narrow store that tensor copies cannot make goes through shared memory as a whole.
// CHECK-LABEL: tile.kernel @scratch(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @scratch(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = i8, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 160>
!sk = !tile.span<"k", 256>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<160xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<64x256xbf16, #tile.axes<"i", "k">>
!jk = tensor<160x256xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x160xf32, #tile.axes<"i", "j">>
!n = tensor<64x160xi8, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @scratch_does_not_fit(
// CHECK-NOT:     tilegpu.
tile.kernel @scratch_does_not_fit(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: 2 stages and what its stores, vectors and reductions need take 250880 bytes of shared memory, and a block has 232448}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f32, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xf32, #tile.axes<"i", "k">>
!jk = tensor<64x64xf32, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>

// Nothing is said of a product of other elements either: wgmma would form it no better.
// CHECK-LABEL: tile.kernel @f32(
// CHECK-NOT:     tilegpu.
tile.kernel @f32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @adds(
// CHECK-NOT:     tilegpu.
tile.kernel @adds(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the kernel adds to an output, prints or asserts}}
      tile.accumulate add %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// Stores of f32 are whole sectors in the accumulator's layout.
// CHECK-LABEL: tile.kernel @store_f32(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @store_f32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!u = !tile.view<element = bf16, dims = ["M", "N", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>
!ijk = tensor<64x64x64xbf16, #tile.axes<"i", "j", "k">>

// CHECK-LABEL: tile.kernel @shared_axis(
// CHECK-NOT:     tilegpu.
tile.kernel @shared_axis(%x: !x, %w: !w, %y: !y, %u: !u, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %u[%ti, %tj, %tk] spans(%i, %j, %k) compare [false, false, false] : !u, (!i, !j, !k), spans(!si, !sj, !sk) -> !ijk
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its operands share an axis that is not summed}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !ijk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = inout, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// Tensor copies would read what is being written.
// CHECK-LABEL: tile.kernel @inout(
// CHECK-NOT:     tilegpu.
tile.kernel @inout(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: `x` is written by the kernel, or loaded with `else`}}
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

!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 2, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @pack(
// CHECK-NOT:     tilegpu.
tile.kernel @pack(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: its rows are not one distance apart, and what lies between the jumps is not known to be a multiple of 16}}
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = -1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @strided(
// CHECK-NOT:     tilegpu.
tile.kernel @strided(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: none of its dimensions is known to have stride 1}}
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 8>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @unaligned(
// CHECK-NOT:     tilegpu.
tile.kernel @unaligned(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: its rows are not known to be aligned to 16 bytes}}
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

!x = !tile.view<element = bf16, dims = ["K"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>
!iki = tensor<64x64xi64, #tile.axes<"i", "k">>

// CHECK-LABEL: tile.kernel @one_dimension(
// CHECK-NOT:     tilegpu.
tile.kernel @one_dimension(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %bi = tile.broadcast %ti : !i -> !iki
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %bk = tile.broadcast %tk : !k -> !iki
        %both = arith.addi %bi, %bk : !iki
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: one of its dimensions is indexed by two spans}}
        %p = tile.load %x[%both] spans(%i, %k) compare [false] : !x, (!iki), spans(!si, !sk) -> !ik
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

!x = !tile.view<element = bf16, dims = ["M", "M", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A box of two such dimensions is a square; its diagonal is wanted.
// CHECK-LABEL: tile.kernel @diagonal(
// CHECK-NOT:     tilegpu.
tile.kernel @diagonal(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: two of its dimensions are indexed by one span}}
        %p = tile.load %x[%ti, %ti, %tk] spans(%i, %k) compare [false, false, false] : !x, (!i, !i, !k), spans(!si, !sk) -> !ik
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

!x = !tile.view<element = bf16, dims = ["M", "K", "L"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @contiguous_number(
// CHECK-NOT:     tilegpu.
tile.kernel @contiguous_number(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: its dimension of stride 1 is not indexed by a span}}
        %p = tile.load %x[%ti, %tk, %c0] spans(%i, %k) compare [false, false, false] : !x, (!i, !k, i64), spans(!si, !sk) -> !ik
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

!x = !tile.view<element = bf16, dims = ["M", "L"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// The loop ends before the view: a tensor copy would bring what lies behind.
// CHECK-LABEL: tile.kernel @part_of_depth(
// CHECK-NOT:     tilegpu.
tile.kernel @part_of_depth(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the loop does not go over the whole of `x`'s dimension}}
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

!x = !tile.view<element = bf16, dims = ["B", "M", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!e = !tile.view<element = i64, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 8>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @index_in_loop(
// CHECK-NOT:     tilegpu.
tile.kernel @index_in_loop(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %start = tile.span_start %k : !sk
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: an index of `x` changes from step to step, or is computed from memory}}
        %p = tile.load %x[%start, %ti, %tk] spans(%i, %k) compare [false, false, false] : !x, (i64, !i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// The feeding thread reads nothing of the grid's nest.
// CHECK-LABEL: tile.kernel @index_from_memory(
// CHECK-NOT:     tilegpu.
tile.kernel @index_from_memory(%x: !x, %w: !w, %y: !y, %e: !e, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %start = tile.span_start %j : !sj
      %read = tile.load %e[%start] compare [false] : !e, (i64) -> i64
      %which = arith.maxsi %read, %c0 : i64
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: an index of `x` changes from step to step, or is computed from memory}}
        %p = tile.load %x[%which, %ti, %tk] spans(%i, %k) compare [false, false, false] : !x, (i64, !i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      %n = tile.cast %sum : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// The feeding thread has what can be computed of the grid's variables, and what stands before the grid.
// CHECK-LABEL: tile.kernel @index_of_grid(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @index_of_grid(%x: !x, %w: !w, %y: !y, %e: !e, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  %read = tile.load %e[%c0] compare [false] : !e, (i64) -> i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %start = tile.span_start %j : !sj
      %which = arith.minsi %start, %read : i64
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%which, %ti, %tk] spans(%i, %k) compare [false, false, false] : !x, (i64, !i, !k), spans(!si, !sk) -> !ik
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = inout, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A view that is both read and written may be stored by tensor copies if this kernel reads nothing of it.
// CHECK-LABEL: tile.kernel @store_inout(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @store_inout(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = inout, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// Else other warps may load what is stored.
// CHECK-LABEL: tile.kernel @read_and_store_inout(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @read_and_store_inout(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      %old = tile.load %y[%ti, %tj] spans(%i, %j) compare [false, false] : !y, (!i, !j), spans(!si, !sj) -> !n
      %before = tile.cast %old : !n -> !ij
      %all = arith.addf %sum, %before : !ij
      %n = tile.cast %all : !ij -> !n
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !n, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["N", "M"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @store_transposed(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @store_transposed(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %n, %y[%tj, %ti] spans(%i, %j) compare [false, false] : !n, !y, (!j, !i), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = -1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @store_strided(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @store_strided(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "L"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// CHECK-LABEL: tile.kernel @store_part(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @store_part(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["B", "M", "N"], access = out, unit_stride = 2, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A box has one index along dimensions without an axis.
// CHECK-LABEL: tile.kernel @store_batch(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @store_batch(%x: !x, %w: !w, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %n, %y[%b, %ti, %tj] spans(%i, %j) compare [false, false, false] : !n, !y, (i64, !i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 1, pack_rank = 2, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// A pack in parts of multiples of 16 rows: several boxes.
// CHECK-LABEL: tile.kernel @pack_of_runs(
// CHECK-SAME:    {{.*}}tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @pack_of_runs(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 16, 1, 1, 1, 1, 1>} {
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

// Boxes would go over the ends of parts.
// CHECK-LABEL: tile.kernel @pack_from_8(
// CHECK-NOT:     tilegpu.
tile.kernel @pack_from_8(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 16, 1, 1, 1, 1, 1>} {
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  tile.parallel "i" %i : !si in %c8 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: its rows are not one distance apart, and the tile does not begin at a multiple of 16}}
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

// CHECK-LABEL: tile.kernel @pack_shifted(
// CHECK-NOT:     tilegpu.
tile.kernel @pack_shifted(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 64, 1, 1, 1, 1, 1>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %one = arith.constant dense<1> : !i
        %next = arith.addi %ti, %one : !i
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: its rows are not one distance apart, and begin elsewhere than a span}}
        %p = tile.load %x[%next, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
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

!x = !tile.view<element = bf16, dims = ["M...", "K"], access = in, unit_stride = 0, pack_rank = 2, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// Positions side by side in memory: a panel is 64 of them.
// CHECK-LABEL: tile.kernel @positions(
// CHECK-SAME:    {{.*}}tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @positions(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 64, 1, 1, 1, 1, 1>} {
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

// CHECK-LABEL: tile.kernel @few_positions(
// CHECK-NOT:     tilegpu.
tile.kernel @few_positions(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 32, 1, 1, 1, 1, 1>} {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: tensor copies cannot take `x`: its rows are not one distance apart, and what lies between the jumps is not known to be a multiple of 64}}
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M...", "N"], access = out, unit_stride = 1, pack_rank = 2, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// Slices of 16 rows of a part.
// CHECK-LABEL: tile.kernel @stored_pack(
// CHECK-SAME:    {{.*}}tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @stored_pack(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 attributes {tile.pack_runs = array<i64: 1, 1, 16, 1, 1, 1>} {
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

// CHECK-LABEL: tile.kernel @stored_pack_of_short_runs(
// CHECK-SAME:    {{.*}}tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @stored_pack_of_short_runs(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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

!x = !tile.view<element = bf16, dims = ["M", "136"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "136"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// The loop goes over the whole of a dimension that is a constant.
// CHECK-LABEL: tile.kernel @constant_depth(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @constant_depth(%x: !x, %w: !w, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %c136 = arith.constant 136 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %c136 carries (%acc = %zero) : !ij {
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

// CHECK-LABEL: tile.kernel @other_constant_depth(
// CHECK-NOT:     tilegpu.
tile.kernel @other_constant_depth(%x: !x, %w: !w, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %c130 = arith.constant 130 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %c130 carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: the loop does not go over the whole of `x`'s dimension}}
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

// No step is shorter than the others, so no box has more than its step.
// CHECK-LABEL: tile.kernel @whole_steps(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @whole_steps(%x: !x, %w: !w, %y: !y, %M: i64, %N: i64) dimensions = 2 {
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %c128 carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %eight = arith.constant dense<8> : !k
        %later = arith.addi %tk, %eight : !k
        %p = tile.load %x[%ti, %later] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
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

!x = !tile.view<element = bf16, dims = ["B", "M", "K"], access = in, unit_stride = 2, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// What the loop computes of numbers that it does not change is the same in all steps.
// CHECK-LABEL: tile.kernel @same_index_in_loop(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}} {tilegpu.tensor_copy}
tile.kernel @same_index_in_loop(%x: !x, %w: !w, %y: !y, %b: i64, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %c3 = arith.constant 3 : i64
        %start = tile.span_start %j : !sj
        %more = arith.addi %start, %b : i64
        %image = tile.floor_mod %more, %c3 : i64
        %p = tile.load %x[%image, %ti, %tk] spans(%i, %k) compare [false, false, false] : !x, (i64, !i, !k), spans(!si, !sk) -> !ik
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

!x = !tile.view<element = bf16, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = bf16, dims = ["", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = bf16, dims = ["M", "P"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!z = !tile.view<element = bf16, dims = ["M", "Q"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 64>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<64xi64, #tile.axes<"k">>
!ik = tensor<64x64xbf16, #tile.axes<"i", "k">>
!jk = tensor<64x64xbf16, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>
!n = tensor<64x64xbf16, #tile.axes<"i", "j">>

// Rows are cut into two results: the tiles end where the second one does, which begins a whole number of pieces behind the first.
// CHECK-LABEL: tile.kernel @parts_of_rows(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}}%y{{.*}} {tilegpu.tensor_copy}
// CHECK:         tile.store {{.*}}%z{{.*}} {tilegpu.tensor_copy}
tile.kernel @parts_of_rows(%x: !x, %w: !w, %y: !y, %z: !z, %M: i64, %K: i64, %P: i64, %Q: i64) dimensions = 4 {
  %c0 = arith.constant 0 : i64
  %all = arith.addi %P, %Q : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %all {
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
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, true] : !n, !y, (!i, !j), spans(!si, !sj)
      %bp = tile.broadcast %P : i64 -> !j
      %rest = arith.subi %tj, %bp : !j
      tile.store %n, %z[%ti, %rest] spans(%i, %j) compare [false, true] : !n, !z, (!i, !j), spans(!si, !sj)
    }
  }
}

// The tiles end before the second result: what a box has beyond would be inside of it.
// CHECK-LABEL: tile.kernel @parts_that_end_early(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}}%y{{.*}} {tilegpu.tensor_copy}
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @parts_that_end_early(%x: !x, %w: !w, %y: !y, %z: !z, %M: i64, %K: i64, %P: i64, %Q: i64) dimensions = 4 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %P {
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
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, true] : !n, !y, (!i, !j), spans(!si, !sj)
      %bp = tile.broadcast %P : i64 -> !j
      %rest = arith.subi %tj, %bp : !j
      tile.store %n, %z[%ti, %rest] spans(%i, %j) compare [false, true] : !n, !z, (!i, !j), spans(!si, !sj)
    }
  }
}

// The second result begins at a number of which nothing is known.
// CHECK-LABEL: tile.kernel @parts_by_a_number(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
// CHECK:         tile.store {{.*}}%y{{.*}} {tilegpu.tensor_copy}
// CHECK-NOT:     tilegpu.tensor_copy
tile.kernel @parts_by_a_number(%x: !x, %w: !w, %y: !y, %z: !z, %s: i64, %M: i64, %K: i64, %P: i64, %Q: i64) dimensions = 4 {
  %c0 = arith.constant 0 : i64
  %all = arith.addi %P, %Q : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %all {
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
      tile.store %n, %y[%ti, %tj] spans(%i, %j) compare [false, true] : !n, !y, (!i, !j), spans(!si, !sj)
      %bp = tile.broadcast %s : i64 -> !j
      %rest = arith.subi %tj, %bp : !j
      tile.store %n, %z[%ti, %rest] spans(%i, %j) compare [false, true] : !n, !z, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f8E4M3FN, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f8E5M2, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<128x128xf8E4M3FN, #tile.axes<"i", "k">>
!jk = tensor<64x128xf8E5M2, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// Sums of f8 are promoted: two registers for each element, and no turns.
// CHECK-LABEL: tile.kernel @f8(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 1, warps = 8, stages = 0, registers = [40, 232], prepares = false>
tile.kernel @f8(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f8E4M3FN, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f8E4M3FN, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 64>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 128>
!i = tensor<64xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<64x128xf8E4M3FN, #tile.axes<"i", "k">>
!jk = tensor<64x128xf8E4M3FN, #tile.axes<"j", "k">>
!ij = tensor<64x64xf32, #tile.axes<"i", "j">>

// 64 rows are one warpgroup's.
// CHECK-LABEL: tile.kernel @f8_of_few_rows(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
tile.kernel @f8_of_few_rows(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f8E4M3FN, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f8E4M3FN, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<128x128xf8E4M3FN, #tile.axes<"i", "k">>
!jk = tensor<64x128xf8E4M3FN, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// Without promotion they are like others.
// CHECK-LABEL: tile.kernel @fast_f8(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
tile.kernel @fast_f8(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        %d = tile.dot %p, %q, %acc over (%k) precision fast : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f8E4M3FN, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f8E4M3FN, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 224>
!sk = !tile.span<"k", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<224xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<128x128xf8E4M3FN, #tile.axes<"i", "k">>
!jk = tensor<224x128xf8E4M3FN, #tile.axes<"j", "k">>
!ij = tensor<128x224xf32, #tile.axes<"i", "j">>

// Too many registers.
// CHECK-LABEL: tile.kernel @wide_f8(
// CHECK-NOT:     tilegpu.
tile.kernel @wide_f8(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: its tile has 224 accumulators a thread, and there is room for 208}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f8E4M3FN, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f8E4M3FN, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 256>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<256xi64, #tile.axes<"k">>
!ik = tensor<128x256xf8E4M3FN, #tile.axes<"i", "k">>
!jk = tensor<64x256xf8E4M3FN, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// A step has more products than are added before they are promoted.
// CHECK-LABEL: tile.kernel @long_f8(
// CHECK-NOT:     tilegpu.
tile.kernel @long_f8(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: sums of f8 are promoted every 128 steps, and its tile has 256 (`precision = fast` would do)}}
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = i8, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = i8, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = i32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<128x128xi8, #tile.axes<"i", "k">>
!jk = tensor<64x128xi8, #tile.axes<"j", "k">>
!ij = tensor<128x64xi32, #tile.axes<"i", "j">>

// Integers.
// CHECK-LABEL: tile.kernel @i8(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
tile.kernel @i8(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f32, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 32>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<128x32xf32, #tile.axes<"i", "k">>
!jk = tensor<64x32xf32, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// f32 whose precision allows tf32.
// CHECK-LABEL: tile.kernel @tf32(
// CHECK-SAME:    tilegpu.schedule = #tilegpu.schedule<groups = 2, warps = 4, stages = 0, registers = [40, 232], prepares = false>
tile.kernel @tf32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
        %d = tile.dot %p, %q, %acc over (%k) precision tf32 : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 0, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f32, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 32>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<128x32xf32, #tile.axes<"i", "k">>
!jk = tensor<64x32xf32, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// The units turn operands of 16 bits only.
// CHECK-LABEL: tile.kernel @turned_tf32(
// CHECK-NOT:     tilegpu.
tile.kernel @turned_tf32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0.0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        // expected-remark @below {{this product is formed by mma.sync, not by wgmma: `x` is not contiguous along the summed axis, and only operands of 16 bits may be so}}
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) precision tf32 : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = i8, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = i8, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = i32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 128>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<128xi64, #tile.axes<"k">>
!ik = tensor<128x128xi8, #tile.axes<"i", "k">>
!jk = tensor<64x128xi8, #tile.axes<"j", "k">>
!ij = tensor<128x64xi32, #tile.axes<"i", "j">>

// Nothing is said of what never could.
// CHECK-LABEL: tile.kernel @unsigned(
// CHECK-NOT:     tilegpu.
tile.kernel @unsigned(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
  %c0 = arith.constant 0 : i64
  tile.parallel "i" %i : !si in %c0 to %M {
    tile.parallel "j" %j : !sj in %c0 to %N {
      %zero = arith.constant dense<0> : !ij
      %ti = tile.index %i : !si -> !i
      %tj = tile.index %j : !sj -> !j
      %sum = tile.for "k" %k : !sk in %c0 to %K carries (%acc = %zero) : !ij {
        %tk = tile.index %k : !sk -> !k
        %p = tile.load %x[%ti, %tk] spans(%i, %k) compare [false, false] : !x, (!i, !k), spans(!si, !sk) -> !ik
        %q = tile.load %w[%tj, %tk] spans(%j, %k) compare [false, false] : !w, (!j, !k), spans(!sj, !sk) -> !jk
        %d = tile.dot %p, %q, %acc over (%k) lhs_unsigned : !ik, !jk, !sk -> !ij
        tile.yield %d : !ij
      }
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}

// -----

!x = !tile.view<element = f32, dims = ["M", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!w = !tile.view<element = f32, dims = ["N", "K"], access = in, unit_stride = 1, pack_rank = 1, alignment = 16>
!y = !tile.view<element = f32, dims = ["M", "N"], access = out, unit_stride = 1, pack_rank = 1, alignment = 16>
!si = !tile.span<"i", 128>
!sj = !tile.span<"j", 64>
!sk = !tile.span<"k", 32>
!i = tensor<128xi64, #tile.axes<"i">>
!j = tensor<64xi64, #tile.axes<"j">>
!k = tensor<32xi64, #tile.axes<"k">>
!ik = tensor<128x32xf32, #tile.axes<"i", "k">>
!jk = tensor<64x32xf32, #tile.axes<"j", "k">>
!ij = tensor<128x64xf32, #tile.axes<"i", "j">>

// Nor of f32 as it is.
// CHECK-LABEL: tile.kernel @f32(
// CHECK-NOT:     tilegpu.
tile.kernel @f32(%x: !x, %w: !w, %y: !y, %M: i64, %K: i64, %N: i64) dimensions = 3 {
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
      tile.store %sum, %y[%ti, %tj] spans(%i, %j) compare [false, false] : !ij, !y, (!i, !j), spans(!si, !sj)
    }
  }
}
