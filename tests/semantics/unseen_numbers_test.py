"""Formats, optimizers, random numbers, transforms, and views of every shape."""

import math

import numpy as np

from everywhere import everywhere
from harness import DTYPES, EPSILON, SMALL, Array, array, decode, encode, is_float, largest, main, rounded, sweep, test
from reference import philox

def seen_as(x, view):
    """The same array in another layout."""
    if view == "f":
        return x.fortran()
    step = {"reversed": -1, "strided": 2}.get(view)
    rank = len(x.shape)
    return x.embedded((1,) * rank, (2,) * rank, (step,) * rank) if step else x


QUANTIZE = """
kernel quantize_rows<F: f8e4m3 | f8e5m2, T: float | f64>(
    x: T[M..., N], y: out F[M..., N], scale: out f32[M...], limit: f32)
over (i in M by BM) {
  var top: f32[i] = 0;
  for j in N by BN { top max= max(f32(abs(x[i, j])), over j); }
  let s = where(top > 0, top / limit, 1);
  scale[i] = s;
  for j in N by BN { y[i, j] = F(f32(x[i, j]) / s); }
}
kernel quantize_i8<Q: i8 | u8 | i16>(x: f32[N..., K], y: out Q[N..., K], scale: f32, zero: i32)
over (n in N by BN, k in K by BK) { y[n, k] = Q(clamp(round(x[n, k] / scale) + f32(zero), 0, 100)); }
kernel saturate<Q: integer>(x: f32[N], y: out Q[N])
over (n in N by BN) { y[n] = Q(x[n]); }
kernel dequantize<Q: i8 | u8>(x: Q[N, K], y: out bf16[N, K], scale: f32[N, G], zero: u8[N, G], group: i64)
over (n in N by BN, k in K by BK) {
  require group > 0;
  let g = min(k / group, G - 1);
  y[n, k] = bf16(f32(i32(x[n, k]) - zero[n, g]) * scale[n, g]);
}
kernel unpack4(x: u8[N, H], lo: out i8[N, H], hi: out i8[N, H], y: out i32[N, 2 * H])
over (n in N by BN, h in H by BH) {
  let v = x[n, h];
  let a = ((v & 15) ^ 8) - 8;
  let b = ((v >> 4) ^ 8) - 8;
  lo[n, h] = i8(a);
  hi[n, h] = i8(b);
  y[n, 2 * h] = a;
  y[n, 2 * h + 1] = b;
}
kernel pack4(x: i32[N, K], y: out u8[N, H = ceildiv(K, 2)])
over (n in N by BN, h in H by BH) {
  let a = x[n, 2 * h, else 0] & 0xf;
  let b = x[n, 2 * h + 1, else 0] & 0xf;
  y[n, h] = u8(a | b << 4);
}
kernel pack_bits<W: i64>(x: bool[N, K], y: out i64[N, W], count: out i32[N])
over (n in N by BN, w in W) {
  let b = span(64);
  let at = w * 64 + b;
  let v = x[n, at, else false];
  y[n, w] = sum(where(v, 1 << b, 0), over b);
  count[n] += sum(i32(v), over b);
}
kernel popcount(x: i64[N], y: out i32[N])
over (n in N by BN) {
  var v: i64[n] = x[n];
  var c: i64[n] = 0;
  for b in 64 { c += (v >> b) & 1; }
  y[n] = i32(c);
}
kernel w4_linear(x: f32[M, K], w: u8[N, K / 2], scale: f32[N, K / 32], y: out f32[M, N])
over (i in M by BM, j in N by BN) {
  require K % 32 == 0;
  var acc: f32[i, j] = 0;
  for k in K by 32 {
    let nibble = i32(w[j, min(k / 2, K / 2 - 1)]) >> i32(4 * (k % 2)) & 15;
    acc += dot(x[i, k], f32(nibble - 8), over k) * scale[j, min(k.start / 32, K / 32 - 1)];
  }
  y[i, j] = acc;
}
"""


@sweep(F=["f8e4m3", "f8e5m2"], T=["f32", "bf16", "f64"], shape=[(5,), (2, 3, 37), (2, 0)])
def quantize_to_f8(t, F, T, shape):
    x = t.normal(shape, T, 7)
    limit = largest(F)
    top = abs(x.value.astype(np.float32)).max(-1, initial=0)
    scale = np.where(top > 0, top / np.float32(limit), 1).astype(np.float32)
    want = rounded((x.value.astype(np.float32) / scale[..., None]).astype(np.float64), F)

    def check(y, s):
        t.close(s, np.atleast_1d(scale), ulps=1)  # no dimensions count as one
        # one quotient may lie at a tie, and division is not exact in the scale
        assert np.all(abs(y.value - want) <= EPSILON[F] * abs(want)), (y.value, want)
        assert np.mean(y.value == want) > 0.98 if want.size else True

    everywhere(t, "quantize_rows", QUANTIZE, dict(F=F), x=x, limit=float(limit), out=dict(y=F, scale="f32"), check=check)


@sweep(Q=["i8", "u8", "i16"], shape=[(7,), (2, 3, 5)])
def quantize_to_integers(t, Q, shape):
    x = t.normal(shape, "f32", 30)
    x.raw.flat[0] = np.nan
    want = np.clip(np.round(x.value / 0.5) + 10, 0, 100)
    want.flat[0] = 0
    everywhere(
        t, "quantize_i8", QUANTIZE, dict(Q=Q), x=x, scale=0.5, zero=10, out=dict(y=Q),
        check=lambda y: t.same(y, want.astype(int)),
    )


@sweep(Q=["i8", "u8", "i16", "i32", "i64"])
def float_to_integer_saturates(t, Q):
    info = np.iinfo({"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8}[Q])
    v = [0, -0.0, 0.9, -0.9, 1.5, 127.5, 128, -128.9, -129, 255.9, 256, 3e4, 4e4, -4e4, 2.2e9, -2.2e9, 9e18, 1e19, -1e19]
    x = array((v + [np.inf, -np.inf, np.nan, 1e-45, 3e38]) * 3, "f32")
    want = np.array(
        [0 if math.isnan(a) else info.max if a >= info.max else info.min if a <= info.min else int(a) for a in x.value], object
    )
    everywhere(t, "saturate", QUANTIZE, dict(Q=Q), x=x, out=dict(y=Q), check=lambda y: t.same(y, want.astype(np.int64)))


@sweep(Q=["i8", "u8"], size=[(1, 1, 1), (5, 37, 8), (3, 64, 32)])
def dequantize_by_groups(t, Q, size):
    N, K, group = size
    G = -(-K // group)
    x, scale, zero = t.integers((N, K), Q, 0, 127), t.normal((N, G), "f32"), t.integers((N, G), "u8", 0, 256)
    g = np.arange(K) // group
    want = rounded(((x.value - zero.value[:, g]).astype(np.float32) * scale.raw[:, g]).astype(np.float64), "bf16")
    everywhere(
        t, "dequantize", QUANTIZE, x=x, scale=scale, zero=zero, group=group, out=dict(y="bf16"), check=lambda y: t.same(y, want)
    )


@sweep(size=[(1, 1), (5, 37), (0, 4), (2, 64)])
def nibbles(t, size):
    x = t.integers(size, "u8", 0, 256)
    sign = lambda v: ((v & 15) ^ 8) - 8
    a, b = sign(x.value), sign(x.value >> 4)
    both = np.stack([a, b], -1).reshape(size[0], 2 * size[1])

    def check(lo, hi, y):
        t.same(lo, a)
        t.same(hi, b)
        t.same(y, both)

    everywhere(t, "unpack4", QUANTIZE, x=x, out=dict(lo="i8", hi="i8", y="i32"), check=check)
    z = t.integers(size, "i32", -8, 8)
    p = np.pad(z.value & 15, ((0, 0), (0, size[1] % 2)))
    want = p[:, ::2] | p[:, 1::2] << 4
    everywhere(t, "pack4", QUANTIZE, x=z, out=dict(y="u8"), check=lambda y: t.same(y, want))


@sweep(K=[1, 63, 64, 130])
def bits_of_words(t, K):
    x = t.flags((5, K))
    W = -(-K // 64)
    padded = np.pad(x.value, ((0, 0), (0, W * 64 - K))).reshape(5, W, 64)
    want = np.packbits(padded, axis=-1, bitorder="little").copy().view(np.int64)[..., 0]

    def check(y, count):
        t.same(y, want)
        t.same(count, x.value.sum(1))

    everywhere(t, "pack_bits", QUANTIZE, dict(W=W), x=x, out=dict(y="i64", count="i32"), check=check)
    z = t.integers((37,), "i64", -(2**63), 2**63 - 1)
    everywhere(
        t, "popcount", QUANTIZE, x=z, out=dict(y="i32"),
        check=lambda y: t.same(y, [bin(int(v) & (2**64 - 1)).count("1") for v in z.value]),
    )


@sweep(size=[(1, 32, 1), (9, 96, 17), (3, 0, 2)])
def linear_of_nibbles(t, size):
    M, K, N = size
    x, w, s = t.normal((M, K), "f32"), t.integers((N, K // 2), "u8", 0, 256), t.normal((N, K // 32), "f32")
    q = np.stack([w.value & 15, w.value >> 4], -1).reshape(N, K) - 8
    want = x.value @ (q * np.repeat(s.value, 32, 1)).T
    everywhere(
        t, "w4_linear", QUANTIZE, x=x, w=w, scale=s, out=dict(y="f32"), check=lambda y: t.close(y, want, terms=K + 1, scale=50)
    )


OPTIMIZERS = """
kernel adam<T: float, amsgrad: bool = false>(
    p: inout T[N...], master: inout f32[N...]?, g: T[N...], m: inout f32[N...], v: inout f32[N...],
    top: inout f32[N...]?, norm: out f32[1],
    rate: f32, beta1: f32 = 0.9, beta2: f32 = 0.999, eps: f32 = 1e-8, decay: f32 = 0.0, step: i32)
over (n in N by BN) {
  require step > 0;
  let gn = g[n];
  let mn = beta1 * m[n] + (1 - beta1) * gn;
  let vn = beta2 * v[n] + (1 - beta2) * gn * gn;
  m[n] = mn;
  v[n] = vn;
  var base: f32[n] = f32(p[n]);
  if master { base = master[n]; }
  var second: f32[n] = vn;
  if amsgrad { if top { second = max(vn, top[n]); top[n] = second; } }
  let c1 = 1 - pow(beta1, f32(step));
  let c2 = 1 - pow(beta2, f32(step));
  let next = base * (1 - rate * decay) - rate * (mn / c1) / (sqrt(second / c2) + eps);
  if master { master[n] = next; }
  p[n] = T(next);
  norm[0] += sum(gn * gn, over n);
}
kernel momentum(p: inout bf16[A, B], v: inout f32[A, B], g: bf16[B, A], rate: f32, mu: f32, nesterov: bool)
over (a in A by BA, b in B by BB) {
  let vn = mu * v[a, b] + g[b, a];
  v[a, b] = vn;
  p[a, b] = bf16(p[a, b] - rate * where(nesterov, g[b, a] + mu * vn, vn));
}
kernel accumulate<T: number>(total: inout T[N, M], x: T[K, N, M], high: inout T[N], low: inout T[M])
over (k in K, n in N by BN, m in M by BM) {
  let v = x[k, n, m];
  total[n, m] += v;
  high[n] max= max(v, over m);
  low[m] min= min(v, over n);
}
kernel ema_and_norms(x: f32[N, M], rows: out f32[N], columns: out f64[M], whole: out f32[1], most: out f32[1])
over (n in N by BN, m in M by BM) {
  let v = x[n, m];
  rows[n] += sum(abs(v), over m);
  columns[m] += f64(sum(v * v, over n));
  whole[0] += sum(v, over n, m);
  most[0] max= max(abs(v), over n, m);
}
"""


@sweep(dtype=["f32", "bf16"], shape=[(0,), (1000,), (3, 5, 7)], master=[True, False], amsgrad=[True, False])
def adam(t, dtype, shape, master, amsgrad):
    p, g, m = t.normal(shape, dtype), t.normal(shape, dtype), t.normal(shape, "f32")
    v, w, top = (array(t.random.random(shape), "f32") for _ in range(3))
    mn, vn = 0.9 * m.value + 0.1 * g.value, 0.999 * v.value + 0.001 * g.value**2
    second = np.maximum(vn, top.value) if amsgrad else vn
    base = w.value if master else p.value
    rate, decay, step = 0.01, 0.1, 7
    want = base * (1 - rate * decay) - rate * mn / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    arguments = dict(p=p, g=g, m=m, v=v, rate=rate, decay=decay, step=step)
    out = dict(p=dtype, m="f32", v="f32", norm="f32")
    if master:
        arguments["master"] = w
        out["master"] = "f32"
    if amsgrad:
        arguments["top"] = top
        out["top"] = "f32"

    def check(*results):
        r = dict(zip(out, results))
        t.close(r["m"], mn, scale=1)
        t.close(r["v"], vn, scale=1)
        t.close(r["p"], want, scale=1, ulps=512)
        t.close(r["norm"], (g.value**2).sum().reshape(1), terms=g.value.size, scale=max(g.value.size, 1))
        if master:
            t.close(r["master"], want, scale=1, ulps=512)
        if amsgrad:
            t.close(r["top"], second, scale=1)

    everywhere(t, "adam", OPTIMIZERS, dict(amsgrad=amsgrad), **arguments, out=out, check=check)


@sweep(size=[(1, 1), (33, 17), (5, 0)], nesterov=[True, False], order=["c", "f"])
def momentum_of_a_transposed_gradient(t, size, nesterov, order):
    p, v, g = t.normal(size, "bf16"), t.normal(size, "f32"), t.normal(size[::-1], "bf16")
    vn = 0.9 * v.value + g.value.T
    want = p.value - 0.1 * (g.value.T + 0.9 * vn if nesterov else vn)
    if order == "f":
        p, v, g = p.fortran(), v.fortran(), g.fortran()

    def check(pp, vv):
        t.close(pp, want, scale=2)
        t.close(vv, vn, scale=2)

    everywhere(
        t, "momentum", OPTIMIZERS, p=p, v=v, g=g, rate=0.1, mu=0.9, nesterov=nesterov, out=dict(p="bf16", v="f32"), check=check
    )


@sweep(
    dtype=["f32", "f64", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u8"],
    size=[(5, 17, 9), (0, 3, 4), (3, 0, 2)],
)
def sums_and_extremes_onto_old_values(t, dtype, size):
    K, N, M = size
    floats = is_float(dtype)
    make = (lambda s: t.normal(s, dtype)) if floats else (lambda s: t.integers(s, dtype, 0 if dtype == "u8" else -100, 100))
    x, total, high, low = make(size), make((N, M)), make((N,)), make((M,))
    if floats and x.value.size > 50:
        v = x.value.copy()
        v[1, 2, 3], v[0, 4, 4] = np.nan, np.inf
        x = array(v, dtype)
    want = total.value + x.value.sum(0)
    top = high.value if not x.value.size else np.maximum(high.value, x.value.max((0, 2)))
    bottom = low.value if not x.value.size else np.minimum(low.value, x.value.min((0, 1)))
    if not floats:
        native = {"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8}[dtype]
        want = want.astype(native).astype(np.int64)

    def check(s, h, l):
        t.close(s, want, terms=K + 1, scale=K + 2) if floats else t.same(s, want)
        t.same(h, top)
        t.same(l, bottom)

    everywhere(
        t, "accumulate", OPTIMIZERS, total=total, x=x, high=high, low=low, out=dict(total=dtype, high=dtype, low=dtype),
        check=check,
    )


@sweep(size=[(1, 1), (130, 70), (0, 5), (7, 0)])
def norms_of_a_matrix(t, size):
    x = t.normal(size, "f32")

    def check(rows, columns, whole, most):
        t.close(rows, abs(x.value).sum(1), terms=size[1] + 1, scale=size[1] + 1)
        t.close(columns, (x.value**2).sum(0), terms=size[0] + 1, scale=1e9 * (size[0] + 1))
        t.close(whole, x.value.sum().reshape(1), terms=x.value.size + 1, scale=x.value.size + 1)
        t.same(most, abs(x.value).max(initial=-np.inf).reshape(1))

    everywhere(t, "ema_and_norms", OPTIMIZERS, x=x, out=dict(rows="f32", columns="f64", whole="f32", most="f32"), check=check)


RANDOM = """
kernel dropout<T: float>(x: T[M..., N], y: out T[M..., N], kept: out bool[M..., N], p: f32, seed: i64)
over (i in M by BM, j in N by BN) {
  let keep = random(seed, i * N + j) >= p;
  kept[i, j] = keep;
  y[i, j] = T(where(keep, x[i, j] / (1 - p), 0));
}
kernel words(y: out i32[N], z: out i32[N], seed: i64, first: i64)
over (n in N by BN) {
  y[n] = random_bits(seed, n + first);
  z[n] = random_bits(seed, 3 * n + 1);
}
kernel box_muller(y: out f32[N, 2], seed: i64)
over (n in N by BN) {
  let u = random(seed, 2 * n);
  let v = random(seed, 2 * n + 1);
  let r = sqrt(-2 * log(1 - u));
  y[n, 0] = r * cos(6.283185307179586 * v);
  y[n, 1] = r * sin(6.283185307179586 * v);
}
kernel stochastic_rounding(x: f32[N], y: out bf16[N], seed: i64, rate: f32)
over (n in N by BN) {
  let r = random(seed, n) - 0.5;
  y[n] = bf16(x[n] * (1 + r * rate));
}
kernel gumbel(x: f32[M, N], at: out i64[M], seed: i64)
over (i in M by BM) {
  var best: f32[i] = -inf;
  var arg: i64[i] = 0;
  for j in N by BN {
    let g = x[i, j] - log(-log(random(seed, i * N + j) + 1e-10) + 1e-10);
    let top = max(g, over j);
    arg = where(top > best, argmax(g, over j), arg);
    best = max(best, top);
  }
  at[i] = arg;
}
"""


@sweep(shape=[(1,), (0, 4), (3, 37)], dtype=["f32", "bf16"], p=[0.0, 0.3, 1.0], seed=[-1, 2**40 + 17])
def dropout(t, shape, dtype, p, seed):
    x = t.normal(shape, dtype)
    u = ((philox(seed, np.arange(x.value.size)) >> np.uint64(8)).astype(np.float64) * 2.0**-24).reshape(shape)
    keep = u >= np.float32(p)
    want = np.where(keep, x.value / (1 - p) if p < 1 else np.inf, 0)

    def check(y, kept):
        t.same(kept, keep)
        t.close(y, want, ulps=8)

    everywhere(t, "dropout", RANDOM, x=x, p=p, seed=seed, out=dict(y=dtype, kept="bool"), check=check)


@sweep(N=[0, 1, 1000], seed=[-(2**63), 2**63 - 1], first=[0, 3, 2**33])
def words_of_philox(t, N, seed, first):
    if first < 0:
        first = 1
    n = np.arange(N)
    signed = lambda v: v.astype(np.uint32).view(np.int32)

    def check(y, z):
        t.same(y, signed(philox(seed, n + first)))
        t.same(z, signed(philox(seed, 3 * n + 1)))

    everywhere(t, "words", RANDOM, dims=dict(N=N), seed=seed, first=first, out=dict(y="i32", z="i32"), check=check)


@sweep(N=[1, 501])
def normal_numbers_and_samples(t, N):
    unit = lambda seed, n: (philox(seed, n) >> np.uint64(8)).astype(np.float64) * 2.0**-24
    n = np.arange(N)
    r, a = np.sqrt(-2 * np.log(1 - unit(5, 2 * n))), 2 * math.pi * unit(5, 2 * n + 1)
    everywhere(
        t, "box_muller", RANDOM, dims=dict(N=N), seed=5, out=dict(y="f32"),
        check=lambda y: t.close(y, np.stack([r * np.cos(a), r * np.sin(a)], 1), scale=8, ulps=16),
    )
    x = t.normal((20, N), "f32")
    g = x.value - np.log(-np.log(unit(-9, np.arange(20 * N)).reshape(20, N) + 1e-10) + 1e-10)
    everywhere(t, "gumbel", RANDOM, x=x, seed=-9, out=dict(at="i64"), check=lambda y: t.same(y, g.argmax(1)))


TRANSFORMS = """
kernel butterfly(re: f32[B, N], im: f32[B, N], yr: out f32[B, N], yi: out f32[B, N], half: i64)
over (b in B by BB, n in N by BN) {
  require half > 0;
  require N % (2 * half) == 0;
  let low = n % (2 * half) < half;
  let a = where(low, n, n - half);
  let k = n % half;
  let angle = -3.141592653589793 * f32(k) / f32(half);
  let pr = re[b, a + half, else 0] * cos(angle) - im[b, a + half, else 0] * sin(angle);
  let pi = re[b, a + half, else 0] * sin(angle) + im[b, a + half, else 0] * cos(angle);
  let sign = where(low, 1.0, -1.0);
  yr[b, n] = re[b, a, else 0] + sign * pr;
  yi[b, n] = im[b, a, else 0] + sign * pi;
}
kernel fourier<N: i64>(x: f64[B, N], yr: out f64[B, N], yi: out f64[B, N])
over (b in B by BB) {
  let n = span(N);
  let k = span(N);
  let a = f64(n * k % N) * (-6.283185307179586 / f64(N));
  yr[b, k] = dot(x[b, n], cos(a), over n);
  yi[b, k] = dot(x[b, n], sin(a), over n);
}
kernel horner(x: f64[N], c: f64[K], y: out f64[N], slope: out f64[N])
over (n in N by BN) {
  var p: f64[n] = 0;
  var d: f64[n] = 0;
  for k in K {
    d = d * x[n] + p;
    p = p * x[n] + c[K - 1 - k];
  }
  y[n] = p;
  slope[n] = d;
}
kernel stencil(x: f32[H, W], y: out f32[H, W], rate: f32, wrap: bool)
over (i in H by BH, j in W by BW) {
  let l = where(wrap, x[i, (j - 1) % W], x[i, j - 1, else 0]);
  let r = where(wrap, x[i, (j + 1) % W], x[i, j + 1, else 0]);
  let u = where(wrap, x[(i - 1) % H, j], x[i - 1, j, else 0]);
  let d = where(wrap, x[(i + 1) % H, j], x[i + 1, j, else 0]);
  y[i, j] = x[i, j] + rate * (l + r + u + d - 4 * x[i, j]);
}
kernel flip_roll_repeat<T: number>(
    x: T[N, M], flipped: out T[N, M], rolled: out T[N, M], repeated: out T[3 * N, M], turned: out T[M, N], by_rows: i64)
over (n in N by BN, m in M by BM) {
  let v = x[n, m];
  flipped[N - 1 - n, m] = v;
  rolled[n, m] = x[(n + by_rows) % N, m];
  for k in 3 { repeated[3 * n + k, m] = v; }
  turned[M - 1 - m, n] = v;
}
kernel upsample<S: i64>(x: f32[N, H, W], y: out f32[N, S * H, S * W])
over (n in N, h in H by BH, w in W by BW) {
  let a = span(S);
  let b = span(S);
  y[n, h * S + a, w * S + b] = x[n, h, w] + 0 * f32(a + b);
}
kernel space_to_depth<S: i64>(x: f16[N, S * H, S * W, C], y: out f16[N, H, W, S * S * C])
over (n in N, h in H by BH, w in W by BW) {
  for a in S, b in S, c in C by BC { y[n, h, w, (a * S + b) * C + c] = x[n, h * S + a, w * S + b, c]; }
}
kernel truth(
    x: bool[M, N], y: bool[M, N], every: out bool[M], some: out i32[N], exactly: out i32[M], odd: out bool[M],
    both: out bool[M, N])
over (i in M by BM) {
  var e: bool[i] = true;
  var n: i32[i] = 0;
  for j in N by BN {
    let v = x[i, j] and not y[i, j] or x[i, j] == y[i, j];
    both[i, j] = v;
    e = e and all(v, over j);
    n += sum(i32(v), over j);
  }
  every[i] = e;
  exactly[i] = n;
  odd[i] = n % 2 == 1;
  for j in N by BN { some[j] max= i32(any(x[i, j], over i)); }
}
"""


@sweep(N=[2, 8, 32], B=[1, 5])
def butterflies(t, N, B):
    re, im = t.normal((B, N), "f32"), t.normal((B, N), "f32")
    bits = int(math.log2(N))
    order = [int(format(n, f"0{bits}b")[::-1], 2) for n in range(N)]
    want = np.fft.fft(re.value + 1j * im.value)
    a, b = Array(np.ascontiguousarray(re.raw[:, order]), "f32"), Array(np.ascontiguousarray(im.raw[:, order]), "f32")
    half = 1
    while half < N:
        a, b = t.run(
            "butterfly", dict(BB=2, BN=3) if half == 2 else None, source=t.file(TRANSFORMS), re=a, im=b, half=half,
            out=dict(yr="f32", yi="f32"),
        )
        half *= 2
    t.close(a, want.real, terms=N * bits, scale=3 * math.sqrt(N))
    t.close(b, want.imag, terms=N * bits, scale=3 * math.sqrt(N))


@sweep(N=[1, 7, 20])
def fourier(t, N):
    x = t.normal((3, N), "f64")
    want = np.fft.fft(x.value)

    def check(re, im):
        t.close(re, want.real, terms=N, scale=10, ulps=16)
        t.close(im, want.imag, terms=N, scale=10, ulps=16)

    everywhere(t, "fourier", TRANSFORMS, x=x, out=dict(yr="f64", yi="f64"), check=check)


@sweep(K=[0, 1, 6], N=[1, 33])
def horner(t, K, N):
    x, c = t.normal((N,), "f64"), t.normal((K,), "f64")
    p = np.polynomial.Polynomial(c.value if K else [0.0])

    def check(y, slope):
        t.close(y, p(x.value), scale=1000)
        t.close(slope, p.deriv()(x.value), scale=1000)

    everywhere(t, "horner", TRANSFORMS, x=x, c=c, out=dict(y="f64", slope="f64"), check=check)


@sweep(size=[(1, 1), (9, 17), (0, 3)], wrap=[True, False])
def stencils(t, size, wrap):
    x = t.normal(size, "f32")
    v = np.pad(x.value, 1, mode="wrap" if wrap and x.value.size else "constant")
    want = x.value + 0.1 * (v[1:-1, :-2] + v[1:-1, 2:] + v[:-2, 1:-1] + v[2:, 1:-1] - 4 * x.value)
    everywhere(t, "stencil", TRANSFORMS, x=x, rate=0.1, wrap=wrap, out=dict(y="f32"), check=lambda y: t.close(y, want, scale=4))


@sweep(
    dtype=["f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u8"], size=[(5, 7)],
    view=["c", "f", "reversed", "strided"],
)
def flips_rolls_and_repeats(t, dtype, size, view):
    x = t.normal(size, dtype) if is_float(dtype) else t.integers(size, dtype, 0, 127)
    v = x.value
    x = seen_as(x, view)

    def check(flipped, rolled, repeated, turned):
        t.same(flipped, v[::-1])
        t.same(rolled, np.roll(v, 3, 0))
        t.same(repeated, np.repeat(v, 3, 0))
        t.same(turned, v.T[::-1])

    everywhere(
        t, "flip_roll_repeat", TRANSFORMS, x=x, by_rows=-3, out=dict(flipped=dtype, rolled=dtype, repeated=dtype, turned=dtype),
        check=check,
    )


@sweep(S=[1, 2, 3], size=[(1, 1, 1, 1), (2, 5, 3, 4)])
def space_and_depth(t, S, size):
    N, H, W, C = size
    x = t.normal((N, H, W), "f32")
    everywhere(
        t, "upsample", TRANSFORMS, dict(S=S), x=x, out=dict(y="f32"),
        check=lambda y: t.same(y, x.value.repeat(S, 1).repeat(S, 2)),
    )
    z = t.normal((N, S * H, S * W, C), "f16")
    want = z.value.reshape(N, H, S, W, S, C).transpose(0, 1, 3, 2, 4, 5).reshape(N, H, W, -1)
    everywhere(
        t, "space_to_depth", TRANSFORMS, dict(S=S), x=z, dims=dict(H=H, W=W), out=dict(y="f16"), check=lambda y: t.same(y, want)
    )


@sweep(size=[(1, 1), (13, 37), (0, 3), (3, 0)])
def truth_tables(t, size):
    x, y = t.flags(size), t.flags(size, 0.3)
    v = (x.value & ~y.value) | (x.value == y.value)

    def check(every, some, exactly, odd, both):
        t.same(every, v.all(1))
        t.same(some, x.value.any(0) if size[0] else np.full(size[1], -(2**31)))
        t.same(exactly, v.sum(1))
        t.same(odd, v.sum(1) % 2 == 1)
        t.same(both, v)

    everywhere(
        t, "truth", TRANSFORMS, x=x, y=y, out=dict(every="bool", some="i32", exactly="i32", odd="bool", both="bool"),
        check=check,
    )


VIEWS = """
kernel pack5<T: number>(x: T[M..., K], s: T[K], y: out T[M..., K], total: out accum(T)[M...], z: out T[K, M...])
over (m in M by BM, k in K by BK) {
  let v = x[m, k];
  y[m, k] = T(v + s[k]);
  total[m] += sum(v, over k);
  z[k, m] = v;
}
kernel middle<T: number>(x: T[A, M..., B], y: out T[B, A, M...], top: out T[A, B])
over (a in A, m in M by BM, b in B by BB) {
  let v = x[a, m, b];
  y[b, a, m] = v;
  top[a, b] max= max(v, over m);
}
kernel copy_bool(x: bool[M...], y: out bool[M...], n: out i32[1])
over (m in M by BM) { y[m] = not x[m]; n[0] += sum(i32(x[m]), over m); }
kernel broadcast(x: f32[M, N], w: f32[N, K], y: out f32[M, K], row: out f32[M])
over (i in M by BM, k in K by BK) {
  var acc: f32[i, k] = 0;
  for n in N by BN { acc += dot(x[i, n], w[n, k], over n); }
  y[i, k] = acc;
  row[i] += sum(acc, over k);
}
"""


@sweep(dtype=["f32", "bf16", "i16"], lead=[(), (7,), (2, 1, 3), (2, 3, 1, 2)], view=["c", "f", "strided", "reversed"])
def packs_of_dimensions(t, dtype, lead, view):
    K = 5
    shape = (*lead, K)
    x = t.normal(shape, dtype) if is_float(dtype) else t.integers(shape, dtype, 0, 50)
    s = t.normal((K,), dtype) if is_float(dtype) else t.integers((K,), dtype, 0, 50)
    v = x.value
    r = len(shape)
    x = seen_as(x, view)
    wide = "f32" if dtype in ("f16", "bf16") else "i32" if dtype in ("i16", "u8") else dtype

    def check(y, total, z):
        t.close(y, v + s.value, scale=8) if is_float(dtype) else t.same(y, v + s.value)
        sums = np.atleast_1d(v.sum(-1))  # no dimensions count as one
        t.close(total, sums, terms=K, scale=8) if is_float(dtype) else t.same(total, sums)
        t.same(z, np.moveaxis(v, -1, 0))

    everywhere(t, "pack5", VIEWS, x=x, s=s, out=dict(y=dtype, total=wide, z=dtype), check=check)


@sweep(dtype=["f32", "i8", "f8e4m3"], middle=[(), (5,), (2, 1, 3)], order=[None, "reverse", "swap"])
def packs_in_the_middle(t, dtype, middle, order):
    shape = (3, *middle, 4)
    x = t.normal(shape, dtype) if is_float(dtype) else t.integers(shape, dtype, -100, 50)
    v = x.value
    r = len(shape)
    if order == "reverse":
        x = x.transposed(tuple(range(r))[::-1])
    elif order == "swap":
        x = x.transposed((r - 1, *range(r - 1)))

    def check(y, top):
        t.same(y, np.moveaxis(v, -1, 0))
        t.same(top, v.reshape(3, -1, 4).max(1))

    everywhere(t, "middle", VIEWS, x=x, out=dict(y=dtype, top=dtype), check=check)


@sweep(shape=[(1,), (0,), (129,), (3, 5), (2, 3, 2, 3, 2)])
def booleans_of_any_rank(t, shape):
    x = t.flags(shape)

    def check(y, n):
        t.same(y, ~x.value)
        t.same(n, x.value.sum().reshape(1))

    everywhere(t, "copy_bool", VIEWS, x=x, out=dict(y="bool", n="i32"), check=check)


if __name__ == "__main__":
    main()
