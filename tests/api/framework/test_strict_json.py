"""JSON that is no JSON, or no good: always 400 with the place, never a fault of ours."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.framework import bodies
from app.core.errors import InvalidRequest
from tests.support.clients import Api, paths


def send(api: Api, raw: bytes, kind: str = "application/json") -> tuple[int, list[str]]:
    """The status of a POST of it, and the paths that were refused."""
    answer = api.call("POST", "lists", data=raw, content_type=kind)
    return answer.status_code, [field["path"] for field in answer.json.get("error", {}).get("fields", [])]


def refused(text: str) -> list[str]:
    """The paths of everything that is wrong with the text."""
    with pytest.raises(InvalidRequest) as caught:
        bodies.read_json(text.encode("utf-8", "surrogatepass"))
    return [field.path for field in caught.value.fields]


def test_a_body_that_is_no_object_is_refused_as_a_whole(api: Api) -> None:
    assert send(api, b'{"name": "Founders \\ud83d\\ude00 \xf0\x9f\x98\x80"}') == (201, [])
    for raw in [
        b"", b"{", b"}", b'{"name": "a",}', b'{"name": "a"} x', b"{'name': 'a'}", b'{"name": "a\x00"}',
        b'{"name": "\xff"}', '{"name": "a"}'.encode("utf-16"), b"[" * 100_000, b'{"a":' * 100_000,
        b"[" * 33 + b"]" * 33, b"null", b"[]", b'"name"', b"1", b"nan",
    ]:  # fmt: skip
        assert send(api, raw) == (400, ["body"]), raw[:20]


def test_every_value_that_cannot_be_one_is_named() -> None:
    """All of them at once, each with its path, which is cut: an answer never grows with what a stranger wrote."""
    for text, expected in [
        ('{"a": 1, "b": {"c": 2, "c": 3}}', ["b.c"]),
        ('{"a": NaN, "b": [1, Infinity, -Infinity]}', ["a", "b[1]", "b[2]"]),
        ('{"a": 1e400, "b": -1e999}', ["a", "b"]),
        ('{"a": 9223372036854775808, "b": -9223372036854775809, "c": 9223372036854775807}', ["a", "b"]),
        ('{"a": 1' + "0" * 5000 + "}", ["a"]),
        ('{"a": {"b": "x\\u0000"}}', ["a.b"]),
        ('{"a": ["\\ud800", "\\udfff\\ud800"]}', ["a[0]", "a[1]"]),
        ('{"a": {"\\ud800": 1}}', ["a"]),
        ('{"profiles": [{}, {}, {}, {"profileUrl": "\\u0000"}]}', ["profiles[3].profileUrl"]),
        ('{"' + "x" * 1000 + '": NaN}', ["x" * 200]),
    ]:
        assert refused(text) == expected
    assert len(refused("[" + ",".join(["NaN"] * 500) + "]")) == bodies.MOST_PROBLEMS


def test_what_is_deep_enough_is_read() -> None:
    deep = "[" * 32 + "]" * 32
    assert json.dumps(bodies.read_json(deep.encode())) == deep
    wide = json.dumps({"a": [[{}]] * 500, "b": "[" * 100})
    assert bodies.read_json(wide.encode()) == json.loads(wide)


def test_hostile_bodies_are_refused_in_no_time() -> None:
    for text in [
        '{"a":' + "1" * 4_000_000 + "}",
        "[" * 4_000_000,
        '{"a":' * 800_000,
        '{"a":1' + ',"a":1' * 500_000 + "}",
        "{" + ",".join(f'"{number}":1' for number in range(300_000)) + ',"7":1}',
        '"' + "\\ud800" * 600_000 + '"',
    ]:
        began = time.process_time()
        assert refused(text)
        assert time.process_time() - began < 5, text[:20]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_whatever_is_json_is_read_as_python_reads_it(value: Any) -> None:
    """Strict, but not wrong."""
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only).encode()
        assert bodies.read_json(text) == json.loads(text)


def test_a_number_that_is_whole_is_an_integer_however_it_is_written() -> None:
    """Up to the largest that a float tells apart from its neighbours; at any depth."""
    same = {"241.0": 241, "2.41e2": 241, "2410E-1": 241, "-0.0": 0, "1.50": 1.5, "1e300": 1e300}
    for written, read in (same | {"9007199254740991.0": 2**53 - 1, "9007199254740993.0": 2.0**53}).items():
        for text in (f'{{"a": [{{"b": {written}}}]}}', f'{{"a" : [{{"b" : {written} }}]}}'):
            (found,) = bodies.read_json(text.encode())["a"]
            assert found == {"b": read}
            assert type(found["b"]) is type(read)


@given(st.binary(max_size=200) | st.text('{}[]",:0123456789.eE+-\\unaltrfs ', max_size=60).map(str.encode))
def test_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        value = bodies.read_json(raw)
    except InvalidRequest as refusal:
        paths = [field.path for field in refusal.fields]
    else:
        paths = ["read"] if json.loads(raw) == value else []
    assert paths


def test_a_body_says_that_it_is_json_and_has_at_most_five_million_bytes(api: Api) -> None:
    """415 and 413 in the usual envelope, before anything is parsed."""
    form = "application/x-www-form-urlencoded"
    for kind in ("", "text/plain", form, "application/json; charset=utf-16", "text/json"):
        answer = api.call("POST", "lists", data=b'{"name": "a"}', headers={"Content-Type": kind})
        assert (answer.status_code, answer.json["error"]["code"]) == (415, "invalid_request"), kind
    largest = b'{"name": "' + b"a" * 4_999_988 + b'"}'
    assert send(api, largest)[0] == 400
    answer = api.call("POST", "lists", data=largest + b" ", content_type="application/json")
    assert (answer.status_code, answer.json["error"]["code"]) == (413, "invalid_request")


def test_a_request_that_says_nothing_may_have_an_empty_body_and_nothing_else(api: Api) -> None:
    for raw in (b"", b"{}", b" {} "):
        assert api.call("POST", "campaigns/9/resume", data=raw).status_code == 404
        assert api.call("POST", "campaigns/9/resume", data=raw, content_type="application/json").status_code == 404
    for raw, path in ((b'{"now": true}', "now"), (b"[]", "body"), (b"x", "body")):
        assert paths(api.call("POST", "campaigns/9/resume", data=raw, content_type="application/json")) == [path]


def test_very_many_wrong_entries_are_one_problem(api: Api) -> None:
    """The length is looked at before the entries."""
    for name in ("accountIds", "sequence"):
        began = time.process_time()
        answer = api.post("campaigns", {name: [{}] * 300_000})
        problems = {one["path"]: one["message"] for one in answer.json["error"]["fields"]}
        assert problems[name] == "Use at most 1,000 items."
        assert not [path for path in problems if path.startswith(f"{name}[")]
        assert time.process_time() - began < 5
