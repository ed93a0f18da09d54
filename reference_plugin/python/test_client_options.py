# SPDX-License-Identifier: Apache-2.0
"""What PLINTH_CLIENT_OPTIONS says: the same values as plinth::client::Options::Parse (impl/client/src/values_test.cc)."""

import pytest
from plinth_pjrt import client_options


@pytest.mark.parametrize(("text", "value"), [
    ("true", True), ("-3", -3), ("[1, 2]", [1, 2]), ("[]", []), ("0.5", 0.5), ('"7"', "7"), ("x=y", "x=y"), ("", ""),
    ("[1,]", "[1,]"), ("1e20", 1e20), ("-9223372036854775808", -2**63), ("-", "-"), ("1_0", "1_0"), ("+1", "+1"),
])
def test_values(text, value):
    found = client_options.parse(f"a={text}")["a"]
    assert found == value and type(found) is type(value)


def test_lists(monkeypatch):
    assert client_options.parse(";num_devices=4;;name=left;num_devices=2;") == {"num_devices": 2, "name": "left"}
    monkeypatch.delenv(client_options.VARIABLE, raising=False)
    assert client_options.from_environment() == {}
    monkeypatch.setenv(client_options.VARIABLE, "num_threads=1")
    assert client_options.from_environment() == {"num_threads": 1}


@pytest.mark.parametrize(("text", "words"), [
    ("a=1;b", 'the option "b" is not of the form name=value'), ("=1", "is not of the form"),
    ("a=9223372036854775808", "the option a: 9223372036854775808 does not fit into 64 bits"),
])
def test_what_cannot_be_read_is_named(text, words):
    with pytest.raises(ValueError, match=f"^{client_options.VARIABLE}: .*") as error:
        client_options.parse(text)
    assert words in str(error.value)
