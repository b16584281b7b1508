"""Products that run by warps with roles (tensor copies, wgmma) on sm_90a: kernels, shapes and views that nobody chose the path for.

Every case says whether the path is to be taken. Most inputs are small integers, so that products are exact and one wrong element shows."""

import numpy as np

import reference
from harness import array, encode, main, rounded, sweep, test
from roles import LINEAR, along_rows_of_tiles, hopper, padded, place, small, tile_of, untouched_around

# ----------------------------------------------------------------------------------------------------------------------
# Shapes and tiles
# ----------------------------------------------------------------------------------------------------------------------

SHAPES = [
    # M, N, K, rows, columns, depth
    (1, 8, 1, 64, 16, 64), (1, 8, 8, 128, 48, 64), (63, 24, 0, 64, 32, 64), (64, 48, 64, 64, 48, 64), (65, 72, 72, 64, 80, 64),
    (127, 200, 8, 128, 112, 64), (129, 208, 1, 128, 144, 64), (129, 208, 72, 64, 208, 64), (65, 200, 130, 128, 176, 64),
    (127, 208, 192, 128, 192, 64), (129, 200, 128, 128, 208, 64), (300, 264, 136, 128, 256, 64), (257, 136, 72, 256, 128, 64),
    (300, 200, 72, 256, 16, 64), (129, 300, 200, 256, 208, 64), (520, 72, 72, 256, 96, 64), (1, 208, 4096, 64, 208, 64),
    (65, 24, 4096, 64, 32, 128), (193, 120, 320, 192, 112, 64), (300, 72, 264, 128, 64, 128), (320, 320, 200, 64, 64, 64),
    (700, 40, 264, 64, 16, 192), (64, 513, 72, 64, 16, 64), (200, 200, 264, 64, 240, 128), (640, 600, 8, 64, 128, 64),
    (385, 520, 0, 128, 128, 64), (385, 385, 1, 128, 128, 64), (65, 72, 65, 64, 80, 64),
]


@sweep(shape=SHAPES, seed=["", 7])
def any_shape_with_any_tile(t, shape, seed):
    M, N, K, *tile = shape
    if seed:
        t.environment["TILEWRIGHT_EMULATOR_SEED"] = str(seed)
    x, w, b = small(t, (M, K)), small(t, (N, K)), small(t, (N,), "f32")
    y = place((M, N), "bf16")
    views = dict(x=padded(x, rows=2), w=padded(w, rows=3), b=b, y=y)
    # Of a view without columns either dimension may be the one of stride 1.
    (got,) = hopper(t, LINEAR, dict(T="bf16", **tile_of(*tile)), roles=True if K else None, **views, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value @ w.value.T + b.value, "bf16"))


@sweep(shape=[(0, 64, 64), (64, 0, 64), (0, 0, 0), (1, 1, 0), (200, 72, 0)], bias=[False, True])
def nothing_to_do_or_to_sum(t, shape, bias):
    M, N, K = shape
    x, w, b = small(t, (M, K)), small(t, (N, K)), small(t, (N,), "f32")
    (y,) = hopper(t, LINEAR, dict(T="bf16", **tile_of(64, 64)), x=x, w=w, b=b if bias else None, out=dict(y="bf16"))
    t.same(y, rounded(x.value @ w.value.T + (b.value if bias else 0), "bf16"))


@sweep(shape=[(150, 200, 136), (64, 512, 72), (2, 2, 8), (129, 100, 264)], dtype=["bf16", "f16"])
def the_compiler_chooses_the_tile(t, shape, dtype):
    M, N, K = shape
    x, w = t.normal((M, K), dtype), t.normal((N, K), dtype)
    (y,) = hopper(t, LINEAR, dict(T=dtype), x=x, w=w, out=dict(y=dtype))
    t.close(y, x.value @ w.value.T, terms=K, scale=abs(x.value) @ abs(w.value).T)


@sweep(tile=[(64, 72), (64, 100), (120, 64), (60, 60), (128, 24), (250, 88), (64, 200), (100, 64)])
def tiles_that_are_padded(t, tile):
    """Their boxes reach into the neighbours' elements."""
    x, w, y = small(t, (300, 72)), small(t, (208, 72)), place((300, 208), "bf16")
    (got,) = hopper(t, LINEAR, dict(T="bf16", **tile_of(*tile)), roles=tile[0] != 100, x=x, w=w, y=y, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value @ w.value.T, "bf16"))


# ----------------------------------------------------------------------------------------------------------------------
# Operands
# ----------------------------------------------------------------------------------------------------------------------


def product(*, rows="M, K", columns="N, K", swapped=False, result="i, j", out="M, N", grid="i in M by BM, j in N by BN"):
    left = "x[i, k]" if rows == "M, K" else "x[k, i]"
    right = "w[j, k]" if columns == "N, K" else "w[k, j]"
    operands = (right, left) if swapped else (left, right)
    return f"""
kernel k<T: float>(x: T[{rows}], w: T[{columns}], y: out T[{out}])
over ({grid}) {{
  var acc: f32[{result}] = 0;
  for k in K by BK {{ acc += dot({operands[0]}, {operands[1]}, over k); }}
  y[{out.lower().replace("m", "i").replace("n", "j")}] = T(acc);
}}
"""


TILES_OF_EACH_FAMILY = [(64, 64, 64), (128, 192, 64), (256, 128, 128), (128, 256, 64)]


@sweep(rows=["M, K", "K, M"], columns=["N, K", "K, N"], swapped=[False, True], tile=TILES_OF_EACH_FAMILY)
def operands_in_either_order(t, rows, columns, swapped, tile):
    M, N, K = 200, 264, 200
    x, w = small(t, (M, K), "f16"), small(t, (N, K), "f16")
    memory = {"x": x if rows == "M, K" else array(x.value.T, "f16"), "w": w if columns == "N, K" else array(w.value.T, "f16")}
    text = product(rows=rows, columns=columns, swapped=swapped)
    views = dict(x=padded(memory["x"], rows=1), w=padded(memory["w"], rows=2))
    (y,) = hopper(t, text, dict(T="f16", **tile_of(*tile)), **views, out=dict(y="f16"))
    t.same(y, rounded(x.value @ w.value.T, "f16"))


GRIDS = ["i in M by BM, j in N by BN", "j in N by BN, i in M by BM"]


@sweep(result=["i, j", "j, i"], out=["M, N", "N, M"], grid=GRIDS, tile=[(64, 128), (128, 64), (128, 128)])
def results_in_either_order(t, result, out, grid, tile):
    x, w = small(t, (200, 72)), small(t, (136, 72))
    text = product(result=result, out=out, grid=grid)
    y = place((200, 136) if out == "M, N" else (136, 200), "bf16")
    (got,) = hopper(t, text, dict(T="bf16", **tile_of(*tile)), x=x, w=w, y=y, out=dict(y="bf16"))
    want = rounded(x.value @ w.value.T, "bf16")
    untouched_around(t, got, y, want if out == "M, N" else want.T)


@sweep(depth=[16, 24, 40, 48, 80, 100, 256], M=[72, 200])
def steps_of_any_depth_where_rows_are_contiguous(t, depth, M):
    x, w = small(t, (104, M)), small(t, (104, 136))
    text = product(rows="K, M", columns="K, N")
    whole = depth % 16 == 0
    (y,) = hopper(t, text, dict(T="bf16", **tile_of(64, 64, depth)), roles=whole, x=x, w=w, out=dict(y="bf16"))
    t.same(y, rounded(x.value.T @ w.value, "bf16"))


@sweep(M=[63, 65, 129], N=[60, 131], K=[1, 65])
def contiguous_rows_of_odd_length(t, M, N, K):
    x, w = small(t, (K, M)), small(t, (K, N))
    text = product(rows="K, M", columns="K, N")
    (y,) = hopper(t, text, dict(T="bf16", **tile_of(64, 128)), x=padded(x), w=padded(w), out=dict(y="bf16"))
    t.same(y, rounded(x.value.T @ w.value, "bf16"))


OTHER_VIEWS = [f"{name} {how}" for name in "xwy" for how in ("shifted", "odd rows", "reversed", "columns", "every second")]


@sweep(which=OTHER_VIEWS)
def views_that_tensor_copies_cannot_take(t, which):
    M, N, K = 136, 72, 72
    x, w = small(t, (M, K)), small(t, (N, K))
    name, how = which.split(" ", 1)
    arguments = dict(x=x, w=w, y=array(np.zeros((M, N)), "bf16"))
    fill = 9 if name == "y" else np.nan
    before, after, steps = {
        "shifted": ((0, 1), (0, 7), (1, 1)), "odd rows": ((0, 0), (0, 1), (1, 1)), "reversed": ((0, 0), (0, 0), (-1, 1)),
        "columns": ((0, 0), (0, 0), (1, -1)),
        "every second": ((0, 0), (0, 0), (1, 2)),
    }[how]
    arguments[name] = arguments[name].embedded(before, after, steps, fill=fill)
    (got,) = hopper(t, product(), dict(T="bf16", **tile_of(64, 64)), roles=name == "y", out=dict(y="bf16"), **arguments)
    around = np.full(arguments["y"].raw.shape, 9.0)
    around[arguments["y"].view[0] if arguments["y"].view else slice(None)] = rounded(x.value @ w.value.T, "bf16")
    t.same(got, around)


@sweep(which=["rows apart", "every second row", "one row", "columns after others"])
def views_that_they_can(t, which):
    M, N, K = 1 if which == "one row" else 136, 72, 72
    x, w, y = small(t, (M, K)), small(t, (N, K)), place((M, N), "bf16", before=16, rows=3)
    before, after, steps = {
        "rows apart": ((2, 0), (1, 24), (1, 1)),
        "every second row": ((1, 8), (0, 0), (2, 1)),
        "one row": ((0, 0), (0, 5), (1, 1)),
        "columns after others": ((0, 64), (0, 0), (1, 1)),
    }[which]
    views = dict(x=x.embedded(before, after, steps), w=w.embedded((3, 8), (3, 8), (2, 1)), y=y)
    (got,) = hopper(t, product(), dict(T="bf16", **tile_of(64, 64)), **views, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value @ w.value.T, "bf16"))


GENERAL = """
kernel k(x: bf16[M, K], w: bf16[N, K], y: out f32[M, N], z: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = acc;
  z[i, j] = bf16(acc);
}
"""
GRAM = """
kernel k(x: bf16[N, D], y: out f32[N, N], z: out bf16[N, N])
over (i in N by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for d in D by BK { acc += dot(x[i, d], x[j, d], over d); }
  y[i, j] = acc;
  z[i, j] = bf16(acc);
}
"""


@sweep(tile=[(64, 128), (128, 64), (128, 256)])
def both_operands_are_one_view(t, tile):
    x = small(t, (200, 136))
    y, z = hopper(t, GRAM, tile_of(*tile), x=x, out=dict(y="f32", z="bf16"))
    t.same(y, x.value @ x.value.T)
    t.same(z, rounded(x.value @ x.value.T, "bf16"))


HALVES = """
kernel k(x: bf16[P, K], w: bf16[2 * F, K], shift: i64, y: out bf16[M, F], s: out f32[M, F])
over (i in M by BM, j in F by BN) {
  require 0 <= shift and shift + M <= P;
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[shift + i, k], w[F + j, k], over k); }
  y[i, j] = bf16(acc);
  s[i, j] = acc - sum(acc, over j);
}
"""


@sweep(F=[72, 200], shift=[0, 3, 70], tile=[(64, 128), (128, 80)])
def parts_of_operands_and_sums_along_rows(t, F, shift, tile):
    """What a box has beyond the tile's last row or column is of the other part, and NaN: no sum may see it."""
    M, K, P = 70, 72, 150
    x, w = small(t, (P, K)), small(t, (2 * F, K))
    x.raw[shift + M :] = encode(np.nan, "bf16")
    x.raw[:shift] = encode(np.nan, "bf16")
    whole = np.concatenate([np.full((F, K), np.nan), w.value[F:]])
    y, s = hopper(t, HALVES, tile_of(*tile), x=x, w=array(whole, "bf16"), shift=shift, dims=dict(M=M, F=F), out=dict(y="bf16", s="f32"))
    want = x.value[shift : shift + M] @ w.value[F:].T
    t.same(y, rounded(want, "bf16"))
    t.same(s, want - along_rows_of_tiles(np.sum, want, tile[1]))


PART_OF_GRID = """
kernel k(x: bf16[P, K], w: bf16[Q, K], low: i64, high: i64, y: out bf16[P, Q], z: out bf16[P, N])
over (i in low..high by BM, j in N by BN) {
  require 0 <= low and high <= P and N <= Q;
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(acc);
  z[i, j] = bf16(2 * acc);
}
"""


@sweep(low=[0, 5, 64], high=[64, 133], tile=[(64, 64), (128, 112)])
def grids_over_a_part_of_the_rows(t, low, high, tile):
    P, Q, N, K = 200, 136, 72, 72
    x, w = small(t, (P, K)), small(t, (Q, K))
    y, z = array(np.full((P, Q), 9), "bf16"), array(np.full((P, N), 9), "bf16")
    arguments = dict(x=x, w=w, low=low, high=high, y=y, z=z)
    got_y, got_z = hopper(t, PART_OF_GRID, tile_of(*tile), dims=dict(N=N), out=dict(y="bf16", z="bf16"), **arguments)
    product = x.value[low:high] @ w.value[:N].T
    want_y, want_z = np.full((P, Q), 9.0), np.full((P, N), 9.0)
    want_y[low:high, :N] = rounded(product, "bf16")
    want_z[low:high] = rounded(2 * product, "bf16")
    t.same(got_y, want_y)
    t.same(got_z, want_z)


PART_OF_SUM = """
kernel k(x: bf16[M, L], w: bf16[N, L], y: out f32[M, N], h: i64)
over (i in M by BM, j in N by BN) {
  require 0 <= h and h <= L;
  var acc: f32[i, j] = 0;
  for k in h by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = acc;
}
"""


@sweep(h=[0, 1, 63, 64, 72])
def sums_over_a_part_take_the_plain_path(t, h):
    x, w = small(t, (72, 136)), small(t, (72, 136))
    want = x.value[:, :h] @ w.value[:, :h].T
    x.raw[:, h:] = encode(np.nan, "bf16")
    (y,) = hopper(t, PART_OF_SUM, tile_of(64, 64), roles=False, x=x, w=w, h=h, out=dict(y="f32"))
    t.same(y, want)


COMPUTED_COLUMNS = LINEAR.replace("dot(x[i, k], w[j, k], over k)", "dot(x[i, k], T(w[j, k] * 2), over k)")
TWO_LOOPS = LINEAR.replace("  if b {", "  for k in K by BK { acc += dot(w[j, k], x[i, k], over k); }\n  if b {")
F32_SUM_OF_TWO = LINEAR.replace("acc += dot(x[i, k], w[j, k], over k);", "acc += 2 * dot(x[i, k], w[j, k], over k);")


@sweep(text=["computed columns", "two loops", "scaled", "checked", "narrow rows", "f32"])
def other_products_take_the_plain_path(t, text):
    x, w = small(t, (136, 72)), small(t, (72, 72))
    source = {"computed columns": COMPUTED_COLUMNS, "two loops": TWO_LOOPS, "scaled": F32_SUM_OF_TWO}.get(text, LINEAR)
    tile = tile_of(32, 64) if text == "narrow rows" else tile_of(64, 64)
    options = ("--checked",) if text == "checked" else ()
    dtype = "f32" if text == "f32" else "bf16"
    x, w = array(x.value, dtype), array(w.value, dtype)
    (y,) = hopper(t, source, dict(T=dtype, **tile), roles=False, x=x, w=w, options=options, out=dict(y=dtype))
    factor = 1 if source == LINEAR else 2
    t.same(y, rounded(factor * (x.value @ w.value.T), dtype))


# ----------------------------------------------------------------------------------------------------------------------
# Grids
# ----------------------------------------------------------------------------------------------------------------------

BATCHED = """
kernel k<T: float>(x: T[B, M, K], w: T[B, N, K], v: T[N, K]?, y: out T[B, M, N])
over (b in B, i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[b, i, k], w[b, j, k], over k); }
  y[b, i, j] = T(acc);
}
"""
HEADS = """
kernel k(x: bf16[B, M, H, K], w: bf16[H, K, N], y: out bf16[B, M, H, N])
over (b in B, i in M by BM, h in H, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(w[h, k, j], x[b, i, h, k], over k); }
  y[b, i, h, j] = bf16(acc);
}
"""


@sweep(size=[(3, 65, 72, 72), (2, 129, 136, 130), (5, 1, 8, 8), (1, 64, 64, 64), (0, 64, 64, 64)], tile=[(64, 64), (128, 128)])
def batches(t, size, tile):
    """Rows beyond a batch's end are the next one's."""
    B, M, N, K = size
    x, w, y = small(t, (B, M, K)), small(t, (B, N, K)), place((B, M, N), "bf16")
    views = dict(x=padded(x), w=padded(w), y=y)
    (got,) = hopper(t, BATCHED, dict(T="bf16", **tile_of(*tile)), roles=True if B else None, **views, out=dict(y="bf16"))
    untouched_around(t, got, y, rounded(x.value @ w.value.swapaxes(1, 2), "bf16"))


@sweep(size=[(2, 65, 3, 72, 72), (1, 130, 2, 136, 64), (2, 5, 1, 8, 264)], tile=[(64, 64), (128, 192), (128, 256)])
def heads(t, size, tile):
    B, M, H, N, K = size
    x, w = small(t, (B, M, H, K)), small(t, (H, K, N))
    (y,) = hopper(t, HEADS, tile_of(*tile), x=x, w=w, out=dict(y="bf16"))
    t.same(y, rounded(np.einsum("bmhk,hkn->bmhn", x.value, w.value), "bf16"))


KNOWN_DEPTH = """
kernel k<C: i64>(x: bf16[M, DX], w: bf16[N, DW], y: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in EXTENT by BK { acc += dot(x[i, FROM + k], w[j, k], over k); }
  y[i, j] = bf16(acc);
}
"""


@sweep(depth=[("C", "C", "C", 0), ("136", "136", "136", 0), ("3 * C", "C", "C", 0), ("3 * C", "C", "C", "C"), ("K", "L", "128", 0), ("K", "L", "128", 8)])
def depths_that_are_known(t, depth):
    """Constants, and parts of a row that no step goes beyond."""
    dx, dw, extent, start = depth
    text = KNOWN_DEPTH.replace("DX", dx).replace("DW", dw).replace("EXTENT", extent).replace("FROM", str(start))
    C = 136 if extent != "C" or dx == "C" else 128
    number = lambda text, free: eval(text, dict(C=C, K=free, L=free))
    x, w = small(t, (130, number(dx, 264))), small(t, (72, number(dw, 200)))
    count, first = number(extent, 0), number(str(start), 0)
    if dx in ("K", "L"):
        text = text.replace("over (", "over (", 1).replace("{\n", f"{{\n  require {first} + 128 <= K and 128 <= L;\n", 1)
    roles = None if dx == "3 * C" and C == 136 else True
    (y,) = hopper(t, text, dict(C=C, **tile_of(64, 64)), roles=roles, x=x, w=w, out=dict(y="bf16"))
    t.same(y, rounded(x.value[:, first : first + count] @ w.value[:, :count].T, "bf16"))


COMPUTED_IN_LOOP = """
kernel k(x: bf16[B, M, K], w: bf16[N, K], y: out bf16[M, N], n: i64)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { let b = INDEX; acc += dot(x[b, i, k], w[j, k], over k); }
  y[i, j] = bf16(acc);
}
"""


@sweep(index=[("n % 2", True, [1, 1, 1, 1]), ("(n * n + j.start / 64) % 3", True, None), ("k.start / 64 % 2", False, [0, 1, 0, 1])])
def indices_that_the_loop_computes(t, index):
    text, roles, images = index
    x, w = small(t, (3, 100, 200)), small(t, (64, 200))
    (y,) = hopper(t, COMPUTED_IN_LOOP.replace("INDEX", text), tile_of(64, 64), roles=roles, x=x, w=w, n=5, out=dict(y="bf16"))
    images = images or [25 % 3] * 4
    want = sum(x.value[image][:, 64 * step : 64 * step + 64] @ w.value[:, 64 * step : 64 * step + 64].T for step, image in enumerate(images))
    t.same(y, rounded(want, "bf16"))


# ----------------------------------------------------------------------------------------------------------------------
# What follows the product
# ----------------------------------------------------------------------------------------------------------------------

EPILOGUE = """
import "activations.tile";
kernel k<T: float, act: fn(f32) -> f32 = identity>(
    x: T[M, K], w: T[N, K], b: f32[N]?, s: T[M]?, r: T[M, N]?, q: f32[N, M]?, alpha: f32,
    y: out T[M, N], z: out f32[M, N]?, p: out T[N, M]?, u: out T[M, N]?)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  if b { acc += b[j]; }
  if z { z[i, j] = acc; }
  if u { u[i, j] = T(acc); }
  acc *= alpha;
  if s { acc *= s[i]; }
  if p { p[j, i] = T(acc); }
  if r { acc += r[i, j]; }
  if q { acc -= q[j, i]; }
  y[i, j] = T(act(acc));
}
"""


@sweep(given=["", "b", "s", "r", "q", "z", "p", "u", "rp"], tile=[(64, 112), (128, 208)])
@sweep(given=["bsrqzpu", "bzu"], tile=[(64, 112), (128, 128), (256, 64), (128, 208)])
def optional_parts(t, given, tile):
    M, N, K = 200, 136, 72
    x, w = small(t, (M, K)), small(t, (N, K))
    every = dict(b=small(t, (N,), "f32"), s=small(t, (M,)), r=small(t, (M, N)), q=small(t, (N, M), "f32"))
    part = lambda name: every[name].value if name in given else None
    acc = x.value @ w.value.T + (part("b") if "b" in given else 0)
    after = acc * 0.5 * (part("s")[:, None] if "s" in given else 1)
    final = after + (part("r") if "r" in given else 0) - (part("q").T if "q" in given else 0)
    want = dict(y=rounded(final, "bf16"), z=acc, p=rounded(after.T, "bf16"), u=rounded(acc, "bf16"))
    out = dict(y="bf16", z="f32", p="bf16", u="bf16")
    memory = {name: place(want[name].shape, dtype) for name, dtype in out.items() if name == "y" or name in given}
    inputs = {name: value for name, value in every.items() if name in given}
    wanted = {name: out[name] for name in memory}
    results = hopper(t, EPILOGUE, dict(T="bf16", **tile_of(*tile)), x=x, w=w, alpha=0.5, out=wanted, **inputs, **memory)
    for name, result in zip(memory, results):
        untouched_around(t, result, memory[name], want[name])


ACTIVATIONS = ["relu", "leaky_relu", "squared_relu", "gelu", "gelu_erf", "silu", "softplus", "smelu", "hard_swish", "mish"]


@sweep(act=ACTIVATIONS)
def activations(t, act):
    M, N, K = 136, 200, 136
    dtype = ["bf16", "f16"][len(act) % 2]
    x, w, b, r = t.normal((M, K), dtype, K**-0.25), t.normal((N, K), dtype, K**-0.25), t.normal((N,), "f32"), t.normal((M, N), dtype)
    tile = tile_of(*[(128, 192), (64, 80), (128, 256)][len(act) % 3])
    y, z = hopper(t, EPILOGUE, dict(T=dtype, act=act, **tile), x=x, w=w, b=b, r=r, alpha=1.0, out=dict(y=dtype, z="f32"))
    acc = x.value @ w.value.T + b.value
    size = abs(x.value) @ abs(w.value).T + abs(b.value) + abs(r.value)
    t.close(z, acc, terms=K, scale=size)
    # The slope of squared_relu is twice its argument.
    slope = 1.2 + 2 * abs(acc + r.value)
    t.close(y, getattr(reference, act)(acc + r.value), terms=K, scale=size * slope, math=np.maximum(1, abs(acc + r.value)))


ROWS = """
kernel k<N: i64>(
    x: bf16[M, K], w: bf16[N, K],
    y: out bf16[M, N], total: out f32[M], peak: out bf16[M], at: out i32[M], last: out f32[M, N])
over (i in M by BM) {
  let j = span(N);
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  total[i] = sum(acc, over j);
  let top = max(acc, over j);
  peak[i] = bf16(top);
  at[i] = i32(argmax(acc, over j));
  y[i, j] = bf16(acc - top);
  last[i, j] = cumsum(acc, over j);
}
"""


@sweep(M=[1, 300], N=[16, 48, 112, 128, 200, 208], rows=[64, 128])
def reductions_along_rows(t, M, N, rows):
    x, w = small(t, (M, 72)), small(t, (N, 72))
    out = dict(y="bf16", total="f32", peak="bf16", at="i32", last="f32")
    y, total, peak, at, last = hopper(t, ROWS, dict(BM=rows, BK=64), x=x, w=w, out=out)
    want = x.value @ w.value.T
    t.same(total, want.sum(1))
    t.same(peak, rounded(want.max(1), "bf16"))
    t.same(at, want.argmax(1))
    t.same(y, rounded(want - want.max(1, keepdims=True), "bf16"))
    t.same(last, want.cumsum(1))


COLUMNS = """
kernel k<M: i64>(x: bf16[M, K], w: bf16[N, K], y: out f32[M, N], total: out f32[N], low: out f32[N])
over (j in N by BN) {
  let i = span(M);
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  total[j] = sum(acc, over i);
  low[j] = min(acc, over i);
  y[i, j] = acc - max(acc, over i, j);
}
"""


@sweep(M=[64, 100, 128, 192], N=[8, 72, 300], columns=[64, 48])
def reductions_along_columns(t, M, N, columns):
    x, w = small(t, (M, 72)), small(t, (N, 72))
    roles = M != 100
    y, total, low = hopper(t, COLUMNS, dict(BN=columns, BK=64), roles=roles, x=x, w=w, out=dict(y="f32", total="f32", low="f32"))
    want = x.value @ w.value.T
    t.same(total, want.sum(0))
    t.same(low, want.min(0))
    t.same(y, np.concatenate([part - part.max() for part in np.split(want, range(columns, N, columns), 1)], 1))


SUMS = """
kernel k(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N], total: out f32[M])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(acc);
  total[i] += sum(acc, over j);
}
"""


@test
def sums_over_tiles_take_the_plain_path(t):
    x, w = small(t, (136, 72)), small(t, (200, 72))
    y, total = hopper(t, SUMS, tile_of(64, 64), roles=False, x=x, w=w, out=dict(y="bf16", total="f32"))
    t.same(y, rounded(x.value @ w.value.T, "bf16"))
    t.same(total, (x.value @ w.value.T).sum(1))


MASKS = """
kernel k(
    x: bf16[M, K], w: bf16[N, K], mask: bool[M, N], pick: i32[N], d: i32,
    y: out bf16[M, N], z: out f32[M, N], f: out bool[M, N], n: out i8[M, N])
over (i in M by BM, j in N by BN) {
  let chosen = mask[i, j];
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  let causal = where(j <= i + d, acc, -inf);
  y[i, j] = bf16(where(chosen, causal, 7));
  z[i, j] = where(i % 3 == 0, acc, f32(pick[j]));
  f[i, j] = acc > 0 and chosen;
  n[i, j] = i8(max(min(acc, 100), -100));
}
"""


@sweep(tile=[(64, 64), (128, 112), (128, 256)], d=[-3, 0, 100])
def masks_and_indices(t, tile, d):
    M, N = 136, 200
    x, w, mask, pick = small(t, (M, 72)), small(t, (N, 72)), t.flags((M, N)), t.integers((N,), "i32", -99, 99)
    out = dict(y="bf16", z="f32", f="bool", n="i8")
    y, z, f, n = hopper(t, MASKS, tile_of(*tile), x=x, w=w, mask=mask, pick=pick, d=d, out=out)
    want = x.value @ w.value.T
    i, j = np.arange(M)[:, None], np.arange(N)[None, :]
    t.same(y, np.where(mask.value, np.where(j <= i + d, rounded(want, "bf16"), -np.inf), 7))
    t.same(z, np.where(i % 3 == 0, want, pick.value[None, :]))
    t.same(f, (want > 0) & mask.value)
    t.same(n, np.clip(want, -100, 100).astype(np.int64))


INOUT = """
kernel k(x: bf16[M, K], w: bf16[N, K], y: inout bf16[M, N], g: inout f32[M, N], old: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(acc + y[i, j]);
  g[i, j] = acc - g[i, j];
  old[i, j] = y[i, j];
}
"""


@sweep(tile=[(64, 64), (128, 176), (128, 256)], swapped=[False, True])
def views_that_are_read_and_written(t, tile, swapped):
    """What the groups of the large tiles exchange leaves no room for a ring."""
    M, N = 136, 200
    x, w, y, g = small(t, (M, 72)), small(t, (N, 72)), small(t, (M, N)), small(t, (M, N), "f32")
    text = INOUT.replace("dot(x[i, k], w[j, k], over k)", "dot(w[j, k], x[i, k], over k)") if swapped else INOUT
    out = dict(y="bf16", g="f32", old="bf16")
    new_y, new_g, old = hopper(t, text, tile_of(*tile), roles=tile == (64, 64), x=x, w=w, y=y, g=g, out=out)
    want = x.value @ w.value.T
    t.same(new_y, rounded(want + y.value, "bf16"))
    t.same(new_g, want - g.value)
    t.same(old, y.value)


BRANCHES = """
kernel k(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N], z: out bf16[M, N], a: out bf16[M, N], mode: i32)
over (i in M by BM, j in N by BN) {
  a[i, j] = bf16(i + 0 * j);
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  if mode > 0 { acc = max(acc, 0) + acc - max(acc, over j); } else { acc += 1; }
  y[i, j] = bf16(acc);
  if mode == 2 { z[i, j] = bf16(acc + 1); } else { z[i, j] = bf16(-acc); }
}
"""


@sweep(mode=[0, 1, 2], tile=[(64, 48), (128, 128), (256, 64)])
def branches_after_the_product(t, mode, tile):
    M, N = 200, 136
    x, w = small(t, (M, 72)), small(t, (N, 72))
    y, z, a = hopper(t, BRANCHES, tile_of(*tile), x=x, w=w, mode=mode, out=dict(y="bf16", z="bf16", a="bf16"))
    acc = x.value @ w.value.T
    acc = np.maximum(acc, 0) + acc - along_rows_of_tiles(np.max, acc, tile[1]) if mode > 0 else acc + 1
    t.same(y, rounded(acc, "bf16"))
    t.same(z, rounded(acc + 1 if mode == 2 else -acc, "bf16"))
    t.same(a, np.broadcast_to(rounded(np.arange(M), "bf16")[:, None], (M, N)))


TWO_TYPES = """
kernel k(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N], z: out f16[M, N], u: out f32[N, M], v: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(acc);
  z[i, j] = f16(2 * acc);
  u[j, i] = acc;
  v[i, j] = bf16(acc + 1);
}
"""


@sweep(tile=[(64, 64), (64, 176), (128, 64), (128, 192), (192, 64), (256, 128), (128, 256), (128, 208)])
def outputs_of_two_narrow_types(t, tile):
    M, N = 300, 200
    x, w, memory = small(t, (M, 72)), small(t, (N, 72)), place((M, N), "f16")
    y, z, u, v = hopper(t, TWO_TYPES, tile_of(*tile), x=x, w=w, z=memory, out=dict(y="bf16", z="f16", u="f32", v="bf16"))
    want = x.value @ w.value.T
    t.same(y, rounded(want, "bf16"))
    untouched_around(t, z, memory, rounded(2 * want, "f16"))
    t.same(u, want.T)
    t.same(v, rounded(want + 1, "bf16"))


@sweep(count=[7, 8, 12])
def more_outputs_than_tensor_maps(t, count):
    names = [f"y{number}" for number in range(count)]
    text = f"""
kernel k(x: bf16[M, K], w: bf16[N, K], {", ".join(f"{name}: out bf16[M, N]" for name in names)})
over (i in M by BM, j in N by BN) {{
  var acc: f32[i, j] = 0;
  for k in K by BK {{ acc += dot(x[i, k], w[j, k], over k); }}
  {" ".join(f"{name}[i, j] = bf16(acc + {number});" for number, name in enumerate(names))}
}}
"""
    x, w = small(t, (136, 72)), small(t, (200, 72))
    results = hopper(t, text, tile_of(64, 112), x=x, w=w, out={name: "bf16" for name in names})
    for number, result in enumerate(results):
        t.same(result, rounded(x.value @ w.value.T + number, "bf16"))


# ----------------------------------------------------------------------------------------------------------------------
# Special values
# ----------------------------------------------------------------------------------------------------------------------


@sweep(dtype=["bf16", "f16"], tile=[(64, 64), (128, 192), (256, 64)])
def nan_and_infinity_stay_in_their_rows(t, dtype, tile):
    M, N, K = 200, 136, 72
    x, w = small(t, (M, K), dtype), small(t, (N, K), dtype)
    x.raw[3, 71], x.raw[64, 0], x.raw[199] = encode(np.nan, dtype), encode(np.inf, dtype), encode(-np.inf, dtype)
    w.raw[135, 5], w.raw[70, 71] = encode(np.nan, dtype), encode(np.inf, dtype)
    with np.errstate(invalid="ignore"):
        want = x.value @ w.value.T
    (y,) = hopper(t, LINEAR, dict(T=dtype, **tile_of(*tile)), x=x, w=w, out=dict(y=dtype))
    t.same(y, rounded(want, dtype))


@sweep(scale=[1e-15, 1e17])
def very_small_and_very_large_numbers(t, scale):
    x, w = t.normal((70, 72), "bf16", scale), t.normal((72, 72), "bf16", scale)
    y, z = hopper(t, GENERAL, tile_of(64, 64), x=x, w=w, out=dict(y="f32", z="bf16"))
    want, size = x.value @ w.value.T, abs(x.value) @ abs(w.value).T
    t.close(y, want, terms=72, scale=size)
    t.close(z, want, terms=72, scale=size)


if __name__ == "__main__":
    main()
