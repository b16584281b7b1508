"""docs/language.md §3.7, elementwise functions and operators. Small kernels, with the values they must give. Run with --help
for the options."""

import math

import numpy as np

from features import elementwise
from harness import EPSILON, array, main, rounded, sweep, test


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


APPROXIMATED = {
    **{name: (f"{name}(x)", *MATH[name][::2]) for name in MATH if name not in ("floor", "ceil", "round", "abs")},
    "quotient": ("x / (0.25 + abs(x))", lambda x: x / (0.25 + np.abs(x)), "any"),
    "reciprocal": ("1 / x", lambda x: 1 / x, "any"),
    "by_a_constant": ("x / 7", lambda x: x / 7, "any"),
    "softplus": ("max(x, 0) + log1p(exp(-abs(x)))", lambda x: np.logaddexp(x, 0), "any"),
}


@sweep(dtype=["bf16", "f16", "f8e5m2"], function=list(APPROXIMATED))
def math_that_is_rounded_to_few_bits(t, dtype, function):
    expression, formula, kind = APPROXIMATED[function]
    x = math_arguments(t, "f32", kind)
    (y,) = elementwise(t, dict(x=x), dict(y=(dtype, f"{dtype}({expression})")))
    with np.errstate(all="ignore"):
        want = np.asarray(formula(x.value), np.float64)
        t.close(y, want, math=np.abs(want), scale=np.abs(want) + 2.0**-126)


@sweep(dtype=["bf16", "f16"])
def math_of_a_row_that_is_rounded_to_16_bits(t, dtype):
    """Sums and what loops carry let approximations pass; the exact row beside it shows that f32 is not approximated."""
    text = """kernel k<T: float>(x: f32[M, N], y: out T[M, N], e: out f32[M, N])
over (i in M by BM) {
  var l: f32[i] = 0;
  for j in N by BN { l += sum(exp(x[i, j]), over j); }
  for j in N by BN { y[i, j] = T(exp(x[i, j]) / l); e[i, j] = tanh(x[i, j]); }
}
"""
    x = t.normal((7, 300), "f32", 3)
    y, e = t.run("k", dict(T=dtype), source=t.file(text), x=x, out=dict(y=dtype, e="f32"))
    want = np.exp(x.value) / np.exp(x.value).sum(1, keepdims=True)
    t.close(y, want, math=2 * want, ulps=32)
    t.close(e, np.tanh(x.value))


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


if __name__ == "__main__":
    main()
