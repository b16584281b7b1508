"""The arguments of a kernel: what views hold, how they lie in memory, and whether their outputs are right."""

import ctypes
import mmap
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "semantics"))

from features import LIMITS  # noqa: E402
from harness import NATIVE, SMALL, decode, encode, is_float  # noqa: E402

PAGE = mmap.PAGESIZE
POISON = 0xA5
PROT_NONE = 0  # <sys/mman.h>


def raw_type(dtype):
    return np.dtype(SMALL[dtype][4] if dtype in ("bf16", "f8e4m3", "f8e5m2") else NATIVE[dtype])


# ---- contents --------------------------------------------------------------------------------------------------------


def make(random, view, shape, extent):
    """Raw elements. view.contents names their kind; `extent` is how large the dimension is that an index is for."""
    kind, dtype = view.contents, view.dtype
    if kind == "permutation":  # of the indices of a dimension, as far as they go; others are outside
        count = int(np.prod(shape))
        return random.permutation(max(count, extent))[:count].reshape(shape).astype(raw_type(dtype))
    if kind == "offsets":  # a partition of 0..extent
        cuts = np.sort(random.integers(0, extent + 1, shape))
        if len(cuts):
            cuts[0], cuts[-1] = 0, extent if len(cuts) > 1 else 0
        return cuts.astype(raw_type(dtype))
    if kind == "index":
        value = random.integers(-2, extent + 3, shape)
        low, high = LIMITS[dtype]
        wild = random.random(shape) < 0.03
        return np.where(wild, random.choice([low, high, -1, extent], shape), value).clip(low, high).astype(raw_type(dtype))
    if dtype == "bool":
        return random.random(shape) < {"small": 0.5, "special": 0.95}.get(kind, 0.3)
    if not is_float(dtype):
        low, high = LIMITS[dtype]
        if kind == "small":
            return random.integers(max(low, -4), 5, shape).astype(raw_type(dtype))
        value = random.integers(low, high, shape, NATIVE[dtype], endpoint=True)
        if kind == "special":
            edges = np.array([low, low + 1, high, 0, 1, max(low, -1), 2], NATIVE[dtype])
            value = np.where(random.random(shape) < 0.5, random.choice(edges, shape), value)
        return value.astype(raw_type(dtype))
    if kind == "small":
        return encode(random.integers(-4, 5, shape) / 2, dtype)
    if kind == "bits":
        bits = random.integers(0, 256, (*shape, raw_type(dtype).itemsize), np.uint8)
        return np.ascontiguousarray(bits).view(raw_type(dtype)).reshape(shape)
    value = random.standard_normal(shape) * random.choice([0.1, 1, 3])
    if kind == "special":
        value = np.where(random.random(shape) < 0.5, random.choice(_special(dtype), shape), value)
    return encode(value, dtype)


def _special(dtype):
    if dtype in SMALL:
        table = decode(np.arange(SMALL[dtype][2] + 1, dtype=SMALL[dtype][4]).view(raw_type(dtype)), dtype)
        largest, normal, smallest = table[-1], 2.0 ** (2 - 2 ** (SMALL[dtype][0] - 1)), table[1]
    else:
        info = np.finfo(NATIVE[dtype])
        largest, normal, smallest = float(info.max), float(info.tiny), float(info.smallest_subnormal)
    infinity = largest if dtype == "f8e4m3" else np.inf
    positive = [0.0, smallest, 3 * smallest, normal, normal - smallest, 1.0, 0.5, 2.5, largest, infinity]
    return np.array(positive + [-v for v in positive] + [np.nan, np.nan])


# ---- memory ----------------------------------------------------------------------------------------------------------

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def guarded(count, dtype):
    """`count` elements that end where memory ends: whoever reads or writes beyond them is stopped by the processor."""
    size = count * dtype.itemsize
    whole = (size + PAGE - 1) // PAGE * PAGE + PAGE
    region = mmap.mmap(-1, whole)
    everything = np.frombuffer(region, np.uint8)
    if _libc.mprotect(everything.ctypes.data + whole - PAGE, PAGE, PROT_NONE) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    return everything[whole - PAGE - size : whole - PAGE].view(dtype)


class Argument:
    """A view's elements in memory: `image` is everything, with poison where no element is; shape and strides are as passed."""

    def __init__(self, view, logical_shape, raw):
        self.view, self.logical_shape, self.raw = view, tuple(logical_shape), raw
        layout = view.layout
        shape = list(layout.get("split", ())) + list(logical_shape[1:]) if layout.get("split") else list(logical_shape)
        if layout.get("split") and int(np.prod(layout["split"])) != logical_shape[0]:
            shape = list(logical_shape)
        rank = len(shape)
        order = [d for d in layout.get("order", range(rank)) if d < rank]
        order += [d for d in range(rank) if d not in order]
        pads = (list(layout.get("pads", ())) + [0] * rank)[:rank]
        steps = (list(layout.get("steps", ())) + [1] * rank)[:rank]
        repeated = {d for d in layout.get("repeated", ()) if d < rank and not view.access and view.contents not in ("permutation", "offsets")}
        strides, reach = [0] * rank, 1
        for d in reversed(order):
            if d in repeated:
                continue
            strides[d] = reach * steps[d]
            reach *= max(shape[d] * abs(steps[d]) + pads[d], 1)
        self.first = layout.get("offset", 0) + sum(-s * (n - 1) for s, n in zip(strides, shape) if s < 0 and n > 0)
        self.shape, self.strides = shape, strides
        self.count = self.first + sum(s * (n - 1) for s, n in zip(strides, shape) if s > 0 and n > 0) + 1
        self.count = max(self.count, self.first + 1) + layout.get("behind", 0)
        if raw is not None:
            for d in repeated:
                raw = np.broadcast_to(np.take(raw.reshape(shape), [0] if shape[d] else [], d), shape)
                self.raw = raw = np.ascontiguousarray(raw).reshape(logical_shape)

    def image(self):
        image = np.full(self.count * raw_type(self.view.dtype).itemsize, POISON, np.uint8).view(raw_type(self.view.dtype))
        if self.raw is not None:
            self.elements(image)[...] = self.raw.reshape(self.shape)
        return image

    def elements(self, image):
        strides = [s * image.itemsize for s in self.strides]
        return np.lib.stride_tricks.as_strided(image[self.first :], self.shape, strides)

    def difference(self, image, outcome):
        """What is wrong in the memory of an output, or None. outcome: (value, error, written) of each element."""
        value, error, written = outcome
        dtype = self.view.dtype
        got_raw = np.array(self.elements(image)).reshape(self.logical_shape)
        before = self.image()
        old_raw = np.array(self.elements(before)).reshape(self.logical_shape)
        outside_before, outside_after = before.copy(), image.copy()
        for memory in (outside_before, outside_after):
            self.elements(memory)[...] = np.zeros((), memory.dtype)
        if outside_before.tobytes() != outside_after.tobytes():
            where = np.flatnonzero(outside_before.view(np.uint8) != outside_after.view(np.uint8))[0]
            return f"{self.view.name}: memory between or beside its elements changed, at byte {where}"
        size = got_raw.itemsize
        same = (
            np.ascontiguousarray(got_raw).view(np.uint8).reshape(*self.logical_shape, size)
            == np.ascontiguousarray(old_raw).view(np.uint8).reshape(*self.logical_shape, size)
        ).all(-1) if got_raw.size else np.ones(self.logical_shape, bool)
        unexpected = ~written & ~same
        if unexpected.any():
            at = tuple(int(n) for n in np.argwhere(unexpected)[0])
            return f"{self.view.name}{list(at)} was written, and should not be"
        if dtype == "bool" and got_raw.size and (got_raw.view(np.uint8)[written] > 1).any():
            return f"{self.view.name} has a bool that is neither 0 nor 1"
        got = decode(got_raw, dtype)
        with np.errstate(all="ignore"):
            if is_float(dtype):
                right = (got == value) | (np.isnan(got) & np.isnan(value)) | (np.abs(got - value) <= error) | np.isinf(error)
            else:
                right = (got == value) | (error > 0)
        wrong = written & ~right
        if not wrong.any():
            return None
        at = tuple(int(n) for n in np.argwhere(wrong)[0])
        return (
            f"{self.view.name}{list(at)} is {got[at]!r}, expected {value[at]!r} within {error[at]!r} "
            f"({int(wrong.sum())} of {wrong.size} are wrong)"
        )
