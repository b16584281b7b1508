"""Runs a kernel with the block sizes that the compiler chooses, and in one of the other ways that there are. Which one follows from
the case's name, so that over the cases of a file each way occurs often; the environment variable TILEWRIGHT_WAYS=all takes them all."""

import os
import re
import zlib

from harness import Mismatch, target


def _tunables(text, kernel):
    """The names after `by` in a kernel's declaration."""
    declaration = text[re.search(rf"kernel {kernel}\b", text).start() :]
    return sorted(set(re.findall(r"\bby (B[A-Z]*)\b", declaration.split("\nkernel ")[0])))


def _other_ways(text, kernel):
    """(tunables, options) of each way but the usual one."""
    tunables = _tunables(text, kernel)
    small = {name: 1 for name in tunables}
    mixed = {name: (3, 5, 16)[n % 3] for n, name in enumerate(tunables)}
    if target() != "cpu":
        return [(small, ()), (mixed, ("--checked",))]
    return [({}, ("--schedule", "reference")), (small, ("--threads", "1")), (mixed, ("--threads", "2", "--checked"))]


def everywhere(t, kernel, text, bind=None, *, out, check, dims=None, **arguments):
    """`check` is given the outputs of each run."""
    others = _other_ways(text, kernel)
    if os.environ.get("TILEWRIGHT_WAYS") != "all":
        others = [others[zlib.crc32((t.name + kernel).encode()) % len(others)]]
    for tunables, options in [({}, ()), *others]:
        results = t.run(
            kernel, {**(bind or {}), **tunables}, source=t.file(text), out=out, dims=dims, options=options, **arguments
        )
        try:
            check(*results)
        except Mismatch as mismatch:
            raise Mismatch(f"with {tunables} {' '.join(options)}: {mismatch}") from None
