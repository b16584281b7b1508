"""docs/language.md §3.7, what goes over an axis: sums, maxima, dot, reduce and scan. Small kernels, with the values they must
give. Run with --help for the options."""

import numpy as np

from features import ACCUMULATOR, wrap, random_of
from harness import ALL_FLOATS, INTEGERS, array, is_float, main, sweep, test


REDUCE = """
kernel k(
    x: DTYPE[M, N], total: out ACC[M], most: out DTYPE[M], least: out DTYPE[M], where_most: out i64[M],
    where_least: out i64[M], prefix: out ACC[M, N])
over (i in M by 4) {
  var s: ACC[i] = 0;
  for n in N by BLOCK { s += sum(x[i, n], over n); }
  total[i] = s;
  let j = span(WIDTH);
  most[i] = max(x[i, j], over j);
  least[i] = min(x[i, j], over j);
  where_most[i] = argmax(x[i, j], over j);
  where_least[i] = argmin(x[i, j], over j);
  prefix[i, j] = cumsum(x[i, j], over j);
}
"""


@sweep(dtype=["f64", *ALL_FLOATS, *INTEGERS], size=[(1, 1), (5, 7), (7, 33), (3, 100)])
def reductions_over_tails(t, dtype, size):
    M, N = size
    accumulator = ACCUMULATOR[dtype]
    text = REDUCE.replace("DTYPE", dtype).replace("ACC", accumulator).replace("BLOCK", "16").replace("WIDTH", str(N))
    text = text.replace("let j = span", f"require N == {N};\n  let j = span")
    x = random_of(t, (M, N), dtype)
    total, most, least, where_most, where_least, prefix = t.run(
        "k", source=t.file(text), x=x,
        out=dict(total=accumulator, most=dtype, least=dtype, where_most="i64", where_least="i64", prefix=accumulator),
    )  # fmt: skip
    if is_float(dtype):
        t.close(total, x.value.sum(1), terms=N, scale=np.abs(x.value).sum(1))
        t.close(prefix, np.cumsum(x.value, 1), terms=N, scale=np.cumsum(np.abs(x.value), 1))
    else:
        t.same(total, wrap([sum(map(int, row)) for row in x.value], accumulator))
        sums = [[sum(map(int, row[: n + 1])) for n in range(N)] for row in x.value]
        t.same(prefix, wrap(sums, accumulator))
    for result, want in zip(
        (most, least, where_most, where_least), (x.value.max(1), x.value.min(1), x.value.argmax(1), x.value.argmin(1))
    ):
        t.same(result, want)


@sweep(size=[(1, 1), (2, 3), (16, 16), (33, 19)], dtype=["f32", "f16", "i8"])
def a_scalar_product_over_axes_in_any_order(t, size, dtype):
    """The summed axes are named in another order than they have in memory."""
    accumulator = ACCUMULATOR[dtype]
    text = """
kernel k(a: DTYPE[M, N], b: DTYPE[N, M], p: out ACC[1], q: out ACC[1])
over () {
  var s: ACC = 0;
  var u: ACC = 0;
  for i in M by 8, j in N by 3 {
    s += dot(a[i, j], b[j, i], over i, j);
    u += dot(a[i, j], b[j, i], over j, i);
  }
  p[0] = s;
  q[0] = u;
}
""".replace("DTYPE", dtype).replace("ACC", accumulator)
    a, b = t.integers(size, "i32", -4, 5), t.integers(size[::-1], "i32", -4, 5)
    a, b = array(a.value, dtype), array(b.value, dtype)
    p, q = t.run("k", source=t.file(text), a=a, b=b, out=dict(p=accumulator, q=accumulator))
    want = [(a.value * b.value.T).sum()]
    t.same(p, want)
    t.same(q, want)


@sweep(size=[(3, 5), (16, 16), (33, 70)])
def reductions_over_several_axes(t, size):
    text = """
kernel k(
    x: f32[M, N], total: out f32[1], average: out f32[1], most: out f32[1], some: out bool[1], every: out bool[1],
    product: out f32[1])
over () {
  var s: f32 = 0;
  var m: f32 = -inf;
  var a = false;
  var b = true;
  var p: f32 = 0;
  for i in M by 16, j in N by 16 {
    let t = x[i, j];
    s += sum(t, over i, j);
    m max= max(t, over j, i);
    a = a or any(t > 2, over i, j);
    b = b and all(t < 9, over i, j);
    p += dot(t, t, over i, j);
  }
  total[0] = s;
  average[0] = s / f32(M * N);
  most[0] = m;
  some[0] = a;
  every[0] = b;
  product[0] = p;
}
"""
    x = t.normal(size, "f32")
    total, average, most, some, every, product = t.run(
        "k", source=t.file(text), x=x, out=dict(
            total="f32", average="f32", most="f32", some="bool", every="bool", product="f32"
        )
    )
    v = x.value
    t.close(total, [v.sum()], terms=v.size, scale=np.abs(v).sum())
    t.close(average, [v.mean()], terms=v.size, scale=np.abs(v).mean())
    t.same(most, [v.max()])
    t.same(some, [(v > 2).any()])
    t.same(every, [(v < 9).all()])
    t.close(product, [(v * v).sum()], terms=v.size)


@test
def means_count_what_exists(t):
    text = """
kernel k(x: f32[M, N], y: out f32[M, G = ceildiv(N, 32)])
over (i in M by 8) { for n in N by 32 { y[i, n.start / 32] = mean(x[i, n], over n); } }
"""
    x = t.normal((11, 75), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, out=dict(y="f32"))
    t.close(y, np.stack([x.value[:, s : s + 32].mean(1) for s in (0, 32, 64)], 1), terms=32, scale=1)


@sweep(dtype=["f32", "bf16", "f64"])
def nan_wins_every_reduction(t, dtype):
    text = """
kernel k(
    x: DTYPE[M, N], total: out DTYPE[M], most: out DTYPE[M], least: out DTYPE[M], where_most: out i64[M],
    where_least: out i64[M])
over (i in M by BM) {
  let j = span(20);
  require N == 20;
  total[i] = DTYPE(sum(x[i, j], over j));
  most[i] = max(x[i, j], over j);
  least[i] = min(x[i, j], over j);
  where_most[i] = argmax(x[i, j], over j);
  where_least[i] = argmin(x[i, j], over j);
}
""".replace("DTYPE", dtype)
    x = t.normal((6, 20), dtype).value
    x[0, 7], x[1, [3, 9]], x[2, 19], x[3, 0], x[4, 5] = np.nan, np.nan, np.nan, np.inf, -np.inf
    x = array(x, dtype)
    total, most, least, where_most, where_least = t.run(
        "k", source=t.file(text), x=x, out=dict(total=dtype, most=dtype, least=dtype, where_most="i64", where_least="i64")
    )
    t.close(total, x.value.sum(1), terms=20, scale=40)
    for result, want in zip(
        (most, least, where_most, where_least), (x.value.max(1), x.value.min(1), x.value.argmax(1), x.value.argmin(1))
    ):
        t.same(result, want)


@sweep(N=[1, 5, 20])
def the_first_of_equals(t, N):
    text = f"""
kernel k(x: i32[M, N], most: out i64[M], least: out i64[M])
over (i in M by BM) {{
  require N == {N};
  let j = span({N});
  most[i] = argmax(x[i, j], over j);
  least[i] = argmin(x[i, j], over j);
}}
"""
    x = t.integers((40, N), "i32", 0, 3)
    most, least = t.run("k", source=t.file(text), x=x, out=dict(most="i64", least="i64"))
    t.same(most, x.value.argmax(1))
    t.same(least, x.value.argmin(1))


@sweep(
    dtypes=[
        ("f32", "f32"), ("bf16", "bf16"), ("f16", "f16"), ("f8e4m3", "f8e5m2"), ("f64", "f64"), ("f32", "bf16"), ("i8", "i8"), ("u8", "i8"),
        ("i32", "i32"), ("i64", "i64"),
    ],
    size=[(5, 7, 9), (40, 33, 70)],
)  # fmt: skip
def dots(t, dtypes, size):
    left, right = dtypes
    M, N, K = size
    sums = {
        "f32": "f64" if "f64" in dtypes else "f32", "i32": "i64" if "i64" in dtypes else "i32"
    }["f32" if is_float(left) else "i32"]
    text = f"""
kernel k(x: {left}[M, K], w: {right}[N, K], y: out {sums}[M, N])
over (i in M by BM, j in N by BN) {{
  var acc: {sums}[i, j] = 0;
  for k in K by 16 {{ acc += dot(x[i, k], w[j, k], over k); }}
  y[i, j] = acc;
}}
"""
    x, w = random_of(t, (M, K), left), random_of(t, (N, K), right)
    (y,) = t.run("k", source=t.file(text), x=x, w=w, out=dict(y=sums))
    if is_float(left):
        t.close(y, x.value @ w.value.T, terms=K, scale=np.abs(x.value) @ np.abs(w.value).T)
    else:
        with np.errstate(over="ignore"):
            t.same(y, wrap(x.value @ w.value.T, sums))


@test
def dots_keep_what_they_do_not_sum(t):
    """A batched product, one over two axes at once, a product of a row and a matrix, and one with operands exchanged."""
    text = """
kernel k(a: f32[B, M, K], b: f32[B, K, N], batched: out f32[B, N, M], both: out f32[B], row: out f32[N])
over (z in B by 2) {
  require M <= 8;
  for i in M by 8, j in N by 8 {
    var acc: f32[z, i, j] = 0;
    for k in K by 4 { acc += dot(b[z, k, j], a[z, i, k], over k); }
    batched[z, j, i] = acc;
  }
  var s: f32[z] = 0;
  for i in M by 8, k in K by 4 { s += dot(a[z, i, k], a[z, i, k], over i, k); }
  both[z] = s;
  for j in N by 8, k in K by 4 { row[j] += sum(dot(a[z, 0, k], b[z, k, j], over k), over z); }
}
"""
    a, b = t.normal((5, 7, 9), "f32"), t.normal((5, 9, 13), "f32")
    batched, both, row = t.run("k", source=t.file(text), a=a, b=b, out=dict(batched="f32", both="f32", row="f32"))
    x, y = a.value, b.value
    t.close(batched, (x @ y).transpose(0, 2, 1), terms=9, scale=(np.abs(x) @ np.abs(y)).transpose(0, 2, 1))
    t.close(both, (x * x).sum((1, 2)), terms=63)
    t.close(row, np.einsum("bk,bkn->n", x[:, 0], y), terms=45, scale=np.einsum("bk,bkn->n", np.abs(x[:, 0]), np.abs(y)))


@sweep(N=[1, 6, 50], BN=[4, 64])
def reduce_and_scan_keep_order(t, N, BN):
    """A product of 2×2 matrices does not commute."""
    text = """
fn times(a: f32, b: f32, c: f32, d: f32, p: f32, q: f32, r: f32, s: f32) -> (f32, f32, f32, f32) =
    (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s);
fn later(a: i64, b: i64) -> i64 = b;

kernel k(x: f32[M, N, 4], whole: out f32[M, 4], parts: out f32[M, N, 4], last: out i64[M])
over (i in M by 4) {
  var a: f32[i] = 1;
  var b: f32[i] = 0;
  var c: f32[i] = 0;
  var d: f32[i] = 1;
  var at: i64[i] = -1;
  for n in N by BN {
    let (pa, pb, pc, pd) = scan(times, x[i, n, 0], x[i, n, 1], x[i, n, 2], x[i, n, 3], over n);
    let (ta, tb, tc, td) = times(a, b, c, d, pa, pb, pc, pd);
    parts[i, n, 0] = ta;
    parts[i, n, 1] = tb;
    parts[i, n, 2] = tc;
    parts[i, n, 3] = td;
    let (ra, rb, rc, rd) = reduce(times, x[i, n, 0], x[i, n, 1], x[i, n, 2], x[i, n, 3], over n);
    let (wa, wb, wc, wd) = times(a, b, c, d, ra, rb, rc, rd);
    a = wa;
    b = wb;
    c = wc;
    d = wd;
    at = reduce(later, n, over n);
  }
  whole[i, 0] = a;
  whole[i, 1] = b;
  whole[i, 2] = c;
  whole[i, 3] = d;
  last[i] = at;
}
"""
    x = t.normal((5, N, 4), "f32", 0.7)
    whole, parts, last = t.run("k", dict(BN=BN), source=t.file(text), x=x, out=dict(whole="f32", parts="f32", last="i64"))
    matrices = x.value.reshape(5, N, 2, 2)
    product, size, want, scale = np.broadcast_to(np.eye(2), (5, 2, 2)), np.broadcast_to(np.eye(2), (5, 2, 2)), [], []
    for n in range(N):
        product, size = product @ matrices[:, n], size @ np.abs(matrices[:, n])
        want.append(product.reshape(5, 4))
        scale.append(size.reshape(5, 4))
    t.close(parts, np.stack(want, 1), scale=np.stack(scale, 1), terms=N, ulps=8)
    t.close(whole, want[-1], scale=scale[-1], terms=N, ulps=8)
    t.same(last, np.full(5, N - 1))


if __name__ == "__main__":
    main()
