"""Products in bf16 and f16 with tiles that are given: on a Hopper GPU warps with roles form them, by tensor copies and wgmma, where they can.
What they must not take (tiles that are padded, diagonals, boxes that are too long, indices from memory) is right all the same."""

import numpy as np

from harness import Array, main, sweep, test

LINEAR = """
kernel linear<T: float>(x: T[M, K], w: T[N, K], y: out T[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = T(acc);
}
"""


def linear(t, text, tile, x, w, want, scale, dtype, kernel="linear", bind=None, **arguments):
    BM, BN, BK = tile
    y = t.run(kernel, {**(bind or {}), "BM": BM, "BN": BN, "BK": BK}, source=t.file(text), x=x, w=w, out=dict(y=dtype), **arguments)
    t.close(y[0], want, terms=x.value.shape[-1], scale=scale)


def operands(t, M, N, K, dtype="bf16"):
    x, w = t.normal((M, K), dtype), t.normal((N, K), dtype)
    return x, w, x.value @ w.value.T, abs(x.value) @ abs(w.value).T


# Slices of 64, 32 and 16 columns; two groups, or one of two warpgroups; two and three blocks of 64 rows; several panels of steps.
@sweep(tile=[(64, 16, 64), (64, 48, 64), (64, 112, 64), (128, 64, 64), (128, 208, 64), (192, 112, 64), (256, 112, 64), (128, 256, 64), (64, 64, 128)],
       dtype=["bf16", "f16"])
def whole_tiles(t, tile, dtype):
    x, w, want, scale = operands(t, 200, 216, 136, dtype)
    linear(t, LINEAR, tile, x, w, want, scale, dtype)


# A tensor copy brings, and would write, the padding of a tile that is no multiple of 16.
@sweep(tile=[(60, 64, 64), (64, 60, 64), (64, 64, 60), (64, 72, 64), (100, 64, 64), (64, 64, 272), (64, 64, 320), (64, 24, 64), (33, 7, 5)])
def padded_tiles(t, tile):
    x, w, want, scale = operands(t, 136, 144, 328)
    linear(t, LINEAR, tile, x, w, want, scale, "bf16")


# The rows of an odd length are not aligned; nothing exists; one tile; many.
@sweep(size=[(5, 7, 9), (1, 8, 8), (0, 64, 64), (64, 64, 0), (64, 0, 64), (65, 65, 65), (333, 776, 72)])
def sizes(t, size):
    x, w, want, scale = operands(t, *size)
    linear(t, LINEAR, (64, 64, 64), x, w, want, scale, "bf16")


TRANSPOSED = """
kernel linear(x: bf16[K, M], w: bf16[K, N], y: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[k, i], w[k, j], over k); }
  y[i, j] = bf16(acc);
}
"""


@sweep(tile=[(64, 64, 16), (128, 64, 48), (256, 128, 32), (64, 64, 256), (64, 64, 272), (64, 64, 320), (64, 80, 64)])
def free_axes_that_are_contiguous(t, tile):
    x, w = t.normal((136, 200), "bf16"), t.normal((136, 216), "bf16")
    BM, BN, BK = tile
    y = t.run("linear", {"BM": BM, "BN": BN, "BK": BK}, source=t.file(TRANSPOSED), x=x, w=w, out=dict(y="bf16"))
    t.close(y[0], x.value.T @ w.value, terms=136, scale=abs(x.value.T) @ abs(w.value))


SWAPPED = """
kernel linear(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N])
over (j in N by BN, i in M by BM) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(w[j, k], x[i, k], over k); }
  y[i, j] = bf16(acc);
}
"""


@sweep(tile=[(64, 112, 64), (128, 256, 64)])
def the_second_operand_has_the_rows(t, tile):
    x, w, want, scale = operands(t, 200, 216, 136)
    linear(t, SWAPPED, tile, x, w, want, scale, "bf16")


STORES = """
kernel linear(x: bf16[M, K], w: bf16[N, K], b: f32[N], r: f32[M, N], y: out bf16[M, N], z: out f16[M, N], q: out f32[M, N], c: out i8[M, N], u: out bf16[N, M])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  let a = acc + b[j];
  y[i, j] = bf16(a);
  z[i, j] = f16(a);
  q[i, j] = a + r[i, j];
  c[i, j] = i8(acc);
  u[j, i] = bf16(a);
}
"""


# 128 x 208 leaves no room for two stages beside what all the stores need.
@sweep(tile=[(64, 112, 64), (128, 64, 64), (128, 208, 64)])
def stores_of_many_kinds(t, tile):
    x, w, want, scale = operands(t, 136, 232, 72)
    b, r = t.normal((232,), "f32"), t.normal((136, 232), "f32")
    BM, BN, BK = tile
    y, z, q, c, u = t.run("linear", {"BM": BM, "BN": BN, "BK": BK}, source=t.file(STORES), x=x, w=w, b=b, r=r,
                          out=dict(y="bf16", z="f16", q="f32", c="i8", u="bf16"))
    biased, scale = want + b.value, scale + abs(b.value)
    t.close(y, biased, terms=72, scale=scale)
    t.close(z, biased, terms=72, scale=scale)
    t.close(q, biased + r.value, terms=72, scale=scale + abs(r.value))
    t.close(u, biased.T, terms=72, scale=scale.T)
    # A sum near an integer may be on either side of it.
    got = c.value
    if not np.all(abs(got - np.clip(np.trunc(want), -128, 127)) <= 1):
        t.same(c, np.clip(np.trunc(want), -128, 127))


TWO_TYPES = """
kernel linear(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N], z: out f16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(acc);
  z[i, j] = f16(acc);
}
"""


@test
def two_types_beside_as_many_stages_as_fit(t):
    x, w, want, scale = operands(t, 136, 216, 136)
    y, z = t.run("linear", {"BM": 128, "BN": 208, "BK": 64}, source=t.file(TWO_TYPES), x=x, w=w, out=dict(y="bf16", z="f16"))
    t.close(y, want, terms=136, scale=scale)
    t.close(z, want, terms=136, scale=scale)


BATCHED = """
kernel batched(x: bf16[B, M, K], w: bf16[B, N, K], y: out bf16[B, M, N])
over (b in B, i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[b, i, k], w[b, j, k], over k); }
  y[b, i, j] = bf16(acc);
}
kernel halves(x: bf16[B, M, K], w: bf16[B, N, K], y: out bf16[B, M, N])
over (b in B, i in M by BM, j in N by BN) {
  let half = b / 2;
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[half, i, k], w[b, j, k], over k); }
  y[b, i, j] = bf16(acc);
}
kernel gathered(x: bf16[B, M, K], w: bf16[B, N, K], which: i64[B], y: out bf16[B, M, N])
over (b in B, i in M by BM, j in N by BN) {
  let other = min(max(which[b], 0), B - 1);
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[other, i, k], w[b, j, k], over k); }
  y[b, i, j] = bf16(acc);
}
"""


@sweep(kernel=["batched", "halves", "gathered"])
def batches(t, kernel):
    x, w = t.normal((5, 70, 72), "bf16"), t.normal((5, 88, 72), "bf16")
    which = {"batched": np.arange(5), "halves": np.arange(5) // 2, "gathered": np.array([3, 3, 0, 4, 1])}[kernel]
    more = dict(which=Array(which.astype(np.int64), "i64")) if kernel == "gathered" else {}
    y = t.run(kernel, {"BM": 64, "BN": 48, "BK": 64}, source=t.file(BATCHED), x=x, w=w, out=dict(y="bf16"), **more)
    want = np.einsum("bmk,bnk->bmn", x.value[which], w.value)
    t.close(y[0], want, terms=72, scale=np.einsum("bmk,bnk->bmn", abs(x.value[which]), abs(w.value)))


DIAGONAL = """
kernel linear(x: bf16[M, M, K], w: bf16[N, K], y: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, i, k], w[j, k], over k); }
  y[i, j] = bf16(acc);
}
"""


@test
def rows_along_a_diagonal(t):
    x, w = t.normal((72, 72, 64), "bf16"), t.normal((88, 64), "bf16")
    rows = x.value[np.arange(72), np.arange(72)]
    y = t.run("linear", {"BM": 64, "BN": 64, "BK": 64}, source=t.file(DIAGONAL), x=x, w=w, out=dict(y="bf16"))
    t.close(y[0], rows @ w.value.T, terms=64, scale=abs(rows) @ abs(w.value).T)


EPILOGUES = """
kernel linear(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = bf16(cumsum(acc, over j) + max(acc, over i));
}
"""


# Sums and scans over a tile, by threads of one group that must meet while the other one goes on.
@sweep(tile=[(64, 32, 64), (128, 208, 64), (128, 256, 64), (64, 128, 256)])
def tiles_that_are_reduced(t, tile):
    BM, BN, BK = tile
    x, w, product, scale = operands(t, 2 * BM, 3 * BN if BN < 200 else BN, 72)
    want, sums = np.zeros_like(product), np.zeros_like(product)
    for i in range(0, product.shape[0], BM):
        for j in range(0, product.shape[1], BN):
            part = product[i : i + BM, j : j + BN]
            want[i : i + BM, j : j + BN] = np.cumsum(part, axis=1) + part.max(axis=0)
            sums[i : i + BM, j : j + BN] = np.cumsum(scale[i : i + BM, j : j + BN], axis=1) + abs(part).max(axis=0)
    linear(t, EPILOGUES, tile, x, w, want, sums, "bf16")


if __name__ == "__main__":
    main()
