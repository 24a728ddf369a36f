"""Each action as Unipile calls, and how to find the outcome of an unknown one."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from app.core import text
from app.ports import AccountRef, Receipt, Refused, SenderAction, Unknown
from app.providers.unipile.api import Api
from app.providers.unipile.failures import AlreadyInvited
from app.providers.unipile.members import Members
from app.providers.unipile.parsing import Invitation, Member

SKEW = timedelta(minutes=1)  # between the network's clock and ours
RECENT = timedelta(days=60)  # an older post is not liked
MOST_NEW = 100  # connections that a look goes through
LOOK_BACK = timedelta(days=1)  # for an action that does not say when it was meant


@dataclass(frozen=True)
class Actions:
    """One account's actions over an open line."""

    wire: Api
    members: Members
    account: AccountRef

    def do(self, action: SenderAction) -> Receipt:
        """Do the action, or raise a ProviderError that says why not."""
        ways: dict[str, Callable[[SenderAction], str]] = {
            "message": self._message,
            "inmail": self._inmail,
            "view_profile": self._visit,
            "follow": self._follow,
            "like_post": self._like,
            "withdraw": self._withdraw,
        }
        if action.kind not in (*ways, "connection_request"):
            raise Refused("LinkedIn accounts don't support this action.")
        if action.kind == "connection_request":
            return self._invite(action)
        return self._receipt(action, ways[action.kind](action))

    def find(self, action: SenderAction) -> Receipt | None:
        """Return the receipt; None when it surely did not happen. Raise Unknown when there is no way to tell."""
        match action.kind:
            case "connection_request":
                return self._invited(action)
            case "message":
                return self._said(action)
            case "inmail":
                if done := self._said(action):
                    return done
                raise Unknown("We can't tell whether this InMail was sent. Check on LinkedIn before you send another.")
            case "withdraw":
                return (
                    None
                    if self._pending(self._member(action))
                    else Receipt(f"withdrawn:{action.token}", self.account.at)
                )
        return None

    def _member(self, action: SenderAction) -> Member:
        return self.members.of(self.wire, self.account.provider_ref, action.person)

    def _receipt(self, action: SenderAction, ref: str) -> Receipt:
        return Receipt(ref or f"{action.kind}:{action.token}", self.account.at)

    def _invite(self, action: SenderAction) -> Receipt:
        """Invite the person; an open invitation counts as done."""
        try:
            return self._receipt(action, self.wire.invite(self.account.provider_ref, self._member(action), action.text))
        except AlreadyInvited:
            return self._invited(action) or self._receipt(action, "")

    def _message(self, action: SenderAction) -> str:
        return self.wire.say(self.account.provider_ref, self._member(action), action.text)

    def _inmail(self, action: SenderAction) -> str:
        by_navigator = bool(self.account.settings.get("sales_navigator"))
        account = self.account.provider_ref
        return self.wire.inmail(account, self._member(action), action.subject, action.text, by_navigator)

    def _visit(self, action: SenderAction) -> str:
        return f"visit:{self.wire.visit(self.account.provider_ref, self._member(action).id)}"

    def _follow(self, action: SenderAction) -> str:
        return f"follow:{self.wire.follow(self.account.provider_ref, self._member(action))}"

    def _like(self, action: SenderAction) -> str:
        """Like their newest own post; one that is liked already counts as done."""
        posts = self.wire.posts(self.account.provider_ref, self._member(action))
        since = self.account.at - RECENT
        own = [post for post in posts if not post.repost and post.can_react and post.at and post.at >= since]
        newest = max(own, key=lambda post: post.at or since, default=None)
        if newest is None:
            raise Refused("This person has no recent posts to like.")
        if not newest.reacted:
            self.wire.like(self.account.provider_ref, newest)
        return f"like:{newest.id}"

    def _withdraw(self, action: SenderAction) -> str:
        open_one = self._pending(self._member(action))
        if open_one is None:
            raise Refused("No pending connection request to this person.")
        self.wire.withdraw(self.account.provider_ref, open_one)
        return f"withdrawn:{open_one.id}"

    def _pending(self, member: Member) -> Invitation | None:
        """Return the open invitation to them."""
        names = {member.id, text.public_id(member.public_id)} - {""}
        for one in self.wire.invitations(self.account.provider_ref):
            if {one.member.id, text.public_id(one.member.public_id)} & names:
                return one
        return None

    def _invited(self, action: SenderAction) -> Receipt | None:
        """Return the receipt of an open invitation, or of a connection, which an accepted one has become."""
        member = self._member(action)
        if found := self._pending(member):
            return Receipt(found.id, found.at or self.account.at)
        since = self._since(action)
        for one in islice(self.wire.relations(self.account.provider_ref), MOST_NEW):
            if one.at and one.at < since:
                return None
            if one.at and one.member.id == member.id:
                return Receipt(f"invited:{one.id}", one.at)
        return None

    def _said(self, action: SenderAction) -> Receipt | None:
        """Return the message with these words since the intent, in any of their recent conversations."""
        member = self._member(action)
        since = self._since(action)
        wanted = {text.squeeze(action.text), text.squeeze(f"{action.subject} {action.text}")}
        account = self.account.provider_ref
        for chat in self.wire.chats(account, since):
            if chat.member.id != member.id or not chat.alone:
                continue
            ours = [said for said in self.wire.messages(account, chat, since) if said.mine and not said.silent]
            for said in ours:
                if text.squeeze(said.text) in wanted:
                    return Receipt(said.id, said.at)
            if any(action.intended_at and said.at >= action.intended_at for said in ours):
                raise Unknown(
                    "We can't tell whether this message was sent: another followed. Check the conversation on LinkedIn."
                )
        return None

    def _since(self, action: SenderAction) -> datetime:
        return action.intended_at - SKEW if action.intended_at else self.account.at - LOOK_BACK
