"""Loops with several products that run by warps with roles on sm_90a (attention and what is like it): shapes, lengths and kernels that nobody
chose the path for. Every case says whether the path is to be taken."""

import os

import numpy as np

from harness import READY_KERNELS, Mismatch, array, main, rounded, sweep, test
from reference import attend, rounding_scale

READY = os.path.join(READY_KERNELS, "attention.tile")


def run(t, source, kernel, bind, *, roles=True, **rest):
    """On sm_90a a remark says so if a product is not formed by wgmma."""
    results = t.run(kernel, bind, source=source, options=("--remarks",), **rest)
    if "(sm_90a)" in t.printed and roles == ("by mma.sync, not by wgmma" in t.reported):
        raise Mismatch(f"the products {'do not run' if roles else 'run'} by warps with roles: {t.reported}")
    return results


def small(t, shape, dtype="bf16"):
    return array(t.random.integers(-3, 4, shape), dtype)


# ----------------------------------------------------------------------------------------------------------------------
# Attention
# ----------------------------------------------------------------------------------------------------------------------


def heads(t, dtype, B, HQ, HK, SQ, SK, D):
    return t.normal((B, HQ, SQ, D), dtype), t.normal((B, HK, SK, D), dtype), t.normal((B, HK, SK, D), dtype)


def check_attention(t, dtype, results, q, k, v, *rest):
    want, want_lse = attend(q.value, k.value, v.value, *rest)
    t.close(results[0], want, scale=rounding_scale(dtype) * 4, ulps=4)
    if len(results) > 1:
        t.close(results[1], want_lse, scale=8, ulps=16)


@sweep(
    size=[
        # B, HQ, HK, SQ, SK, D, rows, keys
        (1, 1, 1, 128, 128, 64, 128, 128), (1, 2, 1, 130, 300, 128, 128, 128), (2, 2, 2, 257, 65, 64, 128, 64), (1, 6, 2, 65, 513, 64, 64, 64),
        (1, 2, 2, 300, 333, 128, 128, 160), (1, 1, 1, 300, 100, 192, 128, 64), (1, 1, 1, 200, 400, 256, 128, 64), (1, 3, 1, 140, 200, 64, 256, 64),
    ],
    causal=[False, True],
    dtype=["bf16", "f16"],
)
def attention(t, size, causal, dtype):
    B, HQ, HK, SQ, SK, D, rows, keys = size
    q, k, v = heads(t, dtype, B, HQ, HK, SQ, SK, D)
    bind = dict(T=dtype, causal=causal, BG=1, BM=rows, BN=keys)
    results = run(t, READY, "attention", bind, q=q, k=k, v=v, scale=0.3, out=dict(o=dtype))
    check_attention(t, dtype, results, q, k, v, 0.3, causal, 0, None)


@sweep(lengths=[[300, 130, 0], [1, 129, 257]], causal=[False, True], window=[0, 70], rows=[64, 128])
def lengths_from_memory(t, lengths, causal, window, rows):
    """The rows of a cache that nobody wrote hold anything; a tile may have no keys at all."""
    q, k, v = heads(t, "bf16", 3, 2, 1, 140, 300, 64)
    for b in range(3):
        for cache in (k, v):
            cache.raw[b, :, lengths[b] :] = array(np.nan, "bf16").raw
    results = run(
        t, READY, "attention", dict(T="bf16", causal=causal, window=window, BG=1, BM=rows, BN=64), q=q, k=k, v=v,
        len=array(lengths, "i32"), scale=0.3, out=dict(o="bf16", lse="f32")
    )
    check_attention(t, "bf16", results, q, k, v, 0.3, causal, window, lengths)


@sweep(seed=[3, 4, 5], causal=[False, True])
def any_order_of_the_warps(t, seed, causal):
    t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
    q, k, v = heads(t, "bf16", 1, 3, 3, 260, 400, 64)
    bind = dict(T="bf16", causal=causal, BG=1, BM=128, BN=64)
    results = run(t, READY, "attention", bind, q=q, k=k, v=v, scale=0.3, out=dict(o="bf16"))
    check_attention(t, "bf16", results, q, k, v, 0.3, causal, 0, None)


@test
def heads_inside_of_positions(t):
    """[batch, positions, heads, channels] is how most projections leave it."""
    q, k, v = heads(t, "bf16", 2, 2, 2, 150, 170, 64)
    views = dict(zip("qkv", (view.transposed((0, 2, 1, 3)) for view in (q, k, v))))
    results = run(t, READY, "attention", dict(T="bf16", causal=True, BG=1, BM=128, BN=64), scale=0.3, out=dict(o="bf16"), **views)
    check_attention(t, "bf16", results, q, k, v, 0.3, True, 0, None)


# ----------------------------------------------------------------------------------------------------------------------
# What is like it
# ----------------------------------------------------------------------------------------------------------------------

# The keys are the values too; rows that are close to a key count.
SHARED = """
kernel k<T: float, D: i64>(q: T[M, D], k: T[N, D], o: out T[M, D], n: out f32[M])
over (i in M by BM) {
  let d = span(D);
  let qt = q[i, d];
  var acc: f32[i, d] = 0;
  var count: f32[i] = 0;
  for t in N by BN {
    let s = dot(qt, k[t, d], over d);
    let p = where(s > 2, 1.0, where(s < -2, -1.0, 0.0));
    count = count + sum(p, over t);
    acc = acc + dot(T(p), k[t, d], over t);
  }
  o[i, d] = T(acc);
  n[i] = count;
}
"""


@sweep(size=[(128, 128, 64), (130, 333, 64), (257, 65, 128)], tile=[(128, 64), (64, 128)])
def keys_that_are_values(t, size, tile):
    M, N, D = size
    q, k = small(t, (M, D)), small(t, (N, D))
    o, n = run(t, t.file(SHARED), "k", dict(T="bf16", D=D, BM=tile[0], BN=tile[1]), q=q, k=k, out=dict(o="bf16", n="f32"))
    s = q.value @ k.value.T
    p = np.where(s > 2, 1, np.where(s < -2, -1, 0))
    t.same(o, rounded(p @ k.value, "bf16"))
    t.same(n, p.sum(-1))


# A product whose result is only looked at.
NEAREST = """
kernel k<T: float, D: i64>(x: T[M, D], y: T[N, D], h: f32[N], best: out f32[M], where_: out i64[M])
over (i in M by BM) {
  let d = span(D);
  let xt = x[i, d];
  var top: f32[i] = -inf;
  var at: i64[i] = -1;
  for t in N by BN {
    let s = dot(xt, y[t, d], over d) - h[t];
    let m = max(s, over t);
    let a = argmax(s, over t);
    at = where(m > top, a, at);
    top = max(top, m);
  }
  best[i] = top;
  where_[i] = at;
}
"""


@sweep(size=[(128, 128, 64), (200, 333, 128), (64, 1, 64)])
def the_nearest_of_many(t, size):
    M, N, D = size
    x, y, h = small(t, (M, D)), small(t, (N, D)), t.normal((N,), "f32")
    best, at = run(t, t.file(NEAREST), "k", dict(T="bf16", D=D, BM=128, BN=64), x=x, y=y, h=h, out=dict(best="f32", where_="i64"))
    s = (x.value @ y.value.T - h.value).astype(np.float32)
    t.same(best, s.max(-1))
    t.same(at, s.argmax(-1))


# Two layers at once: what is between them never leaves the registers.
LAYERS = """
kernel k<T: float, D: i64, E: i64>(x: T[M, D], a: T[N, D], b: f32[N], c: T[N, E], y: out T[M, E])
over (i in M by BM) {
  let d = span(D);
  let e = span(E);
  let xt = x[i, d];
  var acc: f32[i, e] = 0;
  for t in N by BN {
    let h = max(dot(xt, a[t, d], over d) + b[t], 0);
    acc = acc + dot(T(h), c[t, e], over t);
  }
  y[i, e] = T(acc);
}
"""


@sweep(size=[(128, 256, 64, 64), (300, 333, 128, 64), (70, 100, 64, 128)], dtype=["bf16", "f16"])
def two_layers(t, size, dtype):
    M, N, D, E = size
    x, a, b, c = small(t, (M, D), dtype), small(t, (N, D), dtype), small(t, (N,), "f32"), small(t, (N, E), dtype)
    (y,) = run(t, t.file(LAYERS), "k", dict(T=dtype, D=D, E=E, BM=128, BN=64), x=x, a=a, b=b, c=c, out=dict(y=dtype))
    h = rounded(np.maximum(x.value @ a.value.T + b.value, 0), dtype)
    t.close(y, h @ c.value, terms=N, scale=np.abs(h) @ np.abs(c.value))


@test
def more_outputs_than_tensor_maps(t):
    """A map for each, beside three of the operands."""
    M, N, D, E = 130, 200, 64, 64
    names = [f"y{number}" for number in range(24)]
    text = LAYERS.replace("y: out T[M, E])", ", ".join(f"{name}: out T[M, E]" for name in names) + ")")
    text = text.replace("  y[i, e] = T(acc);\n", "".join(f"  {name}[i, e] = T(acc + {number});\n" for number, name in enumerate(names)))
    x, a, b, c = small(t, (M, D)), small(t, (N, D)), small(t, (N,), "f32"), small(t, (N, E))
    results = run(t, t.file(text), "k", dict(T="bf16", D=D, E=E, BM=128, BN=64), x=x, a=a, b=b, c=c, out={name: "bf16" for name in names})
    h = rounded(np.maximum(x.value @ a.value.T + b.value, 0), "bf16")
    for number, y in enumerate(results):
        t.close(y, h @ c.value + number, terms=N, scale=np.abs(h) @ np.abs(c.value) + number)


# One loop over keys that all rows see, one over those that some do.
PARTS = """
kernel k<T: float, D: i64>(q: T[M, D], k: T[N, D], v: T[N, D], o: out T[M, D])
over (i in M by BM) {
  let d = span(D);
  let qt = q[i, d];
  let shared = min(i.start, N);
  var acc: f32[i, d] = 0;
  var total: f32[i] = 0;
  for t in 0..shared by BN {
    let s = dot(qt, k[t, d], over d);
    total = total + sum(s, over t);
    acc = acc + dot(T(s), v[t, d], over t);
  }
  for t in shared..min(i.end, N) by BN {
    let s = where(t <= i, dot(qt, k[t, d], over d), 0);
    total = total + sum(s, over t);
    acc = acc + dot(T(s), v[t, d], over t);
  }
  o[i, d] = T(acc + total);
}
"""


@sweep(size=[(128, 128), (400, 400), (300, 170), (100, 500)], tile=[(128, 64), (128, 128), (64, 64)])
def two_loops_one_ring(t, size, tile):
    (M, N), D = size, 64
    q, k, v = small(t, (M, D)), small(t, (N, D)), small(t, (N, D))
    v.raw[min(M, N) :] = array(np.inf, "bf16").raw
    (o,) = run(t, t.file(PARTS), "k", dict(T="bf16", D=D, BM=tile[0], BN=tile[1]), q=q, k=k, v=v, out=dict(o="bf16"))
    s = np.where(np.arange(N) <= np.arange(M)[:, None], q.value @ k.value.T, 0)[:, : min(M, N)]
    p, value = rounded(s, "bf16"), v.value[: min(M, N)]
    t.close(o, p @ value + s.sum(-1, keepdims=True), terms=N + D, scale=np.abs(p) @ np.abs(value) + np.abs(s).sum(-1, keepdims=True))


# ----------------------------------------------------------------------------------------------------------------------
# Refused
# ----------------------------------------------------------------------------------------------------------------------

SCALED = LAYERS.replace("let xt = x[i, d];", "let xt = T(f32(x[i, d]) * 2);")
LOADED_TWICE = LAYERS.replace("acc = acc + dot(T(h), c[t, e], over t);", "acc = acc + dot(T(h * sum(f32(c[t, e]), over e)), c[t, e], over t);")


@sweep(text=[SCALED, LOADED_TWICE])
def other_loops_go_the_plain_way(t, text):
    M, N, D, E = 130, 200, 64, 64
    x, a, b, c = small(t, (M, D)), small(t, (N, D)), small(t, (N,), "f32"), small(t, (N, E))
    (y,) = run(t, t.file(text), "k", dict(T="bf16", D=D, E=E, BM=128, BN=64), roles=False, x=x, a=a, b=b, c=c, out=dict(y="bf16"))
    h = np.maximum((2 if text == SCALED else 1) * (x.value @ a.value.T) + b.value, 0)
    h = rounded(h if text == SCALED else h * c.value.sum(-1), "bf16")
    t.close(y, h @ c.value, terms=N, scale=np.abs(h) @ np.abs(c.value))


if __name__ == "__main__":
    main()
