"""The tree of a kernel, and its text.

An expression is a Node: an operation, its dtype, its operands, and what else the operation needs in `info`. A statement is a
Statement with expressions and blocks. Generator, oracle and shrinker share these two classes; only `text` knows the syntax.
"""

import copy
import dataclasses


@dataclasses.dataclass
class Axis:
    """A variable of a grid or a loop, or `let d = span(n)`. `low` and `high` are integer expressions; with `parent`, the range is that
    axis's span instead. `by` is None (each index in turn), a number, or a tunable's name. `dimension` is the name of the dimension
    that the axis runs over whole, so that it may stand bare as an index of it."""

    name: str
    low: object = None
    high: object = None
    parent: object = None
    by: object = None
    dimension: object = None
    constant: bool = False  # let d = span(n)
    extent: object = None  # an integer expression that is above all of its indices
    partition: object = None  # the axis of which each index has a part of the range, by memory
    loose: bool = False  # memory, or an axis before it, decides where it ends: its indices need an `else`

    @property
    def is_span(self):
        return self.by is not None or self.constant

    @property
    def is_exact(self):
        """Whether its pieces are the same whatever the tunables are."""
        return not isinstance(self.by, str) and (self.parent is None or self.parent.is_exact)


class Node:
    __slots__ = ("op", "dtype", "args", "info")

    def __init__(self, op, dtype, args=(), **info):
        self.op, self.dtype, self.args, self.info = op, dtype, list(args), info

    @property
    def axes(self):
        """Names of the axes of its value."""
        if self.op == "index":
            axis = self.info["axis"]
            return frozenset([axis.name]) if axis.is_span else frozenset()
        if self.op == "reference":
            own = self.info["axes"]
        else:
            own = frozenset()
        for arg in self.args:
            own |= arg.axes
        return own - frozenset(a.name for a in self.info.get("over", ())) if self.op not in SCANS else own


SCANS = ("cumsum", "scan")


@dataclasses.dataclass
class View:
    name: str
    dtype: str
    dimensions: list  # of integer expressions
    access: str = ""  # "", "out", "inout"
    pack: bool = False  # the first dimension is written NAME...
    optional: bool = False
    contents: str = "normal"  # what its elements are, see values.py
    layout: dict = dataclasses.field(default_factory=dict)  # how it lies in memory, see values.py


@dataclasses.dataclass
class Scalar:
    name: str
    dtype: str
    value: object


@dataclasses.dataclass
class Statement:
    """kind: let, letmany, span, var, assign, for, if, while, store."""

    kind: str
    info: dict
    expressions: list = dataclasses.field(default_factory=list)
    blocks: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Kernel:
    axes: list
    body: list
    views: dict  # name → View
    scalars: dict  # name → Scalar
    extents: dict  # dimension → its size
    tunables: dict  # bound ones: name → size
    functions: set = dataclasses.field(default_factory=set)  # names in FUNCTIONS
    data_seed: int = 0
    checked: bool = False

    def copy(self):
        return copy.deepcopy(self)


# Associative functions of reduce and scan, with the dtypes of their states.
FUNCTIONS = {
    "affine": (("i32", "i32"), "fn affine(a: i32, b: i32, c: i32, d: i32) -> (i32, i32) = (a * c, b * c + d);"),
    "first": (("f32",), "fn first(a: f32, b: f32) -> f32 = a;"),
    "last": (("f32",), "fn last(a: f32, b: f32) -> f32 = b;"),
    "later": (
        ("i64", "f32"), "fn later(i: i64, v: f32, j: i64, w: f32) -> (i64, f32) = (where(w >= v, j, i), where(w >= v, w, v));"
    ),
    "segment": (
        ("bool", "i32"), "fn segment(h: bool, v: i32, g: bool, w: i32) -> (bool, i32) = (h or g, where(g, w, v + w));"
    ),
    "exclusive": (("i64",), "fn exclusive(a: i64, b: i64) -> i64 = a ^ b;"),
}  # fmt: skip

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and_": "and", "or_": "or", "eq": "==", "ne": "!=", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=", "bitand": "&", "bitor": "|", "bitxor": "^", "shl": "<<", "shr": ">>"
}  # fmt: skip


def literal_text(value, dtype):
    if dtype == "bool":
        return "true" if value else "false"
    if value != value:
        text = "nan"
    elif value in (float("inf"), float("-inf")):
        text = "inf" if value > 0 else "-inf"
    elif dtype.startswith(("f", "bf")):
        text = repr(float(value))
    else:
        text = str(int(value))
    if dtype in ("f32", "i64"):
        return f"({text})" if text.startswith("-") else text
    return f"{dtype}({text})"


def expression_text(node):
    args = [expression_text(a) for a in node.args]
    op = node.op
    if op == "literal":
        return literal_text(node.info["value"], node.dtype)
    if op in ("dimension", "scalar", "reference"):
        return node.info["name"]
    if op == "index":
        return node.info["axis"].name
    if op in ("start", "end"):
        return f"{node.info['axis'].name}.{op}"
    if op in INFIX:
        return f"({args[0]} {INFIX[op]} {args[1]})"
    if op == "negate":
        return f"(-{args[0]})"
    if op == "not_":
        return f"(not {args[0]})"
    if op == "cast":
        return f"{node.dtype}({args[0]})"
    if op in ("load", "old"):
        view = node.info["view"]
        if node.info.get("outside"):
            return f"{view}[{', '.join(args[:-1])}, else {args[-1]}]"
        return f"{view}[{', '.join(args)}]"
    if "over" in node.info:
        args += ["over " + ", ".join(a.name for a in node.info["over"])]
    if "precision" in node.info:
        args += [f"precision = {node.info['precision']}"]
    if op in ("reduce", "scan"):
        args.insert(0, node.info["function"])
    return f"{op}({', '.join(args)})"


def range_text(axis):
    if axis.parent is not None:
        text = axis.parent.name
    else:
        text = expression_text(axis.high)
        if axis.low is not None:
            text = f"{expression_text(axis.low)}..{text}"
    return f"{axis.name} in {text}" + (f" by {axis.by}" if axis.by is not None else "")


def place_text(info, places):
    if not places:
        return info["name"]
    inner = ", ".join(expression_text(p) for p in places)
    return f"{info['name']}[{inner}{', else drop' if info.get('drop') else ''}]"


def statement_lines(statement, indent):
    pad = "  " * indent
    kind, info, expressions = statement.kind, statement.info, [expression_text(e) for e in statement.expressions]
    if kind == "let":
        yield f"{pad}let {info['name']} = {expressions[0]};"
    elif kind == "letmany":
        yield f"{pad}let ({', '.join(info['names'])}) = {expressions[0]};"
    elif kind == "span":
        yield f"{pad}let {info['axis'].name} = span({expression_text(info['axis'].high)});"
    elif kind == "var":
        axes = f"[{', '.join(info['axes'])}]" if info["axes"] else ""
        yield f"{pad}var {info['name']}: {info['dtype']}{axes} = {expressions[0]};"
    elif kind == "assign":
        yield f"{pad}{info['name']} {info['op']} {expressions[0]};"
    elif kind == "store":
        prefix = "atomic " if info.get("atomic") else ""
        yield f"{pad}{prefix}{place_text(info, statement.expressions[:-1])} {info['op']} {expressions[-1]};"
    else:
        head = {
            "for": lambda: "for " + ", ".join(range_text(a) for a in info["axes"]), "if": lambda: f"if {expressions[0]}",
            "while": lambda: f"while {expressions[0]}", "present": lambda: f"if {info['name']}"
        }[kind]()  # fmt: skip
        yield f"{pad}{head} {{"
        for number, block in enumerate(statement.blocks):
            if number:
                yield f"{pad}}} else {{"
            for inner in block:
                yield from statement_lines(inner, indent + 1)
        yield f"{pad}}}"


def view_text(view):
    dimensions = [expression_text(d) for d in view.dimensions]
    if view.pack:
        dimensions[0] += "..."
    access = view.access + " " if view.access else ""
    return f"{view.name}: {access}{view.dtype}[{', '.join(dimensions)}]{'?' if view.optional else ''}"


def text(kernel):
    parameters = [view_text(v) for v in kernel.views.values()] + [f"{s.name}: {s.dtype}" for s in kernel.scalars.values()]
    lines = [FUNCTIONS[f][1] for f in sorted(kernel.functions)]
    lines += ["kernel k(" + ", ".join(parameters) + ")", f"over ({', '.join(range_text(a) for a in kernel.axes)}) {{"]
    for statement in kernel.body:
        lines += statement_lines(statement, 1)
    return "\n".join(lines + ["}", ""])


# ---- walking ---------------------------------------------------------------------------------------------------------


def blocks(kernel):
    """Every list of statements, outermost first."""
    stack = [kernel.body]
    while stack:
        block = stack.pop()
        yield block
        for statement in block:
            stack += statement.blocks


def statements(kernel):
    for block in blocks(kernel):
        yield from block


def slots(kernel):
    """(list, position) of every expression that is a statement's or a range's, and of every operand."""
    stack = [(s.expressions, n) for s in statements(kernel) for n in range(len(s.expressions))]
    while stack:
        holder, position = stack.pop()
        yield holder, position
        node = holder[position]
        stack += [(node.args, n) for n in range(len(node.args))]


def all_axes(kernel):
    yield from kernel.axes
    for statement in statements(kernel):
        if statement.kind == "for":
            yield from statement.info["axes"]
        elif statement.kind == "span":
            yield statement.info["axis"]


def nodes(kernel):
    stack = [e for s in statements(kernel) for e in s.expressions]
    stack += [e for a in all_axes(kernel) for e in (a.low, a.high) if e is not None]
    stack += [d for v in kernel.views.values() for d in v.dimensions]
    for node in stack:
        yield from _nodes_of(node)


def _nodes_of(node):
    yield node
    for arg in node.args:
        yield from _nodes_of(arg)


def remove_unused(kernel):
    """Drops the parameters, dimensions, functions and tunables that nothing names any more."""
    used = {s.info["name"] for s in statements(kernel) if s.kind in ("store", "present")}
    found = list(nodes(kernel))
    used |= {n.info["view"] for n in found if n.op in ("load", "old")} | {n.info["name"] for n in found if n.op == "scalar"}
    kernel.views = {n: v for n, v in kernel.views.items() if n in used}
    kernel.scalars = {n: s for n, s in kernel.scalars.items() if n in used}
    kernel.functions = {n.info["function"] for n in found if n.info.get("function") in FUNCTIONS}
    dimensions = {n.info["name"] for n in nodes(kernel) if n.op == "dimension"}
    kernel.extents = {n: e for n, e in kernel.extents.items() if n in dimensions}
    tunables = {a.by for a in all_axes(kernel) if isinstance(a.by, str)}
    kernel.tunables = {n: v for n, v in kernel.tunables.items() if n in tunables}
    bind_dimensions(kernel)


def bind_dimensions(kernel):
    """A dimension is known from a view that has it plainly. Where none that is always there has, one is added."""
    plain = {
        d.info["name"] for v in kernel.views.values() if not v.optional for d in v.dimensions if d.op == "dimension"
    }  # fmt: skip
    for name in kernel.extents:
        if name not in plain:
            view = f"of_{name}"
            kernel.views[view] = View(view, "bool", [Node("dimension", "i64", name=name)])
