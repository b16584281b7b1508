"""Tests of the fuzzer's own parts: generated kernels hold what generator.py promises, the oracle knows simple results and says how sure
it is, outputs are compared in every byte, and the shrinker finds the small kernel in a large one."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402

import case  # noqa: E402
import generator  # noqa: E402
import values  # noqa: E402
from independence import dependences  # noqa: E402
from oracle import Oracle, Value  # noqa: E402
from program import Axis, Kernel, Node, Statement, View, nodes, statements, text  # noqa: E402
from shrink import shrink  # noqa: E402


def dimension(name):
    return Node("dimension", "i64", name=name)


def row_sum(by, operator="+=", reduction="sum"):
    """y[i] = Σ x[i, k], with a loop over k."""
    i = Axis("i", None, dimension("M"), by="BI", dimension="M", extent=dimension("M"))
    k = Axis("k", None, dimension("K"), by=by, dimension="K", extent=dimension("K"))
    load = Node("load", "f32", [Node("index", "i64", axis=i), Node("index", "i64", axis=k)], view="x", outside=False)
    value = Node(reduction, "f32", [load], over=[k])
    body = [
        Statement("var", dict(name="a", dtype="f32", axes=["i"]), [Node("literal", "f32", value=0.0)]),
        Statement("for", dict(axes=[k]), [], [[Statement("assign", dict(name="a", op=operator), [value])]]),
        Statement(
            "store", dict(name="y", op="="),
            [Node("index", "i64", axis=i), Node("reference", "f32", name="a", axes=frozenset(["i"]))]
        ),
    ]  # fmt: skip
    views = {
        "x": View("x", "f32", [dimension("M"), dimension("K")]), "y": View("y", "f32", [dimension("M")], "out")
    }  # fmt: skip
    return Kernel([i], body, views, {}, dict(M=3, K=5), {}, set(), 1)


def outcome(kernel, x):
    oracle = Oracle(kernel, dict(x=np.asarray(x, float), y=np.zeros(kernel.extents["M"])))
    oracle.run()
    return oracle.outcomes()["y"]


class Generated(unittest.TestCase):
    def test_a_seed_is_always_the_same_kernel(self):
        self.assertEqual(text(generator.generate(7)), text(generator.generate(7)))

    def test_all_constructs_occur(self):
        operations, kinds = set(), set()
        for seed in range(300):
            kernel = generator.generate(seed)
            operations |= {n.op for n in nodes(kernel)}
            kinds |= {s.kind for s in statements(kernel)} | {s.info["op"] for s in statements(kernel) if s.kind == "store"}
            kinds |= {"atomic" for s in statements(kernel) if s.info.get("atomic")}
        for operation in "dot sum mean max argmax argmin cumsum scan reduce any all where cast load old fma clamp pow".split():
            self.assertIn(operation, operations)
        for kind in "for if while var let letmany span present store = += -= max= min= atomic".split():
            self.assertIn(kind, kinds)

    def test_results_are_independent_of_tunables(self):
        for seed in range(200):
            kernel = generator.generate(seed)
            carried = "cumsum" in {n.op for n in nodes(kernel)}
            self.assertTrue(carried or dependences(kernel) == 0, text(kernel))

    def test_dependences_are_seen(self):
        self.assertEqual(dependences(row_sum("BK")), 0)
        self.assertEqual(dependences(row_sum(4, "*=")), 0)
        self.assertGreater(dependences(row_sum("BK", "*=")), 0)
        self.assertGreater(dependences(row_sum("BK", "+=", "max")), 0)


class Results(unittest.TestCase):
    def test_sums_of_small_numbers_are_exact(self):
        value, error, written = outcome(row_sum("BK"), np.arange(15).reshape(3, 5))
        self.assertEqual(value.tolist(), [10, 35, 60])
        self.assertEqual(error.tolist(), [0, 0, 0])
        self.assertTrue(written.all())

    def test_other_sums_have_a_bound(self):
        value, error, _ = outcome(row_sum("BK"), np.float32(np.full((3, 5), 0.1)))
        self.assertTrue((error > 0).all() and (error < 1e-5).all())
        self.assertTrue((np.abs(value - 0.5) <= error).all())

    def test_infinities_are_certain_and_nan_is_nan(self):
        x = np.ones((3, 5))
        x[0, 0], x[1, 0], x[1, 1] = np.inf, np.inf, -np.inf
        value, error, _ = outcome(row_sum(2), x)
        self.assertEqual((value[0], error[0], error[1]), (np.inf, 0, 0))
        self.assertTrue(np.isnan(value[1]))

    def test_comparisons_within_the_error_are_undecided(self):
        kernel = row_sum("BK")
        kernel.body[-1].expressions[-1] = Node(
            "where", "f32",
            [
                Node("lt", "bool", [kernel.body[-1].expressions[-1], Node("literal", "f32", value=0.5)]),
                Node("literal", "f32", value=1.0), Node("literal", "f32", value=2.0)
            ]
        )  # fmt: skip
        x = np.float32([[0.1] * 5, [0.2] * 5, [0.0] * 5]).astype(float)
        _, error, _ = outcome(kernel, x)
        self.assertEqual(error.tolist(), [np.inf, 0, 0])


    def test_casts_round_as_the_language_says(self):
        oracle = Oracle(row_sum("BK"), {})
        for source, dtype, value, want in [
            ("f8e5m2", "f8e4m3", -57344.0, -448.0), ("f32", "f8e4m3", np.inf, 448.0), ("f32", "f16", 1e6, np.inf),
            ("bf16", "f16", 2.0**-30, 0.0), ("f32", "i8", 300.0, 127), ("f64", "f32", 1 + 2.0**-30, 1.0), ("f32", "i32", -2.7, -2)
        ]:
            with self.subTest(source=source, dtype=dtype, value=value):
                result = oracle.cast(Value(source, (), np.array(value)), dtype)
                self.assertEqual((float(result.value), float(result.error)), (want, 0))


class Compared(unittest.TestCase):
    def setUp(self):
        view = View("y", "f32", [dimension("M")], "out", layout=dict(steps=[2], offset=1, behind=1))
        self.argument = values.Argument(view, [3], None)
        self.image = self.argument.image()
        self.argument.elements(self.image)[...] = [1, 2, 3]
        self.written = np.ones(3, bool)

    def difference(self, error=0.0):
        return self.argument.difference(self.image, (np.array([1.0, 2, 3]), np.full(3, error), self.written))

    def test_the_same_is_right(self):
        self.assertIsNone(self.difference())

    def test_another_value_is_wrong(self):
        self.argument.elements(self.image)[1] = 2.5
        self.assertIn("y[1] is 2.5", self.difference())
        self.assertIsNone(self.difference(0.5))

    def test_nan_is_wrong(self):
        self.argument.elements(self.image)[1] = np.nan
        self.assertIn("y[1]", self.difference(0.5))

    def test_memory_between_is_not_to_be_touched(self):
        for element in (0, 2, len(self.image) - 1):
            with self.subTest(element=element):
                image = self.image.copy()
                image[element] = 7
                self.assertIn("between or beside", self.argument.difference(image, (np.array([1.0, 2, 3]), np.zeros(3), self.written)))

    def test_elements_that_are_not_written_keep_their_bytes(self):
        self.written[2] = False
        self.assertIn("y[2] was written", self.difference())


class Shrunk(unittest.TestCase):
    def test_a_large_kernel_becomes_a_small_one(self):
        def has_dot(kernel):
            return any(n.op == "dot" for n in nodes(kernel)) and any(s.kind == "store" for s in statements(kernel))

        seed = next(s for s in range(1000) if has_dot(generator.generate(s)) and len(text(generator.generate(s))) > 1500)
        small = shrink(generator.generate(seed), has_dot)
        self.assertTrue(has_dot(small))
        self.assertLess(len(text(small)), 500, text(small))

    def test_arguments_lie_as_the_layout_says(self):
        view = View("x", "f16", [dimension("M"), dimension("N")], layout=dict(order=[1, 0], pads=[1, 0], steps=[1, -1], offset=2))
        raw = np.arange(6, dtype=np.float16).reshape(2, 3)
        argument = values.Argument(view, [2, 3], raw)
        image = argument.image()
        self.assertEqual(argument.strides, [1, -3])
        self.assertTrue((argument.elements(image) == raw).all())
        self.assertEqual(image[argument.first], 0)


class Told(unittest.TestCase):
    def test_a_kernel_is_described_with_its_arguments(self):
        told = case.describe(row_sum("BK"))
        self.assertIn("for k in K by BK", told)
        self.assertIn("x: shape [3, 5], strides [5, 1]", told)


if __name__ == "__main__":
    unittest.main()
