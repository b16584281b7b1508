"""Random kernels that the front end must accept, and whose results do not depend on tunables.

The second rule is kept so: a value of a tunable's span is reduced only into a variable or an output that adds up all spans (`+=` of a
sum, `max=` of a maximum), and such a variable is not read in that loop. Spans of a constant size are free: the oracle walks their
pieces.
"""

import random

from program import FUNCTIONS, Axis, Kernel, Node, Scalar, Statement, View, all_axes, nodes, remove_unused, statements

FLOATS = ["f32", "f16", "bf16", "f8e4m3", "f8e5m2"]
NARROW = ["f16", "bf16", "f8e4m3", "f8e5m2"]
ALL = ["f64", *FLOATS, "i64", "i32", "i16", "i8", "u8", "bool"]
ACCUMULATOR = {**{d: "f32" for d in FLOATS}, "f64": "f64", "i64": "i64", "i32": "i32", "i16": "i32", "i8": "i32", "u8": "i32"}
WIDER = {
    "f32": ["f32", "f16", "bf16", "f8e4m3", "f8e5m2"], "f64": ["f64", "f32"], "i32": ["i32", "i16", "i8", "u8"], "i64": ["i64", "i32"]
}  # fmt: skip
SIZES = [1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 23, 31, 32, 33]
LARGE = [40, 48, 63, 64, 65, 70, 96, 100, 127, 128, 130, 160]
LARGEST_TILE = 1 << 13
BLOCKS = [1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 24, 32, 48, 64]
UNARY = ["abs", "floor", "ceil", "round", "exp", "exp2", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "erf", "sigmoid"]

FAST = ["exp", "exp2", "log", "log2", "sin", "cos", "tanh", "sigmoid", "rsqrt"]


def is_float(dtype):
    return dtype[0] in "fb" and dtype != "bool"


def literal(value, dtype):
    return Node("literal", dtype, value=value)


def dimension(name):
    return Node("dimension", "i64", name=name)


def number(value):
    return literal(value, "i64")


def index(axis):
    return Node("index", "i64", axis=axis)


def is_literal(node, value=None):
    return node.op == "literal" and (value is None or node.info["value"] == value)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.views, self.scalars, self.extents, self.tunables, self.functions = {}, {}, {}, {}, set()
        self.spans = []  # span axes in scope
        self.singles = []  # axes without `by` in scope
        self.references = []  # (name, dtype, axes) of let and var
        self.frozen = set()  # variables that the enclosing loop accumulates
        self.around = []  # axes that a place must name: the grid's, and of enclosing loops
        self.counter = 0
        self.budget = 0
        self.contents = self.random.choice(["small", "small", "normal", "normal", "special", "mixed"])
        self.in_while = False

    # ---- small choices -----------------------------------------------------------------------------------------------------

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        return choices[self.random.randrange(len(choices))]

    def weighted(self, pairs):
        """One of (weight, value), where weights of 0 are never chosen."""
        total = sum(w for w, _ in pairs)
        at = self.random.random() * total
        for weight, value in pairs:
            at -= weight
            if at < 0:
                return value
        return pairs[-1][1]

    def name(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def subset(self, items, least=0):
        chosen = [i for i in items if self.chance(0.6)]
        while len(chosen) < min(least, len(items)):
            missing = [i for i in items if i not in chosen]
            chosen.append(self.pick(missing))
        return chosen

    # ---- the kernel ----------------------------------------------------------------------------------------------------------

    def kernel(self):
        self.large = self.chance(0.1)
        shape = self.weighted([(6, "free"), (4, "product"), (2, "row"), (1, "scatter")])
        axes = self.grid(shape)
        self.budget = 50
        body = []
        if shape == "product":
            body += self.product()
        elif shape == "row":
            body += self.row()
        for _ in range(self.random.randint(0, 3) if shape != "free" else self.random.randint(1, 4)):
            body += self.item(2)
        if shape == "scatter":
            body += self.scatter()
        stores = 1 if shape == "product" else self.random.randint(1, 2)
        for _ in range(stores):
            body += self.final_store()
        kernel = Kernel(axes, body, self.views, self.scalars, self.extents, self.tunables, self.functions, self.seed)
        kernel.checked = self.chance(0.06)
        remove_unused(kernel)
        self.limit_tiles(kernel)
        return kernel

    def limit_tiles(self, kernel):
        """Binds tunables until no tile is large: code for a GPU grows with a thread's part of one, and so does the time to compile it."""
        tiles = [(n.axes | {a.name for a in n.info.get("over", ())}) for n in nodes(kernel)]
        tiles += [frozenset().union(*(e.axes for e in s.expressions)) for s in statements(kernel) if s.kind == "store"]
        spans = {a.name: a for a in all_axes(kernel) if a.is_span}
        while True:
            size, tunables = max((self.tile_size([spans[n] for n in tile], kernel) for tile in set(tiles)), key=lambda found: found[0], default=(0, []))
            wide = [t for t in tunables if kernel.tunables.get(t, 64) > 1]
            if size <= LARGEST_TILE or not wide:
                return
            widest = max(wide, key=lambda t: kernel.tunables.get(t, 64))
            kernel.tunables[widest] = kernel.tunables.get(widest, 64) // 2

    @staticmethod
    def tile_size(axes, kernel):
        """How many elements a tile has at most, and the tunables that this follows from."""
        size, tunables = 1, []
        for axis in axes:
            if isinstance(axis.by, str):
                size *= kernel.tunables.get(axis.by, 64)
                tunables.append(axis.by)
            else:
                size *= axis.high.info["value"] if axis.constant else axis.by
        return size, tunables

    def new_dimension(self):
        name = "MNPQRSTUVW"[len(self.extents)] if len(self.extents) < 10 else f"D{len(self.extents)}"
        if self.chance(0.03):
            size = 0
        else:
            size = self.pick(LARGE) if self.large and self.chance(0.6) else self.pick(SIZES)
        self.extents[name] = size
        return name

    def old_or_new_dimension(self):
        return self.pick(list(self.extents)) if self.extents and self.chance(0.25) else self.new_dimension()

    def block(self, exact=False):
        """What stands after `by`."""
        if exact or self.chance(0.25):
            return self.pick(BLOCKS[2:10])
        if self.tunables is not None and self.chance(0.1) and self.all_tunables:
            return self.pick(self.all_tunables)
        name = f"B{chr(65 + len(self.all_tunables))}"
        self.all_tunables.append(name)
        if self.chance(0.55):
            self.tunables[name] = self.pick(BLOCKS if len(self.all_tunables) < 3 else BLOCKS[:8])
        return name

    def grid(self, shape):
        self.all_tunables = []
        axes = []
        count = 2 if shape == "product" else self.weighted([(1, 0), (4, 1), (5, 2), (2, 3)])
        for number_of in range(count):
            axis = self.grid_axis(axes, shape)
            axes.append(axis)
            self.enter(axis)
            self.around.append(axis)
        return axes

    def grid_axis(self, earlier, shape):
        spans = [a for a in earlier if a.is_span and not a.loose]
        exact = [a for a in spans if a.is_exact and a.parent is None]
        singles = [a for a in earlier if not a.is_span and not a.loose]
        kind = self.weighted(
            [
                (10, "whole"), (1, "scaled"), (1, "between"), (1 if exact else 0, "triangle"),
                (1 if singles else 0, "triangle of one"), (1 if exact else 0, "part"), (2 if singles else 0, "partition")
            ]
        )  # fmt: skip
        if shape == "product":
            kind = "whole"
        by = None if self.chance(0.2) and shape != "product" else self.block()
        name = self.name("i")
        if kind == "whole":
            d = self.old_or_new_dimension() if shape != "product" else self.new_dimension()
            return Axis(name, None, dimension(d), by=by, dimension=d, extent=dimension(d))
        if kind == "scaled":
            high = Node("mul", "i64", [number(self.random.randint(2, 3)), dimension(self.new_dimension())])
            return Axis(name, None, high, by=by, extent=high)
        if kind == "between":
            d = dimension(self.old_or_new_dimension())
            return Axis(name, number(self.random.randint(0, 3)), d, by=by, extent=d)
        if kind == "triangle":
            axis = self.pick(exact)
            return Axis(name, None, Node("end", "i64", axis=axis), by=by, extent=axis.extent, loose=True)
        if kind == "triangle of one":
            axis = self.pick(singles)
            return Axis(
                name, None, Node("add", "i64", [index(axis), number(1)]), by=by, extent=axis.extent, loose=True
            )
        if kind == "part":
            axis = self.pick(exact)
            return Axis(name, None, axis.high, axis, by=by or 3, dimension=axis.dimension, extent=axis.extent, loose=axis.loose)
        # Each index of an earlier axis has a part of the range.
        axis = self.pick(singles)
        whole = dimension(self.new_dimension())
        cuts = View(self.name("x"), self.pick(["i32", "i64"]), [Node("add", "i64", [axis.extent, number(1)])], contents="offsets")
        cuts.layout["indexes"] = whole
        self.views[cuts.name] = cuts
        low = Node("load", cuts.dtype, [index(axis)], view=cuts.name, outside=False)
        high = Node("load", cuts.dtype, [Node("add", "i64", [index(axis), number(1)])], view=cuts.name, outside=False)
        return Axis(name, low, high, by=by, extent=whole, loose=True, partition=axis)

    def enter(self, axis):
        (self.spans if axis.is_span else self.singles).append(axis)

    def leave(self, axis):
        (self.spans if axis.is_span else self.singles).remove(axis)

    # ---- statements ----------------------------------------------------------------------------------------------------------

    def item(self, depth):
        """Some statements."""
        kind = self.weighted(
            [
                (3, "let"), (1.5, "span" if len(self.spans) < 3 else "let"), (3, "variable"), (4 if depth else 0, "reduction loop"),
                (2 if depth else 0, "exact loop"), (2 if depth and not self.in_while else 0, "store loop"), (1.5, "fold"),
                (1, "while" if depth and not self.in_while else "let"), (2, "accumulate"), (1 if depth else 0, "optional"),
                (1 if depth else 0, "carry")
            ]
        )  # fmt: skip
        return getattr(self, "item_" + kind.replace(" ", "_"))(depth)

    def item_let(self, depth):
        dtype = self.pick(["f32", "f32", "f32", "i32", "i64", "f64", "bool", *NARROW])
        value = self.expression(dtype, self.spans, 3)
        return [self.let(value)]

    def let(self, value):
        name = self.name("t")
        self.references.append((name, value.dtype, value.axes))
        return Statement("let", dict(name=name), [value])

    def item_span(self, depth):
        size = self.pick([1, 2, 3, 4, 5, 7, 8, 12, 16, 17])
        axis = Axis(self.name("d"), None, number(size), constant=True, extent=number(size))
        statement = Statement("span", dict(axis=axis))
        self.spans.append(axis)
        value = self.let(self.with_axes(self.expression("f32", self.spans, 2), [axis]))
        return [statement, value]

    def item_fold(self, depth):
        """reduce or scan of several values, over an axis whose pieces are fixed."""
        exact = [a for a in self.spans if a.is_exact]
        if not exact:
            return self.item_span(depth) if len(self.spans) < 3 else self.item_let(depth)
        axis = self.pick(exact)
        function = self.pick(["affine", "later", "segment"])
        dtypes = FUNCTIONS[function][0]
        self.functions.add(function)
        operation = self.pick(["reduce", "scan"])
        args = [self.with_axes(self.expression(d, self.spans, 1), [axis]) for d in dtypes]
        fold = Node(operation, dtypes[0], args, over=[axis], function=function)
        names = [self.name("t") for _ in dtypes]
        for name, dtype in zip(names, dtypes):
            self.references.append((name, dtype, fold.axes))
        return [Statement("letmany", dict(names=names), [fold])]

    def variable(self, dtype, axes, value):
        name = self.name("v")
        return name, Statement("var", dict(name=name, dtype=dtype, axes=[a.name for a in axes]), [value])

    def item_variable(self, depth):
        axes = self.subset(self.spans, 1)
        dtype = self.pick(["f32", "f32", "i32", "f64", "i64"])
        name, first = self.variable(dtype, axes, self.expression(dtype, axes, 2))
        statements = [first]
        own = frozenset(a.name for a in axes)
        for _ in range(self.random.randint(0, 2)):
            statements.append(self.change(name, dtype, axes))
        if self.chance(0.3):
            condition = self.condition()
            blocks = [[self.change(name, dtype, axes)]]
            if self.chance(0.5):
                blocks.append([self.change(name, dtype, axes)])
            statements.append(Statement("if", {}, [condition], blocks))
        self.references.append((name, dtype, own))
        return statements

    def change(self, name, dtype, axes, readable=True):
        """An assignment to a variable. With `=` the value has all its axes, since it has the variable."""
        op = self.pick(["+=", "-=", "max=", "min=", "*=", "="]) if readable else self.pick(["+=", "-="])
        value = self.expression(dtype, axes, 2)
        if op == "=":
            own = Node("reference", dtype, name=name, axes=frozenset(a.name for a in axes))
            value = self.combined(dtype, own, value)
        return Statement("assign", dict(name=name, op=op), [value])

    def combined(self, dtype, a, b):
        if dtype == "bool":
            return Node(self.pick(["and_", "or_"]), dtype, [a, b])
        if dtype in ("i32", "i64"):
            return Node(self.pick(["add", "sub", "bitxor", "max", "min"]), dtype, [a, b])
        if dtype in ("f32", "f64"):
            return Node(self.pick(["add", "sub", "mul", "max", "min"]), dtype, [a, b])
        return Node("where", dtype, [self.expression("bool", [], 1), a, b]) if self.chance(0.3) else Node(
            "cast", dtype, [self.combined("f32" if is_float(dtype) else "i32", a, b)]
        )  # fmt: skip

    def with_axes(self, value, axes):
        """The value, made to have these axes."""
        missing = [a for a in axes if a.name not in value.axes]
        if not missing:
            return value
        return self.combined(value.dtype, self.load(value.dtype, missing, all_of_them=True), value)

    def condition(self):
        choices = [(2, "dimension")]
        choices += [(3, "single")] if self.singles else []
        exact = [a for a in self.spans if a.is_exact and a.by]
        choices += [(3, "start")] if exact else []
        whole = [a for a in self.spans if a.is_exact]
        choices += [(3, "any")] if whole else []
        kind = self.weighted(choices)
        if kind == "single":
            parity = Node("rem", "i64", [index(self.pick(self.singles)), number(self.random.randint(2, 3))])
            return Node("eq", "bool", [parity, number(self.random.randint(0, 1))])
        if kind == "start":
            return Node(self.pick(["eq", "gt"]), "bool", [Node("start", "i64", axis=self.pick(exact)), number(0)])
        if kind == "any":
            axes = self.subset(whole, 1)
            return Node(self.pick(["any", "all"]), "bool", [self.with_axes(self.expression("bool", axes, 1), axes)], over=axes)
        if self.extents and self.chance(0.5):
            left = dimension(self.pick(list(self.extents)))
        else:
            left = self.scalar("i64")
        return Node(self.pick(["gt", "le"]), "bool", [left, number(self.pick([1, 5, 16]))])

    def loop_axis(self, exact, single=False):
        kind = self.weighted([(8, "whole"), (2, "constant"), (1, "between"), (2, "part" if self.spans else "whole"), (1, "memory")])
        by = None if single else self.block(exact)
        name = self.name("k")
        if kind == "constant" or single and kind in ("part", "memory"):
            size = number(self.random.randint(1, 4 if single else 20))
            return Axis(name, None, size, by=by, extent=size)
        if kind == "part":
            parents = [a for a in self.spans if a.by is not None and a.is_exact]
            if parents:
                parent = self.pick(parents)
                return Axis(
                    name, None, parent.high, parent, by=by or 3, dimension=parent.dimension, extent=parent.extent, loose=parent.loose
                )
        if kind == "between" and not single:
            d = dimension(self.old_or_new_dimension())
            return Axis(name, number(self.random.randint(0, 2)), d, by=by, extent=d)
        if kind == "memory" and not single and self.singles:
            # The end comes from memory, and is bounded.
            d = dimension(self.old_or_new_dimension())
            length = self.load_at("i32", [(index(self.singles[0]), self.singles[0].extent, self.singles[0].loose)], "small")
            high = Node("min", "i64", [Node("max", "i64", [Node("cast", "i64", [length]), number(0)]), d])
            return Axis(name, None, high, by=by, extent=d)
        d = self.old_or_new_dimension() if not single or self.chance(0.3) else None
        if d is None or single and self.extents[d] > 12:
            size = number(self.random.randint(1, 5))
            return Axis(name, None, size, by=by, extent=size)
        return Axis(name, None, dimension(d), by=by, dimension=d, extent=dimension(d))

    def tunable_around(self):
        """The span axes around that have no fixed pieces: what is accumulated must be reduced over them."""
        return [a for a in self.around if a.is_span and not a.is_exact]

    def item_reduction_loop(self, depth):
        """var a = …; for k in … { a += sum(…, over k); }"""
        kept = self.spans[:]
        axes = self.subset(kept, 1)[:2]
        dtype = self.pick(["f32", "f32", "f32", "i32", "f64", "i64"])
        variables, statements = [], []
        for _ in range(self.random.randint(1, 2)):
            op = self.pick(["+=", "+=", "+=", "-=", "max=", "min="])
            value = self.constant(dtype) if op not in ("max=", "min=") or not is_float(dtype) else literal(
                float("-inf") if op == "max=" else float("inf"), dtype
            )  # fmt: skip
            name, statement = self.variable(dtype, axes, value)
            variables.append((name, op))
            statements.append(statement)
        loop = [self.loop_axis(exact=False)]
        if self.chance(0.15):
            loop.append(self.loop_axis(exact=False, single=True))
        if self.chance(0.1):
            loop.append(self.loop_axis(exact=False))
        body = []
        marks = len(self.references)
        for axis in loop:
            self.enter(axis)
            self.around.append(axis)
        spans = [a for a in loop if a.is_span]
        if self.chance(0.3) and depth > 1:
            body += self.item(depth - 1)
        for name, op in variables:
            value = self.reduced(dtype, op, axes, spans, depth)
            change = Statement("assign", dict(name=name, op=op), [value])
            if self.chance(0.15):
                change = Statement("if", {}, [self.condition()], [[change]])
            body.append(change)
        if self.chance(0.15) and not self.in_while:
            body += self.final_store()
        for axis in loop:
            self.leave(axis)
            self.around.remove(axis)
        self.spans[:] = kept
        del self.references[marks:]
        statements.append(Statement("for", dict(axes=loop), [], [body]))
        own = frozenset(a.name for a in axes)
        self.references += [(name, dtype, own) for name, _ in variables]
        return statements

    def reduced(self, dtype, op, axes, over, depth):
        """A value with (some of) `axes`, reduced over the axes `over` in the way of the operator."""
        if not over:
            return self.expression(dtype, axes, 2)
        if op in ("+=", "-=") and dtype in ("f32", "i32", "i64", "f64") and self.chance(0.4):
            return self.dot(dtype, axes, over)
        operation = {"+=": "sum", "-=": "sum", "max=": "max", "min=": "min"}[op]
        source = self.pick([d for d in ACCUMULATOR if ACCUMULATOR[d] == dtype]) if operation == "sum" else dtype
        value = self.with_axes(self.expression(source, axes + over, 2), over)
        return Node(operation, dtype, [value], over=list(over))

    def dot(self, dtype, axes, over):
        """A product of operands of one or two dtypes that sum in `dtype`."""
        sources = [d for d in ACCUMULATOR if ACCUMULATOR[d] == dtype]
        a = self.pick(sources)
        b = a if self.chance(0.8) else self.pick(sources)
        first = [x for x in axes if self.chance(0.6)]
        second = [x for x in axes if x not in first or self.chance(0.15)]
        left = self.with_axes(self.factor(a, first + over), first + over)
        right = self.with_axes(self.factor(b, second + over), second + over)
        node = Node("dot", dtype, [left, right], over=list(over))
        if a == b == "f32" and self.chance(0.3):
            node.info["precision"] = self.pick(["tf32", "tf32x3"])
        return node

    def factor(self, dtype, axes):
        if self.chance(0.65):
            return self.load(dtype, axes, all_of_them=True)
        return self.expression(dtype, axes, 2)

    def item_exact_loop(self, depth):
        """A loop with any carried values."""
        kept = self.spans[:]
        axes = self.subset(kept, 1)[:2]
        dtype = self.pick(["f32", "f32", "i32", "i64"])
        marks = len(self.references)
        variables, statements = [], []
        own = frozenset(a.name for a in axes)
        for _ in range(self.random.randint(1, 3)):
            name, statement = self.variable(dtype, axes, self.expression(dtype, axes, 1))
            variables.append(name)
            statements.append(statement)
            self.references.append((name, dtype, own))
        loop = [self.loop_axis(exact=True, single=self.chance(0.5))]
        self.enter(loop[0])
        self.around.append(loop[0])
        spans = [a for a in loop if a.is_span]
        inner = len(self.references)
        body = []
        if self.chance(0.3) and depth > 1:
            body += self.item(depth - 1)
        for name in variables:
            value = self.reduced(dtype, self.pick(["+=", "max=", "min="]), axes, spans, depth)
            old = Node("reference", dtype, name=self.pick(variables), axes=own)
            value = self.combined(dtype, old, value)
            op = "=" if value.axes == own else "+="
            body.append(Statement("assign", dict(name=name, op=op), [value]))
        del self.references[inner:]
        self.leave(loop[0])
        self.around.remove(loop[0])
        self.spans[:] = kept
        statements.append(Statement("for", dict(axes=loop), [], [body]))
        return statements

    def item_store_loop(self, depth):
        """for j in … { y[i, j] = …; }"""
        kept, marks = self.spans[:], len(self.references)
        axis = self.loop_axis(exact=False, single=self.chance(0.2))
        self.enter(axis)
        self.around.append(axis)
        body = []
        if self.chance(0.4) and depth > 1:
            body += self.item(depth - 1)
        body += self.final_store()
        self.leave(axis)
        self.around.remove(axis)
        self.spans[:] = kept
        del self.references[marks:]
        return [Statement("for", dict(axes=[axis]), [], [body])]

    def item_carry(self, depth):
        """A prefix sum over pieces: carry + cumsum(…), carry += sum(…)."""
        if len(self.spans) > 2 or self.in_while:
            return self.item_let(depth)
        kept, marks = self.spans[:], len(self.references)
        axes = [a for a in self.spans]
        source = self.pick(["f32", "f16", "i32", "i8", "i64", "f64"])
        dtype = ACCUMULATOR[source]
        name, statement = self.variable(dtype, axes, literal(0, dtype))
        axis = self.loop_axis(exact=False)
        self.enter(axis)
        self.around.append(axis)
        value = self.let(self.with_axes(self.expression(source, [*axes, axis], 1), [axis]))
        got = Node("reference", source, name=value.info["name"], axes=value.expressions[0].axes)
        own = Node("reference", dtype, name=name, axes=frozenset(a.name for a in axes))
        prefix = Node("add", dtype, [own, Node("cumsum", dtype, [got], over=[axis])])
        body = [value, *self.store(prefix)]
        body.append(Statement("assign", dict(name=name, op="+="), [Node("sum", dtype, [got], over=[axis])]))
        self.leave(axis)
        self.around.remove(axis)
        self.spans[:] = kept
        del self.references[marks:]
        self.references.append((name, dtype, frozenset(a.name for a in axes)))
        return [statement, Statement("for", dict(axes=[axis]), [], [body])]

    def item_while(self, depth):
        count, first = self.variable("i64", [], literal(0, "i64"))
        axes = self.subset(self.spans, 1)
        dtype = self.pick(["f32", "i32"])
        name, value = self.variable(dtype, axes, self.expression(dtype, axes, 1))
        counter = Node("reference", "i64", name=count, axes=frozenset())
        condition = Node("lt", "bool", [counter, self.scalar("i64") if self.chance(0.3) else number(self.random.randint(0, 4))])
        if self.chance(0.3):
            condition = Node("and_", "bool", [condition, self.condition()])
        self.in_while = True
        body = [self.change(name, dtype, axes)]
        if self.chance(0.3) and depth > 1:
            kept, marks = self.spans[:], len(self.references)
            body += self.item(depth - 1)
            self.spans[:] = kept
            del self.references[marks:]
        self.in_while = False
        body.append(Statement("assign", dict(name=count, op="+="), [number(1)]))
        self.references.append((name, dtype, frozenset(a.name for a in axes)))
        return [first, value, Statement("while", {}, [condition], [body])]

    def item_optional(self, depth):
        axes = self.subset(self.spans, 1)
        name, first = self.variable("f32", axes, self.expression("f32", axes, 1))
        load = self.load(self.pick(["f32", "f16", "bf16"]), axes, fresh=True)
        view = self.views[load.info["view"]]
        view.optional = True
        value = load if load.dtype == "f32" else Node("cast", "f32", [load])
        blocks = [[Statement("assign", dict(name=name, op=self.pick(["+=", "max=", "*="])), [value])]]
        if self.chance(0.4):
            blocks.append([self.change(name, "f32", axes)])
        self.references.append((name, "f32", frozenset(a.name for a in axes)))
        return [first, Statement("present", dict(name=view.name), [], blocks)]

    def item_accumulate(self, depth):
        """y[place] += …, with a place that lacks some of the axes around."""
        dtype = self.pick(["f32", "f32", "bf16", "f16", "f64", "i32", "i64", "i8", "u8"])
        op = self.pick(["+=", "+=", "-=", "max=", "min="])
        wide = ACCUMULATOR[dtype] if op in ("+=", "-=") else dtype
        atomic = dtype in ("f32", "f64", "i32", "i64") and self.chance(0.15)
        place_axes = self.subset([a for a in self.spans + self.singles])[:3]
        tunable = [a for a in self.spans if a not in place_axes and (a in self.tunable_around())]
        free = [a for a in self.spans if a not in place_axes and a not in tunable and a.is_exact and self.chance(0.4)]
        over = tunable + free
        here = [a for a in place_axes if a.is_span]
        if over and wide in ("f32", "i32", "i64", "f64"):
            value = self.reduced(wide, op, here, over, 1)
        elif over:
            source = self.with_axes(self.expression(wide, here + over, 2), over)
            value = Node({"max=": "max", "min=": "min"}[op], wide, [source], over=over)
        else:
            value = self.expression(wide, here, 2)
        places, dimensions, drop = [], [], False
        from_memory = place_axes and (atomic or not is_float(dtype) or op in ("max=", "min=")) and self.chance(0.3)
        for axis in place_axes:
            place, extent, outside = self.index_form(axis, store=True, memory=from_memory)
            drop |= outside
            places.append(place)
            dimensions.append(extent)
        if not places:
            places, dimensions = [number(self.random.randint(0, 2))], [number(3)]
        view = self.output(dtype, dimensions, self.pick(["out", "inout"]))
        info = dict(name=view.name, op=op, drop=drop, atomic=atomic)
        return [Statement("store", info, [*places, value])]

    def scatter(self):
        return self.item_accumulate(1) + self.item_accumulate(1)

    def product(self):
        """acc += dot(…) over tunables, with a prologue and an epilogue, as in a linear layer."""
        axes = [a for a in self.spans if a.is_span][:2]
        source = self.pick(["f16", "bf16", "bf16", "f32", "i8", "f8e4m3", "f8e5m2", "f64", "i32"])
        dtype = ACCUMULATOR[source]
        own = frozenset(a.name for a in axes)
        name, first = self.variable(dtype, axes, self.constant(dtype) if self.chance(0.2) else literal(0, dtype))
        axis = self.loop_axis(exact=False)
        self.enter(axis)
        self.around.append(axis)
        kept, marks = self.spans[:], len(self.references)
        body = []
        if self.chance(0.2):
            body += self.item(1)
        left = self.with_axes(self.factor(source, [axes[0], axis]), [axes[0], axis])
        right = self.with_axes(self.factor(source, [axes[1], axis]), [axes[1], axis])
        if self.chance(0.3):
            left, right = right, left
        dot = Node("dot", dtype, [left, right], over=[axis])
        if source == "f32" and self.chance(0.4):
            dot.info["precision"] = self.pick(["tf32", "tf32x3"])
        value = dot
        if self.chance(0.15):
            value = Node("mul", dtype, [dot, self.expression(dtype, axes, 1)]) if axis.is_exact else dot
        body.append(Statement("assign", dict(name=name, op="+="), [value]))
        if self.chance(0.2):
            second, extra = self.variable(dtype, axes[:1], literal(0, dtype))
            more = self.with_axes(self.expression(source, [axes[0], axis], 1), [axis])
            body.append(Statement("assign", dict(name=second, op="+="), [Node("sum", dtype, [more], over=[axis])]))
        else:
            second = None
        self.spans[:] = kept
        del self.references[marks:]
        self.leave(axis)
        self.around.remove(axis)
        statements = [first] + ([extra] if second else []) + [Statement("for", dict(axes=[axis]), [], [body])]
        self.references.append((name, dtype, own))
        if second:
            self.references.append((second, dtype, frozenset([axes[0].name])))
        result = Node("reference", dtype, name=name, axes=own)
        for _ in range(self.random.randint(0, 2)):
            result = self.combined(dtype, result, self.expression(dtype, axes, 1))
        return statements + self.store(result)

    def row(self):
        """A row that is one span of a constant size: reductions of it, and what they are for."""
        size = self.pick([3, 7, 16, 19, 33, 64, 100])
        axis = Axis(self.name("d"), None, number(size), constant=True, extent=number(size))
        statements = [Statement("span", dict(axis=axis))]
        others = self.spans[:1]
        self.spans.append(axis)
        value = self.let(self.with_axes(self.expression("f32", others + [axis], 2), [axis]))
        x = Node("reference", "f32", name=value.info["name"], axes=value.expressions[0].axes)
        top = Node(self.pick(["max", "mean", "sum", "min"]), "f32", [x], over=[axis])
        middle = self.let(Node("sub", "f32", [x, top]))
        y = Node("reference", "f32", name=middle.info["name"], axes=middle.expressions[0].axes)
        shaped = Node("exp", "f32", [y]) if self.chance(0.5) else Node("mul", "f32", [y, y])
        total = self.let(Node("sum", "f32", [shaped], over=[axis]))
        statements += [value, middle, total]
        if self.chance(0.7):
            t = Node("reference", "f32", name=total.info["name"], axes=total.expressions[0].axes)
            statements += self.store(Node("div", "f32", [shaped, t]))
        return statements

    # ---- stores --------------------------------------------------------------------------------------------------------------

    def final_store(self):
        axes = self.spans[:]
        dtype = self.pick(["f32", "f32", *ALL])
        value = self.expression(dtype, axes, 3)
        used = [r for r in self.references if r[0] not in self.frozen and r[1] == dtype and r[2] <= {a.name for a in axes}]
        if used and self.chance(0.7):
            name, _, own = self.pick(used)
            value = self.combined(dtype, value, Node("reference", dtype, name=name, axes=own))
        return self.store(value)

    def place(self, value):
        """Places that name all axes around and all of the value's, dimensions for them, and whether some may be outside."""
        needed = [a for a in self.around if not any(b.parent is a or b.partition is a for b in self.around)]
        needed += [a for a in self.spans if a.name in value.axes and a not in needed]
        self.random.shuffle(needed)
        if len(needed) > 5:
            return None
        places, dimensions, drop = [], [], False
        memory = self.chance(0.06)
        while needed:
            axis = needed.pop()
            if needed and not axis.loose and self.chance(0.12) and not needed[-1].loose:
                other = needed.pop()  # two axes in one dimension
                product = Node("mul", "i64", [index(other), axis.extent])
                places.append(Node("add", "i64", [product, index(axis)]))
                dimensions.append(Node("mul", "i64", [other.extent, axis.extent]))
                continue
            place, extent, outside = self.index_form(axis, store=True, memory=memory and axis.is_span, unique=True)
            places.append(place)
            dimensions.append(extent)
            drop |= outside
        if not places:
            places, dimensions = [number(0)], [number(1)]
        return places, dimensions, drop

    def store(self, value):
        if self.in_while:
            return []
        target = self.place(value)
        if target is None:
            return []
        places, dimensions, drop = target
        dtype = value.dtype
        access = "inout" if self.chance(0.2) else "out"
        view = self.output(dtype, dimensions, access)
        info = dict(name=view.name, op="=", drop=drop)
        if access == "inout" and not drop and self.chance(0.7):
            old = Node("old", dtype, list(places), view=view.name)
            value = self.combined(dtype, old, value)
            if value.axes - frozenset().union(*(p.axes for p in places)):
                return []
        elif self.chance(0.2) and dtype in ("f32",):
            narrow = self.pick(NARROW + ["i32", "i8", "u8", "i64"])
            view.dtype = narrow
            value = Node("cast", narrow, [value])
        if self.chance(0.12):
            other = self.expression(view.dtype, [a for a in self.spans if a.name in value.axes], 2)
            first, second = ([Statement("store", dict(info), [*places, v])] for v in (value, other))
            return [Statement("if", {}, [self.condition()], [first, second])]
        return [Statement("store", info, [*places, value])]

    def output(self, dtype, dimensions, access):
        view = View(self.name("y"), dtype, dimensions, access, contents=self.contents_of(dtype), layout=self.layout(len(dimensions)))
        self.views[view.name] = view
        self.make_pack(view)
        return view

    # ---- views ---------------------------------------------------------------------------------------------------------------

    def contents_of(self, dtype):
        if self.contents == "mixed":
            return self.pick(["small", "normal", "special", "bits"])
        return self.contents

    def layout(self, rank):
        layout = {}
        if self.chance(0.3):
            layout["order"] = self.random.sample(range(rank), rank)
        if self.chance(0.3):
            layout["pads"] = [self.pick([0, 0, 1, 3, 8]) for _ in range(rank)]
        if self.chance(0.15):
            layout["steps"] = [self.pick([1, 1, 2, 3, -1, -2]) for _ in range(rank)]
        if self.chance(0.05):
            layout["repeated"] = [self.random.randrange(rank)]
        if self.chance(0.3):
            layout["offset"] = self.pick([1, 2, 3, 5, 8, 16])
        if self.chance(0.2):
            layout["behind"] = self.pick([1, 7, 32])
        return layout

    def make_pack(self, view):
        first = view.dimensions[0]
        if first.op != "dimension" or not self.chance(0.15):
            return
        extent = self.extents[first.info["name"]]
        room = 5 - len(view.dimensions)
        divisors = [d for d in range(1, extent + 1) if extent % d == 0] if extent else [1, 3]
        split = [self.pick(divisors)]
        split.append(extent // split[0])
        if room < 1:
            return
        view.pack = True
        if self.chance(0.8):
            view.layout["split"] = split

    def load_at(self, dtype, places, contents=None, fresh=True, outside_value=None):
        """A load from a view made for it. places: (index, dimension, whether it may be outside)."""
        dimensions = [p[1] for p in places]
        outside = any(p[2] for p in places)
        view = None
        if not fresh:
            key = [_key(d) for d in dimensions]
            same = [
                v for v in self.views.values()
                if not v.access and not v.optional and v.dtype == dtype and [_key(d) for d in v.dimensions] == key
                and (contents is None or v.contents == contents) and v.contents not in ("index", "permutation", "offsets")
            ]  # fmt: skip
            view = self.pick(same) if same else None
        if view is None:
            view = View(
                self.name("x"), dtype, dimensions, contents=contents or self.contents_of(dtype), layout=self.layout(len(dimensions))
            )
            self.views[view.name] = view
            self.make_pack(view)
        args = [p[0] for p in places]
        if outside:
            args.append(outside_value or self.constant(dtype))
        return Node("load", dtype, args, view=view.name, outside=outside)

    def load(self, dtype, axes, all_of_them=False, fresh=False):
        chosen = list(axes) if all_of_them else self.subset(axes, 1)
        if self.singles and self.chance(0.3):
            chosen.append(self.pick(self.singles))
        chosen = chosen[:4]
        self.random.shuffle(chosen)
        places = []
        while chosen:
            axis = chosen.pop()
            if chosen and self.chance(0.08):
                other = chosen.pop()
                if self.chance(0.5):
                    sum_of = Node("add", "i64", [index(axis), index(other)])
                    places.append((sum_of, Node("add", "i64", [axis.extent, other.extent]), axis.loose or other.loose))
                else:
                    product = Node("mul", "i64", [index(other), axis.extent])
                    both = Node("mul", "i64", [other.extent, axis.extent])
                    places.append((Node("add", "i64", [product, index(axis)]), both, axis.loose or other.loose))
                continue
            places.append(self.index_form(axis))
        if not places or self.chance(0.08) and len(places) < 4:
            size = self.random.randint(1, 3)
            places.insert(self.random.randint(0, len(places)), (number(self.random.randrange(size)), number(size), False))
        return self.load_at(dtype, places, fresh=fresh or self.chance(0.5))

    def index_form(self, axis, store=False, memory=False, unique=False):
        """(index, dimension, whether it may lie outside) of an access along an axis."""
        i, extent = index(axis), axis.extent
        bare = axis.dimension is not None or axis.high is extent or axis.constant
        choices = [(12 if not store else 8, "bare"), (1, "shifted"), (0.6, "scaled"), (0.6, "reversed"), (0.6, "halo")]
        if not store:
            choices += [(0.4, "divided"), (0.4, "remainder"), (0.8, "gather"), (0.3, "bounded")]
        if memory:
            choices = [(1, "memory")]
        kind = self.weighted(choices)
        loose = axis.loose or not bare
        if kind == "shifted":
            by = number(self.random.randint(1, 4))
            return Node("add", "i64", [i, by]), Node("add", "i64", [extent, by]), loose
        if kind == "scaled":
            factor = self.random.randint(2, 3)
            inner = Node("mul", "i64", [number(factor), i])
            rest = self.random.randrange(factor)
            if rest:
                inner = Node("add", "i64", [inner, number(rest)])
            return inner, Node("mul", "i64", [number(factor), extent]), loose
        if kind == "reversed":
            last = Node("sub", "i64", [extent, number(1)])
            return Node("sub", "i64", [last, i]), extent, loose
        if kind == "halo":
            by = number(self.random.randint(1, 3))
            return Node(self.pick(["add", "sub"]), "i64", [i, by]), extent, True
        if kind == "divided":
            by = number(self.random.randint(2, 5))
            return Node("div", "i64", [i, by]), Node("ceildiv", "i64", [extent, by]), loose
        if kind == "remainder":
            size = number(self.random.randint(1, 5))
            return Node("rem", "i64", [i, size]), size, False
        if kind in ("gather", "memory"):
            contents = "permutation" if unique else "index"
            size = extent if kind == "memory" else (number(self.random.randint(1, 20)) if self.chance(0.5) else extent)
            place = [(i, extent, loose)]
            found = self.load_at(self.pick(["i32", "i64"]), place, contents, outside_value=None)
            if found.info["outside"]:
                found.args[-1] = literal(-1, found.dtype)
            self.views[found.info["view"]].layout["indexes"] = size
            return found, size, True
        if kind == "bounded":
            size = self.random.randint(1, 20)
            place = [(i, extent, loose)]
            found = self.load_at(self.pick(["i32", "i16", "u8"]), place)
            low = Node("max", found.dtype if found.dtype == "i64" else "i32", [found, literal(0, "i32")])
            return Node("min", "i32", [low, literal(size - 1, "i32")]), number(size), False
        return i, extent, loose

    def scalar(self, dtype):
        same = [s for s in self.scalars.values() if s.dtype == dtype]
        if same and self.chance(0.6):
            return Node("scalar", dtype, name=self.pick(same).name)
        name = self.name("s")
        value = self.pick([0, 1, 2, 3, 17]) if not is_float(dtype) else self.pick([0.0, 0.5, 1.0, -2.0, 3.25])
        self.scalars[name] = Scalar(name, dtype, value)
        return Node("scalar", dtype, name=name)

    # ---- expressions -------------------------------------------------------------------------------------------------------

    def constant(self, dtype):
        if dtype == "bool":
            return literal(self.chance(0.5), dtype)
        if is_float(dtype):
            special = [float("inf"), float("-inf"), float("nan")] if self.contents in ("special", "mixed") else []
            return literal(self.pick([0.0, 0.0, 1.0, -1.0, 0.5, 2.0, 3.5, -0.25, *special]), dtype)
        return literal(self.pick([0, 0, 1, 2, 3, 5, 7, 100, *([] if dtype == "u8" else [-1, -3])]), dtype)

    def expression(self, dtype, axes, depth):
        """A value of this dtype with some of the axes."""
        self.budget -= 1
        if depth <= 0 or self.budget <= 0:
            return self.leaf(dtype, axes)
        if self.chance(0.15):
            return self.leaf(dtype, axes)
        exact = [a for a in axes if a.is_exact and a.is_span]
        if dtype == "bool":
            return self.bool_expression(axes, depth, exact)
        if dtype in ("f32", "f64"):
            return self.float_expression(dtype, axes, depth, exact)
        if dtype in ("i32", "i64"):
            return self.integer_expression(dtype, axes, depth, exact)
        return self.narrow_expression(dtype, axes, depth, exact)

    def leaf(self, dtype, axes):
        names = {a.name for a in axes}
        usable = [r for r in self.references if r[1] == dtype and r[2] <= names and r[0] not in self.frozen]
        choices = [(4 if len(self.views) < 9 or axes else 1, "load"), (1.5, "literal"), (4 if usable else 0, "reference")]
        if dtype == "i64" and (axes or self.singles):
            choices.append((3, "index"))
        if dtype in ("f32", "i32", "i64", "f64"):
            choices.append((0.5, "scalar"))
        kind = self.weighted(choices)
        if kind == "reference":
            name, _, own = self.pick(usable)
            return Node("reference", dtype, name=name, axes=own)
        if kind == "literal":
            return self.constant(dtype)
        if kind == "index":
            return index(self.pick(list(axes) + self.singles))
        if kind == "scalar":
            return self.scalar(dtype)
        return self.load(dtype, axes)

    def bool_expression(self, axes, depth, exact):
        kind = self.weighted([(5, "compare"), (2, "logic"), (1, "not"), (1 if exact else 0, "over"), (0.5, "where")])
        if kind == "compare":
            dtype = self.pick(["f32", "f32", "i32", "i64", "f64"])
            a, b = (self.expression(dtype, axes, depth - 1) for _ in range(2))
            return Node(self.pick(["eq", "ne", "lt", "le", "gt", "ge"]), "bool", [a, b])
        if kind == "logic":
            a, b = (self.expression("bool", axes, depth - 1) for _ in range(2))
            return Node(self.pick(["and_", "or_"]), "bool", [a, b])
        if kind == "not":
            return Node("not_", "bool", [self.expression("bool", axes, depth - 1)])
        if kind == "where":
            return Node("where", "bool", [self.expression("bool", axes, depth - 1) for _ in range(3)])
        over = self.subset(exact, 1)[:2]
        return Node(self.pick(["any", "all"]), "bool", [self.with_axes(self.expression("bool", axes, depth - 1), over)], over=over)

    def float_expression(self, dtype, axes, depth, exact):
        kind = self.weighted(
            [
                (5, "arithmetic"), (3, "unary"), (2, "where"), (2, "cast"), (1, "three"), (3 if exact else 0, "over"),
                (1, "extreme"), (1.5 if exact else 0, "prefix"), (1 if exact else 0, "dot"), (0.3, "pow"),
                (0.3 if dtype == "f32" else 0, "random")
            ]
        )  # fmt: skip
        sub = lambda d=dtype: self.expression(d, axes, depth - 1)  # noqa: E731
        if kind == "arithmetic":
            a, b = dtype, dtype
            if self.chance(0.25):
                a, b = self.pick(WIDER[dtype]), self.pick(WIDER[dtype])
                if dtype == "f64" and "f64" not in (a, b):
                    a = dtype
            return Node(self.pick(["add", "sub", "mul", "mul", "div"]), dtype, [sub(a), sub(b)])
        if kind == "extreme":
            return Node(self.pick(["max", "min"]), dtype, [sub(), sub()])
        if kind == "pow":
            return Node("pow", dtype, [sub(), literal(self.pick([2.0, 3.0, 0.5, -1.0]), dtype)])
        if kind == "unary":
            if self.chance(0.15):
                return Node("negate", dtype, [sub()])
            node = Node(self.pick(UNARY), dtype, [sub()])
            if node.op in FAST and dtype == "f32" and self.chance(0.1):
                node.info["precision"] = "fast"
            return node
        if kind == "random":
            return Node("random", dtype, [self.scalar("i64"), sub("i64")])
        if kind == "where":
            return Node("where", dtype, [sub("bool"), sub(), sub()])
        if kind == "cast":
            return Node("cast", dtype, [sub(self.pick([d for d in ALL if d != dtype]))])
        if kind == "three":
            if self.chance(0.5):
                return Node("fma", dtype, [sub(), sub(), sub()])
            return Node("clamp", dtype, [sub(), literal(-1.0, dtype), literal(2.0, dtype)])
        if kind == "prefix":
            axis = self.pick(exact)
            if self.chance(0.5):
                source = self.pick([d for d in ACCUMULATOR if ACCUMULATOR[d] == dtype])
                return Node("cumsum", dtype, [self.with_axes(sub(source), [axis])], over=[axis])
            function = self.pick(["max", "min", "first", "last"])
            if dtype == "f64" and function in FUNCTIONS:
                function = "max"
            if function in FUNCTIONS:
                self.functions.add(function)
            return Node(self.pick(["reduce", "scan"]), dtype, [self.with_axes(sub(), [axis])], over=[axis], function=function)
        if kind == "dot":
            over = [self.pick(exact)]
            return self.dot(dtype, [a for a in axes if a not in over], over)
        over = self.subset(exact, 1)[:2]
        operation = self.pick(["sum", "mean", "max", "min"])
        source = dtype
        if operation in ("sum", "mean"):
            source = self.pick([d for d in ACCUMULATOR if ACCUMULATOR[d] == dtype])
        return Node(operation, dtype, [self.with_axes(sub(source), over)], over=over)

    def integer_expression(self, dtype, axes, depth, exact):
        kind = self.weighted(
            [
                (5, "arithmetic"), (2, "bits"), (2, "division"), (2, "where"), (2, "cast"), (1, "unary"), (3 if exact else 0, "over"),
                (1 if exact else 0, "prefix"), (1 if exact else 0, "dot"), (2 if exact and dtype == "i64" else 0, "arg")
            ]
        )  # fmt: skip
        sub = lambda d=dtype: self.expression(d, axes, depth - 1)  # noqa: E731
        if kind == "arithmetic":
            a, b = dtype, dtype
            if self.chance(0.3):
                a, b = self.pick(WIDER[dtype]), self.pick(WIDER[dtype])
                if dtype == "i64" and "i64" not in (a, b):
                    b = dtype
            return Node(self.pick(["add", "sub", "mul", "max", "min"]), dtype, [sub(a), sub(b)])
        if kind == "bits":
            return Node(self.pick(["bitand", "bitor", "bitxor", "shl", "shr"]), dtype, [sub(), sub()])
        if kind == "division":
            divisor = literal(self.pick([1, 2, 3, 7, 8, -2, -3]), dtype) if self.chance(0.5) else sub()
            return Node(self.pick(["div", "rem"]), dtype, [sub(), divisor])
        if kind == "where":
            return Node("where", dtype, [sub("bool"), sub(), sub()])
        if kind == "cast":
            return Node("cast", dtype, [sub(self.pick([d for d in ALL if d != dtype]))])
        if kind == "unary":
            if dtype == "i32" and self.chance(0.4):
                return Node("random_bits", dtype, [self.scalar("i64"), sub("i64")])
            return Node(self.pick(["negate", "abs"]), dtype, [sub()])
        if kind == "arg":
            axis = self.pick(exact)
            source = self.pick(["f32", "i32", "f16", "i8", "f64", "i64"])
            return Node(self.pick(["argmax", "argmin"]), dtype, [self.with_axes(sub(source), [axis])], over=[axis])
        if kind == "prefix":
            axis = self.pick(exact)
            if self.chance(0.6):
                source = self.pick([d for d in ACCUMULATOR if ACCUMULATOR[d] == dtype])
                return Node("cumsum", dtype, [self.with_axes(sub(source), [axis])], over=[axis])
            function = "exclusive" if dtype == "i64" else "max"
            if function in FUNCTIONS:
                self.functions.add(function)
            return Node(self.pick(["reduce", "scan"]), dtype, [self.with_axes(sub(), [axis])], over=[axis], function=function)
        if kind == "dot":
            over = [self.pick(exact)]
            return self.dot(dtype, [a for a in axes if a not in over], over)
        over = self.subset(exact, 1)[:2]
        operation = self.pick(["sum", "max", "min"])
        source = self.pick([d for d in ACCUMULATOR if ACCUMULATOR[d] == dtype]) if operation == "sum" else dtype
        return Node(operation, dtype, [self.with_axes(sub(source), over)], over=over)

    def narrow_expression(self, dtype, axes, depth, exact):
        sub = lambda d=dtype: self.expression(d, axes, depth - 1)  # noqa: E731
        kind = self.weighted([(4, "cast"), (2, "where"), (1 if exact else 0, "over")])
        if kind == "cast":
            wide = "f32" if is_float(dtype) else "i32"
            source = wide if self.chance(0.7) else self.pick([d for d in ALL if d != dtype])
            return Node("cast", dtype, [sub(source)])
        if kind == "where":
            return Node("where", dtype, [sub("bool"), sub(), sub()])
        over = self.subset(exact, 1)[:2]
        return Node(self.pick(["max", "min"]), dtype, [self.with_axes(sub(), over)], over=over)


def _key(node):
    return (node.op, tuple(sorted((k, str(v)) for k, v in node.info.items())), tuple(_key(a) for a in node.args))


def generate(seed):
    return Generator(seed).kernel()
