"""scripts/gpu-check counts what passes and fails on a target. The target here is `pretend`: a program that stands for the command line,
compiles for the CPU instead, and refuses or spoils some kernels. Usage: gpu_check_test.py SOURCE_FOLDER (and TILEWRIGHT_CLI)
"""

import os
import shutil
import subprocess
import sys
import tempfile

PRETEND = r"""#!/usr/bin/env python3
import os, sys
arguments = sys.argv[1:]
if arguments[:1] == ["run"]:
    target = arguments.index("--target")
    assert arguments[target + 1] in ("pretend", "cpu"), arguments
    if arguments[target + 1] == "pretend":
        if any(word.startswith("act=gelu") for text in arguments for word in text.split(",")):
            sys.exit("tilewright: error: the target pretend has no tanh")
        arguments[target + 1] = "cpu"
os.execv(os.environ["REAL_CLI"], [os.environ["REAL_CLI"], *arguments])
"""
# Two suites: one of the project's, and one that has a case of each outcome.
SUITE = '''
from harness import main, sweep


@sweep(act=["relu", "gelu", "silu"])
def layer(t, act):
    x, w = t.normal((3, 5), "f32"), t.normal((4, 5), "f32")
    (y,) = t.run("layer", dict(act=act), x=x, w=w, out=dict(y="f32"), source=t.file(TEXT))
    t.close(y, (x.value @ w.value.T).clip(0) if act == "relu" else 0, scale=10)


@sweep(act=["gelu"])
def reference(t, act):
    """Runs: the reference schedule is the CPU's on every target."""
    t.run("layer", dict(act=act), x=t.normal((3, 5), "f32"), w=t.normal((4, 5), "f32"), out=dict(y="f32"), source=t.file(TEXT),
          options=["--schedule", "reference"])


TEXT = """import "activations.tile";
kernel layer<act: fn(f32) -> f32>(x: f32[M, K], w: f32[N, K], y: out f32[M, N]) over (i in M by 2, j in N by 2) {
  var s: f32[i, j] = 0;
  for k in K by 4 { s += dot(x[i, k], w[j, k], over k); }
  y[i, j] = act(s);
}
"""
if __name__ == "__main__":
    main()
'''


class Tree:
    """A copy of what gpu-check needs, with the suite above alone."""

    def __init__(self, source, folder):
        self.folder = folder
        for name in ("scripts", "tests/semantics", "tests/benchmarks", "runtime/kernels", "bin"):
            os.makedirs(os.path.join(folder, name))
        for name in ("scripts/gpu-check", "tests/semantics/harness.py", "tests/benchmarks/kernels_table.py",
                     "runtime/kernels/linear.tile"):
            shutil.copy(os.path.join(source, name), os.path.join(folder, name))
        self.write("tests/semantics/outcomes_test.py", SUITE)
        self.write("tests/semantics/unsupported.txt", "")
        self.write("bin/tilewright", PRETEND, executable=True)

    def write(self, name, text, executable=False):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755 if executable else 0o644)
        return path

    def check(self, *options, **environment):
        settings = dict(os.environ, REAL_CLI=os.environ["TILEWRIGHT_CLI"], TILEWRIGHT_TEST_TARGET="pretend",
                        TILEWRIGHT_PYTHON=sys.executable, TMPDIR=self.folder)
        settings.update(environment)
        del settings["TILEWRIGHT_CLI"]
        result = subprocess.run([os.path.join(self.folder, "scripts/gpu-check"), *options], capture_output=True, text=True,
                                env=settings, cwd="/")
        return result.returncode, result.stdout + result.stderr


def expect(what, result, code, *parts):
    if result[0] != code or not all(part in result[1] for part in parts):
        sys.exit(f"{what}: expected exit code {code} and {parts}, found {result[0]}\n{result[1]}")


def main(source):
    with tempfile.TemporaryDirectory(prefix="tilewright-gpu-check-") as folder:
        tree = Tree(source, os.path.join(folder, "tree"))
        tests = ("--no-benchmarks",)
        # relu and reference pass, silu is wrong, gelu is refused.
        expect("a wrong and an unlisted refused case", tree.check(*tests), 1, "2 passed, 2 failed, 0 refused", "FAILED layer(act=silu)",
               "FAILED layer(act=gelu)", "the target pretend has no tanh")
        expect("a part", tree.check("-k", "relu", *tests), 0, "1 passed, 0 failed, 0 refused")
        expect("a part that no case has", tree.check("-k", "nothing", *tests), 2, 'contains "nothing"')

        tree.write("tests/semantics/unsupported.txt", "pretend outcomes layer(act=g*): has no tanh\nother outcomes *: everything\n")
        expect("a listed case", tree.check("-k", "gelu", *tests), 0, "1 passed, 0 failed, 1 refused")
        tree.write("tests/semantics/unsupported.txt", "pretend outcomes layer(act=g*): has no pow\n")
        expect("refused with other words", tree.check("-k", "gelu", *tests), 1, "1 passed, 1 failed, 0 refused")
        tree.write("tests/semantics/unsupported.txt", "pretend outcomes layer(act=relu): has no tanh\n")
        expect("a listed case that runs", tree.check("-k", "relu", *tests), 1, "0 passed, 1 failed", "remove its line there")
        tree.write("tests/semantics/unsupported.txt", "pretend outcomes\n")
        expect("a damaged list", tree.check("-k", "relu", *tests), 1, "expected `TARGET SUITE PATTERN: MESSAGE`")
        tree.write("tests/semantics/unsupported.txt", "")

        # Programs of GoogleTest, by what they print.
        os.makedirs(os.path.join(tree.folder, "tests/bin"))
        tree.write("tests/semantics/unsupported.txt", "pretend outcomes layer(act=g*): has no tanh\n")
        tree.write("tests/semantics/outcomes_test.py", SUITE.replace(', "silu"', ""))
        tree.write("tests/bin/host_test", "#!/bin/sh\necho '[  PASSED  ] 7 tests.'\n", executable=True)
        expect("a program", tree.check(*tests), 0, "host_test                                 7        0", "9 passed, 0 failed, 1 ref")
        tree.write("tests/bin/host_test", "#!/bin/sh\necho '[  PASSED  ] 5 tests.\n[  FAILED  ] 2 tests, listed below:\n"
                   "[  FAILED  ] Host.launches'\nexit 1\n", executable=True)
        expect("a program that fails", tree.check(*tests), 1, "[  FAILED  ] Host.launches", "7 passed, 2 failed")
        for ending in ("kill -SEGV $$", "exit 0"):
            tree.write("tests/bin/host_test", f"#!/bin/sh\n{ending}\n", executable=True)
            expect(ending, tree.check(*tests), 1, "FAILED host_test: it ended early", "2 passed, 1 failed")
        shutil.rmtree(os.path.join(tree.folder, "tests/bin"))
        tree.write("tests/semantics/unsupported.txt", "")

        # Stands for compute-sanitizer: finds a fault of racecheck's in every run.
        sanitizer = tree.write("sanitizer", '#!/usr/bin/env bash\n[[ $2 != racecheck ]] || exit "$4"\nshift 6\nexec "$@"\n', True)
        expect("compute-sanitizer", tree.check("-k", "relu", "--sanitize", *tests, TILEWRIGHT_SANITIZER=sanitizer), 1,
               "memcheck outcomes relu                    1        0", "racecheck outcomes relu                   0        1",
               "exit code 99", "2 passed, 1 failed")
        expect("no compute-sanitizer", tree.check("--sanitize", TILEWRIGHT_SANITIZER="absent"), 2, "set TILEWRIGHT_SANITIZER")

        expect("a failing benchmark", tree.check("-k", "relu", "--quick"), 1, "FAILED linear, GELU", "1 passed, 1 failed")
        expect("a benchmark", tree.check("-k", "relu", "--quick", TILEWRIGHT_TEST_TARGET="cpu"), 0, "1 passed, 0 failed",
               "benchmark   ", "linear, GELU 1024x1024x1024 f32", "GFLOP/s", "NumPy matmul")
        tree.write("bin/nvidia-smi", "#!/bin/sh\nexit 9\n", executable=True)
        path = os.path.join(tree.folder, "bin") + ":" + os.environ["PATH"]
        expect("no GPU", tree.check(*tests, TILEWRIGHT_TEST_TARGET="cuda", PATH=path), 2, "there is no NVIDIA GPU here")
        expect("unknown option", tree.check("--all"), 2, "unknown option --all")
    print("gpu-check counts what passes, fails and is refused")


if __name__ == "__main__":
    main(sys.argv[1])
