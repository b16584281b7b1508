"""docs/language.md §3.11, grids that depend on themselves and on memory. Small kernels, with the values they must give. Run
with --help for the options."""

import numpy as np

from harness import array, main, rounded, sweep, test


@sweep(N=[1, 16, 45])
def a_triangular_grid(t, N):
    text = """
kernel k(x: f32[N], y: inout f32[N, N])
over (i in N by 16, j in 0..i.end by 8) {
  y[i, j, else drop] = where(j <= i, x[i] * x[j, else 0], -1);
}
"""
    x, y = t.normal((N,), "f32"), array(np.full((N, N), 5.0), "f32")
    (got,) = t.run("k", source=t.file(text), x=x, y=y, out=dict(y="f32"))
    want = np.full((N, N), 5.0)
    for i in range(N):
        end = min(i // 16 * 16 + 16, N)
        for j in range(end):
            want[i, j] = x.value[i] * x.value[j] if j <= i else -1
    t.same(got, rounded(want, "f32"))


@test
def a_grid_of_packed_sequences(t):
    text = """
kernel k(x: f32[N, D], cu: i32[B + 1], w: f32[B, D], y: out f32[N, D])
over (b in B, i in cu[b]..cu[b + 1] by 4, d in D by BD) {
  y[i, d, else drop] = x[i, d, else 0] * w[b, d];
}
"""
    cu = [0, 5, 5, 6, 17]
    x, w = t.normal((17, 9), "f32"), t.normal((4, 9), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, cu=array(cu, "i32"), w=w, out=dict(y="f32"))
    row = np.repeat(np.arange(4), np.diff(cu))
    t.same(y, rounded(x.value * w.value[row], "f32"))


if __name__ == "__main__":
    main()
