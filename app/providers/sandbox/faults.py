"""What keeps an account from acting: the network's limits, challenges, and special people who cause trouble."""

from dataclasses import replace
from datetime import timedelta
from hashlib import blake2b
from typing import Any

from app.core.db import fetch
from app.ports import AccountRef, LoggedOut, ProviderError, SenderAction
from app.providers.sandbox import store
from app.providers.sandbox.history import Past
from app.providers.sandbox.special import Character, challenged, daily, logged_out, weekly

DAY, WEEK = timedelta(hours=24), timedelta(days=7)
LIMITS: dict[str, tuple[int, int]] = {  # in 24 hours, in 7 days
    "connection_request": (40, 100),
    "message": (150, 500),
    "inmail": (50, 200),
    "view_profile": (150, 700),
    "follow": (60, 300),
    "like_post": (60, 300),
    "email": (400, 2000),
}
STRIKES = 3  # tries in a day over a limit, after which the network asks for proof of a person
HEALTHY = timedelta(days=30)
RESTS, CHALLENGES = 0.04, 0.005  # per account and week after the healthy days
TRY = "try"  # the kind of an act that had no effect on anyone; remembered so that the next try succeeds


def locked(state: str) -> ProviderError:
    """Return the error of an account in that state."""
    return challenged() if state == "challenged" else logged_out()


def trouble(
    account: AccountRef, action: SenderAction, standing: Any, past: Past, known: Character | None
) -> ProviderError | None:
    """Return the failure of the act, stored if the next try depends on it; None without one."""
    error = _from_person(account, action, past, known)
    if error is None and (error := _over_limit(account, action.kind)):
        again = standing.struck_at and account.at - standing.struck_at < DAY
        strikes = standing.strikes + 1 if again else 1
        store.change(account, strikes=strikes, struck_at=account.at)
        error = challenged() if strikes > STRIKES else error
    error = error or _rare_trouble(account, action, standing)
    if isinstance(error, LoggedOut):
        store.change(account, state="challenged" if error.challenged else "logged_out")
    return error


def _from_person(
    account: AccountRef, action: SenderAction, past: Past, known: Character | None
) -> ProviderError | None:
    """Return the failure special people cause: at the first try of each action, or at every one."""
    if not known or not known.failure or known.happens:
        return None
    if known.always:
        return known.failure()
    token = f"{TRY}|{action.token}"
    if past.receipt(token):
        return None
    store.add_act(account, replace(action, kind=TRY, token=token))
    return known.failure()


def _over_limit(account: AccountRef, kind: str) -> ProviderError | None:
    if kind not in LIMITS:
        return None
    keys = {"account_id": account.id, "kind": kind, "week": account.at - WEEK, "day": account.at - DAY}
    ((week, day),) = fetch(store.RECENT, **keys)
    if week >= LIMITS[kind][1]:
        return weekly()
    return daily() if day >= LIMITS[kind][0] else None


def _rare_trouble(account: AccountRef, action: SenderAction, standing: Any) -> ProviderError | None:
    age = account.at - standing.since
    if age < HEALTHY or (standing.cleared_at and account.at - standing.cleared_at < HEALTHY):
        return None
    week, days = divmod(age.days, 7)
    draws = blake2b(f"{account.seed}|{account.provider_ref}|{week}".encode(), digest_size=8).digest()
    chance, chosen_day = int.from_bytes(draws[:6], "big") / 2**48, draws[7] % 7
    if chance < CHALLENGES and days >= chosen_day:
        return challenged()
    if chance < CHALLENGES + RESTS and days == chosen_day and action.kind == "connection_request":
        return daily()
    return None
