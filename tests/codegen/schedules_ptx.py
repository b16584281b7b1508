"""The ready kernels whose product warps with roles form, and products of other elements, with every kind of tile, as ptxas takes them for sm_90a: without a word (C7504 to
C7519 say that it serializes wgmma or ignores a register budget, C7602 that a tile has too many registers), without a spill, and with no
more registers than a block of three warpgroups begins with. Usage: schedules_ptx.py TILEWRIGHT

-v prints a line for each. ptxas is looked for as in assemble_ptx.py; without one the test ends with status 77: skipped.
"""

import concurrent.futures
import os
import subprocess
import sys

from assemble_ptx import find_ptxas, resources

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "../../runtime/kernels")
ARCHITECTURE = "sm_90a"
REGISTERS = 168  # of each thread at the beginning; setmaxnreg moves them from one role to the other
# Rows and columns: two groups of one warpgroup in turns, then one group of two.
TURNS = [(rows, columns) for rows in (64, 128) for columns in (128, 176, 192, 208)]
COOPERATIVE = [(128, 256), (256, 128)]
# Two groups of two warpgroups in turns.
IN_PAIRS, REGISTERS_OF_640 = [(128, 64), (128, 128), (256, 64)], 96
# kernel: (file, names of the tile's rows, columns and steps, lists of optional views that are given)
TAKEN = {
    "linear": ("linear.tile", ("BM", "BN", "BK"), ["", "b", "b,r", "b,r,z"]),
    "projection": ("projection.tile", ("BS", "BN", "BC"), ["", "b"]),
}
# With an operand that is computed on the way, of 128 accumulators at most: tiles, and activations whose derivative is formed.
COMPUTED = [(64, 64), (64, 128), (64, 256), (128, 128), (128, 192), (128, 256), (256, 128)]
ACTIVATIONS = ["identity", "squared_relu", "silu", "gelu", "gelu_erf"]
# Of Inputs/products.tile: the steps of a tile, and whether sums are promoted, which two warpgroups share (there is no room for 256 columns).
PRODUCTS = {"f8": (128, True), "fast_f8": (128, False), "integers": (128, False), "tf32": (32, False)}
# Bytes that may be stored and loaded because registers are too few, by the views that are given and the tile. What spills nothing is
# not listed.
SPILLS = {
    # Where a part of the row begins within a tile, its pieces have addresses of their own.
    ("projection", ""): {(128, 208): 200},
    ("projection", "b"): {(128, 208): 1500},
}

# What a tile needs at its end, for which accumulators of 128 channels or more and two packed operands leave no registers: stored and loaded once
# a tile, outside of the loop of whole steps.
SPILLS_OF_ATTENTION = 140


def ready(file):
    return os.path.join(KERNELS, file)


def cases():
    tunables_of_products = ("BM", "BN", "BK")
    for kernel, (file, tunables, given_lists) in TAKEN.items():
        for given in given_lists:
            for rows, columns in TURNS + COOPERATIVE:
                yield kernel, ready(file), tunables, given, rows, columns, 64, "bf16", "gelu"
        for rows, columns in IN_PAIRS:
            yield kernel, ready(file), tunables, given_lists[1], rows, columns, 64, "bf16", "gelu", "groups=2,warps=8"
    yield "linear", ready("linear.tile"), ("BM", "BN", "BK"), "b", 128, 192, 64, "f16", "gelu"
    for activation in ("silu", "gelu_erf"):
        yield "linear", ready("linear.tile"), ("BM", "BN", "BK"), "b,r,z", 128, 208, 64, "bf16", activation
    for rows, columns in COMPUTED:
        for activation in ACTIVATIONS:
            yield "linear_dx", ready("linear.tile"), ("BM", "BK", "BN"), "", rows, columns, 64, "bf16", activation
    yield "linear_dx", ready("linear.tile"), ("BM", "BK", "BN"), "", 128, 256, 64, "f16", "gelu"
    for rows, columns in COMPUTED:
        yield "linear_dw", ready("linear.tile"), ("BN", "BK", "BM"), "", rows, columns, 64, "bf16", "gelu"
    for kernel, (depth, is_promoted) in PRODUCTS.items():
        for rows, columns in [(128, 128), (128, 192)] + ([(256, 96)] if is_promoted else COOPERATIVE):
            yield kernel, os.path.join(HERE, "Inputs/products.tile"), ("BM", "BN", "BK"), "b", rows, columns, depth, "", ""
    for rows, columns, blocks in SPLIT:
        for given in ("", "b,r,z"):
            yield "linear", ready("linear.tile"), ("BM", "BN", "BK"), given, rows, columns, 64, "bf16", "gelu", f"split={blocks}"
        for activation in ("identity", "gelu"):
            yield "linear_dw", ready("linear.tile"), ("BN", "BK", "BM"), "", rows, columns, 64, "bf16", activation, f"split={blocks}"
    for statics, rows, columns in ATTENTION:
        for given in ("", "len,lse"):
            yield "attention", ready("attention.tile"), ("BM", "BN", "BG"), given, rows, columns, 1, f"bf16,{statics}", ""


# Tiles that are split over so many blocks.
SPLIT = [(128, 128, 2), (128, 128, 8), (128, 256, 2), (128, 256, 4), (128, 256, 8), (128, 192, 4)]

# Statics, rows and keys. Of 64 rows a block has two warpgroups, which begin with all the registers that there are.
ATTENTION = [(f"D={channels},causal={causal}", rows, keys) for channels, rows, keys in [(64, 128, 128), (64, 64, 64), (128, 128, 128), (128, 128, 96), (128, 64, 64), (256, 128, 64)] for causal in ("false", "true")]


def registers_of(kernel, rows):
    return 255 if kernel == "attention" and rows == 64 else REGISTERS


def check(tilewright, ptxas, case):
    """(what is wrong, in lines; what ptxas says of registers and spills)"""
    kernel, file, tunables, given, rows, columns, depth, dtype, activation, *schedule = case
    tile = ",".join(f"{name}={size}" for name, size in zip(tunables, (rows, columns, depth)))
    command = [tilewright, "compile", file, "--kernel", kernel, "--target", ARCHITECTURE, "--align", "16"]
    types = f"T={dtype},G=f32" if kernel == "linear_dw" else f"T={dtype}"
    command += ["--emit", "ptx", "--bind", ",".join(part for part in (types if dtype else "", f"act={activation}" if activation else "", tile) if part)]
    if given:
        command += ["--present", given]
    if schedule:
        command += ["--schedule", *schedule]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode or not compiled.stdout:
        return [f"status {compiled.returncode}: {compiled.stderr}"], ""
    parts = ("wgmma.mma_async", "cp.async.bulk.tensor") + (("setmaxnreg",) if registers_of(kernel, rows) == REGISTERS else ())
    faults = [f"has no {part}" for part in parts if part not in compiled.stdout]
    allowed = SPILLS.get((kernel, given), {}).get((rows, columns), 0)
    if kernel == "attention" and rows == 128 and "D=64" not in dtype:
        allowed = SPILLS_OF_ATTENTION
    found, registers, spilled = resources(ptxas, ARCHITECTURE, compiled.stdout, allowed)
    faults += found
    if allowed and not spilled and kernel != "attention":
        faults.append("spills nothing: remove it from SPILLS")
    there = REGISTERS_OF_640 if schedule == ["groups=2,warps=8"] else registers_of(kernel, rows)
    if registers > there:
        faults.append(f"begins with {registers} registers, {there} are there")
    return faults, f"{registers} registers, {spilled} bytes spilled"


def main(tilewright, *options):
    ptxas = find_ptxas()
    if not ptxas:
        print("skipped: there is no ptxas here")
        return 77
    every = list(cases())
    with concurrent.futures.ThreadPoolExecutor() as executor:
        results = list(executor.map(lambda case: check(tilewright, ptxas, case), every))
    count = 0
    for (kernel, _, _, given, rows, columns, _, dtype, activation, *schedule), (faults, summary) in zip(every, results):
        name = " ".join([f"{kernel} {dtype} {activation} {rows} x {columns} with {given or 'nothing'}", *schedule])
        count += len(faults)
        for fault in faults:
            print(f"{name}: {fault}")
        if "-v" in options:
            print(f"{name}: {summary}")
    print(f"{len(every)} kernels and tiles, {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
