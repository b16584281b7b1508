"""Compares targets on random kernels: the CPU with both schedules, the emulator as sm_80 and sm_90a, and an oracle in NumPy.

A seed is a kernel (generator.py) with its arguments (values.py). Every target's outputs must be what the oracle (oracle.py) computes,
within the roundings that the language allows, and nothing else may be written. What crashes, is reported by the emulator, hangs, or
differs is shrunk (shrink.py) and written to the folder of --findings.

    tests/fuzz/kernels/kernel_fuzz.py --library build/dev/lib/libtilewright.so --seconds 600
    tests/fuzz/kernels/kernel_fuzz.py --library build/dev/lib/libtilewright.so --seeds 1234 --show
"""

import argparse
import collections
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import case  # noqa: E402
import generator  # noqa: E402
from program import text  # noqa: E402
from shrink import shrink  # noqa: E402

KERNELS_PER_PROCESS = 400
SECONDS_PER_KERNEL = 60


def work(pipe, library_path, errors):
    """A process that runs the kernels it is sent. What a crash prints is in the file `errors`."""
    os.environ["TILEWRIGHT_THREADS"] = "1"
    os.environ["TILEWRIGHT_CACHE_DIR"] = "off"
    file = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from host import Library

    runner = case.Runner(Library(library_path))
    while True:
        kernel, targets = pipe.recv()
        try:
            outcome = runner.run(kernel, targets, before=lambda target: pipe.send(("at", target)))
        except Exception:  # a fault of the fuzzer itself is one to be told too
            outcome = case.Outcome("fault of the fuzzer", "", traceback.format_exc())
        pipe.send(("done", outcome))


def processor_seconds(pid):
    """How long a process has run: on a machine that others use, or that stood still, the clock tells nothing."""
    with open(f"/proc/{pid}/stat") as file:
        times = file.read().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A process that runs kernels, and is replaced when a kernel ends it."""

    def __init__(self, library_path, folder):
        self.library_path = library_path
        self.errors = tempfile.mktemp(dir=folder)
        self.process = None
        self.count = 0

    def _start(self):
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(theirs, self.library_path, self.errors), daemon=True)
        self.process.start()
        theirs.close()
        self.count = 0

    def close(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None

    def run(self, kernel, targets):
        if self.count >= KERNELS_PER_PROCESS:
            self.close()
        if not self.process:
            self._start()
        self.count += 1
        target = ""
        try:
            self.pipe.send((kernel, targets))
            begin = processor_seconds(self.process.pid)
            while True:
                while not self.pipe.poll(1):
                    if processor_seconds(self.process.pid) - begin > SECONDS_PER_KERNEL:
                        self.close()
                        return case.Outcome("hang", target, f"no answer in {SECONDS_PER_KERNEL} s of the processor")
                what, value = self.pipe.recv()
                if what == "done":
                    return value
                target = value
        except (EOFError, ConnectionError, FileNotFoundError):
            self.process.join()
            code = self.process.exitcode
            self.process = None
            with open(self.errors, errors="replace") as file:
                return case.Outcome("crash", target, f"exit code {code}\n{file.read()[-3000:]}")


class Campaign:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.refusals = collections.Counter()
        self.examples = {}
        self.findings = 0
        self.known = set()
        self.seeds = iter(options.seeds)
        self.end = time.monotonic() + options.seconds if options.seconds else None

    def next_seed(self):
        with self.lock:
            if self.end and time.monotonic() > self.end:
                return None
            return next(self.seeds, None)

    def run(self):
        with tempfile.TemporaryDirectory(prefix="tilewright-fuzz-") as folder:
            threads = [threading.Thread(target=self.loop, args=(folder,)) for _ in range(self.options.jobs)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def loop(self, folder):
        worker = Worker(self.options.library, folder)
        while (seed := self.next_seed()) is not None:
            kernel = generator.generate(seed)
            begin = time.monotonic()
            outcome = worker.run(kernel, self.options.targets or case.some_targets(seed))
            if self.options.verbose:
                print(f"{seed}: {outcome.kind} {outcome.message.splitlines()[0] if outcome.message else ''} ({time.monotonic() - begin:.2f} s)")
            with self.lock:
                self.counts[outcome.kind] += 1
                if outcome.kind in ("refused", "undecided"):
                    reason = f"{outcome.target}: {_reason(outcome.message)}"
                    self.refusals[reason] += 1
                    self.examples.setdefault(reason, seed)
            if outcome.is_finding:
                self.found(worker, seed, kernel, outcome)
        worker.close()

    def found(self, worker, seed, kernel, outcome):
        with self.lock:
            self.findings += 1
        print(f"seed {seed}: {outcome.kind} on {outcome.target}: {outcome.message.splitlines()[0] if outcome.message else ''}", flush=True)
        if self.options.shrink:
            targets = list(dict.fromkeys(["cpu", outcome.target])) if outcome.target in case.TARGETS else ["cpu"]
            kernel = shrink(kernel, lambda smaller: worker.run(smaller, targets).key == outcome.key)
            outcome = worker.run(kernel, targets)
        report = f"// seed {seed}: {outcome.kind} on {outcome.target}\n" + "".join(
            f"// {line}\n" for line in outcome.message.splitlines()
        ) + case.describe(kernel)  # fmt: skip
        print(report, flush=True)
        if self.options.findings:
            os.makedirs(self.options.findings, exist_ok=True)
            path = os.path.join(self.options.findings, f"seed{seed}")
            with open(path + ".tile", "w") as file:
                file.write(report + "\n")
            with open(path + ".kernel", "wb") as file:
                pickle.dump(kernel, file)


def _reason(message):
    """A message without what differs from kernel to kernel."""
    lines = message.splitlines()
    line = next((l for l in lines[1:] if ": error: " in l), lines[0] if lines else "")
    line = line.split(": error: ", 1)[-1]
    return "".join("#" if c.isdigit() else c for c in line)[:110]


def seed_ranges(words):
    """`7`, `10-20`, or the name of a file with such words (# begins a comment)."""
    for word in words:
        if os.path.exists(word):
            with open(word) as file:
                yield from seed_ranges(w for line in file for w in line.split("#")[0].split())
        else:
            first, _, last = word.partition("-")
            yield from range(int(first), int(last or first) + 1)


def count_from(first):
    while True:
        yield first
        first += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--library", required=True, help="path of libtilewright.so")
    parser.add_argument("--seeds", nargs="+", default=[], help="seeds, ranges 10-20, or files of them; default: from --from on, for ever")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first seed, without --seeds")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so many seconds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="kernels at a time")
    parser.add_argument("--targets", nargs="+", help=f"of {', '.join(case.TARGETS)}; default: some for each kernel")
    parser.add_argument("--findings", help="a folder for the kernels that show a fault")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false", help="show the kernels as they were generated")
    parser.add_argument("--show", action="store_true", help="print the kernels instead of running them")
    parser.add_argument("--replay", nargs="+", metavar="FILE", help="run kernels that a finding left (.kernel)")
    parser.add_argument("--require", type=int, default=1, metavar="N", help="fail unless N kernels ran everywhere")
    parser.add_argument("--verbose", action="store_true", help="print a line for each seed")
    options = parser.parse_args()
    options.seeds = list(seed_ranges(options.seeds)) if options.seeds else count_from(options.first)
    if options.show:
        for seed in options.seeds:
            print(case.describe(generator.generate(seed)))
        return
    if options.replay:
        with tempfile.TemporaryDirectory() as folder:
            worker = Worker(options.library, folder)
            for path in options.replay:
                with open(path, "rb") as file:
                    kernel = pickle.load(file)
                outcome = worker.run(kernel, options.targets or case.TARGETS)
                print(f"{path}: {outcome.kind} {outcome.target}: {outcome.message}\n{text(kernel)}")
            worker.close()
        return
    begin = time.monotonic()
    campaign = Campaign(options)
    campaign.run()
    total = sum(campaign.counts.values())
    print(f"{total} kernels in {time.monotonic() - begin:.0f} s: " + ", ".join(f"{n} {k}" for k, n in campaign.counts.most_common()))
    if options.verbose or campaign.counts["refused"]:
        for reason, count in campaign.refusals.most_common(40):
            print(f"  {count} times (seed {campaign.examples[reason]}) {reason}")
    if campaign.counts["ok"] < options.require:
        print(f"only {campaign.counts['ok']} kernels ran everywhere, expected {options.require}")
        sys.exit(1)
    sys.exit(1 if campaign.findings else 0)


if __name__ == "__main__":
    main()
