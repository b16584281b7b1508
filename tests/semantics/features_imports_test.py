"""docs/language.md §3.15 and §3.16, randomness and imports. Small kernels, with the values they must give. Run
with --help for the options."""

import os

import numpy as np

from features import elementwise, wrap
from harness import main, sweep, test
from reference import philox


@test
def philox_itself(t):
    """The known answers of Random123: of counter 0 with key 0, and of all ones."""
    t.same(philox(0, np.arange(4)), np.array([0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8], np.uint64), what="philox")


@sweep(seed=[0, 42, -1, 2**40 + 5, -(2**63)], N=[1, 4, 999])
def random_numbers(t, seed, N):
    text = """
kernel k(bits: out i32[N], uniform: out f32[N], far: out i32[N], seed: i64)
over (n in N by BN) {
  bits[n] = random_bits(seed, n);
  uniform[n] = random(seed, n);
  far[n] = random_bits(seed, n * 1000003 + 17179869190);
}
"""
    bits, uniform, far = t.run(
        "k", source=t.file(text), seed=seed, dims=dict(N=N), out=dict(bits="i32", uniform="f32", far="i32")
    )
    words = philox(seed % 2**64, np.arange(N))
    t.same(bits, wrap(words, "i32"))
    t.same(uniform, (words >> np.uint64(8)).astype(np.float64) * 2.0**-24)
    t.same(far, wrap(philox(seed % 2**64, np.arange(N) * 1000003 + 17179869190), "i32"))


@test
def imports(t):
    with open(os.path.join(t.folder, "shapes.tile"), "w") as file:
        file.write('import "numbers.tile";\nfn square(x: f32) -> f32 = x * x * unit;\nderiv square(x) = 3 * x;\n')
    with open(os.path.join(t.folder, "numbers.tile"), "w") as file:
        file.write("let unit = 2.0;\n")
    x = t.normal((20,), "f32")
    (y,) = elementwise(t, dict(x=x), dict(y=("f32", "square(x) + deriv(square)(x)")), functions='import "shapes.tile";')
    t.close(y, 2 * x.value**2 + 3 * x.value, scale=4 * x.value**2 + 4)
    (y,) = elementwise(
        t, dict(x=x), dict(y=("f32", "s.square(x) + act.relu(x)")),
        functions='import "shapes.tile" as s;\nimport "activations.tile" as act;'
    )
    t.close(y, 2 * x.value**2 + np.maximum(x.value, 0), scale=4 * x.value**2 + 4)


if __name__ == "__main__":
    main()
