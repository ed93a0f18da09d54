# SPDX-License-Identifier: Apache-2.0
"""What a list of programs is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Program:
    function: Callable[[], object]  # returns numbers, arrays and text, nested in lists and dictionaries
    tolerance: float  # relative to the largest element; integers have to be equal
    alone: bool = False  # in a process of its own


class Programs(dict):
    """Names to programs, in the order in which they run."""

    def add(self, tolerance: float = 1e-5, alone: bool = False):
        def add(function):
            self[function.__name__.replace("_", " ")] = Program(function, tolerance, alone)
            return function

        return add
