"""The ready kernels, runtime/kernels/*.tile, against NumPy: odd shapes, every 16-bit and 32-bit float, optional parameters absent and
present, views in any order of memory, outputs that start as NaN. Gradients are compared with formulas, and the formulas with central
differences in f64. Run with --help for the options."""

import itertools
import os

import numpy as np

import reference
from harness import FLOATS, READY_KERNELS, array, main, sweep, test
from reference import attend, gradient, numeric, product, rounding_scale, softmax

# name → where its derivative jumps
ACTIVATIONS = {
    "identity": [], "relu": [0], "leaky_relu": [0], "squared_relu": [], "gelu": [], "gelu_erf": [], "silu": [], "sigmoid": [],
    "tanh": [], "softplus": [], "smelu": [], "hard_swish": [-3, 3], "mish": [],
}  # fmt: skip
GATES = ["swiglu", "geglu", "reglu"]
LAYOUTS = ["rows", "columns", "part", "backwards"]


def source(name):
    return os.path.join(READY_KERNELS, name + ".tile")


def activation(name):
    return np.tanh if name == "tanh" else getattr(reference, name)


def laid_out(layout, *values):
    """The same values in another order of memory."""
    part = lambda v, steps: v.embedded((1,) * v.raw.ndim, (2,) * v.raw.ndim, steps(v.raw.ndim))
    order = {
        "rows": lambda v: v,
        "columns": lambda v: v.fortran(),
        "part": lambda v: part(v, lambda rank: (1,) * (rank - 1) + (2,)),
        "backwards": lambda v: part(v, lambda rank: (-1,) * rank),
    }[layout]
    return [order(v) for v in values]


def agrees(t, formula, differences, what):
    """A formula that is wrong would let a wrong kernel pass."""
    t.same(np.abs(formula - differences) <= 1e-6 * (1 + np.abs(differences)), np.ones(formula.shape, bool), what=what)


def optional(names):
    """Every choice of some of the names."""
    return [choice for n in range(len(names) + 1) for choice in itertools.combinations(names, n)]


# ----------------------------------------------------------------------------------------------------------------------
# linear.tile
# ----------------------------------------------------------------------------------------------------------------------

SIZES = [(1, 1, 1), (7, 9, 11), (67, 131, 77), (1, 257, 3), (0, 3, 4), (5, 0, 4), (5, 4, 0), (129, 33, 300)]


def check_linear(t, dtype, shape, N, given, act="gelu", layout="rows"):
    K = shape[-1]
    x, w = t.normal(shape, dtype), t.normal((N, K), dtype)
    b, r = t.normal((N,), dtype), t.normal(shape[:-1] + (N,), dtype)
    want, scale = product(x.value.reshape(-1, K), w.value) if K else (np.zeros((int(np.prod(shape[:-1])), N)),) * 2
    want, scale = want.reshape(r.shape), scale.reshape(r.shape)
    if "b" in given:
        want, scale = want + b.value, scale + np.abs(b.value)
    residual = r.value if "r" in given else np.zeros(r.shape)
    x, w, r = laid_out(layout, x, w, r)
    results = t.run(
        "linear", dict(T=dtype, act=act), source=source("linear"), x=x, w=w, b=b if "b" in given else None,
        r=r if "r" in given else None, out=dict(y=dtype, **(dict(z=dtype) if "z" in given else {}))
    )
    math = np.abs(want) + 1
    t.close(results[0], activation(act)(want) + residual, terms=K, scale=1.2 * scale + np.abs(residual) + 0.7, math=math)
    if "z" in given:
        t.close(results[1], want, terms=K, scale=scale)


@sweep(size=SIZES, dtype=FLOATS)
def linear(t, size, dtype):
    M, N, K = size
    check_linear(t, dtype, (M, K), N, "brz")


@sweep(given=optional("brz"))
def linear_with_some_of_its_parameters(t, given):
    check_linear(t, "f32", (2, 5, 3, 21), 19, given)


@sweep(layout=LAYOUTS, dtype=["f32", "bf16"])
def linear_of_other_layouts(t, layout, dtype):
    check_linear(t, dtype, (3, 15, 37), 29, "br", act="identity", layout=layout)


def away_from_kinks(x, name):
    """x, where nothing is near a jump of the derivative."""
    for kink in ACTIVATIONS[name]:
        x = np.where(np.abs(x - kink) < 1e-2, kink + 0.5, x)
    return x


@sweep(name=list(ACTIVATIONS), dtype=["f32", "bf16"])
def every_activation_in_a_layer_and_its_gradient(t, name, dtype):
    check_linear(t, dtype, (13, 17), 11, "b", act=name)
    M, N, act = 37, 21, activation(name)
    dy, z = t.normal((M, N), dtype), array(away_from_kinks(t.random.standard_normal((M, N)) * 2, name), dtype)
    dz, db = t.run("linear_dz", dict(T=dtype, act=name), source=source("linear"), dy=dy, z=z, out=dict(dz=dtype, db=dtype))
    want = dy.value * numeric(act, z.value)
    math = 10 * np.abs(dy.value)  # mish: x · (1 - tanh²), in which an error of tanh counts twice
    t.close(dz, want, ulps=64, scale=np.abs(dy.value), math=math)
    t.close(db, want.sum(0), terms=M, ulps=64, scale=np.abs(dy.value).sum(0), math=math.sum(0))


@sweep(name=list(ACTIVATIONS))
def activations_and_derivatives_far_out(t, name):
    """Nothing overflows on the way to a finite result."""
    z = np.array([[-1e30, -1e18, -1e4, -300, -110, 110, 300, 1e4, 1e18, 1e30]])
    ones = array(np.ones(z.shape), "f32")
    (dz,) = t.run("linear_dz", dict(act=name), source=source("linear"), dy=ones, z=array(z, "f32"), out=dict(dz="f32"))
    slope = {"leaky_relu": (0.01, 1), "identity": (1, 1), "sigmoid": (0, 0), "tanh": (0, 0)}.get(name, (0, 1))
    want = np.where(z < 0, *slope) if name != "squared_relu" else np.where(z < 0, 0, 2 * z)
    t.close(dz, want, scale=np.abs(want) + 1e-6)
    (y,) = t.run(
        "linear", dict(act=name), source=source("linear"), x=array(z.reshape(-1, 1), "f32"), w=array([[1.0]], "f32"),
        out=dict(y="f32")
    )
    limit = {"sigmoid": (0 * z, 1 + 0 * z), "tanh": (-1 + 0 * z, 1 + 0 * z), "identity": (z, z), "leaky_relu": (0.01 * z, z)}
    below, above = limit.get(name, (0 * z, z * z if name == "squared_relu" else z))
    want = np.where(z < 0, below, above).reshape(-1, 1)
    want = np.where(want > 3.5e38, np.inf, want)
    t.close(y, want, scale=np.abs(want) + 1e-6)


@sweep(M=[0, 1, 13, 200], dtype=FLOATS)
def linear_dz(t, M, dtype):
    N = 37
    dy, z = t.normal((M, N), dtype), t.normal((M, N), dtype)
    want = dy.value * numeric(reference.gelu, z.value)
    bind = dict(T=dtype, act="gelu")
    dz, db = t.run("linear_dz", bind, source=source("linear"), dy=dy, z=z, out=dict(dz=dtype, db=dtype))
    t.close(dz, want, ulps=16, scale=np.abs(dy.value), math=np.abs(dy.value) / 4)
    t.close(db, want.sum(0), terms=M, scale=np.abs(dy.value).sum(0), ulps=16, math=np.abs(dy.value).sum(0) / 4)
    (dz,) = t.run("linear_dz", bind, source=source("linear"), dy=dy, z=z, out=dict(dz=dtype))
    t.close(dz, want, ulps=16, scale=np.abs(dy.value), math=np.abs(dy.value) / 4)


def check_linear_dx(t, size, dtype, layout="rows"):
    M, N, K = size
    dy, z, w = t.normal((M, N), dtype), t.normal((M, N), dtype), t.normal((N, K), dtype)
    dz = dy.value * numeric(reference.gelu, z.value)
    want, scale = dz @ w.value, rounding_scale(dtype) * np.abs(dz) @ np.abs(w.value)
    dy, z, w = laid_out(layout, dy, z, w)
    (dx,) = t.run("linear_dx", dict(T=dtype, act="gelu"), source=source("linear"), dy=dy, z=z, w=w, out=dict(dx=dtype))
    t.close(dx, want, terms=N, scale=scale, ulps=8)


@sweep(size=[(13, 9, 7), (65, 130, 33), (4, 0, 3), (0, 5, 3), (1, 1, 1)], dtype=FLOATS)
def linear_dx(t, size, dtype):
    check_linear_dx(t, size, dtype)


@sweep(layout=LAYOUTS)
def linear_dx_of_other_layouts(t, layout):
    check_linear_dx(t, (13, 29, 21), "f32", layout)


def check_linear_dw(t, dtype, G, accumulate, M):
    N, K = 19, 23
    dy, z, x, old = t.normal((M, N), dtype), t.normal((M, N), dtype), t.normal((M, K), dtype), t.normal((N, K), G)
    bind = dict(T=dtype, G=G, act="silu", accumulate=accumulate)
    (dw,) = t.run("linear_dw", bind, source=source("linear"), dy=dy, z=z, x=x, dw=old, out=dict(dw=G))
    dz = dy.value * numeric(reference.silu, z.value)
    want = dz.T @ x.value + (old.value if accumulate else 0)
    t.close(dw, want, terms=M, scale=rounding_scale(dtype) * np.abs(dz).T @ np.abs(x.value) + np.abs(old.value), ulps=8)


@sweep(dtype=FLOATS, G=FLOATS)
def linear_dw(t, dtype, G):
    check_linear_dw(t, dtype, G, False, 150)


@sweep(accumulate=[False, True], M=[0, 1, 150], dtype=["f32", "bf16"])
def linear_dw_with_and_without_what_was_there(t, accumulate, M, dtype):
    check_linear_dw(t, dtype, "f32", accumulate, M)


@test
def the_gradients_of_a_layer_are_those_of_its_loss(t):
    """From x to dx, dw and db by the kernels one after another, against central differences of the layer itself."""
    M, N, K = 5, 7, 6
    x, w, b, dy = t.normal((M, K), "f32"), t.normal((N, K), "f32"), t.normal((N,), "f32"), t.normal((M, N), "f32")
    bind, run = dict(act="mish"), lambda *a, **k: t.run(*a, source=source("linear"), **k)
    _, z = run("linear", bind, x=x, w=w, b=b, out=dict(y="f32", z="f32"))
    _, db = run("linear_dz", bind, dy=dy, z=z, out=dict(dz="f32", db="f32"))
    (dx,) = run("linear_dx", bind, dy=dy, z=z, w=w, out=dict(dx="f32"))
    (dw,) = run("linear_dw", bind, dy=dy, z=z, x=x, dw=array(np.zeros((N, K)), "f32"), out=dict(dw="f32"))
    layer = lambda x, w, b: reference.mish(x @ w.T + b)
    X, W, B, DY = x.value, w.value, b.value, dy.value
    t.close(dx, gradient(lambda v: layer(v, W, B), X, DY), scale=10, ulps=16)
    t.close(dw, gradient(lambda v: layer(X, v, B), W, DY), scale=10, ulps=16)
    t.close(db, gradient(lambda v: layer(X, W, v), B, DY), scale=10, ulps=16)


def check_gated_linear(t, size, dtype, given):
    M, F, K = size
    x, w, b = t.normal((M, K), dtype), t.normal((2 * F, K), dtype), t.normal((2 * F,), dtype)
    results = t.run(
        "gated_linear", dict(T=dtype), source=source("linear"), x=x, w=w, b=b if "b" in given else None, dims=dict(F=F),
        out=dict(y=dtype, **(dict(z=dtype) if "z" in given else {}))
    )
    want, scale = product(x.value, w.value)
    if "b" in given:
        want, scale = want + b.value, scale + np.abs(b.value)
    size = scale[:, :F] * (np.abs(want[:, F:]) + 1) + scale[:, F:] * (np.abs(want[:, :F]) + 1)
    t.close(results[0], reference.swiglu(want[:, :F], want[:, F:]), terms=K, scale=2 * size)
    if "z" in given:
        t.close(results[1], want, terms=K, scale=scale)


@sweep(size=[(7, 6, 5), (40, 70, 33), (0, 3, 4), (1, 1, 1)], dtype=FLOATS)
def gated_linear(t, size, dtype):
    check_gated_linear(t, size, dtype, "bz")


@sweep(given=optional("bz"))
def gated_linear_with_some_of_its_parameters(t, given):
    check_gated_linear(t, (9, 14, 21), "f32", given)


@sweep(gate=GATES, dtype=FLOATS)
def every_gate_and_its_gradient(t, gate, dtype):
    M, F, K, formula = 9, 23, 8, getattr(reference, gate)
    x, w = t.normal((M, K), dtype), t.normal((2 * F, K), dtype)
    (y,) = t.run("gated_linear", dict(T=dtype, gate=gate), source=source("linear"), x=x, w=w, dims=dict(F=F), out=dict(y=dtype))
    both, scale = product(x.value, w.value)
    size = scale[:, :F] * (np.abs(both[:, F:]) + 1) + scale[:, F:] * (np.abs(both[:, :F]) + 1)
    t.close(y, formula(both[:, :F], both[:, F:]), terms=K, scale=2 * size)

    dy = t.normal((M, F), dtype)
    z = array(away_from_kinks(t.random.standard_normal((M, 2 * F)) * 2, "relu"), dtype)
    (dz,) = t.run("gated_dz", dict(T=dtype, gate=gate), source=source("linear"), dy=dy, z=z, out=dict(dz=dtype))
    g, u = z.value[:, :F], z.value[:, F:]
    by_gate, by_up = numeric(lambda v: formula(v, u), g), numeric(lambda v: formula(g, v), u)
    scale = np.concatenate([np.abs(dy.value) * (np.abs(u) + 1), np.abs(dy.value) * (np.abs(g) + 1)], 1)
    t.close(dz, np.concatenate([dy.value * by_gate, dy.value * by_up], 1), ulps=64, scale=scale, math=scale)


# ----------------------------------------------------------------------------------------------------------------------
# projection.tile
# ----------------------------------------------------------------------------------------------------------------------


@sweep(parts=[(16, 8, 8, 30), (1, 1, 1, 1), (3, 0, 130, 5)], dtype=FLOATS)
def projection(t, parts, dtype):
    check_projection(t, parts, dtype, bias=True, layout="rows")


@sweep(bias=[False, True], layout=LAYOUTS)
def projection_of_other_layouts(t, bias, layout):
    check_projection(t, (5, 3, 7, 2), "f32", bias, layout)


def check_projection(t, parts, dtype, bias, layout):
    B, C, S, N = 2, 19, (3, 5), sum(parts)
    x, w, b = t.normal((B, C) + S, dtype), t.normal((N, C), dtype), t.normal((N,), dtype)
    rows = x.value.reshape(B, C, -1).transpose(0, 2, 1).reshape(-1, C)
    want, scale = product(rows, w.value)
    if bias:
        want, scale = want + b.value, scale + np.abs(b.value)
    x, w = laid_out(layout, x, w)
    names = ["q", "k", "v", "ff"]
    results = t.run(
        "projection", dict(T=dtype, act="gelu"), source=source("projection"), x=x, w=w, b=b if bias else None,
        dims=dict(zip(["NQ", "NK", "NV", "NF"], parts)), out={name: dtype for name in names}
    )
    for name, result, first, size in zip(names, results, np.cumsum((0,) + parts[:-1]), parts):
        columns = slice(first, first + size)
        part = reference.gelu(want[:, columns]) if name == "ff" else want[:, columns]
        shape = (B, S[0] * S[1], size)
        t.close(result, part.reshape(shape), terms=C, scale=1.2 * scale[:, columns].reshape(shape))


@sweep(heads=[(4, 2), (3, 1), (2, 2)], size=[(2, 19, (3, 5, 1), 6), (1, 40, (33,), 32)], dtype=FLOATS)
def qkv(t, heads, size, dtype):
    (HQ, HK), (B, C, positions, D) = heads, size
    S = int(np.prod(positions))
    x, w = t.normal((B, C) + positions, dtype), t.normal(((HQ + 2 * HK) * D, C), dtype)
    gq, gk, angle = t.normal((D,), dtype), t.normal((D,), dtype), t.random.standard_normal((S, D // 2))
    co, si = array(np.cos(angle), "f32"), array(np.sin(angle), "f32")
    q, k, v = t.run(
        "qkv", dict(T=dtype), source=source("projection"), x=x, w=w, gq=gq, gk=gk, co=co, si=si, eps=1e-3,
        dims=dict(HQ=HQ, HK=HK), out=dict(q=dtype, k=dtype, v=dtype)
    )
    y = np.einsum("bcs,oc->bos", x.value.reshape(B, C, S), w.value).reshape(B, HQ + 2 * HK, D, S).transpose(0, 1, 3, 2)

    def turned(part, g):
        part = part / np.sqrt((part * part).mean(-1, keepdims=True) + 1e-3) * g
        low, high = part[..., : D // 2], part[..., D // 2 :]
        return np.concatenate([low * co.value - high * si.value, high * co.value + low * si.value], -1)

    t.close(q, turned(y[:, :HQ], gq.value), terms=C, scale=8 * np.abs(gq.value).max(), ulps=16)
    t.close(k, turned(y[:, HQ : HQ + HK], gk.value), terms=C, scale=8 * np.abs(gk.value).max(), ulps=16)
    t.close(v, y[:, HQ + HK :], terms=C, scale=2 * np.abs(y).max())


# ----------------------------------------------------------------------------------------------------------------------
# norm.tile
# ----------------------------------------------------------------------------------------------------------------------

NORM_SHAPES = [(7, 10), (1, 1), (2, 3, 33), (5, 1000), (0, 4)]


def normed(x, g, b=0.0, eps=1e-5, centred=True):
    c = x - x.mean(-1, keepdims=True) if centred else x
    return c / np.sqrt((c * c).mean(-1, keepdims=True) + eps) * g + b


@sweep(shape=NORM_SHAPES, dtype=FLOATS)
def layer_norm(t, shape, dtype):
    x, g, b = t.normal(shape, dtype), t.normal(shape[-1:], dtype), t.normal(shape[-1:], dtype)
    y, mu, rs = t.run("layer_norm", dict(T=dtype), source=source("norm"), x=x, g=g, b=b, out=dict(y=dtype, mu="f32", rs="f32"))
    rstd = 1 / np.sqrt(x.value.var(-1) + 1e-5)
    size = np.abs(x.value).max(initial=1)
    t.close(mu, x.value.mean(-1), scale=size, ulps=8)
    t.close(rs, rstd, ulps=64)
    t.close(y, normed(x.value, g.value, b.value), scale=2 * rstd[..., None] * size * np.abs(g.value) + np.abs(b.value), ulps=64)


@sweep(given=optional(["b", "mu", "rs"]), layout=["rows", "part"])
def layer_norm_with_some_of_its_parameters(t, given, layout):
    x, g, b = t.normal((3, 4, 21), "f32"), t.normal((21,), "f32"), t.normal((21,), "f32")
    want = normed(x.value, g.value, b.value if "b" in given else 0, eps=0.25)
    (x,) = laid_out(layout, x)
    outputs = {name: "f32" for name in ("mu", "rs") if name in given}
    results = t.run(
        "layer_norm", source=source("norm"), x=x, g=g, b=b if "b" in given else None, eps=0.25, out=dict(y="f32", **outputs)
    )
    t.close(results[0], want, scale=4, ulps=16)
    wanted = dict(mu=x.value.mean(-1), rs=1 / np.sqrt(x.value.var(-1) + 0.25))
    for name, result in zip(outputs, results[1:]):
        t.close(result, wanted[name], scale=4, ulps=8)


@sweep(shape=[(7, 10), (200, 33), (0, 8), (2, 3, 5)], dtype=FLOATS)
def layer_norm_backward(t, shape, dtype):
    dy, x, g = t.normal(shape, dtype), t.normal(shape, dtype), t.normal(shape[-1:], dtype)
    mu, rs = array(x.value.mean(-1), "f32"), array(1 / np.sqrt(x.value.var(-1) + 1e-5), "f32")
    dx, dg, db = t.run(
        "layer_norm_backward", dict(T=dtype), source=source("norm"), dy=dy, x=x, g=g, mu=mu, rs=rs,
        out=dict(dx=dtype, dg="f32", db="f32")
    )
    DY, X, G = dy.value.reshape(-1, shape[-1]), x.value.reshape(-1, shape[-1]), g.value
    r = 1 / np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    h, a = (X - X.mean(-1, keepdims=True)) * r, DY * G
    want = (a - a.mean(-1, keepdims=True) - h * (a * h).mean(-1, keepdims=True)) * r
    if 0 < X.size < 100:
        agrees(t, want, gradient(lambda v: normed(v, G), X, DY), "the formula of dx")
        agrees(t, (DY * h).sum(0), gradient(lambda v: normed(X, v), G, DY), "the formula of dg")
    scale = (np.abs(a) + np.abs(a).mean(-1, keepdims=True) * (1 + np.abs(h) * np.abs(h).max(initial=1))) * r
    t.close(dx, want.reshape(shape), scale=scale.reshape(shape), ulps=64)
    t.close(dg, (DY * h).sum(0), terms=len(X), scale=np.abs(DY * h).sum(0) + 1, ulps=16)
    t.close(db, DY.sum(0), terms=len(X), scale=np.abs(DY).sum(0), ulps=8)


@sweep(shape=NORM_SHAPES, dtype=FLOATS)
def rms_norm(t, shape, dtype):
    x, g = t.normal(shape, dtype), t.normal(shape[-1:], dtype)
    y, rs = t.run("rms_norm", dict(T=dtype), source=source("norm"), x=x, g=g, eps=1e-3, out=dict(y=dtype, rs="f32"))
    t.close(y, normed(x.value, g.value, eps=1e-3, centred=False), ulps=64)
    t.close(rs, 1 / np.sqrt((x.value**2).mean(-1) + 1e-3), ulps=32)


@sweep(layout=LAYOUTS)
def rms_norm_without_rs_of_other_layouts(t, layout):
    x, g = t.normal((9, 33), "f32"), t.normal((33,), "f32")
    want = normed(x.value, g.value, centred=False)
    (x,) = laid_out(layout, x)
    (y,) = t.run("rms_norm", source=source("norm"), x=x, g=g, out=dict(y="f32"))
    t.close(y, want, ulps=64)


@sweep(shape=[(7, 10), (200, 33), (0, 8), (2, 3, 5)], dtype=FLOATS)
def rms_norm_backward(t, shape, dtype):
    dy, x, g = t.normal(shape, dtype), t.normal(shape, dtype), t.normal(shape[-1:], dtype)
    rs = array(1 / np.sqrt((x.value**2).mean(-1) + 1e-5), "f32")
    dx, dg = t.run(
        "rms_norm_backward", dict(T=dtype), source=source("norm"), dy=dy, x=x, g=g, rs=rs, out=dict(dx=dtype, dg="f32")
    )
    DY, X, G = dy.value.reshape(-1, shape[-1]), x.value.reshape(-1, shape[-1]), g.value
    r = 1 / np.sqrt((X * X).mean(-1, keepdims=True) + 1e-5)
    h, a = X * r, DY * G
    want = (a - h * (a * h).mean(-1, keepdims=True)) * r
    if 0 < X.size < 100:
        agrees(t, want, gradient(lambda v: normed(v, G, centred=False), X, DY), "the formula of dx")
        agrees(t, (DY * h).sum(0), gradient(lambda v: normed(X, v, centred=False), G, DY), "the formula of dg")
    scale = (np.abs(a) + np.abs(a).mean(-1, keepdims=True) * np.abs(h) * np.abs(h).max(initial=1)) * r
    t.close(dx, want.reshape(shape), scale=scale.reshape(shape), ulps=64)
    t.close(dg, (DY * h).sum(0), terms=len(X), scale=np.abs(DY * h).sum(0) + 1, ulps=16)


# ----------------------------------------------------------------------------------------------------------------------
# softmax.tile
# ----------------------------------------------------------------------------------------------------------------------

ROWS = [(1, 1), (3, 5, 11), (7, 1000), (2, 4099), (0, 5)]


def log_softmax(x):
    with np.errstate(invalid="ignore"):
        c = x - x.max(-1, keepdims=True)
        return c - np.log(np.exp(c).sum(-1, keepdims=True))


@sweep(shape=ROWS, dtype=FLOATS)
def softmax_and_its_logarithm(t, shape, dtype):
    x = t.normal(shape, dtype, 3)
    (y,) = t.run("softmax", dict(T=dtype), source=source("softmax"), x=x, out=dict(y=dtype))
    t.close(y, softmax(x.value), ulps=64)
    (y,) = t.run("log_softmax", dict(T=dtype), source=source("softmax"), x=x, out=dict(y=dtype))
    t.close(y, log_softmax(x.value), scale=np.abs(x.value).max(initial=1) + 10, ulps=16)


@sweep(layout=LAYOUTS, kernel=["softmax", "log_softmax"])
def softmax_of_other_layouts(t, layout, kernel):
    x = t.normal((13, 70), "f32", 3)
    want = softmax(x.value) if kernel == "softmax" else log_softmax(x.value)
    (x,) = laid_out(layout, x)
    (y,) = t.run(kernel, source=source("softmax"), x=x, out=dict(y="f32"))
    t.close(y, want, scale=np.abs(want) + (0 if kernel == "softmax" else 20), ulps=64)


@test
def softmax_with_infinities_and_nan(t):
    """-inf has weight 0, also before the first finite element; a row with NaN or +inf is NaN, and no other row is."""
    x = t.normal((5, 70), "f32").value
    x[0, 3], x[1, 69], x[2, 5:69], x[3, 0] = -np.inf, np.nan, -np.inf, np.inf
    x = array(x, "f32")
    (y,) = t.run("softmax", dict(BN=32), source=source("softmax"), x=x, out=dict(y="f32"))
    t.close(y, softmax(x.value), ulps=64)


@sweep(shape=[(3, 11), (2, 3, 5), (7, 1000), (0, 5)], dtype=FLOATS)
def softmax_backward(t, shape, dtype):
    x, dy = t.normal(shape, "f32"), t.normal(shape, dtype)
    y = array(softmax(x.value), dtype)
    (dx,) = t.run("softmax_backward", dict(T=dtype), source=source("softmax"), dy=dy, y=y, out=dict(dx=dtype))
    formula = lambda y: y * (dy.value - (dy.value * y).sum(-1, keepdims=True))
    if 0 < x.value.size < 100:
        agrees(t, formula(softmax(x.value)), gradient(softmax, x.value, dy.value), "the formula of dx")
    scale = y.value * (np.abs(dy.value) + np.abs(dy.value * y.value).sum(-1, keepdims=True))
    t.close(dx, formula(y.value), scale=scale, terms=shape[-1], ulps=8)


@sweep(shape=[(3, 11), (2, 3, 5), (7, 1000), (0, 5)], dtype=FLOATS)
def log_softmax_backward(t, shape, dtype):
    x, dy = t.normal(shape, "f32"), t.normal(shape, dtype)
    y = array(log_softmax(x.value), dtype)
    (dx,) = t.run("log_softmax_backward", dict(T=dtype), source=source("softmax"), dy=dy, y=y, out=dict(dx=dtype))
    formula = lambda y: dy.value - np.exp(y) * dy.value.sum(-1, keepdims=True)
    if 0 < x.value.size < 100:
        agrees(t, formula(log_softmax(x.value)), gradient(log_softmax, x.value, dy.value), "the formula of dx")
    scale = np.abs(dy.value) + np.exp(y.value) * np.abs(dy.value).sum(-1, keepdims=True)
    t.close(dx, formula(y.value), scale=scale, terms=shape[-1], ulps=8)


# ----------------------------------------------------------------------------------------------------------------------
# attention.tile
# ----------------------------------------------------------------------------------------------------------------------


@sweep(
    variant=[
        # causal, window, SQ, SK, lengths
        (False, 0, 9, 9, None),
        (False, 0, 70, 130, None),
        (True, 0, 65, 65, None),
        (True, 3, 9, 9, None),
        (True, 40, 33, 90, [90, 35, 0]),
        (False, 0, 5, 9, [9, 4, 0]),
        (True, 0, 1, 200, [200, 4, 1]),
    ],
    dtype=FLOATS,
)
def attention(t, variant, dtype):
    (causal, window, SQ, SK, lengths), HQ, HK, B, D = variant, 6, 2, 3, 16
    q, k, v = t.normal((B, HQ, SQ, D), dtype), t.normal((B, HK, SK, D), dtype), t.normal((B, HK, SK, D), dtype)
    if lengths is not None:
        for b in range(B):  # the rows of a cache that nobody wrote hold anything
            for cache in (k, v):
                cache.raw[b, :, lengths[b] :] = array(np.nan, dtype).raw
    o, lse = t.run(
        "attention", dict(T=dtype, causal=causal, window=window), source=source("attention"), q=q, k=k, v=v,
        len=array(lengths, "i32") if lengths is not None else None, scale=0.3, out=dict(o=dtype, lse="f32")
    )
    want, want_lse = attend(q.value, k.value, v.value, 0.3, causal, window, lengths)
    # p is rounded to T before its product; each of its elements is at most 1, their sum divides the result.
    t.close(o, want, scale=rounding_scale(dtype) * 4, ulps=4 if dtype != "f32" else 16)
    t.close(lse, want_lse, scale=8, ulps=16)


@sweep(HQ=[1, 8], HK=[1], D=[8, 20])
def attention_of_few_heads(t, HQ, HK, D):
    q, k, v = t.normal((2, HQ, 17, D), "f32"), t.normal((2, HK, 31, D), "f32"), t.normal((2, HK, 31, D), "f32")
    (o,) = t.run("attention", source=source("attention"), q=q, k=k, v=v, scale=0.5, out=dict(o="f32"))
    t.close(o, attend(q.value, k.value, v.value, 0.5, False, 0, None)[0], scale=4, ulps=16)


@sweep(order=[(0, 2, 1, 3), (0, 1, 3, 2)], lse=[False, True])
def attention_of_other_layouts(t, order, lse):
    """[batch, positions, heads, channels] is how most projections leave it."""
    q, k, v = t.normal((2, 4, 17, 8), "f32"), t.normal((2, 2, 31, 8), "f32"), t.normal((2, 2, 31, 8), "f32")
    want, want_lse = attend(q.value, k.value, v.value, 0.5, True, 0, None)
    q, k, v = (view.transposed(order) for view in (q, k, v))
    results = t.run(
        "attention", dict(causal=True), source=source("attention"), q=q, k=k, v=v, scale=0.5,
        out=dict(o="f32", **(dict(lse="f32") if lse else {}))
    )
    t.close(results[0], want, scale=4, ulps=16)
    if lse:
        t.close(results[1], want_lse, scale=8, ulps=16)


if __name__ == "__main__":
    main()
