"""docs/language.md §3.12, outputs: assigned once, or accumulated. Small kernels, with the values they must give. Run with
--help for the options."""

import numpy as np

from features import LIMITS, ACCUMULATOR, wrap, random_of
from harness import array, is_float, main, rounded, sweep, target, test


@sweep(M=[0, 1, 50, 3000], dtype=["f32", "bf16", "f64", "i32", "i8"])
def sums_over_the_grid(t, M, dtype):
    """`+=` from any tile: formed in accum(dtype), rounded once; an empty grid gives 0."""
    accumulator = ACCUMULATOR[dtype]
    text = f"""
kernel k(x: {dtype}[M, N], total: out {dtype}[N], whole: out {accumulator}[1], onto: inout {accumulator}[N])
over (i in M by 16, j in N by 8) {{
  total[j] += sum(x[i, j], over i);
  whole[0] += sum(x[i, j], over i, j);
  onto[j] -= sum(x[i, j], over i);
}}
"""
    x = t.normal((M, 21), dtype) if is_float(dtype) else t.integers((M, 21), dtype, -100, 100)
    onto = t.normal((21,), accumulator, 10) if is_float(dtype) else t.integers((21,), accumulator, -1000, 1000)
    total, whole, got = t.run(
        "k", source=t.file(text), x=x, onto=onto, out=dict(total=dtype, whole=accumulator, onto=accumulator)
    )
    v = x.value
    if not is_float(dtype):
        t.same(total, wrap(v.sum(0), dtype))
        t.same(whole, [v.sum()])
        return t.same(got, onto.value - v.sum(0))
    size = np.abs(v)
    t.close(total, v.sum(0), terms=M, scale=size.sum(0))
    t.close(whole, [v.sum()], terms=M, scale=[size.sum()])
    t.close(got, onto.value - v.sum(0), terms=M, scale=size.sum(0) + np.abs(onto.value))


@sweep(M=[0, 1, 100], dtype=["f32", "bf16", "f64", "i32", "i8", "u8"])
def extremes_over_the_grid(t, M, dtype):
    text = f"""
kernel k(x: {dtype}[M, N], most: out {dtype}[N], least: out {dtype}[N], onto: inout {dtype}[N])
over (i in M by 16, j in N by 8) {{
  most[j] max= max(x[i, j], over i);
  least[j] min= min(x[i, j], over i);
  onto[j] max= max(x[i, j], over i);
}}
"""
    x, onto = random_of(t, (M, 21), dtype), random_of(t, (21,), dtype)
    most, least, got = t.run("k", source=t.file(text), x=x, onto=onto, out=dict(most=dtype, least=dtype, onto=dtype))
    low, high = (-np.inf, np.inf) if is_float(dtype) else LIMITS[dtype]
    t.same(most, x.value.max(0, initial=low))
    t.same(least, x.value.min(0, initial=high))
    t.same(got, np.maximum(onto.value, x.value.max(0, initial=low)))


@sweep(dtype=["i32", "i64", "i8"])
def a_histogram(t, dtype):
    text = f"""
kernel k(ids: i32[N], values: i32[N], count: out {dtype}[V], most: out i32[V], onto: inout {dtype}[V])
over (n in N by 64) {{
  count[ids[n], else drop] += 1;
  most[ids[n], else drop] max= values[n];
  onto[ids[n], else drop] += 2;
}}
"""
    ids, values = t.random.integers(-3, 33, 5000), t.integers((5000,), "i32", -1000, 1000)
    onto = t.integers((30,), dtype, -100, 100)
    count, most, got = t.run(
        "k", source=t.file(text), ids=array(ids, "i32"), values=values, onto=onto, dims=dict(V=30), out=dict(
            count=dtype, most="i32", onto=dtype
        )
    )
    inside = (ids >= 0) & (ids < 30)
    counts = np.bincount(ids[inside], minlength=30)
    t.same(count, wrap(counts, dtype))
    t.same(most, [values.value[ids == v].max(initial=-(2**31)) for v in range(30)])
    t.same(got, wrap(onto.value + 2 * counts, dtype))


@sweep(dtype=["f32", "f64", "i32", "i64"])
def atomic_sums_and_their_old_values(t, dtype):
    text = f"""
kernel k(ids: i32[N], x: {dtype}[N], total: out {dtype}[V], taken: inout {dtype}[V], old: out {dtype}[N])
over (n in N by 16) {{
  atomic total[ids[n], else drop] += x[n];
  let before = atomic taken[ids[n], else drop] += 1;
  old[n] = before;
}}
"""
    N, V = 700, 20
    ids, x = t.random.integers(-2, V + 2, N), t.normal((N,), dtype) if is_float(dtype) else t.integers((N,), dtype, -100, 100)
    total, taken, old = t.run(
        "k", source=t.file(text), ids=array(ids, "i32"), x=x, taken=array(np.full(V, 5), dtype), out=dict(
            total=dtype, taken=dtype, old=dtype
        )
    )
    groups = [ids == v for v in range(V)]
    if is_float(dtype):
        t.close(total, [x.value[g].sum() for g in groups], terms=N, scale=[np.abs(x.value[g]).sum() for g in groups], ulps=8)
    else:
        t.same(total, [x.value[g].sum() for g in groups])
    t.same(taken, [5 + g.sum() for g in groups])
    for v, g in enumerate(groups):
        t.same(np.sort(old.value[g]), 5 + np.arange(g.sum()), what=f"old values of place {v}, sorted")
    t.same(
        old.value[(ids < 0) | (ids >= V)], np.zeros(((ids < 0) | (ids >= V)).sum()), what="old values where nothing was added"
    )


@sweep(dtype=["f32", "f64"])
def atomic_sums_of_denormals(t, dtype):
    """A GPU takes those of f32 for zero; every other sum keeps them."""
    text = """
kernel k<T: f32 | f64>(x: T[N], zeros: i32[N], total: out T[1], kept: out T[1])
over (n in N by BN) {
  atomic total[zeros[n], else drop] += x[n];
  kept[0] += sum(x[n], over n);
}
"""
    least = 2.0**-149 if dtype == "f32" else 2.0**-1074
    x = array(np.full(100, least), dtype)
    total, kept = t.run("k", dict(T=dtype), source=t.file(text), x=x, zeros=array(np.zeros(100), "i32"), out=dict(total=dtype, kept=dtype))
    t.same(total, np.array([0.0 if dtype == "f32" and target() != "cpu" else 100 * least]))
    t.same(kept, np.array([100 * least]))


@test
def an_old_value_has_the_type_that_is_stated(t):
    text = """
kernel k(ids: i32[N], taken: inout i32[V], old: out f64[N, 2])
over (n in N by 16) {
  let d = span(2);
  let before: i64[n, d] = atomic taken[ids[n]%s] += 10;
  old[n, d] = f64(before) + f64(d) / 2;
}
"""
    taken, old = t.run(
        "k", source=t.file(text % ", else drop"), ids=array([2, 0, 9], "i32"), taken=array([5, 6, 7], "i32"), out=dict(
            taken="i32", old="f64"
        )
    )
    t.same(taken, [15, 6, 17])
    t.same(old, [[7, 7.5], [5, 5.5], [0, 0.5]])


@test
def what_no_tile_writes_keeps_its_memory(t):
    text = """
kernel k(x: f32[N], y: out f32[N, 2], z: out i32[N])
over (n in N by BN) { y[n, 1] = x[n]; z[2 * n, else drop] = i32(n); }
"""
    x, y, z = t.normal((9,), "f32"), t.normal((9, 2), "f32"), t.integers((9,), "i32", 0, 99)
    got_y, got_z = t.run("k", source=t.file(text), x=x, y=y, z=z, out=dict(y="f32", z="i32"))
    t.same(got_y, np.stack([y.value[:, 0], x.value], 1))
    t.same(got_z, np.where(np.arange(9) % 2 == 0, np.arange(9) // 2, z.value))
    fresh, _ = t.run("k", source=t.file(text), x=x, out=dict(y="f32", z="i32"))
    t.same(fresh, np.stack([np.full(9, np.nan), x.value], 1))


@test
def an_inout_view_reads_its_old_value(t):
    text = """
kernel k<T: float>(g: T[N], m: inout f32[N], w: inout T[N], rate: f32)
over (n in N by BN) {
  let step = 0.9 * m[n] + g[n];
  m[n] = step;
  w[n] = T(w[n] - rate * step);
}
"""
    g, m, w = t.normal((100,), "bf16"), t.normal((100,), "f32"), t.normal((100,), "bf16")
    got_m, got_w = t.run("k", source=t.file(text), g=g, m=m, w=w, rate=0.5, out=dict(m="f32", w="bf16"))
    step = np.float32(0.9) * m.value + g.value
    t.close(got_m, step, scale=4)
    t.close(got_w, w.value - 0.5 * step, scale=8)


@test
def repeated_launches_start_from_the_same_values(t):
    text = """
kernel k(x: f32[N], y: inout f32[N])
over (n in N by BN) { y[n] += x[n]; }
"""
    x, y = t.normal((50,), "f32"), t.normal((50,), "f32")
    (got,) = t.run("k", source=t.file(text), x=x, y=y, out=dict(y="f32"), options=["--repeat", "5"])
    t.same(got, rounded(x.value + y.value, "f32"))


@test
def places_that_may_coincide_are_refused(t):
    text = """
kernel k(x: f32[N], y: out f32[2 * N], s: i64)
over (n in N by BN) { y[s * n] = x[n]; }
"""
    x = t.normal((6,), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, s=2, out=dict(y="f32"))
    t.same(y.value[::2], x.value, what="y[::2]")
    t.fails("k", source=t.file(text), x=x, s=0, out=dict(y="f32"), expect="y")


if __name__ == "__main__":
    main()
