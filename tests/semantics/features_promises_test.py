"""docs/language.md §3.12 rule 4, promises: places from memory that may coincide. Small kernels, with the values they must give.
Run with --help for the options."""

import numpy as np

from harness import array, main, sweep, test


@sweep(BN=[2, 64])
def places_from_memory_are_promised(t, BN):
    """Two elements that are stored to one place, in one tile or in two: one of them is stored."""
    text = """
kernel k(ids: i32[N], x: f32[N], y: out f32[N])
over (n in N by BN) { y[ids[n], else drop] = x[n]; }
"""
    source = t.file(text)
    x, good, twice = t.normal((5,), "f32"), array([3, 1, 4, 2, 5], "i32"), array([3, 1, 4, 2, 3], "i32")
    for options in ((), ("--checked",)):
        (y,) = t.run("k", dict(BN=BN), source=source, ids=good, x=x, out=dict(y="f32"), options=options)
        t.same(y, [np.nan, *x.value[[1, 3, 0, 2]]])
    (y,) = t.run("k", dict(BN=BN), source=source, ids=twice, x=x, out=dict(y="f32"))
    t.same(np.isin(y.value[3], x.value[[0, 4]]), True, what="one of the two values is stored")
    t.fails("k", dict(BN=BN), source=source, ids=twice, x=x, out=dict(y="f32"), options=["--checked"],
            expect=".tile:3:23: assertion failed: `y[3]` is written 2 times")


@sweep(rows=[7, 40_000], schedule=["", "reference"])
def checked_mode_counts_what_is_written(t, rows, schedule):
    """Of several stores to one view, in branches, over many tiles on several threads: every element that is written twice is told."""
    text = """
kernel k(ids: i32[N], flag: bool[N], x: f32[N, D], y: inout f32[N, D])
over (n in N, d in D by 8) {
  if flag[n] { y[ids[n], d, else drop] = x[n, d]; } else { y[ids[n], d, else drop] = -x[n, d]; }
}
"""
    source, options = t.file(text), ["--checked"] + (["--schedule", schedule] if schedule else [])
    ids, flag, x = array(t.random.permutation(rows), "i32"), t.flags((rows,)), t.normal((rows, 3), "f32")
    ids.raw[2] = -1
    (y,) = t.run("k", source=source, ids=ids, flag=flag, x=x, y=x, out=dict(y="f32"), options=options)
    want = x.value.copy()
    for n in range(rows):
        if ids.raw[n] >= 0:
            want[ids.raw[n]] = x.value[n] if flag.value[n] else -x.value[n]
    t.same(y, want)
    ids.raw[rows - 1] = ids.raw[0]
    first = ids.raw[0]
    result = t.fails("k", source=source, ids=ids, flag=flag, x=x, y=x, out=dict(y="f32"), options=options, expect=f"`y[{first}, 0]`")
    t.same([f"`y[{first}, {d}]` is written 2 times" in result.stderr for d in range(3)], [True] * 3)
    ids.raw[:] = 0
    t.fails("k", source=source, ids=ids, flag=flag, x=x, y=x, out=dict(y="f32"), options=options,
            expect=f"`y[0, 0]` is written {rows} times")


@test
def checked_mode_tells_broken_partitions(t):
    text = """
kernel k(first: i32[F], x: f32[N], y: out f32[N])
over (e in F - 1, i in first[e]..first[e + 1] by 4) { y[i, else drop] = x[i, else 0]; }
"""
    source, x = t.file(text), t.normal((9,), "f32")
    (y,) = t.run("k", source=source, first=array([0, 5, 5, 9], "i32"), x=x, out=dict(y="f32"), options=["--checked"])
    t.same(y, x.value)
    t.fails("k", source=source, first=array([0, 5, 3, 9], "i32"), x=x, out=dict(y="f32"), options=["--checked"],
            expect="`y[3]` is written 2 times")


if __name__ == "__main__":
    main()
