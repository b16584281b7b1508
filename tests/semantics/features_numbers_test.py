"""docs/language.md §3.2, types and numbers: casts, integer and floating-point arithmetic. Small kernels, with the values they
must give. Run with --help for the options."""

import math

import numpy as np

from features import LIMITS, elementwise, wrap, random_of
from harness import DTYPES, SMALL, Array, array, is_float, main, rounded, sweep, test


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
def denormals_of_bf16_are_kept_where_one_value_is_chosen(t):
    """A `select` of one bf16, which LLVM would lower by way of f32 on processors that convert it."""
    text = """
kernel k(b: bool[M, N], x: bf16[M], y: out bf16[M, N])
over (i in M by 1, j in N by 1) {
  y[i, j] = bf16(f32(where(f32(j) > 1.0, where(b[1, 1], bf16(2.0), bf16(1.0)), x[i])));
}
"""
    x = array([1.0, 2.0**-132, -3 * 2.0**-133, 2.0**-130], "bf16")
    (y,) = t.run("k", source=t.file(text), b=t.flags((4, 3)), x=x, out=dict(y="bf16"))
    t.same(y.value[:, :2], np.stack([x.value, x.value], 1), what="y")


@test
def a_sum_of_narrow_integers_is_wide(t):
    x = array(np.full(1000, 127), "i8")
    (y,) = t.run(
        "k",
        source=t.file("kernel k(x: i8[N], y: out i32[1])\nover () {\n  for n in N by BN { y[0] += sum(x[n], over n); }\n}\n"),
        x=x, out=dict(y="i32")
    )
    t.same(y, [127000])


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


if __name__ == "__main__":
    main()
