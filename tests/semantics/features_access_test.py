"""docs/language.md §3.6, the range rule: `else`, gathers, launches that are refused. Small kernels, with the values they must
give. Run with --help for the options."""

import numpy as np

from features import random_of
from harness import array, main, sweep, test


@sweep(dtype=["f32", "bf16", "i32", "i8", "bool"])
def gathers_and_scatters(t, dtype):
    text = """
kernel k(table: DTYPE[V, D], ids: i32[N], y: out DTYPE[N, D], spread: out DTYPE[V, D])
over (n in N by BN, d in D by BD) {
  y[n, d] = table[ids[n], d, else OTHER];
  spread[ids[n], d, else drop] = table[n, d, else OTHER];
}
""".replace("DTYPE", dtype).replace("OTHER", "true" if dtype == "bool" else "3")
    V, D, N = 50, 19, 37
    table = random_of(t, (V, D), dtype)
    ids = t.random.permutation(np.concatenate([np.arange(30), [-1, 50, 2**31 - 1, -(2**31), 1000, -50, 77]]))
    spread = random_of(t, (V, D), dtype)
    y, got = t.run("k", source=t.file(text), table=table, ids=array(ids, "i32"), spread=spread, out=dict(y=dtype, spread=dtype))
    inside = (ids >= 0) & (ids < V)
    other = True if dtype == "bool" else 3
    t.same(y, np.where(inside[:, None], table.value[np.clip(ids, 0, V - 1)], other))
    want = spread.value.copy()
    for n in range(N):
        if inside[n]:
            want[ids[n]] = table.value[n]
    t.same(got, want)


@test
def else_takes_any_value(t):
    text = """
kernel k(x: f32[N], w: f32[N], y: out f32[N], z: out f32[N])
over (n in N by 16) {
  y[n] = x[n + 5, else w[n] * 2];
  z[n] = x[2 * n - 3, else f32(n)];
}
"""
    x, w = t.normal((45,), "f32"), t.normal((45,), "f32")
    y, z = t.run("k", source=t.file(text), x=x, w=w, out=dict(y="f32", z="f32"))
    n = np.arange(45)
    t.same(y, np.where(n + 5 < 45, x.value[np.minimum(n + 5, 44)], 2 * w.value))
    t.same(z, np.where((2 * n - 3 >= 0) & (2 * n - 3 < 45), x.value[np.clip(2 * n - 3, 0, 44)], n))


@test
def else_before_the_first_element_of_a_pack_in_parts(t):
    """The rows' place needs a division, and the first index of each row lies outside."""
    text = """
kernel k(x: bf16[M..., 19], y: out f32[M], z: out f32[M])
over (i in M by 1) {
  let d = span(19);
  y[i] = max(x[i, d - 1, else bf16(-5.0)], over d);
  z[i] = sum(f32(x[i, d - 1, else bf16(1.0)]), over d);
}
"""
    x = t.integers((2, 16, 19), "f32", -9, 9)
    x = array(x.value, "bf16").embedded((0, 0, 0), (0, 8, 0), (1, 1, 1))
    y, z = t.run("k", source=t.file(text), x=x, out=dict(y="f32", z="f32"))
    rows = x.value.reshape(32, 19)
    t.same(y, np.maximum(rows[:, :18].max(1), -5))
    t.same(z, rows[:, :18].sum(1) + 1)


@sweep(N=[1, 2, 3, 17])
def an_index_that_runs_backwards(t, N):
    """Along the dimension whose elements are neighbours: the address falls by one element from index to index."""
    text = """
kernel k(x: bool[N, M], y: out f32[N, M], z: out f32[N, M])
over (i in M by 5, j in N by BN) {
  var v: f32[i] = 0;
  for k in N by 3 { v += dot(bf16(k), bf16(x[N - 1 - k, i]), over k); }
  y[j, i] = v;
  z[j, i] = f32(x[N - 1 - j, i]);
}
"""
    x = t.flags((N, 1))
    y, z = t.run("k", source=t.file(text), x=x, out=dict(y="f32", z="f32"))
    t.same(y, np.full((N, 1), (np.arange(N) * x.value[::-1, 0]).sum()))
    t.same(z, x.value[::-1].astype(float))


@test
def launches_are_refused_when_an_index_sticks_out(t):
    text = """
kernel k(x: f32[M], y: out f32[N], o: i64)
over (n in N by BN) { y[n] = x[n + o]; }
"""
    x = t.normal((20,), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, o=5, dims=dict(N=15), out=dict(y="f32"))
    t.same(y, x.value[5:])
    t.fails("k", source=t.file(text), x=x, o=6, dims=dict(N=15), out=dict(y="f32"), expect="20")
    t.fails("k", source=t.file(text), x=x, o=-1, dims=dict(N=15), out=dict(y="f32"), expect="-1")


@test
def a_span_over_another_dimension_needs_a_requirement(t):
    text = """
kernel k(x: f32[M], y: out f32[N])
over (n in N by BN) { %sy[n] = x[n]; }
"""
    x = t.normal((20,), "f32")
    t.fails("k", source=t.file(text % ""), x=x, dims=dict(N=15), out=dict(y="f32"), expect="require N <= M")
    (y,) = t.run("k", source=t.file(text % "require N <= M; "), x=x, dims=dict(N=15), out=dict(y="f32"))
    t.same(y, x.value[:15])
    t.fails("k", source=t.file(text % "require N <= M; "), x=x, dims=dict(N=21), out=dict(y="f32"), expect="N <= M")


if __name__ == "__main__":
    main()
