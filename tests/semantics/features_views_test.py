"""docs/language.md §3.3, views: strides, packs, dimensions, optional views; and scalars. Small kernels, with the values they
must give. Run with --help for the options."""

import numpy as np

from harness import array, main, rounded, sweep, test


SCALE_ROWS = """
kernel k<T: float>(x: T[M..., K], s: f32[M...], y: out T[M..., K])
over (i in M by BM, k in K by BK) {
  y[i, k] = T(x[i, k] * s[i]);
}
"""


@sweep(lead=[(), (5,), (2, 3), (2, 3, 2), (2, 1, 3, 2), (0, 3)])
def a_pack_takes_any_rank(t, lead):
    if lead == ():  # none is one row
        text = "kernel k(x: f32[M..., K], y: out f32[M..., K])\nover (i in M by BM, k in K by BK) { y[i, k] = x[i, k] * 2; }\n"
        x = t.normal((7,), "f32")
        (y,) = t.run("k", source=t.file(text), x=x, out=dict(y="f32"))
        return t.same(y, 2 * x.value)
    x, s = t.normal((*lead, 7), "f32"), t.normal(lead, "f32")
    (y,) = t.run("k", source=t.file(SCALE_ROWS), x=x, s=s, out=dict(y="f32"))
    t.same(y, rounded(x.value * s.value[..., None], "f32"))


@test
def a_pack_needs_no_merging_strides(t):
    x, s = t.normal((3, 4, 5, 6), "f32"), t.normal((3, 4, 5), "f32")
    want = rounded(x.value * s.value[..., None], "f32")
    views = [(x.fortran(), s), (x, s.fortran()), (x.transposed((1, 0, 2, 3)), s.transposed((2, 1, 0)))]
    views += [(x.embedded((1, 0, 2, 1), (0, 1, 1, 0), (2, -1, 1, -2)), s.embedded((0, 0, 1), (1, 0, 0), (-1, 1, 3)))]
    for x_view, s_view in views:
        (y,) = t.run("k", source=t.file(SCALE_ROWS), x=x_view, s=s_view, out=dict(y="f32"))
        t.same(y, want)


@test
def packs_agree_in_their_product_only(t):
    x, s = t.normal((6, 4, 5), "f32"), t.normal((3, 8), "f32")
    (y,) = t.run("k", source=t.file(SCALE_ROWS), x=x, s=s, out=dict(y="f32"))
    t.same(y, rounded(x.value * s.value.reshape(6, 4)[..., None], "f32"))


@test
def an_output_may_have_any_strides(t):
    x, s = t.normal((4, 6, 5), "f32"), t.normal((4, 6), "f32")
    want = rounded(x.value * s.value[..., None], "f32")
    (y,) = t.run("k", source=t.file(SCALE_ROWS), x=x, s=s, y=array(np.zeros((4, 6, 5)), "f32").fortran(), out=dict(y="f32"))
    t.same(y, want)
    place = array(np.zeros((4, 6, 5)), "f32").embedded((1, 2, 3), (3, 2, 1), (2, -1, 2), fill=9)
    (y,) = t.run("k", source=t.file(SCALE_ROWS), x=x, s=s, y=place, out=dict(y="f32"))
    around = np.full(place.raw.shape, 9.0)
    around[place.view[0]] = want
    t.same(y, around)


@sweep(rank=[1, 2, 3, 4, 5])
def transposed_views_of_every_rank(t, rank):
    shape = (3, 4, 5, 2, 3)[:rank]
    axes = [f"{a} in {a.upper()} by B{a.upper()}" for a in "pqrst"[:rank]]
    names, dims = ", ".join("pqrst"[:rank]), ", ".join("PQRST"[:rank])
    text = f"kernel k(x: f32[{dims}], y: out f32[{dims}])\nover ({', '.join(axes)}) {{ y[{names}] = x[{names}] + 1; }}\n"
    x = t.normal(shape, "f32")
    for permutation in [tuple(range(rank))[::-1], tuple(np.roll(range(rank), 1))]:
        (y,) = t.run("k", source=t.file(text), x=x.transposed(permutation), out=dict(y="f32"))
        t.same(y, rounded(x.value + 1, "f32"))


@test
def dimensions_may_be_expressions_and_definitions(t):
    text = """
kernel k(x: f32[N], pairs: out f32[2 * N], groups: out f32[G = ceildiv(N, 3)], less: out f32[N - 1])
over (n in N by BN) {
  pairs[2 * n] = x[n];
  pairs[2 * n + 1] = -x[n];
  groups[n / 3, else drop] max= x[n];
  less[n - 1, else drop] = x[n] + f32(G);
}
"""
    x = t.normal((10,), "f32")
    pairs, groups, less = t.run("k", source=t.file(text), x=x, out=dict(pairs="f32", groups="f32", less="f32"))
    t.same(pairs, np.stack([x.value, -x.value], 1).ravel())
    t.same(groups, [x.value[n : n + 3].max() for n in range(0, 10, 3)])
    t.same(less, rounded(x.value[1:] + 4, "f32"))


@test
def dimensions_must_agree(t):
    text = """
kernel k(x: f32[M, K], w: f32[N, K], y: out f32[M, N])
over (i in M by BM, j in N by BN) { y[i, j] = x[i, 0, else 0] + w[j, 0, else 0]; }
"""
    t.fails("k", source=t.file(text), x=t.normal((3, 4), "f32"), w=t.normal((5, 6), "f32"), out=dict(y="f32"), expect="K")
    t.fails("k", source=t.file(text), x=t.normal((3,), "f32"), w=t.normal((5, 6), "f32"), out=dict(y="f32"), expect="x")
    t.fails("k", source=t.file(text), x=t.normal((3, 4), "f16"), w=t.normal((5, 4), "f32"), out=dict(y="f32"), expect="f16")


@sweep(given=["", "b", "r", "br"])
def optional_views(t, given):
    text = """
kernel k(x: f32[N], b: f32[N]?, r: f32[N]?, y: out f32[N], z: out f32[N]?)
over (n in N by BN) {
  var v = x[n];
  if b { v += b[n]; }
  if not r { v *= 2; } else { v -= r[n]; }
  if z { z[n] = -v; }
  y[n] = v;
}
"""
    x, b, r = t.normal((33,), "f32"), t.normal((33,), "f32"), t.normal((33,), "f32")
    want = rounded(x.value + b.value, "f32") if "b" in given else x.value
    want = rounded(want - r.value, "f32") if "r" in given else 2 * want
    b, r = b if "b" in given else None, r if "r" in given else None
    (y,) = t.run("k", source=t.file(text), x=x, b=b, r=r, out=dict(y="f32"))
    t.same(y, want)
    y, z = t.run("k", source=t.file(text), x=x, b=b, r=r, out=dict(y="f32", z="f32"))
    t.same(y, want)
    t.same(z, -want)


@test
def scalars_of_every_kind(t):
    text = """
kernel k<T: float>(x: T[N], y: out f32[N], a: f32, b: f64, i: i32, j: i64, flag: bool, c: f32 = 0.5, n0: i64 = 3)
over (n in N by BN) {
  let v = f32(x[n]) * a + f32(b) + f32(i) + f32(j) + c + f32(n0);
  y[n] = where(flag, v, -v);
}
"""
    x = array([0.0, 1.0, -2.0], "bf16")
    (y,) = t.run("k", source=t.file(text), x=x, a=2, b=-0.25, i=-7, j=2**33, flag=True, out=dict(y="f32"))
    t.close(y, x.value * 2 - 0.25 - 7 + 2.0**33 + 0.5 + 3)
    (y,) = t.run("k", source=t.file(text), x=x, a=0.5, b=1, i=0, j=0, flag=False, c=0.0, n0=-1, out=dict(y="f32"))
    t.same(y, -(x.value * 0.5 + 1 - 1))


if __name__ == "__main__":
    main()
