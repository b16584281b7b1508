"""What a kernel must compute: an interpreter of the tree, on NumPy arrays of f64 and i64.

Every value carries a bound of how far a correct implementation may be from it. The value itself is what rounding after each
operation gives; an inexact operation widens the bound by its rounding, a sum by what its order may change, a math function by its
stated error. A bound of 0 means: this very value. An infinite bound means that rounding decides (a comparison of nearly equal
numbers, a cast at a boundary), and that nothing is said. Integers are exact or undecided.

Tiles are whole: a tunable's span has all indices of its range in one piece, since a result does not depend on block sizes. Spans of
a constant size are taken piece by piece.
"""

import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "semantics"))

from harness import encode, decode, is_float  # noqa: E402
from features import ACCUMULATOR, LIMITS  # noqa: E402
from reference import philox  # noqa: E402

FLOAT_UNIT = {"f32": 2.0**-24, "f64": 2.0**-53}
LARGEST = {"f32": float(np.finfo(np.float32).max), "f64": float(np.finfo(np.float64).max)}
LOSES_NOTHING = {
    "f8e4m3": ("f16", "f32", "f64"), "f8e5m2": ("f16", "f32", "f64"), "f16": ("f32", "f64"), "bf16": ("f32", "f64"), "f32": ("f64",),
    "f64": ()
}  # fmt: skip
WIDTH = {"i64": 64, "i32": 32, "i16": 16, "i8": 8, "u8": 8}


class Undecided(Exception):
    """Rounding decides which statements run, or which elements are written."""


class Value:
    """axes: names, in the order of the array's dimensions. `error` has the shape of `value`. `terms`: of a sum, see Terms."""

    __slots__ = ("dtype", "axes", "value", "error", "terms")

    def __init__(self, dtype, axes, value, error=None, terms=None):
        self.dtype, self.axes, self.value, self.terms = dtype, tuple(axes), np.asarray(value), terms
        self.error = np.zeros(self.value.shape) if error is None else np.broadcast_to(error, self.value.shape)


class Terms:
    """What a sum was made of, since it may be formed together with what it is added to: how many terms, Σ|term|, and whether all are
    multiples of 1 / scale."""

    def __init__(self, count, size, scale, whole):
        self.count, self.size, self.scale, self.whole = count, size, scale, whole


def wrap(value, dtype):
    """Integers modulo 2ⁿ; value is i64, which wraps by itself."""
    if dtype == "i64":
        return value.astype(np.int64)
    return value.astype({"i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8}[dtype]).astype(np.int64)


def round_to(value, dtype):
    if dtype == "f64":
        return value
    if dtype == "f32":
        return value.astype(np.float32).astype(np.float64)
    return decode(encode(value, dtype), dtype).astype(np.float64)


def spacing(value, dtype):
    """The distance to the next number of f32 or f64."""
    kind = np.float32 if dtype == "f32" else np.float64
    return np.abs(np.spacing(np.abs(value).astype(kind))).astype(np.float64)


def settled(dtype, axes, value, error, ulps=1.0):
    """An operation's result before rounding, in f64, with the error that its operands bring: rounded, with the error of that."""
    error = np.broadcast_to(np.asarray(error, np.float64), np.shape(value))
    rounded = round_to(value, dtype)
    inexact = (rounded != value) if dtype == "f32" else np.ones(np.shape(value), bool)
    step = np.where(np.isfinite(rounded), spacing(np.where(np.isfinite(rounded), rounded, 0), dtype), 0)
    exact_inputs = error == 0
    total = np.where(inexact, error + ulps * step, error)
    # Beyond the largest number: certain only if nothing was rounded before.
    near = np.abs(np.where(np.isfinite(value), value, 0)) + total > LARGEST[dtype] * (1 - 2.0**-20)
    total = np.where(~np.isfinite(rounded) | near, np.where(exact_inputs & ~(near & (ulps > 1)), 0.0, np.inf), total)
    total = np.where(np.isnan(total), np.inf, total)
    return Value(dtype, axes, rounded, total)


def integral(dtype, axes, value, error):
    return Value(dtype, axes, wrap(value, dtype), np.where(error > 0, np.inf, 0.0))


def is_small(value, size):
    """Whether sums of these are exact in f32 in every order: multiples of 2⁻¹⁰ of which 2²⁴ is never reached. `size`: Σ|v|."""
    scaled = np.where(np.isfinite(value), value, 0.5**20) * 1024
    return (scaled == np.rint(scaled)), np.where(np.isfinite(size), size, np.inf) * 1024 <= 2**24


MONOTONE = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log1p": np.log1p, "sqrt": np.sqrt, "tanh": np.tanh,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "sigmoid": lambda x: np.where(x < 0, np.exp(np.minimum(x, 0)), 1) / (1 + np.exp(-np.abs(x))),
    "rsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip
ULPS = {"sqrt": 1}
FAST_ULPS = 2.0**14  # a relative error of 2⁻¹⁰
ROUNDINGS = {"floor": np.floor, "ceil": np.ceil, "round": np.rint}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


class Oracle:
    def __init__(self, kernel, inputs):
        """inputs: view → logical array of f64, i64 or bool. Outputs: see `outputs` after `run`."""
        self.kernel = kernel
        self.inputs = inputs
        self.environment = {}  # axis → its indices (span), or the index
        self.names = {}  # let and var → Value
        self.order = {}  # axis → when it was declared
        self.dimensions = {n: np.int64(v) for n, v in kernel.extents.items()}
        self.outputs = {}  # view → [values, errors]
        self.written = {}
        self.sums = {}  # view → [operation, Σ|term| of each element, number of terms, whether all are multiples of 2⁻¹⁰]
        self.steps = 0

    def run(self):
        with np.errstate(all="ignore"):
            for view in self.kernel.views.values():
                if view.access and view.name in self.inputs:
                    self._begin(view)
            self._grid(list(self.kernel.axes))

    def _begin(self, view):
        initial = self.inputs[view.name]
        op = next((s.info["op"] for s in _stores(self.kernel) if s.info["name"] == view.name), "=")
        written = np.zeros(initial.shape, bool)
        if op == "=":
            value = initial.copy()
        else:
            written[...] = True
            if view.access == "inout":
                value = initial.copy()
            elif op in ("+=", "-="):
                value = np.zeros_like(initial)
            elif is_float(view.dtype):
                value = np.full_like(initial, -np.inf if op == "max=" else np.inf)
            else:
                value = np.full_like(initial, LIMITS[view.dtype][0 if op == "max=" else 1])
        self.outputs[view.name] = [value, np.zeros(value.shape)]
        self.written[view.name] = written
        self.sums[view.name] = [op, np.abs(np.where(np.isfinite(value.astype(float)), value.astype(float), np.inf)), 0, True]

    # ---- statements ------------------------------------------------------------------------------------------------------

    def _grid(self, axes):
        if not axes:
            self._block(self.kernel.body)
            return
        for _ in self._pieces(axes[0]):
            self._grid(axes[1:])

    def _pieces(self, axis):
        """Enters each piece of an axis in turn."""
        self.order.setdefault(axis.name, len(self.order))
        if axis.parent is not None:
            indices = self.environment[axis.parent.name]
            low, high = int(indices[0]), int(indices[-1]) + 1
        else:
            low = self._integer(axis.low) if axis.low is not None else 0
            high = self._integer(axis.high)
        step = axis.by if isinstance(axis.by, int) else (1 if axis.by is None and not axis.constant else max(high - low, 1))
        for first in range(low, high, step):
            self.steps += 1
            if self.steps > 3000:
                raise Undecided("too many pieces")
            if axis.is_span:
                self.environment[axis.name] = np.arange(first, min(first + step, high), dtype=np.int64)
            else:
                self.environment[axis.name] = np.int64(first)
            yield

    def _integer(self, node):
        value = self.evaluate(node)
        if np.any(value.error > 0):
            raise Undecided("a bound of a range")
        return int(value.value)

    def _loop(self, axes, block):
        if not axes:
            self._block(block)
            return
        for _ in self._pieces(axes[0]):
            self._loop(axes[1:], block)

    def _condition(self, node):
        value = self.evaluate(node)
        if np.any(value.error > 0):
            raise Undecided("a condition")
        return bool(value.value)

    def _block(self, block):
        for statement in block:
            getattr(self, "_do_" + statement.kind)(statement)

    def _do_let(self, statement):
        self.names[statement.info["name"]] = self.evaluate(statement.expressions[0])

    def _do_letmany(self, statement):
        for name, value in zip(statement.info["names"], self.evaluate_many(statement.expressions[0])):
            self.names[name] = value

    def _do_span(self, statement):
        axis = statement.info["axis"]
        self.order.setdefault(axis.name, len(self.order))
        self.environment[axis.name] = np.arange(self._integer(axis.high), dtype=np.int64)

    def _do_var(self, statement):
        value = self.evaluate(statement.expressions[0])
        self.names[statement.info["name"]] = self._spread(value, statement.info["axes"])

    def _spread(self, value, axes):
        """The value with all these axes."""
        axes = sorted(axes, key=self.order.get)
        shape = [len(self.environment[a]) for a in axes]
        return Value(
            value.dtype, axes, np.broadcast_to(self._array(value.value, value.axes, axes), shape),
            np.broadcast_to(self._array(value.error, value.axes, axes), shape)
        )

    def _do_assign(self, statement):
        name, op = statement.info["name"], statement.info["op"]
        old, new = self.names[name], self.evaluate(statement.expressions[0])
        if op != "=":
            operation = {"+=": "add", "-=": "sub", "*=": "mul", "max=": "max", "min=": "min"}[op]
            terms = new.terms if op in ("+=", "-=") else None
            result = self._binary(operation, old.dtype, old, new)
            new = result if terms is None else self._summed_onto(old, new, result)
        self.names[name] = self._spread(new, old.axes)

    def _summed_onto(self, old, new, result):
        """The result of old += new, where new is a sum: its terms may be added to old one by one."""
        axes = result.axes
        before, size, whole = (self._array(a, v.axes, axes) for a, v in ((old.value, old), (new.terms.size, new), (new.terms.whole, new)))
        reach = np.abs(np.where(np.isfinite(before), before, 0)) + size
        scale = new.terms.scale
        exact = whole & (before * scale == np.rint(before * scale)) & (reach * scale <= 2**24) & (result.error == 0)
        extra = np.where(exact, 0, 2 * FLOAT_UNIT[result.dtype] * (new.terms.count + 1) * reach)
        error = np.where(np.isfinite(result.value), result.error + extra, result.error)
        return Value(result.dtype, axes, result.value, error)

    def _do_for(self, statement):
        self._loop(statement.info["axes"], statement.blocks[0])

    def _do_if(self, statement):
        chosen = 0 if self._condition(statement.expressions[0]) else 1
        if chosen < len(statement.blocks):
            self._block(statement.blocks[chosen])

    def _do_present(self, statement):
        chosen = 0 if statement.info["name"] in self.inputs else 1
        if chosen < len(statement.blocks):
            self._block(statement.blocks[chosen])

    def _do_while(self, statement):
        for _ in range(100):
            if not self._condition(statement.expressions[0]):
                return
            self._block(statement.blocks[0])
        raise Undecided("a loop that does not end")

    def _do_store(self, statement):
        name, op = statement.info["name"], statement.info["op"]
        view = self.kernel.views[name]
        if name not in self.outputs:
            return
        places = [self.evaluate(p) for p in statement.expressions[:-1]]
        new = self.evaluate(statement.expressions[-1])
        axes = self._union([*places, new])
        shape = [len(self.environment[a]) for a in axes]
        index, error = [], np.zeros(shape)
        inside = np.ones(shape, bool)
        for place, extent in zip(places, self.outputs[name][0].shape):
            i = np.broadcast_to(self._array(place.value, place.axes, axes), shape)
            if np.any(place.error > 0):
                raise Undecided("a place")
            inside &= (i >= 0) & (i < extent)
            index.append(i)
        if not statement.info.get("drop") and not inside.all():
            raise IndexError(f"a store to {name} is out of range")
        at = tuple(i[inside] for i in index)
        value = np.broadcast_to(self._array(new.value, new.axes, axes), shape)[inside]
        error = np.broadcast_to(self._array(new.error, new.axes, axes), shape)[inside]
        values, errors = self.outputs[name]
        if op == "=":
            values[at], errors[at] = value, error
            self.written[name][at] = True
            return
        if op == "-=":
            value = -value
        if op in ("+=", "-="):
            size, count, whole = np.abs(value), 1, value * 2.0**10 == np.rint(value * 2.0**10)
            if new.terms is not None and is_float(view.dtype):
                size = np.broadcast_to(self._array(new.terms.size, new.axes, axes), shape)[inside]
                whole = np.broadcast_to(self._array(new.terms.whole, new.axes, axes), shape)[inside] & (new.terms.scale == 2.0**10)
                count = new.terms.count
            self._accumulate(view, at, value, error, size, count, whole)
            return
        function = np.maximum if op == "max=" else np.minimum
        if is_float(view.dtype):
            function.at(values, at, value)
            np.maximum.at(errors, at, error)
        else:
            function.at(values, at, value)
            np.maximum.at(errors, at, error)

    def _accumulate(self, view, at, value, error, size, count, whole):
        values, errors = self.outputs[view.name]
        np.add.at(values, at, value)
        if not is_float(view.dtype):
            np.maximum.at(errors, at, error)
            values[...] = wrap(values, ACCUMULATOR[view.dtype])
            return
        np.add.at(errors, at, error)
        record = self.sums[view.name]
        np.add.at(record[1], at, np.where(np.isfinite(size), size + error, 0))
        record[2] += count * np.size(value)
        record[3] = record[3] and bool(np.all(whole))

    def outcomes(self):
        """name → Value of each output as it is in memory at the end, and which elements are written."""
        results = {}
        for name, (value, error) in self.outputs.items():
            view = self.kernel.views[name]
            op, size, terms, whole = self.sums[name]
            with np.errstate(all="ignore"):
                if op in ("+=", "-="):
                    value, error = self._sum_in_memory(view, value, error, size, terms, whole)
                elif op != "=":
                    error = np.where(_is_open(view.dtype, value), np.inf, error)
                results[name] = (value, error, self.written[name])
        return results

    def _sum_in_memory(self, view, value, error, size, terms, whole):
        if not is_float(view.dtype):
            return wrap(value, view.dtype), error
        wide = ACCUMULATOR[view.dtype]
        exact = (error == 0) & whole & (size * 1024 <= 2**24)
        error = np.where(exact, 0, error + FLOAT_UNIT[wide] * (terms + 2) * size)
        error = np.where(np.isfinite(size) & (size < LARGEST[wide] / 4), error, np.inf)
        result = settled(wide, range(value.ndim), value, error) if wide == "f32" else Value(wide, range(value.ndim), value, error)
        if view.dtype != wide:
            result = self._narrow(result, view.dtype)
        # An infinity or NaN among the terms is certain as long as the finite ones cannot overflow; kept simple: undecided.
        return result.value, np.where(np.isfinite(result.value), result.error, np.inf)

    # ---- expressions -----------------------------------------------------------------------------------------------------

    def _union(self, values):
        return sorted({a for v in values for a in v.axes}, key=self.order.get)

    def _array(self, array, own, axes):
        """An array with axes `own` (in order) as one with `axes`, of size 1 where it has none."""
        if tuple(own) == tuple(axes):
            return array
        position = {a: n for n, a in enumerate(own)}
        array = np.transpose(array, [position[a] for a in axes if a in position])
        return array.reshape([array.shape[[b for b in axes if b in position].index(a)] if a in position else 1 for a in axes])

    def _aligned(self, values):
        axes = self._union(values)
        arrays = [(self._array(v.value, v.axes, axes), self._array(v.error, v.axes, axes)) for v in values]
        shape = np.broadcast_shapes(*(a.shape for a, _ in arrays))
        return axes, [(np.broadcast_to(a, shape), np.broadcast_to(e, shape)) for a, e in arrays]

    def evaluate(self, node):
        return getattr(self, "on_" + node.op, self._elementwise)(node)

    def evaluate_many(self, node):
        return self._folded(node)

    def on_literal(self, node):
        kind = np.float64 if is_float(node.dtype) else (bool if node.dtype == "bool" else np.int64)
        value = np.array(node.info["value"], kind)
        return Value(node.dtype, (), round_to(value, node.dtype) if is_float(node.dtype) else value)

    def on_dimension(self, node):
        return Value("i64", (), np.array(self.dimensions[node.info["name"]]))

    def on_scalar(self, node):
        scalar = self.kernel.scalars[node.info["name"]]
        return Value(scalar.dtype, (), np.array(scalar.value, np.float64 if is_float(scalar.dtype) else np.int64))

    def on_reference(self, node):
        return self.names[node.info["name"]]

    def on_index(self, node):
        axis = node.info["axis"]
        indices = self.environment[axis.name]
        return Value("i64", (axis.name,) if axis.is_span else (), indices)

    def on_start(self, node):
        return Value("i64", (), self.environment[node.info["axis"].name][0])

    def on_end(self, node):
        return Value("i64", (), self.environment[node.info["axis"].name][-1] + 1)

    def on_old(self, node):
        return self._read(node, self.inputs)

    def on_load(self, node):
        return self._read(node, self.inputs)

    def _read(self, node, arrays):
        data = arrays[node.info["view"]]
        args = [self.evaluate(a) for a in node.args]
        axes, aligned = self._aligned(args)
        outside = aligned.pop() if node.info.get("outside") else None
        shape = aligned[0][0].shape
        inside, error = np.ones(shape, bool), np.zeros(shape)
        for (index, e), extent in zip(aligned, data.shape):
            inside &= (index >= 0) & (index < extent)
            error = np.maximum(error, np.where(e > 0, np.inf, 0))
        if outside is None and not inside.all():
            raise IndexError(f"a read of {node.info['view']} is out of range")
        kind = data.dtype
        value = np.zeros(shape, kind)
        at = tuple(index[inside] for index, _ in aligned)
        value[inside] = data[at]
        if outside is not None:
            value = np.where(inside, value, outside[0])
            error = np.maximum(error, np.where(inside, 0, outside[1]))
        return Value(node.dtype, axes, value, error)

    def on_cast(self, node):
        operand = self.evaluate(node.args[0])
        return self.cast(operand, node.dtype)

    def cast(self, operand, dtype):
        source, value, error = operand.dtype, operand.value, operand.error
        if dtype == source:
            return operand
        if not is_float(source):
            value = value.astype(np.int64)
            if not is_float(dtype):
                return integral(dtype, operand.axes, value, error)
            if dtype == "f32":
                rounded = value.astype(np.float32).astype(np.float64)
            elif dtype == "f64":
                rounded = value.astype(np.float64)
            else:
                rounded = round_to(value.astype(np.float64), dtype)
            return Value(dtype, operand.axes, rounded, np.where(error > 0, np.inf, 0.0))
        if is_float(dtype):
            return self._narrow(operand, dtype)
        low, high = LIMITS[dtype]

        def whole(v):
            v = np.where(np.isnan(v), 0, np.trunc(v))
            clipped = np.clip(v, float(low), float(high) if dtype != "i64" else 2.0**63 - 1024).astype(np.int64)
            return np.where(v >= float(high), high, clipped)

        result = whole(value)
        sure = (whole(value - error) == result) & (whole(value + error) == result) | (error == 0)
        return Value(dtype, operand.axes, result, np.where(sure, 0.0, np.inf))

    def _narrow(self, operand, dtype):
        value, error = operand.value, operand.error
        if dtype in LOSES_NOTHING[operand.dtype]:
            return Value(dtype, operand.axes, value, error)
        result = round_to(value, dtype)
        if not np.any(error > 0):
            return Value(dtype, operand.axes, result, error)
        finite = np.where(np.isfinite(error), error, 0)
        low, high = round_to(value - finite, dtype), round_to(value + finite, dtype)
        spread = np.maximum(np.abs(high - result), np.abs(result - low))
        spread = np.where((low == result) & (high == result), 0.0, spread)
        spread = np.where(np.isnan(spread) | np.isinf(error), np.where(error == 0, 0, np.inf), spread)
        return Value(dtype, operand.axes, result, spread)

    def _elementwise(self, node):
        args = [self.evaluate(a) for a in node.args]
        op = node.op
        if op in COMPARE:
            return self._compare(op, args)
        if op in ("and_", "or_", "not_"):
            return self._logic(op, args)
        if op == "where":
            return self._where(node.dtype, args)
        if op in ("random", "random_bits"):
            return self._random(op, args)
        if len(args) == 2:
            return self._binary(op, node.dtype, *args)
        if op in ("fma", "clamp"):
            return self._three(op, node.dtype, args)
        return self._unary(op, node.dtype, args[0], FAST_ULPS if node.info.get("precision") == "fast" else ULPS.get(op, 8))

    @staticmethod
    def _random(op, args):
        bits = philox(int(args[0].value), args[1].value).astype(np.uint32)
        error = np.where(args[1].error + args[0].error > 0, np.inf, 0.0)
        if op == "random_bits":
            return Value("i32", args[1].axes, bits.view(np.int32).astype(np.int64), error)
        return Value("f32", args[1].axes, (bits >> np.uint32(8)).astype(np.float64) * 2.0**-24, error)

    def _compare(self, op, args):
        axes, ((a, ea), (b, eb)) = self._aligned(args)
        result = COMPARE[op](a, b)
        error = ea + eb
        difference = np.abs(np.asarray(a, float) - np.asarray(b, float))
        sure = (error == 0) | (difference > error) | ((np.isnan(a) | np.isnan(b)) & np.isfinite(error))
        return Value("bool", axes, result, np.where(sure, 0.0, np.inf))

    def _logic(self, op, args):
        axes, arrays = self._aligned(args)
        if op == "not_":
            ((a, e),) = arrays
            return Value("bool", axes, ~a, e)
        (a, ea), (b, eb) = arrays
        result = a & b if op == "and_" else a | b
        deciding = op == "or_"
        sure = ((ea == 0) & (eb == 0)) | ((ea == 0) & (a == deciding)) | ((eb == 0) & (b == deciding))
        return Value("bool", axes, result, np.where(sure, 0.0, np.inf))

    def _where(self, dtype, args):
        axes, ((c, ec), (a, ea), (b, eb)) = self._aligned(args)
        value, error = np.where(c, a, b), np.where(c, ea, eb)
        same = (a == b) & (ea == 0) & (eb == 0)
        return Value(dtype, axes, value, np.where((ec > 0) & ~same, np.inf, error))

    def _unary(self, op, dtype, operand, ulps=8):
        value, error, axes = operand.value, operand.error, operand.axes
        if not is_float(dtype):
            value = value.astype(np.int64)
            return integral(dtype, axes, -value if op == "negate" else np.abs(value), error)
        if op in ("negate", "abs"):
            return Value(dtype, axes, -value if op == "negate" else np.abs(value), error)
        finite = np.where(np.isfinite(error), error, 0)
        if op in ROUNDINGS:
            f = ROUNDINGS[op]
            result = f(value)
            spread = np.maximum(np.abs(f(value + finite) - result), np.abs(f(value - finite) - result))
            spread = np.where(error == 0, 0, np.where(np.isnan(spread) | np.isinf(error), np.inf, spread))
            return Value(dtype, axes, result, spread)
        if op in ("sin", "cos"):
            result = getattr(np, op)(value)
            # The reduction of large arguments is as exact as the argument; f32's functions are stated for these.
            error = np.where(np.abs(value) > 1e4, np.inf, error + ulps * FLOAT_UNIT[dtype])
            return settled(dtype, axes, result, error, ulps)
        f = MONOTONE[op]
        result = f(value)
        spread = np.maximum(np.abs(f(value + finite) - result), np.abs(f(value - finite) - result))
        spread = np.where(error == 0, 0, np.where(np.isnan(spread) | np.isinf(error), np.inf, spread))
        if op == "rsqrt":  # the sign of zeros is not followed
            spread = np.where(value == 0, np.inf, spread)
        answer = settled(dtype, axes, result, spread, ulps)
        # A special value of exact arguments is exact.
        special = (error == 0) & (np.isnan(result) | np.isinf(value) | ((result == 0) & (value == 0)))
        overflow = (error == 0) & np.isinf(result) & np.isfinite(value)
        kept = np.where(special | overflow, 0, answer.error)
        return Value(dtype, axes, answer.value, np.where((op == "rsqrt") & (value == 0), np.inf, kept))

    def _three(self, op, dtype, args):
        if op == "clamp":
            return self._binary("min", dtype, self._binary("max", dtype, args[0], args[1]), args[2])
        axes, ((a, ea), (b, eb), (c, ec)) = self._aligned(args)
        error = _product_error(a, ea, b, eb) + ec
        product = a * b
        result = product + c
        # The sum of an exact product of f32 and an f32 is inexact in f64: within its rounding.
        error = np.where((error > 0) | (dtype == "f64"), error + np.abs(result) * 2.0**-52, error)
        return settled(dtype, axes, result, error)

    def _binary(self, op, dtype, left, right):
        axes, ((a, ea), (b, eb)) = self._aligned([left, right])
        if not is_float(dtype):
            return self._integer_binary(op, dtype, axes, a.astype(np.int64), b.astype(np.int64), np.maximum(ea, eb))
        if op in ("max", "min"):
            value = (np.maximum if op == "max" else np.minimum)(a, b)
            return Value(dtype, axes, value, np.maximum(ea, eb))
        if op in ("add", "sub"):
            return settled(dtype, axes, a + b if op == "add" else a - b, ea + eb)
        if op == "mul":
            product = a * b
            # With what is added to it, it may be rounded once; then it has not overflowed.
            fits = (np.abs(product) <= LARGEST[dtype] * (1 - 2.0**-20)) | ~np.isfinite(a) | ~np.isfinite(b)
            return settled(dtype, axes, product, np.where(fits, _product_error(a, ea, b, eb), np.inf))
        if op == "div":
            value = a / b
            least = np.abs(b) - eb
            error = (ea + np.abs(value) * eb) / least
            error = np.where((ea == 0) & (eb == 0), 0, np.where((least <= 0) | ~np.isfinite(error), np.inf, error))
            error = np.where((b == 0) & (a != 0) & ~np.isnan(a), np.inf, error)  # the sign of zeros is not followed
            return settled(dtype, axes, value, error)
        if op == "pow":
            value = np.power(a, b)
            error = np.where((ea == 0) & (eb == 0) & (np.abs(b) <= 30) & (a > 0) & np.isfinite(a), 0, np.inf)
            return settled(dtype, axes, value, np.where(error == 0, np.abs(value) * 2.0**-20, np.inf), 8)
        raise KeyError(op)

    def _integer_binary(self, op, dtype, axes, a, b, error):
        if op in ("div", "rem", "ceildiv"):
            safe = np.where((b == 0) | (b == -1), 1, b)
            if op == "ceildiv":
                value = np.where(b == 0, 0, np.where(b == -1, -a, -((-a) // safe)))
            elif op == "div":
                value = np.where(b == 0, 0, np.where(b == -1, -a, a // safe))
            else:
                value = np.where((b == 0) | (b == -1), 0, a % safe)
        elif op in ("shl", "shr"):
            count = b % WIDTH[dtype]
            value = np.left_shift(a, count) if op == "shl" else np.right_shift(a, count)
        else:
            function = {
                "add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
                "bitand": np.bitwise_and, "bitor": np.bitwise_or, "bitxor": np.bitwise_xor
            }[op]  # fmt: skip
            value = function(a, b)
        return integral(dtype, axes, value, error)

    # ---- over axes -------------------------------------------------------------------------------------------------------

    def _prepared(self, node):
        """The operands with their axes aligned, and where the axes stand that the operation goes over."""
        args = [self.evaluate(a) for a in node.args]
        names = [a.name for a in node.info["over"]]
        axes = sorted({n for v in args for n in v.axes} | set(names), key=self.order.get)
        shape = [len(self.environment[a]) for a in axes]
        arrays = [
            tuple(np.broadcast_to(self._array(x, v.axes, axes), shape) for x in (v.value, v.error)) for v in args
        ]
        return args, arrays, axes, tuple(axes.index(n) for n in names)

    def on_sum(self, node):
        (operand,), ((value, error),), axes, over = self._prepared(node)
        rest = [a for a in axes if a not in {x.name for x in node.info["over"]}]
        if not is_float(node.dtype):
            return integral(node.dtype, rest, value.astype(np.int64).sum(over), error.max(over, initial=0))
        count = int(np.prod([value.shape[n] for n in over]))
        return self._summed(node.dtype, rest, value, error, over, count)

    def _summed(self, dtype, rest, value, error, over, count):
        total = value.sum(over)
        size = np.where(np.isfinite(value), np.abs(value), 0).sum(over) + error.sum(over)
        whole, small = is_small(value, size[...] if size.ndim else size)
        whole = np.all(whole | ~np.isfinite(value), axis=over)
        exact = whole & small & (error.sum(over) == 0)
        if count == 1:
            exact = error.sum(over) == 0
        bound = np.where(exact, 0, error.sum(over) + FLOAT_UNIT[dtype] * (count + 1) * size)
        bound = np.where(size < LARGEST[dtype] / 4, bound, np.inf)
        special = ~np.isfinite(total)
        bound = np.where(special, np.where(np.isfinite(bound), 0, np.inf), bound)
        return settled_sum(dtype, rest, total, bound, Terms(count, size, 2.0**10, whole))

    def on_mean(self, node):
        (operand,), ((value, error),), axes, over = self._prepared(node)
        rest = [a for a in axes if a not in {x.name for x in node.info["over"]}]
        count = int(np.prod([value.shape[n] for n in over]))
        total = self._summed(node.dtype, rest, value, error, over, count)
        quotient = total.value / count
        return settled(node.dtype, rest, quotient, total.error / count + np.where(np.isfinite(quotient), spacing(
            np.where(np.isfinite(quotient), quotient, 0), node.dtype), 0))

    def _extreme(self, node, function):
        _, ((value, error),), axes, over = self._prepared(node)
        rest = [a for a in axes if a not in {x.name for x in node.info["over"]}]
        result = function(value, axis=over)
        return Value(node.dtype, rest, result, np.where(_is_open(node.dtype, result), np.inf, error.max(over)))

    def on_max(self, node):
        if "over" not in node.info:
            return self._elementwise(node)
        return self._extreme(node, np.max)

    def on_min(self, node):
        if "over" not in node.info:
            return self._elementwise(node)
        return self._extreme(node, np.min)

    def on_any(self, node):
        _, ((value, error),), axes, over = self._prepared(node)
        rest = [a for a in axes if a not in {x.name for x in node.info["over"]}]
        return self._decided(rest, value, error, over, True)

    def on_all(self, node):
        _, ((value, error),), axes, over = self._prepared(node)
        rest = [a for a in axes if a not in {x.name for x in node.info["over"]}]
        return self._decided(rest, value, error, over, False)

    def _decided(self, rest, value, error, over, deciding):
        result = value.any(over) if deciding else value.all(over)
        sure = (error.max(over) == 0) | ((value == deciding) & (error == 0)).any(over)
        return Value("bool", rest, result, np.where(sure, 0.0, np.inf))

    def _arg(self, node, largest):
        _, ((value, error),), axes, (over,) = self._prepared(node)
        rest = [a for a in axes if a != node.info["over"][0].name]
        start = self.environment[node.info["over"][0].name][0]
        at = value.argmax(over) if largest else value.argmin(over)
        best = np.take_along_axis(value, np.expand_dims(at, over), over)
        reach = error + np.take_along_axis(error, np.expand_dims(at, over), over)
        # Another one within the error makes it undecided; so does any error where there is a NaN.
        rivals = (np.abs(value.astype(float) - best) <= reach) & (reach > 0) | np.isinf(error)
        rivals |= np.isnan(np.asarray(value, float)) & (error > 0)
        np.put_along_axis(rivals, np.expand_dims(at, over), np.isinf(np.take_along_axis(error, np.expand_dims(at, over), over)), over)
        return Value("i64", rest, at + start, np.where(rivals.any(over), np.inf, 0.0))

    def on_argmax(self, node):
        return self._arg(node, True)

    def on_argmin(self, node):
        return self._arg(node, False)

    def on_cumsum(self, node):
        _, ((value, error),), axes, (over,) = self._prepared(node)
        if not is_float(node.dtype):
            return integral(node.dtype, axes, np.cumsum(value.astype(np.int64), over), np.maximum.accumulate(error, over))
        size = np.cumsum(np.where(np.isfinite(value), np.abs(value), 0) + error, over)
        whole, small = is_small(value, size)
        exact = np.logical_and.accumulate(whole | ~np.isfinite(value), over) & small & (np.cumsum(error, over) == 0)
        total = np.cumsum(value, over)
        bound = np.where(exact, 0, np.cumsum(error, over) + FLOAT_UNIT[node.dtype] * (value.shape[over] + 1) * size)
        bound = np.where(size < LARGEST[node.dtype] / 4, bound, np.inf)
        bound = np.where(np.isfinite(total), bound, np.where(np.isfinite(bound), 0, np.inf))
        return settled_sum(node.dtype, axes, total, bound)

    def on_dot(self, node):
        left, right = (self.evaluate(a) for a in node.args)
        names = {a.name for a in node.info["over"]}
        axes = self._union([left, right])
        rest = [a for a in axes if a not in names]
        letters = {a: chr(97 + n) for n, a in enumerate(axes)}

        def product(a, b):
            spell = lambda v: "".join(letters[x] for x in v.axes)  # noqa: E731
            return np.einsum(f"{spell(left)},{spell(right)}->{''.join(letters[a] for a in rest)}", a, b)

        count = int(np.prod([len(self.environment[n]) for n in names]))
        if not is_float(node.dtype):
            error = product((left.error > 0).astype(float), np.ones(right.value.shape)) + product(
                np.ones(left.value.shape), (right.error > 0).astype(float)
            )
            return integral(node.dtype, rest, product(left.value.astype(np.int64), right.value.astype(np.int64)), error)
        total = product(left.value, right.value)
        undecided = np.isinf(left.error).any() or np.isinf(right.error).any()
        clean = [np.where(np.isfinite(v.value), np.abs(v.value), 0) for v in (left, right)]
        errors = [np.where(np.isfinite(v.error), v.error, 0) for v in (left, right)]
        size = product(clean[0] + errors[0], clean[1] + errors[1])
        carried = product(clean[0], errors[1]) + product(errors[0], clean[1]) + product(errors[0], errors[1])
        if undecided:
            unknown = [np.isinf(v.error).astype(float) for v in (left, right)]
            ones = [np.ones(v.value.shape) for v in (left, right)]
            carried = np.where(product(unknown[0], ones[1]) + product(ones[0], unknown[1]) > 0, np.inf, carried)
        exact = (carried == 0) & (size * 2**20 <= 2**24) & all(_whole(v.value) for v in (left, right))
        unit = FLOAT_UNIT[node.dtype]
        if node.info.get("precision") == "tf32":
            coarse = all(np.all(round_to_tf32(v.value) == v.value) for v in (left, right))
            exact = exact & coarse
            unit = unit * 2 + 2.0**-9 / max(count, 1)
        elif node.info.get("precision") == "tf32x3":
            exact = exact & False
            unit = unit * 2 + 2.0**-20 / max(count, 1)
        bound = np.where(exact, 0, carried + 2 * unit * (count + 1) * size)
        infinite = any(not np.all(np.isfinite(v.value)) for v in (left, right))
        bound = np.where(size < LARGEST[node.dtype] / 4, bound, np.inf)
        if infinite and node.info.get("precision"):
            bound = np.where(np.isfinite(total), bound, np.inf)
        bound = np.where(np.isfinite(total), bound, np.where((carried == 0) & np.isfinite(bound), 0, np.inf))
        whole = np.broadcast_to((carried == 0) & all(_whole(v.value) for v in (left, right)), total.shape)
        return settled_sum(node.dtype, rest, total, bound, Terms(count, size, 2.0**20, whole))

    def _folded(self, node):
        """reduce and scan by an author's function: the state's values, after the last index or after each."""
        args, arrays, axes, (over,) = self._prepared(node)
        states = [(np.moveaxis(v, over, 0), np.moveaxis(e, over, 0)) for v, e in arrays]
        dtypes = [a.dtype for a in args]
        state = [(v[0], e[0]) for v, e in states]
        steps = [state]
        for n in range(1, states[0][0].shape[0]):
            state = _combine(node.info["function"], state, [(v[n], e[n]) for v, e in states], dtypes)
            steps.append(state)
        rest = [a for n, a in enumerate(axes) if n != over]
        if node.op == "reduce":
            return [Value(d, rest, v, e) for d, (v, e) in zip(dtypes, state)]
        results = []
        for position, dtype in enumerate(dtypes):
            value = np.moveaxis(np.stack([s[position][0] for s in steps]), 0, over)
            error = np.moveaxis(np.stack([s[position][1] for s in steps]), 0, over)
            results.append(Value(dtype, axes, value, error))
        return results

    def on_reduce(self, node):
        return self._folded(node)[0]

    def on_scan(self, node):
        return self._folded(node)[0]


def settled_sum(dtype, axes, value, error, terms=None):
    """A sum, rounded; its bound covers the roundings already, unless it is exact."""
    rounded = round_to(value, dtype)
    step = np.where(np.isfinite(rounded), spacing(np.where(np.isfinite(rounded), rounded, 0), dtype), 0)
    return Value(dtype, axes, rounded, np.where(error > 0, error + step, error), terms)


def _is_open(dtype, extreme):
    """f8e5m2 has infinities, which casts to it never make. Whether a maximum that is formed in f32 does is left open."""
    return np.isinf(extreme) & (dtype == "f8e5m2")


def round_to_tf32(value):
    bits = value.astype(np.float32).view(np.uint32)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)


def _whole(value):
    scaled = np.where(np.isfinite(value), value, 0) * 1024
    return bool(np.all(scaled == np.rint(scaled)))


def _product_error(a, ea, b, eb):
    return np.where((ea == 0) & (eb == 0), 0, np.abs(a) * eb + np.abs(b) * ea + ea * eb)


def _combine(function, first, second, dtypes):
    """One application of a function of program.FUNCTIONS, or of a built-in one, to two states of (value, error)."""
    worst = [np.maximum(a[1], b[1]) for a, b in zip(first, second)]
    all_worst = np.maximum.reduce(worst)
    values = [a[0] for a in first] + [b[0] for b in second]
    if function == "affine":
        a, b, c, d = values
        return [(wrap(a * c, "i32"), all_worst), (wrap(wrap(b * c, "i32") + d, "i32"), all_worst)]
    if function == "first":
        return [first[0]]
    if function == "last":
        return [second[0]]
    if function == "later":
        i, v, j, w = values
        chosen = w >= v
        undecided = np.where((worst[1] > 0) & ~(np.abs(v - w) > first[1][1] + second[1][1]), np.inf, 0)
        return [(np.where(chosen, j, i), np.maximum(worst[0], undecided)), (np.where(chosen, w, v), np.maximum(worst[1], undecided))]
    if function == "segment":
        h, v, g, w = values
        return [(h | g, all_worst), (np.where(g, w, wrap(v + w, "i32")), all_worst)]
    if function == "exclusive":
        return [(values[0] ^ values[1], worst[0])]
    if function in ("max", "min"):
        return [((np.maximum if function == "max" else np.minimum)(*values), worst[0])]
    raise KeyError(function)


def _stores(kernel):
    stack = list(kernel.body)
    while stack:
        statement = stack.pop()
        if statement.kind == "store":
            yield statement
        for block in statement.blocks:
            stack += block
