#!/usr/bin/env python3
"""What `tilewright check` says about wrong programs, word by word, and that it says nothing about right ones.

errors/<topic>-<what>.tile holds a wrong program, a line `//-- expected`, and the exact standard error of checking it, each line
behind `//| `. What is checked is a copy of the part above the marker, under the file's own name and beside copies of the other
files, so that imports find them. warnings/*.tile are written alike, and the exit code is 0. accepted/*.tile are legal: exit code 0 and no output. Programs too large for a file are made
below (`generated`).

    TILEWRIGHT_CLI=build/dev/bin/tilewright tests/frontend/run_errors.py            all
    TILEWRIGHT_CLI=build/dev/bin/tilewright tests/frontend/run_errors.py names-     those whose names begin so
    TILEWRIGHT_CLI=build/dev/bin/tilewright tests/frontend/run_errors.py --update   writes what is printed now
"""
import concurrent.futures
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MARKER = "//-- expected\n"
PREFIX = "//| "


def split(text):
    """The program, and the expected diagnostics (None if there are none yet)."""
    program, marker, rest = text.partition(MARKER)
    if not marker:
        return program, None
    lines = rest.splitlines(keepends=True)
    return program, "".join(line.removeprefix(PREFIX) if line.startswith(PREFIX) else line[3:] for line in lines)


def joined(program, stderr):
    expected = "".join((PREFIX + line).rstrip() + "\n" for line in stderr.splitlines())
    return program + ("" if program.endswith("\n") else "\n") + MARKER + expected


def without_trailing_blanks(text):
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def check(folder, name):
    command = [os.path.abspath(os.environ["TILEWRIGHT_CLI"]), "check", name]
    result = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    return result.returncode, result.stdout.decode() + result.stderr.decode()


def generated():
    """(name, program, a text that the diagnostics must contain)"""
    kernel = "kernel k(y: out f32[N]) over (n in N by BN) {{ y[n] = {}; }}\n"
    yield "limits-size.tile", "// " + "x" * (1 << 20) + "\n", "at most 1048576 bytes, found 1048580"
    yield "limits-tokens.tile", ";" * ((1 << 20) - 2), "tokens"
    yield "limits-brackets.tile", kernel.format("(" * 5000 + "1" + ")" * 5000), "nesting is deeper than 200 levels"
    yield "limits-unary.tile", kernel.format("-" * 5000 + "1"), "nesting is deeper than 200 levels"
    yield "limits-operands.tile", kernel.format(" + ".join(["1.0"] * 5000)), "1000"
    yield "limits-blocks.tile", kernel.replace("y[n] = {};", "{}").format("if true { " * 500 + "}" * 500), "nesting is deeper than 200 levels"
    yield "limits-calls.tile", calls(3000), "nested deeper than"
    yield "limits-fan-out.tile", fan_out(40), "has more than 32768 operations, with those of the functions that it calls"
    product = "fn g(x: f32) -> f32 = x * x * x * exp(x) * sin(x);\n"
    repeated = kernel.format("deriv(" * 30 + "g" + ")" * 30 + "(f32(n))")
    yield "limits-derivatives.tile", product + repeated, "has more than 32768 operations"
    yield "lexical-utf-16.tile", kernel.format("1").encode("utf-16"), "1:1: error: a source is UTF-8, found UTF-16"
    yield "limits-errors.tile", "".join(f"let a{n} = missing{n}q;\n" for n in range(80)), "more errors"


def calls(count):
    lines = ["fn g0(x: f32) -> f32 = x;"] + [f"fn g{n}(x: f32) -> f32 = g{n - 1}(x);" for n in range(1, count)]
    return "\n".join(lines) + f"\nkernel k(y: out f32[N]) over (n in N by BN) {{ y[n] = g{count - 1}(1); }}\n"


def fan_out(count):
    """Each function calls the one before it twice."""
    lines = ["fn g0(x: f32) -> f32 = x;"] + [f"fn g{n}(x: f32) -> f32 = g{n - 1}(x) + g{n - 1}(x + 1);" for n in range(1, count)]
    return "\n".join(lines) + f"\nkernel k(y: out f32[N]) over (n in N by BN) {{ y[n] = g{count - 1}(1); }}\n"


def run_error(path, folder, update):
    program, expected = split(path.read_text())
    code, stderr = check(folder, path.name)
    wanted = 0 if path.parent.name == "warnings" else 1
    if code != wanted or not stderr:
        return f"expected diagnostics and exit code {wanted}, found exit code {code}\n{stderr}"
    stderr = without_trailing_blanks(stderr)
    if update:
        path.write_text(joined(program, stderr))
        return None
    if expected is None:
        return "has no expectations; --update writes them\n" + stderr
    lines = (without_trailing_blanks(expected).splitlines(keepends=True), stderr.splitlines(keepends=True))
    return "".join(difflib.unified_diff(*lines, "expected", "found")) or None


def run_accepted(path):
    code, stderr = check(path.parent, path.name)
    return None if code == 0 and not stderr else f"expected no diagnostics, found exit code {code}\n{stderr}"


def run_generated(folder, name, program, part):
    (folder / name).write_bytes(program if isinstance(program, bytes) else program.encode())
    code, stderr = check(folder, name)
    (folder / name).unlink()
    return None if code == 1 and part in stderr else f"expected exit code 1 and {part!r}, found {code}\n{stderr[:2000]}"


def jobs(folder, only, update):
    """(name, function that gives a complaint or None)"""
    faulty = sorted((HERE / "errors").glob("*.tile")) + sorted((HERE / "warnings").glob("*.tile"))
    for path in faulty:
        (folder / path.name).write_text(split(path.read_text())[0])
    for path in faulty:
        if path.name.startswith(only):
            yield path.name, lambda path=path: run_error(path, folder, update)
    for path in sorted((HERE / "accepted").glob("*.tile")):
        if path.name.startswith(only):
            yield "accepted/" + path.name, lambda path=path: run_accepted(path)
    for name, program, part in generated():
        if name.startswith(only):
            yield name, lambda case=(name, program, part): run_generated(folder, *case)


def main():
    update = "--update" in sys.argv[1:]
    only = tuple(argument for argument in sys.argv[1:] if argument != "--update") or ("",)
    if not os.environ.get("TILEWRIGHT_CLI"):
        sys.exit("run_errors.py: set TILEWRIGHT_CLI to the command-line program, such as build/dev/bin/tilewright")
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        names, functions = zip(*jobs(pathlib.Path(folder), only, update))
        for name, complaint in zip(names, pool.map(lambda function: function(), functions)):
            if complaint:
                failed += 1
                print(f"{name}:\n{complaint}")
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
