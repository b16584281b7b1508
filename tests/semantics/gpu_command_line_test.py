"""`tilewright run` on a GPU and on the emulator: hand-written PTX behind a compiler that says what it is told, and a CUDA driver over host
memory (tests/unit/runtime/fake). Run with --help for the options."""

import json
import os
import subprocess

from harness import Mismatch, cli, main, test

FAKE = os.environ.get("TILEWRIGHT_FAKE_FOLDER", "")
PTX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../unit/runtime/fake/Kernels.ptx")


def source(t, entry):
    """kernel add(a: f32[N], b: f32[N], c: out f32[N]) over (n in N by 64) { c[n] = a[n] + b[n]; } in the fake compiler's language."""
    views = [
        {"name": name, "kind": "view", "access": access, "dtype": "f32", "optional": False, "dimensions": [{"kind": "name", "name": "N"}]}
        for name, access in (("a", "in"), ("b", "in"), ("c", "out"))
    ]
    axis = {"name": "n", "low": 0, "high": {"dim": "N"}, "span": True, "by": 64, "parent": None}
    metadata = {"dimensions": ["N"], "axes": [axis], "grid_axes": ["n"], "threads": 32, "shared_bytes": 0, "entries": {"tiles": entry}}
    kernel = {"name": "add", "documentation": "", "statics": [], "parameters": views, "tunables": []}
    path = os.path.join(t.folder, entry + ".json")
    with open(path, "w") as file:
        json.dump({"kernels": [kernel], "metadata": metadata, "object": PTX}, file)
    return path


def tilewright(t, *arguments, code=0, **environment):
    command = [cli(), *arguments]
    t.commands.append(command)
    settings = {"TILEWRIGHT_COMPILER_LIBRARY": FAKE + "/Compiler.so", "TILEWRIGHT_CUDA_DRIVER": FAKE + "/CudaDriver.so",
                "TILEWRIGHT_PTXAS": "off", "TILEWRIGHT_CACHE_DIR": "off"}
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=dict(os.environ, **{**settings, **environment}))
    if result.returncode != code:
        raise Mismatch(f"exit code {result.returncode}, expected {code}\n{result.stdout}{result.stderr}")
    return result


def require(condition, message):
    if not condition:
        raise Mismatch(message)


ADD = ("--in", "a=[1, 2, 3]", "--in", "b=[10, 20, 30]", "--out", "c=-")


@test
def arrays_go_to_the_device_and_back(t):
    for target, shown in (("emulator", "emulator (sm_90a)"), ("emulator:sm_80", "emulator:sm_80 (sm_80)"), ("cuda", "cuda:0 (sm_90a)"),
                          ("cuda:1", "cuda:1 (sm_90a)")):
        out = tilewright(t, "run", source(t, "add_tiles"), "--target", target, "--repeat", "3", *ADD).stdout
        require("c = [11, 22, 33]" in out and "target   " + shown in out and "median of 3 launches" in out, out)


@test
def slices_are_views_of_what_was_copied(t):
    given = ("--in", "a=[1, 2, 3, 4]", "--slice", "a=2:4", "--in", "b=[0, 9, 0, 8, 0]", "--slice", "b=1:5:2", "--out", "c=-")
    for target in ("emulator", "cuda"):
        out = tilewright(t, "run", source(t, "add_tiles"), "--target", target, *given).stdout
        require("c = [12, 12]" in out, out)


@test
def accesses_outside_are_found(t):
    told = tilewright(t, "run", source(t, "overrun_tiles"), "--target", "emulator", *ADD, code=1).stderr
    require("out of bounds: kernel overrun_tiles at Kernels.cu" in told and "PTX line" in told, told)
    told = tilewright(t, "run", source(t, "overrun_tiles"), "--target", "cuda", *ADD, code=1).stderr
    require("the kernel wrote outside of the memory of `c`" in told, told)


@test
def devices_that_are_not_there(t):
    told = tilewright(t, "run", source(t, "add_tiles"), "--target", "cuda", *ADD, code=1, TILEWRIGHT_CUDA_DRIVER="/nowhere.so").stderr
    require("the CUDA driver cannot be loaded" in told, told)
    told = tilewright(t, "run", source(t, "add_tiles"), "--target", "emulator:sm_1", *ADD, code=2).stderr
    require("the emulator has no architecture sm_1" in told, told)


@test
def what_ptxas_made_is_kept_and_shown(t):
    environment = {"TILEWRIGHT_CACHE_DIR": os.path.join(t.folder, "cache"), "TILEWRIGHT_PTXAS": os.path.join(os.path.dirname(PTX), "ptxas")}
    run = ("run", source(t, "add_tiles"), "--target", "cuda", *ADD)
    for _ in range(2):
        result = tilewright(t, *run, **environment)
        require("kernel add: the assembler says (C7510) Potential" in result.stderr and "blocks of 32 threads" in result.stdout, result)
    [kept] = [line for line in tilewright(t, "cache", "list", **environment).stdout.splitlines() if "  cubin " in line]
    shown = tilewright(t, "cache", "show", kept.split()[0], **environment).stdout
    require("made by     ptxas: fake 1" in shown and "target      sm_90a" in shown and "(C7510)" in shown, shown)


@test
def info_lists_the_devices(t):
    real = {"TILEWRIGHT_COMPILER_LIBRARY": ""}
    text = tilewright(t, "info", **real).stdout
    require("cuda:1: Fake H200, the second, sm_90a, 132 multiprocessors" in text and "emulator: " in text, text)
    devices = json.loads(tilewright(t, "info", "--json", **real).stdout)
    require([device["target"] for device in devices["devices"]] == ["cuda:0", "cuda:1", "emulator"], devices)
    text = tilewright(t, "info", **real, TILEWRIGHT_CUDA_DRIVER="/nowhere.so").stdout
    require("the CUDA driver cannot be loaded" in text, text)


@test
def schedules_that_are_asked_for(t):
    """A schedule that cannot be had is refused with the reason, never dropped or replaced by another."""
    real, path = {"TILEWRIGHT_COMPILER_LIBRARY": ""}, os.path.join(t.folder, "k.tile")
    with open(path, "w") as file:
        file.write("kernel k(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N]) over (i in M by 128, j in N by 192) {\n"
                   "  var a: f32[i, j] = 0;\n  for k in K by 64 { a += dot(x[i, k], w[j, k], over k); }\n  y[i, j] = bf16(a);\n}\n"
                   "kernel none(x: f32[N], y: out f32[N]) over (i in N by 128) { y[i] = x[i]; }\n")  # fmt: skip
    compiled = lambda schedule, code, kernel="k", target="sm_90a": tilewright(  # noqa: E731
        t, "compile", path, "--kernel", kernel, "--target", target, "--align", "16", "--emit", "tilegpu", "--schedule", schedule, code=code, **real)
    require("stages = 3" in compiled("stages=3", 0).stdout, "three stages are not made")
    require("tilegpu.roles" not in compiled("plain", 0).stdout, "`plain` has roles")
    for schedule, reason in (("registers=32/240", "want 65536 registers, and a block of 384 threads begins with 64512"),
                             ("stages=9", "9 stages and what its stores, vectors and reductions need take"), ("groups=3", "not 3 of 4"),
                             ("overlap=none", "`overlap` says when a loop with several products forms them"), ("overlap=late", "`overlap=late` is no field"),
                             ("split=3", "a tile is split over 1, 2, 4 or 8 blocks, not 3"), ("split=8", "its tile has 192 columns, and a split over 8 blocks needs a multiple of 128"),
                             ("raster=65", "tiles are taken in groups of 1 to 64 rows, not 65"), ("store=fast", "`store=fast` is no field"),
                             ("pace=1", "`pace=1` is no field of a schedule"), ("stages=3,stages=4", "or stands there twice")):  # fmt: skip
        text = compiled(schedule, 2).stderr
        require(reason in text and schedule in text, text)
    attention = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../runtime/kernels/attention.tile")
    sizes = ("--bind", "T=bf16,D=64,BG=1,BM=128,BN=64")
    for schedule, reason in (("groups=2,warps=4,registers=40/232", "loops with several products are computed by one group"), ("vectors=prepared", "vectors are not prepared for loops"), ("stages=16", "16 stages, what is loaded before the loop")):
        text = tilewright(t, "compile", attention, *sizes, "--target", "sm_90a", "--align", "16", "--emit", "tilegpu", "--schedule", schedule, code=2, **real).stderr
        require(reason in text, text)
    for overlap, turns in (("none", False), ("delayed", False), ("turns", True)):
        text = tilewright(t, "compile", attention, *sizes, "--target", "sm_90a", "--align", "16", "--emit", "tilegpu", "--schedule", f"overlap={overlap}", **real).stdout
        require("tilegpu.wgmma_registers" in text and ("tilegpu.turn_wait warpgroups" in text) == turns and ("wgmma_wait 1" in text) == (overlap != "none"), text)
    require("split = 4" in compiled("split=4", 0).stdout, "four blocks do not have a tile")
    require("raster = 64" in compiled("raster=64", 0).stdout, "groups of 64 rows of tiles are not made")
    require("tma_store" in compiled("store=tensor", 0).stdout and "tma_store" not in compiled("store=registers", 0).stdout, "results do not go as they should")
    require("it has no product" in compiled("stages=3", 2, kernel="none").stderr, "a kernel without a product takes a schedule")
    require("whose warps have no roles" in compiled("plain", 2, target="sm_80").stderr, "sm_80 takes a schedule")


@test
def tiles_that_are_split_unasked(t):
    """Few tiles with long sums are. What cannot be has a tile for one block, not the one that several would have had."""
    path = os.path.join(t.folder, "k.tile")
    for epilogue, blocks in (("a", 2), ("a + f32(j.start)", 1)):
        with open(path, "w") as file:
            file.write("kernel k(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N]) over (i in M by BM, j in N by BN) {\n"
                       f"  var a: f32[i, j] = 0;\n  for k in K by BK {{ a += dot(x[i, k], w[j, k], over k); }}\n  y[i, j] = bf16({epilogue});\n}}\n")  # fmt: skip
        for depth in (1024, 16384):
            text = tilewright(t, "compile", path, "--target", "sm_90a", "--align", "16", "--emit", "tilegpu", "--dim", f"M=1024,N=1024,K={depth}", TILEWRIGHT_COMPILER_LIBRARY="").stdout
            is_split = blocks > 1 and depth == 16384
            require("tilegpu.roles" in text and (f"split = {blocks}" in text) == is_split and ("split = " in text) == is_split, text)


if __name__ == "__main__":
    main()
