"""The dependency rule, checked on every #include:

    autotune ──► runtime ──► compiler's one C header
    compiler ──► dialects ──► MLIR/LLVM

A folder may include itself, the standard library and the system, and what its line below allows. The first line whose folder a file
lies in decides. Tools and tests may use everything. Usage: layering_test.py ROOT
"""

import re
import sys

import sources

LLVM = r"(mlir|llvm|lld|clang)/"
COMPILER_C = r"tilewright/compiler_c\.h$"
RUNTIME_C = r"tilewright/(runtime_c\.h|tilewright\.h)$"
JSON = r"nlohmann/"
LOG = r"spdlog/"

# (files, what they may include)
RULES = [
    # Layouts are mathematics: no MLIRContext, and tests that build in seconds.
    (r"dialects/Layout/", [r"dialects/Layout/"]),
    (r"dialects/", [r"dialects/", LLVM]),
    # The front end is the C++ standard library alone: checking a file must not load LLVM's dialects, and the fuzzer's build needs
    # none. EmitTile is the step out of it.
    (r"compiler/frontend/EmitTile", [r"compiler/frontend/", r"dialects/", LLVM]),
    (r"compiler/frontend/LaunchProgram", [r"compiler/frontend/", JSON]),
    (r"compiler/frontend/", [r"compiler/frontend/"]),
    (r"compiler/include/", [COMPILER_C]),
    (r"compiler/tools/", [r""]),
    (r"compiler/", [r"compiler/(?!tools/)", r"dialects/", LLVM, COMPILER_C, JSON, LOG]),
    (r"runtime/include/", [RUNTIME_C]),
    (r"runtime/", [r"runtime/", RUNTIME_C, COMPILER_C, JSON, LOG, r"oneapi/tbb/", r"sqlite3\.h$"]),
    (r"autotune/", [r"autotune/", r"runtime/", RUNTIME_C, JSON, LOG, r"sqlite3\.h$"]),
]
# The standard library and the system: one word, or a folder of the system.
SYSTEM = r"([a-z0-9_]+(\.h)?|(sys|linux|asm)/[a-z0-9_]+\.h)$"


def faults(root):
    for path in sources.files(root):
        if not re.search(r"\.(h|c|cpp|cc|def|inc|td|h\.in)$", path):
            continue
        rule = next((rule for rule in RULES if re.match(rule[0], path)), None)
        if not rule:
            continue
        for line, included in sources.includes(root, path):
            if not any(re.match(allowed, included) for allowed in [*rule[1], SYSTEM]):
                yield f"{path}:{line}: {rule[0]} may not include {included}"


if __name__ == "__main__":
    found = list(faults(sys.argv[1]))
    print("\n".join(found) or "every include obeys the dependency rule")
    sys.exit(1 if found else 0)
