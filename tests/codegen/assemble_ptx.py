"""What --emit-ptx prints is taken by ptxas, without a word, for every architecture. Usage: assemble_ptx.py TILE-OPT FILE…

ptxas is $TILEWRIGHT_PTXAS, or that of the PATH or of the CUDA toolkit's usual place. Without one the test ends with status 77: skipped.
A file for some architectures alone names them in a line `// ARCHITECTURES: sm_90a …`.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys


def find_ptxas():
    toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return os.environ.get("TILEWRIGHT_PTXAS") or shutil.which("ptxas") or shutil.which(os.path.join(toolkit, "bin", "ptxas"))


def resources(ptxas, architecture, ptx, allowed):
    """(what is wrong, in lines; the most registers of a thread; bytes that are spilled, of which so many are allowed) with one text."""
    assembled = subprocess.run([ptxas, "-v", f"-arch={architecture}", "-o", os.devnull, "-"], input=ptx, capture_output=True, text=True)
    text = assembled.stdout + assembled.stderr
    registers = [int(number) for number in re.findall(r"Used (\d+) registers", text)]
    if assembled.returncode or not registers:
        return [f"status {assembled.returncode}: {text}"], 0, 0
    faults = [line for line in text.splitlines() if re.search(r"warning|error|\bC\d{4}\b", line)]
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill", text)))
    if spilled > allowed:
        faults.append(f"spills {spilled} bytes (stored and loaded), at most {allowed} are allowed")
    return faults, max(registers), spilled


def architectures(tile_opt):
    """The list in the message for a name that is none."""
    message = subprocess.run([tile_opt, "--emit-ptx=none", os.devnull], capture_output=True, text=True).stderr
    return re.findall(r"sm_\w+", message)


def architectures_of(path, all_architectures):
    with open(path) as file:
        line = re.search(r"^// ARCHITECTURES: (.*)$", file.read(), re.M)
    return line.group(1).split() if line else all_architectures


def fault(tile_opt, ptxas, architecture, path):
    """What went wrong with one file for one architecture; empty: nothing."""
    emitted = subprocess.run([tile_opt, f"--emit-ptx={architecture}", path], capture_output=True, text=True)
    if emitted.returncode:
        return emitted.stderr
    command = [ptxas, f"-arch={architecture}", "-o", os.devnull, "-"]
    assembled = subprocess.run(command, input=emitted.stdout, capture_output=True, text=True)
    return assembled.stdout + assembled.stderr or (f"status {assembled.returncode}" if assembled.returncode else "")


def main(tile_opt, *paths):
    ptxas = find_ptxas()
    if not ptxas:
        print("skipped: there is no ptxas here")
        return 77
    all_architectures = architectures(tile_opt)
    assert all_architectures and paths, "nothing to assemble"
    pairs = [(path, architecture) for path in paths for architecture in architectures_of(path, all_architectures)]
    with concurrent.futures.ThreadPoolExecutor() as executor:
        texts = list(executor.map(lambda pair: fault(tile_opt, ptxas, pair[1], pair[0]), pairs))
    for (path, architecture), text in zip(pairs, texts):
        if text:
            print(f"{path} for {architecture}: {text}")
    print(f"{len(pairs)} files and architectures, {sum(map(bool, texts))} with faults")
    return 1 if any(texts) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
