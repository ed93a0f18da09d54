# SPDX-License-Identifier: Apache-2.0
"""Options of the client for frameworks that have no setting for them: PLINTH_CLIENT_OPTIONS, "num_devices=4;num_threads=1".

Values are what the command `plinth` and plinth::client::Options::Parse make of them.
"""

from __future__ import annotations

import os
import re
from typing import List, Union

VARIABLE = "PLINTH_CLIENT_OPTIONS"
_FLOAT = re.compile(r"-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|-?(inf|infinity|nan)", re.I)

Value = Union[str, int, float, bool, List[int]]


def _integer(text: str) -> int:
    value = int(text)
    if not -2**63 <= value < 2**63:
        raise ValueError(f"{text} does not fit into 64 bits; a float has a point, and a string stands in double quotes")
    return value


def parse_value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    if re.fullmatch(r"-?\d+", text, re.ASCII):
        return _integer(text)
    if re.fullmatch(r"\[\s*(-?\d+\s*(,\s*-?\d+\s*)*)?\]", text, re.ASCII):
        return [_integer(one) for one in re.findall(r"-?\d+", text)]
    return float(text) if _FLOAT.fullmatch(text) else text


def parse(text: str) -> dict[str, Value]:
    """ValueError says which option cannot be read, and why."""
    options = {}
    for one in filter(None, text.split(";")):
        name, equals, value = one.partition("=")
        if not name or not equals:
            raise ValueError(f'{VARIABLE}: the option "{one}" is not of the form name=value')
        try:
            options[name] = parse_value(value)
        except ValueError as error:
            raise ValueError(f"{VARIABLE}: the option {name}: {error}") from None
    return options


def from_environment() -> dict[str, Value]:
    return parse(os.environ.get(VARIABLE, ""))
