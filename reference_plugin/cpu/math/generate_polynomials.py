#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes polynomials.h: the coefficients of the elementary functions.

Each polynomial interpolates a function at Chebyshev nodes, computed with 60 digits (needs mpmath).
Usage: generate_polynomials.py > polynomials.h
"""
import struct

import mpmath
from mpmath import mp, mpf

mp.dps = 60


def series(first, term_ratio):
    """Sum of a series whose k-th term is given by `first` and `term_ratio(k)`."""
    total, term, k = mpf(0), mpf(first), 0
    while mpmath.fabs(term) > mpf(10) ** -70:
        total += term
        k += 1
        term *= term_ratio(k)
    return total


def exp_tail(r):  # (e^r - 1 - r) / r^2
    return series(mpf(1) / 2, lambda k: r / (k + 2))


def log_tail(z):  # (2 atanh(s) - 2 s) / s^3 with z = s^2
    return sum(2 * z**k / (2 * k + 3) for k in range(60))


def log_tail2(z):  # (2 atanh(s) - 2 s - 2/3 s^3) / s^5
    return sum(2 * z**k / (2 * k + 5) for k in range(60))


def sin_tail(z):  # (sin x - x) / x^3 with z = x^2
    return series(mpf(-1) / 6, lambda k: -z / ((2 * k + 2) * (2 * k + 3)))


def cos_tail(z):  # (cos x - 1 + z / 2) / z^2
    return series(mpf(1) / 24, lambda k: -z / ((2 * k + 3) * (2 * k + 4)))


def atan_tail(z):  # (atan t - t) / t^3 with z = t^2
    return sum((-1) ** (k + 1) * z**k / (2 * k + 3) for k in range(120))


def erf_ratio(z):  # erf(x) / x - 1 with z = x^2
    return 2 / mpmath.sqrt(mp.pi) * sum(
        (-1) ** k * z**k / (mpmath.factorial(k) * (2 * k + 1)) for k in range(60)) - 1


def erfc_scaled(centre):  # (x + c) exp(x^2) erfc(x) with t = (x - c) / (x + c)
    def function(t):
        x = centre * (1 + t) / (1 - t)
        return (x + centre) * mpmath.exp(x * x) * mpmath.erfc(x)
    return function


def chebyshev_nodes(low, high, count):
    return [(low + high) / 2 + (high - low) / 2 * mpmath.cos(mp.pi * (2 * k + 1) / (2 * count))
            for k in range(count)]


def interpolate(function, low, high, degree, nodes=None):
    """Coefficients, lowest first, of the interpolating polynomial, and its largest error."""
    low, high = mpf(low), mpf(high)
    count = degree + 1
    nodes = nodes or chebyshev_nodes(low, high, count)
    matrix = mpmath.matrix(count, count)
    for row, x in enumerate(nodes):
        for column in range(count):
            matrix[row, column] = x**column
    solution = mpmath.lu_solve(matrix, mpmath.matrix([function(x) for x in nodes]))
    coefficients = [solution[k] for k in range(count)]
    samples = [low + (high - low) * k / 200 for k in range(201)]
    error = max(mpmath.fabs(mpmath.polyval(coefficients[::-1], x) - function(x)) for x in samples)
    return coefficients, error


def to_float(value):
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def emit_table(name, rows):
    """Rows of eight floats."""
    shape = f"[{len(rows)}][8]" if len(rows) > 1 else "[8]"
    texts = ["{" + ", ".join(to_float(v).hex() + "f" for v in row) + "}" for row in rows]
    print(f"inline constexpr float {name}{shape} = " +
          (texts[0] if len(rows) == 1 else "{\n    " + ",\n    ".join(texts) + "}") + ";")


def emit_erf():
    """By eight intervals about the multiples of kErfStep. A centre is the point near one where erf, and
    less so its derivative, is nearly a float. Above the last interval erf is 1."""
    step, end, degree = mpf(17) / 32, mpf("3.96875"), 5
    centres = [mpf(float.fromhex(c)) for c in (
        "0x0p+0", "0x1.0f82a8p-1", "0x1.0f3388p+0", "0x1.98dc20p+0", "0x1.0ffaa8p+1", "0x1.5493c8p+1", "0x1.996df0p+1", "0x1.df38d0p+1")]
    slopes, worst = [], 0
    for n, c in enumerate(centres):
        low, high = (n - mpf("0.5")) * step - c, min((n + mpf("0.5")) * step, end) - c
        function = lambda t, c=c: (mpmath.erf(c + t) - mpmath.erf(c)) / t
        # t P(t) has a node at 0, too.
        nodes = sorted(chebyshev_nodes(low, high, degree + 2), key=mpmath.fabs)[1:]
        if n == 0:
            low, function, nodes = mpf(0), lambda t: erf_ratio(t * t), None
        coefficients, error = interpolate(function, low, high, degree, nodes)
        slopes.append(coefficients)
        worst = max(worst, error)
    print("// erf(c + t) = erf(c) + t P(t), |t| up to about kErfStep / 2; of c = 0, t + t P(t).")
    print(f"inline constexpr float kErfStep = {to_float(step).hex()}f;")
    emit_table("kErfCentres", [centres])
    emit_table("kErfAtCentres", [[mpmath.erf(c) for c in centres]])
    print(f"// P by the power of t. Error {mpmath.nstr(worst, 2)}.")
    emit_table("kErfSlopes", [[slopes[n][k] for n in range(8)] for k in range(degree + 1)])
    print()


def emit(name, c_type, function, low, high, degree):
    coefficients, error = interpolate(function, low, high, degree)
    suffix = "f" if c_type == "float" else ""
    texts = [(to_float(c) if suffix else float(c)).hex() + suffix for c in coefficients]
    print(f"// On [{float(low):.6g}, {float(high):.6g}]: error {mpmath.nstr(error, 2)}.")
    print("template <>")
    print(f"inline constexpr {c_type} {name}<{c_type}>[] = {{")
    print("    " + ", ".join(texts) + "};\n")


LN2_HALF = mpmath.log(2) / 2 * mpf("1.003")
S_SQUARED = (3 - 2 * mpmath.sqrt(2)) ** 2 * mpf("1.01")
QUARTER_PI_SQUARED = (mp.pi / 4) ** 2 * mpf("1.01")
TAN_SQUARED = (mpmath.sqrt(2) - 1) ** 2 * mpf("1.01")

# name, what it is, function, low, high, degree for float, degree for double
TABLE = [
    ("kExpTail", "(exp(r) - 1 - r) / r^2", exp_tail, -LN2_HALF, LN2_HALF, 4, 10),
    ("kLogTail", "(2 atanh(s) - 2 s) / s^3, z = s^2", log_tail, 0, S_SQUARED, 3, 6),
    ("kSinTail", "(sin(x) - x) / x^3, z = x^2", sin_tail, 0, QUARTER_PI_SQUARED, 2, 6),
    ("kCosTail", "(cos(x) - 1 + z / 2) / z^2, z = x^2", cos_tail, 0, QUARTER_PI_SQUARED, 2, 6),
    ("kAtanTail", "(atan(t) - t) / t^3, z = t^2", atan_tail, 0, TAN_SQUARED, 5, 12),
    ("kCbrtSeed", "cbrt(m)", lambda m: mpmath.cbrt(m), 1, 2, 4, 4),
]

print("""\
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_POLYNOMIALS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_POLYNOMIALS_H_

// Made by generate_polynomials.py. Coefficients stand lowest power first.
// clang-format off
namespace plinth::cpu::math {
""")
for name, what, function, low, high, float_degree, double_degree in TABLE:
    print(f"// {what}")
    print(f"template <class T>\ninline constexpr T {name}[] = {{}};")
    emit(name, "float", function, low, high, float_degree)
    emit(name, "double", function, low, high, double_degree)

print("// (exp(2 h) - 1 - 2 h) / (2 h^2)")
print("template <class T>\ninline constexpr T kHalfExpTail[] = {};")
emit("kHalfExpTail", "float", lambda h: 2 * exp_tail(2 * h), -LN2_HALF / 2, LN2_HALF / 2, 4)

print("// (2 atanh(s) - 2 s - 2/3 s^3) / s^5, z = s^2")
print("template <class T>\ninline constexpr T kLogTail2[] = {};")
emit("kLogTail2", "double", log_tail2, 0, S_SQUARED, 7)

emit_erf()
print("// erf(x) / x - 1, z = x^2")
print("template <class T>\ninline constexpr T kErfRatio[] = {};")
emit("kErfRatio", "double", erf_ratio, 0, 1, 12)

# x from 1 to 6, where erf has reached 1.
print("// (x + c) exp(x^2) erfc(x), t = (x - c) / (x + c); c is kErfcCentre")
print("template <class T>\ninline constexpr T kErfcScaled[] = {};")
print("inline constexpr double kErfcCentre = 2.5;")
emit("kErfcScaled", "double", erfc_scaled(mpf("2.5")), mpf(-1.5) / 3.5 * mpf("1.01"),
     mpf(3.5) / 8.5 * mpf("1.01"), 16)
print("}  // namespace plinth::cpu::math\n\n#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_POLYNOMIALS_H_")
