"""Senders: connecting, limits and hours, switching off and on, and coming back after trouble."""

from datetime import timedelta
from typing import Any

import pytest

from app import ports
from app.core.db import transaction
from app.core.errors import AppError, InvalidRequest, NotSupported
from app.domain.rules.limits import HARD_CAPS
from app.domain.senders import accounts, provider_credentials
from app.domain.workspace import workspaces
from app.models.accounts import SOCIAL_LIMITS, Account, AccountStatus
from app.models.workspaces import Workspace
from app.ports import LoggedOut, PersonRef, SenderAction
from tests.conftest import PASSWORD
from tests.domain.outreach import told
from tests.support.movable import Movable


def problems(refusal: pytest.ExceptionInfo[AppError]) -> dict[str, str]:
    return {field.path: field.message for field in refusal.value.fields}


def first(workspace: Workspace) -> Account:
    return accounts.every(workspace)[0]


def change(account: Account, **columns: Any) -> None:
    with transaction() as current:
        for name, value in columns.items():
            setattr(current.get_one(Account, account.id), name, value)


def challenge(account: Account, workspace: Workspace) -> None:
    """The network asks for proof of a person, and the sender shows it."""
    action = SenderAction("view_profile", PersonRef("challenges-grace"), "t")
    with pytest.raises(LoggedOut) as stopped:
        ports.sender("sandbox").act(provider_credentials.to_account_ref(account, workspace.now()), action)
    change(account, status=AccountStatus.CHALLENGED, status_reason=stopped.value.sentence)


def test_a_sandbox_has_two_social_accounts_and_a_mailbox_and_can_have_more(acme: Workspace) -> None:
    """They may act at once; the first, and the mailbox, are the founder's, as far as the address tells the name."""
    senders = accounts.every(acme)
    expected = [("Ada", "social"), ("Marek Novák", "social"), ("Ada", "email")]
    assert [(sender.name, sender.channel) for sender in senders] == expected
    assert {sender.status for sender in senders} == {"connected"}
    assert all(sender.ramp_from is None and sender.active for sender in senders)
    assert senders[1].profile_url == "https://network.example/in/marek-novak"
    assert senders[0].headline == "Founder at Acme"
    for address, name in (("jason.berke@law.example", "Jason Berke"), ("sales@law.example", "Ines Duarte")):
        mine, _, mailbox = accounts.every(workspaces.create("Berke Law", address, PASSWORD, sandbox=True))
        assert (mine.name, mailbox.name) == (name, name)
        assert mailbox.address == "hello@sandbox.example"
    made = accounts.connect(acme, provider="sandbox", name="  Zoë   Łęcka ", timezone="Europe/Warsaw")
    assert (made.name, made.public_id, made.timezone) == ("Zoë Łęcka", "zoe-ecka", "Europe/Warsaw")
    assert made.limits == SOCIAL_LIMITS
    mailbox = accounts.connect_mailbox(acme, provider="sandbox", address=" Zoe@Acme.Example ")
    assert (mailbox.address, mailbox.name, mailbox.timezone) == ("zoe@acme.example", "zoe", "UTC")


def test_all_problems_of_a_new_sender_are_named_at_once(acme: Workspace, rival: Workspace) -> None:
    """A sender is connected once in a workspace, from a known network, and a sandbox's in a sandbox alone."""
    with pytest.raises(InvalidRequest) as refusal:
        accounts.connect(acme, provider="sandbox", name=" ", timezone="Moon/Base")
    assert set(problems(refusal)) == {"name", "timezone"}
    with pytest.raises(InvalidRequest) as refusal:
        accounts.connect_mailbox(acme, provider="sandbox", address="nobody", name="x" * 201, timezone="../etc")
    assert set(problems(refusal)) == {"address", "name", "timezone"}
    with pytest.raises(InvalidRequest) as refusal:
        accounts.connect(acme, provider="sandbox", name="ADA")
    assert set(problems(refusal)) == {"name"}
    with pytest.raises(InvalidRequest) as refusal:
        accounts.connect_mailbox(acme, provider="sandbox", address="HELLO@sandbox.example")
    assert set(problems(refusal)) == {"address"}
    assert len(accounts.every(rival)) == 3
    with pytest.raises(NotSupported) as refusal:
        accounts.connect(acme, provider="pigeon", name="Ada")
    assert "sandbox" in refusal.value.recovery
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    with pytest.raises(NotSupported):
        accounts.connect(acme, provider="sandbox", name="Ada")


def test_what_is_not_safe_or_not_possible_is_refused(acme: Workspace) -> None:
    """With the path of the field, and nothing is changed; the hard cap itself is the last safe number."""
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"start": "9:00"}, "workingHours.start"),
        ({"end": "24:00"}, "workingHours.end"),
        ({"start": "17:30"}, "workingHours.end"),
        *(({"days": days}, "workingHours.days") for days in ([], [0], [True])),
        ({"limits": {"email": 1}}, "dailyLimits.email"),
        *(({"limits": {"invite": limit}}, "dailyLimits.invite") for limit in (-1, True, 15.5)),
        *(({"limits": {budget: most + 1}}, f"dailyLimits.{budget}") for budget, most in HARD_CAPS.items()),
    ]
    for given, path in wrong:
        with pytest.raises(InvalidRequest) as refusal:
            accounts.edit(acme, first(acme).id, **given)
        assert list(problems(refusal)) == [path]
    assert first(acme).limits == SOCIAL_LIMITS
    assert first(acme).work_days == [1, 2, 3, 4, 5]
    for budget, most in ((budget, most) for budget, most in HARD_CAPS.items() if budget != "task"):
        sender = accounts.every(acme)[2 if budget == "email" else 0]
        assert accounts.edit(acme, sender.id, limits={budget: most}).limits[budget] == most


def test_changed_settings_wake_the_sender(acme: Workspace, clock: Movable) -> None:
    """It may be allowed earlier than it thought; a pause after an action is kept. So does switching it on again."""
    account = first(acme)
    change(account, turn_at=clock.at + timedelta(days=3))
    accounts.edit(acme, account.id, limits={"invite": 20})
    assert first(acme).turn_at == clock.at
    assert not accounts.switch(acme, account.id, False).active
    change(account, turn_at=None)
    assert accounts.switch(acme, account.id, True).active
    assert first(acme).turn_at == clock.at
    change(account, turn_at=clock.at + timedelta(days=3), free_at=clock.at + timedelta(minutes=4))
    accounts.edit(acme, account.id, end="19:00")
    assert first(acme).turn_at == clock.at + timedelta(minutes=4)


def test_a_challenge_is_solved_by_a_human_and_the_sender_starts_gently(acme: Workspace, clock: Movable) -> None:
    """Only the network's distrust begins the ramp again, not a lost login; the inbox is read at the next tick."""
    before = first(acme).status_at
    assert accounts.reconnect(acme, first(acme).id).ramp_from is None
    assert first(acme).status_at == before
    change(first(acme), status=AccountStatus.DISCONNECTED)
    mended = accounts.reconnect(acme, first(acme).id)
    assert (mended.status, mended.ramp_from) == ("connected", None)
    account = first(acme)
    change(account, polled_at=clock.at)
    challenge(account, acme)
    mended = accounts.reconnect(acme, account.id)
    assert (mended.status, mended.status_reason, mended.status_at) == ("connected", "", clock.at)
    assert (mended.ramp_from, mended.polled_at) == (clock.at, None)
    assert first(acme).turn_at == clock.at
    ports.sender("sandbox").status(provider_credentials.to_account_ref(mended, clock.at))


def test_mailboxes_of_one_name_show_their_addresses(acme: Workspace) -> None:
    first, second, mailbox = accounts.every(acme)
    for other in (second, mailbox):
        other.name = first.name
    assert {*accounts.names([first, mailbox]).values()} == {first.name, f"{first.name} (email)"}
    second.channel, second.address = mailbox.channel, "ines@two.example"
    assert [*accounts.names([second, mailbox]).values()] == [
        f"{first.name} (ines@two.example)",
        f"{first.name} ({mailbox.address})",
    ]


def test_a_sender_that_is_connected_lost_and_connected_again_is_told(acme: Workspace) -> None:
    """Once each; the senders that a sandbox begins with are no news."""
    assert told(acme, "account_connected") == []
    made = accounts.connect(acme, provider="sandbox", name="Ada Lund")
    for _ in range(2):
        accounts.logged_out(made, LoggedOut("The password was changed."), acme.now())
    (lost,) = told(acme, "account_disconnected")
    assert lost == {"account": {"id": made.id, "name": "Ada Lund"}, "reason": "The password was changed."}
    for _ in range(2):
        accounts.reconnect(acme, made.id)
    assert told(acme, "account_connected") == [{"account": lost["account"]}] * 2
