"""Products whose sum is split over the blocks of a cluster, on sm_90a: shapes, tiles, operands and epilogues that nobody chose the path for.

Most inputs are small integers, so that products are exact and one wrong element shows."""

import os

import numpy as np

from harness import READY_KERNELS, Mismatch, array, main, rounded, sweep, target, test
from roles import LINEAR, hopper, padded, place, small, tile_of, untouched_around

KERNELS = os.path.join(READY_KERNELS, "linear.tile")


def split(number, **fields):
    return ",".join([f"split={number}", *(f"{name}={value}" for name, value in fields.items())])


# ----------------------------------------------------------------------------------------------------------------------
# Shapes and tiles
# ----------------------------------------------------------------------------------------------------------------------

SHAPES = [
    # M, N, K, rows, columns, depth: of steps there are 0, fewer than blocks, as many, one more, many; tiles one or several for each cluster
    (1, 8, 8, 128, 128, 64), (129, 208, 72, 128, 128, 64), (65, 200, 136, 128, 256, 64), (300, 264, 1096, 128, 128, 64), (257, 136, 0, 128, 128, 64),
    (400, 600, 520, 128, 256, 64), (1000, 520, 264, 128, 192, 64), (200, 1032, 512, 128, 256, 128), (130, 72, 2056, 128, 128, 32), (700, 700, 136, 128, 256, 64),
]


@sweep(shape=SHAPES, blocks=[2, 4, 8], seed=["", 5])
def any_shape_with_any_split(t, shape, blocks, seed):
    M, N, K, *tile = shape
    if seed:
        t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
    if tile[1] % (16 * blocks) or tile[2] < 64:
        blocks = 2
    N = -(-N // 8) * 8
    x, w, b = small(t, (M, K)), small(t, (N, K)), small(t, (N,), "f32")
    y = place((M, N), "bf16")
    roles = None if tile[2] < 64 or K == 0 else True
    views = dict(x=padded(x, rows=2), w=padded(w, rows=3), b=b, y=y)
    schedule = None if roles is None and tile[2] < 64 else split(blocks)
    (got,) = hopper(t, LINEAR, dict(T="bf16", **tile_of(*tile)), schedule=schedule, roles=roles, **views, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value @ w.value.T + b.value, "bf16"))


@sweep(tile=[(64, 64, 64), (64, 256, 64), (64, 128, 128)], blocks=[2, 4], seed=["", 5])
def one_warpgroup(t, tile, blocks, seed):
    if seed:
        t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
    M, N, K = 200, 328, 456
    x, w = small(t, (M, K)), small(t, (N, K))
    (y,) = hopper(t, LINEAR, dict(T="bf16", **tile_of(*tile)), schedule=split(blocks), roles=None, x=x, w=w, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T, "bf16"))


@sweep(stages=[2, 3, 4], raster=[1, 5, 64], blocks=[2, 4])
def stages_and_groups_of_tiles(t, stages, raster, blocks):
    M, N, K = 900, 392, 648
    x, w = small(t, (M, K)), small(t, (N, K))
    (y,) = hopper(t, LINEAR, dict(T="bf16", **tile_of(128, 128)), schedule=split(blocks, stages=stages, raster=raster), x=x, w=w, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T, "bf16"))


@sweep(dtype=["bf16", "f16"], x=["M, K", "K, M"], w=["N, K", "K, N"])
def operands_in_either_order(t, dtype, x, w):
    M, N, K = 200, 264, 328
    a, b = small(t, (M, K), dtype), small(t, (N, K), dtype)
    text = f"""
kernel k<T: float>(x: T[{x}], w: T[{w}], y: out f32[M, N])
over (i in M by BM, j in N by BN) {{
  var acc: f32[i, j] = 0;
  for k in K by BK {{ acc += dot({"x[i, k]" if x == "M, K" else "x[k, i]"}, {"w[j, k]" if w == "N, K" else "w[k, j]"}, over k); }}
  y[i, j] = acc;
}}
"""
    arranged = lambda value, order, first: value if order.startswith(first) else array(value.value.T, dtype)  # noqa: E731
    views = dict(x=padded(arranged(a, x, "M")), w=padded(arranged(b, w, "N")))
    (y,) = hopper(t, text, dict(T=dtype, **tile_of(128, 256)), schedule=split(4), **views, out=dict(y="f32"))
    t.same(y, a.value @ b.value.T)


@sweep(tile=[(128, 128, 128), (128, 64, 128)], blocks=[2, 4])
def whole_numbers(t, tile, blocks):
    M, N, K = 200, 200, 912
    x, w = small(t, (M, K), "i8"), small(t, (N, K), "i8")
    text = """
kernel k(x: i8[M, K], w: i8[N, K], y: out i32[M, N])
over (i in M by BM, j in N by BN) {
  var acc: i32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = acc;
}
"""
    (y,) = hopper(t, text, tile_of(*tile), schedule=split(blocks), x=x, w=w, out=dict(y="i32"))
    t.same(y, x.value.astype(np.int64) @ w.value.astype(np.int64).T)


@sweep(case=[("f8e4m3", 128, 128), ("f8e5m2", 192, 128), ("f32", 128, 32)], blocks=[2, 4])
def other_elements(t, case, blocks):
    dtype, columns, depth = case
    M, N, K = 140, 200, 848
    x, w = small(t, (M, K), dtype), small(t, (N, K), dtype)
    precision = ", precision = tf32" if dtype == "f32" else ""
    text = f"""
kernel k(x: {dtype}[M, K], w: {dtype}[N, K], y: out f32[M, N])
over (i in M by BM, j in N by BN) {{
  var acc: f32[i, j] = 0;
  for k in K by BK {{ acc += dot(x[i, k], w[j, k], over k{precision}); }}
  y[i, j] = acc;
}}
"""
    (y,) = hopper(t, text, tile_of(128, columns, depth), schedule=split(blocks), x=x, w=w, out=dict(y="f32"))
    t.same(y, x.value.astype(np.float64) @ w.value.astype(np.float64).T)


# ----------------------------------------------------------------------------------------------------------------------
# What meets the sum
# ----------------------------------------------------------------------------------------------------------------------


@sweep(given=["", "b", "r", "z", "brz"], act=["identity", "relu", "squared_relu"], blocks=[2, 4], M=[130, 520])
def ready_kernels(t, given, act, blocks, M):
    N, K = 264, 400
    x, w = small(t, (M, K)), small(t, (N, K))
    b = small(t, (N,)) if "b" in given else None
    r = small(t, (M, N)) if "r" in given else None
    z = place((M, N), "bf16") if "z" in given else None
    out = dict(y="bf16", **(dict(z="bf16") if z is not None else {}))
    with open(KERNELS) as file:
        text = file.read()
    results = hopper(t, text, dict(T="bf16", act=act, **tile_of(128, 256)), kernel="linear", schedule=split(blocks), x=x, w=w, b=b, r=r, z=z, out=out)
    acc = x.value @ w.value.T + (b.value if b is not None else 0)
    value = {"identity": acc, "relu": np.maximum(acc, 0), "squared_relu": np.maximum(acc, 0) ** 2}[act]
    t.same(results[0], rounded(value + (r.value if r is not None else 0), "bf16"))
    if z is not None:
        untouched_around(t, results[1], z, rounded(acc, "bf16"))


@sweep(tile=[(128, 256, 64), (128, 128, 64), (128, 64, 64)], act=["identity", "relu"], G=["bf16", "f32"], seed=["", 9])
def gradient_of_the_weights(t, tile, act, G, seed):
    if seed:
        t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
    M, N, K = 840, 200, 264
    dy, z, x, dw = small(t, (M, N)), small(t, (M, N)), small(t, (M, K)), small(t, (N, K), G)
    with open(KERNELS) as file:
        text = file.read()
    bind = dict(T="bf16", G=G, act=act, BN=tile[0], BK=tile[1], BM=tile[2])
    (got,) = hopper(t, text, bind, kernel="linear_dw", schedule=split(4), dy=dy, z=z, x=x, dw=dw, out=dict(dw=G))
    slope = 1 if act == "identity" else z.value > 0
    t.same(got, rounded((dy.value * slope).T @ x.value, G))


@sweep(store=["tensor", "registers"], blocks=[2, 8])
def ways_to_store(t, store, blocks):
    M, N, K = 300, 520, 520
    x, w = small(t, (M, K)), small(t, (N, K))
    y = place((M, N), "bf16")
    (got,) = hopper(t, LINEAR, dict(T="bf16", **tile_of(128, 256)), schedule=split(blocks, store=store), x=x, w=w, y=y, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value @ w.value.T, "bf16"))


@sweep(blocks=[2, 4])
def comparisons_and_constants(t, blocks):
    """Indices along the shared axis, constants that others have whole, vectors of both axes, a choice by a scalar."""
    M, N, K = 200, 300, 264
    x, w, a, b = small(t, (M, K)), small(t, (N, K)), small(t, (M,), "f32"), small(t, (N,))
    text = """
kernel k<T: float>(x: T[M, K], w: T[N, K], a: f32[M], b: T[N], s: i32, y: out f32[M, N])
over (i in M by BM, j in N by BN) {
  let scale = b[j] + 1;
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  var t = max(acc, 0) * scale + a[i];
  if s > 2 { t = where(j <= i, t, 7); }
  y[i, j] = t;
}
"""
    for s in (1, 3):
        (y,) = hopper(t, text, dict(T="bf16", **tile_of(128, 256)), schedule=split(blocks), x=padded(x), w=padded(w), a=a, b=b, s=s, out=dict(y="f32"))
        want = np.maximum(x.value @ w.value.T, 0) * (b.value + 1) + a.value[:, None]
        t.same(y, want if s == 1 else np.where(np.arange(N)[None, :] <= np.arange(M)[:, None], want, 7))


# ----------------------------------------------------------------------------------------------------------------------
# The same bits in every run
# ----------------------------------------------------------------------------------------------------------------------


@sweep(blocks=[2, 4, 8])
def the_order_of_threads_changes_no_bit(t, blocks):
    M, N, K = 128, 256, 1032
    x, w = array(t.random.standard_normal((M, K)), "bf16"), array(t.random.standard_normal((N, K)), "bf16")
    text = LINEAR.replace("out T[M, N]", "out f32[M, N]").replace("T(acc)", "acc")
    results = []
    for seed in (1, 2, 3):
        t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
        results += hopper(t, text, dict(T="bf16", **tile_of(128, 256)), schedule=split(blocks), x=x, w=w, out=dict(y="f32"))
    t.close(results[0], x.value.astype(np.float64) @ w.value.astype(np.float64).T, terms=K, scale=np.sqrt(K))
    for other in results[1:]:
        t.same(other, results[0].value)


# ----------------------------------------------------------------------------------------------------------------------
# What cannot be split
# ----------------------------------------------------------------------------------------------------------------------

REFUSED = {
    "two groups": ("split=2,groups=2", "T(acc)", "one group, and there are 2"),
    "three blocks": ("split=3", "T(acc)", "a tile is split over 1, 2, 4 or 8 blocks, not 3"),
    "columns": ("split=8", "T(acc)", "a split over 8 blocks needs a multiple of 128"),
    "a row's sum": ("split=2", "T(acc + sum(acc, over j))", "it reduces or scans along its columns, of which each block of a cluster has a share"),
    "where columns begin": ("split=2", "T(acc + f32(j.start))", "it asks where its columns begin or end"),
}


@sweep(case=list(REFUSED))
def what_is_refused(t, case):
    schedule, value, why = REFUSED[case]
    columns = 64 if case == "columns" else 128
    text = LINEAR.replace("T(acc)", value)
    x, w = small(t, (128, 128)), small(t, (128, 128))
    if target() == "emulator":
        t.fails("k", dict(T="bf16", **tile_of(128, columns)), source=t.file(text), x=x, w=w, out=dict(y="bf16"), options=["--schedule", schedule], expect=why, code=2)


if __name__ == "__main__":
    main()
