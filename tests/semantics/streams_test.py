"""Outputs larger than the caches, which are written past them: rows that begin and end anywhere in a line."""

import numpy as np

from harness import EPSILON, main, sweep

COPY = "kernel copy(x: {0}[M, N], y: out {0}[M, N]) over (i in M by BM, j in N by BN) {{ y[i, j] = x[i, j]; }}"
ROWS = """
kernel softmax<N: i64>(x: f32[M, N], y: out f32[M, N])
over (i in M by BM) {
  let j = span(N);
  let e = exp(x[i, j] - max(x[i, j], over j));
  y[i, j] = e / sum(e, over j);
}
kernel norm<N: i64>(x: f32[M, N], y: out f32[M, N], total: out f32[M])
over (i in M by BM) {
  let j = span(N);
  let v = x[i, j];
  let s = mean(v * v, over j);
  y[i, j] = v * rsqrt(s + 1e-5);
  total[i] = s;
}
"""


def matrix(t, rows, columns, dtype):
    return t.normal((rows, columns), dtype) if dtype not in ("i8", "i64") else t.integers((rows, columns), dtype, -100, 100)


@sweep(dtype=["f32", "f64", "bf16", "i8", "i64"], columns=[4096, 4099, 300007])
def rows_are_copied_whole(t, dtype, columns):
    size = {"f32": 4, "f64": 8, "bf16": 2, "i8": 1, "i64": 8}[dtype]
    x = matrix(t, (17 << 20) // (size * columns) + 1, columns, dtype)
    (y,) = t.run("copy", dict(BM=2, BN=1024), source=t.file(COPY.format(dtype)), x=x, out=dict(y=dtype))
    t.same(y, x.value)


@sweep(columns=[4096, 4111], BM=[1, 3])
def rows_that_several_nests_read(t, columns, BM):
    x = t.normal((1100, columns), "f32")
    e = np.exp(x.value - x.value.max(1, keepdims=True))
    (y,) = t.run("softmax", dict(BM=BM), source=t.file(ROWS), x=x, out=dict(y="f32"))
    t.close(y, e / e.sum(1, keepdims=True), ulps=64)
    s = (x.value**2).mean(1)
    y, total = t.run("norm", dict(BM=BM), source=t.file(ROWS), x=x, out=dict(y="f32", total="f32"))
    t.close(total, s, terms=columns)
    t.close(y, x.value / np.sqrt(s + 1e-5)[:, None], scale=np.abs(x.value) + EPSILON["f32"], ulps=64)


if __name__ == "__main__":
    main()
