"""Who is who: the network's own names of people and the public ones, remembered so that profiles are not read twice.

Reading a profile is itself something the network counts.
"""

import re
import threading
from collections import OrderedDict

from app.core import text
from app.ports import PersonRef, Refused
from app.providers.unipile.api import Api
from app.providers.unipile.client import Garbled
from app.providers.unipile.parsing import Member

MOST = 20_000  # of all accounts together
_OWN = re.compile(r"/(?:in|sales/lead|sales/people|talent/profile)/(AC[\w-]{10,})")  # the network's own name, as it is


class Members:
    """Remembers the members that accounts have met; the ones met longest ago are forgotten first."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Member] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, wire: Api, account: str, person: PersonRef) -> Member:
        """Return the network's member for our person."""
        own = _OWN.search(person.profile_url)
        return self._found(wire, account, own[1] if own else person.person)

    def public(self, wire: Api, account: str, member: Member) -> tuple[str, str]:
        """Return a member's public id and their other id; equal where the network hides the first."""
        alias = member.id.casefold()
        if not member.public_id:
            try:
                member = self._found(wire, account, member.id)
            except (Refused, Garbled):  # a profile that is closed, gone, or of an unknown format
                return alias, alias
        else:
            self.remember(account, member)
        return text.public_id(member.public_id) or alias, alias

    def remember(self, account: str, member: Member, *names: str) -> None:
        """Cache the member under these names and both of their own."""
        with self._lock:
            for name in {member.id, text.public_id(member.public_id), *names} - {""}:
                self._known[account, name] = member
                self._known.move_to_end((account, name))
            while len(self._known) > MOST:
                self._known.popitem(last=False)

    def _found(self, wire: Api, account: str, name: str) -> Member:
        with self._lock:
            known = self._known.get((account, name))
        if known is None:
            known = wire.member(account, name)
            self.remember(account, known, name)
        return known
