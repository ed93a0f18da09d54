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


def log_erfc(x):
    return mpmath.log(mpmath.erfc(x))


def erfc_scaled(centre):  # (x + c) exp(x^2) erfc(x) with t = (x - c) / (x + c)
    def function(t):
        x = centre * (1 + t) / (1 - t)
        return (x + centre) * mpmath.exp(x * x) * mpmath.erfc(x)
    return function


def interpolate(function, low, high, degree):
    """Coefficients, lowest first, of the interpolating polynomial, and its largest error."""
    low, high = mpf(low), mpf(high)
    count = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * mpmath.cos(mp.pi * (2 * k + 1) / (2 * count))
             for k in range(count)]
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

# Of float up to 0.85, where two short polynomials meet. Above 3.2 an error of the logarithm no longer
# counts.
print("// erf(x) / x - 1, z = x^2")
print("template <class T>\ninline constexpr T kErfRatio[] = {};")
emit("kErfRatio", "float", erf_ratio, 0, mpf("0.85") ** 2, 5)
emit("kErfRatio", "double", erf_ratio, 0, 1, 12)
print("// log(erfc(x))")
print("template <class T>\ninline constexpr T kErfcLog[] = {};")
emit("kErfcLog", "float", log_erfc, mpf("0.85"), mpf("3.2"), 7)

# x from 1 to 6, where erf has reached 1.
print("// (x + c) exp(x^2) erfc(x), t = (x - c) / (x + c); c is kErfcCentre")
print("template <class T>\ninline constexpr T kErfcScaled[] = {};")
print("inline constexpr double kErfcCentre = 2.5;")
emit("kErfcScaled", "double", erfc_scaled(mpf("2.5")), mpf(-1.5) / 3.5 * mpf("1.01"),
     mpf(3.5) / 8.5 * mpf("1.01"), 16)
print("}  // namespace plinth::cpu::math\n\n#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_POLYNOMIALS_H_")
