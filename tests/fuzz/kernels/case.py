"""Runs one kernel everywhere and says what is wrong, if anything is."""

import dataclasses

import numpy as np

import values
from harness import decode
from host import Context, Failure
from oracle import Oracle, Undecided
from program import text

REFERENCE = "cpu reference"
# Each is compared with the oracle. The first must take a kernel before the others are asked.
TARGETS = ["cpu", REFERENCE, "emulator:sm_80", "emulator:sm_90a"]


def some_targets(seed):
    """The CPU, one of the emulator's architectures, and now and then the others: kernels are worth more than targets."""
    return ["cpu", *[REFERENCE] * (seed % 3 == 0), *[t for n, t in enumerate(TARGETS[2:]) if seed % 2 == n or seed % 5 == 0]]


@dataclasses.dataclass
class Outcome:
    """kind: "ok", "refused" (the kernel is none, or its launch: `message` says why), "undecided", else what went wrong, where
    (`target`), and the details."""

    kind: str
    target: str = ""
    message: str = ""

    @property
    def is_finding(self):
        return self.kind not in ("ok", "refused", "undecided")

    @property
    def key(self):
        """Two findings with one key are taken for the same fault."""
        return self.kind, self.target


class Runner:
    """Contexts of all targets, kept from kernel to kernel."""

    def __init__(self, library):
        self.library, self.contexts = library, {}

    def context(self, target):
        name = target.split()[0]
        if name not in self.contexts:
            self.contexts[name] = Context(self.library, name)
        return self.contexts[name]

    def run(self, kernel, targets, before=lambda target: None):
        """`before` is called with the name of each target, and "oracle", before it is asked."""
        try:
            arguments, inputs = make_arguments(kernel)
        except (IndexError, ValueError, ZeroDivisionError) as error:
            return Outcome("refused", "arguments", f"{type(error).__name__}: {error}")
        source = text(kernel)
        answers, first = {}, None
        for target in targets:
            before(target)
            try:
                answers[target] = self.context(target).run(
                    source, arguments, list(kernel.scalars.values()), kernel.extents, kernel.tunables,
                    "reference" if target == REFERENCE else "", kernel.checked
                )
                status = "ok"
            except Failure as failure:
                status = failure.status
                if status in ("compilation failed", "internal error", "device fault", "damaged artifact"):
                    return Outcome(_kind(failure), target, str(failure))
                if first is None:
                    if status != "assertion failed":
                        return Outcome("refused", status, failure.message + "\n" + str(failure))
                elif status == "unsupported":
                    continue
                elif status != first:
                    return Outcome("refused by one", target, f"{targets[0]}: {first}; {target}: {failure}")
            if first is None:
                first = status
            elif status != first:
                return Outcome("refused by one", targets[0], f"{targets[0]}: {first}; {target}: {status}")
        if first == "assertion failed":
            return Outcome("ok")
        before("oracle")
        oracle = Oracle(kernel, inputs)
        try:
            oracle.run()
            outcomes = oracle.outcomes()
        except Undecided as reason:
            return Outcome("undecided", "oracle", str(reason))
        for target, memory in answers.items():
            for argument in arguments:
                wrong = self.wrong(argument, memory, outcomes)
                if wrong:
                    return Outcome("wrong result", target, wrong)
        return Outcome("ok")

    @staticmethod
    def wrong(argument, memory, outcomes):
        if argument.view.name in outcomes:
            return argument.difference(memory[argument.view.name], outcomes[argument.view.name])
        if memory[argument.view.name].tobytes() != argument.image().tobytes():
            return f"the input {argument.view.name} changed"
        return None


def _kind(failure):
    """The status, and of a report of the emulator the kind of fault."""
    return f"{failure.status}: {failure.message.split(':')[0]}" if failure.status == "device fault" else failure.status


def make_arguments(kernel):
    """Arguments in memory, and what they mean: view → array of f64, i64 or bool."""
    sizes = Oracle(kernel, {})
    absent = {n for n in kernel.views if kernel.views[n].optional and (kernel.data_seed + len(n)) % 3 == 0}
    arguments, inputs = [], {}
    for view in kernel.views.values():
        shape = [int(sizes.evaluate(d).value) for d in view.dimensions]
        if min(shape) < 0 or np.prod([float(n) for n in shape]) > 1 << 20:
            raise ValueError(f"shape {shape} of {view.name}")
        wanted = view.layout.get("indexes")
        extent = int(sizes.evaluate(wanted).value) if wanted is not None else 0
        private = np.random.default_rng([kernel.data_seed & 0xFFFFFFFF, *view.name.encode()])
        raw = values.make(private, view, shape, extent) if view.access != "out" else None
        if view.name in absent:
            continue
        argument = values.Argument(view, shape, raw)
        arguments.append(argument)
        raw = np.zeros(shape, values.raw_type(view.dtype)) if view.access == "out" else argument.raw
        inputs[view.name] = np.array(decode(raw, view.dtype))
    return arguments, inputs


def describe(kernel):
    """What a person needs to run the kernel again."""
    lines = [text(kernel), "// dimensions: " + ", ".join(f"{n} = {v}" for n, v in kernel.extents.items())]
    if kernel.tunables:
        lines.append("// tunables: " + ", ".join(f"{n} = {v}" for n, v in kernel.tunables.items()))
    for scalar in kernel.scalars.values():
        lines.append(f"// {scalar.name} = {scalar.value}")
    if kernel.checked:
        lines.append("// checked mode")
    try:
        arguments, _ = make_arguments(kernel)
    except Exception as error:  # the description of a kernel must not hide what it describes
        return "\n".join([*lines, f"// no arguments: {error}"])
    for argument in arguments:
        line = f"// {argument.view.name}: shape {list(argument.shape)}, strides {argument.strides}, offset {argument.first}"
        if argument.raw is not None and argument.raw.size <= 64:
            line += f", {np.array2string(decode(argument.raw, argument.view.dtype), separator=', ').replace(chr(10), '')}"
        lines.append(line)
    return "\n".join(lines)
