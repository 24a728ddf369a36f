"""Pages and files travel packed, to those who understand it."""

import gzip
import re
from pathlib import Path

from flask import Flask
from werkzeug.test import TestResponse

from tests.pages.conftest import Web, found_in

PACKED = {"Accept_Encoding": "gzip, br"}


def unpacked(answer: TestResponse) -> str:
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    return gzip.decompress(answer.data).decode()


def test_compressed_pages_and_files_say_the_same_in_less(web: Web) -> None:
    page = web.get("/", **PACKED)
    text = unpacked(page)
    assert "<h1" in text
    assert len(page.data) < len(text) / 2
    for name in set(re.findall(r'"(/static/[^"#]+(?:css|js|svg))', text)):
        with web.get(name) as whole, web.get(name, **PACKED) as answer:
            if len(whole.data) >= 1000:
                assert unpacked(answer) == whole.text, name
            tag = answer.headers.get("ETag", "")
        if tag:
            assert web.get(name, If_None_Match=tag, **PACKED).status_code == 304


def test_what_is_small_or_no_text_stays_as_it_is(web: Web) -> None:
    page = web.get("/").text
    font = found_in(page, r'"(/static/[^"]+woff2)"')
    for path in (font, "/nothing"):
        with web.get(path, **PACKED) as answer:
            assert answer.headers.get("Content-Encoding") == ("gzip" if path == "/nothing" else None)
    assert "Content-Encoding" not in web.get("/v1/openapi.json", **PACKED).headers
    answer = web.get("/")
    assert "Content-Encoding" not in answer.headers
    assert "Accept-Encoding" in answer.headers["Vary"]


def test_the_length_of_a_page_tells_nothing(web: Web) -> None:
    """The same words have another length each time."""
    assert len({len(web.get("/lists", **PACKED).data) for _ in range(12)}) > 3


def test_every_sheet_is_in_the_one_that_pages_ask_for(app: Flask, web: Web) -> None:
    name = found_in(web.get("/").text, r'"(/static/[^"]+css/all.css)"')
    with web.get(name) as answer:
        sheets = list(Path(str(app.static_folder)).glob("css/**/*.css"))
        rules = [re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL).split() for sheet in sheets]
        assert sorted(answer.text.split()) == sorted(word for words in rules for word in words)
