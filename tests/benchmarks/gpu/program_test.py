"""tilewright-benchmarks-gpu on a driver that is the emulator: every part runs, results are checked, and what cannot be measured is said.
Usage: program_test.py PROGRAM EMULATED_DRIVER FAKE_CUBLASLT
"""

import json
import os
import subprocess
import sys
import tempfile

PROGRAM, DRIVER, CUBLASLT = sys.argv[1:]
CACHE = tempfile.TemporaryDirectory()  # what one run compiled the others need not
QUICK = ["--rounds", "2", "--flush", "1", "--sizes", "5x96", "--launches", "6", "--processes", "1", "--cold-size", "32"]


def run(*arguments, **environment):
    settings = dict(os.environ, TILEWRIGHT_CUDA_DRIVER=DRIVER, TILEWRIGHT_CUBLASLT=CUBLASLT, TILEWRIGHT_PTXAS="off",
                    TILEWRIGHT_CACHE_DIR=CACHE.name)
    settings.update(environment)
    if "--shapes" not in arguments:
        arguments += ("--shapes", "40x24x48")
    if "--attention" not in arguments:
        arguments += ("--attention", "1x1x70x64")
    if "--layers" not in arguments:
        arguments += ("--layers", "40x72x48")
    result = subprocess.run([PROGRAM, *QUICK, *arguments], capture_output=True, text=True, env=settings)
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return result.returncode, result.stdout + result.stderr, lines


def expect(what, condition, found):
    if not condition:
        sys.exit(f"{what}\n{found}")


def parts_run():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines.json")
        code, text, lines = run("--json", path)
        expect("every part runs", code == 0, text)
        expect("the file has the lines that are printed", [json.loads(line) for line in open(path)] == lines, text)
    count = {part: sum(line["part"] == part for line in lines) for part in ("bandwidth", "linear", "attention", "gradient", "streams", "launch", "cold")}
    expect("all cases are there", count == {"bandwidth": 4, "linear": 8, "attention": 2, "gradient": 6, "streams": 7, "launch": 4, "cold": 2}, count)
    for line in lines:
        expect("each case has times", line["ours"]["median_us"] >= line["ours"]["minimum_us"] > 0 and not line["wrong"], line)
        expect("all but cold starts, attention and streams have a yardstick", line["part"] in ("cold", "attention", "streams") or line["ratio"] > 0, line)
        expect("results of bandwidth are checked", line["part"] != "bandwidth" or 0 < line["error"] < 1e-6, line)
    expect("a table comes first", "bandwidth: softmax 5 x 96 f32 " in text and "PTX emulator, sm_90a" in text, text)


def linear_layers():
    arguments = ("linear", "--shapes", "40x24x48,32x16x20/16", "--dtypes", "bf16,f32,i8,f8,fast_f8", "--epilogues", "none,gelu,residual")
    code, text, lines = run(*arguments)
    cases = {line["case"]: line for line in lines}
    expect("layers are right, ours and cuBLASLt's", code == 0, text)
    for kind, bounds in {"bf16": (1e-3, 2.5e-3), "f32": (0, 1e-6), "f8": (1e-3, 3e-3), "fast_f8": (1e-3, 3e-3)}.items():
        for epilogue, against in {"none": "cuBLASLt plain", "gelu": "cuBLASLt gelu", "residual": "ours with a bias alone"}.items():
            for shape in ("40 x 24 x 48", "32 x 16 x 20 rows innermost"):
                line = cases[f"{shape} {kind} {epilogue}"]
                expect("the yardstick is named", line["against"] == against and line["ratio"], line)
                expect("the error is that of rounding", bounds[0] < line["error"] < bounds[1], line)
    expect("products of whole numbers are exact", cases["40 x 24 x 48 i8 none"]["error"] == 0 and "40 x 24 x 48 i8 gelu" not in cases, text)
    expect("the faster algorithm is chosen", "2 algorithms, chosen: id 3" in cases["40 x 24 x 48 bf16 gelu"]["remark"], text)
    ratios = [cases[f"{shape} bf16 gelu"]["ratio"] for shape in ("40 x 24 x 48", "32 x 16 x 20 rows innermost")]
    mean = cases["geometric mean of 2 shapes, bf16 gelu"]
    expect("means are geometric", abs(mean["ratio"] - (ratios[0] * ratios[1]) ** 0.5) < 1e-9 and mean["bar"] == "ratio >= 1.04", mean)


def linear_layers_off_alignment():
    code, text, lines = run("linear", "--shapes", "33x17x29", "--offset", "1", "--epilogues", "gelu")
    expect("arrays need no alignment, nor do their rows", code == 0 and lines[0]["ratio"] and lines[0]["error"] < 2.5e-3, text)


def attention_forward():
    arguments = ("attention", "--attention", "1x2x130x64", "--attention-tile", "BM=128,BN=64,BG=1", "--schedule", "", "--schedule", "overlap=none")
    code, text, lines = run(*arguments)
    expect("attention is right", code == 0 and all(0 < line["error"] < 1e-2 for line in lines), text)
    expect("causal or not, with each schedule", [line["case"] for line in lines] == [f"1 x 2 x 130 x 64{kind}{schedule}" for kind in ("", " causal") for schedule in ("", " [overlap=none]")], lines)
    for argument, message in (("1x2x3", "expected BATCHxHEADSxPOSITIONSxCHANNELS"), ("0x1x1x1", "expected BATCHxHEADSxPOSITIONSxCHANNELS")):
        code, text, _ = run("attention", "--attention", argument)
        expect(f"{argument} is refused", code == 2 and message in text, text)
    code, text, _ = run("attention", "--attention-tile", "BN")
    expect("so is a size without a number", code == 2 and "expected NAME=SIZE" in text, text)


def gradients():
    arguments = ("gradient", "--layers", "72x1032x136", "--gradient-tile", "BM=64,BN=64,BK=128", "--schedule", "", "--schedule", "stages=2")
    code, text, lines = run(*arguments)
    expect("gradients are right", code == 0 and all(1e-3 < line["error"] < 5e-3 for line in lines), text)
    cases = [f"{which} 72 x 1032 x 136 {act}{schedule}" for which in ("dx", "dw") for act in ("relu", "silu", "gelu") for schedule in ("", " [stages=2]")]
    expect("of inputs and weights, with each schedule", [line["case"] for line in lines] == cases, text)
    expect("against the plain product", all(line["against"] == "ours without act′" and line["ratio"] > 0 for line in lines), text)
    expect("a bar for long sums", [bool(line.get("bar")) for line in lines] == [True] * 6 + [False] * 6, lines)
    for argument in ("4096x4096", "0x1x1"):
        code, text, _ = run("gradient", "--layers", argument)
        expect(f"{argument} is refused", code == 2 and "expected ROWSxCOLUMNSxDEPTH" in text, text)


def linear_yardsticks_may_be_missing():
    code, text, lines = run("linear", "--epilogues", "bias", TILEWRIGHT_CUBLASLT="/nowhere/libcublasLt.so.13")
    expect("without cuBLASLt ours is measured", code == 0 and lines[0]["ours"] and not lines[0]["yardstick"], text)
    expect("and the reason is said", "no yardstick: there is no cuBLASLt: set TILEWRIGHT_CUBLASLT" in lines[0]["remark"], lines)
    code, text, lines = run("linear", "--dtypes", "i8", "--shapes", "8x8x5")
    expect("so it is where cuBLASLt has no algorithm", code == 0 and "cuBLASLt has no algorithm" in lines[0]["remark"], text)
    code, text, lines = run("linear", "--epilogues", "none", "--schedule", "", "--schedule", "no such schedule")
    expect("each schedule is a case", [line["wrong"] for line in lines] == [False, True], text)
    expect("one that is refused is told", code == 1 and lines[1]["case"] == "40 x 24 x 48 bf16 none [no such schedule]", lines)
    code, text, lines = run("linear", "--epilogues", "none", "--tiles", "chosen,32x64x32")
    expect("each tile is a case", (code, [line["case"] for line in lines[:2]]) == (0, ["40 x 24 x 48 bf16 none", "40 x 24 x 48 bf16 none [32x64x32]"]), text)


def wrong_kernels_are_found():
    code, text, lines = run("bandwidth", EMULATED_DRIVER_SKIPS="softmax")
    wrong = [line for line in lines if line["wrong"]]
    expect("a kernel that writes nothing is wrong", code == 1 and [line["case"] for line in wrong] == ["softmax 5 x 96 f32"], text)
    expect("the reason is said", "480 of 480 elements of the output were not written" in wrong[0]["remark"], wrong)
    expect("the others are measured", sum(line["ours"] is not None for line in lines) == 3, lines)


def launches_on_two_streams():
    code, text, lines = run("streams", "--cases", "residual", EMULATED_DRIVER_SKIPS="linear")
    expect("what a launch leaves unwritten is found", code == 1 and "elements of the output were not written" in lines[0]["remark"], text)
    code, text, lines = run("streams", "--cases", "softmax")
    expect("launches are counted", code == 0 and "6 launches on two streams, all with the same bits" in lines[0]["remark"], text)


def choices():
    _, _, lines = run("launch", "--cases", "changed")
    expect("--cases chooses", len(lines) == 2 and all("changed" in line["case"] for line in lines), lines)
    code, _, lines = run("bandwidth", "--limit", "1e-9")
    expect("after the limit nothing runs", code == 0 and len(lines) == 4, lines)
    expect("and that is said", all(line["ours"] is None and "not run: the limit" in line["remark"] for line in lines), lines)
    for arguments, message in ((["--shapes", "8x8"], "expected MxNxK"), (["--dtypes", "f4"], "f4 not in"), (["--sizes", "4"], "expected ROWSxCOLUMNS"), (["bandwith"], "bandwith not in"), (["--rounds", "0"], "--rounds")):
        code, text, _ = run(*arguments)
        expect(f"{arguments} are refused", code == 2 and message in text, text)


def without_a_gpu():
    settings = dict(os.environ, TILEWRIGHT_CUDA_DRIVER="/nowhere/libcuda.so.1")
    result = subprocess.run([PROGRAM], capture_output=True, text=True, env=settings)
    expect("without a GPU", result.returncode == 2 and "there is no NVIDIA GPU here: the CUDA driver cannot be loaded" in result.stderr and
           "/nowhere/libcuda.so.1" in result.stderr, result)


parts_run()
linear_layers()
linear_layers_off_alignment()
attention_forward()
gradients()
linear_yardsticks_may_be_missing()
wrong_kernels_are_found()
launches_on_two_streams()
choices()
without_a_gpu()
print("tilewright-benchmarks-gpu measures, checks and refuses")
