"""A thing is named once: a pass `AssignLayouts` is in `AssignLayouts.cpp`, its flag and debug type are `assign-layouts`, its test is
`assign-layouts.mlir`, its entry in Passes.td has a description that shows IR, and docs/architecture.md lists it. Usage: passes_test.py ROOT
"""

import os
import re
import sys

import sources


def kebab(name):
    """AssignLayouts → assign-layouts, EmitPTX → emit-ptx; the dialect TileGPU is one word: ConvertTileGPUToLLVM → convert-tilegpu-to-llvm."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name.replace("TileGPU", "Tilegpu")).lower()


def passes(text):
    """(name, flag, entry) of each pass in a Passes.td."""
    starts = list(re.finditer(r'^def (\w+)\s*:\s*Pass<"([^"]*)"', text, re.M))
    for start, following in zip(starts, [*starts[1:], None]):
        yield start.group(1), start.group(2), text[start.start() : following.start() if following else len(text)]


def faults_of_pass(root, files, name, flag, entry):
    if flag != kebab(name):
        yield f"its flag is {flag}, expected {kebab(name)}"
    homes = [path for path in files if os.path.basename(path) == f"{name}.cpp" and path.startswith("compiler/")]
    if not homes:
        yield f"there is no {name}.cpp in compiler/"
    for home in homes:
        for debug_type in re.findall(r'#define DEBUG_TYPE "([^"]*)"', sources.text(root, home)):
            if debug_type != flag:
                yield f"{home} has debug type {debug_type}, expected {flag}"
    if not any(re.fullmatch(rf"tests/(transforms|codegen)/{re.escape(flag)}\.mlir", path) for path in files):
        yield f"there is no tests/transforms/{flag}.mlir nor tests/codegen/{flag}.mlir"
    if "```mlir" not in entry:
        yield "its description shows no IR"
    if f"| `{flag}` |" not in sources.text(root, "docs/architecture.md"):
        yield "it is not in the table of passes in docs/architecture.md"


def faults(root):
    files = sources.files(root)
    for table in files:
        if os.path.basename(table) != "Passes.td":
            continue
        for name, flag, entry in passes(sources.text(root, table)):
            for fault in faults_of_pass(root, files, name, flag, entry):
                yield f"{table}: {name}: {fault}"


if __name__ == "__main__":
    found = list(faults(sys.argv[1]))
    print("\n".join(found) or "every pass has its file, flag, test and description")
    sys.exit(1 if found else 0)
