"""JSON that is no JSON, or no good: always 400 with the place, never a fault of ours."""

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.api.framework import strict_json
from app.core.errors import InvalidRequest
from tests.support.clients import Api


def send(api: Api, raw: bytes, kind: str = "application/json") -> tuple[int, list[str]]:
    """The status of a POST of it, and the paths that were refused."""
    answer = api.call("POST", "lists", data=raw, content_type=kind)
    return answer.status_code, [field["path"] for field in answer.json.get("error", {}).get("fields", [])]


def refused(text: str) -> list[str]:
    """The paths of everything that is wrong with the text."""
    with pytest.raises(InvalidRequest) as caught:
        strict_json.read(text.encode("utf-8", "surrogatepass"))
    return [field.path for field in caught.value.fields]


def test_an_ordinary_body_is_read(api: Api) -> None:
    """An ordinary body."""
    assert send(api, b'{"name": "Founders \\ud83d\\ude00 \xf0\x9f\x98\x80"}') == (201, [])


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"}",
        b'{"name": "a",}',
        b'{"name": "a"} x',
        b"{'name': 'a'}",
        b'{"name": "a\x00"}',
        b'{"name": "\xff"}',
        b"\xef\xbb\xbf{}",
        '{"name": "a"}'.encode("utf-16"),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 33 + b"]" * 33,
        b"null",
        b"[]",
        b'"name"',
        b"1",
        b"nan",
    ],
)
def test_a_body_that_is_no_object_is_refused_as_a_whole(api: Api, raw: bytes) -> None:
    """The path says so."""
    assert send(api, raw) == (400, ["body"])


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"a": 1, "b": {"c": 2, "c": 3}}', ["b.c"]),
        ('{"a": NaN, "b": [1, Infinity, -Infinity]}', ["a", "b[1]", "b[2]"]),
        ('{"a": 1e400, "b": -1e999}', ["a", "b"]),
        ('{"a": 9223372036854775808, "b": -9223372036854775809, "c": 9223372036854775807}', ["a", "b"]),
        ('{"a": 1' + "0" * 5000 + "}", ["a"]),
        ('{"a": {"b": "x\\u0000"}}', ["a.b"]),
        ('{"a": ["\\ud800", "\\udfff\\ud800"]}', ["a[0]", "a[1]"]),
        ('{"a": {"\\ud800": 1}}', ["a"]),
        ('{"profiles": [{}, {}, {}, {"profileUrl": "\\u0000"}]}', ["profiles[3].profileUrl"]),
    ],
)
def test_every_value_that_cannot_be_one_is_named(text: str, paths: list[str]) -> None:
    """All of them at once, each with its path."""
    assert refused(text) == paths


def test_names_in_paths_are_cut_and_harmless() -> None:
    """An answer never grows with what a stranger wrote, and can always be written."""
    assert refused('{"' + "x" * 1000 + '": NaN}') == ["x" * 200]
    assert len(refused("[" + ",".join(["NaN"] * 500) + "]")) == strict_json.MOST_PROBLEMS


def test_what_is_deep_enough_is_read() -> None:
    """32 levels, and any number of brackets beside each other or in a text."""
    deep = "[" * 32 + "]" * 32
    assert json.dumps(strict_json.read(deep.encode())) == deep
    wide = json.dumps({"a": [[{}]] * 500, "b": "[" * 100})
    assert strict_json.read(wide.encode()) == json.loads(wide)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' + "1" * 4_000_000 + "}",
        "[" * 4_000_000,
        '{"a":' * 800_000,
        '{"a":1' + ',"a":1' * 500_000 + "}",
        "{" + ",".join(f'"{number}":1' for number in range(300_000)) + ',"7":1}',
        '"' + "\\ud800" * 600_000 + '"',
    ],
    ids=["digits", "brackets", "objects", "one name", "many names", "halves"],
)
def test_hostile_bodies_are_refused_in_no_time(text: str) -> None:
    """The work grows with the size, never with its square."""
    began = time.process_time()
    assert refused(text)
    assert time.process_time() - began < 5


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
        assert strict_json.read(text) == json.loads(text)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("241.0", 241),
        ("2.41e2", 241),
        ("2410E-1", 241),
        ("-0.0", 0),
        ("1.50", 1.5),
        ("9007199254740991.0", 2**53 - 1),
        ("9007199254740993.0", 2.0**53),
        ("1e300", 1e300),
    ],
)
def test_a_number_that_is_whole_is_an_integer_however_it_is_written(written: str, read: float) -> None:
    """Up to the largest that a float tells apart from its neighbours; at any depth."""
    for text in (f'{{"a": [{{"b": {written}}}]}}', f'{{"a" : [{{"b" : {written} }}]}}'):
        (found,) = strict_json.read(text.encode())["a"]
        assert found == {"b": read}
        assert type(found["b"]) is type(read)


@given(st.binary(max_size=200) | st.text('{}[]",:0123456789.eE+-\\unaltrfs ', max_size=60).map(str.encode))
def test_bytes_are_read_or_refused(raw: bytes) -> None:
    """There is no third way."""
    try:
        value = strict_json.read(raw)
    except InvalidRequest as refusal:
        paths = [field.path for field in refusal.fields]
    else:
        paths = ["read"] if json.loads(raw) == value else []
    assert paths


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.fixed_dictionaries({}, optional={
    "name": JSON, "listId": JSON, "accountIds": JSON, "schedule": JSON,
    "sequence": JSON | st.lists(st.fixed_dictionaries({}, optional={"type": JSON, "delay": JSON, "message": JSON})),
}))  # fmt: skip
def test_a_campaign_of_anything_is_refused_with_paths(api: Api, body: dict[str, Any]) -> None:
    """Nothing that fits its letters reaches further than it should."""
    answer = api.post("campaigns", body)
    assert answer.status_code == 400
    assert all(field["path"] for field in answer.json["error"]["fields"])


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "text/json"]
)
def test_a_body_must_say_that_it_is_json(api: Api, kind: str) -> None:
    """415 in the usual envelope."""
    answer = api.call("POST", "lists", data=b'{"name": "a"}', headers={"Content-Type": kind})
    assert (answer.status_code, answer.json["error"]["code"]) == (415, "invalid_request")


def test_a_body_has_at_most_five_million_bytes(api: Api) -> None:
    """413, before anything is parsed."""
    largest = b'{"name": "' + b"a" * 4_999_988 + b'"}'
    assert send(api, largest)[0] == 400
    answer = api.call("POST", "lists", data=largest + b" ", content_type="application/json")
    assert (answer.status_code, answer.json["error"]["code"]) == (413, "invalid_request")


@pytest.mark.parametrize("raw", [b"", b"{}", b" {} "])
def test_a_request_that_says_nothing_may_have_an_empty_body(api: Api, raw: bytes) -> None:
    """With or without a content type."""
    assert api.call("POST", "campaigns/9/resume", data=raw).status_code == 404
    assert api.call("POST", "campaigns/9/resume", data=raw, content_type="application/json").status_code == 404


@pytest.mark.parametrize(("raw", "path"), [(b'{"now": true}', "now"), (b"[]", "body"), (b"x", "body")])
def test_a_request_that_says_nothing_refuses_anything_else(api: Api, raw: bytes, path: str) -> None:
    """Whoever sends something expects something."""
    answer = api.call("POST", "campaigns/9/resume", data=raw, content_type="application/json")
    assert [field["path"] for field in answer.json["error"]["fields"]] == [path]


@pytest.mark.parametrize("name", ["accountIds", "sequence"])
def test_a_million_wrong_entries_are_one_problem(api: Api, name: str) -> None:
    """The length is looked at before the entries."""
    began = time.process_time()
    answer = api.post("campaigns", {name: [{}] * 1_000_000})
    problems = {one["path"]: one["message"] for one in answer.json["error"]["fields"]}
    assert problems[name] == "Use at most 1,000 items."
    assert not [path for path in problems if path.startswith(f"{name}[")]
    assert time.process_time() - began < 5
