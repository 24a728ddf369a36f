"""The steps of a play: every problem at once, the days they fall on, and what they are in a campaign."""

from typing import Any

import pytest

from app.core.errors import AppError, InvalidRequest, NotSupported
from app.domain.autopilot import play_steps
from app.domain.rules import step_kinds as campaign_kinds
from app.models.autopilot import Play


def step(kind: str, text: str | None = None, days: int = 0, after: str = "previous", **more: Any) -> dict[str, Any]:
    """A step as someone sends it."""
    return {"kind": kind, "text": text, "delay": {"count": days, "unit": "days"}, "after": after, **more}


INVITE = step("invite", "Hi {{first_name}}")
SOCIAL = step("social", "Thanks for connecting.\n---\nOne more thing.", 2, "accept")
EMAIL = step("email", "Dear {{first_name|reader}}", 4, "no_reply", subject="About {{company_name}}")
LIKE = step("reaction", days=1, reaction="celebrate")


def problems(*given: dict[str, Any]) -> dict[str, str]:
    """What is wrong with these steps, by path."""
    with pytest.raises(AppError) as refusal:
        play_steps.check(given)
    return {field.path: field.message for field in refusal.value.fields}


def test_steps_keep_what_belongs_to_their_kind() -> None:
    """Steps are kept with what belongs to their kind, each with an id of its own."""
    kept = play_steps.check([LIKE, INVITE, SOCIAL, EMAIL])
    assert [one["kind"] for one in kept] == ["reaction", "invite", "social", "email"]
    assert len({one["id"] for one in kept}) == 4
    assert "text" not in kept[0]
    assert kept[3]["subject"] == "About {{company_name}}"
    assert play_steps.channel(kept, "social") == "social_email"
    assert play_steps.channel(kept[:3], "email") == "social"
    alone = play_steps.check([EMAIL | {"after": "previous"}])
    assert [play_steps.channel(alone, chosen) for chosen in ("email", "social_email")] == ["email", "social_email"]


def test_kinds_of_later_are_not_supported() -> None:
    """Together with everything else that is wrong."""
    for kind in ["comment", "manual"]:
        with pytest.raises(NotSupported) as refusal:
            play_steps.check([INVITE, step(kind), step("social", "")])
        assert [field.path for field in refusal.value.fields] == ["steps[1].kind", "steps[2].text"]
        assert refusal.value.status == 400


def test_every_problem_is_named_at_once() -> None:
    long_note = step("invite", "x" * 301)
    wrong = step("email", "Hello {{nobody}}", -1, "sometime", subject="")
    assert set(problems(long_note, wrong, step("fax"), step("reaction", reaction="hug"))) == {
        "steps[0].text",
        "steps[1].text",
        "steps[1].subject",
        "steps[1].delay.count",
        "steps[1].after",
        "steps[2].kind",
        "steps[3].reaction",
    }


def test_what_a_step_may_not_be() -> None:
    for given, path in [
        ([SOCIAL], "steps[0].after"),
        ([step("social", "Hello")], "steps[0].kind"),
        ([EMAIL], "steps[0].after"),
        ([INVITE, INVITE], "steps[1].kind"),
        ([INVITE, step("email", "Hi", 1, "accept", subject="s")], "steps[1].after"),
        ([step("invite", "a\n---\nb")], "steps[0].text"),
        ([step("email", "a", subject="b\nc")], "steps[0].subject"),
        ([step("invite", "a", subject="b")], "steps[0].subject"),
        ([step("reaction", "words")], "steps[0].text"),
        ([step("invite", reaction="like")], "steps[0].reaction"),
        ([step("invite", "{{first_name")], "steps[0].text"),
        ([step("invite", "a\0")], "steps[0].text"),
        ([], "steps"),
        ([step("reaction")] * 31, "steps"),
        ([step("invite", days=366)], "steps[0].delay.count"),
        ([step("reaction", id="a"), step("reaction", id="a")], "steps"),
    ]:
        assert list(problems(*given)) == [path], given


def test_a_note_is_as_long_as_the_accounts_can_write_and_days_add_up() -> None:
    play_steps.check([step("invite", "x" * 300)])
    with pytest.raises(InvalidRequest):
        play_steps.check([step("invite", "x" * 201)], note_length=200)
    kept = play_steps.check([LIKE, INVITE, SOCIAL, {**EMAIL, "delay": {"count": 30, "unit": "hours"}}])
    assert [(one["day"], one["kind"]) for one in Play(steps=kept).sequence] == [
        (2, "invite"),
        (4, "social"),
        (5, "email"),
    ]


def test_messages_are_filled_in() -> None:
    """Parts stay apart; a value is never read as a variable."""
    kept = play_steps.check([INVITE, SOCIAL, EMAIL])
    made = play_steps.messages(kept, {"first_name": "{{last_name}}", "company_name": "Alder"}, 1)
    assert [one["text"] for one in made] == [
        "Hi {{last_name}}",
        "Thanks for connecting.\n---\nOne more thing.",
        "Dear {{last_name}}",
    ]
    assert made[2]["subject"] == "About Alder"


def test_every_kind_is_a_step_of_a_campaign() -> None:
    minutes = {**INVITE, "delay": {"count": 90, "unit": "minutes"}}
    made = play_steps.campaign_steps(play_steps.check([LIKE, minutes, SOCIAL, EMAIL]))
    assert [one["type"] for one in made] == ["like_post", "connection_request", "message", "email"]
    assert [one.get("delay") for one in made] == [
        {"value": 1, "unit": "days"},
        {"value": 2, "unit": "hours"},
        {"value": 2, "unit": "days"},
        {"value": 4, "unit": "days"},
    ]
    assert set(play_steps.IN_A_CAMPAIGN.values()) <= set(campaign_kinds.STEPS)
