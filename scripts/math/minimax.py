#!/usr/bin/env python3
"""Writes the polynomials of expand-math: compiler/transforms/ExpandMathConstants.h.

Each is a minimax polynomial p for a function g on an interval, weighted so that what is small is the error of the function
that is computed in the end, relative to its value. The Remez exchange solves for equal, alternating errors at a set of points
and moves the points to where the error is largest, until they stay. Coefficients are then rounded to the type they are used
in; the two lowest first, fitting the others again around them, so that rounding costs almost nothing.

Needs mpmath. Takes about a minute: python3 scripts/math/minimax.py > compiler/transforms/ExpandMathConstants.h
"""

import struct

from mpmath import atanh, cos, erf, erfc, exp, findroot, log, lu_solve, matrix, mp, mpf, pi, sqrt, tanh, workprec


def solve(g, weight, powers, points):
    """The coefficients and the levelled error at len(powers) + 1 points."""
    size = len(powers) + 1
    a, b = matrix(size), matrix(size, 1)
    for row, x in enumerate(points):
        w = abs(weight(x))
        for column, power in enumerate(powers):
            a[row, column] = w * x**power
        a[row, size - 1] = (-1)**row
        b[row] = w * g(x)
    solution = lu_solve(a, b)
    return [solution[i] for i in range(size - 1)], solution[size - 1]


def extrema(error, grid):
    """One point of largest error between each two sign changes."""
    values = [error(x) for x in grid]
    best = []
    for x, value in zip(grid, values):
        if not best or (value > 0) != (best[-1][1] > 0):
            best.append((x, value))
        elif abs(value) > abs(best[-1][1]):
            best[-1] = (x, value)
    return best


def remez(g, weight, powers, low, high, density=24, rounds=40):
    """Coefficients for `powers` and the largest weighted error."""
    count = len(powers) + 1
    middle, half = (low + high) / 2, (high - low) / 2
    grid = [middle - half * cos(pi * (i + mpf(1) / 2) / (density * count)) for i in range(density * count)]
    grid = [low + (high - low) / mpf(10)**12] + grid + [high]
    # Off the middle, where a weight may be zero.
    points = [middle - half * cos(pi * (i + mpf(9) / 20) / count) for i in range(count)]
    for _ in range(rounds):
        coefficients, level = solve(g, weight, powers, points)
        error = lambda x: abs(weight(x)) * (g(x) - sum(c * x**p for c, p in zip(coefficients, powers)))
        best = extrema(error, grid)
        while len(best) > count:  # keep alternation: drop the smaller end
            best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
        largest = max(abs(value) for _, value in best)
        if len(best) < count or largest < abs(level) * (1 + mpf(2)**-10):
            break
        points = [x for x, _ in best]
    return coefficients, largest


def rounded(value, bits):
    """To the nearest f32 or f64."""
    return mpf(struct.unpack('<f', struct.pack('<f', float(value)))[0]) if bits == 32 else mpf(float(value))


def fit(g, weight, degree, low, high, bits, refits=2):
    """Coefficients rounded to `bits`-bit floats; the first `refits` are fixed one after the other."""
    fixed, powers = [], list(range(degree + 1))
    for done in range(min(refits, degree)):
        rest = lambda x: g(x) - sum(c * x**p for p, c in enumerate(fixed))
        coefficients, _ = remez(rest, weight, powers[done:], mpf(low), mpf(high))
        fixed.append(rounded(coefficients[0], bits))
    rest = lambda x: g(x) - sum(c * x**p for p, c in enumerate(fixed))
    coefficients, _ = remez(rest, weight, powers[len(fixed):], mpf(low), mpf(high))
    fixed += [rounded(c, bits) for c in coefficients]
    grid = [mpf(low) + (mpf(high) - mpf(low)) * (i + mpf(1) / 3) / 997 for i in range(997)]
    error = max(abs(weight(x) * (g(x) - sum(c * x**p for p, c in enumerate(fixed)))) for x in grid)
    return fixed, error


def literal(value, bits):
    return float(value).hex().replace('0000000p', 'p') if bits == 32 else float(value).hex()


def bits_of_two_over_pi(name, chunk_bits, count):
    """2/pi = sum of chunk[i] * 2^(-chunk_bits * i), each chunk with at most chunk_bits bits and below 1."""
    rest, chunks = 2 / pi, []
    for _ in range(count):
        chunk = mp.floor(rest * mpf(2)**chunk_bits) / mpf(2)**chunk_bits
        chunks.append(chunk)
        rest = (rest - chunk) * mpf(2)**chunk_bits
    print(f'/// 2/pi = sum of chunk[i] * 2^(-{chunk_bits} i).')
    print_array(name, chunks, 64)


def print_array(name, values, bits):
    print(f'inline constexpr double {name}[] = {{')
    for i in range(0, len(values), 4):
        print('    ' + ', '.join(literal(c, bits) for c in values[i:i + 4]) + ',')
    print('};\n', flush=True)


def table(name, meaning, g, weight, degree, low, high, bits):
    coefficients, error = fit(g, weight, degree, low, high, bits)
    print(f'/// {meaning}')
    print(f'/// on [{float(low):.4f}, {float(high):.4f}]: error 2^{float(log(error, 2)):.1f}.')
    print_array(name, coefficients, bits)


def series(first, ratio_of, terms=60):
    """A power series summed until it no longer matters."""
    def value(x):
        total, term, k = mpf(0), first, 0
        while k < terms:
            total += term
            term *= ratio_of(k) * x
            k += 1
        return total
    return value


def split(value, bits, tail):
    """A constant as a high part with `tail` zero bits at its end, and the rest as a float."""
    scale = mpf(2)**((24 if bits == 32 else 53) - tail - 1 - int(mp.floor(log(value, 2))))
    high = mp.floor(value * scale + mpf(1) / 2) / scale
    return high, rounded(value - high, bits)


def constant(name, value, bits, meaning=None):
    if meaning:
        print(f'/// {meaning}')
    print(f'inline constexpr double {name} = {literal(rounded(value, bits), bits)};')


def exponentials():
    half_ln2 = log(2) / 2 * (1 + mpf(2)**-12)
    half = mpf(1) / 2 * (1 + mpf(2)**-12)
    q = series(mpf(1) / 2, lambda k: mpf(1) / (k + 3))
    q2 = series(log(2), lambda k: log(2) / (k + 2))
    for bits, degree in ((32, 4), (64, 9)):
        table(f'expF{bits}', 'q where exp(r) = 1 + r + r^2 q(r)', q, lambda r: r * r / exp(r), degree, -half_ln2, half_ln2,
              bits)
        table(f'exp2F{bits}', 'q where 2^r = 1 + r q(r)', q2, lambda r: r / 2**r, 6 if bits == 32 else 10, -half, half, bits)
    # For pow on f32, computed in f64: errors of 2^-30 do not show.
    table('exp2ForPowF32', 'q where 2^r = 1 + r q(r)', q2, lambda r: r / 2**r, 5, -half, half, 64)
    for bits, tail in ((32, 9), (64, 12)):
        high, low = split(log(2), bits, tail)
        constant(f'ln2HighF{bits}', high, bits,
                 f'ln 2 = high + low, where high ends in {tail} zero bits, so that n * high is exact.')
        constant(f'ln2LowF{bits}', low, bits)
    print()


def logarithms():
    # s = f / (2 + f) for 1 + f in [sqrt(1/2), sqrt(2)].
    meaning = 'q where log((1 + s) / (1 - s)) = 2 s + s z q(z), z = s^2'
    z_max = ((sqrt(2) - 1) / (sqrt(2) + 1))**2 * (1 + mpf(2)**-12)
    r = series(mpf(2) / 3, lambda k: mpf(2 * k + 3) / (2 * k + 5))
    for bits, degree in ((32, 3), (64, 6)):
        table(f'logF{bits}', meaning, r, lambda z: z / 2, degree, 0, z_max, bits)
        high, low = split(1 / log(2), bits, 12 if bits == 32 else 31)
        constant(f'log2eHighF{bits}', high, bits, 'log2(e) = high + low, where the high half has half of the bits.')
        constant(f'log2eLowF{bits}', low, bits)
        print()
    tail = series(mpf(2) / 5, lambda k: mpf(2 * k + 5) / (2 * k + 7))
    table('logForPowF64', meaning.replace('q(z)', '(2/3 + z q(z))'), tail, lambda z: z * z / 2, 7, 0, z_max, 64)
    for name, value in (('twoThirds', mpf(2) / 3), ('log2e', 1 / log(2))):
        constant(name, value, 64, f'{name} + {name}Low.')
        constant(name + 'Low', value - rounded(value, 64), 64)
    print()
    table('logForPowF32', meaning, r, lambda z: z / 2, 4, 0, z_max, 64)


def circular():
    limit = (pi / 4 * (1 + mpf(2)**-10))**2
    s = series(-mpf(1) / 6, lambda k: -mpf(1) / ((2 * k + 4) * (2 * k + 5)))
    c = series(mpf(1) / 24, lambda k: -mpf(1) / ((2 * k + 5) * (2 * k + 6)))
    for bits, degree in ((32, 2), (64, 5)):
        table(f'sinF{bits}', 'q where sin(r) = r + r z q(z), z = r^2', s, lambda z: z, degree, 0, limit, bits)
        table(f'cosF{bits}', 'q where cos(r) = 1 - z/2 + z^2 q(z), z = r^2', c, lambda z: z * z, degree, 0, limit, bits)
    with workprec(1400):
        bits_of_two_over_pi('twoOverPi29', 29, 7)
        bits_of_two_over_pi('twoOverPi53', 53, 22)
    constant('halfPi', pi / 2, 64, 'pi/2 = halfPi + halfPiLow.')
    constant('halfPiLow', pi / 2 - rounded(pi / 2, 64), 64)
    parts = []
    for _ in range(3):
        parts.append(rounded(pi / 2 - sum(parts), 32))
    print('/// pi/2 = the sum of three f32.')
    print_array('halfPiF32', parts, 32)


def hyperbolic_tangent():
    """tanh below 0.55."""
    def near(z):
        x = sqrt(z)
        return (tanh(x) / x - 1) / z
    weight = lambda z: z * sqrt(z) / tanh(sqrt(z))
    for bits, degree in ((32, 4), (64, 11)):
        table(f'tanhF{bits}', 'q where tanh(x) = x + x z q(z), z = x^2', near, weight, degree, mpf(10)**-9,
              mpf('0.55')**2 * 1.01, bits)


def error_function():
    """erf below 0.84, and above as 1 - exp(-x^2) g, where g changes slowly and is a polynomial in t = 1 / (x + 2)."""
    bend, tiny = mpf('0.84'), mpf(10)**-9
    near = lambda z: erf(sqrt(z)) / sqrt(z) - 1
    far = lambda t: erfc(1 / t - 2) * exp((1 / t - 2)**2)
    weight = lambda t: exp(-(1 / t - 2)**2) / erf(1 / t - 2)
    for bits, near_degree, far_degree, end in ((32, 5, 5, 4), (64, 10, 12, 6)):
        table(f'erfNearF{bits}', 'q where erf(x) = x + x q(x^2)', near, lambda z: 1 / (near(z) + 1), near_degree, tiny,
              bend**2 * 1.01, bits)
        table(f'erfFarF{bits}', 'q where erf(x) = 1 - exp(-x^2) q(1 / (x + 2))', far, weight, far_degree, 1 / mpf(end + 2),
              1 / (bend + 2) * 1.001, bits)
    # For GPUs, which have an instruction for tanh.
    argument = lambda z: atanh(erf(sqrt(z))) / sqrt(z)
    table('erfByTanhF32', 'q where erf(x) = tanh(x q(x^2))', argument,
          lambda z: (1 - erf(sqrt(z))**2) * sqrt(z) / erf(sqrt(z)), 4, tiny, mpf('3.3')**2, 32)
    # The last coefficient is negative, so that beyond the interval, where x (1 - erf(x / sqrt(2))) is below 2^-23, it only shrinks.
    table('log2NormalTailF32', 'q where (1 - erf(x / sqrt(2))) / 2 = 2^q(x) for x >= 0', lambda x: log(erfc(x / sqrt(2)) / 2) / log(2),
          lambda x: log(2), 5, tiny, mpf('5.6'), 32)


def slopes():
    """The slopes of both gelus, f(-x) = (root - x) 2^q(x) for x >= 0, where f(x) = 1 - f(-x). Errors below 2^-12 matter in proportion to the slope, down to a quarter."""
    inner = lambda x: sqrt(2 / pi) * x * (1 + mpf('0.044715') * x * x)
    by_tanh = lambda x: (1 + tanh(inner(x))) / 2 + x / 2 * (1 - tanh(inner(x))**2) * sqrt(2 / pi) * (1 + 3 * mpf('0.044715') * x * x)
    by_erf = lambda x: erfc(-x / sqrt(2)) / 2 + x * exp(-x * x / 2) / sqrt(2 * pi)
    for name, slope in (('geluSlope', by_tanh), ('geluErfSlope', by_erf)):
        root = findroot(lambda x: slope(-x), mpf('0.75'))
        constant(f'{name}RootF32', root, 32, 'Where the slope is 0, with a minus sign.')
        # Both sides of the quotient vanish at the root, which no point of the exchange hits.
        table(f'log2{name[0].upper()}{name[1:]}F32', f'q where the slope at -x is ({name}RootF32 - x) 2^q(x) for x >= 0',
              lambda x: log(slope(-x) / (root - x), 2), lambda x: log(2) * slope(-x) / max(abs(slope(-x)), mpf(1) / 4), 4, mpf(10)**-9, mpf('5'), 32)


def main():
    with workprec(220):
        print_all()


def print_all():
    print('// Written by scripts/math/minimax.py, which says how; do not edit.')
    print('#pragma once\n')
    print('namespace tilewright::math_constants {\n')
    exponentials()
    logarithms()
    circular()
    hyperbolic_tangent()
    error_function()
    slopes()
    print('} // namespace tilewright::math_constants')


if __name__ == '__main__':
    main()
