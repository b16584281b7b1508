"""A view that is read and written: reads give the value from before the launch, wherever they stand."""

import numpy as np

from everywhere import everywhere
from harness import array, is_float, main, sweep, test

SOURCE = """
kernel swap(x: inout f32[N], y: inout f32[N])
over (n in N by BN) {
  x[n] = y[n];
  y[n] = x[n];
}
kernel later<T: number>(y: inout T[M, N], z: out T[N, M], s: out accum(T)[M], top: out T[1])
over (i in M by BM, j in N by BN) {
  let old = y[i, j];
  y[i, j] = T(old * 2);
  z[j, i] = old;
  s[i] += sum(old, over j);
  top[0] max= max(y[i, j], over i, j);
}
kernel in_a_loop(y: inout f32[M, N], mean_of: out f32[M], after: out f32[M, N])
over (i in M by BM) {
  var total: f32[i] = 0;
  for j in N by BN {
    y[i, j] = y[i, j] + 1;
    total += sum(y[i, j], over j);
    after[i, j] = y[i, j];
  }
  mean_of[i] = total / f32(N);
}
kernel in_branches(y: inout f32[N], x: f32[N], up: bool, n: out f32[N])
over (i in N by BN) {
  if up { y[i] = y[i] * x[i]; } else { y[i] = y[i] / x[i]; }
  n[i] = y[i];
}
kernel whole_rows<D: i64>(y: inout f32[M, D], r: out f32[M])
over (i in M by BM) {
  let d = span(D);
  let v = y[i, d];
  let n = sqrt(sum(v * v, over d));
  y[i, d] = v / n;
  r[i] = max(abs(v), over d) / n;
}
kernel conditional(y: inout f32[N], z: out f32[N], keep: bool[N])
over (n in N by BN) {
  let v = y[n];
  y[n] = where(keep[n], v, 0);
  let after = where(keep[n], 0, v);
  z[n] = after + cumsum(v, over n) * 0;
}
"""


@sweep(N=[0, 1, 37, 5000])
def two_views_are_swapped(t, N):
    x, y = t.normal((N,), "f32"), t.normal((N,), "f32")

    def check(a, b):
        t.same(a, y.value)
        t.same(b, x.value)

    everywhere(t, "swap", SOURCE, x=x, y=y, out=dict(x="f32", y="f32"), check=check)


@sweep(dtype=["f32", "f64", "bf16", "f8e4m3", "i64", "i32", "i8", "u8"], size=[(5, 37), (1, 1), (70, 3)])
def a_value_read_before_and_used_after(t, dtype, size):
    y = t.normal(size, dtype) if is_float(dtype) else t.integers(size, dtype, 0, 60)
    v = y.value
    wide = {"bf16": "f32", "f8e4m3": "f32", "i8": "i32", "u8": "i32"}.get(dtype, dtype)

    def check(got, z, s, top):
        t.same(got, v * 2)
        t.same(z, v.T)
        t.close(s, v.sum(1), terms=size[1], scale=size[1]) if is_float(dtype) else t.same(s, v.sum(1))
        t.same(top, [v.max()])

    everywhere(t, "later", SOURCE, y=y, out=dict(y=dtype, z=dtype, s=wide, top=dtype), check=check)


@sweep(size=[(3, 37), (1, 1), (20, 64)], up=[True, False])
def loops_and_branches_read_old_values(t, size, up):
    y = t.normal(size, "f32")

    def check(got, mean, after):
        t.same(got, (y.raw + np.float32(1)).astype(np.float64))
        t.same(after, y.value)
        t.close(mean, y.value.mean(1), terms=size[1], scale=1)

    everywhere(t, "in_a_loop", SOURCE, y=y, out=dict(y="f32", mean_of="f32", after="f32"), check=check)
    y, x = t.normal((size[1],), "f32"), t.normal((size[1],), "f32")

    def check_branch(got, n):
        t.close(got, y.value * x.value if up else y.value / x.value)
        t.same(n, y.value)

    everywhere(t, "in_branches", SOURCE, y=y, x=x, up=up, out=dict(y="f32", n="f32"), check=check_branch)


@sweep(size=[(3, 37), (1, 1), (40, 8)])
def rows_in_place(t, size):
    y = t.normal(size, "f32")
    n = np.sqrt((y.value**2).sum(1, keepdims=True))

    def check(got, r):
        t.close(got, y.value / n, terms=size[1], scale=1)
        t.close(r, (abs(y.value) / n).max(1), terms=size[1], scale=1)

    everywhere(t, "whole_rows", SOURCE, y=y, out=dict(y="f32", r="f32"), check=check)


@sweep(N=[1, 37, 300])
def parts_that_are_kept(t, N):
    y, keep = t.normal((N,), "f32"), t.flags((N,))

    def check(got, z):
        t.same(got, np.where(keep.value, y.value, 0))
        t.close(z, np.where(keep.value, 0, y.value), scale=1)

    everywhere(t, "conditional", SOURCE, y=y, keep=keep, out=dict(y="f32", z="f32"), check=check)


if __name__ == "__main__":
    main()
