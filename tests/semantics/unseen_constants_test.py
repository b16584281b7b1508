"""What is known when a kernel is compiled: tiles of one value, spans of one index, loops that never run."""

import numpy as np

from everywhere import everywhere
from harness import array, main, sweep, test

SOURCE = """
fn plus(a: f32, b: f32) -> f32 = a + b;
fn pairs(a: f32, i: i64, b: f32, j: i64) -> (f32, i64) = (a + b, max(i, j));
kernel reductions<D: i64>(s: out f32[M], c: out f32[M, D], at: out i64[M], r: out f32[M], q: out f32[M, D], most: out i64[M], t: out bool[M], total: out i32[1])
over (i in M by BM) {
  let d = span(D);
  var one: f32[i, d] = 1.5;
  var flag: bool[d] = true;
  s[i] = sum(one, over d) + mean(one, over d) - max(one, over d);
  c[i, d] = cumsum(one, over d);
  at[i] = argmax(one, over d) + i * 0;
  r[i] = reduce(plus, one, over d);
  q[i, d] = scan(plus, one, over d);
  let (a, b) = reduce(pairs, one, 3, over d);
  most[i] = b;
  t[i] = all(flag, over d) and not any(one < 0, over d);
  var n: i32[i] = 1;
  total[0] += sum(n, over i);
}
kernel places(x: f32[N], y: out f32[M, N], z: out i32[4], w: inout f32[3], v: out f32[N])
over (i in M by BM, j in N by BN) {
  var index: i64[i, j] = 2;
  var add: f32[j] = 10;
  y[i, j] = x[min(index, N - 1)] + add;
  z[index] += 1;
  var most: f32[i] = 4;
  w[1] max= max(most, over i);
  v[j] max= add;
}
kernel loops(x: f32[N], y: out f32[N], n: out i64[N])
over (j in N by BN) {
  var acc: f32[j] = 7;
  var count: i64[j] = 1;
  for k in 0 by BK { acc += sum(x[min(k, N - 1)], over k); }
  for k in 5..5 { acc = 0; }
  for k in 5..3 by 2 { count += k.start; }
  for k in 1 by BK { acc += sum(f32(k) + 1, over k) * x[j]; }
  for k in 1 { count += k + 2; }
  while false { acc = -1; }
  y[j] = acc;
  n[j] = count;
}
kernel one_index<D: i64>(x: f32[M, D], y: out f32[M, D], s: out f32[M], z: out i64[M, D])
over (i in M by 1) {
  let d = span(D);
  let e = span(D);
  let v = x[i, d];
  let score = where(e <= d, x[i, e] * v, -inf);
  let p = exp(score - max(score, over e));
  y[i, d] = dot(p, x[i, e], over e) / sum(p, over e);
  s[i] = dot(v, v, over d) + f32(argmin(v, over d) / D);
  z[i, d] = d % D + d / D + (i - i.start);
}
kernel folded(x: f32[N], y: out f32[N, 8])
over (n in N by BN) {
  let v = x[n];
  y[n, 0] = v * 0;
  y[n, 1] = v - v;
  y[n, 2] = where(true, v, 1) + where(v == v, 0, 1);
  y[n, 3] = max(v, v) / 1;
  y[n, 4] = 0 / v;
  y[n, 5] = v + 0 * nan;
  y[n, 6] = -(-v) * 1;
  y[n, 7] = f32(i64(n) - n) + pow(v, 0.0) + min(inf, 2.0);
}
kernel only_constants(y: out f32[M, N], z: out bf16[N, M], s: out f64[1])
over (i in M by BM, j in N by BN) {
  var a: f32[i] = 2;
  var b: f32[j] = 3;
  y[i, j] = a * b;
  z[j, i] = bf16(a + b * a);
  s[0] += f64(sum(a * b, over i, j));
}
"""


@sweep(size=[(1, 1), (5, 9), (0, 3), (37, 16)])
def reductions_of_one_value(t, size):
    M, D = size
    steps = np.broadcast_to(1.5 * np.arange(1, D + 1), size)

    def check(s, c, at, r, q, most, flag, total):
        t.close(s, np.full(M, 1.5 * D), terms=D)
        t.close(c, steps)
        t.same(at, np.zeros(M))
        t.close(r, np.full(M, 1.5 * D), terms=D)
        t.close(q, steps)
        t.same(most, np.full(M, 3))
        t.same(flag, np.ones(M, bool))
        t.same(total, [M])

    out = dict(s="f32", c="f32", at="i64", r="f32", q="f32", most="i64", t="bool", total="i32")
    everywhere(t, "reductions", SOURCE, dict(D=D), dims=dict(M=M), out=out, check=check)


@sweep(size=[(1, 1), (4, 37), (0, 3)])
def places_of_one_value(t, size):
    M, N = size
    x, w = t.normal((N,), "f32"), array([0, 1, 9], "f32")

    def check(y, z, most, v):
        t.close(y, np.full(size, x.value[min(2, N - 1)] + 10))
        t.same(z, [0, 0, M * N, 0])
        t.same(most, [0, 4 if M else 1, 9])
        t.same(v, np.full(N, 10.0 if M else -np.inf))

    everywhere(t, "places", SOURCE, x=x, w=w, dims=dict(M=M), out=dict(y="f32", z="i32", w="f32", v="f32"), check=check)


@sweep(N=[1, 37])
def loops_that_never_run(t, N):
    x = t.normal((N,), "f32")

    def check(y, n):
        t.close(y, 7 + x.value)
        t.same(n, np.full(N, 3))

    everywhere(t, "loops", SOURCE, x=x, out=dict(y="f32", n="i64"), check=check)


@sweep(size=[(1, 1), (5, 1), (5, 2), (3, 33)])
def spans_of_one_index(t, size):
    M, D = size
    x = t.normal(size, "f32")
    v = x.value
    score = np.where(np.arange(D) <= np.arange(D)[:, None], v[:, None, :] * v[:, :, None], -np.inf)
    p = np.exp(score - score.max(-1, keepdims=True))

    def check(y, s, z):
        t.close(y, np.einsum("mde,me->md", p, v) / p.sum(-1), terms=D, scale=4, ulps=16)
        t.close(s, (v * v).sum(1), terms=D, scale=D)
        t.same(z, np.broadcast_to(np.arange(D), size))

    everywhere(t, "one_index", SOURCE, x=x, out=dict(y="f32", s="f32", z="i64"), check=check)


@test
def nothing_is_folded_that_nan_would_change(t):
    x = array([0.0, -0.0, 1.5, -2, np.inf, -np.inf, np.nan, 1e-45], "f32")
    v = x.value
    with np.errstate(all="ignore"):
        columns = [v * 0, v - v, v + (v != v), v, 0 / v, np.full(8, np.nan), v, np.full(8, 3.0)]
    everywhere(t, "folded", SOURCE, x=x, out=dict(y="f32"), check=lambda y: t.same(y, np.stack(columns, 1)))


@sweep(size=[(1, 1), (5, 37), (0, 2)])
def kernels_without_inputs(t, size):
    M, N = size

    def check(y, z, s):
        t.same(y, np.full((M, N), 6.0))
        t.same(z, np.full((N, M), 8.0))
        t.same(s, [6.0 * M * N])

    out = dict(y="f32", z="bf16", s="f64")
    everywhere(t, "only_constants", SOURCE, dims=dict(M=M, N=N), out=out, check=check)


if __name__ == "__main__":
    main()
