"""The 36 kernels of kernels.tile (language reference, "Sixteen kernels") against NumPy: exact and odd sizes, every float dtype,
views in any order of memory. Run `kernels_test.py --help` for the options."""

import math

import numpy as np

from harness import ALL_FLOATS, FLOATS, array, main, rounded, sweep, test
from reference import (
    attend, gelu, identity, numeric, philox, product, relu, rounding_scale, sigmoid, silu, softmax, softplus, swiglu
)

# ----------------------------------------------------------------------------------------------------------------------
# Formulas, in f64
# ----------------------------------------------------------------------------------------------------------------------


ACTIVATIONS = {"identity": identity, "relu": relu, "gelu": gelu, "silu": silu, "softplus": softplus}
DERIVATIVES = {
    "identity": np.ones_like,
    "relu": lambda x: (x > 0).astype(float),
    "gelu": lambda x: numeric(gelu, x),
    "silu": lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
    "softplus": sigmoid,
}


def kept(seed, shape, p):
    """The elements that dropout keeps."""
    count = math.prod(shape)
    uniform = (philox(seed, np.arange(count)) >> np.uint64(8)).astype(np.float64) * 2.0**-24
    return uniform.reshape(shape) >= np.float32(p)


# ----------------------------------------------------------------------------------------------------------------------
# 1. add
# ----------------------------------------------------------------------------------------------------------------------


@sweep(shape=[(0,), (1,), (7,), (4096,), (100003,), (3, 5, 7), (2, 3, 2, 3, 5), (5, 0)], dtype=["f32", "bf16"])
def add(t, shape, dtype):
    a, b = t.normal(shape, dtype), t.normal(shape, dtype)
    (c,) = t.run("add", dict(T=dtype), a=a, b=b, out=dict(c=dtype))
    t.close(c, a.value + b.value, ulps=1)


@sweep(dtype=ALL_FLOATS)
def add_of_every_float(t, dtype):
    a, b = t.normal((1009,), dtype, 10), t.normal((1009,), dtype, 10)
    (c,) = t.run("add", dict(T=dtype), a=a, b=b, out=dict(c=dtype))
    t.same(c, rounded(np.float32(a.value) + np.float32(b.value), dtype))


@test
def add_of_views_in_other_orders(t):
    a, b = t.normal((37, 53), "f32"), t.normal((37, 53), "f32")
    want = a.value + b.value
    for left, right in [
        (a.fortran(), b), (a.fortran(), b.fortran()), (a.embedded((2, 3), (1, 4), (1, 1)), b.embedded((0, 1), (1, 0), (2, -3)))
    ]:
        (c,) = t.run("add", a=left, b=right, out=dict(c="f32"))
        t.same(c, rounded(want, "f32"))


@test
def add_into_a_part_of_an_array(t):
    """What lies around an output stays as it was."""
    a, b = t.normal((11, 13), "f32"), t.normal((11, 13), "f32")
    c = array(np.full((11, 13), -5.0), "f32").embedded((2, 3), (4, 1), (1, 2), fill=42)
    (got,) = t.run("add", a=a, b=b, c=c, out=dict(c="f32"))
    want = np.full(c.raw.shape, 42.0)
    want[c.view[0]] = rounded(a.value + b.value, "f32")
    t.same(got, want)


@test
def add_keeps_nan_and_infinities(t):
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 3e38]
    a, b = (array(v, "f32") for v in np.meshgrid(special, special))
    (c,) = t.run("add", a=a, b=b, out=dict(c="f32"))
    with np.errstate(all="ignore"):
        t.same(c, (a.raw + b.raw).astype(np.float64))


# ----------------------------------------------------------------------------------------------------------------------
# 2, 3. linear and its gradients
# ----------------------------------------------------------------------------------------------------------------------

SIZES = [(64, 96, 128), (1, 1, 1), (7, 9, 11), (67, 131, 77), (1, 257, 3), (0, 3, 4), (5, 0, 4), (5, 4, 0), (129, 65, 300)]


@sweep(size=SIZES, dtype=["f32", "bf16"])
def linear(t, size, dtype):
    M, N, K = size
    x, w, b, r = t.normal((M, K), dtype), t.normal((N, K), dtype), t.normal((N,), dtype), t.normal((M, N), dtype)
    y, z = t.run("linear", dict(T=dtype, act="gelu"), x=x, w=w, b=b, r=r, out=dict(y=dtype, z=dtype))
    want, scale = product(x.value, w.value)
    want, scale = want + b.value, scale + np.abs(b.value)
    t.close(z, want, terms=K, scale=scale)
    t.close(y, gelu(want) + r.value, terms=K, scale=1.2 * scale + np.abs(r.value), math=np.abs(want))


@sweep(dtype=ALL_FLOATS, act=list(ACTIVATIONS))
def linear_activations(t, dtype, act):
    x, w = t.normal((2, 3, 33), dtype), t.normal((20, 33), dtype, 0.3)
    (y,) = t.run("linear", dict(T=dtype, act=act), x=x, w=w, out=dict(y=dtype))
    want, scale = product(x.value.reshape(6, 33), w.value)
    want = want.reshape(2, 3, 20)
    t.close(y, ACTIVATIONS[act](want), terms=33, scale=1.2 * scale.reshape(2, 3, 20) + 0.7, math=np.abs(want) + 1)


@sweep(BM=[8, 33, 64], BN=[16, 48], BK=[1, 24, 128])
def linear_block_sizes(t, BM, BN, BK):
    """A block size changes the order of sums, nothing else."""
    x, w = t.normal((70, 90), "f32"), t.normal((50, 90), "f32")
    (y,) = t.run("linear", dict(BM=BM, BN=BN, BK=BK), x=x, w=w, out=dict(y="f32"))
    want, scale = product(x.value, w.value)
    t.close(y, want, terms=90, scale=scale)


@sweep(order=["xF", "wF", "yF", "all"])
def linear_of_transposed_views(t, order):
    x, w, y = t.normal((45, 67), "f32"), t.normal((29, 67), "f32"), t.normal((45, 29), "f32")
    want, scale = product(x.value, w.value)
    x, w, y = (v.fortran() if order in (n + "F", "all") else v for n, v in dict(x=x, w=w, y=y).items())
    (got,) = t.run("linear", x=x, w=w, y=y, out=dict(y="f32"))
    t.close(got, want, terms=67, scale=scale)


@test
def linear_of_rows_that_do_not_merge(t):
    """M... stands for dimensions whose strides do not merge."""
    x = t.normal((3, 4, 5, 17), "f32")
    w = t.normal((9, 17), "f32")
    want, scale = product(x.value.reshape(60, 17), w.value)
    for view in [x.transposed((2, 0, 1, 3)), x.embedded((0, 1, 0, 0), (0, 2, 1, 3), (1, 1, 1, 1)), x.transposed((3, 1, 0, 2))]:
        (y,) = t.run("linear", x=view, w=w, out=dict(y="f32"))
        t.close(y, want.reshape(3, 4, 5, 9), terms=17, scale=scale.reshape(3, 4, 5, 9))


@test
def linear_reference_schedule(t):
    x, w = t.normal((33, 65), "f32"), t.normal((17, 65), "f32")
    (y,) = t.run("linear", x=x, w=w, out=dict(y="f32"), options=["--schedule", "reference"])
    want, scale = product(x.value, w.value)
    t.close(y, want, scale=scale)


@test
def linear_gives_the_same_bits_again(t):
    x, w = t.normal((130, 300), "f32"), t.normal((70, 300), "f32")
    (one,) = t.run("linear", x=x, w=w, out=dict(y="f32"), options=["--threads", "1"])
    for threads in ["2", "2"]:
        (two,) = t.run("linear", x=x, w=w, out=dict(y="f32"), options=["--threads", threads])
        t.same(two, one.value)


@sweep(act=["relu", "gelu", "silu", "softplus"], dtype=["f32", "bf16"], M=[0, 13, 200])
def linear_dz(t, act, dtype, M):
    N = 37
    dy, z = t.normal((M, N), dtype), t.normal((M, N), dtype)
    dz, db = t.run("linear_dz", dict(T=dtype, act=act), dy=dy, z=z, out=dict(dz=dtype, db=dtype))
    want = dy.value * DERIVATIVES[act](z.value)
    math = np.abs(dy.value) * (4 + z.value**4)  # this file's gelu: 1 - tanh², times the cube's slope
    t.close(dz, want, ulps=16, scale=np.abs(dy.value), math=math)
    t.close(db, want.sum(0), terms=M, scale=np.abs(dy.value).sum(0), ulps=16, math=math.sum(0))


@test
def linear_dz_without_db(t):
    dy, z = t.normal((4, 5, 6), "f32"), t.normal((4, 5, 6), "f32")
    (dz,) = t.run("linear_dz", dict(act="relu"), dy=dy, z=z, out=dict(dz="f32"))
    t.same(dz, dy.value * (z.value > 0))


@sweep(dtype=FLOATS, size=[(13, 9, 7), (65, 130, 33), (4, 0, 3)])
def linear_dx(t, dtype, size):
    M, N, K = size
    dy, z, w = t.normal((M, N), dtype), t.normal((M, N), dtype), t.normal((N, K), dtype)
    (dx,) = t.run("linear_dx", dict(T=dtype, act="gelu"), dy=dy, z=z, w=w, out=dict(dx=dtype))
    dz = dy.value * DERIVATIVES["gelu"](z.value)
    t.close(dx, dz @ w.value, terms=N, scale=rounding_scale(dtype) * np.abs(dz) @ np.abs(w.value), ulps=8)


@sweep(dtype=["f32", "bf16"], G=["f32", "bf16"], accumulate=[False, True])
def linear_dw(t, dtype, G, accumulate):
    M, N, K = 150, 19, 23
    dy, z, x = t.normal((M, N), dtype), t.normal((M, N), dtype), t.normal((M, K), dtype)
    old = t.normal((N, K), G)
    (dw,) = t.run("linear_dw", dict(T=dtype, G=G, act="gelu", accumulate=accumulate), dy=dy, z=z, x=x, dw=old, out=dict(dw=G))
    dz = dy.value * DERIVATIVES["gelu"](z.value)
    want = dz.T @ x.value + (old.value if accumulate else 0)
    t.close(dw, want, terms=M, scale=rounding_scale(dtype) * np.abs(dz).T @ np.abs(x.value) + np.abs(old.value), ulps=8)


# ----------------------------------------------------------------------------------------------------------------------
# 4, 5, 6. softmax and norms
# ----------------------------------------------------------------------------------------------------------------------


@sweep(shape=[(1, 1), (3, 5, 11), (7, 1000), (64, 64), (2, 4099), (0, 5)], dtype=FLOATS)
def softmax_rows(t, shape, dtype):
    x = t.normal(shape, dtype, 3)
    (y,) = t.run("softmax_rows", dict(T=dtype), x=x, out=dict(y=dtype))
    t.close(y, softmax(x.value), ulps=64)


@test
def softmax_rows_with_infinities_and_nan(t):
    """-inf has weight 0; a row with NaN or +inf is NaN throughout, and no other row is."""
    x = t.normal((5, 70), "f32").value
    x[0, 3], x[1, 69], x[2, 5:69], x[3, 0] = -np.inf, np.nan, -np.inf, np.inf
    x = array(x, "f32")
    (y,) = t.run("softmax_rows", dict(BN=32), x=x, out=dict(y="f32"))
    t.close(y, softmax(x.value), ulps=64)


@sweep(size=[(7, 10), (1, 1), (33, 64), (5, 100), (0, 4)], dtype=FLOATS)
def layer_norm(t, size, dtype):
    M, D = size
    x, g, b = t.normal((M, D), dtype), t.normal((D,), dtype), t.normal((D,), dtype)
    y, mu, rs = t.run("layer_norm", dict(T=dtype), x=x, g=g, b=b, out=dict(y=dtype, mu="f32", rs="f32"))
    mean = x.value.mean(1, keepdims=True)
    rstd = 1 / np.sqrt(x.value.var(1, keepdims=True) + 1e-5)
    size = np.abs(x.value).max(initial=1)
    t.close(mu, mean[:, 0], scale=size, ulps=8)
    t.close(rs, rstd[:, 0], ulps=64)
    t.close(
        y, (x.value - mean) * rstd * g.value + b.value, scale=rstd * (size + np.abs(mean)) * np.abs(g.value) + np.abs(b.value),
        ulps=64
    )


@test
def layer_norm_without_the_optional_views(t):
    x, g = t.normal((3, 4, 10), "f32"), t.normal((10,), "f32")
    (y,) = t.run("layer_norm", x=x, g=g, eps=0.25, out=dict(y="f32"))
    c = x.value - x.value.mean(-1, keepdims=True)
    t.close(y, c / np.sqrt((c * c).mean(-1, keepdims=True) + 0.25) * g.value, scale=4, ulps=16)


@sweep(size=[(7, 10), (200, 33), (0, 8)], dtype=["f32", "bf16"])
def layer_norm_backward(t, size, dtype):
    M, D = size
    dy, x, g = t.normal((M, D), dtype), t.normal((M, D), dtype), t.normal((D,), dtype)
    mu = array(x.value.mean(1), "f32")
    rs = array(1 / np.sqrt(x.value.var(1) + 1e-5), "f32")
    dx, dg, db = t.run(
        "layer_norm_backward", dict(T=dtype), dy=dy, x=x, g=g, mu=mu, rs=rs, out=dict(dx=dtype, dg="f32", db="f32")
    )
    h = (x.value - mu.value[:, None]) * rs.value[:, None]
    a = dy.value * g.value
    want = (a - a.mean(1, keepdims=True) - h * (a * h).mean(1, keepdims=True)) * rs.value[:, None]
    scale = (np.abs(a) + np.abs(a).mean(1, keepdims=True) * (1 + np.abs(h) * np.abs(h).max(initial=1))) * rs.value[:, None]
    t.close(dx, want, scale=scale, ulps=32)
    t.close(dg, (dy.value * h).sum(0), terms=M, scale=np.abs(dy.value * h).sum(0) + 1, ulps=16)
    t.close(db, dy.value.sum(0), terms=M, scale=np.abs(dy.value).sum(0), ulps=8)


@sweep(size=[(7, 9, 11), (33, 50, 130), (1, 1, 1)], dtype=FLOATS)
def rms_linear(t, size, dtype):
    M, N, K = size
    x, g, w = t.normal((M, K), dtype), t.normal((K,), dtype), t.normal((N, K), dtype)
    (y,) = t.run("rms_linear", dict(T=dtype, act="silu"), x=x, g=g, w=w, out=dict(y=dtype))
    scale = 1 / np.sqrt((x.value**2).mean(1, keepdims=True) + 1e-5)
    a = x.value * g.value
    want = silu((rounded(a, dtype) @ w.value.T) * scale)
    # A product that lies halfway between two numbers of T may be rounded either way.
    t.close(y, want, terms=K, scale=rounding_scale(dtype) * 1.2 * (np.abs(a) @ np.abs(w.value).T) * scale, ulps=8)


# ----------------------------------------------------------------------------------------------------------------------
# 7. qkv
# ----------------------------------------------------------------------------------------------------------------------


@sweep(heads=[(4, 2), (3, 1), (2, 2)], BH=[1, 2, 4], dtype=["f32", "bf16"])
def qkv(t, heads, BH, dtype):
    B, C, H, W, D = 2, 19, 3, 5, 6
    (HQ, HK), S = heads, H * W
    x, w = t.normal((B, C, H, W, 1), dtype), t.normal(((HQ + 2 * HK) * D, C), dtype)
    gq, gk = t.normal((D,), dtype), t.normal((D,), dtype)
    angle = t.random.standard_normal((S, D // 2))
    co, si = array(np.cos(angle), "f32"), array(np.sin(angle), "f32")
    q, k, v = t.run(
        "qkv", dict(T=dtype, BH=BH), x=x, w=w, gq=gq, gk=gk, co=co, si=si, dims=dict(HQ=HQ, HK=HK), out=dict(
            q=dtype, k=dtype, v=dtype
        )
    )
    y = np.einsum("bcs,oc->bos", x.value.reshape(B, C, S), w.value).reshape(B, HQ + 2 * HK, D, S).transpose(0, 1, 3, 2)
    size = np.abs(y).max()

    def turned(part, g):
        part = part / np.sqrt((part * part).mean(-1, keepdims=True) + 1e-5) * g
        low, high = part[..., : D // 2], part[..., D // 2 :]
        return np.concatenate([low * co.value - high * si.value, high * co.value + low * si.value], -1)

    t.close(q, turned(y[:, :HQ], gq.value), terms=C, scale=8 * np.abs(gq.value).max(), ulps=16)
    t.close(k, turned(y[:, HQ : HQ + HK], gk.value), terms=C, scale=8 * np.abs(gk.value).max(), ulps=16)
    t.close(v, y[:, HQ + HK :], terms=C, scale=2 * size)


# ----------------------------------------------------------------------------------------------------------------------
# 8. gated
# ----------------------------------------------------------------------------------------------------------------------


@sweep(size=[(7, 6, 5), (40, 70, 33)], dtype=FLOATS, bias=[False, True])
def gated_linear(t, size, dtype, bias):
    M, F, K = size
    x, w = t.normal((M, K), dtype), t.normal((2 * F, K), dtype)
    b = t.normal((2 * F,), dtype) if bias else None
    y, z = t.run("gated_linear", dict(T=dtype, gate="swiglu"), x=x, w=w, b=b, dims=dict(F=F), out=dict(y=dtype, z=dtype))
    want, scale = product(x.value, w.value)
    if bias:
        want, scale = want + b.value, scale + np.abs(b.value)
    t.close(z, want, terms=K, scale=scale)
    t.close(
        y, swiglu(want[:, :F], want[:, F:]), terms=K,
        scale=2 * (scale[:, :F] * np.abs(want[:, F:]) + scale[:, F:] * np.abs(want[:, :F]))
    )


@sweep(dtype=FLOATS)
def gated_dz(t, dtype):
    M, F = 9, 23
    dy, z = t.normal((M, F), dtype), t.normal((M, 2 * F), dtype)
    (dz,) = t.run("gated_dz", dict(T=dtype, gate="swiglu"), dy=dy, z=z, out=dict(dz=dtype))
    g, u = z.value[:, :F], z.value[:, F:]
    want = np.concatenate([dy.value * u * sigmoid(g) * (1 + g * (1 - sigmoid(g))), dy.value * silu(g)], 1)
    t.close(dz, want, ulps=16, scale=np.abs(np.concatenate([dy.value * u, dy.value * g], 1)))


# ----------------------------------------------------------------------------------------------------------------------
# 9. attention
# ----------------------------------------------------------------------------------------------------------------------


@sweep(
    variant=[
        # causal, window, SQ, SK, lengths
        (False, 0, 9, 9, None),
        (False, 0, 70, 130, None),
        (True, 0, 65, 65, None),
        (True, 3, 9, 9, None),
        (True, 40, 33, 90, [90, 35, 0]),
        (True, 3, 5, 9, [9, 2, 0]),
        (False, 0, 5, 9, [9, 4, 0]),
        (True, 0, 1, 200, [200, 4, 1]),
    ],
    dtype=["f32", "bf16"],
)
def attention(t, variant, dtype):
    causal, window, SQ, SK, lengths = variant
    B, HQ, HK, D = 3, 6, 2, 16
    q, k, v = t.normal((B, HQ, SQ, D), dtype), t.normal((B, HK, SK, D), dtype), t.normal((B, HK, SK, D), dtype)
    length = array(lengths, "i32") if lengths is not None else None
    if lengths is not None:
        # The rows of a cache that nobody wrote hold anything.
        for b in range(B):
            for cache in (k, v):
                cache.raw[b, :, lengths[b] :] = array(np.nan, dtype).raw
    o, lse = t.run(
        "attention", dict(
            T=dtype, causal=causal, window=window
        ), q=q, k=k, v=v, len=length, scale=0.3, out=dict(o=dtype, lse="f32")
    )
    want, want_lse = attend(q.value, k.value, v.value, 0.3, causal, window, lengths)
    # p is rounded to T before its product; each of its elements is at most 1, their sum divides the result.
    t.close(o, want, scale=rounding_scale(dtype) * 4, ulps=4 if dtype != "f32" else 16)
    t.close(lse, want_lse, scale=8, ulps=16)


@sweep(HQ=[1, 8], HK=[1])
def attention_without_lse(t, HQ, HK):
    q, k, v = t.normal((2, HQ, 17, 8), "f32"), t.normal((2, HK, 31, 8), "f32"), t.normal((2, HK, 31, 8), "f32")
    (o,) = t.run("attention", q=q, k=k, v=v, scale=0.5, out=dict(o="f32"))
    t.close(o, attend(q.value, k.value, v.value, 0.5, False, 0, None)[0], scale=4, ulps=16)


@test
def attention_needs_whole_groups_of_heads(t):
    q, k = t.normal((1, 3, 4, 8), "f32"), t.normal((1, 2, 4, 8), "f32")
    t.fails("attention", q=q, k=k, v=k, scale=1.0, out=dict(o="f32"), expect="HQ % HK == 0")


# ----------------------------------------------------------------------------------------------------------------------
# 10, 11. convolutions
# ----------------------------------------------------------------------------------------------------------------------


@sweep(size=[(2, 5, 7, 4), (1, 1, 1, 1), (1, 33, 17, 19)], filter=[(3, 3), (1, 1), (5, 3)], dtype=["f32", "bf16"])
def depthwise(t, size, filter, dtype):
    N, H, W, C = size
    R, Q = filter
    x, f = t.normal(size, dtype), t.normal((R, Q, C), dtype)
    (y,) = t.run("depthwise", dict(T=dtype), x=x, f=f, out=dict(y=dtype))
    padded = np.pad(x.value, ((0, 0), (R // 2, R - R // 2), (Q // 2, Q - Q // 2), (0, 0)))
    terms = [padded[:, r : r + H, q : q + W] * f.value[r, q] for r in range(R) for q in range(Q)]
    t.close(y, sum(terms), terms=R * Q, scale=sum(map(np.abs, terms)))


@sweep(step=[(1, 1), (2, 1), (1, 0), (2, 0), (3, 2)], dtype=["f32", "bf16"], size=[(2, 7, 6, 5, 6), (1, 20, 13, 17, 33)])
def conv2d(t, step, dtype, size):
    (stride, pad), (N, H, W, C, K), R, S = step, size, 3, 3
    x, f, b = t.normal((N, H, W, C), dtype), t.normal((K, R, S, C), dtype), t.normal((K,), dtype)
    (y,) = t.run("conv2d", dict(T=dtype, act="relu", stride=stride, pad=pad), x=x, f=f, b=b, out=dict(y=dtype))
    P, Q = (H + 2 * pad - R) // stride + 1, (W + 2 * pad - S) // stride + 1
    padded = np.pad(x.value, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    want, scale = np.zeros((N, P, Q, K)) + b.value, np.zeros((N, P, Q, K)) + np.abs(b.value)
    for r in range(R):
        for s in range(S):
            part = padded[:, r : r + stride * P : stride, s : s + stride * Q : stride][:, :P, :Q]
            want += part @ f.value[:, r, s].T
            scale += np.abs(part) @ np.abs(f.value[:, r, s]).T
    t.close(y, np.maximum(want, 0), terms=R * S * C, scale=scale)


# ----------------------------------------------------------------------------------------------------------------------
# 12, 13. experts
# ----------------------------------------------------------------------------------------------------------------------


@sweep(first=[(0, 3, 3, 9, 13), (0, 0, 0, 0, 0), (0, 100, 101, 101, 230), (0, 7, 7, 7, 7)], dtype=["f32", "bf16"])
def grouped_linear(t, first, dtype):
    E, M, N, K = 4, first[-1], 35, 21
    x, w = t.normal((M, K), dtype), t.normal((E, N, K), dtype)
    (y,) = t.run("grouped_linear", dict(T=dtype, act="relu"), x=x, w=w, first=array(first, "i32"), out=dict(y=dtype))
    want, scale = np.zeros((M, N)), np.zeros((M, N))
    for e in range(E):
        rows = slice(first[e], first[e + 1])
        want[rows], scale[rows] = product(x.value[rows], w.value[e])
    t.close(y, np.maximum(want, 0), terms=K, scale=scale)


@sweep(size=[(13, 4, 6), (257, 9, 70), (1, 1, 1)], dtype=["f32", "bf16"])
def experts_from_route_to_collect(t, size, dtype):
    M, E, D = size
    scores, x = t.normal((M, E), dtype), t.normal((M, D), dtype)
    expert, weight, count = t.run("route", dict(T=dtype), x=scores, out=dict(expert="i32", weight="f32", count="i32"))
    t.same(expert, scores.value.argmax(1))
    t.close(weight, softmax(scores.value).max(1), ulps=16)
    t.same(count, np.bincount(scores.value.argmax(1), minlength=E))

    (first,) = t.run("starts", count=count, out=dict(first="i32"))
    t.same(first, np.concatenate([[0], np.cumsum(count.value)]))

    fill, xs, slot = t.run(
        "dispatch", dict(T=dtype), x=x, expert=expert, first=first, fill=array(np.zeros(E), "i32"), out=dict(
            fill="i32", xs=dtype, slot="i32"
        )
    )
    t.same(fill, count.value)
    t.same(np.sort(slot.value), np.arange(M), what="slot, sorted")
    t.same(xs.value[slot.value], x.value, what="xs[slot]")
    for e in range(E):
        inside = (slot.value >= first.value[e]) & (slot.value < first.value[e + 1])
        t.same(inside, expert.value == e, what=f"slots of expert {e}")

    (y,) = t.run("collect", dict(T=dtype), ys=xs, slot=slot, weight=weight, out=dict(y=dtype))
    t.close(y, weight.value[:, None] * x.value, ulps=1)


@test
def starts_of_no_expert(t):
    (first,) = t.run("starts", count=array(np.array([5]), "i32"), out=dict(first="i32"))
    t.same(first, [0, 5])


# ----------------------------------------------------------------------------------------------------------------------
# 14. scaled products
# ----------------------------------------------------------------------------------------------------------------------


@sweep(size=[(6, 9, 11), (65, 33, 400), (1, 1, 0)], dtype=["f32", "bf16"])
def linear_i8(t, size, dtype):
    M, N, K = size
    x, w = t.integers((M, K), "i8", -128, 128), t.integers((N, K), "i8", -128, 128)
    sx, sw = t.normal((M,), "f32", 0.01), t.normal((N,), "f32", 0.01)
    (y,) = t.run("linear_i8", dict(O=dtype), x=x, w=w, sx=sx, sw=sw, out=dict(y=dtype))
    t.close(y, (x.value @ w.value.T) * sx.value[:, None] * sw.value)


@sweep(size=[(3, 150, 300), (20, 128, 128), (1, 1, 1), (5, 129, 257)], F=["f8e4m3", "f8e5m2"], dtype=["f32", "f16"])
def linear_f8(t, size, F, dtype):
    M, N, K = size
    blocks = lambda n: -(-n // 128)
    x, w = t.normal((M, K), F), t.normal((N, K), F)
    sx, sw = t.normal((M, blocks(K)), "f32"), t.normal((blocks(N), blocks(K)), "f32")
    (y,) = t.run("linear_f8", dict(F=F, O=dtype), x=x, w=w, sx=sx, sw=sw, out=dict(y=dtype))
    scaled_x = x.value * np.repeat(sx.value, 128, 1)[:, :K]
    scaled_w = w.value * np.repeat(np.repeat(sw.value, 128, 0)[:N], 128, 1)[:, :K]
    want, scale = product(scaled_x, scaled_w)
    t.close(y, want, terms=K, scale=scale)


# ----------------------------------------------------------------------------------------------------------------------
# 15. dropout
# ----------------------------------------------------------------------------------------------------------------------


@sweep(size=[(5, 6, 7), (70, 33, 40)], seed=[42, -1, 2**40 + 5], dtype=["f32", "bf16"])
def linear_dropout(t, size, seed, dtype):
    M, N, K = size
    x, w, dy = t.normal((M, K), dtype), t.normal((N, K), dtype), t.normal((M, N), dtype)
    y, z = t.run("linear_dropout", dict(T=dtype, act="gelu"), x=x, w=w, p=0.4, seed=seed, out=dict(y=dtype, z=dtype))
    keep = kept(seed % 2**64, (M, N), 0.4)
    want, scale = product(x.value, w.value)
    t.close(z, want, terms=K, scale=scale)
    t.close(y, np.where(keep, gelu(want) / 0.6, 0), terms=K, scale=2 * scale, math=2 * np.abs(want))

    (dz,) = t.run("linear_dropout_dz", dict(T=dtype, act="gelu"), dy=dy, z=z, p=0.4, seed=seed, out=dict(dz=dtype))
    math = np.abs(dy.value) * (4 + z.value**4)  # as in linear_dz
    t.close(dz, np.where(keep, dy.value * DERIVATIVES["gelu"](z.value) / 0.6, 0), ulps=16, scale=2 * np.abs(dy.value), math=math)


# ----------------------------------------------------------------------------------------------------------------------
# 16. along rows longer than a tile
# ----------------------------------------------------------------------------------------------------------------------


@sweep(shape=[(3, 13), (2, 5, 500), (1, 1), (4, 2049)], dtype=FLOATS)
def cumulative_sum(t, shape, dtype):
    x = t.normal(shape, dtype)
    (y,) = t.run("cumulative_sum", dict(T=dtype), x=x, out=dict(y="f32"))
    t.close(y, np.cumsum(x.value, -1), terms=shape[-1], scale=np.cumsum(np.abs(x.value), -1))


@sweep(shape=[(3, 13), (5, 300), (1, 1)], BN=[4, 64])
def segmented_sum(t, shape, BN):
    x, head = t.normal(shape, "f32"), t.flags(shape, 0.2)
    (y,) = t.run("segmented_sum", dict(BN=BN), x=x, head=head, out=dict(y="f32"))
    want = np.zeros(shape)
    for row in range(shape[0]):
        carry = 0
        for n in range(shape[1]):
            carry = x.value[row, n] if head.value[row, n] else carry + x.value[row, n]
            want[row, n] = carry
    t.close(y, want, terms=shape[1], scale=np.cumsum(np.abs(x.value), 1))


@sweep(shape=[(3, 13), (2, 2, 500), (1, 1)], dtype=FLOATS)
def cumulative_logsumexp(t, shape, dtype):
    x = t.normal(shape, dtype, 3)
    (y,) = t.run("cumulative_logsumexp", dict(T=dtype), x=x, out=dict(y=dtype))
    t.close(y, np.logaddexp.accumulate(x.value, -1), scale=np.abs(x.value).max() + 8, terms=shape[-1])


@test
def cumulative_logsumexp_from_minus_infinity(t):
    x = t.normal((2, 40), "f32").value
    x[0, :20] = -np.inf
    x = array(x, "f32")
    (y,) = t.run("cumulative_logsumexp", dict(BN=8), x=x, out=dict(y="f32"))
    with np.errstate(invalid="ignore"):
        t.close(y, np.logaddexp.accumulate(x.value, -1), scale=8, terms=40)


@sweep(shape=[(3, 13), (2, 5, 1000), (1, 1), (0, 7)], dtype=ALL_FLOATS)
def argmax_rows(t, shape, dtype):
    """Narrow floats have many ties: the first is taken."""
    x = t.normal(shape, dtype)
    (at,) = t.run("argmax_rows", dict(T=dtype), x=x, out=dict(at="i64"))
    t.same(at, x.value.argmax(-1))


if __name__ == "__main__":
    main("kernels.tile")
