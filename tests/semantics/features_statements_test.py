"""docs/language.md §3.8, statements: variables, control, requirements, prints and asserts. Small kernels, with the values they
must give. Run with --help for the options."""

import math

import numpy as np

from harness import array, main, sweep, test


@test
def variables_and_assignments(t):
    text = """
kernel k(x: f32[M, N], y: out f32[M, N], z: out f32[M])
over (i in M by BM, j in N by 16) {
  var v = x[i, j];
  var row: f32[i, j] = x[i, 0];
  v += 1;
  v *= row;
  v -= x[i, j];
  v /= 2;
  v max= -1.0;
  v min= 1.5;
  y[i, j] = v;
  var w: f32[i] = 3;
  w += x[i, 0];
  w = w * w;
  w = 7;
  z[i] min= w + sum(v * 0, over j);
}
"""
    x = t.normal((9, 33), "f32")
    y, z = t.run("k", source=t.file(text), x=x, out=dict(y="f32", z="f32"))
    v = x.value.astype(np.float32)
    want = np.clip(((v + np.float32(1)) * v[:, :1] - v) / np.float32(2), np.float32(-1), np.float32(1.5))
    t.close(y, want, scale=4)
    t.same(z, np.full(9, 7.0))


@sweep(n=[0, 1, 7, 40])
def while_runs_until_its_condition_fails(t, n):
    text = """
kernel k(x: f32[N], steps: out i64[N], value: out f32[N], limit: i64)
over (n in N by 4) {
  var v = x[n];
  var s: i64 = 0;
  while any(v > 1.0, over n) and s < limit {
    v = where(v > 1.0, v / 2, v);
    s += 1;
  }
  steps[n] = s;
  value[n] = v;
}
"""
    x = array(np.abs(t.random.standard_normal(n)) * 100, "f32")
    steps, value = t.run("k", source=t.file(text), x=x, limit=100, out=dict(steps="i64", value="f32"))
    need = np.array([max(0, math.ceil(math.log2(v))) if v > 1 else 0 for v in x.value], int)
    t.same(value, x.value / 2.0**need)
    of_tile = [np.full(len(need[s : s + 4]), need[s : s + 4].max()) for s in range(0, n, 4)]
    t.same(steps, np.concatenate([np.zeros(0, int), *of_tile]))


@sweep(mode=[0, 1, 2, 3], flag=[False, True])
def if_on_scalars_and_statics(t, mode, flag):
    text = """
kernel k<T: float, fast: bool = false>(x: T[N], y: out T[N], mode: i64)
over (n in N by BN) {
  var v: f32[n] = x[n];
  if mode == 0 { v = v + 1; } else if mode == 1 { v = v * 3; } else if mode < 3 { v = -v; } else { v = f32(n); }
  if fast { v *= 2; }
  if T == f32 { v += 0.5; } else { v += 0.25; }
  if n.start > 4 and mode == 1 { v = 0; }
  y[n] = T(v);
}
"""
    for dtype, extra in (("f32", 0.5), ("bf16", 0.25)):
        x = array([1.0, 2.0, -3.0, 4.0, 0.5, 8.0, 7.0, 1.5, 2.5], dtype)
        (y,) = t.run("k", dict(fast=flag, BN=4, T=dtype), source=t.file(text), x=x, mode=mode, out=dict(y=dtype))
        v = [x.value + 1, x.value * 3, -x.value, np.arange(9.0)][mode]
        v = v * (2 if flag else 1) + extra
        if mode == 1:
            v[8:] = 0
        t.same(y, v)


@test
def requirements_and_their_texts(t):
    text = """
kernel k(x: f32[N], y: out f32[N], p: f32)
over (n in N by BN) {
  require N % 4 == 0, "N comes in fours";
  require p >= 0 and p < 1;
  y[n] = x[n] * p;
}
"""
    x = t.normal((8,), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, p=0.5, out=dict(y="f32"))
    t.same(y, x.value * 0.5)
    t.fails("k", source=t.file(text), x=t.normal((9,), "f32"), p=0.5, out=dict(y="f32"), expect="N comes in fours")
    t.fails("k", source=t.file(text), x=x, p=1.0, out=dict(y="f32"), expect="p >= 0 and p < 1")


@test
def nested_loops_carry_values(t):
    text = """
kernel k(x: f32[M, N], y: out f32[M])
over (i in M by 4) {
  var total: f32[i] = 0;
  for r in 3 {
    var inner: f32[i] = f32(r);
    for j in N by 8 {
      inner += sum(x[i, j], over j) * f32(r + 1);
    }
    total = total * 0.5 + inner;
  }
  y[i] = total;
}
"""
    x = t.normal((6, 21), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, out=dict(y="f32"))
    total, row = np.zeros(6), x.value.sum(1)
    for r in range(3):
        total = total * 0.5 + r + row * (r + 1)
    t.close(y, total, terms=60, scale=np.abs(x.value).sum(1) * 6 + 3)


@test
def prints_and_asserts(t):
    text = """
kernel k(x: f32[N], y: out f32[N])
over (n in N by 4) {
  if n.start == 4 { print("tile at ", n.start, " of ", N); }
  assert(all(x[n] >= 0, over n), "x is not negative");
  y[n] = x[n];
}
"""
    source = t.file(text)
    x = array([1, 2, 3, 4, 5, -6.0], "f32")
    command = t.command("k", None, dict(y="f32"), None, (), source, dict(x=x))
    result = t.execute(command)
    t.same(result.stdout.splitlines()[0].endswith(".tile:4:21: tile at 4 of 6 (n = 4..6)"), True, what="the printed line is there")
    t.fails("k", source=source, x=x, out=dict(y="f32"), options=["--checked"],
            expect=".tile:5:3: assertion failed: x is not negative (n = 4..6)")


@sweep(schedule=["", "reference"])
def failed_asserts_tell_values_and_position(t, schedule):
    text = """
fn half(n: i32, d: i32) -> i32 = n / (d - d % 2);
kernel k(x: f32[M, N], d: i32[M], y: out f32[M])
over (i in M by 4) {
  var s: f32[i] = 0;
  for j in N by 2 {
    for t in j by 1 { assert(x[i, t] < 100 and d[i] != 5, "x[", i, ",", t, "] =", x[i, t], "and d is", d[i]); }
    s += sum(x[i, j], over j);
  }
  assert(s < 1000, s);
  y[i] = s + f32(half(6, d[i]));
}
"""
    source, options = t.file(text), ["--checked"] + (["--schedule", schedule] if schedule else [])
    x, d = np.arange(15.0).reshape(5, 3), np.array([2, 3, 7, 4, 3])
    (y,) = t.run("k", source=source, x=array(x, "f32"), d=array(d, "i32"), out=dict(y="f32"), options=options)
    t.same(y, x.sum(1) + 6 // (d - d % 2))

    def failure(x, d):
        result = t.fails("k", source=source, x=array(x, "f32"), d=array(d, "i32"), out=dict(y="f32"), options=options, expect="")
        return [line[line.index(".tile:") + 6 :] for line in result.stderr.splitlines() if ".tile:" in line]

    wrong = x.copy()
    wrong[3, 2] = 100.5
    told = failure(wrong, d)[0]
    t.same(told, "7:23: assertion failed: x[3, 2] = 100.5 and d is 4 (i = 3, j = 2..3, t = 2)")
    told = failure(-x - 98.5, [5, 5, 5, 5, 5])  # in the order of the elements, not of what they are
    t.same(told[0], "7:23: assertion failed: x[0, 0] = -98.5 and d is 5 (i = 0, j = 0..2, t = 0)")
    t.same(told[1], "7:23: assertion failed: x[0, 1] = -99.5 and d is 5 (i = 0, j = 0..2, t = 1)")
    wrong[1:3] = 500
    t.same([line for line in failure(wrong, d) if line.startswith("10:")][0], "10:3: assertion failed: 1500 (i = 1)")
    t.same(failure(x, [2, 3, 1, 4, 0])[0], "2:38: assertion failed: division by zero (i = 2)")


if __name__ == "__main__":
    main()
