"""Map Unipile's errors to our failures, each with a sentence."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from email.utils import parsedate_to_datetime

from app.core import clock, text
from app.ports import AlreadyConnected, LoggedOut, ProviderError, Refused, Throttled, Unknown, Unreachable

DAY = 24 * 3600
QUARTER = 900  # seconds until a key or a crowded interface is tried again
LONGEST_DETAIL = 200

KEY_REFUSED = "Unipile rejected the API key. Replace the key in Settings → Services."
BUSY = "Unipile's request limit for this account has been reached."

# The network wants a human; the account does nothing until then.
SIGN_IN_AGAIN = {
    "disconnected_account": "LinkedIn signed this account out.",
    "expired_credentials": "This account's sign-in has expired.",
    "invalid_credentials": "LinkedIn rejected this account's password.",
    "multiple_sessions": "This account signed in elsewhere, so LinkedIn ended this session.",
    "wrong_account": "A different account was signed in.",
    "disconnected_feature": "This account was signed out of a product such as Sales Navigator.",
    "invalid_account": "Unipile no longer has this account.",
}
PROVE_YOURSELF = {
    "checkpoint_error": "LinkedIn needs a security check for this account.",
    "account_restricted": "LinkedIn restricted this account. Check what LinkedIn asks for.",
}
# Final for this person.
NOT_POSSIBLE = {
    "no_connection_with_recipient": "Only connections can be messaged. Send a connection request first.",
    "invalid_recipient": "LinkedIn doesn't allow this action for this person.",
    "blocked_recipient": "Can't reach this person: one of you has blocked the other.",
    "cannot_invite_attendee": "LinkedIn doesn't let this account connect with this person.",
    "user_unreachable": "LinkedIn doesn't let this account contact this person.",
    "not_allowed_inmail": "This person doesn't accept InMail. Send an email or a connection request.",
    "insufficient_credits": "The account has no InMail credits left. Buy more on LinkedIn, or wait for the next month.",
    "feature_not_subscribed": "This account's LinkedIn subscription doesn't include this action.",
    "subscription_required": "LinkedIn requires a paid subscription for this action.",
    "insufficient_permissions": "LinkedIn doesn't allow this account to do this.",
    "resource_access_restricted": "LinkedIn doesn't give this account access to this profile or post.",
    "session_mismatch": "This account's LinkedIn session doesn't allow this action.",
    "resource_not_found": "LinkedIn can't find this person.",
    "invalid_resource_identifier": "LinkedIn can't find this person.",
    "too_many_characters": "The text is too long for LinkedIn. Shorten it.",
    "content_too_large": "The text is too long for LinkedIn. Shorten it.",
    "invalid_message": "LinkedIn rejected this text.",
    "invalid_post": "This post can no longer be liked.",
    "feature_not_implemented": "Unipile doesn't support this action.",
}
# The network has had enough of this kind of action for now.
ENOUGH = {
    "cannot_resend_yet": "LinkedIn's connection request limit has been reached for now.",
    "cannot_resend_within_24hrs": "LinkedIn's connection request limit has been reached for now.",
    "limit_exceeded": "This account has reached a LinkedIn limit.",
    "connection_limit_reached": "This account has reached LinkedIn's connection limit.",
    "limit_too_high": "This account has reached a LinkedIn limit.",
}
LATER = {"no_client_session", "no_channel", "no_handler", "network_down", "service_unavailable"}


class AlreadyInvited(Refused):
    """An invitation to this person is open."""


def failure(status: int, headers: Mapping[str, str], body: bytes, *, once: bool) -> ProviderError:
    """Return the error of a status. `once`: the request would have changed something, and perhaps has."""
    kind, detail = said(body)
    if kind == "already_connected":
        return AlreadyConnected("Already connected.")
    if kind == "already_invited_recently":
        return AlreadyInvited("A connection request to this person is pending.")
    if kind in SIGN_IN_AGAIN:
        return LoggedOut(f"{SIGN_IN_AGAIN[kind]} Sign in again.")
    if kind in PROVE_YOURSELF:
        return LoggedOut(PROVE_YOURSELF[kind], challenged=True)
    if kind in ENOUGH:
        return Throttled(ENOUGH[kind], _rest(headers, detail))
    if kind in NOT_POSSIBLE:
        return Refused(NOT_POSSIBLE[kind])
    return _by_status(status, headers, kind, detail, once)


def _by_status(status: int, headers: Mapping[str, str], kind: str, detail: str, once: bool) -> ProviderError:
    if status == 401:
        return Throttled(KEY_REFUSED, QUARTER)
    if status == 402:
        return Throttled("Your Unipile subscription needs payment.", DAY // 24)
    if status == 429:
        return Throttled(BUSY, retry_after(headers) or QUARTER)
    if status == 503 and kind in LATER:
        return Unreachable("Unipile can't reach LinkedIn right now.")
    if status >= 500 or status == 408:
        # Behind a gateway that gave up, or a fault in the middle, it may have happened all the same.
        sentence = f"Unipile returned {status} ({kind or 'no reason given'})."
        return Unknown(sentence) if once else Unreachable(sentence)
    if 300 <= status < 400:
        return Unreachable("Unipile redirected the request. Check Unipile's address in Settings → Services.")
    return Refused(f"Unipile rejected the request ({status}): {detail or kind or 'no reason given'}".rstrip(".") + ".")


def said(body: bytes) -> tuple[str, str]:
    """Return an error's type without its prefix, and its detail, from any of the known shapes."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return "", ""
    if isinstance(found, dict) and isinstance(found.get("error"), dict):
        found = found["error"]
    if not isinstance(found, dict):
        return "", ""
    kind = next((found[name] for name in ("type", "code") if isinstance(found.get(name), str)), "")
    words = next((found[name] for name in ("detail", "message", "title") if isinstance(found.get(name), str)), "")
    return kind.rpartition("/")[2].lower(), text.shorten(text.squeeze(words), LONGEST_DETAIL)


def _rest(headers: Mapping[str, str], detail: str) -> int:
    """Return the seconds to wait: as stated, until Monday for a weekly limit, else a day."""
    if told := retry_after(headers):
        return told
    if "week" in detail.lower():
        now = clock.now()
        monday = (now + timedelta(days=7 - now.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
        return int((monday - now).total_seconds())
    return DAY


def retry_after(headers: Mapping[str, str]) -> int:
    """Return the seconds of Retry-After, which may also be a date; 0 without one."""
    written = headers.get("retry-after", "").strip()
    if written.isascii() and written.isdigit():
        return min(int(written[:9]), 30 * DAY)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0, min(int((parsedate_to_datetime(written) - clock.now()).total_seconds()), 30 * DAY))
    return 0
