"""Products of warps with roles of other elements than those of 16 bits: f8, i8 and tf32.

Inputs are small integers, so that everything is exact and one wrong element shows."""

import numpy as np

from harness import array, main, sweep, test
from roles import hopper, small, tile_of

ELEMENTS = """
kernel k(x: X[M, K], w: W[N, K], b: f32[N]?, y: out SUM[M, N])
over (i in M by BM, j in N by BN) {
  var acc: SUM[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over kPRECISION); }
  if b { acc = SUM(f32(acc) + b[j]); }
  y[i, j] = acc;
}
"""

KINDS = {
    "e4m3": ("f8e4m3", "f8e4m3", "f32", ""), "e5m2 by e4m3": ("f8e5m2", "f8e4m3", "f32", ""), "fast e4m3": ("f8e4m3", "f8e4m3", "f32", "fast"),
    "i8": ("i8", "i8", "i32", ""), "tf32": ("f32", "f32", "f32", "tf32"),
}


def elements_kernel(kind):
    X, W, SUM, precision = KINDS[kind]
    text = ELEMENTS.replace("X[", X + "[").replace("W[", W + "[").replace("SUM", SUM)
    return text.replace("PRECISION", f", precision = {precision}" if precision else ""), X, W, SUM


def row_padded(x):
    """Rows are whole multiples of 16 elements apart, with NaN or 77 between them."""
    columns = x.raw.shape[-1]
    return x.embedded((0, 0), (0, 16 + -columns % 16), (1, 1))


@sweep(kind=list(KINDS), shape=[(129, 208, 264), (65, 72, 40), (300, 200, 136), (1, 16, 8), (130, 64, 0), (257, 136, 1024)], tile=[(64, 64), (128, 176), (128, 256), (256, 64)])
def elements_of_other_types(t, kind, shape, tile):
    text, X, W, SUM = elements_kernel(kind)
    M, N, K = shape
    depth = 32 if X == "f32" else 128
    x, w, b = small(t, (M, K), X), small(t, (N, K), W), small(t, (N,), "f32")
    promoted = kind in ("e4m3", "e5m2 by e4m3")
    roles = None if K == 0 else not (promoted and tile == (128, 256))
    (y,) = hopper(t, text, tile_of(*tile, depth), roles=roles, x=row_padded(x), w=row_padded(w), b=b, out=dict(y=SUM))
    t.same(y, x.value @ w.value.T + b.value)


@sweep(kind=["e4m3", "fast e4m3", "i8", "tf32"], shape=[(200, 300, 528), (16, 264, 1040)])
def elements_of_other_types_with_chosen_tiles(t, kind, shape):
    text, X, W, SUM = elements_kernel(kind)
    M, N, K = shape
    x, w = small(t, (M, K), X), small(t, (N, K), W)
    (y,) = hopper(t, text, {}, x=x, w=w, out=dict(y=SUM))
    t.same(y, x.value @ w.value.T)


@test
def operands_of_tf32_are_rounded(t):
    """Not cut: 1 + 2^-11 + 2^-20 is nearer to 1 + 2^-10 than to 1."""
    text, *_ = elements_kernel("tf32")
    x, w = array(np.full((64, 32), 1 + 2.0**-11 + 2.0**-20), "f32"), array(np.eye(64, 32), "f32")
    (y,) = hopper(t, text, tile_of(64, 64, 32), x=x, w=w, out=dict(y="f32"))
    if "(sm_90a)" in t.printed:
        t.same(y, np.where(np.arange(64) < 32, 1 + 2.0**-10, 0) * np.ones((64, 1)))


@sweep(kind=["e4m3", "i8", "tf32"], which=["rows", "columns"])
def other_types_are_not_turned(t, kind, which):
    """Of 8 and 32 bits the summed axis must be the contiguous one."""
    text, X, W, SUM = elements_kernel(kind)
    x, w = small(t, (64, 128), X), small(t, (64, 128), W)
    views = dict(x=x.transposed((1, 0)) if which == "rows" else x, w=w.transposed((1, 0)) if which == "columns" else w)
    (y,) = hopper(t, text, tile_of(64, 128 if X != "f32" else 64, 128), roles=False, **views, out=dict(y=SUM))
    t.same(y, x.value @ w.value.T)


if __name__ == "__main__":
    main()
