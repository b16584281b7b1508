"""Scans, searches, sums by key, and grids that depend on memory."""

import math

import numpy as np

from everywhere import everywhere
from harness import Array, array, is_float, main, rounded, sweep, test

SCANS = """
fn multiply(a: f32, b: f32) -> f32 = a * b;
fn affine(a1: f32, b1: f32, a2: f32, b2: f32) -> (f32, f32) = (a1 * a2, a2 * b1 + b2);
fn top2(a1: f32, b1: f32, a2: f32, b2: f32) -> (f32, f32) = (max(a1, a2), max(min(a1, a2), max(b1, b2)));
fn last_valid(f1: bool, v1: i32, f2: bool, v2: i32) -> (bool, i32) = (f1 or f2, where(f2, v2, v1));
fn xor(a: i64, b: i64) -> i64 = a ^ b;
fn matrix(a1: f64, b1: f64, c1: f64, d1: f64, a2: f64, b2: f64, c2: f64, d2: f64) -> (f64, f64, f64, f64) =
    (a1 * a2 + b1 * c2, a1 * b2 + b1 * d2, c1 * a2 + d1 * c2, c1 * b2 + d1 * d2);
fn kahan(s1: f32, c1: f32, s2: f32, c2: f32) -> (f32, f32) {
  let s = s1 + s2;
  let t = s - s1;
  return (s, c1 + c2 + ((s1 - (s - t)) + (s2 - t)));
}
kernel cumulative_product(x: f32[M..., N], y: out f32[M..., N])
over (i in M by BM) {
  var carry: f32[i] = 1;
  for j in N by BN {
    y[i, j] = carry * scan(multiply, x[i, j], over j);
    carry *= reduce(multiply, x[i, j], over j);
  }
}
kernel recurrence(a: f32[B, T, C], b: f32[B, T, C], h: out f32[B, T, C], start: f32[B, C]?)
over (n in B, c in C by BC) {
  var state: f32[c] = 0;
  if start { state = start[n, c]; }
  for t in T by BT {
    let (p, q) = scan(affine, a[n, t, c], b[n, t, c], over t);
    h[n, t, c] = p * state + q;
    let (pt, qt) = reduce(affine, a[n, t, c], b[n, t, c], over t);
    state = pt * state + qt;
  }
}
kernel best_two(x: f32[M, N], y: out f32[M, 2])
over (i in M by BM) {
  var a: f32[i] = -inf;
  var b: f32[i] = -inf;
  for j in N by BN {
    let (p, q) = reduce(top2, x[i, j], -inf, over j);
    let (aa, bb) = top2(a, b, p, q);
    a = aa;
    b = bb;
  }
  y[i, 0] = a;
  y[i, 1] = b;
}
kernel fill_forward(x: i32[M, N], keep: bool[M, N], y: out i32[M, N])
over (i in M by BM) {
  var seen: bool[i] = false;
  var value: i32[i] = -1;
  for j in N by BN {
    let (f, v) = scan(last_valid, keep[i, j], x[i, j], over j);
    y[i, j] = where(f, v, where(seen, value, -1));
    let (g, w) = reduce(last_valid, keep[i, j], x[i, j], over j);
    value = where(g, w, value);
    seen = seen or g;
  }
}
kernel parity(x: i64[M, N], y: out i64[M, N], whole: out i64[M])
over (i in M by BM) {
  var carry: i64[i] = 0;
  for j in N by BN {
    let v = x[i, j];
    y[i, j] = carry ^ scan(xor, v, over j);
    carry = carry ^ reduce(xor, v, over j);
  }
  whole[i] = carry;
}
kernel fibonacci_like(x: f64[M, N, 2, 2], y: out f64[M, 2, 2])
over (i in M by BM) {
  var a: f64[i] = 1; var b: f64[i] = 0; var c: f64[i] = 0; var d: f64[i] = 1;
  for j in N by BN {
    let (p, q, r, s) = reduce(matrix, x[i, j, 0, 0], x[i, j, 0, 1], x[i, j, 1, 0], x[i, j, 1, 1], over j);
    let (aa, bb, cc, dd) = matrix(a, b, c, d, p, q, r, s);
    a = aa; b = bb; c = cc; d = dd;
  }
  y[i, 0, 0] = a; y[i, 0, 1] = b; y[i, 1, 0] = c; y[i, 1, 1] = d;
}
kernel compensated(x: f32[M, N], y: out f32[M], low: out f32[M])
over (i in M by BM) {
  var s: f32[i] = 0;
  var c: f32[i] = 0;
  for j in N by BN {
    let (p, q) = reduce(kahan, x[i, j], 0, over j);
    let (ss, cc) = kahan(s, c, p, q);
    s = ss;
    c = cc;
  }
  y[i] = s + c;
  low[i] = c;
}
kernel kahan_loop(x: f32[M, N], y: out f32[M])
over (i in M by BM) {
  var s: f32[i] = 0;
  var c: f32[i] = 0;
  for j in N {
    let v = x[i, j] - c;
    let t = s + v;
    c = (t - s) - v;
    s = t;
  }
  y[i] = s;
}
kernel prefix_mask(keep: bool[M, N], y: out bool[M, N], count: out i32[M], where_first: out i64[M])
over (i in M by BM) {
  var alive: bool[i] = true;
  var n: i32[i] = 0;
  var first: i64[i] = N;
  for j in N by BN {
    let bad = cumsum(i32(not keep[i, j]), over j);
    let ok = alive and bad == 0;
    y[i, j] = ok;
    n += sum(i32(ok), over j);
    first min= min(where(keep[i, j], j, N), over j);
    alive = alive and all(keep[i, j], over j);
  }
  count[i] = n;
  where_first[i] = first;
}
"""


@sweep(shape=[(1,), (0, 4), (3, 1), (5, 37), (2, 3, 33)])
def cumulative_product(t, shape):
    x = array(1 + 0.1 * t.random.standard_normal(shape), "f32")
    everywhere(
        t, "cumulative_product", SCANS, x=x, out=dict(y="f32"), check=lambda y: t.close(y, np.cumprod(x.value, -1), terms=4096)
    )


@sweep(size=[(2, 1, 3), (1, 33, 1), (3, 20, 9), (2, 0, 4)], start=[True, False])
def a_linear_recurrence(t, size, start):
    a, b = array(0.9 * t.random.random(size), "f32"), t.normal(size, "f32")
    s = t.normal((size[0], size[2]), "f32") if start else None
    h = s.value.copy() if start else np.zeros((size[0], size[2]))
    want = np.zeros(size)
    for n in range(size[1]):
        h = a.value[:, n] * h + b.value[:, n]
        want[:, n] = h
    everywhere(
        t, "recurrence", SCANS, a=a, b=b, start=s, out=dict(h="f32"), check=lambda y: t.close(y, want, terms=100, scale=10)
    )


@sweep(size=[(1, 1), (4, 2), (9, 70)], special=[False, True])
def the_best_two(t, size, special):
    x = array(t.random.integers(-9, 9, size), "f32")
    want = np.sort(np.pad(x.value, ((0, 0), (1, 0)), constant_values=-np.inf), 1)[:, :-3:-1]
    if special:
        x.raw[0, -1] = np.nan
        want[0] = np.nan
        if size[1] == 1:
            want = np.array([[np.nan, np.nan]])
    everywhere(t, "best_two", SCANS, x=x, out=dict(y="f32"), check=lambda y: t.same(y, want))


@sweep(size=[(1, 1), (3, 17), (17, 65)])
def forward_fill_and_parity(t, size):
    x, keep = t.integers(size, "i32", -99, 99), t.flags(size, 0.2)
    want = np.full(size, -1)
    for r in range(size[0]):
        v = -1
        for c in range(size[1]):
            v = x.value[r, c] if keep.value[r, c] else v
            want[r, c] = v
    everywhere(t, "fill_forward", SCANS, x=x, keep=keep, out=dict(y="i32"), check=lambda y: t.same(y, want))
    z = t.integers(size, "i64", -(2**63), 2**63 - 1)
    p = np.bitwise_xor.accumulate(z.value, 1)

    def check(y, whole):
        t.same(y, p)
        t.same(whole, p[:, -1])

    everywhere(t, "parity", SCANS, x=z, out=dict(y="i64", whole="i64"), check=check)


@sweep(size=[(1, 1), (3, 10), (2, 19)])
def products_of_small_matrices(t, size):
    x = t.normal((*size, 2, 2), "f64")
    want = np.stack([np.linalg.multi_dot([np.eye(2), np.eye(2), *row]) for row in x.value])

    def check(y):
        t.close(y, want, terms=1e6, scale=abs(want).max())

    everywhere(t, "fibonacci_like", SCANS, x=x, out=dict(y="f64"), check=check)


@sweep(N=[1, 33, 1000])
def compensated_sums(t, N):
    # NB: sums of numbers of very different sizes
    x = array(t.random.standard_normal((3, N)) * 10.0 ** t.random.integers(-3, 8, (3, N)), "f32")
    want = np.array([math.fsum(row) for row in x.value])
    everywhere(
        t, "compensated", SCANS, x=x, out=dict(y="f32", low="f32"),
        check=lambda y, low: t.close(y, want, ulps=2, scale=abs(x.value).sum(1) * 1e-5),
    )
    everywhere(
        t, "kahan_loop", SCANS, x=x, out=dict(y="f32"),
        check=lambda y: t.close(y, want, ulps=3, scale=abs(x.value).sum(1) * 1e-3),
    )


@sweep(size=[(1, 1), (5, 17), (40, 130), (3, 0)], p=[0.5, 0.97])
def prefix_masks(t, size, p):
    keep = t.flags(size, p)
    want = np.logical_and.accumulate(keep.value, 1) if size[1] else keep.value
    first = np.where(keep.value.any(1), keep.value.argmax(1), size[1]) if size[1] else np.zeros(size[0], int)

    def check(y, count, where_first):
        t.same(y, want)
        t.same(count, want.sum(1))
        t.same(where_first, first)

    everywhere(t, "prefix_mask", SCANS, keep=keep, out=dict(y="bool", count="i32", where_first="i64"), check=check)


KEYS = """
kernel segment_sum<T: number>(x: T[N, C], key: i32[N], y: out accum(T)[S, C], top: out T[S, C], low: out T[S, C])
over (s in S by BS, c in C by BC) {
  var acc: accum(T)[s, c] = 0;
  for n in N by BN {
    acc += sum(where(key[n] == s, x[n, c], 0), over n);
  }
  y[s, c] = acc;
  for n in N { top[s, c] max= where(key[n] == s, x[n, c], x[n, c]); low[s, c] min= x[n, c]; }
}
kernel scatter_sum<T: f32 | f64 | i32 | i64>(x: T[N, C], key: i64[N], y: out T[S, C])
over (n in N by BN, c in C by BC) {
  atomic y[key[n], c, else drop] += x[n, c];
}
kernel scatter_extremes<T: number>(x: T[N, C], key: u8[N], top: out T[S, C], low: inout T[S, C])
over (n in N by BN, c in C by BC) {
  top[key[n], c, else drop] max= x[n, c];
  low[key[n], c, else drop] min= x[n, c];
}
kernel integer_scatter<T: integer>(x: T[N, C], key: i16[N], y: inout T[S, C], z: out T[S])
over (n in N by BN) {
  for c in C by BC {
    y[key[n], c, else drop] += x[n, c];
    z[key[n], else drop] -= sum(x[n, c], over c);
  }
}
kernel histogram<BINS: i64>(x: f32[N...], count: out i32[BINS], weights: out f32[BINS], lo: f32, hi: f32)
over (n in N by BN) {
  let v = x[n];
  let at = i64(floor((v - lo) * (f32(BINS) / (hi - lo))));
  let bin = where(v == hi, BINS - 1, at);
  count[bin, else drop] += 1;
  let b = span(BINS);
  weights[b] += sum(where(bin == b, v, 0), over n);
}
kernel histogram_2d(a: u8[N], b: u8[N], count: out i64[256, 256])
over (n in N by BN) { count[a[n], b[n]] += 1; }
kernel embedding<T: float>(ids: i32[M...], table: T[V, D], y: out T[M..., D])
over (m in M by BM, d in D by BD) { y[m, d] = table[ids[m], d, else nan]; }
kernel embedding_gradient<T: float>(ids: i32[M], dy: T[M, D], dt: out T[V, D])
over (v in V by BV, d in D by BD) {
  var acc: f32[v, d] = 0;
  for m in M by BM { acc += dot(where(ids[m] == v, 1.0, 0.0), dy[m, d], over m); }
  dt[v, d] = T(acc);
}
kernel bag(ids: i64[M], offset: i32[B + 1], table: f32[V, D], y: out f32[B, D], n: out i32[B])
over (b in B, d in D by BD) {
  var acc: f32[d] = 0;
  var count: i32 = 0;
  for m in offset[b]..offset[b + 1] by BM {
    let id = ids[m, else -1];
    acc += sum(table[id, d, else 0], over m);
    count += sum(i32(id >= 0), over m);
  }
  y[b, d] = acc;
  n[b] max= count;
}
kernel ragged_softmax(x: f32[N], offset: i32[E], y: out f32[N])
over (b in E - 1) {
  var m: f32 = -inf;
  for i in offset[b]..offset[b + 1] by BI { m max= max(x[i, else -inf], over i); }
  var l: f32 = 0;
  for i in offset[b]..offset[b + 1] by BI { l += sum(exp(x[i, else -inf] - m), over i); }
  for i in offset[b]..offset[b + 1] by BI { y[i, else drop] = exp(x[i, else 0] - m) / l; }
}
kernel ragged_rows(
    x: f32[N, D], offset: i64[B + 1], scale: f32[B], y: out f32[N, D], total: out f32[B, D], size: out i64[B])
over (b in B, i in offset[b]..offset[b + 1] by BI) {
  for d in D by BD {
    let v = x[i, d, else 0] * scale[b];
    y[i, d, else drop] = v;
    total[b, d] += sum(v, over i);
  }
  size[b] += i.end - i.start;
}
"""


@sweep(dtype=["f32", "f64", "bf16", "i8", "i32"], size=[(0, 2, 3), (1, 1, 1), (50, 7, 5)])
def segment_sums(t, dtype, size):
    N, C, S = size
    x = t.normal((N, C), dtype) if is_float(dtype) else t.integers((N, C), dtype, -100, 100)
    key = t.integers((N,), "i32", 0, S)
    want = np.zeros((S, C))
    np.add.at(want, key.value, x.value)
    wide = {"bf16": "f32", "i8": "i32"}.get(dtype, dtype)
    low = {"i8": 127, "i32": 2**31 - 1}.get(dtype, np.inf)
    high = {"i8": -128, "i32": -(2**31)}.get(dtype, -np.inf)

    def check(y, top, bottom):
        t.close(y, want, terms=N, scale=N) if is_float(wide) else t.same(y, want)
        t.same(top, np.broadcast_to(x.value.max(0, initial=high), (S, C)))
        t.same(bottom, np.broadcast_to(x.value.min(0, initial=low), (S, C)))

    everywhere(t, "segment_sum", KEYS, x=x, key=key, dims=dict(S=S), out=dict(y=wide, top=dtype, low=dtype), check=check)


@sweep(dtype=["f32", "f64", "i32", "i64"], size=[(0, 1, 1), (1, 1, 1), (200, 3, 7)])
def scattered_sums(t, dtype, size):
    N, C, S = size
    x = t.normal((N, C), dtype) if is_float(dtype) else t.integers((N, C), dtype, -(2**31), 2**31)
    key = t.integers((N,), "i64", -2, S + 2)
    want = np.zeros((S, C), np.float64 if is_float(dtype) else np.int64)
    ok = (key.value >= 0) & (key.value < S)
    np.add.at(want, key.value[ok], x.value[ok])
    if dtype == "i32":
        want = want.astype(np.int32).astype(np.int64)
    everywhere(
        t, "scatter_sum", KEYS, x=x, key=key, dims=dict(S=S), out=dict(y=dtype),
        check=lambda y: t.close(y, want, terms=N, scale=N) if is_float(dtype) else t.same(y, want),
    )


@sweep(dtype=["f32", "f64", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u8"])
def scattered_extremes(t, dtype):
    N, C, S = 150, 3, 11
    floats = is_float(dtype)
    x = t.normal((N, C), dtype, 3) if floats else t.integers((N, C), dtype, 0 if dtype == "u8" else -100, 100)
    if floats:
        v = x.value.copy()
        v[3, 1], v[10, 0], v[11, 2] = np.nan, np.inf, -np.inf
        v[20:40] = -0.0
        x = array(v, dtype)
    key = t.integers((N,), "u8", 0, S + 3)
    old = t.normal((S, C), dtype) if floats else t.integers((S, C), dtype, 0, 100)
    limits = {"i64": -(2**63), "i32": -(2**31), "i16": -(2**15), "i8": -128, "u8": 0}
    want = np.full((S, C), -np.inf if floats else limits[dtype])
    low = old.value.copy()
    for n in range(N):
        if key.value[n] < S:
            want[key.value[n]] = np.maximum(want[key.value[n]], x.value[n])
            low[key.value[n]] = np.minimum(low[key.value[n]], x.value[n])
    want = rounded(want, dtype) if floats else want

    def check(top, bottom):
        t.same(top, want)
        t.same(bottom, low)

    everywhere(t, "scatter_extremes", KEYS, x=x, key=key, low=old, out=dict(top=dtype, low=dtype), check=check)


@sweep(dtype=["i64", "i32", "i16", "i8", "u8"])
def integer_sums_at_places_from_memory_wrap(t, dtype):
    N, C, S = 130, 3, 4
    x = t.integers((N, C), dtype, 0 if dtype == "u8" else -100, 100)
    key = t.integers((N,), "i16", -3, S + 1)
    old = t.integers((S, C), dtype, 0, 100)
    y, z = old.value.copy(), np.zeros(S, np.int64)
    for n in range(N):
        if 0 <= key.value[n] < S:
            y[key.value[n]] += x.value[n]
            z[key.value[n]] -= x.value[n].sum()
    native = {"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8}[dtype]

    def check(a, b):
        t.same(a, y.astype(native).astype(np.int64))
        t.same(b, z.astype(native).astype(np.int64))

    everywhere(t, "integer_scatter", KEYS, x=x, key=key, y=old, out=dict(y=dtype, z=dtype), check=check)


@sweep(shape=[(0,), (1,), (1000,), (7, 11, 13)])
def histograms(t, shape):
    x = t.normal(shape, "f32", 2)
    if x.raw.size > 20:
        x.raw.flat[:5] = [np.nan, np.inf, -np.inf, 3.0, -3.0]
    bins = 8
    v = x.value.ravel()
    at = np.floor((v.astype(np.float32) + np.float32(3)) * np.float32(bins / 6)).astype(np.float64)
    at = np.where(np.isnan(v), 0, np.where(v == 3, bins - 1, at))
    ok = (at >= 0) & (at < bins)
    count = np.bincount(at[ok].astype(int), minlength=bins)
    weights = np.zeros(bins)
    np.add.at(weights, at[ok].astype(int), v[ok])

    def check(c, w):
        t.same(c, count)
        t.close(w, weights, terms=100, scale=100)

    everywhere(t, "histogram", KEYS, dict(BINS=bins), x=x, lo=-3.0, hi=3.0, out=dict(count="i32", weights="f32"), check=check)
    a, b = t.integers((500,), "u8", 0, 256), t.integers((500,), "u8", 0, 256)
    want = np.zeros((256, 256), int)
    np.add.at(want, (a.value, b.value), 1)
    everywhere(t, "histogram_2d", KEYS, a=a, b=b, out=dict(count="i64"), check=lambda y: t.same(y, want))


@sweep(shape=[(0,), (1,), (37,), (2, 3), (2, 3, 2, 2)], dtype=["f32", "bf16", "f8e5m2"])
def embeddings(t, shape, dtype):
    V, D = 11, 5
    ids, table = t.integers(shape, "i32", -1, V + 1), t.normal((V, D), dtype)
    ok = (ids.value >= 0) & (ids.value < V)
    want = np.where(ok[..., None], table.value[np.where(ok, ids.value, 0)], np.nan)
    everywhere(t, "embedding", KEYS, ids=ids, table=table, out=dict(y=dtype), check=lambda y: t.same(y, want))
    if len(shape) == 1:
        dy = t.normal((*shape, D), dtype)
        dt = np.zeros((V, D))
        np.add.at(dt, ids.value[ok], dy.value[ok])
        everywhere(
            t, "embedding_gradient", KEYS, ids=ids, dy=dy, dims=dict(V=V), out=dict(dt=dtype),
            check=lambda y: t.close(y, dt, terms=40, scale=20),
        )


@sweep(sizes=[(0,), (1,), (3, 0, 5, 1), (0, 0, 0), (17, 40, 2, 0)], D=[1, 5, 33])
def ragged_batches(t, sizes, D):
    offset = np.concatenate([[0], np.cumsum(sizes)])
    N, B = int(offset[-1]), len(sizes)
    table, ids = t.normal((9, D), "f32"), t.integers((N,), "i64", -1, 9)
    rows = np.where((ids.value >= 0)[:, None], table.value[ids.value], 0)
    cut = [slice(offset[b], offset[b + 1]) for b in range(B)]

    def check(y, n):
        t.close(y, np.stack([rows[c].sum(0) for c in cut]), terms=40, scale=20)
        t.same(n, [(ids.value[c] >= 0).sum() for c in cut])

    everywhere(
        t, "bag", KEYS, ids=ids, offset=array(offset, "i32"), table=table, dims=dict(B=B), out=dict(y="f32", n="i32"),
        check=check,
    )
    x = t.normal((N,), "f32", 3)
    e = [np.exp(x.value[c] - x.value[c].max(initial=-np.inf)) for c in cut]
    want = np.concatenate([part / part.sum() for part in e])
    everywhere(
        t, "ragged_softmax", KEYS, x=x, offset=array(offset, "i32"), out=dict(y="f32"),
        check=lambda y: t.close(y, want, terms=40, ulps=16),
    )
    x, scale = t.normal((N, D), "f32"), t.normal((B,), "f32")
    v = x.value * np.repeat(scale.value, sizes)[:, None]

    def check_rows(y, total, size):
        t.close(y, v)
        t.close(total, np.stack([v[c].sum(0) for c in cut]), terms=40, scale=40)
        t.same(size, sizes)

    everywhere(
        t, "ragged_rows", KEYS, x=x, offset=array(offset, "i64"), scale=scale, dims=dict(B=B),
        out=dict(y="f32", total="f32", size="i64"), check=check_rows,
    )


SEARCH = """
kernel lower_bound(sorted: f32[N], x: f32[M], at: out i64[M])
over (m in M by BM) {
  var lo: i64[m] = 0;
  var hi: i64[m] = N;
  while any(lo < hi, over m) {
    let mid = (lo + hi) / 2;
    let below = sorted[mid, else inf] < x[m] and lo < hi;
    lo = where(below, mid + 1, lo);
    hi = where(below or lo > hi, hi, where(lo < hi, mid, hi));
  }
  at[m] = lo;
}
kernel rank_sort<T: number>(x: T[M, N], y: out T[M, N], at: out i64[M, N])
over (i in M, j in N by BN) {
  var rank: i64[j] = 0;
  let v = x[i, j];
  for u in N by BU {
    let w = x[i, u];
    rank += sum(i64(w < v or w == v and u < j), over u);
  }
  y[i, rank, else drop] = v;
  at[i, rank, else drop] = j;
}
kernel bitonic<N: i64>(x: f32[M, N], y: out f32[M, N])
over (i in M) {
  let a = span(N);
  let b = span(N);
  var v: f32[a] = x[i, a];
  var size: i64 = 2;
  while size <= N {
    var step: i64 = size / 2;
    while step > 0 {
      let w = x[i, b];
      let mate = a ^ step;
      let up = a & size;
      let other = sum(where(b == mate, 1.0, 0.0) * 1.0, over b);
      v = v + 0 * other;
      step = step / 2;
    }
    size = size * 2;
  }
  y[i, a] = v;
}
kernel median3(x: f32[M, N], y: out f32[M, N])
over (i in M by BM, j in N by BN) {
  let a = x[i, j - 1, else inf];
  let b = x[i, j];
  let c = x[i, j + 1, else -inf];
  y[i, j] = max(min(a, b), min(max(a, b), c));
}
kernel transpose_sort4(x: i32[N, 4], y: out i32[N, 4])
over (n in N by BN) {
  let (a, b) = order(x[n, 0], x[n, 1]);
  let (c, d) = order(x[n, 2], x[n, 3]);
  let (e, f) = order(a, c);
  let (g, h) = order(b, d);
  let (p, q) = order(f, g);
  y[n, 0] = e;
  y[n, 1] = p;
  y[n, 2] = q;
  y[n, 3] = h;
}
fn order(a: i32, b: i32) -> (i32, i32) = (min(a, b), max(a, b));
kernel top_k<K: i64, N: i64>(x: f32[M, N], y: out f32[M, K], at: out i64[M, K])
over (i in M by BM) {
  let j = span(N);
  var v: f32[i, j] = x[i, j];
  for k in K {
    let best = argmax(v, over j);
    y[i, k] = max(v, over j);
    at[i, k] = best;
    v = where(j == best, -inf, v);
  }
}
kernel triangle(x: f32[N, N], y: out f32[N, N], sums: out f32[N])
over (i in N by BM, j in 0..i.end by BM) {
  let v = where(j <= i, x[i, j], 0);
  y[i, j] = v;
  sums[i] += sum(v, over j);
}
kernel solve_lower<N: i64>(l: f64[B, N, N], b: f64[B, N], x: out f64[B, N])
over (n in B by BB) {
  let i = span(N);
  var r: f64[n, i] = b[n, i];
  for k in N {
    let xk = sum(where(i == k, r, 0), over i) / l[n, k, k];
    r = where(i == k, xk, where(i > k, r - l[n, i, k] * xk, r));
  }
  x[n, i] = r;
}
"""


@sweep(N=[0, 1, 2, 37], M=[1, 20])
def binary_search(t, N, M):
    s = np.sort(t.random.integers(-9, 9, N)).astype(np.float32)
    x = t.integers((M,), "f32", -10, 10) if False else array(t.random.integers(-10, 10, M), "f32")
    everywhere(
        t, "lower_bound", SEARCH, sorted=Array(s, "f32"), x=x, out=dict(at="i64"),
        check=lambda y: t.same(y, np.searchsorted(s, x.value)),
    )


@sweep(dtype=["f32", "bf16", "f64", "i32", "u8", "i64"], size=[(1, 1), (2, 40), (0, 3)])
def sorting_by_rank(t, dtype, size):
    x = array(t.random.integers(0, 20, size), dtype)
    order = np.argsort(x.value, axis=1, kind="stable")

    def check(y, at):
        t.same(y, np.sort(x.value, 1))
        t.same(at, order)

    everywhere(t, "rank_sort", SEARCH, x=x, out=dict(y=dtype, at="i64"), check=check)


@sweep(size=[(1, 1), (3, 2), (5, 37)])
def medians_and_networks(t, size):
    x = t.normal(size, "f32")
    p = np.pad(x.value, ((0, 0), (1, 1)))
    p[:, 0], p[:, -1] = np.inf, -np.inf
    want = np.median(np.stack([p[:, :-2], p[:, 1:-1], p[:, 2:]]), 0)
    everywhere(t, "median3", SEARCH, x=x, out=dict(y="f32"), check=lambda y: t.same(y, want))
    x = t.integers((size[1], 4), "i32", -9, 9)
    everywhere(t, "transpose_sort4", SEARCH, x=x, out=dict(y="i32"), check=lambda y: t.same(y, np.sort(x.value, 1)))
    k = min(3, size[1])
    x = array(t.random.permutation(size[0] * size[1]).reshape(size), "f32")
    order = np.argsort(-x.value, 1)[:, :k]

    def check(y, at):
        t.same(y, np.take_along_axis(x.value, order, 1))
        t.same(at, order)

    everywhere(t, "top_k", SEARCH, dict(K=k), x=x, out=dict(y="f32", at="i64"), check=check)


@sweep(N=[0, 1, 7, 33, 70])
def triangles(t, N):
    x = t.normal((N, N), "f32")
    want = np.tril(x.value)

    def check(y, sums):
        t.same(Array(np.tril(y.raw), "f32"), want)
        t.close(sums, want.sum(1), terms=N + 1, scale=N)

    everywhere(t, "triangle", SEARCH, x=x, out=dict(y="f32", sums="f32"), check=check)
    if N == 0:
        return  # a span is never empty
    l = array(np.tril(t.random.standard_normal((3, N, N)) * 0.3) + np.eye(N) * 2, "f64")
    b = t.normal((3, N), "f64")
    want_x = np.linalg.solve(l.value, b.value[..., None])[..., 0]
    everywhere(
        t, "solve_lower", SEARCH, l=l, b=b, out=dict(x="f64"),
        check=lambda y: t.close(y, want_x, terms=N * N + 1, scale=50, ulps=64),
    )


if __name__ == "__main__":
    main()
