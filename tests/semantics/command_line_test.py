"""The command line's contract, which scripts rely on: exit codes, streams, files. Run with --help for the options."""

import json
import os
import re
import subprocess

import numpy as np

from harness import READY_KERNELS, Mismatch, array, cli, main, sweep, test

GOOD = "kernel add(a: f32[N], b: f32[N], c: out f32[N])\nover (n in N by BN) { c[n] = a[n] + b[n]; }\n"
BAD = "kernel add(input: f32[N], c: out f32[N])\nover (n in N by BN) { c[n] = inptu[n]; }\n"
UGLY = "kernel  add(a:f32[N],c:out f32[N])\nover(n in N by BN){\n// kept\nc[n]=a[n]+1 ; }\n"


def tilewright(t, *arguments, code=0, text=None, **environment):
    command = [cli(), *arguments]
    t.commands.append(command)
    result = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", input=text, timeout=120,
                            env=dict(os.environ, **environment))
    if result.returncode != code:
        raise Mismatch(f"exit code {result.returncode}, expected {code}\n{result.stdout}{result.stderr}")
    return result


def require(condition, message):
    if not condition:
        raise Mismatch(message)


def source(t, name, text):
    path = os.path.join(t.folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


# ---- help and usage


@sweep(
    command=["check", "compile", "run", "info", "fmt", "cache", "cache list", "cache show", "cache prune", "cache clear"]
)
def every_command_has_help_with_an_example(t, command):
    require("Example" in tilewright(t, *command.split(), "--help").stdout, "no example")


@test
def the_program_has_help_and_a_version(t):
    require("Example" in tilewright(t, "--help").stdout, "no example")
    version = tilewright(t, "--version").stdout.split()
    require(version[0] == "tilewright" and version[1][0].isdigit(), version)


@sweep(
    arguments=[
        (), ("bogus",), ("check",), (
            "check", "--bogus", "x.tile"
        ), ("check", "absent.tile"), ("fmt",), ("fmt", "absent.tile"), ("run",),
        ("run", "absent.tile"), ("compile", "x.tile", "--emit", "bogus"), ("compile", "x.tile"), ("info", "x"),
        ("cache",), ("cache", "bogus"), ("cache", "show"), ("cache", "prune"), ("cache", "prune", "--to", "much"),
    ]  # fmt: skip
)
def wrong_usage_exits_with_2(t, arguments):
    result = tilewright(t, *arguments, code=2)
    require(result.stderr.startswith("tilewright: error: ") and not result.stdout, result.stderr)


@sweep(
    options=[
        ["--in", "a"], [
            "--in", "a=absent.npy"
        ], ["--in", "q=3"], ["--random", "a=f32[4"], ["--random", "a=f33[4]"], ["--bind", "Q=3"],
        ["--dim", "N=x"], ["--repeat", "0"], [
            "--out", "a=y.npy"
        ], ["--kernel", "sub"], ["--slice", "c=1:2"], ["--threads", "-1"], [],
    ]  # fmt: skip
)
def run_tells_wrong_usage(t, options):
    given = ["--random", "a=f32[4]:1"] if not any("a=" in o for o in options) else []
    result = tilewright(t, "run", source(t, "x.tile", GOOD), *given, *options, code=2)
    require("tilewright: error: " in result.stderr, result.stderr)


@test
def wrong_words_are_named(t):
    for word in ("chek", "--frob", "-V", "help"):
        result = tilewright(t, word, code=2)
        require(f"'{word}'" in result.stderr and "check compile run info fmt" in result.stderr, result.stderr)
    require("empty" in tilewright(t, "check", "", code=2).stderr, "the empty name is not told")


@sweep(command=["compile", "run"])
def a_file_without_kernels_is_wrong_usage(t, command):
    library = source(t, "library.tile", "fn f(x: f32) -> f32 = x;\n")
    stage = ["--emit", "ast"] if command == "compile" else []
    require("has no kernel" in tilewright(t, command, library, *stage, code=2).stderr, "the reason is not told")


# ---- check


@test
def check_is_silent_when_all_is_well(t):
    result = tilewright(t, "check", source(t, "good.tile", GOOD), source(t, "again.tile", GOOD))
    require(not result.stdout and not result.stderr, result.stdout + result.stderr)


@test
def check_tells_place_reason_and_remedy(t):
    bad = source(t, "bad.tile", BAD)
    result = tilewright(t, "check", source(t, "good.tile", GOOD), bad, code=1)
    require(f"{bad}:2:30: error: " in result.stderr and "`inptu`" in result.stderr and "`input`" in result.stderr and "^" in result.stderr, result.stderr)
    require(not result.stdout, "diagnostics belong on stderr")
    require("\033" not in result.stderr, "colours without a terminal")


@test
def check_reads_the_standard_input(t):
    tilewright(t, "check", "-", text=GOOD)
    require("<stdin>:2:" in tilewright(t, "check", "-", code=1, text=BAD).stderr, "no place")


@test
def check_finds_imports_beside_the_file(t):
    os.mkdir(os.path.join(t.folder, "lib"))
    source(t, "lib/more.tile", "let two = 2.0;\n")
    source(t, "lib/twice.tile", 'import "more.tile";\nfn twice(x: f32) -> f32 = two * x;\n')
    text = 'import "lib/twice.tile";\nkernel k(a: f32[N], c: out f32[N])\nover (n in N by BN) { c[n] = twice(a[n]); }\n'
    tilewright(t, "check", source(t, "x.tile", text))
    result = tilewright(t, "check", source(t, "y.tile", text.replace("twice.tile", "thrice.tile")), code=1)
    require("lib/thrice.tile" in result.stderr, result.stderr)


# ---- fmt


@test
def fmt_rewrites_once(t):
    path = source(t, "ugly.tile", UGLY)
    require(tilewright(t, "fmt", "--check", path, code=1).stdout == path + "\n", "the file is not named")
    require(open(path).read() == UGLY, "--check changed the file")
    tilewright(t, "fmt", path)
    pretty = open(path).read()
    require(pretty != UGLY and "// kept" in pretty, pretty)
    require(tilewright(t, "fmt", "--check", path).stdout == "", "not idempotent")
    require(tilewright(t, "fmt", "-", text=UGLY).stdout == pretty, "- differs from a file")


@test
def fmt_reads_all_files_before_it_writes(t):
    path = source(t, "ugly.tile", UGLY)
    tilewright(t, "fmt", path, os.path.join(t.folder, "absent.tile"), code=2)
    require(open(path).read() == UGLY, "the file was changed")


@test
def fmt_leaves_broken_files_alone(t):
    path = source(t, "broken.tile", "kernel k(\n")
    require(":" in tilewright(t, "fmt", path, code=1).stderr, "no diagnostic")
    require(open(path).read() == "kernel k(\n", "the file was changed")


# ---- compile


@sweep(stage=[("ast", "kernel"), ("tile", "tile.kernel"), ("linalg", "func.func"), ("llvm", "define"), ("asm", ".globl")])
def compile_prints_every_stage(t, stage):
    name, word = stage
    output = tilewright(t, "compile", source(t, "good.tile", GOOD), "--emit", name).stdout
    require(word in output, output[:500])


@test
def compile_prints_which_tunables_are_chosen(t):
    linear = os.path.join(READY_KERNELS, "linear.tile")

    def chosen(target, *more):
        return tilewright(t, "compile", linear, "--kernel", "linear", "--bind", "T=bf16", "--target", target, "--emit", "tunables", *more).stdout

    wide, square = ["--dim", "M=16384", "--dim", "N=3072", "--dim", "K=768"], ["--dim", "M=4096", "--dim", "N=4096", "--dim", "K=4096"]
    require(chosen("sm_90a", *wide) == "BK = 64, BM = 128, BN = 192\nplain: BK = 64, BM = 128, BN = 128\n", chosen("sm_90a", *wide))
    require(chosen("sm_90a", *square).startswith("BK = 64, BM = 128, BN = 208\n"), "the sizes do not matter")
    require(chosen("sm_90a", *wide, "--bind", "BN=80").startswith("BK = 64, BM = 128, BN = 80\n"), "a given size is not kept")
    require(chosen("sm_80", *wide) == "BK = 64, BM = 128, BN = 128\n", chosen("sm_80", *wide))
    require(chosen("cpu", *wide).count("\n") == 1 and "BM = " in chosen("cpu", *wide), chosen("cpu", *wide))


@test
def a_bf16_is_chosen_without_being_rounded(t):
    """Where a processor rounds to bf16 it flushes subnormals; where it does not, LLVM calls a function that a kernel has not."""
    text = """
kernel k(b: bool[M], x: bf16[M], y: out bf16[M, N])
over (i in M by 1, j in N by 1) { y[i, j] = bf16(f32(where(f32(j) > 1.0, where(b[0], bf16(2.0), bf16(1.0)), x[i]))); }
"""
    arguments = ("compile", source(t, "k.tile", text), "--emit", "asm", "--target")
    for processor in ("znver4", "sapphirerapids", "skylake-avx512", "haswell", "x86-64"):
        assembly = tilewright(t, *arguments, f"cpu:{processor}").stdout
        require("vcvtneps2bf16" not in assembly and "__truncsfbf2" not in assembly, processor)


@test
def compile_writes_an_object(t):
    path = os.path.join(t.folder, "add.o")
    tilewright(t, "compile", source(t, "good.tile", GOOD), "--emit", "object", "-o", path)
    require(open(path, "rb").read(4) == b"\x7fELF", "no ELF file")


@test
def compile_tells_errors(t):
    require("^" in tilewright(t, "compile", source(t, "bad.tile", BAD), "--emit", "llvm", code=1).stderr, "no diagnostic")
    both = source(t, "both.tile", GOOD + GOOD.replace("add", "sum2"))
    require("add, sum2" in tilewright(t, "compile", both, "--emit", "ast", code=2).stderr, "the kernels are not listed")
    tilewright(t, "compile", both, "--kernel", "sum2", "--emit", "ast")
    tilewright(t, "compile", both, "--kernel", "sum3", "--emit", "ast", code=2)
    tilewright(t, "compile", both, "--kernel", "add", "--bind", "BM=3", "--emit", "ast", code=2)
    tilewright(t, "compile", both, "--kernel", "add", "--target", "bogus", "--emit", "llvm", code=2)


# ---- run


@test
def run_prints_its_time_and_rate(t):
    out = os.path.join(t.folder, "c.npy")
    result = tilewright(
        t, "run", source(
            t, "good.tile", GOOD
        ), "--random", "a=f32[1000]:1", "--random", "b=f32[1000]:2", "--out", f"c={out}", "--repeat", "3"
    )
    require("time " in result.stdout and "median of 3" in result.stdout and "GB/s" in result.stdout, result.stdout)
    require(np.load(out).shape == (1000,), "no output")


def operations(t, *arguments):
    """What `run` says about a kernel's operations: the words before the number, the number, and the sizes chosen."""
    output = tilewright(t, "run", *arguments).stdout
    rate = re.search(r"^rate     (.*?)[0-9.]+ GFLOP/s \(([0-9]+) operations\), [0-9.]+ GB/s$", output, re.MULTILINE)
    require(rate, output)
    return rate[1], int(rate[2]), {name: int(size) for name, size in re.findall(r" (B[A-Z]+)=([0-9]+)", output)}


@test
def run_counts_the_operations_of_a_linear_layer(t):
    words, count, _ = operations(
        t, f"{READY_KERNELS}/linear.tile", "--kernel", "linear", "--random", "x=f32[3,41,77]:1", "--random", "w=f32[130,77]:2"
    )
    require(words == "" and count == 2 * 3 * 41 * 130 * 77, (words, count))


@test
def run_counts_the_operations_of_a_projection(t):
    words, count, _ = operations(
        t, f"{READY_KERNELS}/projection.tile", "--kernel", "projection", "--random", "x=f32[2,13,5,7]:1", "--random", "w=f32[48,13]:2",
        "--dim", "NQ=16", "--dim", "NK=8", "--dim", "NV=8", "--dim", "NF=16",
    )
    require(words == "" and count == 2 * 2 * 13 * (5 * 7) * 48, (words, count))


@sweep(lengths=[False, True])
def run_counts_the_operations_of_a_triangle(t, lengths):
    """Of causal attention: of the rows i of one tile, those up to the tile's last. With lengths from memory it is a bound."""
    B, HQ, HK, S, D = 2, 4, 2, 75, 8
    np.save(os.path.join(t.folder, "len.npy"), np.array([3, 75], np.int32))
    given = ["--in", f"len={os.path.join(t.folder, 'len.npy')}"] if lengths else []
    heads = lambda name, number: ["--random", f"{name}=f32[{B},{number},{S},{D}]:1"]
    words, count, sizes = operations(
        t, f"{READY_KERNELS}/attention.tile", *heads("q", HQ), *heads("k", HK), *heads("v", HK), *given, "--in", "scale=1.0",
        "--bind", "causal=true,BM=16",
    )
    pairs = sum(min(16, S - i) * min(S, i + 16) for i in range(0, S, 16))
    if lengths:
        require(words == "at most " and count >= 2 * 2 * B * HQ * D * pairs, (words, count))
    else:
        require(words == "" and count == 2 * 2 * B * HQ * D * pairs, (words, count))


@test
def run_tells_no_operations_where_there_are_none_or_nobody_knows(t):
    text = tilewright(t, "run", source(t, "good.tile", GOOD), "--random", "a=f32[10]:1", "--random", "b=f32[10]:2").stdout
    require("GFLOP" not in text and "GB/s" in text, text)
    file = source(
        t, "while.tile", "kernel k(x: f32[M, K], y: out f32[M])\nover (i in M) {\n  var s: f32 = 0;\n  while s < 9 {\n"
        "    for k in K by BK { s += dot(x[i, k], x[i, k], over k); }\n  }\n  y[i] = s;\n}\n"
    )
    text = tilewright(t, "run", file, "--random", "x=f32[5,6]:1").stdout
    require("GFLOP/s not known" in text, text)


@test
def run_converts_what_suffixes_name(t):
    path = lambda name: os.path.join(t.folder, name)
    text = "kernel k<T: float>(x: T[N], y: out T[N])\nover (n in N by BN) { y[n] = T(x[n] * 2); }\n"
    file = source(t, "k.tile", text)
    np.save(path("x.npy"), np.array([1.0, 1.01, -3.0], np.float32))
    tilewright(t, "run", file, "--in", f"x={path('x.npy')}:bf16", "--out", f"y={path('y.npy')}")
    t.same(np.load(path("y.npy")), np.array([0x4000, 0x4001, 0xC0C0], np.uint16), what="y, raw")
    tilewright(t, "run", file, "--in", f"x={path('y.npy')}:bf16", "--out", f"y={path('z.npy')}:f32")
    t.same(np.load(path("z.npy")), np.array([4, 4.03125, -12], np.float32), what="y in f32")
    tilewright(t, "run", file, "--in", f"x={path('y.npy')}", "--bind", "T=bf16", "--out", f"y={path('z.npy')}:f32")
    require(":bf16" in tilewright(t, "run", file, "--in", f"x={path('y.npy')}", code=1).stderr, "no hint")
    result = tilewright(t, "run", file, "--in", f"x={path('x.npy')}", "--bind", "T=f16", code=1)
    require("view of f16" in result.stderr and "holds f32" in result.stderr and "x.npy:f16" in result.stderr, result.stderr)


@test
def run_reads_and_prints_arrays_as_text(t):
    text = "kernel k<T: float>(x: T[M, N], y: out f32[N, M])\nover (i in M by BM, j in N by BN) { y[j, i] = x[i, j] * 2; }\n"
    file = source(t, "k.tile", text)
    result = tilewright(t, "run", file, "--in", "x=[[1, 2.5, inf], [4, 5, 6]]:f16", "--out", "y=-")
    require(result.stdout.startswith("y = [[2, 8],\n     [5, 10],\n     [inf, 12]]\nkernel "), result.stdout)
    result = tilewright(t, "run", file, "--bind", "T=bf16", "--in", "x=[[1.01]]", "--out", "y=-")
    require(result.stdout.startswith("y = [[2.015625]]\n"), result.stdout)
    result = tilewright(t, "run", file, "--in", "x=[[1]]", code=2)
    require("leaves the dtype of `x` open" in result.stderr, result.stderr)
    result = tilewright(t, "run", file, "--in", "x=[[1]]:f32", "--out", "y=-:f16", code=2)
    require("not converted" in result.stderr, result.stderr)
    result = tilewright(t, "run", source(t, "good.tile", GOOD), "--in", "a=[1]:f16", "--in", "b=[1]", code=1)
    require("`a` is a view of f32" in result.stderr, result.stderr)


@test
def run_tells_damaged_arrays(t):
    file = source(t, "good.tile", GOOD)
    for content, word in [
        (b"", "not a valid .npy"), (b"\x93NUMPY\x01\0\xff\xff{", "ends within"), (b"hello world, this is text", "not a valid")
    ]:
        path = os.path.join(t.folder, "a.npy")
        open(path, "wb").write(content)
        require(word in tilewright(t, "run", file, "--in", f"a={path}", "--random", "b=f32[4]:1", code=1).stderr, word)
    np.save(path, np.zeros(4, ">f4"))
    require(
        "big-endian" in tilewright(t, "run", file, "--in", f"a={path}", "--random", "b=f32[4]:1", code=1).stderr, "big-endian"
    )


@test
def run_tells_arguments_of_another_kind(t):
    file, out = source(t, "good.tile", GOOD), os.path.join(t.folder, "i.npy")
    np.save(out, np.arange(4))
    given = ["--random", "a=f32[4]:1"]
    result = tilewright(t, "run", file, *given, "--in", "b=3", code=2)
    require("`b` is a view, and 3 is a number" in result.stderr and "--random b=" in result.stderr, result.stderr)
    result = tilewright(t, "run", file, *given, "--in", f"b={out}", code=1)
    require("holds i64" in result.stderr and "save an array of f32" in result.stderr, result.stderr)


@test
def run_refuses_code_for_another_processor(t):
    flags = open("/proc/cpuinfo").read().split()
    if "sse2" not in flags or "avx512_fp16" in flags:
        return  # no x86-64, or one that has all that sapphirerapids has
    arguments = ("run", source(t, "good.tile", GOOD), "--random", "a=f32[4]:1", "--random", "b=f32[4]:1")
    told = tilewright(t, *arguments, "--target", "cpu:sapphirerapids", code=1).stderr
    require("compiled for the processor sapphirerapids, and this one lacks" in told and "avx512fp16" in told, told)


@test
def run_tells_shapes_that_disagree(t):
    result = tilewright(t, "run", source(t, "good.tile", GOOD), "--random", "a=f32[4]:1", "--random", "b=f32[5]:1", code=1)
    for word in ("b", "N", "4", "5"):
        require(word in result.stderr, result.stderr)


# ---- cache


ADD = ["--random", "a=f32[100]:1", "--random", "b=f32[100]:2"]


def cached(t, name="cache"):
    return dict(TILEWRIGHT_CACHE_DIR=os.path.join(t.folder, name))


def entries(t, environment):
    return json.loads(tilewright(t, "cache", "list", "--json", **environment).stdout)["entries"]


@test
def a_second_run_takes_the_kernel_from_the_cache(t):
    file, environment = source(t, "good.tile", GOOD), cached(t)
    results = []
    for number in range(2):
        out = os.path.join(t.folder, f"{number}.npy")
        told = tilewright(t, "run", file, *ADD, "--out", f"c={out}", **environment).stdout
        require(("it was in the cache" in told) == (number == 1), told)
        results.append(np.load(out))
    require((results[0] == results[1]).all(), "another result")
    found = entries(t, environment)
    require(sorted(entry["kind"] for entry in found) == ["artifact", "module"], found)
    require(os.stat(environment["TILEWRIGHT_CACHE_DIR"]).st_mode & 0o777 == 0o700, "the folder is open to others")


@test
def a_hit_needs_no_compiler(t):
    file = source(t, "good.tile", GOOD)
    environment = dict(cached(t), TILEWRIGHT_LOG="debug")
    cold = tilewright(t, "run", file, *ADD, **environment).stderr
    warm = tilewright(t, "run", file, *ADD, **environment).stderr
    require("loaded the compiler" in cold and "compiled kernel add" in cold, cold)
    require("loaded the compiler" not in warm and "found kernel add in the cache" in warm, warm)
    source(t, "good.tile", GOOD.replace("+", "-"))
    changed = tilewright(t, "run", file, *ADD, **environment).stderr
    require("compiled kernel add" in changed, changed)


@test
def cache_lists_shows_prunes_and_clears(t):
    file, environment = source(t, "good.tile", GOOD), cached(t)
    empty = tilewright(t, "cache", "list", **environment).stdout
    require(empty == f"0 entries, 0 B, in {environment['TILEWRIGHT_CACHE_DIR']}\n", empty)
    for block in (16, 32):
        tilewright(t, "run", file, *ADD, "--bind", f"BN={block}", **environment)
    listed = tilewright(t, "cache", "list", **environment).stdout.splitlines()
    require(len(listed) == 4 and listed[-1].startswith("3 entries, "), listed)
    artifact = next(entry for entry in entries(t, environment) if entry["kind"] == "artifact")
    shown = tilewright(t, "cache", "show", artifact["key"][:12], **environment).stdout
    for word in (artifact["key"], "add", '{"BN":32}', "processor", "features", "cpu"):
        require(word in shown, shown)
    contents = json.loads(tilewright(t, "cache", "show", artifact["key"], "--json", **environment).stdout)["contents"]
    require(contents["name"] == "add" and contents["chosen"] == {"BN": 32}, contents)
    wrong = tilewright(t, "cache", "show", "zz", code=2, **environment).stderr
    require("no entry of the cache" in wrong and "begins with zz" in wrong, wrong)
    several = tilewright(t, "cache", "show", "", code=1, **environment).stderr
    require("3 entries have keys" in several, several)
    require(tilewright(t, "cache", "prune", "--to", "1GB", **environment).stdout == "removed 0 entries\n", "prune")
    require(tilewright(t, "cache", "prune", "--to", f"{artifact['bytes']}", **environment).stdout == "removed 2 entries\n", "prune")
    require(len(entries(t, environment)) == 1, "prune")
    tilewright(t, "cache", "clear", **environment)
    require(entries(t, environment) == [], "clear")


@test
def cache_tells_when_there_is_none(t):
    for command in (["list"], ["prune", "--to", "0"], ["clear"]):
        told = tilewright(t, "cache", *command, code=2, TILEWRIGHT_CACHE_DIR="off").stderr
        require("there is no disk cache: TILEWRIGHT_CACHE_DIR is off" in told, told)


@test
def a_cache_that_others_may_write_is_told_once_and_not_used(t):
    file, environment = source(t, "good.tile", GOOD), cached(t)
    os.mkdir(environment["TILEWRIGHT_CACHE_DIR"])
    os.chmod(environment["TILEWRIGHT_CACHE_DIR"], 0o777)
    told = tilewright(t, "run", file, *ADD, **environment).stderr
    require(told.count("warning") == 1 and "chmod 700" in told, told)
    require(os.listdir(environment["TILEWRIGHT_CACHE_DIR"]) == [], "it was used")


@test
def values_of_options_are_usage(t):
    """A value that no kernel could take is a fault of the command line: exit code 2, the option and what was found."""
    file, arrays = source(t, "good.tile", GOOD), ["--random", "a=f32[4]:1", "--random", "b=f32[4]:1"]
    for command in (["run", file, *arrays], ["compile", file, "--emit", "llvm"]):
        for option, value in (
            ("--bind", "BN=x"), ("--bind", "BN=0"), ("--bind", "BN=-4"), ("--dim", "N=-1"), ("--target", "foo"), ("--target", "cpu:foo")
        ):
            result = tilewright(t, *command, option, value, code=2)
            require(value.split("=")[-1].split(":")[-1] in result.stderr, result.stderr)
    result = tilewright(t, "compile", file, "--emit", "llvm", "--dim", "Q=4", code=2)
    require("no dimension of this name" in result.stderr and "it has N" in result.stderr, result.stderr)


# ---- info


@test
def files_may_have_any_name(t):
    name = os.fsdecode(b"\xff \n'\".tile")  # no UTF-8
    path = source(t, name, GOOD.replace("{ c", '{ require N > 4, "too few"; c'))
    tilewright(t, "run", path, "--random", "a=f32[5]:1", "--random", "b=f32[5]:2")
    result = tilewright(t, "run", path, "--random", "a=f32[3]:1", "--random", "b=f32[3]:2", code=1)
    require("too few" in result.stderr, result.stderr)


@test
def remarks_say_what_uses_no_tensor_cores(t):
    path = source(t, "product.tile", """kernel k<T: float>(x: T[M, K], w: T[N, K], y: out f32[M, N])
over (i in M by 16, j in N by 16) {
  var acc: f32[i, j] = 0;
  for c in K by 32 { acc += dot(x[i, c], w[j, c], over c) * 2; }
  y[i, j] = acc;
}
""")
    remark = f"""{path}:4:29: remark: this product is formed by multiply-adds, not by tensor cores: its operands are f32 and its precision is that of f32 (`precision = tf32` would do)
  4 |   for c in K by 32 {{ acc += dot(x[i, c], w[j, c], over c) * 2; }}
    |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
"""
    compile = ("compile", path, "--target", "sm_80", "--emit", "tilegpu", "--bind")
    require(tilewright(t, *compile, "T=f32", "--remarks", NO_COLOR="1").stderr == remark, "not the remark")
    require(tilewright(t, *compile, "T=f32").stderr == "", "a remark that nobody asked for")
    require(tilewright(t, *compile, "T=bf16", "--remarks").stderr == "", "a remark on a product of tensor cores")
    # A run that finds the code in the cache tells what was told when it was compiled.
    environment = {"NO_COLOR": "1", "TILEWRIGHT_CACHE_DIR": os.path.join(t.folder, "cache")}
    run = ("run", path, "--target", "emulator", "--in", "x=[[1, 2]]:f32", "--in", "w=[[3, 4]]:f32", "--out", "y=-")
    require(tilewright(t, *run, **environment).stderr == "", "a remark that nobody asked for")
    for found in (False, True):
        result = tilewright(t, *run, "--remarks", **environment)
        require(result.stderr == remark and ("it was in the cache" in result.stdout) == found and "y = [[22]]" in result.stdout, result)


@test
def run_may_compile_in_another_process(t):
    source(t, "scale.tile", "fn scale(x: f32) -> f32 = 3 * x;\n")
    path = source(t, "y.tile", 'import "scale.tile";\nkernel k<act: fn(f32) -> f32>(x: f32[N], y: out f32[N])\n'
                  "over (n in N by BN) { require N > 2; y[n] = act(x[n]); }\n")
    outputs = []
    for variable in "", "process":
        outputs.append(os.path.join(t.folder, f"y{variable}.npy"))
        tilewright(t, "run", path, "--bind", "act=scale", "--random", "x=f32[1000]:1", "--out", f"y={outputs[-1]}",
                   TILEWRIGHT_COMPILE=variable)
    t.same(np.load(outputs[1]), np.load(outputs[0]))
    faults = [
        tilewright(t, "run", path, "--bind", "act=scale,BN=77777777", "--random", "x=f32[9]:1", TILEWRIGHT_COMPILE=variable,
                   code=1).stderr for variable in ("", "process")
    ]
    require(faults[0] and faults[0] == faults[1], "\n".join(faults))


@test
def info_tells_targets_versions_and_limits(t):
    text = tilewright(t, "info").stdout
    for word in ("tilewright", "LLVM", "target", "cpu", "limit"):
        require(word in text, text)
    require("targets" in json.loads(tilewright(t, "info", "--json").stdout), "no JSON")


if __name__ == "__main__":
    main()
