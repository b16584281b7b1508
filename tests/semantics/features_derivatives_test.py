"""docs/language.md §3.14, derivatives, and the activation functions that come with the compiler. Small kernels, with the values
they must give. Run with --help for the options."""

import numpy as np

import reference
from features import elementwise
from harness import array, main, rounded, sweep, test
from reference import erf, numeric, sigmoid


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


if __name__ == "__main__":
    main()
