"""Waterfall: ask the workspace's connected services in order until one knows.

An address is checked before it counts, where a service that checks addresses is connected.
"""

from dataclasses import replace
from datetime import timedelta

from app.domain.platform import services
from app.domain.platform.services import ServiceCredentials
from app.models.workspaces import Workspace
from app.ports import (
    AddressVerifier,
    Contact,
    ContactQuestion,
    ContactService,
    ProviderError,
    Refused,
    Throttled,
    Unreachable,
    Verdict,
    service,
)

KINDS = ("email", "phone")
LATER = timedelta(hours=1)  # until a used-up budget is checked again
NOUNS = {"email": "email addresses", "phone": "phone numbers"}


class Waterfall:
    """A `ports.ContactSource` over the connected services of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        serves = [service(login.service).service.serves for login in services.connected(workspace)]
        self.kinds = [kind for kind in KINDS if any(kind in each for each in serves)]

    def find(self, question: ContactQuestion) -> Contact | None:
        """Return the first usable contact in the waterfall; a failing service leaves it to the next.

        Raise Throttled when a failed service only asks to wait, or when all budgets are used up.
        """
        ready = services.credentials_for(self._workspace, question.kind)
        if not ready:
            raise Throttled(
                f"Today's budget for services that find {NOUNS[question.kind]} is used up.",
                int(LATER.total_seconds()),
            )
        failures: list[ProviderError] = []
        for one in ready:
            try:
                contact = self._ask_service(one, question)
            except Refused:
                return None
            except ProviderError as failure:
                failures.append(failure)
                continue
            if contact is not None and (usable := self._checked(contact, question.kind)):
                return usable
        _raise_if_needed(failures, len(ready))
        return None

    def _ask_service(self, one: ServiceCredentials, question: ContactQuestion) -> Contact | None:
        finder = one.adapter
        if not isinstance(finder, ContactService):
            return None
        with services.call(self._workspace, one) as asked:
            contact = finder.find_contact(one.credentials, question)
            asked.answers = 0 if contact is None else 1
        return contact

    def _checked(self, contact: Contact, kind: str) -> Contact | None:
        """Return the contact with its verdict; None for an undeliverable address."""
        if kind == "email" and contact.verdict == Verdict.UNCHECKED:
            verdict, by = verify(self._workspace, contact.value)
            contact = replace(contact, verdict=verdict, verified_by=by)
        return None if contact.verdict == Verdict.UNDELIVERABLE else contact


def _raise_if_needed(failures: list[ProviderError], asked: int) -> None:
    """Raise a failure when waiting may help, or when no service could answer."""
    waiting = [failure for failure in failures if isinstance(failure, Throttled)]
    if waiting:
        raise min(waiting, key=lambda failure: failure.retry_after)
    if failures and len(failures) == asked:
        raise next((failure for failure in failures if isinstance(failure, Unreachable)), failures[0])


def verify(workspace: Workspace, address: str) -> tuple[Verdict, str]:
    """Verify the address; return the verdict and the service's name, UNCHECKED without one. Calls out."""
    for one in services.credentials_for(workspace, "verify"):
        verifier = one.adapter
        if not isinstance(verifier, AddressVerifier):
            continue
        try:
            with services.call(workspace, one) as asked:
                verdict = verifier.verify(one.credentials, address)
                asked.answers = 0 if verdict == Verdict.UNCHECKED else 1
        except ProviderError:
            continue  # the service's card shows the error
        if verdict != Verdict.UNCHECKED:
            return verdict, verifier.service.title
    return Verdict.UNCHECKED, ""
