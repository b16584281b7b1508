"""Checks a dialect's manual, the .td files of dialects/DIALECT, against the dialect:

- every example in it parses, verifies and prints as something that parses again;
- every operation has a description and an example;
- every constraint's label stands in a verifier and in the name of a test that breaks it.

usage: check_manual.py <source root> <DIALECT>      (tile-opt is found in PATH)
"""
import pathlib
import re
import subprocess
import sys

PLACEHOLDER = "// the example stands here"


def definitions(text, dialect):
    """Name and body of each operation, attribute and type that a .td file defines."""
    parts = re.split(rf"^def {dialect}_(\w+) : ", text, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2]))


def examples(body):
    return [re.sub(r"^ {4,6}", "", block, flags=re.M) for block in re.findall(r"```mlir\n(.*?)```", body, flags=re.S)]


def wrapped(example, stage):
    """The example in what it needs around it."""
    first = example.split()[0]
    if first.startswith("#"):
        return f"func.func private @attribute() attributes {{example = {example.strip()}}}"
    if first.startswith(("tensor", "!")):
        return f"func.func private @type({example.strip()})"
    if first == "tile.kernel":
        return stage[:stage.index("tile.kernel")] + example
    if first == "tile.parallel":
        return "tile.kernel @k(%M: i64, %N: i64) dimensions = 2 {\n%c0 = arith.constant 0 : i64\n" + example + "}\n"
    return stage.replace(PLACEHOLDER, example)


def tile_opt(text):
    result = subprocess.run(["tile-opt", "-"], input=text, capture_output=True, text=True)
    return result.stdout if result.returncode == 0 else None, result.stderr


def check_example(name, example, stage, errors):
    printed, message = tile_opt(wrapped(example, stage))
    if printed is None:
        errors.append(f"{name}: the example does not parse:\n{example}\n{message}")
        return
    again, message = tile_opt(printed)
    if again != printed:
        errors.append(f"{name}: the example does not survive printing:\n{example}\n{message}")


def check_labels(folder, dialect, manual, errors):
    labels = re.findall(r"^ *- (\w+_c\d+): ", manual, flags=re.M)
    code = "".join(path.read_text() for path in (folder / "dialects" / dialect).glob("*.cpp"))
    tests = "".join(path.read_text() for path in (folder / "tests" / dialect.lower()).glob("*.mlir"))
    for label in labels:
        if not re.search(rf"// (\w+_c\d+ )*{label}\b", code):
            errors.append(f"{label}: no verifier names it")
        if not re.search(rf"[@\"]{label}(_\w+)?\b", tests):
            errors.append(f"{label}: no test has its name")
    for label in set(re.findall(r"// .*?\b(\w+_c\d+)\b", code)) - set(labels):
        errors.append(f"{label}: the manual does not have it")
    return len(labels)


def main():
    folder, dialect = pathlib.Path(sys.argv[1]), sys.argv[2]
    paths = [folder / "dialects" / dialect / f"{dialect}{part}.td" for part in ("Dialect", "Types")]
    paths += sorted((folder / "dialects" / dialect).glob(f"{dialect}*Ops.td"))
    texts = [path.read_text() for path in paths]
    stage = examples(texts[0])[0]
    errors = []
    if tile_opt(stage)[0] is None:
        errors.append(f"the stage of the examples does not parse:\n{tile_opt(stage)[1]}")
    count = 0
    for name, body in definitions("\n".join(texts[1:]), dialect):
        if "Enum" in name or body.startswith(("Type<", "AnyTypeOf", "Resource<")):
            continue
        found = examples(body)
        if not found:
            errors.append(f"{name}: no example")
        for example in found:
            check_example(name, example, stage, errors)
            count += 1
    labels = check_labels(folder, dialect, "\n".join(texts), errors)
    print("\n".join(errors))
    print(f"{count} examples, {labels} constraints, {len(errors)} errors")
    sys.exit(bool(errors))


main()
