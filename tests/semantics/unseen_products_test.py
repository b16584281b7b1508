"""Products in layouts that the ready kernels do not have."""

import math

import numpy as np

from everywhere import everywhere
from harness import Array, array, main, rounded, sweep, test

NT = """
kernel grouped<T: float | f64>(x: T[B, G, M, K], w: T[G, K, N], y: out T[B, M, G, N])
over (b in B, g in G, i in M by BM, j in N by BN) {
  var acc: accum(T)[i, j] = 0;
  for k in K by BK { acc += dot(x[b, g, i, k], w[g, k, j], over k); }
  y[b, i, g, j] = T(acc);
}
"""


@sweep(
    size=[(2, 3, 5, 7, 11), (1, 1, 1, 1, 1), (1, 2, 33, 65, 17), (2, 0, 3, 4, 5), (1, 2, 3, 0, 5)],
    dtype=["f32", "f64", "bf16", "f8e4m3"],
)
def batched_and_grouped(t, size, dtype):
    B, G, M, K, N = size
    x, w = t.normal((B, G, M, K), dtype), t.normal((G, K, N), dtype)
    want = np.einsum("bgmk,gkn->bmgn", x.value, w.value)
    scale = np.einsum("bgmk,gkn->bmgn", abs(x.value), abs(w.value))
    everywhere(t, "grouped", NT, x=x, w=w, out=dict(y=dtype), check=lambda y: t.close(y, want, terms=K, scale=scale))


TN = """
kernel tn(x: f32[K, M], w: f32[K, N], y: out f32[N, M])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[k, i], w[k, j], over k); }
  y[j, i] = acc;
}
"""


@sweep(order=["c", "f", "strided", "reversed"])
def both_transposed(t, order):
    M, N, K = 37, 29, 41
    x, w = t.normal((K, M), "f32"), t.normal((K, N), "f32")
    if order == "f":
        x, w = x.fortran(), w.fortran()
    elif order == "strided":
        x, w = x.embedded((1, 2), (3, 1), (2, 3)), w.embedded((0, 5), (1, 0), (1, 2))
    elif order == "reversed":
        x, w = x.embedded((1, 2), (3, 1), (-1, -2)), w.embedded((0, 0), (0, 0), (-1, -1))
    want = x.value.T @ w.value
    everywhere(
        t, "tn", TN, x=x, w=w, out=dict(y="f32"),
        check=lambda y: t.close(y, want.T, terms=K, scale=(abs(x.value).T @ abs(w.value)).T),
    )


COMPLEX = """
kernel cmul(ar: f32[M, K], ai: f32[M, K], br: f32[K, N], bi: f32[K, N], cr: out f32[M, N], ci: out f32[M, N])
over (i in M by BM, j in N by BN) {
  var re: f32[i, j] = 0;
  var im: f32[i, j] = 0;
  for k in K by BK {
    let a = ar[i, k];
    let b = ai[i, k];
    re += dot(a, br[k, j], over k) - dot(b, bi[k, j], over k);
    im += dot(a, bi[k, j], over k) + dot(b, br[k, j], over k);
  }
  cr[i, j] = re;
  ci[i, j] = im;
}
kernel interleaved(a: f32[M, K, 2], b: f32[K, N, 2], c: out f32[M, N, 2])
over (i in M by BM, j in N by BN) {
  var re: f32[i, j] = 0;
  var im: f32[i, j] = 0;
  for k in K by BK {
    re += dot(a[i, k, 0], b[k, j, 0], over k);
    re -= dot(a[i, k, 1], b[k, j, 1], over k);
    im += dot(a[i, k, 0], b[k, j, 1], over k);
    im += dot(a[i, k, 1], b[k, j, 0], over k);
  }
  c[i, j, 0] = re;
  c[i, j, 1] = im;
}
"""


@sweep(size=[(1, 1, 1), (17, 33, 65), (64, 64, 64)])
def complex_products(t, size):
    M, K, N = size
    a, b = t.normal((M, K, 2), "f32"), t.normal((K, N, 2), "f32")
    c = (a.value[..., 0] + 1j * a.value[..., 1]) @ (b.value[..., 0] + 1j * b.value[..., 1])
    part = lambda x, n: Array(np.ascontiguousarray(x.raw[..., n]), "f32")
    scale = np.full((M, N), 4.0 * math.sqrt(K))

    def check(re, im):
        t.close(re, c.real, terms=K, scale=scale)
        t.close(im, c.imag, terms=K, scale=scale)

    everywhere(
        t, "cmul", COMPLEX, ar=part(a, 0), ai=part(a, 1), br=part(b, 0), bi=part(b, 1), out=dict(cr="f32", ci="f32"),
        check=check,
    )
    everywhere(
        t, "interleaved", COMPLEX, a=a, b=b, out=dict(c="f32"),
        check=lambda y: t.close(y, np.stack([c.real, c.imag], -1), terms=K, scale=scale[..., None]),
    )


BILINEAR = """
kernel bilinear<I: i64>(x: f32[B, I], w: f32[O, I, J], z: f32[B, J], y: out f32[B, O])
over (b in B by BB, o in O by BO) {
  let i = span(I);
  var acc: f32[b, o] = 0;
  for j in J by BJ {
    let xw = dot(x[b, i], w[o, i, j], over i);
    acc += dot(xw, z[b, j], over j);
  }
  y[b, o] = acc;
}
kernel trace_product(x: f32[B, M, N], z: f32[B, M, N], y: out f32[B])
over (b in B by BB) {
  var acc: f32[b] = 0;
  for i in M by BM, j in N by BN { acc += dot(x[b, i, j], z[b, i, j], over i, j); }
  y[b] = acc;
}
kernel outer(x: f64[B, M], z: f64[B, N], y: out f64[M, N])
over (i in M by BM, j in N by BN, b in B by BB) {
  y[i, j] += dot(x[b, i], z[b, j], over b);
}
kernel gram(x: f32[N, D], y: out f32[N, N])
over (i in N by BM, d in D by BD) {
  for j in N by BN { y[i, j] += dot(x[i, d], x[j, d], over d); }
}
"""


@sweep(size=[(1, 1, 1, 1), (5, 7, 9, 11), (33, 16, 20, 3), (0, 2, 3, 4)])
def bilinear_forms(t, size):
    B, I, J, O = size
    x, w, z = t.normal((B, I), "f32"), t.normal((O, I, J), "f32"), t.normal((B, J), "f32")
    want = np.einsum("bi,oij,bj->bo", x.value, w.value, z.value)
    everywhere(
        t, "bilinear", BILINEAR, x=x, w=w, z=z, out=dict(y="f32"),
        check=lambda y: t.close(
            y, want, terms=I * J, scale=np.einsum("bi,oij,bj->bo", abs(x.value), abs(w.value), abs(z.value))
        ),
    )


@sweep(size=[(1, 1, 1), (5, 37, 41), (3, 0, 5), (130, 3, 2)])
def traces_outers_and_grams(t, size):
    B, M, N = size
    x, z = t.normal((B, M, N), "f32"), t.normal((B, M, N), "f32")
    everywhere(
        t, "trace_product", BILINEAR, x=x, z=z, out=dict(y="f32"),
        check=lambda y: t.close(y, (x.value * z.value).sum((1, 2)), terms=M * N, scale=abs(x.value * z.value).sum((1, 2))),
    )
    x, z = t.normal((B, M), "f64"), t.normal((B, N), "f64")
    everywhere(
        t, "outer", BILINEAR, x=x, z=z, out=dict(y="f64"),
        check=lambda y: t.close(y, x.value.T @ z.value, terms=B, scale=abs(x.value).T @ abs(z.value)),
    )
    x = t.normal((M, N), "f32")
    everywhere(
        t, "gram", BILINEAR, x=x, out=dict(y="f32"),
        check=lambda y: t.close(y, x.value @ x.value.T, terms=N, scale=abs(x.value) @ abs(x.value).T),
    )


INTEGER = """
kernel product<T: integer>(x: T[M, K], w: T[K, N], y: out accum(T)[M, N])
over (i in M by BM, j in N by BN) {
  var acc: accum(T)[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[k, j], over k); }
  y[i, j] = acc;
}
"""


@sweep(dtype=["i64", "i32", "i16", "i8", "u8"], size=[(1, 1, 1), (19, 23, 29), (3, 300, 65)])
def integer_products_wrap(t, dtype, size):
    M, K, N = size
    info = np.iinfo({"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8}[dtype])
    x = Array(t.random.integers(info.min, info.max, (M, K), info.dtype, endpoint=True), dtype)
    w = Array(t.random.integers(info.min, info.max, (K, N), info.dtype, endpoint=True), dtype)
    result = "i64" if dtype == "i64" else "i32"
    wide = {"i64": np.int64, "i32": np.int32}[result]
    with np.errstate(over="ignore"):
        want = (x.raw.astype(wide) @ w.raw.astype(wide)).astype(np.int64)
    everywhere(t, "product", INTEGER, x=x, w=w, out=dict(y=result), check=lambda y: t.same(y, want))


MIXED = """
kernel mixed<A: float | f64, B: float | f64, O: float | f64>(x: A[M, K], w: B[N, K], y: out O[M, N])
over (i in M by BM, j in N by BN) {
  var acc: f64[i, j] = 0;
  for k in K by BK { acc += f64(dot(x[i, k], w[j, k], over k)); }
  y[i, j] = O(acc);
}
"""


@sweep(a=["f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2"], b=["f64", "f32", "f16", "bf16", "f8e5m2"])
def products_of_two_dtypes(t, a, b):
    x, w = t.normal((13, 70), a), t.normal((21, 70), b)
    want, scale = x.value @ w.value.T, abs(x.value) @ abs(w.value).T
    for tunables in (dict(O="f32"), dict(O="f32", BM=16, BN=32, BK=8)):
        (y,) = t.run("mixed", tunables, source=t.file(MIXED), x=x, w=w, out=dict(y="f32"))
        t.close(y, want, terms=70, scale=scale)


POISONED = """
kernel bounded(x: f32[B, M, K], w: f32[N, K], len: i32[B], y: out f32[B, M, N])
over (b in B, i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in 0..min(len[b], K) by BK { acc += dot(x[b, i, k, else 0], w[j, k, else 0], over k); }
  y[b, i, j] = acc;
}
"""


@sweep(order=["c", "f"])
def products_ignore_what_lies_beyond_a_length(t, order):
    lengths = np.array([0, 1, 5, 16, 17, 33, -3, 99], np.int32)
    B, M, K, N = len(lengths), 9, 33, 10
    x, w = t.normal((B, M, K), "f32"), t.normal((N, K), "f32")
    want = np.zeros((B, M, N))
    for b, n in enumerate(lengths):
        n = max(0, min(n, K))
        want[b] = x.value[b, :, :n] @ w.value[:, :n].T
        x.raw[b, :, n:] = np.nan
    if order == "f":
        x, w = x.fortran(), w.fortran()
    everywhere(
        t, "bounded", POISONED, x=x, w=w, len=Array(lengths, "i32"), out=dict(y="f32"),
        check=lambda y: t.close(y, want, terms=K, scale=K),
    )


POWERS = """
kernel power<N: i64>(x: f64[B, N, N], y: out f64[B, N, N], steps: i64)
over (b in B) {
  let i = span(N);
  let j = span(N);
  let k = span(N);
  y[b, i, j] = dot(x[b, i, k], x[b, k, j], over k);
}
kernel square_chain<N: i64>(x: f32[B, N, N], v: f32[B, N], y: out f32[B, N], steps: i64)
over (b in B) {
  let i = span(N);
  let j = span(N);
  let m = x[b, i, j];
  var n: i64 = 0;
  var a: f32[i] = v[b, i];
  while n < steps {
    let turned = dot(x[b, j, i], a, over i);
    a = dot(x[b, i, j], turned, over j) / 100;
    n += 1;
  }
  y[b, i] = a;
}
"""


@sweep(N=[1, 2, 5, 16, 33])
def matrix_powers(t, N):
    x = t.normal((3, N, N), "f64")
    everywhere(
        t, "power", POWERS, x=x, steps=1, out=dict(y="f64"),
        check=lambda y: t.close(y, x.value @ x.value, terms=N, scale=abs(x.value) @ abs(x.value)),
    )
    x, v = t.normal((3, N, N), "f32"), t.normal((3, N), "f32")
    for steps in (0, 1, 3):
        a = v.value
        s = abs(v.value)
        for _ in range(steps):
            a = np.einsum("bij,bj->bi", x.value, np.einsum("bji,bi->bj", x.value, a)) / 100
            s = np.einsum("bij,bj->bi", abs(x.value), np.einsum("bji,bi->bj", abs(x.value), s)) / 100
        everywhere(
            t, "square_chain", POWERS, x=x, v=v, steps=steps, out=dict(y="f32"),
            check=lambda y: t.close(y, a, terms=N * 8, scale=s),
        )


STRASSEN = """
kernel low_rank<R: i64, act: fn(f32) -> f32 = tanh>(
    x: bf16[M..., K], a: bf16[R, K], b: bf16[N, R], w: bf16[N, K], y: out f32[M..., N], alpha: f32 = 0.5)
over (i in M by BM, j in N by BN) {
  let r = span(R);
  var h: f32[i, r] = 0;
  var acc: f32[i, j] = 0;
  for k in K by BK {
    h += dot(x[i, k], a[r, k], over k);
    acc += dot(x[i, k], w[j, k], over k);
  }
  acc += alpha * dot(bf16(h), b[j, r], over r);
  y[i, j] = act(acc);
}
"""


@sweep(lead=[(), (1,), (5,), (2, 3), (2, 1, 3), (1, 2, 2, 2)], R=[1, 4, 17])
def low_rank_adapters(t, lead, R):
    K, N = 37, 19
    x, a, b, w = (t.normal(s, "bf16") for s in ((*lead, K), (R, K), (N, R), (N, K)))
    h = rounded((x.value @ a.value.T).astype(np.float32), "bf16")
    want = x.value @ w.value.T + 0.5 * h @ b.value.T

    def check(y):
        value, goal = y.value, np.tanh(want)
        assert value.shape == goal.shape, (value.shape, goal.shape)
        assert np.all(abs(value - goal) < 0.03 * R), abs(value - goal).max()

    everywhere(t, "low_rank", STRASSEN, x=x, a=a, b=b, w=w, out=dict(y="f32"), check=check)


CONSTANT = """
kernel of_ones(x: f32[M, K], rows: out f32[M], wide: out f32[M, N], columns: out f32[K])
over (i in M by BM) {
  var acc: f32[i] = 0;
  for k in K by BK {
    var one: f32[k] = 1;
    acc += dot(x[i, k], one, over k);
    var rows_of: f32[i] = 2;
    columns[k] += dot(rows_of, x[i, k], over i);
  }
  rows[i] = acc;
  for j in N by BN {
    var sum_of: f32[i, j] = 0;
    for k in K by BK {
      var half: f32[k, j] = 0.5;
      sum_of += dot(x[i, k], half, over k);
    }
    wide[i, j] = sum_of;
  }
}
kernel of_two_constants<D: i64>(y: out f32[M, N], z: out f32[M], x: f32[M, D])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in 40 by BK {
    var a: f32[i, k] = 2;
    var b: f32[k, j] = 3;
    acc += dot(a, b, over k);
  }
  y[i, j] = acc;
  let d = span(D);
  var c: f32[d] = 0.25;
  z[i] max= dot(c, x[i, d], over d);
}
"""


@sweep(size=[(1, 1, 1), (7, 37, 5), (0, 3, 2), (3, 0, 2)])
def products_of_constants(t, size):
    M, K, N = size
    x = t.normal((M, K), "f32")
    sums = x.value.sum(1)

    def check(rows, wide, columns):
        t.close(rows, sums, terms=K + 1, scale=K + 1)
        t.close(wide, np.broadcast_to(0.5 * sums[:, None], (M, N)), terms=K + 1, scale=K + 1)
        t.close(columns, 2 * x.value.sum(0), terms=M + 1, scale=M + 1)

    out = dict(rows="f32", wide="f32", columns="f32")
    everywhere(t, "of_ones", CONSTANT, x=x, dims=dict(N=N), out=out, check=check)
    if K == 0:
        return  # a span is never empty

    def check_both(y, z):
        t.same(y, np.full((M, N), 240.0))
        t.close(z, sums / 4, terms=K, scale=K)

    everywhere(t, "of_two_constants", CONSTANT, x=x, dims=dict(N=N), out=dict(y="f32", z="f32"), check=check_both)


SPECIAL = """
kernel plain<T: float | f64>(x: T[M, K], w: T[K, N], y: out accum(T)[M, N])
over (i in M by BM, j in N by BN) {
  var acc: accum(T)[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[k, j], over k); }
  y[i, j] = acc;
}
"""


@sweep(dtype=["f32", "f64", "bf16", "f16", "f8e5m2"])
def products_of_nan_and_infinity(t, dtype):
    x, w = t.normal((11, 20), dtype), t.normal((20, 13), dtype)
    special = lambda v: array(v, dtype)
    a, b = x.value.copy(), w.value.copy()
    a[2, 3], a[4, 5], a[5, 6], a[7] = np.nan, np.inf, -np.inf, -0.0
    b[3, 3], b[5, 5], b[8, 1] = np.inf, 0.0, np.nan
    x, w = special(a), special(b)
    with np.errstate(invalid="ignore"):
        want = x.value @ w.value
        # NumPy's product may use fused or split sums; special values come out the same
    everywhere(
        t, "plain", SPECIAL, x=x, w=w, out=dict(y="f64" if dtype == "f64" else "f32"),
        check=lambda y: t.close(y, want, terms=20, scale=np.nan_to_num(abs(a), nan=0, posinf=0).sum(1)[:, None] * 4 + 1),
    )


if __name__ == "__main__":
    main()
