"""Products with an operand that is computed on the way, on sm_90a by warps with roles: kernels, shapes and views that nobody chose the path for.

Most inputs are small integers, and what is computed of them too, so that products are exact and one wrong element shows."""

import os

import numpy as np

import reference
from harness import READY_KERNELS, array, encode, main, rounded, sweep, test
from roles import hopper, padded, place, small, tile_of, untouched_around

KERNELS = os.path.join(READY_KERNELS, "linear.tile")


def kernel(operand, parameters="", *, x="M, K", w="K, N", before="", inside="", swapped=False, xtype="T", out="T"):
    """A product of `operand`, an expression of x[i, k] and what is declared, with w."""
    right = "w[k, j]" if w == "K, N" else "w[j, k]"
    operands = f"{right}, d" if swapped else f"d, {right}"
    return f"""
kernel k<T: float>(x: {xtype}[{x}], w: T[{w}], {parameters}{", " if parameters else ""}y: out {out}[M, N])
over (i in M by BM, j in N by BN) {{
  var acc: f32[i, j] = 0;
  {before}
  for k in K by BK {{
    {inside}
    let d = T({operand});
    acc += dot({operands}, over k);
  }}
  y[i, j] = {out}(acc);
}}
"""


# ----------------------------------------------------------------------------------------------------------------------
# Shapes and tiles
# ----------------------------------------------------------------------------------------------------------------------

TWO_TILES = kernel("x[i, k] * (z[i, k] + 1)", "z: T[M, K]")
SHAPES = [
    # M, N, K, rows, columns, depth
    (1, 8, 8, 64, 64, 64), (63, 24, 0, 64, 64, 64), (65, 72, 72, 64, 128, 64), (127, 200, 8, 128, 128, 64), (129, 208, 1, 128, 192, 64),
    (129, 208, 72, 64, 192, 64), (65, 200, 130, 128, 256, 64), (300, 264, 136, 128, 256, 64), (257, 136, 72, 256, 128, 64), (300, 200, 72, 256, 64, 64),
    (1, 208, 2048, 64, 256, 64), (65, 24, 2048, 64, 64, 128), (193, 120, 320, 192, 64, 64), (700, 40, 264, 64, 64, 192), (640, 600, 8, 128, 64, 64),
    (385, 520, 0, 128, 128, 64), (385, 385, 1, 128, 128, 64), (200, 200, 264, 128, 64, 128), (520, 520, 200, 128, 256, 64),
]


@sweep(shape=SHAPES, seed=["", 7], swapped=[False, True])
def any_shape_with_any_tile(t, shape, seed, swapped):
    M, N, K, *tile = shape
    if seed:
        t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
    x, z, w = small(t, (M, K)), small(t, (M, K)), small(t, (K, N))
    y = place((M, N), "bf16")
    text = kernel("x[i, k] * (z[i, k] + 1)", "z: T[M, K]", swapped=swapped)
    views = dict(x=padded(x, rows=2), z=padded(z, before=8), w=padded(w, rows=3), y=y)
    # Of a view without columns either dimension may be the one of stride 1.
    (got,) = hopper(t, text, dict(T="bf16", **tile_of(*tile)), roles=True if K else None, **views, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value * (z.value + 1) @ w.value, "bf16"))


TILES_OF_EACH_FAMILY = [(64, 64, 128), (128, 256, 64), (256, 128, 64), (192, 64, 64)]


@sweep(x=["M, K", "K, M"], w=["N, K", "K, N"], z=["M, K", "K, M"], tile=TILES_OF_EACH_FAMILY, dtype=["bf16", "f16"])
def operands_in_either_order(t, x, w, z, tile, dtype):
    """Rows that are contiguous in memory are transposed on their way to registers."""
    M, N, K = 200, 264, 200
    a, b, c = small(t, (M, K), dtype), small(t, (M, K), dtype), small(t, (N, K), dtype)
    text = kernel(f"x[{'i, k' if x == 'M, K' else 'k, i'}] + 2 * z[{'i, k' if z == 'M, K' else 'k, i'}]", f"z: T[{z}]", x=x, w=w)
    arranged = lambda value, order, first: value if order.startswith(first) else array(value.value.T, dtype)
    views = dict(x=padded(arranged(a, x, "M"), rows=1), z=padded(arranged(b, z, "M")), w=padded(arranged(c, w, "N"), rows=2))
    (y,) = hopper(t, text, dict(T=dtype, **tile_of(*tile)), **views, out=dict(y=dtype))
    t.same(y, rounded((a.value + 2 * b.value) @ c.value.T, dtype))


@sweep(shape=[(150, 200, 136), (64, 512, 72), (2, 2, 8), (129, 104, 264), (300, 700, 72)], dtype=["bf16", "f16"])
def the_compiler_chooses_the_tile(t, shape, dtype):
    M, N, K = shape
    x, z, w = small(t, (M, K), dtype), small(t, (M, K), dtype), small(t, (K, N), dtype)
    (y,) = hopper(t, TWO_TILES, dict(T=dtype), x=x, z=z, w=padded(w), out=dict(y=dtype))
    t.same(y, rounded(x.value * (z.value + 1) @ w.value, dtype))


# ----------------------------------------------------------------------------------------------------------------------
# What is computed
# ----------------------------------------------------------------------------------------------------------------------


@sweep(tile=[(64, 64), (128, 256)], K=[72, 200], vector=["row", "step", "both", "before"], given=[True, False])
def vectors_and_scalars(t, tile, K, vector, given):
    """`before`: a vector that is loaded before the loop."""
    M, N = 200, 136
    x, w, a, b = small(t, (M, K)), small(t, (K, N)), small(t, (M,), "f32"), small(t, (K,))
    operand = {"row": "x[i, k] * a[i]", "step": "x[i, k] * b[k]", "both": "a[i] * (x[i, k] + b[k])", "before": "x[i, k] * s"}[vector] + " + f"
    text = kernel(operand, "a: f32[M], b: T[K], c: f32[M]?, e: f32", before="let s = a[i] + 1;", inside="var f = e; if c { f = e + c[0]; }")
    c = array([2.0] * M, "f32") if given else None
    (y,) = hopper(t, text, dict(T="bf16", **tile_of(*tile)), roles=None if given else True, x=x, w=padded(w), a=a, b=b, c=c, e=3.0, out=dict(y="bf16"))
    column, row = a.value[:, None], b.value[None, :]
    d = {"row": x.value * column, "step": x.value * row, "both": column * (x.value + row), "before": x.value * (column + 1)}[vector] + (5 if given else 3)
    t.same(y, rounded(d @ w.value, "bf16"))


@sweep(tile=[(64, 64), (128, 192)], K=[1, 65, 72, 130])
def what_is_not_finite_beyond_the_end(t, tile, K):
    """1 / x and x / x of the zeros that stand for what does not exist."""
    M, N = 136, 72
    x, w = array(t.random.choice([-4, -2, -1, 1, 2, 4], (M, K)), "bf16"), small(t, (K, N))
    for operand, d in (("1 / x[i, k]", 1 / x.value), ("x[i, k] / x[i, k]", np.ones((M, K))), ("log2(abs(x[i, k]))", np.log2(abs(x.value))), ("x[i, k] + s", x.value + 3)):
        (y,) = hopper(t, kernel(operand, "s: f32"), dict(T="bf16", **tile_of(*tile)), x=padded(x), w=padded(w), s=3.0, out=dict(y="bf16"))
        t.same(y, rounded(d @ w.value, "bf16"))


@sweep(tile=[(64, 64), (128, 256)], seed=["", 3])
def indices_and_masks(t, tile, seed):
    if seed:
        t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
    M, N, K = 200, 136, 200
    x, mask, w = small(t, (M, K)), t.flags((M, K)), small(t, (K, N))
    text = kernel("where(k <= i + c and mask[i, k], x[i, k], 0)", "mask: bool[M, K], c: i32")
    views = dict(x=x, mask=mask.embedded((0, 0), (0, -K % 16), (1, 1)), w=w)
    (y,) = hopper(t, text, dict(T="bf16", **tile_of(*tile)), **views, c=5, out=dict(y="bf16"))
    i, k = np.arange(M)[:, None], np.arange(K)[None, :]
    t.same(y, rounded(np.where((k <= i + 5) & mask.value, x.value, 0) @ w.value, "bf16"))


@sweep(dtype=["f32", "f16", "i8", "u8", "f8e4m3", "i32", "i16"], order=["M, K", "K, M"], tile=[(64, 64, 64), (128, 128, 64), (128, 64, 128)])
def a_cast_of_any_type(t, dtype, order, tile):
    M, N, K = 200, 136, 208
    low = 0 if dtype == "u8" else -3
    x, w, s = array(t.random.integers(low, 4, (M, K)), dtype), small(t, (K, N)), small(t, (M,), "f32")
    text = kernel(f"f32(x[{'i, k' if order == 'M, K' else 'k, i'}]) * s[i]", "s: f32[M]", x=order, xtype=dtype, out="f32")
    memory = x if order == "M, K" else array(x.value.T, dtype)
    views = dict(x=memory.embedded((0, 0), (0, -memory.raw.shape[-1] % 16), (1, 1)), w=w, s=s)
    (y,) = hopper(t, text, dict(T="bf16", **tile_of(*tile)), **views, out=dict(y="f32"))
    t.same(y, (x.value * s.value[:, None]) @ w.value)


@sweep(count=[3, 4])
def as_many_tiles_as_fit(t, count):
    """Four tiles of f32 and what two stages need are too much."""
    M, N, K = 200, 136, 136
    names = [f"z{number}" for number in range(count)]
    x, w, z = small(t, (M, K)), small(t, (K, N)), {name: small(t, (M, K), "f32") for name in names}
    text = kernel(" + ".join(["x[i, k]"] + [f"{name}[i, k]" for name in names]), ", ".join(f"{name}: f32[M, K]" for name in names))
    (y,) = hopper(t, text, dict(T="bf16", **tile_of(128, 128)), roles=None, x=x, w=w, **z, out=dict(y="bf16"))
    t.same(y, rounded((x.value + sum(part.value for part in z.values())) @ w.value, "bf16"))


BATCHED = """
kernel k(x: bf16[B, M, K], z: bf16[B, M, K], w: bf16[B, K, N], s: f32[B], y: out bf16[B, M, N])
over (b in B, i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(bf16((x[b, i, k] - z[b, i, k]) * s[b]), w[b, k, j], over k); }
  y[b, i, j] = bf16(acc);
}
"""


@sweep(tile=[(64, 64), (128, 256)])
def batches(t, tile):
    B, M, N, K = 3, 136, 72, 136
    x, z, w, s = small(t, (B, M, K)), small(t, (B, M, K)), small(t, (B, K, N)), small(t, (B,), "f32")
    (y,) = hopper(t, BATCHED, tile_of(*tile), x=x, z=z, w=w, s=s, out=dict(y="bf16"))
    t.same(y, rounded((x.value - z.value) * s.value[:, None, None] @ w.value, "bf16"))


EPILOGUE = """
kernel k(x: bf16[M, K], z: bf16[M, K], w: bf16[K, N], b: f32[N]?, r: bf16[M, N]?, y: out bf16[M, N], f: out f32[M, N]?)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(bf16(max(x[i, k], z[i, k])), w[k, j], over k); }
  if b { acc += b[j]; }
  if f { f[i, j] = acc; }
  if r { acc += r[i, j]; }
  y[i, j] = bf16(acc - max(acc, over j));
}
"""


@sweep(given=["", "b", "r", "f", "brf"], tile=[(64, 64), (128, 128)])
def an_epilogue_with_optional_views(t, given, tile):
    M, N, K = 200, 200, 72
    x, z, w = small(t, (M, K)), small(t, (M, K)), small(t, (K, N))
    b, r = small(t, (N,), "f32"), small(t, (M, N))
    optional = dict(b=b if "b" in given else None, r=r if "r" in given else None)
    out = dict(y="bf16", f="f32") if "f" in given else dict(y="bf16")
    got = hopper(t, EPILOGUE, tile_of(*tile), x=x, z=z, w=w, **optional, out=out)
    acc = np.maximum(x.value, z.value) @ w.value + (b.value if "b" in given else 0)
    if "f" in given:
        t.same(got[1], acc)
    acc = acc + (r.value if "r" in given else 0)
    highest = np.concatenate([np.broadcast_to(part.max(1, keepdims=True), part.shape) for part in np.split(acc, range(tile[1], N, tile[1]), 1)], 1)
    t.same(got[0], rounded(acc - highest, "bf16"))


@sweep(dtype=["bf16", "f16"], tile=[(64, 64), (128, 192), (256, 64)])
def nan_and_infinity_stay_in_their_rows(t, dtype, tile):
    M, N, K = 200, 136, 72
    x, z, w = small(t, (M, K), dtype), small(t, (M, K), dtype), small(t, (K, N), dtype)
    x.raw[3, 71], x.raw[64, 0], z.raw[199, 5] = encode(np.nan, dtype), encode(np.inf, dtype), encode(-np.inf, dtype)
    w.raw[5, 135] = encode(np.nan, dtype)
    with np.errstate(invalid="ignore"):
        want = (x.value + z.value) @ w.value
    (y,) = hopper(t, kernel("x[i, k] + z[i, k]", "z: T[M, K]"), dict(T=dtype, **tile_of(*tile)), x=x, z=z, w=w, out=dict(y=dtype))
    t.same(y, rounded(want, dtype))


# ----------------------------------------------------------------------------------------------------------------------
# The gradients of a layer
# ----------------------------------------------------------------------------------------------------------------------


def derivative(activation, z):
    return reference.numeric(getattr(reference, activation), z)


@sweep(activation=["identity", "relu", "squared_relu", "silu", "gelu", "gelu_erf"], shape=[(200, 136, 264), (65, 72, 520)], tile=[None, (64, 128), (128, 256)])
def gradient_of_the_input(t, activation, shape, tile):
    """dx = (dy · act′(z)) · w, of M × N and N × K."""
    M, N, K = shape
    dy, z, w = t.normal((M, N), "bf16"), t.normal((M, N), "bf16"), t.normal((N, K), "bf16")
    if activation.endswith("relu"):
        z.raw[z.value == 0] = encode(1.0, "bf16")
    bind = dict(T="bf16", act=activation, **(dict(BM=tile[0], BK=tile[1], BN=64) if tile else {}))
    with open(KERNELS) as file:
        (dx,) = hopper(t, file.read(), bind, kernel="linear_dx", dy=dy, z=z, w=w, out=dict(dx="bf16"))
    dz = dy.value * derivative(activation, z.value)
    t.close(dx, dz @ w.value, terms=N, scale=reference.rounding_scale("bf16") * abs(dz) @ abs(w.value), ulps=8)


@sweep(activation=["relu", "gelu"], shape=[(200, 136, 264), (65, 72, 520)], tile=[None, (64, 128), (128, 256)], accumulate=[False, True], dtype=["f32", "bf16"])
def gradient_of_the_weights(t, activation, shape, tile, accumulate, dtype):
    """dw = (dy · act′(z))ᵀ · x: the summed axis is that of memory's rows in both operands."""
    M, N, K = shape
    dy, z, x, old = t.normal((M, N), "bf16"), t.normal((M, N), "bf16"), t.normal((M, K), "bf16"), small(t, (N, K), dtype)
    z.raw[z.value == 0] = encode(1.0, "bf16")
    bind = dict(T="bf16", G=dtype, act=activation, accumulate=str(accumulate).lower(), **(dict(BN=tile[0], BK=tile[1], BM=64) if tile else {}))
    with open(KERNELS) as file:
        (dw,) = hopper(t, file.read(), bind, kernel="linear_dw", roles=None, dy=dy, z=z, x=x, dw=old, out=dict(dw=dtype))
    dz = dy.value * derivative(activation, z.value)
    scale = reference.rounding_scale("bf16") * abs(dz).T @ abs(x.value) + abs(old.value)
    t.close(dw, dz.T @ x.value + (old.value if accumulate else 0), terms=M, scale=scale, ulps=8)


@sweep(activation=["relu", "squared_relu"], dtype=["bf16", "f16"], tile=[(64, 64), (128, 256)])
def gradients_of_what_is_no_ordinary_number(t, activation, dtype, tile):
    """Products of two numbers of 16 bits are formed in pairs: infinities, NaN, zeros of either sign, and what is beside them in a word."""
    M, N, K = 200, 136, 72
    dy, z, w = small(t, (M, N), dtype), array(t.random.choice([-2.0, -1, -0.0, 0, 0.5, 1, 3], (M, N)), dtype), small(t, (N, K), dtype)
    for column, value in ((3, np.nan), (40, np.inf), (71, -np.inf)):
        z.raw[column::50, column] = encode(value, dtype)
        dy.raw[column + 1::50, column] = encode(value, dtype)
    bind = dict(T=dtype, act=activation, BM=tile[0], BK=tile[1], BN=64)
    with open(KERNELS) as file:
        (dx,) = hopper(t, file.read(), bind, kernel="linear_dx", dy=dy, z=z, w=padded(w), out=dict(dx=dtype))
    with np.errstate(invalid="ignore"):
        slope = (z.value > 0) * 1.0 if activation == "relu" else 2 * np.maximum(z.value, 0)
        want = (dy.value * slope) @ w.value
    t.same(dx, rounded(want, dtype))


# ----------------------------------------------------------------------------------------------------------------------
# What takes the plain path
# ----------------------------------------------------------------------------------------------------------------------

REFUSED = {
    "both": kernel("x[i, k] * 2").replace("w[k, j]", "T(w[k, j] + 0)"),
    "a reduction": kernel("x[i, k] * m", inside="let m = max(x[i, k], over k);"),
    "a part of the sum": kernel("x[i, k] * 2").replace("var acc", "require N <= K;\n  var acc").replace("for k in K by", "for k in N by"),
}


@sweep(which=list(REFUSED))
def other_operands_take_the_plain_path(t, which):
    M, N, K = 136, 72, 72
    x, w = small(t, (M, K)), small(t, (K, N))
    (y,) = hopper(t, REFUSED[which], dict(T="bf16", **tile_of(64, 64)), roles=False, x=x, w=w, out=dict(y="bf16"))
    if which == "a reduction":
        d = np.concatenate([part * part.max(1, keepdims=True) for part in np.split(x.value, [64], 1)], 1)
    else:
        d = x.value * 2
    t.same(y, rounded(d @ w.value, "bf16"))


if __name__ == "__main__":
    main()
