"""Makes the portable archive from a build, unpacks it somewhere else, and uses it as a stranger would: without the variables of this
environment, from another folder. Usage: archive_test.py CPACK BUILD_FOLDER SOURCE_FOLDER
"""

import glob
import os
import re
import subprocess
import sys
import tarfile
import tempfile

import portable

LARGEST = 25 * 1000 * 1000  # bytes of the archive


def check(condition, message):
    if not condition:
        sys.exit(message)


def run(command, folder, **environment):
    clean = dict(PATH="/usr/bin:/bin", HOME=folder, TMPDIR=folder, TILEWRIGHT_CACHE_DIR="off", **environment)
    result = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True)
    check(result.returncode == 0, f"{command} ended with {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main(cpack, build, source):
    with tempfile.TemporaryDirectory(prefix="tilewright-archive-") as folder:
        subprocess.run([cpack, "--config", os.path.join(build, "CPackConfig.cmake"), "-B", folder], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL)
        (archive,) = glob.glob(os.path.join(folder, "*.tar.xz"))
        size = os.path.getsize(archive)
        check(re.fullmatch(r"tilewright-[0-9.]+-linux-\w+\.tar\.xz", os.path.basename(archive)), archive)
        check(size < LARGEST, f"the archive has {size} bytes, expected less than {LARGEST}")

        elsewhere = os.path.join(folder, "elsewhere")
        with tarfile.open(archive) as tar:
            tar.extractall(elsewhere)
        (root,) = glob.glob(os.path.join(elsewhere, "*"))
        count, faults = portable.faults(root, source)
        check(not faults, "\n".join(faults))
        check(count >= 7, f"only {count} programs and libraries are in the archive")

        program = os.path.join(root, "bin/tilewright")
        check("target     cpu" in run([program, "info"], folder), "info names no target")
        sums = run([program, "run", os.path.join(root, "examples/01-vector-add/add.tile"), "--bind", "T=f32", "--in",
                    "a=[1, 2, 3]", "--in", "b=[10, 20, 30]", "--out", "c=-"], folder)
        check("[11, 22, 33]" in sums, sums)
        # The compiler in a process of its own is one more program that must be found.
        run([program, "run", os.path.join(root, "examples/02-linear/linear.tile"), "--kernel", "linear", "--random", "x=f32[8,8]:1",
             "--random", "w=f32[8,8]:2", "--random", "b=f32[8]:3", "--out", "y=-"], folder, TILEWRIGHT_COMPILE="process")
        check("linear-gelu" in run([os.path.join(root, "scripts/gpu-benchmarks"), "--list"], folder), "gpu-benchmarks has no sections")
        report = run([os.path.join(root, "scripts/gpu-check"), "-k", "relu", "--quick"], folder, TILEWRIGHT_TEST_TARGET="cpu")
        passed = re.search(r"gpu-check: ([0-9]+) passed, 0 failed", report)
        check(passed and int(passed[1]) >= 10, report)
        print(f"{size} bytes, {count} programs and libraries\n{report}")


if __name__ == "__main__":
    main(*sys.argv[1:])
