"""The ready kernels' speed on a target, through the command line, beside the library that Python has: on a GPU PyTorch (cuBLAS, its
attention, a copy in the GPU's memory), on the CPU NumPy (its BLAS, a copy on one thread).

    TILEWRIGHT_CLI=bin/tilewright kernels_table.py [--json FILE] [--quick]

TILEWRIGHT_TEST_TARGET names the target (cpu). Ours and the yardstick take turns, and the best of the rounds' medians counts: clocks
move with the load, so compare within one run and quote ratios. Prints a table; --json appends a line for each case.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../semantics"))
from harness import READY_KERNELS, cli, target  # noqa: E402

ROUNDS = 3
SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


class NumPy:
    """Yardsticks on the CPU, in seconds."""

    name = "NumPy"

    def __init__(self):
        import numpy

        self.numpy = numpy
        self.random = numpy.random.default_rng(1)

    def median(self, work, repeats):
        times = []
        for _ in range(repeats):
            begin = time.perf_counter()
            work()
            times.append(time.perf_counter() - begin)
        return statistics.median(times)

    def product(self, m, n, k, repeats):
        x, w = self.random.random((m, k), "f"), self.random.random((n, k), "f")
        return self.median(lambda: x @ w.T, repeats), "matmul"

    def copy(self, m, n, repeats):
        x = self.random.random((m, n), "f")
        y = self.numpy.zeros_like(x)
        return self.median(lambda: self.numpy.copyto(y, x), repeats), "copy"

    def attention(self, b, h, s, d, causal, repeats):
        return None


class PyTorch:
    """Yardsticks on an NVIDIA GPU, in seconds by its own clock."""

    name = "PyTorch"

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("PyTorch finds no GPU")
        self.torch = torch

    def random(self, *shape):
        return self.torch.rand(*shape, device="cuda", dtype=self.torch.bfloat16) - 0.5

    def median(self, work, repeats):
        for _ in range(3):
            work()
        events = [[self.torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeats)]
        for begin, end in events:
            begin.record()
            work()
            end.record()
        self.torch.cuda.synchronize()
        return statistics.median(begin.elapsed_time(end) for begin, end in events) * 1e-3

    def product(self, m, n, k, repeats):
        x, w = self.random(m, k), self.random(n, k)
        return self.median(lambda: self.torch.nn.functional.linear(x, w), repeats), "linear, product alone"

    def copy(self, m, n, repeats):
        x = self.random(m, n)
        y = self.torch.empty_like(x)
        return self.median(lambda: y.copy_(x), repeats), "copy"

    def attention(self, b, h, s, d, causal, repeats):
        q, k, v = (self.random(b, h, s, d) for _ in range(3))
        attend = self.torch.nn.functional.scaled_dot_product_attention
        return self.median(lambda: attend(q, k, v, is_causal=causal), repeats), "scaled_dot_product_attention"


def yardsticks():
    try:
        return NumPy() if target() == "cpu" else PyTorch()
    except ImportError as error:
        print(f"no yardstick: {error}", flush=True)
        return None


class Case:
    def __init__(self, name, file, kernel, arguments, unit, yardstick):
        self.name, self.file, self.kernel, self.arguments = name, file, kernel, arguments
        self.unit, self.yardstick = unit, yardstick


def linear(dtype, m, n, k):
    return Case(f"linear, GELU {m}x{n}x{k} {dtype}", "linear.tile", "linear",
                ["--bind", "act=gelu", "--random", f"x={dtype}[{m},{k}]:1", "--random", f"w={dtype}[{n},{k}]:2",
                 "--random", f"b={dtype}[{n}]:3"], "GFLOP/s", lambda y, repeats: y.product(m, n, k, repeats))


def rows(dtype, file, kernel, m, n, arguments=()):
    return Case(f"{kernel} {m}x{n} {dtype}", file, kernel, ["--random", f"x={dtype}[{m},{n}]:1", *arguments], "GB/s",
                lambda y, repeats: y.copy(m, n, repeats))


def attention(dtype, b, h, s, d, causal):
    views = [option for name in "qkv" for option in ("--random", f"{name}={dtype}[{b},{h},{s},{d}]:1")]
    return Case(f"attention{', causal' if causal else ''} {b}x{h}x{s}x{d} {dtype}", "attention.tile", "attention",
                [*views, "--in", f"scale={d ** -0.5}", "--bind", f"causal={str(causal).lower()}"], "GFLOP/s",
                lambda y, repeats: y.attention(b, h, s, d, causal, repeats))


def cases():
    if target() == "cpu":
        t = "f32"
        return [linear(t, 1024, 1024, 1024), rows(t, "softmax.tile", "softmax", 4096, 4096),
                rows(t, "norm.tile", "rms_norm", 4096, 4096, ["--random", f"g={t}[4096]:2"]), attention(t, 1, 8, 512, 64, True)]
    t = "bf16"
    return [linear(t, 4096, 4096, 4096), linear(t, 8192, 8192, 8192), linear(t, 16384, 3072, 768), linear(t, 16, 14336, 4096),
            rows(t, "softmax.tile", "softmax", 16384, 4096),
            rows(t, "norm.tile", "rms_norm", 16384, 4096, ["--random", f"g={t}[4096]:2"]),
            attention(t, 4, 16, 4096, 128, False), attention(t, 4, 16, 4096, 128, True)]


def run(case, repeats):
    """Seconds and rate of the kernel, by what `tilewright run` prints."""
    command = [cli(), "run", os.path.join(READY_KERNELS, case.file), "--kernel", case.kernel, *case.arguments, "--target", target(),
               "--repeat", str(repeats)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    seconds = re.search(r"^time +([0-9.]+) (\S+)", result.stdout, re.M)
    rate = re.search(rf"^rate .*?([0-9.]+) {case.unit}", result.stdout, re.M)
    if result.returncode != 0 or not seconds or not rate:
        raise RuntimeError(f"exit code {result.returncode}: {' '.join(command)}\n{result.stdout}{result.stderr}")
    return float(seconds[1]) * SECONDS[seconds[2]], float(rate[1])


def measure(case, library, repeats):
    ours, rate, other, against = None, None, None, "-"
    for _ in range(ROUNDS):
        seconds, speed = run(case, repeats)
        if ours is None or seconds < ours:
            ours, rate = seconds, speed
        measured = case.yardstick(library, repeats) if library else None
        if measured:
            other = min(other or measured[0], measured[0])
            against = f"{library.name} {measured[1]}"
    return dict(case=case.name, seconds=ours, rate=rate, unit=case.unit, yardstick=other, ratio=other / ours if other else None,
                against=against)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="the first case and few launches")
    options = parser.parse_args()
    library = yardsticks()
    failed = False
    print(f"{'case':40} {'ours':>11} {'':>18} {'yardstick':>11} {'ratio':>6}  against")
    for case in cases()[: 1 if options.quick else None]:
        try:
            result = measure(case, library, 5 if options.quick else 25)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"FAILED {case.name}\n  {error}".replace("\n", "\n  "), flush=True)
            failed = True
            continue
        other, ratio = (f"{result['yardstick'] * 1e6:8.1f} us", f"{result['ratio']:.2f}") if result["ratio"] else ("-", "-")
        print(f"{case.name:40} {result['seconds'] * 1e6:8.1f} us {result['rate']:10.1f} {case.unit:7} {other:>11} {ratio:>6}  "
              f"{result['against']}", flush=True)
        if options.json:
            with open(options.json, "a") as file:
                file.write(json.dumps(result) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
