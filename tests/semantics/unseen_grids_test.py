"""Grids of every form, and what must not depend on the number of threads."""

import numpy as np

from everywhere import everywhere
from harness import Mismatch, array, main, sweep, test

SOURCE = """
kernel wedges(x: f32[A, B], y: out f32[A, A, B], n: out i32[A])
over (a in A, c in a..A, b in B by BB) {
  y[a, c, b] = x[a, b] + x[c, b];
  n[a] += sum(1 + i32(b) * 0, over b);
}
kernel nested(x: f32[M, N], y: out f32[M, N], s: out f32[M])
over (i in M by 8, p in i by 3, j in N by BJ, q in j by 5) {
  y[p, q] = x[p, q] * 2;
  s[p] += sum(x[p, q], over q);
}
kernel window(x: f32[N], y: out f32[N], n: out i64[1], lo: i64, hi: i32)
over (i in max(lo, 0)..min(i64(hi), N) by BI) {
  y[i] = x[i] + 1;
  n[0] += i.end - i.start;
}
kernel constants(x: f32[4, N], y: out f32[2, 2, N])
over (a in 2, b in 2, n in N / 2 by BN) {
  y[a, b, n] = x[a * 2 + b, n];
  y[a, b, n + N / 2] = -x[a * 2 + b, n + N / 2];
}
kernel bands(x: f32[N, N], y: out f32[N, N], sums: out f64[N], width: i64)
over (i in N by BM, j in max(0, i.start - width)..min(N, i.end + width) by BN) {
  let v = where(abs(i - j) <= width, x[i, j], 0);
  y[i, j] = v;
  sums[j] += sum(f64(v), over i);
}
kernel five(x: f32[A, B, C, D, E], y: out f32[E, D, C, B, A], t: out f32[C])
over (a in A, b in B by BB, c in C, d in D by BD, e in E by BE) {
  y[e, d, c, b, a] = x[a, b, c, d, e];
  t[c] += sum(x[a, b, c, d, e], over b, d, e);
}
kernel experts(x: f32[N, D], first: i32[E], count: i32[E], dw: out f32[E, D], top: out f32[1])
over (e in E, i in first[e]..first[e] + count[e] by BI, d in D by BD) {
  let v = x[i, d, else 0];
  dw[e, d] += sum(v, over i);
  top[0] max= max(v, over i, d);
}
kernel many_sums(x: f32[M, N], a: out f32[N], b: out f32[M], c: out f64[1], d: out f32[1], e: out f16[N], g: out i8[N])
over (i in M by BM, j in N by BN) {
  let v = x[i, j];
  a[j] += sum(v * v, over i);
  b[i] -= sum(v, over j);
  c[0] += f64(sum(v, over i, j));
  d[0] min= min(v, over i, j);
  e[j] += sum(v, over i);
  g[j] += sum(i32(v * 100), over i);
}
"""


@sweep(size=[(1, 1), (5, 7), (4, 0), (0, 3), (12, 33)])
def a_wedge(t, size):
    A, B = size
    x = t.normal(size, "f32")
    want = np.where((np.arange(A)[:, None] <= np.arange(A))[..., None], x.value[:, None] + x.value, np.nan)

    def check(y, n):
        t.close(y, want)
        t.same(n, (A - np.arange(A)) * B)

    everywhere(t, "wedges", SOURCE, x=x, out=dict(y="f32", n="i32"), check=check)


@sweep(size=[(1, 1), (8, 15), (19, 37), (0, 2), (3, 0)])
def a_grid_of_sub_spans(t, size):
    x = t.normal(size, "f32")

    def check(y, s):
        t.same(y, x.value * 2)
        t.close(s, x.value.sum(1), terms=size[1] + 1, scale=size[1] + 1)

    everywhere(t, "nested", SOURCE, x=x, out=dict(y="f32", s="f32"), check=check)


@sweep(bounds=[(0, 37), (5, 6), (6, 5), (-9, 99), (37, 37), (-(2**63), 2**31 - 1), (2**63 - 1, -(2**31))])
def a_grid_between_scalars(t, bounds):
    x = t.normal((37,), "f32")
    lo, hi = max(bounds[0], 0), min(bounds[1], 37)
    want = np.full(37, np.nan)
    if hi > lo:
        want[lo:hi] = x.raw[lo:hi] + np.float32(1)

    def check(y, n):
        t.same(y, want)
        t.same(n, [max(hi - lo, 0)])

    everywhere(t, "window", SOURCE, x=x, lo=bounds[0], hi=bounds[1], out=dict(y="f32", n="i64"), check=check)


@sweep(N=[0, 1, 2, 37, 38])
def a_grid_of_constants(t, N):
    x = t.normal((4, N), "f32")
    half = N // 2
    want = x.value.reshape(2, 2, N).copy()
    want[..., half : 2 * half] *= -1
    want[..., 2 * half :] = np.nan
    everywhere(t, "constants", SOURCE, x=x, out=dict(y="f32"), check=lambda y: t.same(y, want))


@sweep(N=[1, 20, 45], width=[0, 1, 7, 100])
def a_band(t, N, width):
    x = t.normal((N, N), "f32")
    n = np.arange(N)
    v = np.where(abs(n[:, None] - n) <= width, x.value, 0)

    def check(y, sums):
        t.same(np.where(np.isnan(y.value), 0, y.value), v)
        t.close(sums, v.sum(0), terms=N, scale=1e9 * N)

    everywhere(t, "bands", SOURCE, x=x, width=width, out=dict(y="f32", sums="f64"), check=check)


@sweep(size=[(1, 1, 1, 1, 1), (2, 5, 3, 4, 7), (2, 0, 3, 1, 1)], order=["c", "f"])
def a_grid_of_five(t, size, order):
    x = t.normal(size, "f32")

    def check(y, s):
        t.same(y, x.value.transpose())
        t.close(s, x.value.sum((0, 1, 3, 4)), terms=300, scale=300)

    everywhere(t, "five", SOURCE, x=x if order == "c" else x.fortran(), out=dict(y="f32", t="f32"), check=check)


@sweep(parts=[((0, 5), (5, 0), (5, 7)), ((30, 7), (0, 30), (-4, 0)), ((35, 50), (-3, 8), (10, 1)), ((0, 0), (0, 0), (0, 0))])
def a_grid_of_parts_from_memory(t, parts):
    N, D, E = 37, 6, 3
    x = t.normal((N, D), "f32")
    dw, top = np.zeros((E, D)), -np.inf
    for e, (first, count) in enumerate(parts):
        if count > 0 and (first < 0 or first + count > N):
            top = max(top, 0)
        lo, hi = max(first, 0), min(first + count, N)
        for i in range(lo, hi):
            dw[e] += x.value[i]
            top = max(top, x.value[i].max())

    def check(sums, most):
        t.close(sums, dw, terms=N, scale=N)
        t.same(most, [top])

    first, count = (array([p[n] for p in parts], "i32") for n in range(2))
    everywhere(t, "experts", SOURCE, x=x, first=first, count=count, out=dict(dw="f32", top="f32"), check=check)


@sweep(size=[(1, 1), (300, 70), (1000, 3), (5, 2000), (0, 4), (4, 0)])
def sums_do_not_depend_on_threads(t, size):
    x = t.normal(size, "f32")
    out = dict(a="f32", b="f32", c="f64", d="f32", e="f16", g="i8")
    first = None
    for tunables in ({}, dict(BM=16, BN=24)):
        for threads in (1, 2, 3, 8):
            results = t.run("many_sums", tunables, source=t.file(SOURCE), options=("--threads", str(threads)), x=x, out=out)
            bits = [r.raw.tobytes() for r in results]
            if threads == 1:
                first = bits
            if bits != first:
                raise Mismatch(f"{threads} threads give other bits")
    v = x.value
    a, b, c, d, e, g = results
    t.close(a, (v * v).sum(0), terms=size[0] + 1, scale=size[0] + 1)
    t.close(b, -v.sum(1), terms=size[1] + 1, scale=size[1] + 1)
    t.close(c, [v.sum()], terms=1, scale=1e9 * (v.size + 1))
    t.same(d, [v.min(initial=np.inf)])
    t.close(e, v.sum(0), terms=size[0] + 1, scale=size[0] + 1)
    hundred = np.trunc((x.raw * np.float32(100)).astype(np.float64)).astype(np.int64)
    t.same(g, (hundred.sum(0) + 128) % 256 - 128)


if __name__ == "__main__":
    main()
