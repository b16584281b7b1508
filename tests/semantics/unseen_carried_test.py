"""Variables that loops carry and that depend on each other: each assignment sees the values of its moment."""

import numpy as np

from everywhere import everywhere
from harness import array, is_float, main, sweep, test

SOURCE = """
kernel swapped<T: f32 | f64 | i64 | i32>(
    x: T[M, N], y: T[M, N], p: out T[M, N], q: out T[M, N], r: out T[M, N], steps: i64)
over (i in M by BM, j in N by BN) {
  var a: T[i, j] = x[i, j];
  var b: T[i, j] = y[i, j];
  var c: T[i, j] = 0;
  for k in steps {
    let t = a;
    a = b;
    b = c;
    c = t + T(k);
  }
  p[i, j] = a;
  q[i, j] = b;
  r[i, j] = c;
}
kernel recurrence(x: f32[N], p: out f32[N], q: out f32[N], steps: i64)
over (n in N by BN) {
  var a: f32[n] = x[n];
  var b: f32[n] = 1;
  for k in steps {
    a = a + b;
    b = a - 2 * b;
    a = a * 0.5;
  }
  p[n] = a;
  q[n] = b;
}
kernel in_while(x: i64[N], p: out i64[N], q: out i64[N])
over (n in N by BN) {
  var a: i64[n] = x[n];
  var b: i64[n] = 12;
  while any(b != 0, over n) {
    let r = where(b == 0, 0, a % where(b == 0, 1, b));
    let d = b == 0;
    a = where(d, a, b);
    b = r;
  }
  p[n] = a;
  q[n] = b;
}
kernel with_sums(x: f32[M, N], y: out f32[M], z: out f32[M], w: out f32[M])
over (i in M by BM) {
  var mean_of: f32[i] = 0;
  var last: f32[i] = 0;
  var before: f32[i] = -1;
  for j in N by 8 {
    before = last;
    last = max(x[i, j], over j) - last;
    mean_of = (mean_of + last) * 0.5 + sum(x[i, j] - mean_of, over j) / 8;
  }
  y[i] = mean_of;
  z[i] = last;
  w[i] = before;
}
kernel with_branches(x: f32[N], y: out f32[N], z: out f32[N], mode: i32, steps: i64)
over (n in N by BN) {
  var a: f32[n] = x[n];
  var b: f32[n] = 2 * x[n];
  for k in steps {
    if (k + mode) % 3 == 0 {
      let t = a;
      a = b;
      b = t;
    } else if mode == 1 {
      a += 1;
    } else {
      b = a;
      a = b + a;
    }
    for u in 2 { let t = b; b = a - 1; a = t; }
  }
  y[n] = a;
  z[n] = b;
}
kernel matrices<N: i64>(x: f32[B, N, N], y: out f32[B, N, N], z: out f32[B, N, N], steps: i64)
over (b in B) {
  let i = span(N);
  let j = span(N);
  let k = span(N);
  var p: f32[i, j] = x[b, i, j];
  var q: f32[i, j] = where(i == j, 1.0, 0.0);
  for s in steps {
    let row = sum(p, over j);
    let t = q;
    q = p * 0.5 + row * 0;
    p = t + q;
  }
  y[b, i, j] = p;
  z[b, i, j] = q;
}
kernel products<K: i64>(x: f32[M, K], w: f32[K, K], y: out f32[M, K], z: out f32[M, K], steps: i64)
over (m in M by BM) {
  let i = span(K);
  let j = span(K);
  var h: f32[m, i] = x[m, i];
  var old: f32[m, i] = 0;
  for s in steps {
    let t = dot(h, w[i, j], over i);
    old = h;
    h = tanh(dot(t, w[i, j], over j)) + 0.5 * old;
  }
  y[m, i] = h;
  z[m, i] = old;
}
"""


@sweep(dtype=["f32", "f64", "i64", "i32"], steps=[0, 1, 2, 5], size=[(1, 1), (7, 37)])
def rotated_variables(t, dtype, steps, size):
    make = (lambda: t.normal(size, dtype)) if is_float(dtype) else (lambda: t.integers(size, dtype, -99, 99))
    x, y = make(), make()
    a, b, c = x.value, y.value, np.zeros(size)
    for k in range(steps):
        a, b, c = b, c, a + k

    def check(p, q, r):
        t.close(p, a, scale=8) if is_float(dtype) else t.same(p, a)
        t.close(q, b, scale=8) if is_float(dtype) else t.same(q, b)
        t.close(r, c, scale=8) if is_float(dtype) else t.same(r, c)

    everywhere(t, "swapped", SOURCE, x=x, y=y, steps=steps, out=dict(p=dtype, q=dtype, r=dtype), check=check)


@sweep(steps=[0, 1, 2, 7], N=[1, 37])
def variables_of_each_other(t, steps, N):
    x = t.normal((N,), "f32")
    a, b = x.value, np.ones(N)
    for k in range(steps):
        a = a + b
        b = a - 2 * b
        a = a * 0.5

    def check(p, q):
        t.close(p, a, scale=abs(a) + 20, ulps=32)
        t.close(q, b, scale=abs(b) + 20, ulps=32)

    everywhere(t, "recurrence", SOURCE, x=x, steps=steps, out=dict(p="f32", q="f32"), check=check)


@sweep(N=[0, 1, 100])
def greatest_common_divisors(t, N):
    x = t.integers((N,), "i64", 0, 1000)

    def check(p, q):
        t.same(p, np.gcd(x.value, 12))
        t.same(q, np.zeros(N))

    everywhere(t, "in_while", SOURCE, x=x, out=dict(p="i64", q="i64"), check=check)


@sweep(N=[1, 8, 37])
def variables_with_sums(t, N):
    x = t.normal((5, N), "f32")
    mean, last, before = np.zeros(5), np.zeros(5), np.full(5, -1.0)
    for j in range(0, N, 8):
        v = x.value[:, j : j + 8]
        before = last
        last = v.max(1) - last
        mean = (mean + last) * 0.5 + (v - mean[:, None]).sum(1) / 8

    def check(y, z, w):
        t.close(y, mean, scale=8, ulps=16)
        t.close(z, last, scale=8)
        t.close(w, before, scale=8)

    everywhere(t, "with_sums", SOURCE, x=x, out=dict(y="f32", z="f32", w="f32"), check=check)


@sweep(mode=[0, 1, 2], steps=[0, 1, 4])
def variables_through_branches(t, mode, steps):
    x = t.normal((21,), "f32")
    a, b = x.value, 2 * x.value
    for k in range(steps):
        if (k + mode) % 3 == 0:
            a, b = b, a
        elif mode == 1:
            a = a + 1
        else:
            b = a
            a = b + a
        for _ in range(2):
            b, a = a - 1, b

    def check(y, z):
        t.close(y, a, scale=64)
        t.close(z, b, scale=64)

    everywhere(t, "with_branches", SOURCE, x=x, mode=mode, steps=steps, out=dict(y="f32", z="f32"), check=check)


@sweep(steps=[0, 1, 3], N=[1, 5, 19])
def matrices_of_each_other(t, steps, N):
    x = t.normal((2, N, N), "f32")
    p, q = x.value, np.broadcast_to(np.eye(N), x.shape)
    for _ in range(steps):
        p, q = q + p * 0.5, p * 0.5

    def check(y, z):
        t.close(y, p, scale=8, ulps=16)
        t.close(z, q, scale=8, ulps=16)

    everywhere(t, "matrices", SOURCE, x=x, steps=steps, out=dict(y="f32", z="f32"), check=check)


@sweep(steps=[0, 1, 3], K=[1, 5, 17])
def products_of_what_is_carried(t, steps, K):
    x, w = t.normal((9, K), "f32"), t.normal((K, K), "f32", 0.2)
    h, old = x.value, np.zeros((9, K))
    for _ in range(steps):
        old, h = h, np.tanh(h @ w.value @ w.value.T) + 0.5 * h

    def check(y, z):
        t.close(y, h, scale=4, ulps=32, terms=K)
        t.close(z, old, scale=4, ulps=32, terms=K)

    everywhere(t, "products", SOURCE, x=x, w=w, steps=steps, out=dict(y="f32", z="f32"), check=check)


if __name__ == "__main__":
    main()
