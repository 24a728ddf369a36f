"""Where an opener stands in the text of a play."""

from app.domain.approvals import opener

SAID = "I read that you opened a plant in Leeds."


def test_an_opener_stands_behind_the_greeting() -> None:
    """In a text of several messages at the end of the first; the rest stays as it is."""
    for text, made in [
        ("Hi Anna,\n\nWe repair pumps.", f"Hi Anna,\n\n{SAID}\n\nWe repair pumps."),
        ("Hi Anna, we repair pumps.", f"Hi Anna,\n\n{SAID}\n\nWe repair pumps."),
        ("Guten Tag Frau Berg,\nwir reparieren Pumpen.", f"Guten Tag Frau Berg,\n\n{SAID}\n\nwir reparieren Pumpen."),
        ("Bonjour Anna – une question.", f"Bonjour Anna,\n\n{SAID}\n\nUne question."),
        ("Hi Anna, thanks.\n---\nA call?", f"Hi Anna, thanks.\n\n{SAID}\n---\nA call?"),
        ("We repair pumps.", f"{SAID}\n\nWe repair pumps."),
        ("Hi Anna,", f"Hi Anna,\n\n{SAID}"),
    ]:
        assert opener.put(text, SAID) == made, text
        assert opener.put(text, "") == text, text
