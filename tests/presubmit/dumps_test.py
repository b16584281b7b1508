"""The dumps that docs/architecture.md shows are what the compiler makes today. `--update` writes them anew."""

import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
folder = os.path.join(root, "docs", "generated")
# linear.NAME.mlir: the stage, and what else the compiler is told.
dumps = {
    "tile": ("tile", ["--bind", "T=f32"]),
    "linalg": ("linalg", ["--bind", "T=f32"]),
    "tilegpu": ("tilegpu", ["--bind", "T=bf16", "--target", "sm_100a", "--align", "16"]),
    "tilegpu-sm_90a": ("tilegpu", ["--bind", "T=bf16", "--target", "sm_90a", "--align", "16"]),
}


def dump(name):
    stage, options = dumps[name]
    command = [os.environ["TILEWRIGHT_CLI"], "compile", "linear.tile", *options, "--emit", stage]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr}")
    return result.stdout


stale = []
for name in dumps:
    path = os.path.join(folder, f"linear.{name}.mlir")
    text = dump(name)
    if "--update" in sys.argv:
        with open(path, "w") as file:
            file.write(text)
    elif not os.path.exists(path) or open(path).read() != text:
        stale.append(path)
if stale:
    sys.exit("stale: " + ", ".join(stale) + "; run tests/presubmit/dumps_test.py --update with TILEWRIGHT_CLI set")
print(f"{len(dumps)} dumps are current")
