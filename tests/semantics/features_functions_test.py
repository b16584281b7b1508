"""docs/language.md §3.9 and §3.10, functions, and what specializes a kernel. Small kernels, with the values they must give. Run
with --help for the options."""

import numpy as np

from harness import main, test


@test
def functions(t):
    text = """
let half = 0.5;
fn twice<R: real>(x: R) -> R = x + x;
fn both(a: f32, b: f32) -> (f32, f32) {
  let s = a + b;
  return (s, a - b);
}
fn centred(x: f32, over k) -> f32 = x - mean(x, over k);
fn powers(x: f32) -> f32 {
  var p: f32 = 1;
  var s: f32 = 0;
  for n in 4 { s += p; p *= x; }
  return s;
}

kernel k<act: fn(f32) -> f32 = powers>(
    x: f32[M, N], d: f64[M], y: out f32[M, N], z: out f64[M], u: out f32[M, N], v: out f32[M, N], w: out f32[M, N])
over (i in M by 4) {
  require N == 10;
  let j = span(10);
  let (s, t) = both(x[i, j], half);
  y[i, j] = twice(s) * t;
  z[i] = twice(d[i]);
  u[i, j] = centred(x[i, j], over j);
  v[i, j] = powers(x[i, j]);
  w[i, j] = act(x[i, j]);
}
"""
    x, d = t.normal((7, 10), "f32"), t.normal((7,), "f64")
    source = t.file(text)
    y, z, u, v, w = t.run("k", source=source, x=x, d=d, out=dict(y="f32", z="f64", u="f32", v="f32", w="f32"))
    X = x.value
    t.close(y, 2 * (X + 0.5) * (X - 0.5), scale=8)
    t.same(z, 2 * d.value)
    t.close(u, X - X.mean(1, keepdims=True), scale=2, terms=10)
    t.close(v, 1 + X + X**2 + X**3, scale=1 + np.abs(X) ** 3 + np.abs(X) + X**2)
    t.same(w, v.value)
    for name, formula in dict(tanh=np.tanh, exp=np.exp, abs=np.abs).items():
        (w,) = t.run("k", dict(act=name), source=source, x=x, d=d, out=dict(w="f32"))
        t.close(w, formula(X))


@test
def statics_of_every_kind(t):
    text = """
kernel k<T: f16 | bf16, U: integer, D: i64, shift: i32 = 2, scale: f32 = 1.5, up: bool = true, act: fn(f32, f32) -> f32 = max>(
    x: T[N, D], c: U[N], y: out T[N, D], z: out U[N], a: out accum(U)[N])
over (n in N by BN) {
  let d = span(D);
  y[n, d] = T(act(x[n, d] * scale, f32(D)));
  z[n] = U(c[n] + U(shift));
  if up { a[n] = c[n] * 2; } else { a[n] = -1; }
}
"""
    source = t.file(text)
    x, c = t.normal((5, 3), "f16"), t.integers((5,), "i16", -100, 100)
    y, z, a = t.run("k", source=source, x=x, c=c, out=dict(y="f16", z="i16", a="i32"))
    t.close(y, np.maximum(x.value * 1.5, 3))
    t.same(z, c.value + 2)
    t.same(a, c.value * 2)
    y, z, a = t.run(
        "k", dict(shift=-3, scale=0.5, up=False, act="min", D=3), source=source, x=x, c=c, out=dict(y="f16", z="i16", a="i32")
    )
    t.close(y, np.minimum(x.value * 0.5, 3))
    t.same(z, c.value - 3)
    t.same(a, np.full(5, -1))
    t.fails("k", source=source, x=t.normal((5, 3), "f32"), c=c, out=dict(y="f32"), expect="f32")


if __name__ == "__main__":
    main()
