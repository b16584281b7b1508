"""Tiles and vectors that meet a product of warps with roles (a residual, a bias), of views that tensor copies can take and of others: right at every edge, whatever is loaded, stored and left out beside them.

Inputs are small integers, so that everything is exact and one wrong element shows."""

import numpy as np

from harness import main, rounded, sweep, target, test
from roles import along_rows_of_tiles, hopper, padded, place, small, tile_of, untouched_around

RESIDUALS = """
kernel k<T: float>(x: T[M, K], w: T[N, K], r: T[M, N]?, s: T[M, N]?, y: out T[M, N], z: out T[M, N]?)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  if s { acc += 2 * s[i, j]; }
  if z { z[i, j] = T(acc); }
  if r { acc += r[i, j]; }
  y[i, j] = T(acc);
}
"""

# Every number of pieces in a tile that there is, and of places for them: pieces of 64 columns, then of 48, 32 and 16; one and two for each 64
# columns; more tiles for a block than two.
SHAPES = [
    # M, N, K, rows, columns, depth
    (1, 8, 8, 64, 16, 64), (65, 24, 8, 64, 32, 64), (200, 56, 72, 64, 48, 64), (300, 264, 8, 64, 64, 64), (129, 136, 72, 128, 64, 64),
    (700, 184, 8, 64, 80, 64), (300, 392, 64, 128, 112, 64), (129, 520, 72, 64, 128, 64), (520, 264, 8, 128, 176, 64),
    (640, 600, 72, 128, 192, 64), (257, 432, 8, 128, 208, 64), (300, 520, 72, 128, 256, 64), (520, 136, 8, 256, 128, 64),
    (193, 120, 0, 192, 112, 64), (70, 512, 136, 64, 256, 128), (1000, 24, 8, 64, 16, 64),
]


@sweep(shape=SHAPES, given=["r", "rsz"], seed=["", 7])
def any_shape_with_any_tile(t, shape, given, seed):
    M, N, K, *tile = shape
    if seed:
        t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
    x, w, r, s = small(t, (M, K)), small(t, (N, K)), small(t, (M, N)), small(t, (M, N))
    want = x.value @ w.value.T + 2 * ("s" in given) * s.value
    y, z = place((M, N), "bf16"), place((M, N), "bf16")
    views = dict(x=x, w=w, r=padded(r, rows=3, before=8) if "r" in given else None, s=padded(s, before=16) if "s" in given else None, y=y)
    outputs = dict(y="bf16")
    if "z" in given:
        views, outputs = dict(views, z=z), dict(y="bf16", z="bf16")
    # Of a view without columns either dimension may be the one of stride 1.
    got = hopper(t, RESIDUALS, dict(T="bf16", **tile_of(*tile)), roles=True if K else None, **views, out=outputs)
    if "z" in given:
        untouched_around(t, got[1], z, rounded(want, "bf16"))
    untouched_around(t, got[0], y, rounded(want + ("r" in given) * r.value, "bf16"))


EXACT = """
kernel k(x: bf16[M, K], w: bf16[N, K], b: f32[N], r: f32[M, N], y: out f32[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = acc * 0 + (b[j] + r[i, j]);
}
"""


@sweep(shape=[(200, 264, 72, 128, 128, 64), (65, 520, 8, 64, 192, 64)])
def f32_keeps_all_its_bits(t, shape):
    """Copies of operands round f32 to tf32; copies of others must not."""
    M, N, K, *tile = shape
    x, w, b, r = small(t, (M, K)), small(t, (N, K)), t.normal((N,), "f32"), t.normal((M, N), "f32")
    (y,) = hopper(t, EXACT, tile_of(*tile), x=x, w=w, b=b, r=r, out=dict(y="f32"))
    t.same(y, (b.value.astype(np.float32) + r.value.astype(np.float32)).astype(np.float64))


MADE_OF_IT = """
kernel k<R: float, Z: float>(x: bf16[M, K], w: bf16[N, K], r: R[M, N], y: out bf16[M, N], z: out Z[M, N]?)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  let q = r[i, j];
  y[i, j] = bf16(max(q, 0) * acc + q);
  if z { z[i, j] = Z(q); }
}
"""


@sweep(elements=["bf16", "f16", "bf16 bf16", "bf16 f16", "bf16 f32"], asked=[(128, 192, None), (128, 192, 2), (128, 128, 6), (128, 128, 3), (256, 64, 4)])
def result_in_the_place_of_a_tile(t, elements, asked):
    """Where all that is made of a residual is the result, this is stored from where the residual was."""
    M, N, K = 900, 400, 136
    first, *second = elements.split()
    *tile, stages = asked
    x, w, r = small(t, (M, K)), small(t, (N, K)), small(t, (M, N), first)
    # So many stages leave room for two to six places, but not for the staging of two outputs.
    options = ["--schedule", f"stages={stages}"] if stages and not second and target() != "cpu" else []
    bind = dict(R=first, Z=second[0] if second else "bf16", **tile_of(*tile))
    outputs = dict(y="bf16", z=second[0]) if second else dict(y="bf16")
    y, *z = t.run("k", bind, source=t.file(MADE_OF_IT), options=options, x=x, w=w, r=padded(r, before=8), out=outputs)
    t.same(y, rounded(np.maximum(r.value, 0) * (x.value @ w.value.T) + r.value, "bf16"))
    if second:
        t.same(z[0], r.value)


@sweep(start=[0, 1, 2, 4], columns=[200, 201, 204], dtype=["bf16", "f16"])
def residuals_of_any_alignment(t, start, columns, dtype):
    M, K = 150, 72
    x, w = small(t, (M, K), dtype), small(t, (columns, K), dtype)
    r = small(t, (M, columns), dtype)
    memory = r.embedded((1, start), (1, 3), (1, 1))
    (y,) = hopper(t, RESIDUALS, dict(T=dtype, **tile_of(128, 192)), x=x, w=w, r=memory, out=dict(y=dtype))
    t.same(y, rounded(x.value @ w.value.T + r.value, dtype))


@sweep(tile=[(64, 72), (120, 64), (128, 24)])
def tiles_that_are_padded(t, tile):
    x, w, r = small(t, (300, 72)), small(t, (208, 72)), small(t, (300, 208))
    (y,) = hopper(t, RESIDUALS, dict(T="bf16", **tile_of(*tile)), x=x, w=w, r=r, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T + r.value, "bf16"))


STORED_OTHERWISE = """
kernel k(x: bf16[M, K], w: bf16[N, K], r: bf16[M, N], y: out f32[M, N], s: out f32[M, N], z: out bf16[N, M]?)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  let q = r[i, j];
  s[i, j] = acc - sum(q, over j);
  y[i, j] = acc + q;
  if z { z[j, i] = q; }
}
"""


@sweep(tile=[(64, 64), (128, 192), (128, 256)], transposed=[False, True])
def what_threads_store_and_sum(t, tile, transposed):
    """Elements are asked for in another order than they come in, and in another layout. What is beyond the tile's end is no part of a sum."""
    x, w, r = small(t, (300, 72)), small(t, (264, 72)), small(t, (300, 264))
    outputs = dict(y="f32", s="f32", z="bf16") if transposed else dict(y="f32", s="f32")
    y, s, *z = hopper(t, STORED_OTHERWISE, tile_of(*tile), roles=None, x=x, w=w, r=padded(r, before=8), out=outputs)
    product = x.value @ w.value.T
    t.same(y, product + r.value)
    t.same(s, product - along_rows_of_tiles(np.sum, r.value, tile[1]))
    if transposed:
        t.same(z[0], r.value.T)


WIDE = """
kernel k<T: float>(x: T[M, K], w: T[N, K], r: f32[M, N], s: T[M, N]?, y: out T[M, N], z: out f32[M, N]?)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  let t = acc + r[i, j];
  if s { y[i, j] = T(t + s[i, j]); } else { y[i, j] = T(t); }
  if z { z[i, j] = t; }
}
"""


@sweep(shape=[shape for shape in SHAPES if shape[2]], given=["", "sz"])
def tiles_of_f32(t, shape, given):
    """A stream of residuals in f32 beside elements of 16 bits: pieces of half as many columns."""
    M, N, K, *tile = shape
    x, w, r, s = small(t, (M, K)), small(t, (N, K)), small(t, (M, N), "f32"), small(t, (M, N))
    outputs = dict(y="bf16", z="f32") if given else dict(y="bf16")
    y, *z = hopper(t, WIDE, dict(T="bf16", **tile_of(*tile)), roles=None if given else True, x=x, w=w, r=padded(r, rows=1), s=s if given else None, out=outputs)
    want = x.value @ w.value.T + r.value
    t.same(y, rounded(want + (s.value if given else 0), "bf16"))
    if given:
        t.same(z[0], want)


BATCHES = """
kernel k(x: bf16[B, M, K], w: bf16[N, K], r: bf16[B, M, N], p: bf16[2, M, N], y: out bf16[B, M, N])
over (b in B, i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[b, i, k], w[j, k], over k); }
  y[b, i, j] = bf16(acc + r[b, i, j] * p[1, i, j]);
}
"""


@sweep(tile=[(64, 64), (128, 192)])
def tiles_of_a_batch(t, tile):
    x, w, r, p = small(t, (3, 200, 72)), small(t, (264, 72)), small(t, (3, 200, 264)), small(t, (2, 200, 264))
    (y,) = hopper(t, BATCHES, tile_of(*tile), x=x, w=w, r=r, p=p, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T + r.value * p.value[1], "bf16"))


SHIFTED = """
kernel k(x: bf16[M, K], w: bf16[N, K], r: bf16[2 * M, N], s: bf16[M, N], y: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(acc + r[M + i, j] + max(s[i, j], 0));
}
"""


@sweep(tile=[(64, 64), (128, 192)])
def part_of_a_view(t, tile):
    """What a tile has beyond its end is no end of the view: threads load it."""
    x, w, r, s = small(t, (200, 72)), small(t, (264, 72)), small(t, (400, 264)), small(t, (200, 264))
    (y,) = hopper(t, SHIFTED, tile_of(*tile), x=x, w=w, r=r, s=s, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T + r.value[200:] + np.maximum(s.value, 0), "bf16"))


VECTORS = """
kernel k<T: float>(x: T[M, K], w: T[N, K], a: T[N], b: f32[N], p: T[4, N], r: T[M, N]?, y: out T[M, N], s: out f32[M, N]?)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  if s { s[i, j] = sum(b[j], over j); }
  if r { acc += r[i, j]; }
  y[i, j] = T(acc * a[j] + b[j] - p[2, j]);
}
"""


@sweep(shape=[(200, 264, 8, 64, 16), (1, 24, 72, 64, 32), (520, 392, 8, 128, 112), (300, 456, 72, 128, 192), (300, 520, 8, 128, 256)],
       dtype=["bf16", "f16"], given=["", "rs"])
def vectors_of_any_type(t, shape, dtype, given):
    """More tiles for a block than there are stages for their parts, and sums that must not see what is beyond the last column."""
    M, N, K, *tile = shape
    x, w, r = small(t, (M, K), dtype), small(t, (N, K), dtype), small(t, (M, N), dtype)
    a, b, p = small(t, (N,), dtype), small(t, (N,), "f32"), small(t, (4, N), dtype)
    around = b.embedded((4,), (5,), (1,))
    outputs = dict(y=dtype, s="f32") if given else dict(y=dtype)
    y, *s = hopper(t, VECTORS, dict(T=dtype, **tile_of(*tile)), roles=None, x=x, w=w, a=a, b=around, p=padded(p), r=r if given else None, out=outputs)
    want = (x.value @ w.value.T + (r.value if given else 0)) * a.value + b.value - p.value[2]
    t.same(y, rounded(want, dtype))
    if given:
        t.same(s[0], along_rows_of_tiles(np.sum, np.broadcast_to(b.value, (M, N)), tile[1]))


@sweep(start=[0, 1, 8], columns=[264, 265])
def vectors_of_any_alignment(t, start, columns):
    x, w = small(t, (300, 72)), small(t, (columns, 72))
    b = small(t, (columns,), "bf16")
    text = """
kernel k(x: bf16[M, K], w: bf16[N, K], b: bf16[N], y: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(acc + b[j]);
}
"""
    (y,) = hopper(t, text, tile_of(64, 112), x=x, w=w, b=b.embedded((start,), (3,), (1,)), out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T + b.value, "bf16"))


@test
def several_residuals(t):
    """Each has places of its own."""
    text = """
kernel k(x: bf16[M, K], w: bf16[N, K], a: bf16[M, N], b: bf16[M, N], c: bf16[M, N], y: out bf16[M, N], z: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(acc * a[i, j] + b[i, j]);
  z[i, j] = bf16(acc + c[i, j] * a[i, j]);
}
"""
    x, w, a, b, c = (small(t, shape) for shape in ((300, 72), (264, 72), (300, 264), (300, 264), (300, 264)))
    y, z = hopper(t, text, tile_of(128, 128), x=x, w=w, a=a, b=b, c=c, out=dict(y="bf16", z="bf16"))
    product = x.value @ w.value.T
    t.same(y, rounded(product * a.value + b.value, "bf16"))
    t.same(z, rounded(product + c.value * a.value, "bf16"))


if __name__ == "__main__":
    main()
