"""What other tools write: recognized as their pages show it, written in ours, and nothing taken that is none."""

import csv
from functools import partial
from itertools import product
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.rules import message_templates
from app.domain.rules.message_syntax import foreign
from tests.support.growth import growth

with (Path(__file__).parent / "foreign_syntax.csv").open() as file:
    DOCUMENTED = list(csv.DictReader(file))


def test_what_tools_document_is_written_in_ours() -> None:
    tuned = [row for row in DOCUMENTED if row["set"] == "tuned"]
    assert [row for row in tuned if foreign.translate(row["written"]) != row["ours"]] == []


def test_of_what_was_held_out_most_is_recognized() -> None:
    """These were collected when the tables stood: 8 of 11."""
    held_out = [row for row in DOCUMENTED if row["set"] == "held out"]
    found = [row for row in held_out if foreign.translate(row["written"]) == row["ours"]]
    assert len(found) / len(held_out) > 0.7


def test_what_is_ours_or_no_syntax_is_left_alone() -> None:
    for text in [
        "{{first_name|there}}, {{ custom.tier }} {{#if headline}}a{{ else }}b{{/if}} {Hi|Hello} {{unsubscribe_link}}",
        "See [our post](https://x.example/a), [Company](https://x.example), [1], [x] and item #1#.",
        "50% of teams, 30% company-wide; it costs $5 or $10 <ada@x.example> {curly} __init__",
        '{"a": {"b": 1} }',
        "{company|team}",
        r"\{first_name} \[Company] \%FIRST_NAME%",
        "{{first_name|[Name]}}",
    ]:
        assert foreign.find(text) == []


def test_what_has_no_counterpart_is_named() -> None:
    for text in ['{% if industry == "SaaS" %}a', "[Your Company]", "{% for x in y %}"]:
        [found] = foreign.find(text)
        assert found.ours is None
        assert foreign.pairs([text]) == []
        assert "has no counterpart here" in message_templates.problems(text)[0]


def test_conditions_of_other_tools_become_ours() -> None:
    liquid = "{% if company != blank %}at {{ company }}{% else %}there{% endif %}"
    ours = "{{#if company_name}}at {{company_name}}{{else}}there{{/if}}"
    assert foreign.translate(liquid) == ours
    assert foreign.translate("{{#if company}}at {{company}}{{#else}}there{{#endif}}") == ours
    assert foreign.translate("*|IF:COMPANY|*at *|COMPANY|**|ELSE:|*there*|END:IF|*") == ours
    assert message_templates.problems(ours) == []


def test_a_mistake_behind_it_keeps_its_place() -> None:
    found = message_templates.problems("Hi {{firstName}}, {a|b")
    assert [one.split(":")[0] for one in found] == ["Character 4", "Character 19"]


def test_the_advice_names_each_once() -> None:
    assert foreign.advice(["{{firstName}} %COMPANY%", "{{firstName}}"]) == (
        "Replace {{firstName}} with {{first_name}}, %COMPANY% with {{company_name}}, and send the request again."
    )
    assert foreign.advice(["Hi"]) == ""


def test_the_cost_of_a_row_of_spaces_grows_no_faster_than_the_row() -> None:
    """Spaces that each of two parts of a pattern may take are where the time of a search went."""
    for marks, end in product(("{%-", "{{", "{% if", "{{#if a", "{{a"), ("!", "!%}", "!}}")):
        row = partial(lambda marks, end, spaces: foreign.find(marks + " " * spaces + end), marks, end)
        assert growth(row, 400) < 3, (marks, end)


def test_of_a_text_that_is_too_long_only_the_beginning_is_looked_at() -> None:
    assert [one.begin for one in foreign.find("{{firstName}}" + " " * 20_000 + "{{lastName}}")] == [0]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*(row["written"] for row in DOCUMENTED), " ", "a", "{", "}", "|", "\n"]), max_size=8))
def test_a_text_written_in_ours_is_not_written_again(parts: list[str]) -> None:
    once = foreign.translate(" ".join(parts))
    assert foreign.translate(once) == once or "{" in parts or "}" in parts or "|" in parts
