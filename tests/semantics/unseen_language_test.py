"""Where parts of the language meet: control around tiles, narrow variables, axes in the middle, places of every form."""

import math

import numpy as np

from everywhere import everywhere
from harness import DTYPES, Array, array, is_float, main, rounded, sweep, test

CONTROL = """
kernel branches(x: f32[M, N], y: out f32[M, N], n: out i32[M], mode: i32, limit: f32)
over (i in M by BM) {
  var count: i32[i] = 0;
  var top: f32[i] = -inf;
  for j in N by BN {
    var v: f32[i, j] = x[i, j];
    if mode == 0 {
      v = v * 2;
    } else if mode == 1 and any(v > limit, over i, j) {
      v = where(v > limit, limit, v);
      count += sum(i32(x[i, j] > limit), over j);
      if all(x[i, j] > limit, over i, j) { v = v - 1; }
    } else {
      for k in 3 { if k % 2 == 0 { v += f32(k); } else { v *= 2; } }
      top max= max(v, over j);
    }
    y[i, j] = v;
  }
  if mode == 2 { count = i32(top); }
  n[i] = count;
}
kernel collatz(x: i64[N], y: out i32[N], most: out i64[1])
over (n in N by BN) {
  var v: i64[n] = x[n];
  var steps: i32[n] = 0;
  while any(v > 1, over n) {
    let live = v > 1;
    steps += i32(live);
    v = where(live, where(v % 2 == 0, v / 2, 3 * v + 1), v);
  }
  y[n] = steps;
  most[0] max= i64(max(steps, over n));
}
kernel newton(x: f64[N], y: out f64[N], rounds: out i32[N])
over (n in N by BN) {
  var r: f64[n] = max(x[n], 1.0);
  var c: i32 = 0;
  while any(abs(r * r - x[n]) > 1e-12 * x[n], over n) and c < 60 {
    r = 0.5 * (r + x[n] / r);
    c += 1;
  }
  y[n] = r;
  rounds[n] = where(n == n.start, c, c);
}
kernel narrow_variables<T: f16 | bf16 | f8e5m2>(x: T[M, N], y: out T[M], z: out i8[M], w: out bool[M], u: out u8[M])
over (i in M by BM) {
  var best: T[i] = x[i, 0, else 0];
  var code: i8[i] = 0;
  var flag: bool[i] = false;
  var low: u8[i] = 255;
  for j in N by BN {
    let top = max(x[i, j], over j);
    best = where(top > best, top, best);
    code = i8(code * 3 + i32(any(x[i, j] > 0, over j)));
    flag = flag or any(x[i, j] < 0, over j);
    low = u8(min(low, u8(i32(min(f32(x[i, j]), over j) + 10))));
  }
  y[i] = best;
  z[i] = code;
  w[i] = flag;
  u[i] = low;
}
kernel subspans(x: f32[M, K], w: f32[N, K], y: out f32[M, N], parts: out f32[M, C = ceildiv(K, 8)])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK {
    for q in k by 8 { acc += dot(x[i, q], w[j, q], over q); }
  }
  y[i, j] = acc;
  for c in C by BC {
    for p in c by 3 { parts[i, p] max= x[i, min(8 * p, K - 1)]; }
  }
}
kernel blocks(x: f32[N], y: out f32[N], first: out i64[N], size: out i64[N])
over (n in N by 16) {
  y[n] = x[n] / sum(x[n], over n);
  first[n] = n.start;
  size[n] = n.end - n.start;
}
kernel dynamic(x: f32[N, K], lo: i32[N], hi: i32[N], y: out f32[N], z: out f32[N, K])
over (n in N) {
  var acc: f32 = 0;
  for k in max(lo[n], 0)..min(hi[n], K) by BK {
    acc += sum(x[n, k], over k);
    z[n, k] = x[n, k] * 2;
  }
  y[n] = acc;
}
kernel triple(x: f32[A, B, C], y: out f32[C, A], z: out f32[B])
over (a in A by BA) {
  for c in C by BC {
    var t: f32[a, c] = 1;
    for b in B {
      t = t * x[a, b, c] + f32(b);
      z[b] += sum(x[a, b, c], over a, c);
    }
    y[c, a] = t;
  }
}
"""


@sweep(mode=[0, 1, 2], size=[(1, 1), (7, 37), (3, 0)])
def branches_around_tiles(t, mode, size):
    x = t.normal(size, "f32")
    v = x.value
    limit = 0.5
    if mode == 0:
        want, n = v * 2, np.zeros(size[0])
    elif mode == 1:
        return  # depends on blocks
    else:
        want = (v + 0) * 2 + 2
        n = np.trunc(want.max(1)) if size[1] else np.full(size[0], -(2**31))

    def check(y, count):
        t.close(y, want)
        t.same(count, n)

    everywhere(t, "branches", CONTROL, x=x, mode=mode, limit=limit, out=dict(y="f32", n="i32"), check=check)


@sweep(N=[0, 1, 50])
def loops_until_all_are_done(t, N):
    x = array(np.arange(N), "i64")

    def steps(v):
        n = 0
        while v > 1:
            v = v // 2 if v % 2 == 0 else 3 * v + 1
            n += 1
        return n

    want = np.array([steps(int(v)) for v in x.value], int)

    def check(y, most):
        t.same(y, want)
        t.same(most, [want.max(initial=-(2**63)) if N else -(2**63)])

    everywhere(t, "collatz", CONTROL, x=x, out=dict(y="i32", most="i64"), check=check)
    z = array(np.abs(t.random.standard_normal(N)) * 100 + 0.01, "f64")
    everywhere(
        t, "newton", CONTROL, x=z, out=dict(y="f64", rounds="i32"),
        check=lambda y, rounds: t.close(y, np.sqrt(z.value), ulps=1e4),
    )


@sweep(T=["f16", "bf16", "f8e5m2"], size=[(5, 1), (9, 12)])
def narrow_variables(t, T, size):
    x = t.normal(size, T)
    v = x.value

    def check(y, z, w, u):
        t.same(y, v.max(1))
        t.same(w, (v < 0).any(1))
        t.same(u, np.trunc(v.min(1).astype(np.float32) + np.float32(10)).astype(int))

    everywhere(t, "narrow_variables", CONTROL, x=x, out=dict(y=T, z="i8", w="bool", u="u8"), check=check)


@sweep(size=[(1, 1, 1), (5, 7, 37), (20, 17, 64)])
def spans_of_spans(t, size):
    M, N, K = size
    x, w = t.normal((M, K), "f32"), t.normal((N, K), "f32")

    def check(y, parts):
        t.close(y, x.value @ w.value.T, terms=K, scale=8)
        t.same(parts, x.value[:, ::8])

    everywhere(t, "subspans", CONTROL, x=x, w=w, out=dict(y="f32", parts="f32"), check=check)


@sweep(N=[0, 1, 15, 16, 17, 50])
def pinned_blocks_see_their_ends(t, N):
    x = array(t.random.random(N) + 1, "f32")
    start = np.arange(N) // 16 * 16
    end = np.minimum(start + 16, N)

    def check(y, first, size):
        t.same(first, start)
        t.same(size, end - start)
        t.close(y, x.value / np.array([x.value[a:b].sum() for a, b in zip(start, end)]), terms=16)

    everywhere(t, "blocks", CONTROL, x=x, out=dict(y="f32", first="i64", size="i64"), check=check)


@sweep(K=[0, 1, 37])
def ranges_from_memory(t, K):
    N = 9
    lo = array([0, 3, -5, 2, 40, -(2**31), 2**31 - 1, 0, 1], "i32")
    hi = array([K, 5, 2**31 - 1, 2, 50, 2, -(2**31), -1, K - 1], "i32")
    x = t.normal((N, K), "f32")
    y, z = np.zeros(N), np.full((N, K), np.nan)
    for n in range(N):
        a, b = max(lo.value[n], 0), min(hi.value[n], K)
        if b > a:
            y[n] = x.value[n, a:b].sum()
            z[n, a:b] = 2 * x.value[n, a:b]

    def check(got, written):
        t.close(got, y, terms=K + 1, scale=K + 1)
        t.same(written, z)

    everywhere(t, "dynamic", CONTROL, x=x, lo=lo, hi=hi, out=dict(y="f32", z="f32"), check=check)


@sweep(size=[(1, 1, 1), (5, 3, 7), (0, 2, 3), (2, 0, 3), (2, 3, 0)])
def loops_in_loops(t, size):
    A, B, C = size
    x = t.normal(size, "f32")
    v = np.ones((A, C))
    for b in range(B):
        v = v * x.value[:, b] + b

    def check(y, z):
        t.close(y, v.T, scale=10)
        t.close(z, x.value.sum((0, 2)), terms=A * C + 1, scale=A * C + 1)

    everywhere(t, "triple", CONTROL, x=x, out=dict(y="f32", z="f32"), check=check)


AXES = """
fn plus<T: number>(a: T, b: T) -> T = a + b;
fn first(a: f32, i: i64, b: f32, j: i64) -> (f32, i64) = (where(b < a, b, a), where(b < a, j, i));
fn normalized(x: f32, over k) -> f32 { let c = x - mean(x, over k); return c * rsqrt(mean(c * c, over k) + 1e-6); }
fn twice(x: f32, over a, over b) -> f32 = normalized(normalized(x, over a), over b);
kernel middle<A: i64, B: i64, C: i64>(
    x: f32[A, B, C], s: out f32[A, B, C], p: out f32[A, B, C], q: out f32[A, B, C], at: out i64[A, C],
    low: out i64[B, C], n: out f32[A, B, C])
over () {
  let a = span(A);
  let b = span(B);
  let c = span(C);
  let t = x[a, b, c];
  s[a, b, c] = cumsum(t, over b);
  p[a, b, c] = cumsum(t, over a);
  q[a, b, c] = scan(plus, t, over c);
  at[a, c] = argmax(t, over b);
  low[b, c] = argmin(t, over a);
  n[a, b, c] = twice(t, over a, over c);
}
kernel integer_scans<T: i64 | i32 | i16 | i8 | u8>(
    x: T[M, N], s: out accum(T)[M, N], p: out i64[M, N], last: out accum(T)[N], lowest: out T[M])
over (j in N by BN) {
  var total: accum(T)[j] = 0;
  for i in M by BM {
    s[i, j] = total + cumsum(x[i, j], over i);
    p[i, j] = scan(plus, i64(x[i, j]), over i);
    total += sum(x[i, j], over i);
    lowest[i] min= min(x[i, j], over j);
  }
  last[j] = total;
}
kernel first_minimum(x: f32[M, N], y: out f32[M], at: out i64[M])
over (i in M by BM) {
  var v: f32[i] = inf;
  var a: i64[i] = -1;
  for j in N by BN {
    let (w, b) = reduce(first, x[i, j], j, over j);
    let (vv, aa) = first(v, a, w, b);
    v = vv;
    a = aa;
  }
  y[i] = v;
  at[i] = a;
}
kernel dots<A: i64, B: i64, C: i64, D: i64>(
    x: f32[A, B, C], y: f32[C, B, D], z: f32[B], u: out f32[A, D], v: out f32[A, B, D], w: out f32[A, C],
    r: out f32[B, C], whole: out f32[1], g: out f32[A, D, B])
over () {
  let a = span(A);
  let b = span(B);
  let c = span(C);
  let d = span(D);
  let s = x[a, b, c];
  let t = y[c, b, d];
  u[a, d] = dot(s, t, over b, c);
  v[a, b, d] = dot(s, t, over c);
  w[a, c] = dot(s, z[b], over b);
  r[b, c] = dot(s * s, where(a == 0, 0.5, 1.0), over a);
  whole[0] = dot(s, sin(s), over a, b, c);
  g[a, d, b] = dot(z[b] * s + f32(c), exp(-abs(t)), over c);
}
kernel diagonals(x: f32[N, N], d: out f32[N], m: out f32[N, N], anti: out f32[N], row: out f32[3, N])
over (n in N by BN) {
  d[n] = x[n, n];
  m[n, n] = x[n, n] * 2;
  anti[n] = x[n, N - 1 - n];
  row[0, n] = x[0, n];
  row[2, n] = x[N - 1, n];
}
kernel places(x: f32[M, N], y: out f32[2 * M, 3 * N + 1], z: out f32[M * N], w: out f32[N, 4, M])
over (i in M by BM, j in N by BN) {
  let v = x[i, j];
  y[2 * i + 1, 3 * j] = v;
  y[2 * i, 3 * j + 1] = -v;
  z[i * N + j] = v + 1;
  for q in 4 by 3 { w[j, q, i] = v * f32(q); }
}
"""


@sweep(size=[(1, 1, 1), (3, 5, 4), (17, 2, 9)])
def axes_in_the_middle(t, size):
    A, B, C = size
    x = array(t.random.integers(-4, 5, size), "f32")
    v = x.value

    def norm(v, axis):
        c = v - v.mean(axis, keepdims=True)
        return c / np.sqrt((c * c).mean(axis, keepdims=True) + 1e-6)

    n = norm(norm(v, 0), 2)

    def check(s, p, q, at, low, got):
        t.same(s, v.cumsum(1))
        t.same(p, v.cumsum(0))
        t.same(q, v.cumsum(2))
        t.same(at, v.argmax(1))
        t.same(low, v.argmin(0))
        t.close(got, n, scale=1, ulps=4096)

    everywhere(t, "middle", AXES, x=x, out=dict(s="f32", p="f32", q="f32", at="i64", low="i64", n="f32"), check=check)


@sweep(dtype=["i64", "i32", "i16", "i8", "u8"], size=[(1, 1), (37, 5), (0, 3)])
def scans_of_integers(t, dtype, size):
    info = np.iinfo({"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8}[dtype])
    x = Array(t.random.integers(info.min, info.max, size, info.dtype, endpoint=True), dtype)
    wide = np.int64 if dtype == "i64" else np.int32
    s = x.raw.cumsum(0, dtype=wide).astype(np.int64)
    result = "i64" if dtype == "i64" else "i32"
    BM = 8

    def check(got, p, last, lowest):
        t.same(got, s)
        t.same(last, s[-1] if size[0] else np.zeros(size[1]))
        t.same(lowest, x.value.min(1))

    everywhere(t, "integer_scans", AXES, x=x, out=dict(s=result, p="i64", last=result, lowest=dtype), check=check)


@sweep(size=[(1, 1), (9, 37), (20, 64)])
def a_minimum_and_its_place_by_a_function(t, size):
    x = array(t.random.integers(0, 6, size), "f32")

    def check(y, at):
        t.same(y, x.value.min(1))
        t.same(at, x.value.argmin(1))

    everywhere(t, "first_minimum", AXES, x=x, out=dict(y="f32", at="i64"), check=check)


@sweep(size=[(1, 1, 1, 1), (3, 4, 5, 6), (17, 2, 19, 3)])
def dots_of_every_form(t, size):
    A, B, C, D = size
    x, y, z = t.normal((A, B, C), "f32"), t.normal((C, B, D), "f32"), t.normal((B,), "f32")
    X, Y, Z = x.value, y.value, z.value
    half = np.where(np.arange(A) == 0, 0.5, 1.0)

    def check(u, v, w, r, whole, g):
        t.close(u, np.einsum("abc,cbd->ad", X, Y), terms=B * C, scale=10)
        t.close(v, np.einsum("abc,cbd->abd", X, Y), terms=C, scale=10)
        t.close(w, np.einsum("abc,b->ac", X, Z), terms=B, scale=10)
        t.close(r, np.einsum("abc,a->bc", X * X, half), terms=A, scale=10)
        t.close(whole, [(X * np.sin(X)).sum()], terms=A * B * C, scale=100)
        t.close(g, np.einsum("abc,cbd->adb", Z[:, None] * X + np.arange(C), np.exp(-abs(Y))), terms=C, scale=C * C)

    everywhere(t, "dots", AXES, x=x, y=y, z=z, out=dict(u="f32", v="f32", w="f32", r="f32", whole="f32", g="f32"), check=check)


@sweep(N=[1, 7, 33], order=["c", "f"])
def diagonals(t, N, order):
    x = t.normal((N, N), "f32")
    v = x.value
    m = np.full((N, N), np.nan)
    np.fill_diagonal(m, 2 * np.diag(v))

    def check(d, got, anti, row):
        t.same(d, np.diag(v))
        t.same(got, m)
        t.same(anti, np.diag(v[:, ::-1]))
        t.same(row, np.stack([v[0], np.full(N, np.nan), v[-1]]))

    everywhere(
        t, "diagonals", AXES, x=x if order == "c" else x.fortran(), out=dict(d="f32", m="f32", anti="f32", row="f32"),
        check=check,
    )


@sweep(size=[(1, 1), (5, 7), (0, 3), (33, 2)])
def places_of_every_form(t, size):
    M, N = size
    x = t.normal(size, "f32")
    y = np.full((2 * M, 3 * N + 1), np.nan)
    y[1::2, 0 : 3 * N : 3] = x.value
    y[::2, 1::3] = -x.value

    def check(got, z, w):
        t.same(got, y)
        t.same(z, (x.value.astype(np.float32) + np.float32(1)).ravel())
        t.close(w, x.value.T[:, None, :] * np.arange(4)[:, None])

    everywhere(t, "places", AXES, x=x, out=dict(y="f32", z="f32", w="f32"), check=check)


NUMBERS = """
kernel integers<T: i64 | i32>(
    a: T[N], b: T[N], q: out T[N], r: out T[N], s: out T[N], l: out T[N], c: out T[N], m: out T[N], x: out T[N])
over (n in N by BN) {
  let u = a[n];
  let v = b[n];
  q[n] = u / v;
  r[n] = u % v;
  s[n] = (u >> (v & 31)) - -u;
  l[n] = u << (v & 31) | 0x0f;
  c[n] = ceildiv(u, v);
  m[n] = clamp(u, min(v, -v), max(v, -v)) * abs(v);
  x[n] = u ^ v & 0xff;
}
kernel signs(x: f32[N], y: out f32[N, 12])
over (n in N by BN) {
  let v = x[n];
  y[n, 0] = 1 / floor(v);
  y[n, 1] = 1 / ceil(v);
  y[n, 2] = 1 / round(v);
  y[n, 3] = 1 / (v * 0);
  y[n, 4] = 1 / max(v, -v);
  y[n, 5] = 1 / min(v * 0, -(v * 0));
  y[n, 6] = 1 / abs(v);
  y[n, 7] = 1 / -v;
  y[n, 8] = 1 / sqrt(v);
  y[n, 9] = 1 / where(v == 0, v, 1);
  y[n, 10] = 1 / (v + -0.0);
  y[n, 11] = 1 / tanh(v);
}
kernel literals(y: out f64[8], z: out i64[6], w: out f32[6])
over () {
  y[0] = 1e-310;
  y[1] = -0.0;
  y[2] = 1e308 * 10;
  y[3] = nan;
  y[4] = 0.1;
  y[5] = f64(9007199254740993);
  y[6] = f64(f32(0.1));
  y[7] = f64(16777217);
  z[0] = 9223372036854775807;
  z[1] = -9223372036854775808;
  z[2] = i64(0x7fffffffffffffff + 1);
  z[3] = 1 << 40;
  z[4] = i64(i8(200));
  z[5] = -7 / 2 * 10 + -7 % 3;
  w[0] = 1e-45;
  w[1] = f32(3.4028235e38 * 1.0000001);
  w[2] = 0.1 + 0.2;
  w[3] = f32(bf16(1.00390625));
  w[4] = f32(f8e4m3(1000));
  w[5] = f32(f16(65520));
}
kernel denormals<T: float | f64>(x: T[N], y: out T[N], s: out T[1], top: out T[N])
over (n in N by BN) {
  y[n] = T(x[n] * 1.0);
  s[0] += sum(x[n], over n);
  top[n] = T(max(x[n], 0));
}
"""


@sweep(dtype=["i64", "i32"])
def integer_operators(t, dtype):
    native = {"i64": np.int64, "i32": np.int32}[dtype]
    info = np.iinfo(native)
    values = [0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 63, 100, -100, info.max, info.min, info.max - 1, info.min + 1]
    a, b = (v.ravel() for v in np.meshgrid(values, values))
    A, B = a.astype(object), b.astype(object)

    def wrap(v):
        return np.array([(int(e) - info.min) % (2**info.bits) + info.min for e in v], np.int64)

    div = np.array([0 if y == 0 else x // y for x, y in zip(A, B)], object)
    mod = np.array([0 if y == 0 else x % y for x, y in zip(A, B)], object)
    # ceildiv(a, b) is -(-a / b), and the least integer is its own negative
    ceil = np.array([0 if y == 0 else -(int(wrap([-x])[0]) // y) for x, y in zip(A, B)], object)
    k = B & 31
    low, high = (np.array([f(int(y), int(wrap([-y])[0])) for y in B], object) for f in (min, max))
    clamped = np.array([min(max(x, l), h) for x, l, h in zip(A, low, high)], object)

    def check(q, r, s, l, c, m, x):
        t.same(q, wrap(div), what="q")
        t.same(r, wrap(mod), what="r")
        t.same(s, wrap(np.array([x >> y for x, y in zip(A, k)], object) + A), what="s")
        t.same(l, wrap(np.array([(x << y) | 15 for x, y in zip(A, k)], object)), what="l")
        t.same(c, wrap(ceil), what="c")
        t.same(m, wrap(clamped * np.array([int(wrap([abs(y)])[0]) for y in B], object)), what="m")
        t.same(x, wrap(A ^ (B & 255)), what="x")

    arguments = dict(a=Array(a.astype(native), dtype), b=Array(b.astype(native), dtype))
    out = {n: dtype for n in "qrslcmx"}
    for options in ((), ("--schedule", "reference")):
        check(*t.run("integers", None, source=t.file(NUMBERS), out=out, options=options, **arguments))


@test
def signs_of_zero(t):
    x = array([0.0, -0.0, 0.25, -0.25, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45], "f32")
    v = x.raw
    with np.errstate(all="ignore"):
        one = np.float32(1)
        zero = np.float32(0)
        columns = [
            one / np.floor(v), one / np.ceil(v), one / np.round(v), one / (v * zero), one / np.where(np.isnan(v), v, np.abs(v)),
            one / np.where(np.isnan(v * zero), np.nan, -zero), one / np.abs(v), one / -v, one / np.sqrt(v),
            one / np.where(v == 0, v, one), one / (v + np.float32(-0.0)), one / np.tanh(v),
        ]
    want = np.stack(columns, 1).astype(np.float64)
    everywhere(t, "signs", NUMBERS, x=x, out=dict(y="f32"), check=lambda y: t.close(y, want, ulps=4))


@test
def literals(t):
    y = [1e-310, -0.0, np.inf, np.nan, 0.1, 9007199254740992.0, float(np.float32(0.1)), 16777217.0]
    z = [2**63 - 1, -(2**63), -(2**63), 2**40, -56, -4 * 10 + 2]
    w = [1e-45, np.inf, 0.3, 1.0, 448.0, np.inf]

    def check(a, b, c):
        t.same(a, y)
        t.same(b, z)
        t.same(c, rounded(np.array(w), "f32"))

    everywhere(t, "literals", NUMBERS, out=dict(y="f64", z="i64", w="f32"), check=check)


@sweep(T=["f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2"])
def denormal_numbers(t, T):
    least = {"f64": 5e-324, "f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133, "f8e4m3": 2.0**-9, "f8e5m2": 2.0**-16}[T]
    x = array(np.array([1, -1, 2, 3, -3, 0, 1] * 5) * least, T)

    def check(y, s, top):
        t.same(y, x.value)
        t.same(s, rounded(x.value.sum(keepdims=True), T) if T != "f64" else [x.value.sum()])
        t.same(top, np.maximum(x.value, 0))

    everywhere(t, "denormals", NUMBERS, x=x, out=dict(y=T, s=T, top=T), check=check)


BLOCKS = """
kernel scaled<D: i64>(x: f32[M, D], mu: f32[M], y: out f32[M, D])
over (i in M by BM) {
  let d = span(D);
  y[i, d] = (x[i, d] - mu[i]) * mean(x[i, d], over d);
}
kernel scaled_among<D: i64>(x: f32[M, D], mu: f32[M], y: out f32[M, D])
over (i in M by BM) {
  tune BM in [48, 300, 4096];
  let d = span(D);
  y[i, d] = (x[i, d] - mu[i]) * mean(x[i, d], over d);
}
kernel required<D: i64>(x: f32[M, D], mu: f32[M], y: out f32[M, D])
over (i in M by BM) {
  require BM % 12 == 0, "twelve rows at a time";
  tune BM in [36, 252, 256];
  let d = span(D);
  y[i, d] = (x[i, d] - mu[i]) * mean(x[i, d], over d);
}
kernel pairs(x: f32[N, N], y: out f32[N], z: out f32[N, N])
over (i in N by BN, j in N by BN) {
  let v = x[i, j] * f32(i + j);
  z[i, j] = v;
  y[i] += sum(v, over j);
}
"""


@sweep(kernel=["scaled", "scaled_among", "required"], D=[1, 2000])
def blocks_are_chosen_within_the_limit_of_a_tile(t, kernel, D):
    x, mu = t.normal((4500, D), "f32"), t.normal((4500,), "f32")
    (y,) = t.run(kernel, source=t.file(BLOCKS), x=x, mu=mu, out=dict(y="f32"))
    t.close(y, (x.value - mu.value[:, None]) * x.value.mean(1, keepdims=True), terms=D, scale=8)


@test
def blocks_of_one_tunable_are_chosen_within_the_limit(t):
    x = t.normal((700, 700), "f32")
    n = np.arange(700)
    y, z = t.run("pairs", source=t.file(BLOCKS), x=x, out=dict(y="f32", z="f32"))
    t.close(z, x.value * (n[:, None] + n))
    t.close(y, (x.value * (n[:, None] + n)).sum(1), terms=700, scale=700 * 100)


@sweep(save=[False, True], given=[False, True])
def an_output_that_a_static_decides_about(t, save, given):
    text = """kernel k<save: bool = false>(x: f32[N], y: out f32[N], z: out f32[N]?)
over (n in N by BN) {
  y[n] = x[n];
  if save { if z { z[n] = 2 * x[n]; } }
}"""
    x = t.normal((37,), "f32")
    out = dict(y="f32", **(dict(z="f32") if given else {}))
    y, *z = t.run("k", dict(save=save), source=t.file(text), x=x, out=out)
    t.same(y, x.value)
    if given:
        t.same(z[0], 2 * x.value if save else np.full(37, np.nan))


PROMISES = """
kernel scatter_rows(x: f32[N, D], at: i32[N], y: out f32[M, D])
over (n in N by BN, d in D by BD) { y[at[n], d, else drop] = x[n, d]; }
kernel rows_of_experts(x: f32[N, D], first: i32[E + 1], scale: f32[E], y: out f32[N, D])
over (e in E, i in first[e]..first[e + 1] by BI, d in D by BD) { y[i, d, else drop] = x[i, d, else 0] * scale[e]; }
kernel bags(x: f32[N], at: i64[M, K], y: out f32[M], n: inout i32[N])
over (m in M by BM) {
  var acc: f32[m] = 0;
  for k in K by BK {
    let a = at[m, k];
    acc += sum(x[a, else 0], over k);
    n[a, else drop] += 1;
  }
  y[m] = acc;
}
kernel tickets(key: i32[N], next: inout i32[S], slot: out i32[N])
over (n in N by BN) {
  let old = atomic next[key[n], else drop] += 1;
  slot[n] = old;
}
kernel late(y: inout f32[N], x: f32[N]?, k: f32 = 2.0)
over (n in N by BN) {
  let old = y[n];
  var v: f32[n] = old * k;
  if x { v += x[n]; }
  y[n] = v - old;
}
"""


@sweep(N=[0, 1, 50], D=[1, 5])
def garbage_indices_touch_nothing(t, N, D):
    M = N + 3
    at = np.arange(N) + 1
    at[::7] = -(2**31)
    at[3::7] = 2**31 - 1
    x = t.normal((N, D), "f32")
    want = np.full((M, D), np.nan)
    for n in range(N):
        if 0 <= at[n] < M:
            want[at[n]] = x.value[n]
    everywhere(
        t, "scatter_rows", PROMISES, x=x, at=array(at, "i32"), dims=dict(M=M), out=dict(y="f32"),
        check=lambda y: t.same(y, want),
    )


@sweep(first=[(0, 3, 3, 10), (2, 5, 5, 6), (0, 0, 0, 0), (0, 100, 100, 100), (-5, 2, 4, 12)])
def partitions_that_stick_out(t, first):
    N, D = 10, 3
    x, scale = t.normal((N, D), "f32"), t.normal((3,), "f32")
    want = np.full((N, D), np.nan)
    for e in range(3):
        for i in range(max(first[e], 0), min(first[e + 1], N)):
            want[i] = np.float32(x.raw[i] * scale.raw[e])
    everywhere(
        t, "rows_of_experts", PROMISES, x=x, first=array(first, "i32"), scale=scale, out=dict(y="f32"),
        check=lambda y: t.same(y, want),
    )


@sweep(size=[(1, 1, 1), (9, 5, 37), (0, 3, 4), (3, 0, 4)])
def gathers_and_counts(t, size):
    M, K, N = size
    x, at, old = t.normal((N,), "f32"), t.integers((M, K), "i64", -2, N + 2), t.integers((N,), "i32", 0, 9)
    ok = (at.value >= 0) & (at.value < N)
    y = np.where(ok, x.value[np.where(ok, at.value, 0)], 0).sum(1)
    n = old.value.copy()
    np.add.at(n, at.value[ok], 1)

    def check(got, count):
        t.close(got, y, terms=K + 1, scale=K + 1)
        t.same(count, n)

    everywhere(t, "bags", PROMISES, x=x, at=at, n=old, out=dict(y="f32", n="i32"), check=check)


@sweep(N=[0, 1, 300])
def tickets_are_given_once(t, N):
    S = 5
    key, old = t.integers((N,), "i32", -1, S + 1), t.integers((S,), "i32", 0, 9)

    def check(got, slot):
        for s in range(S):
            mine = np.sort(slot.value[key.value == s])
            t.same(mine, old.value[s] + np.arange(len(mine)))
        t.same(got, old.value + [(key.value == s).sum() for s in range(S)])
        t.same(slot.value[(key.value < 0) | (key.value >= S)], np.zeros(((key.value < 0) | (key.value >= S)).sum()))

    everywhere(t, "tickets", PROMISES, key=key, next=old, out=dict(next="i32", slot="i32"), check=check)


@sweep(given=[True, False], N=[1, 37])
def an_inout_read_once(t, given, N):
    y, x = t.normal((N,), "f32"), t.normal((N,), "f32") if given else None
    want = y.value * 3 + (x.value if given else 0) - y.value
    everywhere(t, "late", PROMISES, y=y, x=x, k=3.0, out=dict(y="f32"), check=lambda got: t.close(got, want, scale=8))


if __name__ == "__main__":
    main()
