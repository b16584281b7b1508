"""Layers of networks that the ready kernels do not have: convolutions, pooling, attention, norms, losses."""

import math

import numpy as np

from everywhere import everywhere
from harness import Array, array, main, rounded, sweep, test

CONVOLUTIONS = """
kernel conv1d<T: float | f64, stride: i64 = 1, dilation: i64 = 1, pad: i64 = 0>(
    x: T[N, C, L], f: T[K, C, R], b: T[K]?, y: out T[N, K, P = (L + 2 * pad - dilation * (R - 1) - 1) / stride + 1])
over (n in N, k in K by BK, p in P by BP) {
  var acc: accum(T)[k, p] = 0;
  for r in R, c in C by BC { acc += dot(x[n, c, p * stride + r * dilation - pad, else 0], f[k, c, r], over c); }
  if b { acc += b[k]; }
  y[n, k, p] = T(acc);
}
kernel grouped_conv2d<G: i64, KG: i64, stride: i64 = 1, pad: i64 = 0>(
    x: f32[N, G * CG, H, W], f: f32[G * KG, CG, R, S],
    y: out f32[N, G * KG, P = (H + 2 * pad - R) / stride + 1, Q = (W + 2 * pad - S) / stride + 1])
over (n in N, g in G, k in KG by BK, p in P by BP, q in Q by BQ) {
  var acc: f32[k, p, q] = 0;
  for c in CG by BC, r in R, s in S {
    acc += dot(x[n, g * CG + c, p * stride + r - pad, q * stride + s - pad, else 0], f[g * KG + k, c, r, s], over c);
  }
  y[n, g * KG + k, p, q] = acc;
}
kernel window_conv2d<R: i64, S: i64>(x: f32[H, W], f: f32[R, S], y: out f32[P = H - R + 1, Q = W - S + 1])
over (p in P by BP, q in Q by BQ) {
  let r = span(R);
  let s = span(S);
  y[p, q] = dot(x[p + r, q + s], f[r, s], over r, s);
}
kernel transposed_conv1d<stride: i64>(x: f32[N, L, C], f: f32[C, R, K], y: out f32[N, P = (L - 1) * stride + R, K])
over (n in N, p in P by BP, k in K by BK) {
  var acc: f32[p, k] = 0;
  for r in R, c in C by BC {
    let at = p - r;
    let t = where(at % stride == 0, x[n, at / stride, c, else 0], 0);
    acc += dot(t, f[c, r, k], over c);
  }
  y[n, p, k] = acc;
}
kernel conv1d_dw<stride: i64>(x: f32[N, L, C], dy: f32[N, P, K], dw: out f32[R, C, K])
over (r in R, c in C by BC, k in K by BK) {
  require (P - 1) * stride + R <= L;
  var acc: f32[c, k] = 0;
  for n in N, p in P by BP { acc += dot(x[n, p * stride + r, c, else 0], dy[n, p, k], over p); }
  dw[r, c, k] = acc;
}
"""


def conv1d_reference(x, f, stride, dilation, pad):
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad)))
    P = (x.shape[2] - dilation * (f.shape[2] - 1) - 1) // stride + 1
    y = np.zeros((x.shape[0], f.shape[0], P))
    for p in range(P):
        window = x[:, :, p * stride : p * stride + dilation * (f.shape[2] - 1) + 1 : dilation]
        y[:, :, p] = np.einsum("ncr,kcr->nk", window, f)
    return y


@sweep(
    step=[(1, 1, 0), (2, 1, 1), (1, 3, 3), (3, 2, 5)], size=[(2, 3, 17, 5, 3), (1, 1, 7, 1, 1), (2, 0, 9, 3, 2)],
    dtype=["f32", "f16", "f64"],
)
def conv1d(t, step, size, dtype):
    N, C, L, K, R = size
    stride, dilation, pad = step
    x, f, b = t.normal((N, C, L), dtype), t.normal((K, C, R), dtype), t.normal((K,), dtype)
    want = conv1d_reference(x.value, f.value, stride, dilation, pad) + b.value[:, None]
    scale = conv1d_reference(abs(x.value), abs(f.value), stride, dilation, pad) + 1
    everywhere(
        t, "conv1d", CONVOLUTIONS, dict(stride=stride, dilation=dilation, pad=pad), x=x, f=f, b=b, out=dict(y=dtype),
        check=lambda y: t.close(y, want, terms=C * R + 1, scale=scale),
    )


@sweep(step=[(1, 0), (2, 1)], size=[(2, 3, 2, 4, 9, 8, 3, 2), (1, 1, 1, 1, 3, 3, 3, 3)], order=["c", "f"])
def grouped_conv2d(t, step, size, order):
    N, G, CG, KG, H, W, R, S = size
    stride, pad = step
    x, f = t.normal((N, G * CG, H, W), "f32"), t.normal((G * KG, CG, R, S), "f32")
    xp = np.pad(x.value, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    P, Q = (H + 2 * pad - R) // stride + 1, (W + 2 * pad - S) // stride + 1
    want = np.zeros((N, G * KG, P, Q))
    for p in range(P):
        for q in range(Q):
            w = xp[:, :, p * stride : p * stride + R, q * stride : q * stride + S].reshape(N, G, CG, R, S)
            want[:, :, p, q] = np.einsum("ngcrs,gkcrs->ngk", w, f.value.reshape(G, KG, CG, R, S)).reshape(N, -1)
    if order == "f":
        x, f = x.fortran(), f.fortran()
    everywhere(
        t, "grouped_conv2d", CONVOLUTIONS, dict(stride=stride, pad=pad, G=G, KG=KG), x=x, f=f, out=dict(y="f32"),
        check=lambda y: t.close(y, want, terms=CG * R * S, scale=10),
    )


@sweep(size=[(5, 6, 2, 3), (3, 3, 3, 3), (20, 19, 1, 4)])
def a_dot_over_a_window(t, size):
    H, W, R, S = size
    x, f = t.normal((H, W), "f32"), t.normal((R, S), "f32")
    want = np.einsum("pqrs,rs->pq", np.lib.stride_tricks.sliding_window_view(x.value, (R, S)), f.value)
    everywhere(
        t, "window_conv2d", CONVOLUTIONS, x=x, f=f, out=dict(y="f32"), check=lambda y: t.close(y, want, terms=R * S, scale=6)
    )


@sweep(stride=[1, 2, 3], size=[(2, 5, 3, 4, 2), (1, 1, 1, 1, 1)])
def transposed_convolution(t, stride, size):
    N, L, C, R, K = size
    x, f = t.normal((N, L, C), "f32"), t.normal((C, R, K), "f32")
    want = np.zeros((N, (L - 1) * stride + R, K))
    for l in range(L):
        for r in range(R):
            want[:, l * stride + r] += x.value[:, l] @ f.value[:, r]
    everywhere(
        t, "transposed_conv1d", CONVOLUTIONS, dict(stride=stride), x=x, f=f, out=dict(y="f32"),
        check=lambda y: t.close(y, want, terms=C * R, scale=8),
    )
    dy = t.normal((N, 4, K), "f32")
    x = t.normal((N, 3 * stride + R, C), "f32")
    dw = np.zeros((R, C, K))
    for p in range(4):
        for r in range(R):
            dw[r] += x.value[:, p * stride + r].T @ dy.value[:, p]
    everywhere(
        t, "conv1d_dw", CONVOLUTIONS, dict(stride=stride), x=x, dy=dy, dims=dict(R=R), out=dict(dw="f32"),
        check=lambda y: t.close(y, dw, terms=N * 4, scale=8),
    )


POOLING = """
kernel max_pool<T: number, R: i64, stride: i64, pad: i64>(
    x: T[N, H, W, C], y: out T[N, P = (H + 2 * pad - R) / stride + 1, Q = (W + 2 * pad - R) / stride + 1, C], low: T)
over (n in N, p in P by BP, q in Q by BQ, c in C by BC) {
  let r = span(R);
  let s = span(R);
  let w = x[n, p * stride + r - pad, q * stride + s - pad, c, else low];
  y[n, p, q, c] = max(w, over r, s);
}
kernel average_pool<R: i64, stride: i64>(
    x: bf16[N, H, W, C], y: out bf16[N, P = ceildiv(H, stride), Q = ceildiv(W, stride), C])
over (n in N, p in P by BP, q in Q by BQ, c in C by BC) {
  var total: f32[p, q, c] = 0;
  var count: i32[p, q] = 0;
  for r in R, s in R {
    let h = p * stride + r;
    let w = q * stride + s;
    total += x[n, h, w, c, else 0];
    count += i32(h < H and w < W);
  }
  y[n, p, q, c] = bf16(total / f32(count));
}
kernel global_pool<T: number>(x: T[N, S..., C], top: out T[N, C], low: out T[N, C], average: out f32[N, C])
over (n in N, c in C by BC) {
  var a: f32[c] = 0;
  for s in S by BS {
    let v = x[n, s, c];
    top[n, c] max= max(v, over s);
    low[n, c] min= min(v, over s);
    a += sum(f32(v), over s);
  }
  average[n, c] = a / f32(S);
}
kernel max_pool_index<R: i64>(x: f32[M, L], y: out f32[M, P = L / R], at: out i64[M, P])
over (i in M by BM, p in P by BP) {
  let r = span(R);
  let w = x[i, p * R + r];
  y[i, p] = max(w, over r);
  at[i, p] = p * R + argmax(w, over r);
}
kernel max_pool_backward(dy: f32[M, P], at: i64[M, P], dx: out f32[M, L])
over (i in M by BM, p in P by BP) {
  atomic dx[i, at[i, p], else drop] += dy[i, p];
}
"""
LOW = {"f32": -np.inf, "f64": -np.inf, "f16": -np.inf, "i8": -128, "u8": 0, "i64": -(2**63), "i32": -(2**31), "bf16": -np.inf}


@sweep(dtype=["f32", "f64", "f16", "i8", "u8", "i64"], step=[(3, 2, 1), (2, 2, 0), (1, 3, 0)])
def max_pool(t, dtype, step):
    R, stride, pad = step
    N, H, W, C = 2, 9, 8, 5
    x = t.normal((N, H, W, C), dtype) if dtype[0] == "f" else t.integers((N, H, W, C), dtype, 0, 127)
    if dtype[0] == "f":
        x.raw[0, 3, 3, 2] = np.nan
    v = np.pad(x.value, ((0, 0), (pad, pad), (pad, pad), (0, 0)), constant_values=LOW[dtype])
    P, Q = (H + 2 * pad - R) // stride + 1, (W + 2 * pad - R) // stride + 1
    want = np.stack(
        [[v[:, p * stride : p * stride + R, q * stride : q * stride + R].max((1, 2)) for q in range(Q)] for p in range(P)]
    )
    want = want.transpose(2, 0, 1, 3)
    low = float(LOW[dtype]) if dtype[0] == "f" else LOW[dtype]
    everywhere(
        t, "max_pool", POOLING, dict(R=R, stride=stride, pad=pad), x=x, low=low, out=dict(y=dtype),
        check=lambda y: t.same(y, want),
    )


@sweep(R=[1, 2, 3])
def average_pool(t, R):
    stride = 2
    x = t.normal((2, 7, 6, 3), "bf16")
    P, Q = 4, 3
    want = np.zeros((2, P, Q, 3))
    for p in range(P):
        for q in range(Q):
            want[:, p, q] = x.value[:, 2 * p : 2 * p + R, 2 * q : 2 * q + R].mean((1, 2))
    everywhere(
        t, "average_pool", POOLING, dict(R=R, stride=stride), x=x, out=dict(y="bf16"),
        check=lambda y: t.close(y, want, terms=9, scale=3),
    )


@sweep(dtype=["f32", "bf16", "i16", "u8", "i64", "f64"], shape=[(2, 5, 7, 3), (1, 130, 2), (3, 2, 2, 3, 4), (2, 4)])
def global_pool(t, dtype, shape):
    x = t.normal(shape, dtype) if "f" in dtype else t.integers(shape, dtype, 0 if dtype == "u8" else -100, 100)
    v = x.value.reshape(shape[0], -1, shape[-1])

    def check(top, low, average):
        t.same(top, v.max(1))
        t.same(low, v.min(1))
        t.close(average, v.mean(1), terms=v.shape[1], scale=abs(v).mean(1))

    everywhere(t, "global_pool", POOLING, x=x, out=dict(top=dtype, low=dtype, average="f32"), check=check)


@sweep(R=[1, 2, 5])
def max_pool_with_its_index(t, R):
    x = array(t.random.integers(-3, 3, (7, 23)), "f32")
    x.raw[2, 3] = np.nan
    P = 23 // R
    w = x.value[:, : P * R].reshape(7, P, R)
    at = np.where(np.isnan(w).any(-1), np.isnan(w).argmax(-1), np.nan_to_num(w).argmax(-1)) + np.arange(P) * R

    def check(y, index):
        t.same(y, w.max(-1))
        t.same(index, at)

    everywhere(t, "max_pool_index", POOLING, dict(R=R), x=x, out=dict(y="f32", at="i64"), check=check)
    dy = t.normal((7, P), "f32")
    dx = np.zeros((7, 23))
    np.put_along_axis(dx, at, dy.value, 1)
    everywhere(
        t, "max_pool_backward", POOLING, dy=dy, at=array(at, "i64"), dims=dict(L=23), out=dict(dx="f32"),
        check=lambda y: t.same(y, dx),
    )


ATTENTION = """
kernel attend<D: i64, E: i64, causal: bool = false, alibi: bool = false, window: i64 = 0>(
    q: f32[B, SQ, H, D], k: f32[B, SK, HK, D], v: f32[B, SK, HK, E], slope: f32[H]?, keep: bool[B, SK]?,
    o: out f32[B, SQ, H, E])
over (b in B, h in H, i in SQ by BM) {
  require H % HK == 0, "whole groups of heads";
  let d = span(D);
  let e = span(E);
  let g = min(h / (H / HK), HK - 1);
  var last = SK;
  if causal { last = min(SK, i.end + SK - SQ); }
  var m: f32[i] = -inf;
  var l: f32[i] = 0;
  var acc: f32[i, e] = 0;
  for t in 0..last by BN {
    var s = dot(q[b, i, h, d], k[b, t, g, d], over d) * rsqrt(f32(D));
    if alibi { if slope { s += slope[h] * f32(t - i - (SK - SQ)); } }
    if causal { s = where(t <= i + (SK - SQ), s, -inf); }
    if window > 0 { s = where(i + (SK - SQ) - t < window and t - i - (SK - SQ) < window, s, -inf); }
    if keep { s = where(keep[b, t], s, -inf); }
    let top = max(m, max(s, over t));
    let base = where(top == -inf, 0, top);
    let p = exp(s - base);
    let c = exp(m - base);
    l = l * c + sum(p, over t);
    acc = acc * c + dot(p, v[b, t, g, e], over t);
    m = top;
  }
  o[b, i, h, e] = where(l > 0, acc / l, 0);
}
kernel two_pass<D: i64>(q: f32[H, S, D], k: f32[H, S, D], v: f32[H, S, D], o: out f32[H, S, D], p: out f32[H, S, S])
over (h in H, i in S by BM) {
  let d = span(D);
  let qt = q[h, i, d];
  var m: f32[i] = -inf;
  for t in 0..i.end by BN { m max= max(where(t <= i, dot(qt, k[h, t, d], over d), -inf), over t); }
  var l: f32[i] = 0;
  for t in 0..i.end by BN { l += sum(where(t <= i, exp(dot(qt, k[h, t, d], over d) - m), 0), over t); }
  var acc: f32[i, d] = 0;
  for t in S by BN {
    let w = where(t <= i, exp(dot(qt, k[h, t, d], over d) - m) / l, 0);
    p[h, i, t] = w;
    acc += dot(w, v[h, t, d], over t);
  }
  o[h, i, d] = acc;
}
kernel linear_attention<D: i64, E: i64>(
    q: f32[H, S, D], k: f32[H, S, D], v: f32[H, S, E], o: out f32[H, S, E], last: out f32[H, D, E])
over (h in H) {
  let d = span(D);
  let e = span(E);
  var state: f32[d, e] = 0;
  for t in S by BT {
    var result: f32[t, e] = dot(q[h, t, d], state, over d);
    for u in t by BT {
      let s = where(u <= t, dot(q[h, t, d], k[h, u, d], over d), 0);
      result += dot(s, v[h, u, e], over u);
    }
    o[h, t, e] = result;
    state += dot(k[h, t, d], v[h, t, e], over t);
  }
  last[h, d, e] = state;
}
"""


def attend_reference(q, k, v, causal, slope, window, keep):
    B, SQ, H, D = q.shape
    SK, HK = k.shape[1], k.shape[2]
    k, v = np.repeat(k, H // HK, 2), np.repeat(v, H // HK, 2)
    s = np.einsum("bihd,bthd->bhit", q, k) / math.sqrt(D)
    i, j = np.arange(SQ)[:, None] + SK - SQ, np.arange(SK)
    if slope is not None:
        s = s + slope[:, None, None] * (j - i)
    ok = np.ones((SQ, SK), bool)
    if causal:
        ok &= j <= i
    if window:
        ok &= (i - j < window) & (j - i < window)
    ok = np.broadcast_to(ok, s.shape)
    if keep is not None:
        ok = ok & keep[:, None, None, :]
    s = np.where(ok, s, -np.inf)
    top = s.max(-1, keepdims=True, initial=-np.inf)
    p = np.exp(s - np.where(np.isinf(top), 0, top))
    l = p.sum(-1, keepdims=True)
    p = np.where(l > 0, p / np.where(l > 0, l, 1), 0)
    return np.einsum("bhit,bthe->bihe", p, v)


@sweep(
    variant=["plain", "causal", "alibi", "window", "keep", "all"],
    size=[(2, 9, 9, 4, 2, 5, 3), (1, 5, 13, 3, 3, 8, 8), (1, 1, 1, 1, 1, 1, 1), (1, 7, 0, 2, 1, 4, 4)],
)
def attention_variants(t, variant, size):
    B, SQ, SK, H, HK, D, E = size
    q, k, v = t.normal((B, SQ, H, D), "f32"), t.normal((B, SK, HK, D), "f32"), t.normal((B, SK, HK, E), "f32")
    has = lambda n: variant in (n, "all")
    slope = array(2.0 ** -np.arange(1, H + 1), "f32") if has("alibi") else None
    keep = t.flags((B, SK), 0.6) if has("keep") else None
    window = 3 if has("window") else 0
    want = attend_reference(
        q.value, k.value, v.value, has("causal"), slope.value if slope else None, window, keep.value if keep else None
    )
    everywhere(
        t, "attend", ATTENTION, dict(causal=has("causal"), alibi=has("alibi"), window=window), q=q, k=k, v=v, slope=slope,
        keep=keep, out=dict(o="f32"), check=lambda y: t.close(y, want, terms=SK * D + 1, scale=4),
    )


@sweep(S=[1, 7, 33, 70])
def attention_in_two_passes(t, S):
    q, k, v = (t.normal((2, S, 6), "f32", 0.5) for _ in range(3))
    s = q.value @ k.value.transpose(0, 2, 1)
    s = np.where(np.tril(np.ones((S, S), bool)), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)

    def check(o, w):
        t.close(w, p, terms=S, ulps=32)
        t.close(o, p @ v.value, terms=S, scale=4, ulps=32)

    everywhere(t, "two_pass", ATTENTION, q=q, k=k, v=v, out=dict(o="f32", p="f32"), check=check)


@sweep(S=[1, 5, 16, 37])
def linear_attention(t, S):
    q, k, v = t.normal((3, S, 4), "f32"), t.normal((3, S, 4), "f32"), t.normal((3, S, 7), "f32")
    s = np.tril(q.value @ k.value.transpose(0, 2, 1))

    def check(o, last):
        t.close(o, s @ v.value, terms=S * 4, scale=20)
        t.close(last, k.value.transpose(0, 2, 1) @ v.value, terms=S, scale=20)

    everywhere(t, "linear_attention", ATTENTION, q=q, k=k, v=v, out=dict(o="f32", last="f32"), check=check)


ROTARY = """
kernel rotate<T: float, D: i64, inverse: bool = false>(
    x: T[B..., S, H, D], y: out T[B..., S, H, D], base: f32 = 10000.0)
over (b in B by BB, s in S by BS, h in H by BH) {
  let e = span(D / 2);
  let angle = f32(s) * exp2(-log2(base) * f32(2 * e) / f32(D));
  let c = cos(angle);
  var n = sin(angle);
  if inverse { n = -n; }
  let lo = x[b, s, h, 2 * e];
  let hi = x[b, s, h, 2 * e + 1];
  y[b, s, h, 2 * e] = T(lo * c - hi * n);
  y[b, s, h, 2 * e + 1] = T(lo * n + hi * c);
}
"""


@sweep(lead=[(), (2,), (2, 3)], dtype=["f32", "f16"], D=[2, 6, 16])
def rotary_pairs(t, lead, dtype, D):
    x = t.normal((*lead, 5, 3, D), dtype)
    a = np.arange(5)[:, None, None] * 10000.0 ** (-2 * np.arange(D // 2) / D)
    lo, hi = x.value[..., ::2], x.value[..., 1::2]
    want = np.empty(x.shape)
    want[..., ::2], want[..., 1::2] = lo * np.cos(a) - hi * np.sin(a), lo * np.sin(a) + hi * np.cos(a)
    everywhere(t, "rotate", ROTARY, x=x, out=dict(y=dtype), check=lambda y: t.close(y, want, scale=3, ulps=16))


NORMS = """
kernel batch_norm<T: float>(
    x: T[N, C, S...], g: f32[C], b: f32[C], y: out T[N, C, S...], mu: out f32[C], va: out f32[C], running: inout f32[C],
    eps: f32 = 1e-5, momentum: f32 = 0.1)
over (c in C by BC) {
  var total: f32[c] = 0;
  for n in N, s in S by BS { total += sum(x[n, c, s], over s); }
  let m = total / f32(N * S);
  var square: f32[c] = 0;
  for n in N, s in S by BS {
    let t = x[n, c, s] - m;
    square += sum(t * t, over s);
  }
  let v = square / f32(N * S);
  mu[c] = m;
  va[c] = v;
  running[c] = (1 - momentum) * running[c] + momentum * m;
  for n in N, s in S by BS { y[n, c, s] = T((x[n, c, s] - m) * rsqrt(v + eps) * g[c] + b[c]); }
}
kernel batch_norm_backward(
    x: f32[N, C, S...], dy: f32[N, C, S...], g: f32[C], mu: f32[C], va: f32[C], dx: out f32[N, C, S...], dg: out f32[C],
    db: out f32[C], eps: f32 = 1e-5)
over (c in C by BC) {
  let r = rsqrt(va[c] + eps);
  var a: f32[c] = 0;
  var b: f32[c] = 0;
  for n in N by BN, s in S by BS {
    let d = dy[n, c, s];
    a += sum(d * (x[n, c, s] - mu[c]) * r, over n, s);
    b += sum(d, over n, s);
  }
  dg[c] = a;
  db[c] = b;
  let count = f32(N * S);
  for n in N by BN, s in S by BS {
    let h = (x[n, c, s] - mu[c]) * r;
    dx[n, c, s] = g[c] * r * (dy[n, c, s] - b / count - h * a / count);
  }
}
kernel group_norm<G: i64, K: i64>(x: f32[N, G * K, S...], g: f32[G * K]?, y: out f32[N, G * K, S...], eps: f32 = 1e-5)
over (n in N, h in G by BG) {
  let k = span(K);
  var m: f32[h] = 0;
  var q: f32[h] = 0;
  for s in S by BS {
    let v = x[n, h * K + k, s];
    m += sum(v, over k, s);
    q += sum(v * v, over k, s);
  }
  m /= f32(K * S);
  q = q / f32(K * S) - m * m;
  for s in S by BS {
    var v = (x[n, h * K + k, s] - m) * rsqrt(q + eps);
    if g { v *= g[h * K + k]; }
    y[n, h * K + k, s] = v;
  }
}
kernel instance_norm<S: i64>(x: f64[N, C, S], y: out f64[N, C, S], eps: f64 = 1e-5)
over (n in N by BN, c in C by BC) {
  let s = span(S);
  let v = x[n, c, s] - mean(x[n, c, s], over s);
  y[n, c, s] = v / sqrt(mean(v * v, over s) + eps);
}
kernel welford(x: f32[M, N], mu: out f32[M], va: out f32[M])
over (i in M by BM) {
  var c: f32[i] = 0;
  var m: f32[i] = 0;
  var q: f32[i] = 0;
  for j in N by BN {
    let (cj, mj, qj) = reduce(merge, 1, x[i, j], 0, over j);
    let (cc, mm, qq) = merge(c, m, q, cj, mj, qj);
    c = cc; m = mm; q = qq;
  }
  mu[i] = m;
  va[i] = q / c;
}
fn merge(c1: f32, m1: f32, q1: f32, c2: f32, m2: f32, q2: f32) -> (f32, f32, f32) {
  let c = c1 + c2;
  let d = m2 - m1;
  return (c, m1 + d * c2 / c, q1 + q2 + d * d * c1 * c2 / c);
}
"""


@sweep(size=[(3, 5, 4, 3), (1, 1), (2, 3, 70), (4, 7, 2, 2, 3)], dtype=["f32", "bf16"])
def batch_norm(t, size, dtype):
    x = t.normal(size, dtype)
    C = size[1]
    g, b, old = t.normal((C,), "f32"), t.normal((C,), "f32"), t.normal((C,), "f32")
    axes = (0, *range(2, len(size)))
    up = lambda v: v.reshape((1, C) + (1,) * (len(size) - 2))
    m, v = x.value.mean(axes), x.value.var(axes)

    def check(y, mu, va, running):
        t.close(mu, m, terms=x.value.size, scale=1)
        t.close(va, v, terms=x.value.size, scale=1)
        t.close(running, 0.9 * old.value + 0.1 * m, terms=x.value.size, scale=1)
        t.close(
            y, (x.value - up(m)) / np.sqrt(up(v) + 1e-5) * up(g.value) + up(b.value), terms=x.value.size,
            scale=4 if x.value.size > 1 else 400,
        )

    everywhere(
        t, "batch_norm", NORMS, x=x, g=g, b=b, running=old, out=dict(y=dtype, mu="f32", va="f32", running="f32"), check=check
    )
    if dtype != "f32":
        return
    dy = t.normal(size, "f32")
    r = 1 / np.sqrt(v + 1e-5)
    h = (x.value - up(m)) * up(r)
    dg, db = (dy.value * h).sum(axes), dy.value.sum(axes)
    count = x.value.size / C
    dx = up(g.value * r) * (dy.value - up(db) / count - h * up(dg) / count)

    def check_backward(got, gg, bb):
        t.close(gg, dg, terms=count, scale=max(count, 4), ulps=32)
        t.close(bb, db, terms=count, scale=max(count, 4))
        t.close(got, dx, terms=count, scale=max(abs(up(g.value * r)).max() * 8, 8), ulps=32)

    everywhere(
        t, "batch_norm_backward", NORMS, x=x, dy=dy, g=g, mu=array(m, "f32"), va=array(v, "f32"),
        out=dict(dx="f32", dg="f32", db="f32"), check=check_backward,
    )


@sweep(size=[(2, 3, 4, 5, 3), (1, 1, 1, 1), (2, 5, 2, 33)], weights=[True, False])
def group_norm(t, size, weights):
    N, G, K, *S = size
    x, g = t.normal((N, G * K, *S), "f32"), t.normal((G * K,), "f32") if weights else None
    v = x.value.reshape(N, G, -1)
    want = ((v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + 1e-5)).reshape(x.shape)
    if g:
        want = want * g.value.reshape((1, -1) + (1,) * len(S))
    if v.shape[-1] == 1:
        want = want * 0
    everywhere(
        t, "group_norm", NORMS, dict(G=G, K=K), x=x, g=g, out=dict(y="f32"),
        check=lambda y: t.close(y, want, terms=v.shape[-1], scale=50, ulps=16),
    )


@sweep(S=[1, 4, 37])
def instance_norm_and_welford(t, S):
    x = t.normal((3, 5, S), "f64")
    v = x.value - x.value.mean(-1, keepdims=True)
    want = v / np.sqrt((v * v).mean(-1, keepdims=True) + 1e-5)
    everywhere(t, "instance_norm", NORMS, x=x, out=dict(y="f64"), check=lambda y: t.close(y, want, terms=S, scale=4))
    x = array(t.random.standard_normal((6, S)) + 1000, "f32")

    def check(mu, va):
        t.close(mu, x.value.mean(-1), ulps=8)
        t.close(va, x.value.var(-1), scale=1, ulps=4096)

    everywhere(t, "welford", NORMS, x=x, out=dict(mu="f32", va="f32"), check=check)


LOSSES = """
kernel cross_entropy<T: float, smoothing: bool = false>(
    x: T[M, N], label: i32[M], weight: f32[N]?, loss: out f32[1], count: out i64[1], dx: out T[M, N]?, each: out f32[M],
    eps: f32 = 0.1)
over (i in M by BM) {
  let y = label[i];
  var m: f32[i] = -inf;
  var l: f32[i] = 0;
  var total: f32[i] = 0;
  for j in N by BN {
    let s = x[i, j];
    let top = max(m, max(s, over j));
    l = l * exp(m - top) + sum(exp(s - top), over j);
    total += sum(s, over j);
    m = top;
  }
  let valid = y >= 0 and y < N;
  let lse = m + log(l);
  var w: f32[i] = 1;
  if weight { w = weight[y, else 0]; }
  var nll = lse - x[i, y, else 0];
  if smoothing { nll = (1 - eps) * nll + eps * (lse - total / f32(N)); }
  let e = where(valid, w * nll, 0);
  each[i] = e;
  loss[0] += sum(e, over i);
  count[0] += sum(i64(valid), over i);
  if dx {
    for j in N by BN {
      let p = exp(x[i, j] - lse);
      dx[i, j] = T(where(valid, w * (p - where(j == y, 1, 0)), 0));
    }
  }
}
kernel ctc_like(x: f32[T, N], y: out f32[1])
over () {
  var a: f32 = 0;
  for t in T {
    var best: f32 = -inf;
    for n in N by BN { best max= max(x[t, n], over n); }
    a += best;
  }
  y[0] = a;
}
"""


@sweep(size=[(0, 5), (1, 1), (13, 37), (70, 3)], dtype=["f32", "bf16"], gradient=[True, False], weights=[True, False])
def cross_entropy(t, size, dtype, gradient, weights):
    M, N = size
    x = t.normal(size, dtype, 3)
    label = t.integers((M,), "i32", -2, N + 1)
    w = t.normal((N,), "f32") if weights else None
    valid = (label.value >= 0) & (label.value < N)
    y = np.where(valid, label.value, 0)
    top = x.value.max(-1, keepdims=True)
    lse = (top + np.log(np.exp(x.value - top).sum(-1, keepdims=True)))[:, 0]
    ww = w.value[y] if weights else np.ones(M)
    each = np.where(valid, ww * (lse - x.value[np.arange(M), y]), 0)
    dx = np.where(valid[:, None], ww[:, None] * (np.exp(x.value - lse[:, None]) - (np.arange(N) == y[:, None])), 0)

    def check(loss, count, e, g=None):
        t.close(e, each, scale=20)
        t.close(loss, each.sum().reshape(1), terms=M, scale=20 * max(M, 1))
        t.same(count, valid.sum().reshape(1))
        if g:
            t.close(g, dx, scale=2, ulps=32)

    out = dict(loss="f32", count="i64", each="f32", **(dict(dx=dtype) if gradient else {}))
    everywhere(t, "cross_entropy", LOSSES, x=x, label=label, weight=w, out=out, check=check)


@sweep(size=[(0, 3), (3, 1), (5, 70)])
def a_scalar_output(t, size):
    x = t.normal(size, "f32")
    everywhere(
        t, "ctc_like", LOSSES, x=x, out=dict(y="f32"),
        check=lambda y: t.close(y, x.value.max(-1).sum().reshape(1), terms=8, scale=10),
    )


if __name__ == "__main__":
    main()
