"""Every example of docs/language.md does what the page says.

A block marked `tile` is a source file. The next block, marked `console`, holds commands and what they print, word for word:

    $ tilewright run FILE … --out y=-
    y = [2, 4, 6]

FILE is the block above, under the name that the command gives it; a command may go on after a `\\` at the end of a line. A
block whose first line is `// NAME.tile` is a file of that name; it may stand before another block that imports it. A block marked `cuda` is a
file of CUDA C++, named by its first line too. What `run`
tells of times is left out. A block marked `console nvrtc` is run where there is a libnvrtc. A command that prints an error, a failed assertion or, for `fmt`, a name must fail, any other succeed. Blocks marked `ebnf` are
the grammar (see grammar_test.py); there are no others.

Every reserved word, dtype, operator and built-in function occurs in an example. Floats are compared in six digits, since math
functions differ in the last ones where a processor has no fused multiply-add.

    TILEWRIGHT_CLI=build/dev/bin/tilewright tests/presubmit/examples_test.py            all
    TILEWRIGHT_CLI=build/dev/bin/tilewright tests/presubmit/examples_test.py --update   writes what is printed now
"""

import concurrent.futures
import ctypes
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "language.md")
# Kernels are compiled by the compiler under test, and nobody's cache is filled.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"
REPORT = re.compile(r"(kernel  |target  |compile |time    |rate    ) \S")


class Fault(Exception):
    pass


class Block:
    def __init__(self, kind, line):
        self.kind = kind
        self.line = line  # of its first line of text, from 0
        self.lines = []

    def name(self):
        """The file's, if the block has one."""
        named = re.match(r"// (\S+\.(?:tile|cuh))$", self.lines[0])
        return named.group(1) if named else None

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)


def blocks_of(lines):
    blocks, block = [], None
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if block is None:
                block = Block(line[3:], number + 1)
            else:
                blocks.append(block)
                block = None
        elif block is not None:
            block.lines.append(line)
    if block is not None:
        raise Fault(f"line {block.line}: the block has no end")
    return blocks


class Example:
    """The files of consecutive `tile` blocks, and the `console` block that runs them."""

    def __init__(self, files, console):
        self.files = files
        self.console = console

    def commands(self):
        """(the lines that show a command, the lines expected after it)"""
        result, lines, at = [], self.console.lines, 0
        while at < len(lines):
            if not lines[at].startswith("$ "):
                raise Fault(f"line {self.console.line + at + 1}: expected a command, `$ …`, found {lines[at]!r}")
            shown = [lines[at]]
            while shown[-1].endswith("\\"):
                at += 1
                shown.append(lines[at])
            at += 1
            end = at
            while end < len(lines) and not lines[end].startswith("$ "):
                end += 1
            result.append((shown, lines[at:end]))
            at = end
        return result

    def run(self):
        """The console block as it would be printed now, and what is wrong with the example besides."""
        with tempfile.TemporaryDirectory(prefix="tilewright-examples-") as folder:
            faults, printed, used = [], [], set()
            unnamed = None
            for block in self.files:
                name = block.name()
                if name:
                    self.write(folder, name, block)
                else:
                    unnamed = block
            texts = "".join(block.text for block in self.files)
            commands = self.commands()
            if not commands:
                raise Fault(f"line {self.console.line}: no command")
            for shown, _ in commands:
                arguments = shlex.split(" ".join(line.removesuffix("\\") for line in shown)[2:])
                if arguments[0] != "tilewright" or len(arguments) < 2 or arguments[1] not in ("check", "run", "fmt", "compile"):
                    raise Fault(f"line {self.console.line}: expected a tilewright command, found {arguments}")
                for argument in arguments:
                    if argument.endswith(".tile"):
                        used.add(argument)
                        if unnamed and not os.path.exists(os.path.join(folder, argument)):
                            self.write(folder, argument, unnamed)
                            unnamed.written = argument
                output, code = execute(arguments, folder)
                tells = "error:" in output or "failed:" in output or (arguments[1] == "fmt" and output != "")
                if tells != (code != 0):
                    faults.append(f"exit code {code}, yet it printed\n{output}")
                printed += shown + output.splitlines()
            for block in self.files:
                name = block.name() or getattr(block, "written", None)
                if name not in used and f'import "{name}"' not in texts and f'from "{name}"' not in texts:
                    faults.append(f"the block at line {block.line} is neither run nor imported")
            return printed, faults

    @staticmethod
    def write(folder, name, block):
        with open(os.path.join(folder, name), "w") as file:
            file.write(block.text)


def execute(arguments, folder):
    command = [os.path.abspath(os.environ["TILEWRIGHT_CLI"])] + arguments[1:]
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                            env=dict(os.environ, NO_COLOR="1"), text=True)
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    return "".join(line + "\n" for line in lines if not REPORT.match(line)), result.returncode


def examples_of(blocks):
    examples, files = [], []
    for block in blocks:
        if block.kind in ("tile", "cuda"):
            if block.kind == "cuda" and not block.name():
                raise Fault(f"line {block.line}: the first line of a `cuda` block is `// NAME.cuh`")
            files.append(block)
        elif block.kind in ("console", "console nvrtc"):
            if not files:
                raise Fault(f"line {block.line}: no `tile` block stands before this `console` block")
            examples.append(Example(files, block))
            files = []
        elif block.kind == "ebnf":
            pass
        else:
            raise Fault(f"line {block.line}: a block is marked `tile`, `cuda`, `console`, `console nvrtc` or `ebnf`, found {block.kind!r}")
        if block.kind not in ("tile", "cuda") and files:
            raise Fault(f"line {files[0].line}: the example is not run: no `console` block follows it")
    if files:
        raise Fault(f"line {files[0].line}: the example is not run: no `console` block follows it")
    return examples


def has_nvrtc():
    for name in filter(None, (os.environ.get("TILEWRIGHT_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so")):
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            pass
    return False


def rounded(lines):
    return [re.sub(r"-?\d+\.\d+(?:e[+-]?\d+)?", lambda number: f"{float(number.group()):.6g}", line) for line in lines]


def check_coverage(blocks):
    """The language's words, by the tables that the compiler is made with."""
    def table(name, pattern):
        with open(os.path.join(ROOT, "compiler", "frontend", name)) as file:
            return set(re.findall(pattern, file.read(), re.M))

    words = table("Token.def", r'^(?:KEYWORD|DTYPE|PUNCTUATION)\(\w+, "(.*)"\)') | table("Builtins.def", r"^BUILTIN\((\w+),")
    text = "\n".join(re.sub(r"//.*", "", line) for block in blocks if block.kind == "tile" for line in block.lines)
    used = set(re.findall(r"(?:max|min)=(?!=)|\w+|\.\.\.|\.\.|->|[-+*/=!<>]=|<<|>>|[^\w\s]", text))
    if len(words) < 100 or words - used:
        raise Fault(f"no example has {sorted(words - used)}")


def main():
    lines = open(PAGE).read().splitlines()
    blocks = blocks_of(lines)
    check_coverage(blocks)
    examples = examples_of(blocks)
    if len(examples) < 40:
        raise Fault(f"only {len(examples)} examples were found")
    if not has_nvrtc():
        skipped = [example for example in examples if example.console.kind == "console nvrtc"]
        examples = [example for example in examples if example not in skipped]
        print(f"{len(skipped)} examples are not run: there is no libnvrtc, which compiles CUDA functions")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(Example.run, examples))
    failed = 0
    for example, (printed, faults) in reversed(list(zip(examples, results))):
        begin, end = example.console.line, example.console.line + len(example.console.lines)
        if "--update" in sys.argv:
            lines[begin:end] = printed
        elif rounded(printed) != rounded(example.console.lines):
            difference = difflib.unified_diff(example.console.lines, printed, "the page", "printed", lineterm="")
            faults.append("the output differs:\n" + "\n".join(difference))
        for fault in faults:
            failed += 1
            print(f"docs/language.md:{begin}: {fault}\n")
    if "--update" in sys.argv:
        with open(PAGE, "w") as file:
            file.write("\n".join(lines) + "\n")
    if failed:
        raise Fault(f"{failed} faults in {len(examples)} examples; run tests/presubmit/examples_test.py --update and review")
    print(f"{len(examples)} examples of docs/language.md do what it says")


try:
    main()
except Fault as fault:
    sys.exit(f"docs/language.md: {fault}")
