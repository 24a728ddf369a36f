"""What Unipile's refusals mean for us: each error of its contract is one of our failures, with a sentence."""

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

KEY_REFUSED = "Unipile does not accept the API key. Replace it in the settings, under Services."
BUSY = "Unipile takes no more calls for this account just now."

# The network wants a human; the account does nothing until then.
SIGN_IN_AGAIN = {
    "disconnected_account": "The network has signed this account out.",
    "expired_credentials": "The sign-in of this account has expired.",
    "invalid_credentials": "The network does not accept the password of this account any more.",
    "multiple_sessions": "The account is signed in elsewhere too, and the network ended this session.",
    "wrong_account": "Somebody else was signed in instead of this account.",
    "disconnected_feature": "A product of this account, such as Sales Navigator, has been signed out.",
    "invalid_account": "Unipile does not know this account any more.",
}
PROVE_YOURSELF = {
    "checkpoint_error": "The network wants proof that a person uses this account.",
    "account_restricted": "The network has restricted this account. Look there what it asks for.",
}
# Final for this person.
NOT_POSSIBLE = {
    "no_connection_with_recipient": "They are not a connection of this account, so it cannot write to them.",
    "invalid_recipient": "The network does not take anything for this person.",
    "blocked_recipient": "This person cannot be reached: one of both has blocked the other.",
    "cannot_invite_attendee": "The network does not let this account invite this person.",
    "user_unreachable": "The network does not let this account reach this person.",
    "not_allowed_inmail": "This person takes no InMail.",
    "insufficient_credits": "The account has no InMail credits left.",
    "feature_not_subscribed": "The account's subscription to the network does not include this.",
    "subscription_required": "The network asks for a paid subscription for this.",
    "insufficient_permissions": "The account may not do this.",
    "resource_access_restricted": "The network does not show this to the account.",
    "session_mismatch": "The account's present session may not do this.",
    "resource_not_found": "The network does not know this person, or not any more.",
    "invalid_resource_identifier": "The network does not know this person, or not any more.",
    "too_many_characters": "The text is too long for the network.",
    "content_too_large": "The text is too long for the network.",
    "invalid_message": "The network does not take this text.",
    "invalid_post": "The post cannot be liked any more.",
    "feature_not_implemented": "Unipile cannot do this.",
}
# The network has had enough of this kind of action for now.
ENOUGH = {
    "cannot_resend_yet": "The network lets this account send no more invitations for now.",
    "cannot_resend_within_24hrs": "The network lets this account send no more invitations for now.",
    "limit_exceeded": "The account has reached a limit of the network.",
    "connection_limit_reached": "The account has as many connections as the network allows.",
    "limit_too_high": "The account has reached a limit of the network.",
}
LATER = {"no_client_session", "no_channel", "no_handler", "network_down", "service_unavailable"}


class AlreadyInvited(Refused):
    """An invitation to this person is open."""


def failure(status: int, headers: Mapping[str, str], body: bytes, *, once: bool) -> ProviderError:
    """What a refusal means. `once`: the request would have changed something, and perhaps has."""
    kind, detail = said(body)
    if kind == "already_connected":
        return AlreadyConnected("They are connected already.")
    if kind == "already_invited_recently":
        return AlreadyInvited("An invitation to them is open.")
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
        return Throttled("Unipile asks for its subscription to be paid.", DAY // 24)
    if status == 429:
        return Throttled(BUSY, retry_after(headers) or QUARTER)
    if status == 503 and kind in LATER:
        return Unreachable("The network cannot be reached through Unipile just now.")
    if status >= 500 or status == 408:
        # Behind a gateway that gave up, or a fault in the middle, it may have happened all the same.
        sentence = f"Unipile answered {status} ({kind or 'without a reason'})."
        return Unknown(sentence) if once else Unreachable(sentence)
    if 300 <= status < 400:
        return Unreachable("Unipile sent us elsewhere. Check its address in the settings.")
    return Refused(f"Unipile refused it ({status}): {detail or kind or 'without a reason'}".rstrip(".") + ".")


def said(body: bytes) -> tuple[str, str]:
    """The type of an error without its prefix, and its detail, in whichever of the known shapes it comes."""
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
    """Seconds until the network may take more: as it says, until Monday when it speaks of a week, else a day."""
    if told := retry_after(headers):
        return told
    if "week" in detail.lower():
        now = clock.now()
        monday = (now + timedelta(days=7 - now.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
        return int((monday - now).total_seconds())
    return DAY


def retry_after(headers: Mapping[str, str]) -> int:
    """The seconds of Retry-After, which may also be a date; 0 when it says nothing."""
    written = headers.get("retry-after", "").strip()
    if written.isascii() and written.isdigit():
        return min(int(written[:9]), 30 * DAY)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0, min(int((parsedate_to_datetime(written) - clock.now()).total_seconds()), 30 * DAY))
    return 0
