"""docs/language.md §3.16, functions in CUDA C++: what they compute on a GPU, which C++ is refused and how, and that a processor
refuses the kernels that call them. Run with --help for the options."""

import ctypes
import os
import subprocess

import numpy as np

from everywhere import everywhere
from harness import Mismatch, Skip, array, main, sweep, target, test

LIBRARIES = (os.environ.get("TILEWRIGHT_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so")


def needs_nvrtc():
    if target() == "cpu":
        raise Skip("a processor has no CUDA functions")
    for name in filter(None, LIBRARIES):
        try:
            ctypes.CDLL(name)
            return
        except OSError:
            pass
    raise Skip("there is no libnvrtc, which compiles CUDA functions")


def header(t, name, text):
    with open(os.path.join(t.folder, name), "w") as file:
        file.write(text)


# A hash whose last step is in a file of its own; C++ has it on unsigned integers, the language on i32.
HASH = """#pragma once
#include "finish.cuh"
__device__ unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  return finish(x);
}
"""
FINISH = """#pragma once
__device__ inline unsigned finish(unsigned x) { x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
"""


def hashed(values):
    x = np.asarray(values).astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    return (x ^ (x >> np.uint32(16))).astype(np.int32)


@sweep(N=[1, 31, 1000, 5000])
def a_hash(t, N):
    needs_nvrtc()
    header(t, "hash.cuh", HASH)
    header(t, "finish.cuh", FINISH)
    text = """
extern "cuda" fn hash(x: i32) -> i32 from "hash.cuh";
kernel k(x: i32[N], y: out i32[N])
over (n in N by BN) { y[n] = hash(x[n]); }
"""
    x = t.integers((N,), "i32", -(2**31), 2**31)
    everywhere(t, "k", text, x=x, out=dict(y="i32"), check=lambda y: t.same(y, hashed(x.value).astype(np.int64)))


@sweep(shape=[(1, 1), (7, 33), (130, 70)])
def inside_of_expressions(t, shape):
    """Arguments with fewer axes than the result, a scalar, a function of the language that calls one, a rule for the derivative, a
    loop and a product around it."""
    needs_nvrtc()
    header(t, "bend.cuh", "__device__ float bend(float x, float y, float times) { return x * times + y; }\n"
                          "__device__ float slope(const float &times) { return times; }\n")
    text = """
extern "cuda" fn bend(x: f32, y: f32, times: f32) -> f32 from "bend.cuh";
extern "cuda" fn slope(times: f32) -> f32 from "bend.cuh";
deriv bend(x, y, times) = (slope(times), 1, x);
fn twice(x: f32, y: f32, times: f32) -> f32 = bend(bend(x, y, times), y, times);
kernel k(x: f32[M], u: f32[N], times: f32, y: out f32[M, N], d: out f32[M, N], s: out f32[M])
over (m in M by BM) {
  var total: f32[m] = 0;
  for n in N by BN {
    y[m, n] = twice(x[m], u[n], times);
    d[m, n] = deriv(twice, 0)(x[m], u[n], times);
    total += sum(bend(x[m], u[n], times), over n);
  }
  s[m] = total;
}
"""
    M, N = shape
    x, u, times = t.normal((M,), "f32"), t.normal((N,), "f32"), 0.75

    def check(y, d, s):
        once = x.value[:, None] * times + u.value[None, :]
        t.close(y, once * times + u.value[None, :], scale=8)
        t.close(d, np.full(shape, times * times))
        t.close(s, once.sum(1), scale=4 * N)

    everywhere(t, "k", text, x=x, u=u, times=times, out=dict(y="f32", d="f32", s="f32"), check=check)


@test
def several_results(t):
    needs_nvrtc()
    header(t, "split.cuh", "struct Parts { int quotient; signed char remainder; };\n"
                           "__device__ Parts split(long long x) { return {int(x / 10), (signed char)(x % 10)}; }\n")
    text = """
extern "cuda" fn split(x: i64) -> (i32, i8) from "split.cuh";
kernel k(x: i64[N], q: out i32[N], r: out i8[N])
over (n in N by BN) { let (a, b) = split(x[n]); q[n] = a; r[n] = b; }
"""
    x = t.integers((777,), "i64", 0, 10**9)
    everywhere(t, "k", text, x=x, out=dict(q="i32", r="i8"),
               check=lambda q, r: (t.same(q, x.value // 10), t.same(r, x.value % 10)))


@sweep(dtype=["f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u8", "bool"])
def every_dtype(t, dtype):
    """What a function is given and gives has the dtype's bits, the narrow ones too."""
    needs_nvrtc()
    types = dict(f64="double", f32="float", f16="__half", bf16="__nv_bfloat16", f8e4m3="__nv_fp8_e4m3", f8e5m2="__nv_fp8_e5m2",
                 i64="long long", i32="int", i16="short", i8="signed char", u8="unsigned char", bool="bool")
    header(t, "first.cuh", "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n"
                           f"__device__ {types[dtype]} first({types[dtype]} x, {types[dtype]} y, bool b) {{ return b ? x : y; }}\n")
    text = f"""
extern "cuda" fn first(x: {dtype}, y: {dtype}, b: bool) -> {dtype} from "first.cuh";
kernel k(x: {dtype}[N], y: {dtype}[N], z: out {dtype}[N])
over (n in N by BN) {{ z[n] = first(x[n], y[n], n % 3 == 0); }}
"""
    N = 300
    if dtype == "bool":
        x, y = t.flags((N,)), t.flags((N,))
    elif dtype.startswith(("f", "b")):
        x, y = t.normal((N,), dtype), t.normal((N,), dtype)
    else:
        x, y = (t.integers((N,), dtype, 0 if dtype == "u8" else -128, 256 if dtype == "u8" else 128) for _ in "xy")
    (z,) = t.run("k", source=t.file(text), x=x, y=y, out=dict(z=dtype))
    t.same(z, np.where(np.arange(N) % 3 == 0, x.value, y.value))


@test
def elements_that_do_not_exist_are_not_handed_over(t):
    """A function that would never return, and one that would read far outside of its table, for the zeros that stand there."""
    needs_nvrtc()
    header(t, "count.cuh", "__device__ const int table[3] = {5, 7, 11};\n"
                           "__device__ int count(int x) { int n = 0; while (x != 1) { x -= 1; ++n; } return table[n % 3]; }\n"
                           "__device__ int pick(int x) { return table[(x - 1) * 1000000000LL]; }\n")
    text = """
extern "cuda" fn count(x: i32) -> i32 from "count.cuh";
extern "cuda" fn pick(x: i32) -> i32 from "count.cuh";
kernel k(x: i32[N], y: out i32[N], z: out i32[N])
over (n in N by BN) { y[n] = count(x[n]); z[n] = pick(x[n] / x[n]); }
"""
    x = array([1, 2, 3, 4, 5], "i32")
    y, z = t.run("k", dict(BN=64), source=t.file(text), x=x, out=dict(y="i32", z="i32"))
    t.same(y, np.array([5, 7, 11, 5, 7]))
    t.same(z, np.full(5, 5))


@test
def a_combination(t):
    """Greatest common divisors, along rows; and with a scan, which keeps what came before."""
    needs_nvrtc()
    header(t, "gcd.cuh", "__device__ int gcd(int a, int b) { while (b != 0) { int r = a % b; a = b; b = r; } return a; }\n")
    text = """
extern "cuda" fn gcd(a: i32, b: i32) -> i32 from "gcd.cuh";
kernel k(x: i32[M, 50], y: out i32[M], z: out i32[M, 50])
over (m in M by BM) {
  let n = span(50);
  y[m] = reduce(gcd, x[m, n], over n);
  z[m, n] = scan(gcd, x[m, n], over n);
}
"""
    x = array(t.integers((37, 50), "i32", 1, 40).raw * 12, "i32")
    y, z = t.run("k", source=t.file(text), x=x, out=dict(y="i32", z="i32"))
    t.same(y, np.gcd.reduce(x.value, axis=1))
    t.same(z, np.gcd.accumulate(x.value, axis=1))


@sweep(which=["intrinsics", "early", "local", "kept", "loop"])
def bodies_of_all_kinds(t, which):
    """Of those that can stand in place of their calls and of those that cannot: with memory of their own, or calls that C++ keeps."""
    needs_nvrtc()
    bodies = dict(
        intrinsics="__device__ int f(int x) { return __popc(x) * 1000 + (__brev(x) >> 28) + __clz(x); }",
        early="__device__ int f(int x) { if (x < 100) return -x; if (x & 1) { while (x % 7) --x; return x; } return x / 2; }",
        local="__device__ int f(int x) {\n  int digits[10];\n  for (int i = 0; i < 10; ++i) { digits[i] = x % 10; x /= 10; }\n"
              "  return digits[digits[0]] * 10 + digits[digits[1]];\n}",
        kept="__device__ __noinline__ int g(int x) { return x * 3 + 1; }\n__device__ int f(int x) { return g(x) ^ g(x + 1); }",
        loop="__device__ unsigned f(unsigned n) { unsigned s = 0; for (; n != 1; ++s) n = n & 1 ? 3 * n + 1 : n >> 1; return s; }",
    )

    def expected(x):
        digits = [x // 10**i % 10 for i in range(10)]
        if which == "intrinsics":
            return bin(x).count("1") * 1000 + (int(f"{x:032b}"[::-1], 2) >> 28) + 32 - x.bit_length()
        if which == "early":
            return -x if x < 100 else x - x % 7 if x & 1 else x // 2
        if which == "local":
            return digits[digits[0]] * 10 + digits[digits[1]]
        if which == "kept":
            return (x * 3 + 1) ^ (x * 3 + 4)
        steps = 0
        while x != 1:
            x, steps = 3 * x + 1 if x & 1 else x >> 1, steps + 1
        return steps

    header(t, "f.cuh", bodies[which] + "\n")
    text = """
extern "cuda" fn f(x: i32) -> i32 from "f.cuh";
kernel k(x: i32[N], y: out i32[N], z: out i32[N])
over (n in N by BN) {
  y[n] = f(x[n]);
  z[n] = f(x[n] + 1) - f(x[n]);
}
"""
    x = t.integers((513,), "i32", 1, 100000)
    y = np.array([expected(int(each)) for each in x.value])
    z = np.array([expected(int(each) + 1) for each in x.value]) - y
    everywhere(t, "k", text, x=x, out=dict(y="i32", z="i32"), check=lambda got, change: (t.same(got, y), t.same(change, z)))


@test
def a_file_that_changed_is_compiled_again(t):
    """Also what it includes: with a cache, by a process that has not seen the first."""
    needs_nvrtc()
    header(t, "f.cuh", '#include "by.cuh"\n__device__ int f(int x) { return x * BY; }\n')
    source = t.file('extern "cuda" fn f(x: i32) -> i32 from "f.cuh";\nkernel k(x: i32[N], y: out i32[N])\n'
                    "over (n in N by BN) { y[n] = f(x[n]); }\n")
    cache = os.path.join(t.folder, "cache")
    for by in (3, 3, 5):
        header(t, "by.cuh", f"#define BY {by}\n")
        command = [os.environ["TILEWRIGHT_CLI"], "run", source, "--target", target(), "--in", "x=[1, 2]", "--out", "y=-"]
        result = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, TILEWRIGHT_CACHE_DIR=cache))
        if f"y = [{by}, {2 * by}]" not in result.stdout:
            raise Mismatch(f"by {by}: {result.stdout}{result.stderr}")


@test
def a_range_of_the_grid(t):
    needs_nvrtc()
    header(t, "half.cuh", "__device__ long long half(long long n) { return (n + 1) / 2; }\n")
    text = """
extern "cuda" fn half(n: i64) -> i64 from "half.cuh";
kernel k(x: i32[N], y: inout i32[N])
over (n in 0..min(half(N), N) by BN) { y[n, else drop] = x[n, else 0]; }
"""
    x = t.integers((1001,), "i32", 0, 100)
    y = array(np.full(1001, -1), "i32")
    (y,) = t.run("k", source=t.file(text), x=x, y=y, out=dict(y="i32"))
    t.same(y, np.where(np.arange(1001) < 501, x.value, -1))


# What declaration and definition must agree on: (declaration, definition, what NVRTC says).
WRONG = dict(
    argument=("(x: i32) -> i32", "int f(float x)", 'no suitable conversion function from "tilewright::i32" to "float" exists'),
    narrower=("(x: f64) -> f64", "double f(float x)", 'no suitable conversion function from "tilewright::f64" to "float" exists'),
    result=("(x: i32) -> i32", "float f(int x)", "f is declared to give i32, which is one of: int, unsigned int"),
    wider=("(x: i32) -> i32", "long long f(int x)", "f is declared to give i32, which is one of: int, unsigned int"),
    number=("(x: i32) -> i32", "int f(int x, int y)", "too few arguments in function call"),
    name=("(x: i32) -> i32", "int g(int x)", 'the global scope has no "f"'),
    results=("(x: i32) -> (i32, i32)", "int f(int x)", 'type "int" has no components to bind to'),
    void=("(x: i32) -> i32", "void f(int x)", "auto result = ::f(tilewright::i32{x0});"),
)


@sweep(what=list(WRONG))
def declaration_and_definition_agree(t, what):
    needs_nvrtc()
    declaration, definition, said = WRONG[what]
    header(t, "f.cuh", f"__device__ {definition} {{ return {'' if 'void' in definition else '{}'}; }}\n")
    pair = declaration.endswith(")")
    text = f"""// line 1
extern "cuda" fn f{declaration} from "f.cuh";
kernel k(x: {declaration[4:7]}[N], y: out {declaration[4:7]}[N])
over (n in N by BN) {{ {'let (a, b) = f(x[n]); y[n] = a + b;' if pair else 'y[n] = f(x[n]);'} }}
"""
    source = t.file(text)
    x = array([1, 2, 3], declaration[4:7])
    out = dict(y=declaration[4:7])
    result = t.fails("k", source=source, x=x, out=out, expect=f"{os.path.basename(source)}(2): error: ")
    if said not in result.stderr:
        raise Mismatch(f"the message lacks {said!r}:\n{result.stderr}")


@test
def a_fault_in_the_file_is_shown_there(t):
    needs_nvrtc()
    header(t, "f.cuh", "\n__device__ int f(int x) { return y; }\n")
    text = 'extern "cuda" fn f(x: i32) -> i32 from "f.cuh";\nkernel k(x: i32[N], y: out i32[N])\nover (n in N by BN) { y[n] = f(x[n]); }\n'
    t.fails("k", source=t.file(text), x=array([1], "i32"), out=dict(y="i32"), expect='f.cuh(2): error: identifier "y" is undefined')


REFUSED = """
extern "cuda" fn hash(x: i32) -> i32 from "hash.cuh";
extern "cuda" fn both(x: i32, y: i32) -> i32 from "both.cuh";
kernel called(x: i32[N], y: out i32[N])
over (n in N by BN) { y[n] = hash(x[n]); }
kernel folded(x: i32[N], y: out i32[1])
over () { for n in N by BN { y[0] += reduce(both, x[n], over n); } }
kernel without(x: i32[N], y: out i32[N])
over (n in N by BN) { y[n] = x[n]; }
"""


@test
def a_processor_has_none_and_a_gpu_needs_the_file(t):
    source, x = t.file(REFUSED), array([1, 2, 3], "i32")
    for kernel, name in (("called", "hash"), ("folded", "both")):
        expected = (f"error: `{name}` is a CUDA function, and the target `cpu` has none" if target() == "cpu" else
                    f"error: cannot find the file `{name}.cuh`, which has the CUDA function `{name}`")
        t.fails(kernel, source=source, x=x, out=dict(y="i32"), expect=expected)
    (y,) = t.run("without", source=source, x=x, out=dict(y="i32"))
    t.same(y, x.value)


if __name__ == "__main__":
    main()
