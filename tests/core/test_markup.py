"""The small Markdown of emails: what is markup, and what only looks like it."""

import time

from app.core.mail import markup

NONE = """5*3*2
5 * 3 * 2 = 30
snake_case, _so_, and ada_b_c@x.example
(*) here and (*) there
f***ing c*** d***
*instinctools meets *instinctools
Prices* start at 5. *plus VAT
**** ** *
https://x.example/*a*/b_c_d
[x](javascript:alert(1)) [y](page.html) [z] (https://x.example)
C:\\dir\\new and &amp; <b>this</b>  as\ttyped
- Ines
* one alone
2026. A year.
1. First
3. Third""".splitlines()
READ = {
    "Dear **Ada Lovelace**, *really*.": (
        "Dear Ada Lovelace, really.",
        "Dear <strong>Ada Lovelace</strong>, <em>really</em>.",
    ),
    "[our **new** page](https://x.example/a?b=1&c=2)": (
        "our new page <https://x.example/a?b=1&c=2>",
        '<a href="https://x.example/a?b=1&amp;c=2">our <strong>new</strong> page</a>',
    ),
    "**see https://x.example/a_b**!": (
        "see https://x.example/a_b!",
        '<strong>see <a href="https://x.example/a_b">https://x.example/a_b</a></strong>!',
    ),
    "[https://x.example](https://x.example)": (
        "https://x.example",
        '<a href="https://x.example">https://x.example</a>',
    ),
    "[me](mailto:a@x.example) <b>": ("me <a@x.example> <b>", '<a href="mailto:a@x.example">me</a> &lt;b&gt;'),
    r"\*as is\* and \[so\](https://x.example)": (
        "*as is* and [so](https://x.example)",
        '*as is* and [so](<a href="https://x.example">https://x.example</a>)',
    ),
}


def inside(html: str) -> str:
    return html.removeprefix('<div dir="auto">\n').removesuffix("\n</div>\n")


def test_what_only_looks_like_markup_is_sent_as_it_was() -> None:
    for line in NONE:
        for text in (line, f"Hi,\r\n\r\n  {line} \n"):
            assert not markup.has_markup(text), text
            assert (markup.plain(text), markup.readings(text)) == (text, [text])
        assert "<em>" not in markup.html(line)
        assert "<strong>" not in markup.html(line)
        assert "<li>" not in markup.html(line)


def test_bold_italics_and_links_read_well_as_text_and_as_html() -> None:
    for text, (plain, html) in READ.items():
        assert markup.has_markup(text), text
        assert (markup.plain(text), inside(markup.html(text))) == (plain, f"<div>{html}</div>")
    assert markup.readings("[here](https://x.example) now") == ["here <https://x.example> now", "here now"]


def test_two_lines_make_a_list() -> None:
    text = "We do:\n- **audits**\n- fixes\n\n1. Call\n2. Start\nBest"
    assert markup.plain(text) == text.replace("**", "")
    assert inside(markup.html(text)).splitlines() == [
        "<div>We do:</div>",
        "<ul><li><strong>audits</strong></li><li>fixes</li></ul>",
        "<ol><li>Call</li><li>Start</li></ol>",
        "<div>Best</div>",
    ]


def test_a_signature_stands_above_the_unsubscribe_line() -> None:
    assert markup.signed("Hi\n", "") == "Hi\n"
    assert markup.signed("Hi\n\n", "*Ines*") == "Hi\n\n*Ines*"
    assert markup.signed("Hi\n\nStop: {{unsubscribe_link}}", "Ines") == "Hi\n\nInes\n\nStop: {{unsubscribe_link}}"
    assert markup.with_link_named("Stop: {{ unsubscribe_link }}") == "Stop: Unsubscribe link"


def test_no_one_signs_twice() -> None:
    """What the end of a text says already is not said again; a name further up is no signature."""
    signature = "**Ines Duarte**\nAcme\nacme.example"
    for text, signed in [
        ("Hi\n\nBest,\nInes Duarte\nAcme", "Hi\n\nBest,\nInes Duarte\nAcme\nacme.example"),
        ("Ines Duarte here.\n\nBye", f"Ines Duarte here.\n\nBye\n\n{signature}"),
        ("Ines Duarte\n\nStop: {{unsubscribe_link}}", "Ines Duarte\nAcme\nacme.example\n\nStop: {{unsubscribe_link}}"),
    ]:
        assert markup.signed(text, signature) == signed, text


def test_a_hostile_text_takes_no_longer_than_a_long_one() -> None:
    begin = time.perf_counter()
    for piece in ("*a", "*a ", "[", "[a](", "[a](http://", "[*", "http://x*", "\\*", "**a ", "- *a\n", "1. "):
        markup.html(piece * (20_000 // len(piece)))
    assert time.perf_counter() - begin < 20
