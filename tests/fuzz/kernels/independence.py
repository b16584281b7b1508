"""Whether a kernel's results can depend on its tunables: language.md allows that, and a comparison of targets does not.

The rule is the generator's (generator.py): a tunable's span is reduced only by what adds up all spans.
"""

from program import all_axes

OF_OPERATOR = {"+=": ("sum", "dot"), "-=": ("sum", "dot"), "max=": ("max",), "min=": ("min",)}


def dependences(kernel):
    """How many places break the rule. A prefix sum that is carried from span to span counts too, and is independent all the same, so
    only the number's growth tells something."""
    count = sum(1 for a in all_axes(kernel) if a.parent is not None and not a.parent.is_exact)
    for axis in all_axes(kernel):
        for bound in (axis.low, axis.high):
            count += _of_node(bound) if bound is not None else 0
    return count + _of_block(kernel, kernel.body, [a for a in kernel.axes if a.is_span and not a.is_exact], {})


def _of_block(kernel, block, around, declared):
    """around: the axes of tunables that are in scope; declared: variable → how many of them were when it was declared."""
    count, declared = 0, dict(declared)
    for statement in block:
        kind, info = statement.kind, statement.info
        inside = list(around)
        if kind == "var":
            declared[info["name"]] = len(around)
        if kind == "for":
            inside += [a for a in info["axes"] if a.is_span and not a.is_exact]
        if kind == "assign" and info["name"] in declared:
            missing = around[declared[info["name"]] :]
            count += _of_change(statement.expressions[0], info["op"], missing)
        elif kind == "store" and info["op"] != "=":
            named = frozenset().union(*(p.axes for p in statement.expressions[:-1]))
            count += _of_change(statement.expressions[-1], info["op"], [a for a in around if a.name not in named])
        else:
            count += sum(_of_node(e) for e in statement.expressions)
        for inner in statement.blocks:
            count += _of_block(kernel, inner, inside, declared)
        if kind == "for" and len(inside) > len(around):
            changed = {s.info["name"] for s in _inner(statement) if s.kind == "assign"} & declared.keys()
            count += sum(1 for s in _inner(statement) for e in s.expressions for n in _names(e) if n in changed)
    return count


def _of_change(node, operator, missing):
    allowed = OF_OPERATOR.get(operator, ())
    over = {a.name for a in node.info.get("over", ())}
    count = sum(1 for a in missing if node.op not in allowed or a.name not in over)
    return count + (sum(_of_node(a) for a in node.args) if node.op in allowed else _of_node(node))


def _of_node(node):
    count = sum(1 for a in node.info.get("over", ()) if not a.is_exact)
    if node.op in ("start", "end") and not node.info["axis"].is_exact:
        count += 1
    return count + sum(_of_node(a) for a in node.args)


def _inner(statement):
    for block in statement.blocks:
        for inner in block:
            yield inner
            yield from _inner(inner)


def _names(node):
    if node.op == "reference":
        yield node.info["name"]
    for arg in node.args:
        yield from _names(arg)
