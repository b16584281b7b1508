"""Runs kernels through the command line and compares what they compute with NumPy.

A test is a function that makes inputs, runs a kernel, and states what each output must be:

    @sweep(shape=[(0,), (1,), (1000,), (3, 5, 7)], dtype=FLOATS)
    def add(t, shape, dtype):
        a, b = t.normal(shape, dtype), t.normal(shape, dtype)
        c, = t.run("add", dict(T=dtype), a=a, b=b, out=dict(c=dtype))
        t.close(c, a.value + b.value)

Every combination of the swept values is a case of its own, with its own random numbers. Outputs are filled with NaN (or all ones)
before the launch, so an element that nobody writes is noticed. A failing case prints its values, the first element that is wrong,
what was found there and what was expected.

The environment variable TILEWRIGHT_CLI names the program, TILEWRIGHT_TEST_TARGET what kernels are compiled for (cpu). A case that the
target refuses has failed, unless unsupported.txt beside this file lists it: then it must be refused, with that message. Options: -k PART runs the cases whose name contains PART, --sample N
one case in N (always the same, spread over all sweeps), -j N runs N at a time, -v prints each case and its time, --list only lists them.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
# The ready kernels, in the source tree and where the files are installed.
READY_KERNELS = next(
    (folder for folder in (os.path.join(HERE, part) for part in ("../../runtime/kernels", "../../share/tilewright/kernels"))
     if os.path.isdir(folder)), None
)

# Kernels are compiled by the compiler under test, and nobody's cache is filled.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"

# ----------------------------------------------------------------------------------------------------------------------
# Numbers
# ----------------------------------------------------------------------------------------------------------------------

NATIVE = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16,
    "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8, "bool": np.bool_,
}
# dtype: (exponent bits, mantissa bits, largest finite bits, what overflows becomes, raw type)
SMALL = {
    "bf16": (8, 7, 0x7F7F, 0x7F80, np.uint16),
    "f16": (5, 10, 0x7BFF, 0x7C00, np.uint16),
    "f8e4m3": (4, 3, 0x7E, 0x7E, np.uint8),
    "f8e5m2": (5, 2, 0x7B, 0x7B, np.uint8),
}
# The distance from 1 to the next number.
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7, "f8e4m3": 2.0**-3, "f8e5m2": 2.0**-2}

FLOATS = ["f32", "bf16", "f16"]
ALL_FLOATS = ["f32", "bf16", "f16", "f8e4m3", "f8e5m2"]
INTEGERS = ["i64", "i32", "i16", "i8", "u8"]
DTYPES = ["f64"] + ALL_FLOATS + INTEGERS + ["bool"]


def is_float(dtype):
    return dtype in EPSILON


def _small_values(dtype):
    """The values of all bit patterns, from the definition of the format."""
    exponent_bits, mantissa_bits, largest, overflow, raw = SMALL[dtype]
    bits = np.arange(1 << (1 + exponent_bits + mantissa_bits))
    sign = np.where(bits >> (exponent_bits + mantissa_bits), -1.0, 1.0)
    magnitude = bits & ((1 << (exponent_bits + mantissa_bits)) - 1)
    exponent = magnitude >> mantissa_bits
    mantissa = magnitude & ((1 << mantissa_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    value = np.where(
        exponent == 0, mantissa, mantissa + (1 << mantissa_bits)
    ) * 2.0 ** (np.maximum(exponent, 1) - bias - mantissa_bits)
    has_infinity = dtype != "f8e4m3"
    beyond = np.where((mantissa == 0) & has_infinity, np.inf, np.nan)
    return sign * np.where(magnitude > largest, beyond, value)


_DECODE = {dtype: _small_values(dtype) for dtype in SMALL}


def decode(raw, dtype):
    """Raw elements as f64 (floats), i64 (integers) or bool."""
    if dtype in ("bf16", "f8e4m3", "f8e5m2"):
        return _DECODE[dtype][raw]
    if dtype == "bool":
        return raw
    return raw.astype(np.float64 if is_float(dtype) else np.int64)


def encode(value, dtype):
    """Rounds to nearest even, as the language's casts to narrower floats do; returns raw elements."""
    value = np.asarray(value, np.float64)
    if dtype in ("f64", "f32"):
        with np.errstate(over="ignore"):
            return value.astype(NATIVE[dtype])
    _, _, largest, overflow, raw = SMALL[dtype]
    positive = _DECODE[dtype][: largest + 1]
    magnitude = np.abs(value)
    # The nearest by bisection. The number beyond the largest is where rounding would go if the format went on.
    step = positive[-1] - positive[-2]
    extended = np.append(positive, positive[-1] + step)
    with np.errstate(invalid="ignore"):
        below = np.clip(np.searchsorted(extended, magnitude, side="right") - 1, 0, largest)
        low, high = extended[below], extended[below + 1]
        up = (magnitude - low > high - magnitude) | ((magnitude - low == high - magnitude) & (below % 2 == 1))
        bits = below + np.where(np.isinf(magnitude), largest, up)
    bits = np.where(bits > largest, overflow, bits)
    nan = {"bf16": 0x7FC0, "f16": 0x7E00, "f8e4m3": 0x7F, "f8e5m2": 0x7F}[dtype]
    bits = np.where(np.isnan(value), nan, bits)
    sign_bit = (len(_DECODE[dtype])) // 2
    bits = bits + np.where(np.signbit(value), sign_bit, 0)
    bits = bits.astype(raw)
    return bits.view(np.float16) if dtype == "f16" else bits


def rounded(value, dtype):
    """A float value after a trip through memory."""
    return decode(encode(value, dtype), dtype)


class Array:
    """An argument: raw elements and their dtype. `value` is what they mean, in f64, i64 or bool.

    `raw` may have any strides; Fortran order is kept in the file. With `view=(slices, permutation)` the kernel sees a part of it.
    """

    def __init__(self, raw, dtype, view=None):
        self.raw = raw
        self.dtype = dtype
        self.view = view

    @property
    def value(self):
        raw = self.raw
        if self.view:
            slices, permutation = self.view
            raw = raw[slices]
            if permutation is not None:
                raw = raw.transpose(permutation)
        return decode(raw, self.dtype)

    @property
    def shape(self):
        return self.value.shape

    def fortran(self):
        """The same array, in Fortran order."""
        return Array(np.asfortranarray(self.raw), self.dtype)

    def reshape(self, *shape):
        return Array(self.raw.reshape(*shape), self.dtype)

    def embedded(self, before, after, steps, fill=None):
        """The same elements as a part of a larger array: `before` and `after` elements around it in each dimension, only every
        step-th used (a negative step: backwards). What is around it is NaN, or 77."""
        if fill is None:
            fill = np.nan if is_float(self.dtype) else (True if self.dtype == "bool" else 77)
        outer = [b + n * abs(s) + a for b, n, s, a in zip(before, self.raw.shape, steps, after)]
        raw_fill = encode(fill, self.dtype) if is_float(self.dtype) else NATIVE[self.dtype](fill)
        whole = np.full(outer, raw_fill, self.raw.dtype)
        slices = []
        for b, n, s in zip(before, self.raw.shape, steps):
            if n == 0:
                slices.append(slice(0, 0))
            elif s > 0:
                slices.append(slice(b, b + n * s, s))
            else:
                stop = b - 1
                slices.append(slice(b + (n - 1) * -s, stop if stop >= 0 else None, s))
        whole[tuple(slices)] = self.raw
        return Array(whole, self.dtype, (tuple(slices), None))

    def transposed(self, permutation):
        """The same values, with memory laid out in another order of dimensions."""
        inverse = np.argsort(permutation)
        return Array(
            np.ascontiguousarray(self.raw.transpose(permutation)), self.dtype, (slice(None), tuple(int(d) for d in inverse))
        )


def array(value, dtype):
    value = np.asarray(value)
    return Array(encode(value, dtype) if is_float(dtype) else value.astype(NATIVE[dtype]), dtype)


# ----------------------------------------------------------------------------------------------------------------------
# One case
# ----------------------------------------------------------------------------------------------------------------------


class Mismatch(Exception):
    pass


class Skip(Exception):
    """What a case needs is not here; the text says what."""


class Case:
    """What a test function gets: random numbers, a way to run kernels, and comparisons."""

    def __init__(self, name, source, folder):
        self.name = name
        self.source = source
        self.folder = folder
        self.random = np.random.default_rng(zlib.crc32(name.encode()))
        self.commands = []
        self.environment = {}  # variables that the program finds besides this process's own
        self.printed = self.reported = ""  # what the last `run` wrote to its standard output and error
        self.serial = 0

    # ---- inputs

    def normal(self, shape, dtype, scale=1.0):
        return array(self.random.standard_normal(shape) * scale, dtype)

    def integers(self, shape, dtype, low, high):
        """Uniform in low..high, high excluded."""
        return array(self.random.integers(low, high, shape), dtype)

    def flags(self, shape, probability=0.5):
        return array(self.random.random(shape) < probability, "bool")

    # ---- running

    def path(self, name):
        return os.path.join(self.folder, f"{name}{self.serial}.npy")

    def file(self, text):
        """A source file of this case's own."""
        path = os.path.join(self.folder, f"source{self.serial}.tile")
        self.serial += 1
        with open(path, "w") as f:
            f.write(text)
        return path

    def command(self, kernel, bind, out, dims, options, source, arguments):
        command = [cli(), "run", source or self.source, "--kernel", kernel, "--poison", *target_options(options)]
        if bind:
            command += ["--bind", ",".join(f"{n}={str(v).lower() if isinstance(v, bool) else v}" for n, v in bind.items())]
        for name, value in (dims or {}).items():
            command += ["--dim", f"{name}={value}"]
        for name, value in arguments.items():
            if not isinstance(value, Array):
                text = str(value).lower() if isinstance(value, (bool, np.bool_)) else repr(value)
                command += ["--in", f"{name}={text}"]
                continue
            path = self.path(name)
            np.save(path, value.raw)
            suffix = "" if value.dtype in NATIVE else ":" + value.dtype
            command += ["--in", f"{name}={path}{suffix}"]
            if value.view:
                slices, permutation = value.view
                if slices != slice(None):
                    text = ",".join(f"{_text(s.start)}:{_text(s.stop)}:{_text(s.step)}" for s in slices)
                    command += ["--slice", f"{name}={text}"]
                if permutation is not None:
                    command += ["--transpose", f"{name}={','.join(map(str, permutation))}"]
        for name in out:
            command += ["--out", f"{name}={self.path('out_' + name)}"]
        return command + list(options)

    def execute(self, command, check=True):
        self.commands.append(command)
        environment = dict(os.environ, NO_COLOR="1", **self.environment)
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
        if check and result.returncode != 0:
            raise Mismatch(f"exit code {result.returncode}\n{result.stderr.strip()}")
        return result

    def run(self, kernel, bind=None, *, out, dims=None, options=(), source=None, **arguments):
        """Runs a kernel and returns its outputs, in the order of `out` (name → dtype), as Arrays. An argument is an Array, a number,
        or None for an optional parameter that is absent. An `inout` parameter is an argument and an output."""
        arguments = {n: v for n, v in arguments.items() if v is not None}
        command = self.command(kernel, bind, out, dims, options, source, arguments)
        result = self.execute(command)
        self.printed, self.reported = result.stdout, result.stderr
        results = []
        for name, dtype in out.items():
            raw = np.load(self.path("out_" + name))
            expected = SMALL[dtype][4] if dtype in ("bf16", "f8e4m3", "f8e5m2") else NATIVE[dtype]
            if raw.dtype != expected:
                raise Mismatch(f"output {name} is {raw.dtype}, expected {np.dtype(expected)} for {dtype}")
            result = Array(raw, dtype)
            result.name = name
            results.append(result)
        self.serial += 1
        return results

    def fails(self, kernel, bind=None, *, out, expect, dims=None, options=(), source=None, code=1, **arguments):
        """Runs a kernel that must be refused with `expect` in the message."""
        command = self.command(kernel, bind, out, dims, options, source, arguments)
        result = self.execute(command, check=False)
        self.serial += 1
        if result.returncode != code:
            raise Mismatch(f"exit code {result.returncode}, expected {code}\n{result.stderr.strip()}")
        if expect not in result.stderr:
            raise Mismatch(f"the message lacks {expect!r}:\n{result.stderr.strip()}")
        return result

    # ---- comparing

    def same(self, got, want, what=None):
        """Equal, element by element; NaN equals NaN, and 0 equals -0."""
        want = np.asarray(want)
        value = got.value if isinstance(got, Array) else np.asarray(got)
        self._shape(got, value, want, what)
        equal = value == want
        if value.dtype.kind == "f":
            equal = equal | (np.isnan(value) & np.isnan(want))
        self._report(got, value, want, equal, what)

    def close(self, got, want, *, terms=1, scale=None, ulps=4, math=0, what=None):
        """Equal within rounding: `ulps` units of f32 (f64 for an f64 result), times sqrt(terms) for a sum of so many, relative to
        `scale` (where given: the size of what is summed; else |want|), plus one rounding to the result's dtype. `math` is the
        size of the values of math functions in a result of at most 16 bits: a GPU may approximate them (docs/language.md §3.7)."""
        want = np.asarray(want, np.float64)
        value = got.value
        self._shape(got, value, want, what)
        step = EPSILON["f64" if got.dtype == "f64" else "f32"]
        size = np.abs(want) if scale is None else np.maximum(np.abs(want), np.abs(np.asarray(scale, np.float64)))
        with np.errstate(invalid="ignore"):
            allowed = ulps * step * np.sqrt(max(terms, 1)) * size
            if got.dtype not in ("f32", "f64"):
                allowed = allowed + EPSILON[got.dtype] * 0.502 * np.abs(want) + smallest_step(got.dtype) * 0.502
                if target() != "cpu":
                    allowed = allowed + 2**-10.9 * np.asarray(math, np.float64)
                want = np.where(np.abs(want) >= largest(got.dtype), rounded(want, got.dtype), want)
            allowed = allowed + 1e-37
            equal = (np.abs(value - want) <= allowed) | (value == want) | (np.isnan(value) & np.isnan(want))
        self._report(got, value, want, equal, what)

    def _shape(self, got, value, want, what):
        if value.shape != want.shape:
            raise Mismatch(f"{what or getattr(got, 'name', 'result')} has shape {value.shape}, expected {want.shape}")

    def _report(self, got, value, want, equal, what):
        if np.all(equal):
            return
        wrong = np.argwhere(~np.atleast_1d(equal))
        index = tuple(int(n) for n in wrong[0])
        value, want = np.atleast_1d(value), np.broadcast_to(np.atleast_1d(want), np.atleast_1d(value).shape)
        raise Mismatch(
            f"{what or getattr(got, 'name', 'result')}{list(index)} is {value[index]!r}, expected {want[index]!r} "
            f"({len(wrong)} of {value.size} elements of shape {value.shape} are wrong)"
        )


def largest(dtype):
    return _DECODE[dtype][SMALL[dtype][2]]


def smallest_step(dtype):
    return _DECODE[dtype][1]


def _text(bound):
    return "" if bound is None else str(bound)


def cli():
    program = os.environ.get("TILEWRIGHT_CLI")
    if not program:
        sys.exit("the environment variable TILEWRIGHT_CLI must name the tilewright program")
    return program


def target():
    return os.environ.get("TILEWRIGHT_TEST_TARGET") or "cpu"


def target_options(options):
    """--target for a command line that has these options. The reference schedule is the CPU's."""
    if not os.environ.get("TILEWRIGHT_TEST_TARGET"):
        return []
    return ["--target", "cpu" if "reference" in options else target()]


def listed_refusals(path, suite):
    """What unsupported.txt says of this target and suite: (pattern of cases, part of the message) of each line
    `TARGET SUITE PATTERN: MESSAGE`."""
    refusals = []
    with open(path) as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            head, colon, message = line.partition(": ")
            words = head.split(None, 2)
            if not colon or len(words) != 3 or not message.strip():
                sys.exit(f"{path}:{number}: expected `TARGET SUITE PATTERN: MESSAGE`, found `{line}`")
            if words[:2] == [target(), suite]:
                refusals.append((words[2], message.strip()))
    return refusals


# ----------------------------------------------------------------------------------------------------------------------
# All cases
# ----------------------------------------------------------------------------------------------------------------------

_cases = []


def sweep(**values):
    """Registers a test function, once for each combination of the values."""

    def register(function):
        for combination in itertools.product(*values.values()):
            arguments = dict(zip(values, combination))
            text = ",".join(f"{n}={_short(v)}" for n, v in arguments.items())
            _cases.append((f"{function.__name__}({text})", function, arguments))
        return function

    return register


def test(function):
    return sweep()(function)


def _short(value):
    if isinstance(value, (tuple, list)):
        return "x".join(map(str, value)) if value else "()"
    return str(value)


def _in_sample(name, count):
    """Chosen by the name: every count-th would meet the same value of a sweep again and again, and one new case would move all others."""
    return zlib.crc32(name.encode()) % count == 0


def _run_case(case, source, root, verbose, refusals):
    """(what is wrong with the case or None, whether the target refused it as listed, why it was skipped or None)"""
    name, function, arguments = case
    refusal = next((message for pattern, message in refusals if fnmatch.fnmatchcase(name, pattern)), None)
    refused = False
    folder = os.path.join(root, f"case{threading.get_ident()}_{zlib.crc32(name.encode())}")
    os.makedirs(folder)
    t = Case(name, source, folder)
    begin = time.monotonic()
    skipped = None
    try:
        function(t, **arguments)
        error = None
        if refusal is not None:
            error = f"passes, but unsupported.txt says that the target {target()} refuses it: remove its line there"
    except Skip as skip:
        error, skipped = None, str(skip)
    except Mismatch as mismatch:
        refused = refusal is not None and refusal in str(mismatch)
        error = None if refused else str(mismatch)
    except Exception:  # a fault of the test itself must not end the others
        error = traceback.format_exc()
    shutil.rmtree(folder)
    if error:
        command = " ".join(t.commands[-1]) if t.commands else "(nothing was run)"
        error = f"FAILED {name}\n  {error}\n  {command}".replace("\n", "\n  ")
    elif verbose:
        print(f"{'skip' if skipped else 'ok  '}   {name} ({time.monotonic() - begin:.2f} s)", flush=True)
    return error, refused, skipped


def main(source=None):
    """Runs the cases of the file that was started. `source` is the kernels' file, beside the test."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("-k", default="", metavar="PART", help="only cases whose name contains PART")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="only one case in N, always the same")
    parser.add_argument("-j", type=int, default=os.cpu_count(), metavar="N", help="run N cases at a time")
    parser.add_argument("-v", action="store_true", help="print each case and its time")
    parser.add_argument("--list", action="store_true", help="only list the cases")
    options = parser.parse_args()

    cases = [case for case in _cases if options.k in case[0] and _in_sample(case[0], options.sample)]
    if options.list:
        print("\n".join(case[0] for case in cases))
        return
    cli()
    source = os.path.join(HERE, source) if source else None
    suite = os.path.basename(sys.argv[0]).removesuffix("_test.py")
    refusals = listed_refusals(os.path.join(HERE, "unsupported.txt"), suite)
    begin = time.monotonic()
    failures = refused = 0
    skipped = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="tilewright-semantics-") as root:
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            jobs = [pool.submit(_run_case, case, source, root, options.v, refusals) for case in cases]
            for job in concurrent.futures.as_completed(jobs):
                error, was_refused, why_skipped = job.result()
                refused += was_refused
                if why_skipped:
                    skipped[why_skipped] += 1
                if error:
                    failures += 1
                    print(error, flush=True)
    listed = f", {refused} were refused as listed," if refused else ""
    for reason, count in skipped.items():
        print(f"{count} skipped: {reason}")
    print(f"{len(cases) - failures - refused - skipped.total()} of {len(cases)} cases passed{listed} in {time.monotonic() - begin:.0f} s")
    sys.exit(1 if failures or not cases else 0)
