"""docs/language.md §3.13, tunables. Small kernels, with the values they must give. Run with --help for the options."""

import numpy as np

from harness import array, main, sweep, test


@test
def requirements_on_tunables_are_obeyed(t):
    """Sizes are chosen so that requirements hold, by the integer rules of the language (the least i64 / -1 wraps)."""
    text = """
kernel k(x: f32[N], y: out f32[N])
over (n in N by BN) {
  require (BN * 0 - 9223372036854775807 - 1) / (BN * 0 - 1) < 0;
  require BN % 128 == 0 and BN < 200;
  y[n] = x[n] + 1;
}
"""
    source, x = t.file(text), array(np.arange(300), "f32")
    (y,) = t.run("k", source=source, x=x, out=dict(y="f32"))
    t.same(y, x.value + 1)
    result = t.execute(t.command("k", None, dict(y="f32"), None, (), source, dict(x=x)))
    t.same("BN=128" in result.stdout, True, what="the size that the requirement allows is chosen")
    t.fails("k", dict(BN=64), source=source, x=x, out=dict(y="f32"), expect="BN % 128 == 0")


@sweep(BN=[1, 3, 64, 1000])
def tunables_may_be_chosen(t, BN):
    text = """
kernel k(x: f32[N], y: out f32[N])
over (n in N by BN) { y[n] = x[n] * 2; }
"""
    x = t.normal((777,), "f32")
    (y,) = t.run("k", dict(BN=BN), source=t.file(text), x=x, out=dict(y="f32"))
    t.same(y, x.value * 2)


@test
def tune_narrows(t):
    text = """
kernel k(x: f32[N], y: out i64[N])
over (n in N by BN) { tune BN in [24, 40]; y[n] = n.end - n.start; }
"""
    source = t.file(text)
    x = t.normal((240,), "f32")
    (y,) = t.run("k", source=source, x=x, out=dict(y="i64"))
    t.same(np.isin(y.value, [24, 40]), np.ones(240, bool), what="BN is 24 or 40")
    (y,) = t.run("k", dict(BN=40), source=source, x=x, out=dict(y="i64"))
    t.same(y, np.full(240, 40))
    t.fails("k", dict(BN=32), source=source, x=x, out=dict(y="i64"), expect="32")


if __name__ == "__main__":
    main()
