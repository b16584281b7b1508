"""What the tests of the language's features (features_*_test.py, a file for each part of docs/language.md §3) share."""

import numpy as np

from harness import ALL_FLOATS, NATIVE, Array, is_float

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
