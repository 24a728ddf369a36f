"""Texts: variables, fallbacks, parts; values are plain text."""

from types import SimpleNamespace

from app.domain.rules import message_templates

ADA = SimpleNamespace(
    first_name="Ada",
    last_name="Löwe",
    headline="",
    position="CTO",
    company_name="Acorn",
    location="",
    custom_fields={"tier": "gold", "seats": 12, "list": [1], "Deal Size": "large"},
)


DRAW = message_templates.Draw(7, 0)


def filled(text: str) -> message_templates.Filled:
    """The text as Ada gets it."""
    return message_templates.fill(text, message_templates.values(ADA, "Ines Duarte"), DRAW)


def test_variables_fallbacks_and_custom_fields_are_filled_in() -> None:
    """A variable with neither a value nor a fallback is missing and never goes out raw."""
    text = "Hi {{first_name}} of {{ company_name }}, {{custom.tier}} with {{custom.seats}}. {{sender_first_name}}"
    assert filled(text).parts == ("Hi Ada of Acorn, gold with 12. Ines",)
    assert filled("{{custom.Deal Size}} or {{custom.deal_size}}").parts == ("large or large",)
    assert filled("Hi {{headline|there}}, {{custom.none| friend }}") == message_templates.Filled(
        ("Hi there, friend",), ()
    )
    found = filled("Hi {{headline}} {{custom.list}} {{location}}")
    assert found.missing == ("headline", "custom.list", "location")
    assert "{" not in found.parts[0]


def test_a_company_that_sends_signs_with_its_whole_name() -> None:
    for name, address, first in [
        ("Lena Hartmann", "lena@hartmann-kaffee.example", "Lena"),
        ("Lena Hartmann", "lena@lenahartmann.example", "Lena"),
        ("Lena H.", "", "Lena"),
        ("Hartmann Kaffee", "post@hartmann-kaffee.example", "Hartmann Kaffee"),
        ("Hartmann Kaffee GmbH", "post@hk.example", "Hartmann Kaffee GmbH"),
        ("", "post@hk.example", ""),
    ]:
        assert message_templates.values(ADA, name, address)["sender_first_name"] == first, name


def test_a_line_of_three_hyphens_begins_the_next_message_and_a_subject_is_one_line() -> None:
    assert filled("One\n---\nTwo\r\n  ---  \n\nThree\n---").parts == ("One", "Two", "Three")
    assert filled("One --- still one\n----\nOne").parts == ("One --- still one\n----\nOne",)
    assert message_templates.fill_line("Hi\n{{first_name}}", {"first_name": "Ada\r\nBcc: x"}, DRAW).parts == (
        "Hi Ada Bcc: x",
    )


def test_a_value_is_inserted_once_and_never_evaluated() -> None:
    for value in ["{{last_name}}", "{% raw %}", "${x}", "{0}", "%s", "<b>", "\n---\n"]:
        found = message_templates.fill("Hi {{first_name}}", {"first_name": f"a{value}b", "last_name": "wrong"}, DRAW)
        assert found.parts == (f"Hi a{value}b",), value


def test_what_can_never_be_filled_in_is_named_and_what_can_is_no_problem() -> None:
    for text in [
        "{{nobody}}",
        "{{first_name.__class__}}",
        "{{config}}",
        "{{ }}",
        "{{first_name",
        "first_name}}",
        "{{a{{b}}}}",
    ]:
        assert message_templates.problems(text), text
    for text in ["{{first_name|there}}", "{{custom.Any Field}}", "plain", "{ single }", "{{full_name}}"]:
        assert message_templates.problems(text) == [], text


def test_the_link_to_unsubscribe_is_for_the_text_of_e_mails() -> None:
    """It stays as it is: only on its way it becomes someone's own."""
    said = "Write to me, or {{unsubscribe_link}}"
    assert message_templates.problems(said, mail=True) == []
    assert message_templates.problems(said) == [
        "Character 17: {{unsubscribe_link}} only works in the text of a campaign's email."
    ]
    assert filled(said) == message_templates.Filled((said,), ())
