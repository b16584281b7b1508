"""Formulas in f64 that the tests of kernels and of features share."""

import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])


def numeric(function, x, h=1e-5):
    """The derivative by central differences: right to about 1e-9 for functions of ordinary size."""
    return (function(x + h) - function(x - h)) / (2 * h)


def identity(x):
    return x


def relu(x):
    return np.maximum(x, 0)


def leaky_relu(x):
    return np.where(x > 0, x, 0.01 * x)


def squared_relu(x):
    return relu(x) ** 2


def sigmoid(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)), 1) / (1 + np.exp(-np.abs(x)))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_erf(x):
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def smelu(x):
    return np.where(x >= 1, x, np.where(x <= -1, 0, (x + 1) ** 2 / 4))


def hard_swish(x):
    return x * np.clip(x + 3, 0, 6) / 6


def mish(x):
    return x * np.tanh(softplus(x))


def swiglu(gate, up):
    return silu(gate) * up


def geglu(gate, up):
    return gelu(gate) * up


def reglu(gate, up):
    return relu(gate) * up


def philox(seed, n):
    """Philox 4×32-10 (Salmon, Moraes, Dror, Shaw 2011): word n % 4 of counter n / 4 under the key `seed`."""
    n = np.asarray(n, np.int64)
    mask = np.uint64(0xFFFFFFFF)
    counter = (n // 4).astype(np.uint64)
    words = [counter & mask, counter >> np.uint64(32), np.zeros_like(counter), np.zeros_like(counter)]
    low, high = seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * words[0], np.uint64(0xCD9E8D57) * words[2]
        words = [
            (b >> np.uint64(32)) ^ words[1] ^ np.uint64(low),
            b & mask,
            (a >> np.uint64(32)) ^ words[3] ^ np.uint64(high),
            a & mask,
        ]
        low, high = (low + 0x9E3779B9) & 0xFFFFFFFF, (high + 0xBB67AE85) & 0xFFFFFFFF
    return np.choose(n % 4, words)
