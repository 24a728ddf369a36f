"""What every `ports.Sender` promises. An adapter's tests subclass `SenderContract` and say whom it can reach."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.core.db import transaction
from app.domain.rules.step_kinds import STEPS
from app.ports import Accepted, AccountRef, PersonRef, Receipt, Received, Refused, Sender, SenderAction, Unknown


class SenderContract:
    """Needs the fixtures `network`, `account`, `willing` (accepts, and answers a message) and `unwilling` (refuses)."""

    kind = "connection_request"
    proves_absence = True  # that nothing is found is a promise; else nobody can tell

    def is_surely_undone(self, network: Sender, account: AccountRef, deed: SenderAction) -> bool:
        """Whether the network says that it did not happen, or that it can't tell where it never can."""
        if self.proves_absence:
            return network.find(account, deed) is None
        with pytest.raises(Unknown):
            network.find(account, deed)
        return True

    def action(self, person: PersonRef, token: str, **more: str) -> SenderAction:
        return SenderAction(more.pop("kind", self.kind), person, token, **more)

    def test_an_action_gets_a_receipt_and_is_found(
        self, network: Sender, account: AccountRef, willing: PersonRef
    ) -> None:
        """At the moment on the account's clock. Asked after a lost answer, the network gives the receipt; None is a
        promise that it did not happen."""
        action = self.action(willing, "one")
        assert self.is_surely_undone(network, account, action)
        done = network.act(account, action)
        assert done == Receipt(done.ref, account.at)
        assert done.ref
        assert network.find(account, action) == done

    def test_the_same_token_acts_once(self, network: Sender, account: AccountRef, willing: PersonRef) -> None:
        """A repeated attempt gets the receipt of the first, however much later it comes."""
        first = network.act(account, self.action(willing, "one"))
        later = replace(account, at=account.at + timedelta(days=1))
        assert network.act(later, self.action(willing, "one")) == first

    def test_a_refusal_leaves_nothing(self, network: Sender, account: AccountRef, unwilling: PersonRef) -> None:
        """Refused says why, in a sentence, and nothing happened."""
        with pytest.raises(Refused) as refusal:
            network.act(account, self.action(unwilling, "one"))
        assert refusal.value.sentence.endswith(".")
        assert self.is_surely_undone(network, account, self.action(unwilling, "one"))

    def test_every_step_of_its_channel_is_known(self, network: Sender, account: AccountRef, willing: PersonRef) -> None:
        """No step is refused as one that the adapter never heard of; the network may refuse it for another reason."""
        channel = STEPS[self.kind].channel
        unheard_of = self._refusal(network, account, self.action(willing, "unheard-of", kind="unheard_of"))
        of_channel = [step.name for step in STEPS.values() if step.channel == channel]
        refusals = {
            kind: self._refusal(network, account, self.action(willing, kind, kind=kind, text="Hello", subject="Hello"))
            for kind in of_channel
        }
        assert [kind for kind, said in refusals.items() if said and said == unheard_of] == []

    def _refusal(self, network: Sender, account: AccountRef, deed: SenderAction) -> str:
        """Return why the network did not do it, or "" when it did."""
        try:
            network.act(account, deed)
        except Refused as refusal:
            return refusal.sentence
        return ""

    def test_a_healthy_account_has_nothing_in_its_inbox(self, network: Sender, account: AccountRef) -> None:
        """`status` says nothing when all is well, and the cursor of an empty inbox can be used again."""
        network.status(account)
        quiet = network.inbound(account, "")
        assert list(quiet.items) == []
        assert list(network.inbound(account, quiet.cursor).items) == []

    def test_what_comes_in_comes_once_per_cursor(
        self, network: Sender, account: AccountRef, willing: PersonRef
    ) -> None:
        """The same cursor gives the same items again; the next one only what is new."""
        begun = network.inbound(account, "").cursor
        network.act(account, self.action(willing, "one"))
        later = replace(account, at=account.at + timedelta(days=30))
        first = network.inbound(later, begun)
        assert [item.person for item in first.items] == [willing.person]
        assert isinstance(first.items[0], Accepted | Received)
        assert network.inbound(later, begun) == first
        assert list(network.inbound(later, first.cursor).items) == []

    def test_nothing_comes_in_before_its_time(self, network: Sender, account: AccountRef, willing: PersonRef) -> None:
        """At the moment of the action there is nothing yet; what comes later has its own moment."""
        begun = network.inbound(account, "").cursor
        network.act(account, self.action(willing, "one"))
        assert list(network.inbound(account, begun).items) == []
        later = replace(account, at=account.at + timedelta(days=30))
        assert all(account.at < item.at <= later.at for item in network.inbound(later, begun).items)

    def test_it_is_not_called_inside_a_transaction(
        self, network: Sender, account: AccountRef, willing: PersonRef
    ) -> None:
        """A mistake of ours shows at once, not as a stuck database."""
        action = self.action(willing, "one")
        with transaction():
            for call in (
                lambda: network.act(account, action),
                lambda: network.find(account, action),
                lambda: network.inbound(account, ""),
                lambda: network.next_inbound(account, ""),
                lambda: network.status(account),
                lambda: network.reconnect(account),
            ):
                with pytest.raises(RuntimeError):
                    call()
        assert self.is_surely_undone(network, account, action)
