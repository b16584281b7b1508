"""Running kernels that warps with roles should run on sm_90a, and the views that their tensor copies meet."""

import numpy as np

from harness import Mismatch, array, target

# Warps with roles are three warpgroups, which no other kernel has here.
ROLES = "blocks of 384 threads"


LINEAR = """
kernel k<T: float>(x: T[M, K], w: T[N, K], b: f32[N]?, y: out T[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  if b { acc += b[j]; }
  y[i, j] = T(acc);
}
"""


def hopper(t, text, bind=None, *, roles=True, kernel="k", schedule=None, **rest):
    """Runs a kernel of `text`; on sm_90a it must have warps with roles, or must not (None: either). Elsewhere it has no schedule."""
    run = lambda **more: t.run(kernel, bind, source=t.file(text), **rest, **more)  # noqa: E731
    try:
        results = run(options=["--schedule", schedule]) if schedule and target() != "cpu" else run()
    except Mismatch as mismatch:
        if "whose warps have no roles" not in str(mismatch):
            raise
        results = run()
    if "(sm_90a)" in t.printed and roles is not None and (ROLES in t.printed) != roles:
        raise Mismatch(f"the product {'does not run' if roles else 'runs'} by warps with roles: {t.printed.splitlines()[1]}")
    return results


def tile_of(rows, columns, depth=64):
    return dict(BM=rows, BN=columns, BK=depth)


def small(t, shape, dtype="bf16"):
    return array(t.random.integers(-3, 4, shape), dtype)


def padded(x, *, before=0, rows=0):
    """The same elements with NaN around them; rows are whole multiples of 16 bytes apart."""
    columns = x.raw.shape[-1]
    lead = (0,) * (x.raw.ndim - 2)
    return x.embedded((*lead, rows, before), (*lead, rows, -(before + columns) % 8), (1,) * x.raw.ndim)


def place(shape, dtype, before=8, rows=1, after=8):
    """Memory for an output, with nines around it; as aligned as a tensor copy wants it."""
    after += -shape[-1] % 8
    lead = (0,) * (len(shape) - 2)
    return array(np.zeros(shape), dtype).embedded((*lead, rows, before), (*lead, rows, after), (1,) * len(shape), fill=9)


def untouched_around(t, got, memory, want):
    around = np.full(memory.raw.shape, 9.0)
    around[memory.view[0]] = want
    t.same(got, around)


def along_rows_of_tiles(reduce, value, columns):
    """What `reduce` makes of each row of each tile of so many columns, for all its elements."""
    tiles = np.split(value, range(columns, value.shape[1], columns), axis=1)
    return np.concatenate([np.broadcast_to(reduce(tile, axis=1, keepdims=True), tile.shape) for tile in tiles], axis=1)
