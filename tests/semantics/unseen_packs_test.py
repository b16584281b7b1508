"""Products of warps with roles whose views are packs, in one part or several that lie apart, and rows that are several results side by side.

Inputs are small integers, so that everything is exact and one wrong element shows."""

import numpy as np

from harness import array, main, rounded, sweep
from roles import LINEAR, hopper, small, tile_of, untouched_around

PACK = LINEAR.replace("[M,", "[M...,")


def apart(x):
    """The same elements, of which those of the last dimension but one do not follow those before: a pack in parts."""
    zeros = (0,) * (x.raw.ndim - 2)
    return x.embedded((*zeros, 1, 0), (*zeros, 2, 0), (1,) * x.raw.ndim)


@sweep(lead=[(), (70,), (2, 65), (3, 2, 33), (2, 1, 64), (3, 40), (2, 2, 8)], order=["whole", "apart"])
def packs(t, lead, order):
    x, w = small(t, (*lead, 72)), small(t, (72, 72))
    view = apart(x) if order == "apart" and len(lead) > 1 else x
    (y,) = hopper(t, PACK, dict(T="bf16", **tile_of(64, 64)), roles=view is x or lead[-1] % 16 == 0, x=view, w=w, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T, "bf16"))


@sweep(lead=[(3, 64), (5, 16), (3, 48), (2, 128), (2, 3, 32), (2, 2, 2, 80), (3, 256)], tile=[(64, 64), (128, 192), (256, 128), (192, 112)])
def packs_in_parts(t, lead, tile):
    """Tiles of several parts, parts of several tiles, parts that a tile ends in."""
    x, w = small(t, (*lead, 136)), small(t, (200, 136))
    (y,) = hopper(t, PACK, dict(T="bf16", **tile_of(*tile)), x=apart(x), w=w, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T, "bf16"))


@sweep(size=[(3, 64), (2, 128), (1, 192), (2, 320), (3, 32), (2, 200), (1, 200)], tile=[(64, 64), (128, 176), (256, 128)], dtype=["bf16", "f16"])
def channels_before_positions(t, size, tile, dtype):
    """x of [batch, channel, position], seen as [batch, position, channel]."""
    batch, positions = size
    x, w = small(t, (batch, positions, 72), dtype), small(t, (208, 72), dtype)
    view = x.transposed((0, 2, 1))
    (y,) = hopper(t, PACK, dict(T=dtype, **tile_of(*tile)), roles=batch == 1 or positions % 64 == 0, x=view, w=w, out=dict(y=dtype))
    t.same(y, rounded(x.value @ w.value.T, dtype))


CHANNELS_FIRST = """
kernel k<T: float>(x: T[K, M...], w: T[N, K], y: out T[M..., N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(w[j, k], x[k, i], over k); }
  y[i, j] = T(acc);
}
"""


@sweep(lead=[(3, 64), (2, 2, 128)], tile=[(64, 64), (128, 176)])
def channels_before_positions_of_all_images(t, lead, tile):
    x, w = small(t, (72, *lead)), small(t, (200, 72))
    (y,) = hopper(t, CHANNELS_FIRST, dict(T="bf16", **tile_of(*tile)), x=apart(x), w=w, out=dict(y="bf16"))
    t.same(y, rounded(np.moveaxis(x.value, 0, -1) @ w.value.T, "bf16"))


@sweep(lead=[(3, 16), (2, 80), (2, 2, 32), (2, 24)], tile=[(64, 64), (128, 208)])
def results_in_packs(t, lead, tile):
    x, w = small(t, (*lead, 72)), small(t, (200, 72))
    zeros = (0,) * (len(lead) - 1)
    y = array(np.zeros((*lead, 200)), "bf16").embedded((*zeros, 1, 8), (*zeros, 2, 16), (1,) * (len(lead) + 1), fill=9)
    (got,) = hopper(t, PACK, dict(T="bf16", **tile_of(*tile)), x=x, w=w, y=y, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value @ w.value.T, "bf16"))


SUMMED_PACK = """
kernel k<T: float>(d: T[M..., N], x: T[M..., K], y: out T[N, K])
over (j in N by BM, k in K by BN) {
  var acc: f32[j, k] = 0;
  for i in M by BK { acc += dot(d[i, j], x[i, k], over i); }
  y[j, k] = T(acc);
}
"""


@sweep(lead=[(3, 64), (5, 16), (3, 2, 32), (3, 40)], depth=[64, 128])
def packs_that_are_summed(t, lead, depth):
    d, x = small(t, (*lead, 72)), small(t, (*lead, 136))
    (y,) = hopper(t, SUMMED_PACK, dict(T="bf16", **tile_of(64, 128, depth)), roles=lead[-1] % 16 == 0, d=apart(d), x=apart(x), out=dict(y="bf16"))
    t.same(y, rounded(np.einsum("mn,mk->nk", d.value.reshape(-1, 72), x.value.reshape(-1, 136)), "bf16"))


RESIDUAL_IN_PACK = """
kernel k<T: float>(x: T[M..., K], w: T[N, K], r: T[M..., N], b: T[N]?, y: out T[M..., N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  if b { acc += b[j]; }
  y[i, j] = T(acc + r[i, j]);
}
"""


@sweep(lead=[(3, 64), (2, 80), (2, 2, 32), (2, 24)], tile=[(64, 64), (128, 176)], bias=[False, True])
def residuals_in_packs(t, lead, tile, bias):
    x, w, b = small(t, (*lead, 72)), small(t, (200, 72)), small(t, (200,))
    zeros, r = (0,) * (len(lead) - 1), small(t, (*lead, 200))
    apart_in_memory = r.embedded((*zeros, 1, 8), (*zeros, 2, 16), (1,) * (len(lead) + 1))
    (y,) = hopper(t, RESIDUAL_IN_PACK, dict(T="bf16", **tile_of(*tile)), x=x, w=w, r=apart_in_memory, b=b if bias else None, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T + (b.value if bias else 0) + r.value, "bf16"))


PARTS = """
import "activations.tile";
kernel k<T: float, act: fn(f32) -> f32 = identity>(x: T[B, M, K], w: T[NP + NQ + NR, K], b: T[NP + NQ + NR]?, p: out T[B, M, NP], q: out T[B, M, NQ], r: out T[B, M, NR])
over (n in B, i in M by BM, j in NP + NQ + NR by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[n, i, k], w[j, k], over k); }
  if b { acc += b[j]; }
  p[n, i, j, else drop] = T(acc);
  q[n, i, j - NP, else drop] = T(acc);
  r[n, i, j - (NQ + NP), else drop] = T(act(acc));
}
"""


@sweep(parts=[(64, 64, 64), (200, 8, 72), (8, 8, 8), (0, 136, 64), (128, 0, 0), (65, 64, 100)], tile=[(64, 64), (128, 176), (128, 256)], bias=[False, True])
def parts_of_a_row(t, parts, tile, bias):
    """Tiles that straddle two or three results, and some that miss one."""
    P, Q, R = parts
    x, w, b = small(t, (2, 90, 72)), small(t, (sum(parts), 72)), small(t, (sum(parts),))
    memory = [array(np.zeros((2, 90, n)), "bf16").embedded((0, 1, 8), (0, 2, 8 + -n % 8), (1, 1, 1), fill=9) for n in parts]
    places = dict(zip("pqr", memory))
    got = hopper(t, PARTS, dict(T="bf16", act="relu", **tile_of(*tile)), roles=None if 0 in parts or any(n % 8 for n in parts) else True, x=x, w=w, b=b if bias else None, **places,
                 out=dict(p="bf16", q="bf16", r="bf16"))
    want = np.split(x.value @ w.value.T + (b.value if bias else 0), np.cumsum(parts)[:-1], axis=-1)
    for result, place_of, value, act in zip(got, memory, want, (lambda v: v, lambda v: v, lambda v: np.maximum(v, 0))):
        untouched_around(t, result, place_of, rounded(act(value), "bf16"))


if __name__ == "__main__":
    main()
