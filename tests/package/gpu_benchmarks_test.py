"""scripts/gpu-benchmarks runs sections, stops at its limit and goes on where it stopped. The program here is a stand-in that says what it
was asked for. Usage: gpu_benchmarks_test.py SOURCE_FOLDER
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = r"""#!/usr/bin/env python3
import json, os, sys, time
arguments = sys.argv[1:]
with open(os.environ["RUNS"], "a") as runs:
    runs.write(" ".join(arguments) + "\n")
value = lambda name: arguments[arguments.index(name) + 1]
wrong = arguments[0] == os.environ.get("WRONG")
late = arguments[0] == os.environ.get("LATE")
if arguments[0] == os.environ.get("BROKEN"):
    print("there is no NVIDIA GPU here", file=sys.stderr)
    sys.exit(2)
if arguments[0] == os.environ.get("SLOW"):
    time.sleep(2)
line = json.dumps({"part": arguments[0], "met": True, "wrong": wrong, "remark": "not run: the limit of 5 s was over" if late else ""},
                  separators=(",", ":"))
with open(value("--json"), "a") as file:
    file.write(line + "\n")
print("case  ours\n" + arguments[0] + ": it\n" + line)
sys.exit(wrong)
"""


def main(source):
    with tempfile.TemporaryDirectory(prefix="tilewright-gpu-benchmarks-") as folder:
        script = os.path.join(folder, "scripts/gpu-benchmarks")
        os.mkdir(os.path.dirname(script))
        shutil.copy(os.path.join(source, "scripts/gpu-benchmarks"), script)
        program, runs = os.path.join(folder, "program"), os.path.join(folder, "runs")
        with open(program, "w") as file:
            file.write(PROGRAM)
        os.chmod(program, 0o755)

        def run(*arguments, out="out", **environment):
            open(runs, "w").close()
            settings = dict(os.environ, TILEWRIGHT_GPU_BENCHMARKS=program, RUNS=runs)
            settings.update(environment)
            result = subprocess.run([script, "--out", os.path.join(folder, out), *arguments], capture_output=True, text=True, env=settings)
            with open(runs) as file:
                return result.returncode, result.stdout + result.stderr, [line.split() for line in file]

        def expect(what, condition, found):
            if not condition:
                sys.exit(f"{what}\n{found}")

        def lines(out):
            with open(os.path.join(folder, out, "benchmarks.json")) as file:
                return [json.loads(line) for line in file]

        code, text, asked = run("--list")
        count = len(text.splitlines())
        expect("sections are listed", code == 0 and "linear-gelu: linear --epilogues gelu" in text and count > 10, text)
        code, text, asked = run()
        expect("all sections run", code == 0 and len(asked) == count and f"cases {count}, bars met {count}, missed 0, wrong 0" in text, text)
        expect("tables are shown, JSON is kept", "bandwidth: it" in text and "{" not in text and len(lines("out")) == count, text)
        code, text, asked = run()
        expect("what is done is not run again", code == 0 and not asked, text)
        code, text, asked = run("launch", "--again", "--", "--rounds", "3")
        expect("unless that is asked for", len(asked) == 1 and asked[0][0] == "launch" and asked[0][-2:] == ["--rounds", "3"], asked)
        expect("then results begin anew", len(lines("out")) == 1, lines("out"))

        code, text, asked = run("bandwidth", "launch", "--limit", "1", out="limited", SLOW="bandwidth")
        expect("the limit ends a command", code == 3 and "left: launch" in text and len(asked) == 1, text)
        code, text, asked = run("bandwidth", "launch", "--limit", "1", out="limited")
        expect("the next one goes on", code == 0 and [run[0] for run in asked] == ["launch"] and len(lines("limited")) == 2, text)
        code, text, asked = run("bandwidth", out="late", LATE="bandwidth")
        expect("a section that never ends is told", code == 2 and "section bandwidth alone takes longer than 540 s" in text, text)

        code, text, asked = run("bandwidth", "launch", out="wrong", WRONG="bandwidth")
        expect("wrong results are told last", code == 1 and len(asked) == 2 and "wrong 1" in text, text)
        code, text, asked = run("bandwidth", "launch", out="broken", BROKEN="bandwidth")
        expect("without a GPU nothing goes on", code == 2 and len(asked) == 1 and "no NVIDIA GPU" in text, text)
        for arguments, message in ((("--all",), "unknown option --all"), (("speed",), "there is no section speed"), (("--limit", "x"), "expects a number")):
            code, text, _ = run(*arguments)
            expect(f"{arguments} are refused", code == 2 and message in text, text)
    print("gpu-benchmarks runs sections, stops and goes on")


if __name__ == "__main__":
    main(sys.argv[1])
