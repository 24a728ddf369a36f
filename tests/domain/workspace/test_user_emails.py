"""An address is confirmed by a link that reached its mailbox alone; a changed one is told to the old mailbox."""

from collections.abc import Iterator

import pytest

from app.core.errors import Conflict, InvalidRequest, NotFound, RateLimited
from app.domain.platform import jobs
from app.domain.workspace import passwords, team, user_emails
from app.models.sessions import LinkOrigin
from app.models.workspaces import Role, Workspace
from tests.conftest import PASSWORD
from tests.domain.workspace.test_team import kinds, member
from tests.providers.mail.mailservers import Post
from tests.support.mailed import house_mail, link_in, read
from tests.support.members import owner
from tests.support.movable import Movable

NEW = "other words nobody guesses"
PATH = "/settings/profile/email/"


@pytest.fixture
def post(acme: Workspace) -> Iterator[Post]:
    with house_mail() as post:
        yield post


def test_a_new_address_counts_once_its_link_was_opened_and_the_old_one_is_told(acme: Workspace, post: Post) -> None:
    assert user_emails.change(owner(acme), "Ada", "ada@elsewhere.example").email == "ada@acme.example"
    jobs.run_due()
    ((recipient, _, text),) = read(post)
    assert recipient == "ada@elsewhere.example"
    user_emails.confirm(owner(acme), link_in(text).removeprefix(PATH))
    assert owner(acme).email == "ada@elsewhere.example"
    assert owner(acme).email_confirmed_at
    assert kinds(acme) == ["member.changed", "member.changed", "member.confirmed"]
    jobs.run_due()
    told, _, text = read(post)[-1]
    assert told == "ada@acme.example"
    assert "now uses ada@elsewhere.example" in text
    assert "http" not in text


def test_no_one_learns_which_addresses_have_an_account(acme: Workspace, rival: Workspace, post: Post) -> None:
    """The answer to a taken address is that to a free one; the taken one's mailbox gets a letter without a link."""
    ada = owner(acme)
    free, taken = (user_emails.change(ada, "Ada", address) for address in ("free@x.example", owner(rival).email))
    assert (free.email, taken.email) == ("ada@acme.example", "ada@acme.example")
    jobs.run_due()
    letters = {recipient: text for recipient, _, text in read(post)}
    assert link_in(letters["free@x.example"])
    assert "You have an account already" in letters[owner(rival).email]
    assert "http" not in letters[owner(rival).email]
    with pytest.raises(NotFound):
        user_emails.confirm(ada, user_emails.link(ada, owner(rival).email))


def test_without_email_tries_of_addresses_are_slowed_down(acme: Workspace, rival: Workspace) -> None:
    for _ in range(user_emails.FREE_LINKS):
        with pytest.raises(InvalidRequest, match="request"):
            user_emails.change(owner(acme), "Ada", owner(rival).email)
    with pytest.raises(RateLimited):
        user_emails.change(owner(acme), "Ada", owner(rival).email)


def test_a_changed_address_ends_password_links_and_a_changed_name_does_not(acme: Workspace, post: Post) -> None:
    ada = owner(acme)
    user_emails.confirm(ada, user_emails.link(ada))
    assert user_emails.change(ada, "Ada Byron", "ada@acme.example").email_confirmed_at
    assert jobs.run_due() == 0
    token = passwords.link(owner(acme), LinkOrigin.EMAIL)
    user_emails.confirm(owner(acme), user_emails.link(owner(acme), "ada@elsewhere.example"))
    assert passwords.find(token) is None


def test_a_link_confirms_only_for_its_user_address_and_day(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    ada, rob = owner(acme), owner(rival)
    token = user_emails.link(ada)
    for user, tried in ((rob, token), (ada, token[:-1]), (ada, "é"), (ada, "")):
        with pytest.raises(NotFound):
            user_emails.confirm(user, tried)
    user_emails.change(ada, "Ada", "ada@elsewhere.example")
    with pytest.raises(NotFound):
        user_emails.confirm(ada, token)
    late = user_emails.link(ada)
    clock.forward(hours=24)
    with pytest.raises(NotFound):
        user_emails.confirm(ada, late)
    assert (ada.email_confirmed_at, rob.email_confirmed_at) == (None, None)


def test_a_link_for_a_forgotten_password_confirms_the_address(acme: Workspace, post: Post) -> None:
    passwords.forgot("ada@acme.example", "1.2.3.4")
    jobs.run_due()
    ((_, _, text),) = read(post)
    assert passwords.reset(link_in(text).removeprefix("/reset/"), NEW).email_confirmed_at


def test_links_that_others_see_confirm_nothing(acme: Workspace, post: Post) -> None:
    """The owner sees an invitation and a password link, and the shell sees its own, even where they are mailed too."""
    made, token = team.invite(acme, owner(acme), "eve@acme.example", Role.REVIEWER)
    team.mail(acme, made, f"https://o.example/invite/{token}")
    eve = team.accept(token, PASSWORD)
    assert eve.email_confirmed_at is None
    bo, token = team.password_link(acme, owner(acme), member(acme).id)
    passwords.mail(bo, token)
    assert passwords.reset(token, NEW).email_confirmed_at is None
    assert passwords.reset(passwords.link(bo, LinkOrigin.SHELL), PASSWORD).email_confirmed_at is None


def test_asking_for_links_again_and_again_is_slowed_down(acme: Workspace, post: Post) -> None:
    """Or one could send any address as many letters as one likes."""
    for _ in range(user_emails.FREE_LINKS):
        user_emails.ask(owner(acme))
    with pytest.raises(RateLimited):
        user_emails.ask(owner(acme))
    with pytest.raises(RateLimited):
        user_emails.change(owner(acme), "Ada", "ada@elsewhere.example")
    assert owner(acme).email == "ada@acme.example"


def test_a_server_without_email_says_so(acme: Workspace) -> None:
    with pytest.raises(Conflict, match="sends no email"):
        user_emails.ask(owner(acme))
