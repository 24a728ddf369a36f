"""A POST repeated under one Idempotency-Key: one effect and one answer, whatever happens in between."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core import clock as time
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict
from app.domain.leads import lists as lead_lists
from app.domain.platform import idempotency
from app.domain.platform.idempotency import Kept
from app.domain.workspace import api_keys
from app.models.leads import LeadList
from app.models.platform.requests import IdempotencyKey
from app.models.workspaces import Workspace
from tests.support.clients import Api, paths
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

NEW = {"name": "Founders", "type": "people"}


def lists() -> int:
    return session().scalar(sa.select(sa.func.count()).select_from(LeadList)) or 0


def kept() -> list[IdempotencyKey]:
    return list(session().scalars(sa.select(IdempotencyKey)))


def begun(workspace: Workspace, key: str = "one", owner: str = "somebody") -> None:
    """Another process has begun the request that `api.post("lists", NEW)` makes."""
    asked = idempotency.fingerprint("POST", "/v1/lists", [], NEW)
    assert idempotency._try_claim(workspace, key, asked, owner) is None


def test_a_repeated_request_gets_the_first_answer_to_the_byte(api: Api) -> None:
    """It is marked as a repetition, under its own request id. Spaces, order of names and escapes do not matter."""
    first, second = (api.post("lists", NEW, idempotency_key="one") for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.get_data() == second.get_data()
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert first.headers["X-Request-Id"] != second.headers["X-Request-Id"]
    again = api.call(
        "POST",
        "lists",
        data=b'{ "type" : "people",\n "name": "F\\u006funders" }',
        content_type="application/json; charset=utf-8",
        headers={"Idempotency-Key": '"one"'},
    )
    assert again.headers["Idempotent-Replayed"] == "true"
    assert lists() == 1


def test_another_request_under_the_key_is_a_conflict(api: Api) -> None:
    api.post("lists", NEW, idempotency_key="one")
    others = [("lists", NEW | {"name": "Other"}), ("lists?dry=1", NEW), ("never-contact", {"entries": ["x@a.example"]})]
    for path, body in others:
        answer = api.post(path, body, idempotency_key="one")
        assert (answer.status_code, answer.json["error"]["code"]) == (409, "conflict"), path
    assert lists() == 1


def test_no_body_and_an_empty_object_are_the_same_and_a_secret_is_not_kept_in_the_open(api: Api) -> None:
    webhook = {"name": "n", "url": "https://example.com/x", "event": "every_reply"}
    made, again = (api.post("webhooks", webhook, idempotency_key="new") for _ in range(2))
    assert made.json["secret"] == again.json["secret"]
    (row,) = kept()
    assert row.answer is not None
    assert made.json["secret"].encode() not in row.answer
    path = f"webhooks/{made.json['id']}/test"
    first, second = api.post(path, idempotency_key="one"), api.post(path, {}, idempotency_key="one")
    assert second.get_data() == first.get_data()


def test_a_rolled_key_repeats_and_another_workspace_does_not(api: Api, rival_api: Api, acme: Workspace) -> None:
    """The namespace is the workspace, not the key."""
    api.post("lists", NEW, idempotency_key="one")
    rolled = Api(api._client, api_keys.create(acme, "Other", "all")[1])
    assert rolled.post("lists", NEW, idempotency_key="one").headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in rival_api.post("lists", NEW, idempotency_key="one").headers
    assert lists() == 2


def test_a_refusal_or_a_failure_leaves_the_key_free(api: Api, with_scopes: Callable[..., Api]) -> None:
    api.call("POST", "lists", headers={"Authorization": "", "Idempotency-Key": "one"}, json=NEW)
    with_scopes("lists:read").post("lists", NEW, idempotency_key="one")
    api.call("POST", "lists", data=b"{", content_type="application/json", headers={"Idempotency-Key": "one"})
    assert kept() == []
    assert api.post("lists", {"name": ""}, idempotency_key="one").status_code == 400
    assert kept() == []
    assert api.post("lists", NEW, idempotency_key="one").status_code == 201


def test_what_cannot_be_a_key_is_refused(api: Api) -> None:
    """1 to 255 visible ASCII characters; two headers arrive as one with a comma."""
    for key in ("", '""', "x" * 256, "two words", "a\tb", "naïve", "a, b"):
        answer = api.post("lists", NEW, idempotency_key=key)
        assert paths(answer) == ["Idempotency-Key"]
    assert lists() == 0
    assert kept() == []


def test_a_request_waits_for_one_that_still_runs_and_takes_over_what_a_dead_process_began(
    api: Api, acme: Workspace, clock: Movable
) -> None:
    """Its lease lasts a minute, longer than any request of ours runs."""
    begun(acme)
    (row,) = kept()
    assert timedelta(seconds=55) < row.claimed_until - time.now() <= idempotency.LEASE
    answer = api.post("lists", NEW, idempotency_key="one")
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "conflict")
    assert answer.headers["Retry-After"] == "1"
    assert "in a moment" in answer.json["error"]["recovery"]
    assert lists() == 0
    clock.forward(seconds=60)
    assert api.post("lists", NEW, idempotency_key="one").status_code == 201
    assert lists() == 1


def test_who_was_taken_over_leaves_no_effect(acme: Workspace) -> None:
    """A slow request finds, when it ends, that another one has its key: everything of it is undone."""

    def slowly() -> Kept:
        lead_lists.create_list(acme, "Slow")
        session().execute(sa.update(IdempotencyKey).values(owner="another"))
        return Kept(201, b"{}")

    with pytest.raises(Conflict, match="taken over"):
        idempotency.with_idempotency_key(acme, "one", b"asked", "slow", slowly)
    assert lists() == 0


def test_what_must_call_outside_is_kept_after_it_ended(acme: Workspace) -> None:
    """No transaction is open meanwhile."""

    def outside() -> Kept:
        end_read()
        lead_lists.create_list(acme, "Outside")
        return Kept(200, b"{}")

    assert not idempotency.with_idempotency_key(acme, "one", b"asked", "me", outside, together=False).replayed
    assert idempotency.with_idempotency_key(acme, "one", b"asked", "you", outside, together=False).replayed
    assert lists() == 1


def test_what_is_left_to_do_is_kept_with_the_answer(acme: Workspace) -> None:
    """The long part runs in no transaction; its effect and the answer are there together, or not at all."""

    def outside() -> Callable[[], Kept]:
        end_read()

        def finish() -> Kept:
            lead_lists.create_list(acme, "Outside")
            return Kept(200, b"{}")

        return finish

    def taken_over() -> Callable[[], Kept]:
        with transaction() as current:
            current.execute(sa.update(IdempotencyKey).values(owner="another"))
        return outside()

    with pytest.raises(Conflict, match="taken over"):
        idempotency.with_idempotency_key(acme, "late", b"asked", "me", taken_over, together=False)
    assert lists() == 0
    assert not idempotency.with_idempotency_key(acme, "one", b"asked", "me", outside, together=False).replayed
    assert idempotency.with_idempotency_key(acme, "one", b"asked", "you", outside, together=False).replayed
    assert lists() == 1


def test_a_sealed_answer_opens_only_under_its_own_key(api: Api, acme: Workspace) -> None:
    api.post("lists", NEW, idempotency_key="one")
    with transaction() as current:
        current.execute(sa.update(IdempotencyKey).values(key="two"))
    answer = api.post("lists", NEW, idempotency_key="two")
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "internal")
    assert lists() == 1


def test_after_seven_days_the_key_is_new_and_its_answer_is_cleaned_up(api: Api, clock: Movable) -> None:
    """As the documentation promises, even where no one cleaned up."""
    api.post("lists", NEW, idempotency_key="one")
    clock.forward(days=6, hours=23)
    assert "Idempotent-Replayed" in api.post("lists", NEW, idempotency_key="one").headers
    clock.forward(hours=1)
    assert "Idempotent-Replayed" not in api.post("lists", NEW | {"name": "New"}, idempotency_key="one").headers
    assert lists() == 2
    clock.forward(days=7)
    api.post("lists", NEW, idempotency_key="young")
    assert idempotency.purge() == 1
    assert [row.key for row in kept()] == ["young"]
    assert idempotency.purge() == 0
