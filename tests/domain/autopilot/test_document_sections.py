"""A document is taken apart into headings and text, and put together again without losing a word."""

from hypothesis import given
from hypothesis import strategies as st

from app.domain.autopilot.document_sections import Section, join, split

WRITTEN = """Before all.

# Ideal customer

Founders of **small** shops.

## Who to avoid

- Agencies
- ## not a heading of the document

```
# nor this
```

Summary
-------
Short.
"""


def test_headings_begin_sections_and_marks_inside_a_block_do_not() -> None:
    assert split(WRITTEN) == [
        Section(0, "", "Before all."),
        Section(1, "Ideal customer", "Founders of **small** shops."),
        Section(2, "Who to avoid", "- Agencies\n- ## not a heading of the document\n\n```\n# nor this\n```"),
        Section(2, "Summary", "Short."),
    ]
    assert split(join(split(WRITTEN))) == split(WRITTEN)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 6),
            st.text("abc déß", min_size=1).map(str.strip).filter(bool),
            st.text("abc \n.,", max_size=40).map(lambda text: "\n".join(line.strip() for line in text.split("\n"))),
        ).map(lambda parts: Section(parts[0], " ".join(parts[1].split()), parts[2].strip())),
        max_size=6,
    )
)
def test_no_section_is_lost(sections: list[Section]) -> None:
    assert split(join(sections)) == sections


def test_what_has_no_words_is_dropped_and_text_stays_where_it_was() -> None:
    for sections, document in [
        ([], ""),
        ([Section(2, " ", " \n")], ""),
        ([Section(0, "", "Only text")], "Only text\n"),
        ([Section(1, "One", "a"), Section(2, "", "b")], "# One\n\na\n\nb\n"),
        ([Section(0, "New", "")], "## New\n"),
        ([Section(2, "Two\r\nlines", "a\r\nb")], "## Two lines\n\na\nb\n"),
    ]:
        assert join(sections) == document
