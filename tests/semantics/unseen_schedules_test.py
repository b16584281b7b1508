"""Schedules that are asked for: each computes what the others do, in the shape that it names."""

from harness import Mismatch, main, rounded, sweep, target
from roles import LINEAR, padded, place, small, tile_of, untouched_around

# Schedules of a product, and the threads of a block.
SCHEDULES = {
    "groups=2,warps=4": 384, "groups=1,warps=4": 256, "groups=1,warps=8": 384, "groups=2,warps=8": 640, "groups=2,warps=8,stages=2": 640,
    "stages=2": 384, "stages=3,vectors=loaded": 384, "vectors=prepared": 384, "registers=24/240": 384, "groups=2,warps=8,registers=32/104": 640,
    "plain": None,
}  # fmt: skip

# M, N, K: fewer tiles than blocks, ends of tiles and steps, more steps than stages, one column of tiles.
SHAPES = [(300, 264, 136), (1, 8, 8), (129, 200, 1000), (1000, 72, 72), (640, 600, 64)]


def asked(t, schedule, bind, *, text=LINEAR, threads=None, **rest):
    """On sm_90a the block has so many threads, else nobody can ask for a schedule."""
    options = ["--schedule", schedule] if target() != "cpu" else []
    results = t.run("k", bind, source=t.file(text), options=options, **rest)
    if options and "(sm_90a)" in t.printed and threads and f"blocks of {threads} threads" not in t.printed:
        raise Mismatch(f"`{schedule}` does not run by blocks of {threads} threads: {t.printed.splitlines()[1]}")
    return results


@sweep(schedule=list(SCHEDULES), shape=SHAPES)
def any_schedule_with_any_shape(t, schedule, shape):
    M, N, K = shape
    x, w, b = small(t, (M, K)), small(t, (N, K)), small(t, (N,), "f32")
    y = place((M, N), "bf16")
    (got,) = asked(t, schedule, dict(T="bf16", **tile_of(128, 128)), threads=SCHEDULES[schedule], x=padded(x), w=padded(w), b=b, y=y, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value @ w.value.T + b.value, "bf16"))


RESIDUAL = """
kernel k<T: float>(x: T[M, K], w: T[N, K], r: T[M, N], y: out T[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = T(acc + r[i, j]);
}
"""


@sweep(schedule=[name for name in SCHEDULES if "vectors" not in name], tile=[(128, 128), (128, 64), (256, 64)])
def residuals(t, schedule, tile):
    if schedule == "groups=1,warps=4" and tile[0] == 256:
        tile = (64, 128)
    M, N, K = 400, 136, 200
    x, w, r = small(t, (M, K)), small(t, (N, K)), small(t, (M, N))
    (got,) = asked(t, schedule, dict(T="bf16", **tile_of(*tile)), text=RESIDUAL, threads=SCHEDULES[schedule], x=x, w=w, r=r, out=dict(y="bf16"))
    t.same(got, rounded(x.value @ w.value.T + r.value, "bf16"))


main(__name__)
