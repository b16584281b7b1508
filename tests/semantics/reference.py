"""Formulas in f64 that the tests of kernels and of features share."""

import math

import numpy as np

from harness import EPSILON

erf = np.vectorize(math.erf, otypes=[np.float64])


def numeric(function, x, h=1e-5):
    """The derivative by central differences: right to about 1e-9 for functions of ordinary size."""
    return (function(x + h) - function(x - h)) / (2 * h)


def gradient(function, x, dy, h=1e-5):
    """The gradient of sum(dy * function(x)) by x, element by element, by central differences."""
    result = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[index] = h
        result[index] = (dy * (function(x + step) - function(x - step))).sum() / (2 * h)
    return result


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


def softmax(x):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


def product(a, b):
    """a · bᵀ, and the size of what is summed, for the tolerance."""
    return a @ b.T, np.abs(a) @ np.abs(b).T


def rounding_scale(dtype):
    """How much larger than an f32 rounding the rounding of an operand to this dtype is."""
    return 1 if dtype == "f32" else EPSILON[dtype] / EPSILON["f32"]


def attend(q, k, v, scale, causal, window, lengths):
    """o and lse, row by row."""
    B, HQ, SQ, D = q.shape
    HK, SK = k.shape[1:3]
    o, lse = np.zeros((B, HQ, SQ, D)), np.full((B, HQ, SQ), -np.inf)
    for b in range(B):
        n = min(lengths[b], SK) if lengths is not None else SK
        i, key = np.arange(SQ)[:, None] + n - SQ, np.arange(n)[None]
        seen = np.ones((SQ, n), bool)
        if causal:
            seen &= key <= i
        if window:
            seen &= i - key < window
        for h in range(HQ):
            s = np.where(seen, q[b, h] @ k[b, h // (HQ // HK), :n].T * scale, -np.inf)
            for row in range(SQ):
                if seen[row].any():
                    top = s[row].max()
                    weights = np.exp(s[row] - top)
                    o[b, h, row] = weights @ v[b, h // (HQ // HK), :n] / weights.sum()
                    lse[b, h, row] = top + np.log(weights.sum())
    return o, lse
