"""Reasons why something waits or ended: one table of codes for pages, API and logs."""

from dataclasses import dataclass, field
from datetime import datetime

# who has to act: no one (time passes), you (the workspace), them (the person), network
REASONS: dict[str, tuple[str, str]] = {
    "ready": ("Due on the sender's next turn", "nobody"),
    "queued": ("In the sender's queue", "nobody"),
    "not_due": ("Waiting until the next step is due", "nobody"),
    "gap": ("Short pause between the sender's actions", "nobody"),
    "pace": ("Actions are spread over working hours", "nobody"),
    "sender_hours": ("Outside working hours", "nobody"),
    "campaign_hours": ("Outside the campaign's hours", "nobody"),
    "recipient_hours": ("Outside the campaign's hours in the person's time zone", "nobody"),
    "sender_holiday": ("A public holiday in the sender's country", "nobody"),
    "inbox_unread": ("An inbox the person may have replied to can't be read", "nobody"),
    "recipient_holiday": ("A public holiday in the person's country", "nobody"),
    "blackout": ("A blackout date", "nobody"),
    "sender_away": ("The sender is away", "nobody"),
    "new_per_day": ("Daily limit of new people reached", "nobody"),
    "recipient_never_open": (
        "The campaign's hours in the person's time zone never overlap with the sender's working hours",
        "you",
    ),
    "never_open": ("The sender's working hours and the campaign's hours never overlap", "you"),
    "before_start": ("The campaign starts later", "nobody"),
    "ends_before": ("The campaign ends before this can be done", "nobody"),
    "daily_limit": ("Daily limit reached", "nobody"),
    "all_limit": ("Daily limit for all actions reached", "nobody"),
    "weekly_limit": ("Weekly connection request limit reached", "nobody"),
    "kept_for_openers": ("The rest of today's limit is reserved for first contacts", "nobody"),
    "limit_zero": ("The sender's limit for this is 0", "you"),
    "low_acceptance": ("Connection requests paused: too few accepted", "you"),
    "pending_invites": ("Too many pending connection requests; the oldest are withdrawn first", "nobody"),
    "network_limit": ("LinkedIn or the mail server asked this sender to slow down", "network"),
    "awaiting_accept": ("Waiting for the connection request to be accepted", "them"),
    "awaiting_approval": ("Draft waiting for your approval", "you"),
    "awaiting_reply": ("All steps done; a reply may still come", "them"),
    "awaiting_people": ("Waiting for new people to join", "nobody"),
    "in_flight": ("In progress; checking the outcome", "nobody"),
    "task_open": ("Waiting for a task to be done by hand", "you"),
    "unknown_outcome": ("We couldn't confirm the last action. Check what was sent, then resume.", "you"),
    "out_of_office": ("Out of office", "them"),
    "missing_value": ("A variable is empty and has no fallback", "you"),
    "broken_text": ("The step's text is invalid or empty for this person", "you"),
    "too_long": ("The text is too long with the variables filled in", "you"),
    "no_account": ("No sender assigned", "you"),
    "account_inactive": ("Sender switched off", "you"),
    "account_disconnected": ("Sender disconnected", "you"),
    "account_challenged": ("The sender needs a security check", "you"),
    "account_connecting": ("The sender is still connecting", "nobody"),
    "campaign_draft": ("The campaign has not started", "you"),
    "campaign_scheduled": ("The campaign starts later", "nobody"),
    "campaign_starting": ("People are being enrolled", "nobody"),
    "campaign_paused": ("Campaign paused", "you"),
    "campaign_locked": ("The workspace can't contact people right now", "you"),
    "campaign_ended": ("Campaign ended", "nobody"),
    "paused_by_you": ("Paused by you or a teammate", "you"),
    "wrote_by_hand": ("You wrote to the person manually", "you"),
    "excluded_by_you": ("Excluded by you or a teammate", "nobody"),
    "stopped_by_you": ("Stopped by you or a teammate", "nobody"),
    "replied": ("Replied", "nobody"),
    "replied_elsewhere": ("Replied elsewhere (marked by hand)", "nobody"),
    "meeting_booked": ("Booked a meeting", "nobody"),
    "met": ("Met (marked by hand)", "nobody"),
    "said_not_now": ("Asked to be contacted later (marked by hand)", "nobody"),
    "colleague_replied": ("A colleague replied", "nobody"),
    "said_no": ("Said no", "nobody"),
    "asked_to_wait": ("Asked to be contacted later", "them"),
    "replied_before": ("Replied before", "nobody"),
    "contacted_lately": ("Recently contacted by another campaign or by hand", "nobody"),
    "customer": ("A customer in your CRM", "nobody"),
    "open_deal": ("An open deal in your CRM", "nobody"),
    "in_excluded_list": ("On a list this campaign leaves out", "nobody"),
    "in_excluded_campaign": ("In another campaign that this one leaves out", "nobody"),
    "has_excluded_tag": ("Has a tag this campaign leaves out", "nobody"),
    "company_contacted": ("A colleague was contacted recently", "nobody"),
    "company_held": ("Someone else at the company replied. Decide whether to continue.", "you"),
    "not_handed_over": ("Couldn't continue with the sender that a colleague replied to", "you"),
    "touch_cap_day": ("Already contacted today; the next contact waits", "nobody"),
    "touch_cap": ("Contact limit reached; the next contact waits", "nobody"),
    "company_full": ("Maximum people per company at once reached (contact rules)", "nobody"),
    "no_reply": ("All steps done, no reply", "nobody"),
    "all_skipped": ("All steps were skipped", "nobody"),
    "no_step": ("No step applies to this person", "nobody"),
    "not_accepted": ("Connection request not accepted in time and withdrawn", "nobody"),
    "no_email": ("No email address", "you"),
    "no_profile": ("Only an email address is known. Add a profile link.", "you"),
    "skipped_by_you": ("Skipped by you or a teammate", "nobody"),
    "expired": ("Approval expired after 14 days", "nobody"),
    "draft_expired": ("The draft expired after 14 days. Resume to get a new draft.", "you"),
    "without_note": ("Sent without a note: no personal notes left this month", "nobody"),
    "overtaken": ("Replaced by a newer step", "nobody"),
    "refused": ("Rejected by LinkedIn or the mail server", "nobody"),
    "bounced": ("Email bounced", "nobody"),
    "gone": ("No longer at this company or address", "nobody"),
    "opt_out_question": ("The person may have opted out. Decide in Tasks.", "you"),
    "undeliverable": ("Email address doesn’t work", "nobody"),
    "never_contact": ("On the do-not-contact list", "nobody"),
    "active_elsewhere": ("Already in another running campaign", "nobody"),
    "same_person": ("The same person is already in this campaign", "nobody"),
    "possible_duplicate": ("Someone with the same name and company is in a campaign. Compare, or resume.", "you"),
    "other_conversation": ("Already in conversation with another sender", "nobody"),
    "idle": ("No work waiting for this sender", "nobody"),
}

OF_RECIPIENTS = (
    "recipient_hours",
    "recipient_holiday",
    "recipient_never_open",
    "inbox_unread",
)  # why one person waits, not a sender
OF_CAPS = ("touch_cap_day", "touch_cap", "company_full")  # why the check before a send postponed a person
OF_TEXTS = ("missing_value", "broken_text", "too_long")  # which another value, or another text, can mend


# What ends the wait, to stand behind its time; with the name of the sender.
_ENDS_WHEN = {
    "daily_limit": "{}’s daily limit allows more",
    "all_limit": "{}’s daily limit allows more",
    "weekly_limit": "{}’s weekly limit allows more",
    "sender_hours": "{}’s working hours begin",
    "sender_away": "{} is back",
}


@dataclass(frozen=True)
class WaitReason:
    """Why something waits: the code, its sentence, not before when, and who must act."""

    code: str
    until: datetime | None = None
    detail: str = ""
    sender: str = field(default="", compare=False)  # whose limit or hours these are, where it is not plain

    @property
    def then(self) -> str:
        """Return what stands behind the time: “, when Ada’s daily limit allows more”, or else the sentence."""
        if self.code not in _ENDS_WHEN:
            return f". {self.sentence}"
        return f", when {_ENDS_WHEN[self.code].format(self.sender or 'the sender')}"

    @property
    def sentence(self) -> str:
        """Return the reason as a sentence."""
        return self.detail or REASONS[self.code][0]

    @property
    def who(self) -> str:
        """Return who can change it: no one, you, them or network."""
        return REASONS[self.code][1]

    @property
    def needs_you(self) -> bool:
        """Return whether a member has to decide something, other than to end a pause that they chose."""
        return self.who == "you" and self.code not in ("campaign_paused", "paused_by_you")
