"""Makes a kernel that shows a fault smaller, as long as it shows the same one."""

import time

from independence import dependences
from program import Node, blocks, remove_unused, slots, statements

def shrink(kernel, is_same, attempts=600, seconds=240):
    """The smallest kernel found. `is_same(kernel)` runs one and says whether the fault is still there."""
    tried, end = 0, time.monotonic() + seconds
    progress = True
    bound = dependences(kernel)
    while progress and tried < attempts and time.monotonic() < end:
        progress = False
        for make in CANDIDATES:
            position = 0
            while tried < attempts and time.monotonic() < end:
                smaller = kernel.copy()
                step = make(smaller, position)
                if step is None:
                    break  # no more of this kind
                if step:
                    remove_unused(smaller)
                    tried += 1
                    if dependences(smaller) <= bound and is_same(smaller):
                        kernel, progress = smaller, True
                        continue  # the same position is another one now
                position += 1
    return kernel


# Each takes a copy of a kernel and the number of a candidate, and changes the copy: True; leaves it as it is, since there is nothing
# to gain: False; or there are not so many candidates: None.


def _drop_statement(kernel, position):
    for block in blocks(kernel):
        if position < len(block):
            del block[position]
            return True
        position -= len(block)
    return None


def _unwrap_statement(kernel, position):
    """`if c { … }`, and loops, become what is in them."""
    for block in blocks(kernel):
        for at, statement in enumerate(block):
            for inner in statement.blocks:
                if position == 0:
                    block[at : at + 1] = inner
                    return True
                position -= 1
    return None


def _drop_else(kernel, position):
    with_else = [s for s in statements(kernel) if len(s.blocks) > 1]
    if position >= len(with_else):
        return None
    del with_else[position].blocks[1]
    return True


def _operand_instead(kernel, position):
    """An operation becomes one of its operands of the same dtype, or one that a cast makes so."""
    for holder, at in slots(kernel):
        node = holder[at]
        if node.op == "literal":
            continue
        for arg in node.args:
            if position == 0:
                holder[at] = arg if arg.dtype == node.dtype else Node("cast", node.dtype, [arg])
                return node.op != "cast" or arg.dtype == node.dtype
            position -= 1
    return None


def _literal_instead(kernel, position):
    for holder, at in slots(kernel):
        if position == 0:
            node = holder[at]
            if node.op == "literal" and node.info["value"] in (0, 1):
                return False
            holder[at] = Node("literal", node.dtype, value=True if node.dtype == "bool" else 1)
            return True
        position -= 1
    return None


def _smaller_extent(kernel, position):
    steps = [(n, s) for n, size in kernel.extents.items() for s in sorted({1, 2, 3, 4, 8, 16, size // 2, size - 1}) if 0 < s < size]
    if position >= len(steps):
        return None
    name, size = steps[position]
    kernel.extents[name] = size
    return True


def _plain_layout(kernel, position):
    views = list(kernel.views.values())
    keys = [(v, k) for v in views for k in v.layout if k != "indexes"]
    if position >= len(keys):
        return None
    view, key = keys[position]
    del view.layout[key]
    return True


def _plain_view(kernel, position):
    views = list(kernel.views.values())
    changes = [("pack", False), ("optional", False), ("contents", "small"), ("contents", "normal")]
    if position >= len(views) * len(changes):
        return None
    view, (name, value) = views[position // len(changes)], changes[position % len(changes)]
    if getattr(view, name) == value or name == "contents" and view.contents in ("small", "index", "permutation", "offsets"):
        return False
    setattr(view, name, value)
    return True


def _fixed_tunable(kernel, position):
    steps = [(n, s) for n, size in kernel.tunables.items() for s in (1, 2, 4, 8, 16) if s < size]
    if position >= len(steps):
        return None
    name, size = steps[position]
    kernel.tunables[name] = size
    return True


def _unchecked(kernel, position):
    if position or not kernel.checked:
        return None
    kernel.checked = False
    return True


CANDIDATES = [
    _drop_statement, _unwrap_statement, _drop_else, _smaller_extent, _operand_instead, _literal_instead, _plain_layout, _plain_view,
    _fixed_tunable, _unchecked
]  # fmt: skip
