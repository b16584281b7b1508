"""The grammar in docs/language.md is what the parser accepts.

Both ways: sentences made at random from the grammar must parse, and every source of this repository that parses must be a
sentence of it. Between the two lie sources with one token left out, put in, doubled or exchanged: parser and grammar must agree
on each of them. What parses is what `tilewright fmt` takes (it looks at nothing but syntax).

    TILEWRIGHT_CLI=build/dev/bin/tilewright tests/presubmit/grammar_test.py [SEED]
"""

import glob
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "language.md")
SENTENCES = 60  # files of a few declarations
MUTANTS = 1000
DEEPEST = 16  # of a sentence's tree: from there on what ends soonest is chosen
TERMINALS = {"NAME", "INTEGER", "FLOAT", "STRING"}


def section(text, begin, end):
    return text[text.index(begin) + len(begin):].split(end)[0]


PAGE_TEXT = open(PAGE).read()
RESERVED = set(re.search(r"\*\*Reserved\*\*: `(.*?)`", PAGE_TEXT, re.S).group(1).split())
DTYPES = set(re.search(r"^Dtypes: `(.*?)`", PAGE_TEXT, re.M).group(1).split())
RESERVED |= DTYPES

# ----------------------------------------------------------------------------------------------------------------------
# The grammar: rule → expression. An expression is ("word", text), ("rule", name), ("all", parts), ("one", choices),
# ("many", e), ("maybe", e).
# ----------------------------------------------------------------------------------------------------------------------


def read_grammar():
    text = re.sub(r"\(\*.*?\*\)", "", section(PAGE_TEXT, "```ebnf\n", "```"), flags=re.S)
    tokens = re.findall(r'"[^"]*"|\w+|[=;|(){}\[\]]', text)
    rules, at = {}, 0

    def expression():
        nonlocal at
        choices = [sequence()]
        while tokens[at] == "|":
            at += 1
            choices.append(sequence())
        return choices[0] if len(choices) == 1 else ("one", choices)

    def sequence():
        nonlocal at
        parts = []
        while tokens[at] not in "|)}];":
            parts.append(factor())
        return parts[0] if len(parts) == 1 else ("all", parts)

    def factor():
        nonlocal at
        token = tokens[at]
        at += 1
        for open_, close, kind in (("(", ")", None), ("{", "}", "many"), ("[", "]", "maybe")):
            if token == open_:
                inner = expression()
                assert tokens[at] == close, tokens[at - 5:at + 5]
                at += 1
                return (kind, inner) if kind else inner
        return ("word", token[1:-1]) if token.startswith('"') else ("rule", token)

    while at < len(tokens):
        name, equals = tokens[at], tokens[at + 1]
        assert equals == "=" and name not in rules, f"the grammar near {name}"
        at += 2
        rules[name] = expression()
        assert tokens[at] == ";"
        at += 1
    return rules


RULES = read_grammar()


def rules_in(expression):
    kind, value = expression
    if kind == "rule":
        return {value}
    return set().union(*(rules_in(e) for e in (value if kind in ("all", "one") else [value]))) if kind != "word" else set()


# ----------------------------------------------------------------------------------------------------------------------
# Sentences
# ----------------------------------------------------------------------------------------------------------------------


def generate(expression, chance, depth, out, used):
    kind, value = expression
    if kind == "word":
        out.append(value)
    elif kind == "all":
        for part in value:
            generate(part, chance, depth, out, used)
    elif kind == "one":
        choice = chance.choice(value) if depth < DEEPEST else min(value, key=cheapest)
        used.add(str(choice))
        generate(choice, chance, depth + 1, out, used)
    elif kind in ("many", "maybe"):
        likely = 0.6 if depth < 4 else 0.25 if depth < 10 else 0.05
        count = 0 if depth >= DEEPEST else sum(chance.random() < likely for _ in range(2 if kind == "many" else 1))
        for _ in range(count):
            generate(value, chance, depth + 1, out, used)
    elif value == "NAME":
        out.append(chance.choice(["x", "k", "S", "M", "max", "precision", "start", "_a1", "fast"]))
    elif value == "INTEGER":
        out.append(chance.choice(["0", "42", "0x2A", "18446744073709551615"]))
    elif value == "FLOAT":
        out.append(chance.choice(["1.0", "1e-5", "2.5e3", "3E+2"]))
    elif value == "STRING":
        out.append(chance.choice(['"text"', '""', '"a \\" \\\\ \\n \\t ∑"']))
    else:
        generate(RULES[value], chance, depth + (value in ("expr", "statement")), out, used)


_cheapest = {}


def cheapest(expression):
    if id(expression) not in _cheapest:
        _cheapest[id(expression)] = cost(expression)
    return _cheapest[id(expression)]


def choices_of_rules():
    """Every choice that the grammar leaves, as text."""
    found, open_ = set(), list(RULES.values())
    while open_:
        kind, value = open_.pop()
        if kind == "one":
            found |= set(map(str, value))
        if kind not in ("word", "rule"):
            open_ += value if kind in ("one", "all") else [value]
    return found


def is_cast_of_c(words):
    """`(f32)(x)` is a call by the grammar; the parser names the remedy for a cast of C."""
    return re.search(rf"\( ({'|'.join(DTYPES)}|accum( \( \w+|\) )*) \) \(", " ".join(words)) is not None


def cost(expression, open_=()):
    """The fewest tokens of a sentence; many for what leads back to itself."""
    kind, value = expression
    if kind == "word" or (kind == "rule" and value in TERMINALS):
        return 1
    if kind in ("many", "maybe"):
        return 0
    if kind == "all":
        return sum(cost(part, open_) for part in value)
    if kind == "one":
        return min(cost(choice, open_) for choice in value)
    return 1000 if value in open_ else cost(RULES[value], (*open_, value))


# ----------------------------------------------------------------------------------------------------------------------
# Reading
# ----------------------------------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r'(?P<blank>[ \t\r\n]+|//[^\n]*)|(?P<STRING>"(?:\\["\\nt]|[^"\\\n])*")|(?P<FLOAT>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)'
    r"|(?P<INTEGER>0[xX][0-9a-fA-F]+|\d+)|(?P<assign>(?:max|min)=(?!=))|(?P<NAME>[A-Za-z_]\w*)"
    r"|(?P<word>\.\.\.|\.\.|->|\+=|-=|\*=|/=|==|!=|<=|>=|<<|>>|[()\[\]{},;:?.=<>|^&+\-*/%])"
)


def tokens_of(text):
    """(kind, text) of every token, or None where something is none."""
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            return None
        kind, word = match.lastgroup, match.group()
        at = match.end()
        if kind in ("INTEGER", "FLOAT") and re.match(r"\w", text[at:at + 1]):
            return None
        if kind == "INTEGER" and int(word, 0 if word[:2] in ("0x", "0X") else 10) >= 2**64:
            return None
        if kind != "blank":
            tokens.append(("word" if kind == "assign" or word in RESERVED else kind, word))
    return tokens


_firsts = {}


def firsts(expression):
    """What a sentence of the expression can begin with (words, and kinds of other tokens), and whether it may be empty."""
    if id(expression) not in _firsts:
        kind, value = expression
        if kind == "word" or (kind == "rule" and value in TERMINALS):
            answer = {value}, False
        elif kind == "rule":
            answer = firsts(RULES[value])
        elif kind == "one":
            answer = set().union(*(firsts(e)[0] for e in value)), any(firsts(e)[1] for e in value)
        elif kind == "all":
            first, may_be_empty = set(), True
            for part in value:
                if may_be_empty:
                    first, may_be_empty = first | firsts(part)[0], firsts(part)[1]
            answer = first, may_be_empty
        else:
            answer = firsts(value)[0], True
        _firsts[id(expression)] = answer
    return _firsts[id(expression)]


def reads(text):
    """Is the text a sentence? Follows every possibility at once: the ends of all that a rule can match from a token on."""
    tokens = tokens_of(text.removeprefix("\ufeff"))
    if tokens is None:
        return False
    known = {}

    def ends(expression, at):
        kind, value = expression
        first, may_be_empty = firsts(expression)
        token = tokens[at] if at < len(tokens) else None
        if token is None or (token[1] if token[0] == "word" else token[0]) not in first:
            return {at} if may_be_empty else set()
        if kind == "word" or (kind == "rule" and value in TERMINALS):
            return {at + 1}
        if kind == "rule":
            if (value, at) not in known:
                known[value, at] = ends(RULES[value], at)
            return known[value, at]
        if kind == "one":
            return set().union(*(ends(choice, at) for choice in value))
        if kind == "maybe":
            return {at} | ends(value, at)
        if kind == "all":
            now = {at}
            for part in value:
                now = set().union(*(ends(part, n) for n in now))
            return now
        now, all_ = {at}, {at}
        while now:
            now = set().union(*(ends(value, n) for n in now)) - all_
            all_ |= now
        return all_

    return len(tokens) in ends(("rule", "file"), 0)


def parse(texts):
    """What the parser says of each text: its errors, or "". One process reads them all."""
    with tempfile.TemporaryDirectory(prefix="tilewright-grammar-") as folder:
        names = [f"{number}.tile" for number in range(len(texts))]
        for name, text in zip(names, texts):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        command = [os.path.abspath(os.environ["TILEWRIGHT_CLI"]), "fmt", "--check", *names]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    errors = {name: "" for name in names}
    name = None
    for line in result.stderr.splitlines():
        begins = re.match(r"(\d+\.tile):\d+:\d+: error: ", line)
        name = begins.group(1) if begins else name
        errors[name] += line + "\n"
    return list(errors.values())


# ----------------------------------------------------------------------------------------------------------------------
# The test
# ----------------------------------------------------------------------------------------------------------------------


def sources():
    paths = sorted(p for d in ("runtime/kernels", "compiler/stdlib", "tests/frontend/accepted", "tests/semantics", "examples", "tests/api")
                   for p in glob.glob(os.path.join(ROOT, d, "**", "*.tile"), recursive=True))
    blocks = re.findall(r"```tile\n(.*?)```", PAGE_TEXT, re.S)
    return [(os.path.relpath(p, ROOT), open(p).read()) for p in paths] + [(f"example {n}", b) for n, b in enumerate(blocks)]


def mutant(words, chance, others):
    """The text with one token changed."""
    words = list(words)
    at = chance.randrange(len(words))
    change = chance.randrange(4)
    if change == 0:
        del words[at]
    elif change == 1:
        words.insert(at, chance.choice(others))
    elif change == 2:
        words[at] = chance.choice(others)
    else:
        words.insert(at, words[at])
    return " ".join(words)


def main():
    sys.setrecursionlimit(10000)
    undefined = set().union(*(rules_in(e) for e in RULES.values())) - set(RULES) - TERMINALS
    unused = set(RULES) - set().union(*(rules_in(e) for e in RULES.values())) - {"file"}
    if undefined or unused:
        sys.exit(f"the grammar of docs/language.md: without a rule: {sorted(undefined)}; never used: {sorted(unused)}")
    words = {w for e in map(str, RULES.values()) for w in re.findall(r"\('word', '([a-z]\w*)'\)", e)}
    if words != RESERVED:
        sys.exit(f"docs/language.md: the grammar's words and those reserved in 3.1 differ: {sorted(words ^ RESERVED)}")

    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    missed, cases = choices_of_rules(), []
    for _ in range(5000):
        if len(cases) >= SENTENCES and not missed:
            break
        out, used = [], set()
        while len(out) < 40:
            generate(RULES["file"], chance, 0, out, used)
        if is_cast_of_c(out) or (len(cases) >= SENTENCES and not missed & used):
            continue
        missed -= used
        cases.append(("a sentence of the grammar", " ".join(out), True))
    if missed:
        sys.exit(f"no sentence chose {sorted(missed)}")
    cases += [(name, text, None) for name, text in sources()]
    kinds = sorted({word for _, text, must in cases if not must for _, word in tokens_of(text)})
    texts = [[word for _, word in tokens_of(text)] for _, text, _ in cases if text.strip()]
    # Small pieces of the sources: a changed file tells of one rule only.
    pieces = [p for words in texts for p in declarations(words) if 3 < len(p) < 150]
    for _ in range(MUTANTS):
        text = mutant(chance.choice(pieces), chance, kinds)
        if not is_cast_of_c(text.split(" ")):
            cases.append(("a changed declaration", text, None))

    wrong = accepted = 0
    for (name, text, must), errors in zip(cases, parse([text for _, text, _ in cases])):
        takes, says = not errors, reads(text)
        accepted += takes
        if takes == says and must in (None, takes):
            continue
        wrong += 1
        print(f"{name}: the parser {'takes' if takes else 'refuses'} it, the grammar {'does' if says else 'does not'}:"
              f"\n{text[:1500]}\n{errors[:600]}\n")
    if wrong:
        sys.exit(f"{wrong} of {len(cases)} texts are not read as docs/language.md says")
    print(f"parser and grammar agree on {len(cases)} texts, of which they accept {accepted}")


def declarations(words):
    """The words cut before each word that begins a declaration, outside all brackets."""
    pieces, depth = [[]], 0
    for word in words:
        if depth == 0 and word in ("kernel", "fn", "let", "import", "deriv", "extern") and pieces[-1][-2:-1] != ["extern"]:
            pieces.append([])
        depth += (word in "([{") - (word in ")]}")
        pieces[-1].append(word)
    return [p for p in pieces if p]


main()
