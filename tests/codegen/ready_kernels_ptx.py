"""The ready kernels as PTX: ptxas takes it without a warning and keeps every value in registers. Usage: ready_kernels_ptx.py TILEWRIGHT

Every kernel for two dtypes and two architectures, three kernels for the other dtype and architectures. -v prints a line for each. ptxas
is looked for as in assemble_ptx.py; without one the test ends with status 77: skipped.
"""

import concurrent.futures
import glob
import os
import re
import subprocess
import sys

from assemble_ptx import find_ptxas, resources

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../runtime/kernels")
EVERY_KERNEL = [(dtype, architecture) for architecture in ("sm_80", "sm_90a") for dtype in ("f32", "bf16")]
THREE_KERNELS = [("f16", "sm_80")] + [("bf16", architecture) for architecture in ("sm_86", "sm_89", "sm_100a", "sm_120a")]
THE_THREE = ["linear", "attention", "layer_norm"]
# Statics without a default, and a function where the default does nothing.
STATICS = {
    "linear": "act=gelu", "linear_dz": "act=gelu", "linear_dx": "act=gelu", "linear_dw": "act=gelu,G=f32",
    "projection": "act=gelu", "qkv": "D=64", "attention": "D=64,causal=true",
    "layer_norm": "D=1024", "layer_norm_backward": "D=1024", "rms_norm": "D=1024", "rms_norm_backward": "D=1024",
}
# kernel: (bytes that one instance may store and load because registers are too few, why). A kernel that spills nothing is not listed.
SPILLS = {
    "linear_dx": (200, "all 255 registers are in use; which values are spilled is not known yet"),
    "qkv": (80, "all 255 registers are in use; which values are spilled is not known yet"),
}


def kernels():
    """(file, kernel, its optional views) of every ready kernel."""
    for path in sorted(glob.glob(os.path.join(KERNELS, "*.tile"))):
        with open(path) as file:
            for declaration in re.split(r"^kernel ", file.read(), flags=re.M)[1:]:
                parameters = declaration.split("\nover")[0]
                yield path, re.match(r"\w+", declaration).group(), re.findall(r"(\w+): (?:out |inout )?\w+\[[^\]]*\]\?", parameters)


def cases():
    for path, kernel, optional in kernels():
        for dtype, architecture in EVERY_KERNEL + (THREE_KERNELS if kernel in THE_THREE else []):
            yield path, kernel, optional, dtype, architecture


def check(tilewright, ptxas, case):
    """(what is wrong, in lines; how many registers a thread has; how many bytes are spilled)"""
    path, kernel, optional, dtype, architecture = case
    command = [tilewright, "compile", path, "--kernel", kernel, "--target", architecture, "--align", "16", "--emit", "ptx"]
    command += ["--bind", ",".join(filter(None, [f"T={dtype}", STATICS.get(kernel)]))]
    if optional:
        command += ["--present", ",".join(optional)]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode or not compiled.stdout:
        return [f"status {compiled.returncode}: {compiled.stderr}"], 0, 0
    allowed, _ = SPILLS.get(kernel, (0, ""))
    return resources(ptxas, architecture, compiled.stdout, allowed)


def main(tilewright, *options):
    ptxas = find_ptxas()
    if not ptxas:
        print("skipped: there is no ptxas here")
        return 77
    every = list(cases())
    assert every, "nothing to compile"
    with concurrent.futures.ThreadPoolExecutor() as executor:
        results = list(executor.map(lambda case: check(tilewright, ptxas, case), every))
    count, spilling = 0, set()
    for (_, kernel, _, dtype, architecture), (faults, registers, spilled) in zip(every, results):
        count += len(faults)
        for fault in faults:
            print(f"{kernel} {dtype} {architecture}: {fault}")
        if spilled:
            spilling.add(kernel)
        if "-v" in options:
            print(f"{kernel} {dtype} {architecture}: {registers} registers, {spilled} bytes spilled")
    for kernel in sorted(SPILLS.keys() - spilling):
        count += 1
        print(f"{kernel} spills nothing: remove it from SPILLS")
    print(f"{len(every)} kernels, dtypes and architectures, {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
