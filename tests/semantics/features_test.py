"""Each feature of the language (docs/language.md §3) in a small kernel, with the values it must give. The sections follow that
page. Run `features_test.py --help` for the options."""

import math
import os

import numpy as np

import reference
from harness import ALL_FLOATS, DTYPES, EPSILON, INTEGERS, NATIVE, SMALL, Array, array, is_float, main, rounded, sweep, test
from reference import erf, numeric, philox, sigmoid

LIMITS = {
    "i64": (-(2**63), 2**63 - 1), "i32": (-(2**31), 2**31 - 1), "i16": (-(2**15), 2**15 - 1), "i8": (-128, 127), "u8": (0, 255)
}
ACCUMULATOR = {
    **{d: "f32" for d in ALL_FLOATS}, "f64": "f64", "i64": "i64", "i32": "i32", "i16": "i32", "i8": "i32", "u8": "i32"
}


def elementwise(t, inputs, outputs, functions="", options=(), bind=None):
    """Applies expressions to whole arrays: `inputs` is name → Array of rank 1, `outputs` name → (dtype, expression). In an
    expression the input's name is its tile."""
    views = [f"{n}_view: {a.dtype}[N]" for n, a in inputs.items()] + [f"{n}: out {d}[N]" for n, (d, _) in outputs.items()]
    lines = [f"let {n} = {n}_view[n];" for n in inputs] + [f"{n}[n] = {e};" for n, (_, e) in outputs.items()]
    text = f"{functions}\nkernel k({', '.join(views)})\nover (n in N by BN) {{\n  " + "\n  ".join(lines) + "\n}\n"
    arguments = {f"{n}_view": a for n, a in inputs.items()}
    return t.run("k", bind, source=t.file(text), options=options, out={n: d for n, (d, _) in outputs.items()}, **arguments)


def wrap(value, dtype):
    """Integers modulo 2ⁿ."""
    low, high = LIMITS[dtype]
    exact = np.array(value, object)  # Python's integers: sums and products of i64 do not fit one
    return np.array([(int(v) - low) % (high - low + 1) + low for v in exact.ravel()], np.int64).reshape(exact.shape)


def random_of(t, shape, dtype):
    """Numbers that exercise a dtype: floats around 1 to 3, integers over the whole range."""
    if dtype == "bool":
        return t.flags(shape)
    if is_float(dtype):
        return t.normal(shape, dtype, 2)
    low, high = LIMITS[dtype]
    return Array(t.random.integers(low, high, shape, NATIVE[dtype], endpoint=True), dtype)


# ----------------------------------------------------------------------------------------------------------------------
# 3.2 Types and numbers
# ----------------------------------------------------------------------------------------------------------------------


@sweep(dtype=DTYPES)
def every_value_survives_a_copy(t, dtype):
    if dtype in SMALL:
        pattern = SMALL[dtype][4]
        raw = np.arange(2 ** (8 * pattern().itemsize)).astype(pattern)
        x = Array(raw.view(np.float16) if dtype == "f16" else raw, dtype)
    elif dtype == "bool":
        x = t.flags((1000,))
    else:
        x = random_of(t, (1000,), dtype)
    (y,) = elementwise(t, dict(x=x), dict(y=(dtype, "x")))
    t.same(y, x.value)


def cast_values(dtype):
    if dtype == "bool":
        return [0, 1]
    if not is_float(dtype):
        low, high = LIMITS[dtype]
        values = {0, 1, -1, 2, 3, 7, 15, 17, 100, 127, 128, -128, -129, 255, 256, 257, 2049, 65519, 65520, 32767, 32768, -32769}
        values |= {2**24 + 1, 2**24 + 2**16 + 1, 2**31 - 1, 2**31, 2**53 - 1, -(2**40) - 1, low, high, high - 1, low + 1}
        return sorted(v for v in values if low <= v <= high)
    values = [
        0.0, -0.0, 0.5, -0.5, 0.99, 1.0, -1.0, 1.5, 2.5, -2.5, 3.999, 100.7, 126.6, 127.5, 128, -128.9, -129, 255.9, 256, -0.9,
        300, 447, 448
    ]
    values += [
        463, 464, 465, 500, 57344, 61439, 61440, 61441, 65503, 65519, 65520, 1e5, -1e5, 2147483520.0, 2147483648.0,
        -2147483648.0, 1e10
    ]
    values += [
        -1e10, 9.2e18, 9.3e18, -9.3e18, 1e30, 3.3895e38, 3.4e38, np.inf, -np.inf, np.nan, 1e-3, 2.0**-6, 2.0**-9, 2.0**-10,
        1.1 * 2.0**-10
    ]
    values += [2.0**-14, 2.0**-16, 2.0**-17, 2.0**-24, 2.0**-25, 1.01 * 2.0**-25, 1e-10, 1e-38, 1e-40, 1e-45]
    values += [1 + k / 16 for k in range(16)] + [
        1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 17.0, 19.0, -18.0, 0.0625, 1.0625
    ]
    if dtype == "f64":  # where rounding to f32 on the way would round twice
        values += [
            1 + 2.0**-4 + 2.0**-40, 1 + 2.0**-3 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-11 + 2.0**-40,
            1 + 2.0**-11 - 2.0**-40
        ]
        values += [
            1 + 2.0**-24, 1 + 3 * 2.0**-24, 1 + 2.0**-24 + 2.0**-50, 1e-310, 1e300, -1e300, 2.0**-150 * 1.0001,
            2.0**-25 * (1 + 2.0**-40)
        ]
    return values


def cast(value, source, target):
    if is_float(source) and is_float(target):
        return rounded(value, target)
    if is_float(source):
        low, high = LIMITS[target]
        return [0 if math.isnan(v) else high if v >= high else low if v <= low else math.trunc(v) for v in value]
    if is_float(target):
        return rounded([float(v) for v in value], target) if target != "f32" else value.astype(np.float32).astype(np.float64)
    return wrap(value, target) if target != "bool" else value


@sweep(source=DTYPES)
def casts(t, source):
    x = array(np.array(cast_values(source)), source)
    targets = [d for d in DTYPES if d != "bool" or source == "bool"]
    results = elementwise(t, dict(x=x), {f"to_{d}": (d, f"{d}(x)") for d in targets})
    for target, result in zip(targets, results):
        want = np.array(cast(x.value, source, target), np.float64 if is_float(target) else np.int64)
        t.same(result, want.astype(bool) if target == "bool" else want, what=f"{target} of {[str(v) for v in x.value]}")


@test
def arithmetic_widens(t):
    a, b = array([127, -128, 100], "i8"), array([127, -128, -100], "i8")
    c, d = array([255, 255, 3], "u8"), array([255, 1, 200], "u8")
    p, q = array([1 + 2.0**-7, 255.0, 3.0e38], "bf16"), array([1 + 2.0**-7, 257.0, 10.0], "bf16")
    results = elementwise(
        t,
        dict(a=a, b=b, c=c, d=d, p=p, q=q),
        dict(
            sum8=("i32", "a + b"), product8=("i32", "a * b"), difference=("i32", "c - d"), mixed=("i32", "a * c"), wide=(
                "i64", "a * i64(b)"
            ),
            negated=("i32", "-a"), absolute=("i32", "abs(a)"), product16=("f32", "p * q"), double=("f64", "p * f64(q)"),
        ),
    )  # fmt: skip
    a, b, c, d, p, q = (v.value for v in (a, b, c, d, p, q))
    wants = [a + b, a * b, c - d, a * c, a * b, -a, np.abs(a), rounded(p * q, "f32"), p * q]
    for result, want in zip(results, wants):
        t.same(result, want)


@test
def implicit_conversions_lose_nothing(t):
    a, b = array([1, -2, 3], "i16"), array([2.5, -0.5, 448.0], "f8e4m3")
    results = elementwise(
        t, dict(a=a, b=b), dict(
            w=("i64", "a"), x=("i32", "a + 1"), y=("f64", "b"), z=("f16", "b"), u=("f32", "b + 1"), v=("f64", "b + f64(1)")
        )
    )
    for result, want in zip(results, [a.value, a.value + 1, b.value, b.value, b.value + 1, b.value + 1]):
        t.same(result, want)


def division_pairs(dtype):
    low, high = LIMITS[dtype]
    values = [0, 1, -1, 2, -2, 3, -3, 7, -7, 8, 100, low, low + 1, high]
    a, b = np.meshgrid(values, values)
    return array(a.ravel(), dtype), array(b.ravel(), dtype)


@sweep(dtype=["i32", "i64"])
def integer_division_rounds_down(t, dtype):
    a, b = division_pairs(dtype)
    quotient, remainder, up = elementwise(
        t, dict(a=a, b=b), dict(quotient=(dtype, "a / b"), remainder=(dtype, "a % b"), up=(dtype, "ceildiv(a, b)"))
    )
    pairs = list(zip(a.value.tolist(), b.value.tolist()))
    t.same(quotient, wrap([x // y if y else 0 for x, y in pairs], dtype))
    t.same(remainder, wrap([x % y if y else 0 for x, y in pairs], dtype))
    fits = np.array([0 < y < 2**30 and abs(x) < 2**30 for x, y in pairs])
    t.same(up.value[fits], np.array([-(-x // y) if y else 0 for x, y in pairs])[fits], what="ceildiv")


@test
def division_by_constants(t):
    x = array(np.arange(-40, 40), "i32")
    divisors = [1, 2, 3, 7, 8, 16, -3, -8]
    outputs = {
        f"d{n}": ("i32", f"x / {d}") for n, d in enumerate(divisors)
    } | {f"r{n}": ("i32", f"x % {d}") for n, d in enumerate(divisors)}
    results = elementwise(t, dict(x=x), outputs)
    for result, want in zip(results, [x.value // d for d in divisors] + [x.value % d for d in divisors]):
        t.same(result, want)


@sweep(dtype=["i32", "i64"])
def integers_wrap(t, dtype):
    a, b = random_of(t, (997,), dtype), random_of(t, (997,), dtype)
    low = array(np.full(997, LIMITS[dtype][0]), dtype)
    results = elementwise(
        t,
        dict(a=a, b=b, low=low),
        {
            n: (dtype, e) for n,
            e in dict(add="a + b", subtract="a - b", multiply="a * b", negate="-low", absolute="abs(low)").items()
        },
    )
    x, y = ([int(v) for v in z.value] for z in (a, b))
    wants = [[p + q for p, q in zip(x, y)], [p - q for p, q in zip(x, y)], [p * q for p, q in zip(x, y)], low.value, low.value]
    for result, want in zip(results, wants):
        t.same(result, wrap(want, dtype))


@sweep(dtype=["i32", "i64"])
def bits_and_shifts(t, dtype):
    width = 32 if dtype == "i32" else 64
    a, b = random_of(t, (500,), dtype), random_of(t, (500,), dtype)
    s = t.integers((500,), dtype, 0, 3 * width)
    expressions = {"and_": "a & b", "or_": "a | b", "xor": "a ^ b", "left": "a << s", "right": "a >> s", "three": "a >> 3 << 1"}
    results = elementwise(
        t,
        dict(a=a, b=b, s=s),
        {n: (dtype, e) for n, e in expressions.items()},
    )
    x, y, count = a.value, b.value, s.value % width
    wants = [
        x & y, x | y, x ^ y, wrap([int(v) << int(c) for v, c in zip(x, count)], dtype), x >> count,
        wrap([(int(v) >> 3) << 1 for v in x], dtype)
    ]
    for result, want in zip(results, wants):
        t.same(result, want)


@test
def comparisons_and_logic(t):
    special = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-40]
    a, b = (array(v.ravel(), "f32") for v in np.meshgrid(special, special))
    expressions = {
        "eq": "a == b", "ne": "a != b", "lt": "a < b", "le": "a <= b", "gt": "a > b", "ge": "a >= b",
        "both": "a < b and b < 2.0", "either": "a < b or a != a", "neither": "not (a < b)", "same": "(a < b) == (b > a)",
    }  # fmt: skip
    results = elementwise(t, dict(a=a, b=b), {n: ("bool", e) for n, e in expressions.items()})
    x, y = a.value, b.value
    wants = [
        x == y, x != y, x < y, x <= y, x > y, x >= y, (x < y) & (y < 2), (x < y) | np.isnan(x), ~(x < y), np.ones_like(x, bool)
    ]
    for result, want in zip(results, wants):
        t.same(result, want)


@sweep(dtype=["f32", "f64"])
def nan_propagates_through_max_and_min(t, dtype):
    special = [0.0, 1.0, -1.0, np.nan, np.inf, -np.inf]
    a, b = (array(v.ravel(), dtype) for v in np.meshgrid(special, special))
    results = elementwise(
        t, dict(a=a, b=b), dict(most=(dtype, "max(a, b)"), least=(dtype, "min(a, b)"), inside=(dtype, "clamp(a, -0.5, 0.5)"))
    )
    x, y = a.value, b.value
    for result, want in zip(results, [np.maximum(x, y), np.minimum(x, y), np.clip(x, -0.5, 0.5)]):
        t.same(result, want)


@sweep(dtype=["f32", "f64"])
def denormals_are_kept(t, dtype):
    tiny = 1e-40 if dtype == "f32" else 1e-310
    x = array([tiny, -tiny, 3 * tiny], dtype)
    results = elementwise(
        t, dict(x=x),
        dict(copied=(dtype, "x"), doubled=(dtype, "x + x"), scaled=(dtype, "x * 0.5"), summed=(dtype, "max(x, -1.0)"))
    )
    for result, want in zip(results, [x.value, 2 * x.value, rounded(x.value * 0.5, dtype), x.value]):
        t.same(result, want)


@test
def a_sum_of_narrow_integers_is_wide(t):
    x = array(np.full(1000, 127), "i8")
    (y,) = t.run(
        "k",
        source=t.file("kernel k(x: i8[N], y: out i32[1])\nover () {\n  for n in N by BN { y[0] += sum(x[n], over n); }\n}\n"),
        x=x, out=dict(y="i32")
    )
    t.same(y, [127000])


# ----------------------------------------------------------------------------------------------------------------------
# 3.3 Views
# ----------------------------------------------------------------------------------------------------------------------

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


# ----------------------------------------------------------------------------------------------------------------------
# 3.4 Spans, 3.5 Tiles
# ----------------------------------------------------------------------------------------------------------------------


@sweep(N=[1, 2, 31, 32, 33, 100, 1000])
def a_span_is_the_tile_of_its_indices(t, N):
    text = """
kernel k(x: f32[N], index: out i64[N], first: out i64[N], last: out i64[N], parity: out bool[N])
over (n in N by 32) {
  index[n] = n;
  first[n] = n.start;
  last[n] = n.end;
  parity[n] = n % 2 == 0;
}
"""
    index, first, last, parity = t.run(
        "k", source=t.file(text), x=t.normal((N,), "f32"), out=dict(index="i64", first="i64", last="i64", parity="bool")
    )
    n = np.arange(N)
    for result, want in zip((index, first, last, parity), (n, n // 32 * 32, np.minimum(n // 32 * 32 + 32, N), n % 2 == 0)):
        t.same(result, want)


@sweep(N=[5, 64, 100, 129], B=[16, 64])
def sub_spans(t, N, B):
    """A span cut again, and twice the same span as two axes (a chunk's scores against itself)."""
    text = f"""
kernel k(x: f32[N], total: out f32[N], pairs: out f32[N])
over (n in N by {B}) {{
  for m in n by 7 {{ total[m] = x[m] * 2; }}
  var s: f32[n] = 0;
  for u in n by {B} {{ s += sum(where(u <= n, x[u], 0), over u); }}
  pairs[n] = s;
}}
"""
    x = t.normal((N,), "f32")
    total, pairs = t.run("k", source=t.file(text), x=x, out=dict(total="f32", pairs="f32"))
    t.same(total, 2 * x.value)
    want = np.concatenate([np.cumsum(x.value[s : s + B]) for s in range(0, N, B)])
    t.close(pairs, want, terms=B, scale=np.abs(x.value).sum())


@sweep(bounds=[(0, 0), (5, 3), (2, 50), (10, 11), (0, 64)])
def ranges_are_half_open_and_may_be_empty(t, bounds):
    text = """
kernel k(x: f32[N], y: out f32[1], count: out i64[1], lo: i64, hi: i64)
over () {
  var s: f32 = 0;
  var steps: i64 = 0;
  for n in max(lo, 0)..min(hi, N) by 8 { s += sum(x[n], over n); steps += 1; }
  y[0] = s;
  count[0] = steps;
}
"""
    lo, hi = bounds
    x = t.normal((64,), "f32")
    y, count = t.run("k", source=t.file(text), x=x, lo=lo, hi=hi, out=dict(y="f32", count="i64"))
    t.close(y, [x.value[lo:hi].sum()], terms=64, scale=np.abs(x.value).sum())
    t.same(count, [max(0, -(-(hi - lo) // 8))])


@test
def a_range_without_by_counts(t):
    text = """
kernel k(y: out i64[N], N0: i64)
over (i in N) {
  var s: i64 = 0;
  for a in i, b in a..i { s += a * 100 + b; }
  y[i] = s;
}
"""
    (y,) = t.run("k", source=t.file(text), N0=0, dims=dict(N=9), out=dict(y="i64"))
    t.same(y, [sum(a * 100 + b for a in range(i) for b in range(a, i)) for i in range(9)])


@sweep(lengths=[(5, 0, 3, 100), (40, 40, 40, 40), (0, 0, 0, 0)])
def a_range_bounded_by_memory(t, lengths):
    text = """
kernel k(x: f32[B, S], len: i32[B], y: out f32[B])
over (b in B) {
  var s: f32 = 0;
  for t in 0..min(len[b], S) by BT { s += sum(x[b, t], over t); }
  y[b] = s;
}
"""
    x = t.normal((4, 40), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, len=array(lengths, "i32"), out=dict(y="f32"))
    want = [x.value[b, : min(n, 40)].sum() for b, n in enumerate(lengths)]
    t.close(y, want, terms=40, scale=np.abs(x.value).sum(1))


@test
def indices_are_arithmetic(t):
    text = """
kernel k<D: i64>(
    x: f32[N, D], w: f32[H * D, N], shifted: out f32[N, D], strided: out f32[N / 2, D], diagonal: out f32[N],
    split: out f32[N, D, H], upper: out f32[N, N])
over (n in N by 8) {
  let d = span(D);
  shifted[n, d] = x[n - 1, d, else 0] + x[n, d] + x[n + 1, d, else -1];
  strided[n / 2, d, else drop] max= x[n, d];
  diagonal[n] = w[n, n, else 0];
  for h in H by 2 { split[n, d, h] = w[h * D + d, n]; }
  for m in N by 8 { upper[n, m] = where(m >= n, x[n, 0] * x[m, 1], 0); }
}
"""
    N, D, H = 20, 5, 4
    x, w = t.normal((N, D), "f32"), t.normal((H * D, N), "f32")
    shifted, strided, diagonal, split, upper = t.run(
        "k", source=t.file(text), x=x, w=w, dims=dict(H=H), out=dict(
            shifted="f32", strided="f32", diagonal="f32", split="f32", upper="f32"
        )
    )
    padded = np.concatenate([np.zeros((1, D)), x.value, -np.ones((1, D))])
    t.close(shifted, padded[:-2] + padded[1:-1] + padded[2:], terms=3, scale=8)
    t.same(strided, x.value.reshape(N // 2, 2, D).max(1))
    t.same(diagonal, np.diag(w.value[:N]))
    t.same(split, w.value.reshape(H, D, N).transpose(2, 1, 0))
    t.same(upper, rounded(np.triu(np.outer(x.value[:, 0], x.value[:, 1])), "f32"))


@sweep(M=[1, 9, 64], N=[1, 17, 64])
def axes_align_by_name(t, M, N):
    """Outer products, and a transposition that is only a store; also where both sizes agree."""
    text = """
kernel k(
    a: f32[M], b: f32[N], x: f32[M, N],
    outer: out f32[M, N], turned: out f32[N, M], rows: out f32[M, N], columns: out f32[M, N])
over (i in M by BM, j in N by BN) {
  outer[i, j] = b[j] * a[i];
  turned[j, i] = x[i, j];
  rows[i, j] = x[i, j] + a[i];
  columns[i, j] = b[j] - x[i, j];
}
"""
    a, b, x = t.normal((M,), "f32"), t.normal((N,), "f32"), t.normal((M, N), "f32")
    results = t.run("k", source=t.file(text), a=a, b=b, x=x, out=dict(outer="f32", turned="f32", rows="f32", columns="f32"))
    wants = [a.value[:, None] * b.value, x.value.T, x.value + a.value[:, None], b.value - x.value]
    for result, want in zip(results, wants):
        t.same(result, rounded(want, "f32"))


# ----------------------------------------------------------------------------------------------------------------------
# 3.6 Access
# ----------------------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------------------
# 3.7 Expressions
# ----------------------------------------------------------------------------------------------------------------------

# name: (NumPy, ulps allowed, arguments)
MATH = {
    "exp": (np.exp, 4, "any"), "exp2": (np.exp2, 4, "any"), "log": (np.log, 4, "any"), "log2": (np.log2, 4, "any"), "log1p": (
        np.log1p, 4, "any"
    ),
    "sqrt": (np.sqrt, 0.5, "any"), "rsqrt": (
        lambda x: 1 / np.sqrt(x), 4, "any"
    ), "sin": (np.sin, 4, "angle"), "cos": (np.cos, 4, "angle"),
    "tanh": (np.tanh, 4, "any"), "erf": (np.vectorize(math.erf), 4, "any"), "sigmoid": (
        lambda x: 1 / (1 + np.exp(-x)), 6, "any"
    ),
    "floor": (np.floor, 0, "any"), "ceil": (np.ceil, 0, "any"), "round": (np.rint, 0, "any"), "abs": (np.abs, 0, "any"),
}  # fmt: skip


def math_arguments(t, dtype, kind):
    special = [
        0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1.0, -1.0, 1e-3, 1e-8, -1e-8, 3.0, 8.0, -8.0, 1e4, 12345.678, 0.49999997,
        8388609.0, np.nan
    ]
    special += [np.inf, -np.inf, 88.0, 89.0, -87.0, -100.0, -110.0, 127.5, -149.0, -151.0, 1e-40, 3e38, 1e30, -1e30]
    if dtype == "f64":
        special += [708.0, 710.0, -708.0, -740.0, -750.0, 1e-310, 1e300, 0.49999999999999994, 4503599627370497.0]
    spread = np.concatenate(
        [t.random.standard_normal(2000) * 3, 10.0 ** t.random.uniform(-30, 30, 500), t.random.uniform(-90, 90, 1000)]
    )
    if kind == "angle":
        special = [v for v in special if not abs(v) > 1e5]
        spread = spread[np.abs(spread) < 1e4]
    return array(np.concatenate([special, spread]), dtype)


@sweep(dtype=["f32", "f64"], function=list(MATH))
def math_functions(t, dtype, function):
    formula, ulps, kind = MATH[function]
    x = math_arguments(t, dtype, kind)
    (y,) = elementwise(t, dict(x=x), dict(y=(dtype, f"{function}(x)")))
    with np.errstate(all="ignore"):
        value = x.value.astype(np.longdouble) if dtype == "f64" and function not in ("erf",) else x.value
        want = np.asarray(formula(value), np.longdouble)
        if function == "sigmoid":
            want = np.where(value < -700, np.exp(value), want)
        exact = want.astype(np.float64)
        t.close(
            y, rounded(exact, dtype), ulps=ulps,
            scale=np.abs(exact) + (2.0**-149 / EPSILON["f32"] if dtype == "f32" else 2.0**-1074 / EPSILON["f64"])
        )


@sweep(dtype=["f32", "f64"])
def math_of_several_arguments(t, dtype):
    a, b, c = (t.normal((3000,), dtype, 3) for _ in range(3))
    expressions = dict(
        fused="fma(a, b, c)", power="pow(abs(a), b)", chosen="where(a < b, a, c)", most="max(a, max(b, c))", inside="clamp(a, -1, 1)"
    )
    results = elementwise(
        t,
        dict(a=a, b=b, c=c),
        {n: (dtype, e) for n, e in expressions.items()},
    )
    x, y, z = a.value, b.value, c.value
    fused = x.astype(np.longdouble) * y + z
    t.close(results[0], rounded(fused.astype(np.float64), dtype), ulps=0 if dtype == "f32" else 1)
    t.close(results[1], (np.abs(x).astype(np.longdouble) ** y).astype(np.float64), ulps=16)
    for result, want in zip(results[2:], [np.where(x < y, x, z), np.maximum(x, np.maximum(y, z)), np.clip(x, -1, 1)]):
        t.same(result, want)


@test
def pow_of_special_arguments(t):
    special = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5, np.inf, -np.inf, np.nan, 40.0]
    a, b = (array(v.ravel(), "f32") for v in np.meshgrid(special, special))
    (y,) = elementwise(t, dict(a=a, b=b), dict(y=("f32", "pow(a, b)")))
    with np.errstate(all="ignore"):
        t.close(y, rounded(np.power(a.value, b.value), "f32"), ulps=16)


@test
def fast_math_is_within_its_error(t):
    x = t.normal((2000,), "f32", 3)
    functions = ["exp", "exp2", "sin", "cos", "tanh", "sigmoid"]
    outputs = {f"fast_{n}": ("f32", f"{n}(x, precision = fast)") for n in functions}
    outputs |= {f"fast_{n}": ("f32", f"{n}(abs(x) + 0.1, precision = fast)") for n in ["log", "log2", "rsqrt"]}
    for output, result in zip(outputs, elementwise(t, dict(x=x), outputs)):
        name = output.removeprefix("fast_")
        value = np.abs(x.value) + np.float32(0.1) if name in ("log", "log2", "rsqrt") else x.value
        want = MATH[name][0](value)
        t.close(result, want, ulps=2**13, scale=np.abs(want) + (1e-3 if name in ("sin", "cos", "log", "log2") else 0))


@test
def operators_bind_as_stated(t):
    a, b = array(np.arange(-8, 8), "i32"), array(np.arange(16) % 5 + 1, "i32")
    expressions = {
        "a + b * 2": lambda a, b: a + b * 2,
        "(a + b) * 2": lambda a, b: (a + b) * 2,
        "a - b - 1": lambda a, b: a - b - 1,
        "a / b * b + a % b": lambda a, b: a // b * b + a % b,
        "a | b & 3 ^ 1": lambda a, b: a | (b & 3) ^ 1,
        "a & 7 << 1": lambda a, b: a & (7 << 1),
        "1 << b + 1": lambda a, b: 1 << (b + 1),
        "-a * b": lambda a, b: -a * b,
        "- -a": lambda a, b: a,
        "i32(a < b and not a == 0 or b > 4)": lambda a, b: ((a < b) & (a != 0)) | (b > 4),
        "i32(a < 0 or a > 3 and b > 2)": lambda a, b: (a < 0) | ((a > 3) & (b > 2)),
        "i32(a & 1 == 0)": lambda a, b: (a & 1) == 0,
    }
    results = elementwise(t, dict(a=a, b=b), {f"y{n}": ("i32", e) for n, e in enumerate(expressions)})
    for (text, formula), result in zip(expressions.items(), results):
        t.same(result, formula(a.value, b.value).astype(np.int64), what=text)


REDUCE = """
kernel k(
    x: DTYPE[M, N], total: out ACC[M], most: out DTYPE[M], least: out DTYPE[M], where_most: out i64[M],
    where_least: out i64[M], prefix: out ACC[M, N])
over (i in M by 4) {
  var s: ACC[i] = 0;
  for n in N by BLOCK { s += sum(x[i, n], over n); }
  total[i] = s;
  let j = span(WIDTH);
  most[i] = max(x[i, j], over j);
  least[i] = min(x[i, j], over j);
  where_most[i] = argmax(x[i, j], over j);
  where_least[i] = argmin(x[i, j], over j);
  prefix[i, j] = cumsum(x[i, j], over j);
}
"""


@sweep(dtype=["f64", *ALL_FLOATS, *INTEGERS], size=[(1, 1), (5, 7), (7, 33), (3, 100)])
def reductions_over_tails(t, dtype, size):
    M, N = size
    accumulator = ACCUMULATOR[dtype]
    text = REDUCE.replace("DTYPE", dtype).replace("ACC", accumulator).replace("BLOCK", "16").replace("WIDTH", str(N))
    text = text.replace("let j = span", f"require N == {N};\n  let j = span")
    x = random_of(t, (M, N), dtype)
    total, most, least, where_most, where_least, prefix = t.run(
        "k", source=t.file(text), x=x,
        out=dict(total=accumulator, most=dtype, least=dtype, where_most="i64", where_least="i64", prefix=accumulator),
    )  # fmt: skip
    if is_float(dtype):
        t.close(total, x.value.sum(1), terms=N, scale=np.abs(x.value).sum(1))
        t.close(prefix, np.cumsum(x.value, 1), terms=N, scale=np.cumsum(np.abs(x.value), 1))
    else:
        t.same(total, wrap([sum(map(int, row)) for row in x.value], accumulator))
        sums = [[sum(map(int, row[: n + 1])) for n in range(N)] for row in x.value]
        t.same(prefix, wrap(sums, accumulator))
    for result, want in zip(
        (most, least, where_most, where_least), (x.value.max(1), x.value.min(1), x.value.argmax(1), x.value.argmin(1))
    ):
        t.same(result, want)


@sweep(size=[(3, 5), (16, 16), (33, 70)])
def reductions_over_several_axes(t, size):
    text = """
kernel k(
    x: f32[M, N], total: out f32[1], average: out f32[1], most: out f32[1], some: out bool[1], every: out bool[1],
    product: out f32[1])
over () {
  var s: f32 = 0;
  var m: f32 = -inf;
  var a = false;
  var b = true;
  var p: f32 = 0;
  for i in M by 16, j in N by 16 {
    let t = x[i, j];
    s += sum(t, over i, j);
    m max= max(t, over j, i);
    a = a or any(t > 2, over i, j);
    b = b and all(t < 9, over i, j);
    p += dot(t, t, over i, j);
  }
  total[0] = s;
  average[0] = s / f32(M * N);
  most[0] = m;
  some[0] = a;
  every[0] = b;
  product[0] = p;
}
"""
    x = t.normal(size, "f32")
    total, average, most, some, every, product = t.run(
        "k", source=t.file(text), x=x, out=dict(
            total="f32", average="f32", most="f32", some="bool", every="bool", product="f32"
        )
    )
    v = x.value
    t.close(total, [v.sum()], terms=v.size, scale=np.abs(v).sum())
    t.close(average, [v.mean()], terms=v.size, scale=np.abs(v).mean())
    t.same(most, [v.max()])
    t.same(some, [(v > 2).any()])
    t.same(every, [(v < 9).all()])
    t.close(product, [(v * v).sum()], terms=v.size)


@test
def means_count_what_exists(t):
    text = """
kernel k(x: f32[M, N], y: out f32[M, G = ceildiv(N, 32)])
over (i in M by 8) { for n in N by 32 { y[i, n.start / 32] = mean(x[i, n], over n); } }
"""
    x = t.normal((11, 75), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, out=dict(y="f32"))
    t.close(y, np.stack([x.value[:, s : s + 32].mean(1) for s in (0, 32, 64)], 1), terms=32, scale=1)


@sweep(dtype=["f32", "bf16", "f64"])
def nan_wins_every_reduction(t, dtype):
    text = """
kernel k(
    x: DTYPE[M, N], total: out DTYPE[M], most: out DTYPE[M], least: out DTYPE[M], where_most: out i64[M],
    where_least: out i64[M])
over (i in M by BM) {
  let j = span(20);
  require N == 20;
  total[i] = DTYPE(sum(x[i, j], over j));
  most[i] = max(x[i, j], over j);
  least[i] = min(x[i, j], over j);
  where_most[i] = argmax(x[i, j], over j);
  where_least[i] = argmin(x[i, j], over j);
}
""".replace("DTYPE", dtype)
    x = t.normal((6, 20), dtype).value
    x[0, 7], x[1, [3, 9]], x[2, 19], x[3, 0], x[4, 5] = np.nan, np.nan, np.nan, np.inf, -np.inf
    x = array(x, dtype)
    total, most, least, where_most, where_least = t.run(
        "k", source=t.file(text), x=x, out=dict(total=dtype, most=dtype, least=dtype, where_most="i64", where_least="i64")
    )
    t.close(total, x.value.sum(1), terms=20, scale=40)
    for result, want in zip(
        (most, least, where_most, where_least), (x.value.max(1), x.value.min(1), x.value.argmax(1), x.value.argmin(1))
    ):
        t.same(result, want)


@sweep(N=[1, 5, 20])
def the_first_of_equals(t, N):
    text = f"""
kernel k(x: i32[M, N], most: out i64[M], least: out i64[M])
over (i in M by BM) {{
  require N == {N};
  let j = span({N});
  most[i] = argmax(x[i, j], over j);
  least[i] = argmin(x[i, j], over j);
}}
"""
    x = t.integers((40, N), "i32", 0, 3)
    most, least = t.run("k", source=t.file(text), x=x, out=dict(most="i64", least="i64"))
    t.same(most, x.value.argmax(1))
    t.same(least, x.value.argmin(1))


@sweep(
    dtypes=[
        ("f32", "f32"), ("bf16", "bf16"), ("f16", "f16"), ("f8e4m3", "f8e5m2"), ("f64", "f64"), ("f32", "bf16"), ("i8", "i8"), ("u8", "i8"),
        ("i32", "i32"), ("i64", "i64"),
    ],
    size=[(5, 7, 9), (40, 33, 70)],
)  # fmt: skip
def dots(t, dtypes, size):
    left, right = dtypes
    M, N, K = size
    sums = {
        "f32": "f64" if "f64" in dtypes else "f32", "i32": "i64" if "i64" in dtypes else "i32"
    }["f32" if is_float(left) else "i32"]
    text = f"""
kernel k(x: {left}[M, K], w: {right}[N, K], y: out {sums}[M, N])
over (i in M by BM, j in N by BN) {{
  var acc: {sums}[i, j] = 0;
  for k in K by 16 {{ acc += dot(x[i, k], w[j, k], over k); }}
  y[i, j] = acc;
}}
"""
    x, w = random_of(t, (M, K), left), random_of(t, (N, K), right)
    (y,) = t.run("k", source=t.file(text), x=x, w=w, out=dict(y=sums))
    if is_float(left):
        t.close(y, x.value @ w.value.T, terms=K, scale=np.abs(x.value) @ np.abs(w.value).T)
    else:
        with np.errstate(over="ignore"):
            t.same(y, wrap(x.value @ w.value.T, sums))


@test
def dots_keep_what_they_do_not_sum(t):
    """A batched product, one over two axes at once, a product of a row and a matrix, and one with operands exchanged."""
    text = """
kernel k(a: f32[B, M, K], b: f32[B, K, N], batched: out f32[B, N, M], both: out f32[B], row: out f32[N])
over (z in B by 2) {
  require M <= 8;
  for i in M by 8, j in N by 8 {
    var acc: f32[z, i, j] = 0;
    for k in K by 4 { acc += dot(b[z, k, j], a[z, i, k], over k); }
    batched[z, j, i] = acc;
  }
  var s: f32[z] = 0;
  for i in M by 8, k in K by 4 { s += dot(a[z, i, k], a[z, i, k], over i, k); }
  both[z] = s;
  for j in N by 8, k in K by 4 { row[j] += sum(dot(a[z, 0, k], b[z, k, j], over k), over z); }
}
"""
    a, b = t.normal((5, 7, 9), "f32"), t.normal((5, 9, 13), "f32")
    batched, both, row = t.run("k", source=t.file(text), a=a, b=b, out=dict(batched="f32", both="f32", row="f32"))
    x, y = a.value, b.value
    t.close(batched, (x @ y).transpose(0, 2, 1), terms=9, scale=(np.abs(x) @ np.abs(y)).transpose(0, 2, 1))
    t.close(both, (x * x).sum((1, 2)), terms=63)
    t.close(row, np.einsum("bk,bkn->n", x[:, 0], y), terms=45, scale=np.einsum("bk,bkn->n", np.abs(x[:, 0]), np.abs(y)))


@sweep(N=[1, 6, 50], BN=[4, 64])
def reduce_and_scan_keep_order(t, N, BN):
    """A product of 2×2 matrices does not commute."""
    text = """
fn times(a: f32, b: f32, c: f32, d: f32, p: f32, q: f32, r: f32, s: f32) -> (f32, f32, f32, f32) =
    (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s);
fn later(a: i64, b: i64) -> i64 = b;

kernel k(x: f32[M, N, 4], whole: out f32[M, 4], parts: out f32[M, N, 4], last: out i64[M])
over (i in M by 4) {
  var a: f32[i] = 1;
  var b: f32[i] = 0;
  var c: f32[i] = 0;
  var d: f32[i] = 1;
  var at: i64[i] = -1;
  for n in N by BN {
    let (pa, pb, pc, pd) = scan(times, x[i, n, 0], x[i, n, 1], x[i, n, 2], x[i, n, 3], over n);
    let (ta, tb, tc, td) = times(a, b, c, d, pa, pb, pc, pd);
    parts[i, n, 0] = ta;
    parts[i, n, 1] = tb;
    parts[i, n, 2] = tc;
    parts[i, n, 3] = td;
    let (ra, rb, rc, rd) = reduce(times, x[i, n, 0], x[i, n, 1], x[i, n, 2], x[i, n, 3], over n);
    let (wa, wb, wc, wd) = times(a, b, c, d, ra, rb, rc, rd);
    a = wa;
    b = wb;
    c = wc;
    d = wd;
    at = reduce(later, n, over n);
  }
  whole[i, 0] = a;
  whole[i, 1] = b;
  whole[i, 2] = c;
  whole[i, 3] = d;
  last[i] = at;
}
"""
    x = t.normal((5, N, 4), "f32", 0.7)
    whole, parts, last = t.run("k", dict(BN=BN), source=t.file(text), x=x, out=dict(whole="f32", parts="f32", last="i64"))
    matrices = x.value.reshape(5, N, 2, 2)
    product, size, want, scale = np.broadcast_to(np.eye(2), (5, 2, 2)), np.broadcast_to(np.eye(2), (5, 2, 2)), [], []
    for n in range(N):
        product, size = product @ matrices[:, n], size @ np.abs(matrices[:, n])
        want.append(product.reshape(5, 4))
        scale.append(size.reshape(5, 4))
    t.close(parts, np.stack(want, 1), scale=np.stack(scale, 1), terms=N, ulps=8)
    t.close(whole, want[-1], scale=scale[-1], terms=N, ulps=8)
    t.same(last, np.full(5, N - 1))


# ----------------------------------------------------------------------------------------------------------------------
# 3.8 Statements
# ----------------------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------------------
# 3.9 Functions, 3.10 Kernels and specialization
# ----------------------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------------------
# 3.11 Grid, 3.12 Outputs
# ----------------------------------------------------------------------------------------------------------------------


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


@sweep(M=[0, 1, 50, 3000], dtype=["f32", "bf16", "f64", "i32", "i8"])
def sums_over_the_grid(t, M, dtype):
    """`+=` from any tile: formed in accum(dtype), rounded once; an empty grid gives 0."""
    accumulator = ACCUMULATOR[dtype]
    text = f"""
kernel k(x: {dtype}[M, N], total: out {dtype}[N], whole: out {accumulator}[1], onto: inout {accumulator}[N])
over (i in M by 16, j in N by 8) {{
  total[j] += sum(x[i, j], over i);
  whole[0] += sum(x[i, j], over i, j);
  onto[j] -= sum(x[i, j], over i);
}}
"""
    x = t.normal((M, 21), dtype) if is_float(dtype) else t.integers((M, 21), dtype, -100, 100)
    onto = t.normal((21,), accumulator, 10) if is_float(dtype) else t.integers((21,), accumulator, -1000, 1000)
    total, whole, got = t.run(
        "k", source=t.file(text), x=x, onto=onto, out=dict(total=dtype, whole=accumulator, onto=accumulator)
    )
    v = x.value
    if not is_float(dtype):
        t.same(total, wrap(v.sum(0), dtype))
        t.same(whole, [v.sum()])
        return t.same(got, onto.value - v.sum(0))
    size = np.abs(v)
    t.close(total, v.sum(0), terms=M, scale=size.sum(0))
    t.close(whole, [v.sum()], terms=M, scale=[size.sum()])
    t.close(got, onto.value - v.sum(0), terms=M, scale=size.sum(0) + np.abs(onto.value))


@sweep(M=[0, 1, 100], dtype=["f32", "bf16", "f64", "i32", "i8", "u8"])
def extremes_over_the_grid(t, M, dtype):
    text = f"""
kernel k(x: {dtype}[M, N], most: out {dtype}[N], least: out {dtype}[N], onto: inout {dtype}[N])
over (i in M by 16, j in N by 8) {{
  most[j] max= max(x[i, j], over i);
  least[j] min= min(x[i, j], over i);
  onto[j] max= max(x[i, j], over i);
}}
"""
    x, onto = random_of(t, (M, 21), dtype), random_of(t, (21,), dtype)
    most, least, got = t.run("k", source=t.file(text), x=x, onto=onto, out=dict(most=dtype, least=dtype, onto=dtype))
    low, high = (-np.inf, np.inf) if is_float(dtype) else LIMITS[dtype]
    t.same(most, x.value.max(0, initial=low))
    t.same(least, x.value.min(0, initial=high))
    t.same(got, np.maximum(onto.value, x.value.max(0, initial=low)))


@sweep(dtype=["i32", "i64", "i8"])
def a_histogram(t, dtype):
    text = f"""
kernel k(ids: i32[N], values: i32[N], count: out {dtype}[V], most: out i32[V], onto: inout {dtype}[V])
over (n in N by 64) {{
  count[ids[n], else drop] += 1;
  most[ids[n], else drop] max= values[n];
  onto[ids[n], else drop] += 2;
}}
"""
    ids, values = t.random.integers(-3, 33, 5000), t.integers((5000,), "i32", -1000, 1000)
    onto = t.integers((30,), dtype, -100, 100)
    count, most, got = t.run(
        "k", source=t.file(text), ids=array(ids, "i32"), values=values, onto=onto, dims=dict(V=30), out=dict(
            count=dtype, most="i32", onto=dtype
        )
    )
    inside = (ids >= 0) & (ids < 30)
    counts = np.bincount(ids[inside], minlength=30)
    t.same(count, wrap(counts, dtype))
    t.same(most, [values.value[ids == v].max(initial=-(2**31)) for v in range(30)])
    t.same(got, wrap(onto.value + 2 * counts, dtype))


@sweep(dtype=["f32", "f64", "i32", "i64"])
def atomic_sums_and_their_old_values(t, dtype):
    text = f"""
kernel k(ids: i32[N], x: {dtype}[N], total: out {dtype}[V], taken: inout {dtype}[V], old: out {dtype}[N])
over (n in N by 16) {{
  atomic total[ids[n], else drop] += x[n];
  let before = atomic taken[ids[n], else drop] += 1;
  old[n] = before;
}}
"""
    N, V = 700, 20
    ids, x = t.random.integers(-2, V + 2, N), t.normal((N,), dtype) if is_float(dtype) else t.integers((N,), dtype, -100, 100)
    total, taken, old = t.run(
        "k", source=t.file(text), ids=array(ids, "i32"), x=x, taken=array(np.full(V, 5), dtype), out=dict(
            total=dtype, taken=dtype, old=dtype
        )
    )
    groups = [ids == v for v in range(V)]
    if is_float(dtype):
        t.close(total, [x.value[g].sum() for g in groups], terms=N, scale=[np.abs(x.value[g]).sum() for g in groups], ulps=8)
    else:
        t.same(total, [x.value[g].sum() for g in groups])
    t.same(taken, [5 + g.sum() for g in groups])
    for v, g in enumerate(groups):
        t.same(np.sort(old.value[g]), 5 + np.arange(g.sum()), what=f"old values of place {v}, sorted")
    t.same(
        old.value[(ids < 0) | (ids >= V)], np.zeros(((ids < 0) | (ids >= V)).sum()), what="old values where nothing was added"
    )


@test
def an_old_value_has_the_type_that_is_stated(t):
    text = """
kernel k(ids: i32[N], taken: inout i32[V], old: out f64[N, 2])
over (n in N by 16) {
  let d = span(2);
  let before: i64[n, d] = atomic taken[ids[n]%s] += 10;
  old[n, d] = f64(before) + f64(d) / 2;
}
"""
    taken, old = t.run(
        "k", source=t.file(text % ", else drop"), ids=array([2, 0, 9], "i32"), taken=array([5, 6, 7], "i32"), out=dict(
            taken="i32", old="f64"
        )
    )
    t.same(taken, [15, 6, 17])
    t.same(old, [[7, 7.5], [5, 5.5], [0, 0.5]])


@test
def what_no_tile_writes_keeps_its_memory(t):
    text = """
kernel k(x: f32[N], y: out f32[N, 2], z: out i32[N])
over (n in N by BN) { y[n, 1] = x[n]; z[2 * n, else drop] = i32(n); }
"""
    x, y, z = t.normal((9,), "f32"), t.normal((9, 2), "f32"), t.integers((9,), "i32", 0, 99)
    got_y, got_z = t.run("k", source=t.file(text), x=x, y=y, z=z, out=dict(y="f32", z="i32"))
    t.same(got_y, np.stack([y.value[:, 0], x.value], 1))
    t.same(got_z, np.where(np.arange(9) % 2 == 0, np.arange(9) // 2, z.value))
    fresh, _ = t.run("k", source=t.file(text), x=x, out=dict(y="f32", z="i32"))
    t.same(fresh, np.stack([np.full(9, np.nan), x.value], 1))


@test
def an_inout_view_reads_its_old_value(t):
    text = """
kernel k<T: float>(g: T[N], m: inout f32[N], w: inout T[N], rate: f32)
over (n in N by BN) {
  let step = 0.9 * m[n] + g[n];
  m[n] = step;
  w[n] = T(w[n] - rate * step);
}
"""
    g, m, w = t.normal((100,), "bf16"), t.normal((100,), "f32"), t.normal((100,), "bf16")
    got_m, got_w = t.run("k", source=t.file(text), g=g, m=m, w=w, rate=0.5, out=dict(m="f32", w="bf16"))
    step = np.float32(0.9) * m.value + g.value
    t.close(got_m, step, scale=4)
    t.close(got_w, w.value - 0.5 * step, scale=8)


@test
def repeated_launches_start_from_the_same_values(t):
    text = """
kernel k(x: f32[N], y: inout f32[N])
over (n in N by BN) { y[n] += x[n]; }
"""
    x, y = t.normal((50,), "f32"), t.normal((50,), "f32")
    (got,) = t.run("k", source=t.file(text), x=x, y=y, out=dict(y="f32"), options=["--repeat", "5"])
    t.same(got, rounded(x.value + y.value, "f32"))


@test
def places_that_may_coincide_are_refused(t):
    text = """
kernel k(x: f32[N], y: out f32[2 * N], s: i64)
over (n in N by BN) { y[s * n] = x[n]; }
"""
    x = t.normal((6,), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, s=2, out=dict(y="f32"))
    t.same(y.value[::2], x.value, what="y[::2]")
    t.fails("k", source=t.file(text), x=x, s=0, out=dict(y="f32"), expect="y")


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


@test
def checked_mode_tells_division_by_zero(t):
    text = """
kernel k(x: i32[N], q: out i32[N], r: out i32[N])
over (n in N by BN) { q[n] = 7 / x[n]; r[n] = 7 % x[n]; }
"""
    source = t.file(text)
    good, zero = array([3, -1, 4, 2, 5], "i32"), array([3, -1, 4, 2, 0], "i32")
    for x, options in ((good, ("--checked",)), (zero, ())):
        q, r = t.run("k", source=source, x=x, out=dict(q="i32", r="i32"), options=options)
        t.same(q, [7 // v if v else 0 for v in x.value])
        t.same(r, [7 % v if v else 0 for v in x.value])
    t.fails("k", source=source, x=zero, out=dict(q="i32", r="i32"), options=["--checked"], expect="0")


# ----------------------------------------------------------------------------------------------------------------------
# 3.13 Tunables
# ----------------------------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------------------------
# 3.14 Derivatives
# ----------------------------------------------------------------------------------------------------------------------


# name → where its derivative jumps
ACTIVATIONS = {
    "identity": [], "relu": [
        0
    ], "leaky_relu": [0], "squared_relu": [], "gelu": [], "gelu_erf": [], "silu": [], "sigmoid": [], "tanh": [],
    "softplus": [], "smelu": [], "hard_swish": [-3, 3], "mish": [],
}  # fmt: skip


@sweep(name=list(ACTIVATIONS))
def activations_and_their_derivatives(t, name):
    formula, kinks = np.tanh if name == "tanh" else getattr(reference, name), ACTIVATIONS[name]
    x = np.concatenate([np.linspace(-10, 10, 1001), t.random.standard_normal(500) * 3])
    x = x[~np.isin(np.round(x, 3), kinks)] if kinks else x
    x = array(x, "f32")
    y, d = elementwise(
        t, dict(x=x), dict(y=("f32", f"{name}(x)"), d=("f32", f"deriv({name})(x)")), functions='import "activations.tile";'
    )
    t.close(y, formula(x.value), scale=np.abs(x.value) * 0.1 + 0.01, ulps=32)
    t.close(d, numeric(formula, x.value), scale=1, ulps=64)


@sweep(name=["relu", "leaky_relu", "squared_relu", "softplus", "smelu", "abs"])
def derivatives_at_kinks(t, name):
    x = array([0.0, -0.0], "f32")
    functions = 'import "activations.tile";'
    (d,) = elementwise(t, dict(x=x), dict(d=("f32", f"deriv({name})(x)")), functions=functions)
    t.same(d, np.full(2, dict(relu=0, leaky_relu=rounded(0.01, "f32"), squared_relu=0, softplus=0.5, smelu=0.5, abs=0)[name]))


@sweep(name=["swiglu", "geglu", "reglu"])
def gates_and_their_derivatives(t, name):
    formula = getattr(reference, name)
    g, u = t.normal((1000,), "f32", 2), t.normal((1000,), "f32", 2)
    y, dg, du = elementwise(
        t,
        dict(g=g, u=u),
        dict(y=("f32", f"{name}(g, u)"), dg=("f32", f"deriv({name}, 0)(g, u)"), du=("f32", f"deriv({name}, 1)(g, u)")),
        functions='import "activations.tile";',
    )
    G, U = g.value, u.value
    t.close(y, formula(G, U), scale=np.abs(G * U), ulps=16)
    t.close(dg, numeric(lambda v: formula(v, U), G), scale=np.abs(U) + 1, ulps=64)
    t.close(du, numeric(lambda v: formula(G, v), U), scale=np.abs(G) + 1, ulps=64)


@test
def derivatives_of_every_operation(t):
    functions = {
        "quotient": ("x / (1 + x * x)", lambda x: x / (1 + x * x)),
        "powers": ("pow(x * x + 1, 1.5)", lambda x: (x * x + 1) ** 1.5),
        "logs": (
            "log(x * x + 1) + log2(x * x + 2) + log1p(x * x)",
            lambda x: np.log(x * x + 1) + np.log2(x * x + 2) + np.log1p(x * x)
        ),
        "roots": ("sqrt(x * x + 1) + rsqrt(x * x + 2)", lambda x: np.sqrt(x * x + 1) + 1 / np.sqrt(x * x + 2)),
        "waves": ("sin(x) * cos(2 * x)", lambda x: np.sin(x) * np.cos(2 * x)),
        "growth": ("exp(x / 4) + exp2(x / 4)", lambda x: np.exp(x / 4) + np.exp2(x / 4)),
        "bells": ("tanh(x) * erf(x) + sigmoid(x)", lambda x: np.tanh(x) * erf(x) + sigmoid(x)),
        "chosen": ("where(x > 0.5, x * x, -x)", lambda x: np.where(x > 0.5, x * x, -x)),
        "extremes": (
            "max(x, 0.3) * min(x, 2) + clamp(x, -1, 1) + abs(x)",
            lambda x: np.maximum(x, 0.3) * np.minimum(x, 2) + np.clip(x, -1, 1) + np.abs(x)
        ),
        "steps": ("floor(x) + x * ceil(x) + round(x)", lambda x: np.floor(x) + x * np.ceil(x) + np.rint(x)),
        "fused": ("fma(x, x, x)", lambda x: x * x + x),
    }
    text = "\n".join(f"fn {n}(x: f32) -> f32 = {e};" for n, (e, _) in functions.items())
    text += """
fn looped(x: f32) -> f32 {
  var p: f32 = 1;
  for n in 5 { p = p * x + 1; }
  let q = p * p;
  return q;
}
"""
    functions["looped"] = (None, lambda x: (((((x + 1) * x + 1) * x + 1) * x + 1) * x + 1) ** 2)
    kinks = (-2.5, -2, -1.5, -1, -0.5, 0, 0.3, 0.5, 1, 1.5, 2, 2.5)
    x = array([v for v in np.linspace(-2.9, 2.9, 113) if min(abs(v - k) for k in kinks) > 0.01], "f32")
    results = elementwise(t, dict(x=x), {f"d_{n}": ("f32", f"deriv({n})(x)") for n in functions}, functions=text)
    for (name, (_, formula)), result in zip(functions.items(), results):
        want = numeric(formula, x.value)
        t.close(result, want, scale=np.abs(want) + np.abs(formula(x.value)) + 1, ulps=256, what=f"deriv({name})")


@test
def second_derivatives_and_rules(t):
    text = """
fn cube(x: f32) -> f32 = x * x * x;
fn odd(x: f32) -> f32 = x * x;
deriv odd(x) = 5 * x;
fn mixed(a: f32, b: f32) -> f32 = a * odd(b);
fn pair(a: f32, b: f32) -> f32 = a * b;
deriv pair(a, b) = (b + 1, a + 2);
"""
    x, y = t.normal((50,), "f32"), t.normal((50,), "f32")
    expressions = {
        "second": "deriv(deriv(cube))(x)", "rule": "deriv(odd)(x)", "through": "deriv(mixed, 1)(x, y)",
        "first": "deriv(mixed, 0)(x, y)", "left": "deriv(pair, 0)(x, y)", "right": "deriv(pair, 1)(x, y)"
    }
    results = elementwise(t, dict(x=x, y=y), {n: ("f32", e) for n, e in expressions.items()}, functions=text)
    X, Y = x.value, y.value
    for result, want in zip(results, [6 * X, 5 * X, 5 * X * Y, Y * Y, Y + 1, X + 2]):
        t.close(result, want, scale=np.abs(want) + 1)


# ----------------------------------------------------------------------------------------------------------------------
# 3.15 Randomness, 3.16 Imports
# ----------------------------------------------------------------------------------------------------------------------


@test
def philox_itself(t):
    """The known answers of Random123: of counter 0 with key 0, and of all ones."""
    t.same(philox(0, np.arange(4)), np.array([0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8], np.uint64), what="philox")


@sweep(seed=[0, 42, -1, 2**40 + 5, -(2**63)], N=[1, 4, 999])
def random_numbers(t, seed, N):
    text = """
kernel k(bits: out i32[N], uniform: out f32[N], far: out i32[N], seed: i64)
over (n in N by BN) {
  bits[n] = random_bits(seed, n);
  uniform[n] = random(seed, n);
  far[n] = random_bits(seed, n * 1000003 + 17179869190);
}
"""
    bits, uniform, far = t.run(
        "k", source=t.file(text), seed=seed, dims=dict(N=N), out=dict(bits="i32", uniform="f32", far="i32")
    )
    words = philox(seed % 2**64, np.arange(N))
    t.same(bits, wrap(words, "i32"))
    t.same(uniform, (words >> np.uint64(8)).astype(np.float64) * 2.0**-24)
    t.same(far, wrap(philox(seed % 2**64, np.arange(N) * 1000003 + 17179869190), "i32"))


@test
def imports(t):
    with open(os.path.join(t.folder, "shapes.tile"), "w") as file:
        file.write('import "numbers.tile";\nfn square(x: f32) -> f32 = x * x * unit;\nderiv square(x) = 3 * x;\n')
    with open(os.path.join(t.folder, "numbers.tile"), "w") as file:
        file.write("let unit = 2.0;\n")
    x = t.normal((20,), "f32")
    (y,) = elementwise(t, dict(x=x), dict(y=("f32", "square(x) + deriv(square)(x)")), functions='import "shapes.tile";')
    t.close(y, 2 * x.value**2 + 3 * x.value, scale=4 * x.value**2 + 4)
    (y,) = elementwise(
        t, dict(x=x), dict(y=("f32", "s.square(x) + act.relu(x)")),
        functions='import "shapes.tile" as s;\nimport "activations.tile" as act;'
    )
    t.close(y, 2 * x.value**2 + np.maximum(x.value, 0), scale=4 * x.value**2 + 4)


@test
def cuda_functions_are_refused(t):
    text = """
extern "cuda" fn hash(x: i32) -> i32 from "hash.cuh";
extern "cuda" fn both(x: i32, y: i32) -> i32 from "both.cuh";
kernel called(x: i32[N], y: out i32[N])
over (n in N by BN) { y[n] = hash(x[n]); }
kernel folded(x: i32[N], y: out i32[1])
over () { for n in N by BN { y[0] += reduce(both, x[n], over n); } }
kernel without(x: i32[N], y: out i32[N])
over (n in N by BN) { y[n] = x[n]; }
"""
    source, x = t.file(text), array([1, 2, 3], "i32")
    for kernel, name in (("called", "hash"), ("folded", "both")):
        t.fails(kernel, source=source, x=x, out=dict(y="i32"), expect=f"error: `{name}` is a CUDA function, and the target `cpu` has none")
    (y,) = t.run("without", source=source, x=x, out=dict(y="i32"))
    t.same(y, x.value)


if __name__ == "__main__":
    main()
