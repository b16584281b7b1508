"""The dumps that docs/architecture.md shows are what the compiler makes today. `--update` writes them anew."""

import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
folder = os.path.join(root, "docs", "generated")
stages = {
    "tile": ["--bind", "T=f32"],
    "linalg": ["--bind", "T=f32"],
    "tilegpu": ["--bind", "T=bf16", "--target", "sm_90a", "--align", "16"],
}


def dump(stage):
    command = [os.environ["TILEWRIGHT_CLI"], "compile", "linear.tile", *stages[stage], "--emit", stage]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr}")
    return result.stdout


stale = []
for stage in stages:
    path = os.path.join(folder, f"linear.{stage}.mlir")
    text = dump(stage)
    if "--update" in sys.argv:
        with open(path, "w") as file:
            file.write(text)
    elif not os.path.exists(path) or open(path).read() != text:
        stale.append(path)
if stale:
    sys.exit("stale: " + ", ".join(stale) + "; run tests/presubmit/dumps_test.py --update with TILEWRIGHT_CLI set")
print(f"{len(stages)} dumps are current")
