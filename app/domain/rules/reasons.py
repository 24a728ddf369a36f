"""Why something waits or ended: one table of codes, so that every page, answer and log says it in the same words."""

from dataclasses import dataclass
from datetime import datetime

# who has to act: nobody (time passes), you (somebody of the workspace), them (the person), network
REASONS: dict[str, tuple[str, str]] = {
    "ready": ("The next step is due on the sender's next turn.", "nobody"),
    "queued": ("The sender does one thing at a time; others are first.", "nobody"),
    "not_due": ("The wait before the next step has not passed.", "nobody"),
    "gap": ("The sender pauses a few minutes between actions.", "nobody"),
    "sender_hours": ("The sender's working hours are over.", "nobody"),
    "campaign_hours": ("The campaign's hours are over.", "nobody"),
    "never_open": ("The sender's working hours and the campaign's hours never overlap.", "you"),
    "before_start": ("The campaign starts later.", "nobody"),
    "ends_before": ("The campaign ends before this can be done.", "nobody"),
    "daily_limit": ("The sender has done as much of this as is safe in 24 hours.", "nobody"),
    "all_limit": ("The sender has done as much as is safe in 24 hours.", "nobody"),
    "weekly_limit": ("The sender has sent as many invitations as is safe in 7 days.", "nobody"),
    "kept_for_openers": ("The rest of today's limit is kept for people not contacted yet.", "nobody"),
    "limit_zero": ("The sender's limit for this is 0.", "you"),
    "low_acceptance": ("Too few invitations were accepted lately, so no more go out.", "you"),
    "pending_invites": ("Too many invitations are still open; older ones are withdrawn first.", "nobody"),
    "network_limit": ("The network asked this sender to slow down.", "network"),
    "awaiting_accept": ("Waiting for the invitation to be accepted.", "them"),
    "awaiting_approval": ("The next message is written and waits for your approval.", "you"),
    "awaiting_reply": ("All steps are done; an answer may still come.", "them"),
    "in_flight": ("The action was begun; its outcome is being checked.", "nobody"),
    "unknown_outcome": ("The network did not confirm the last action. Look there, then resume.", "you"),
    "out_of_office": ("They are away.", "them"),
    "missing_value": ("A variable has no value for this person and no fallback.", "you"),
    "too_long": ("The text is too long once the variables are filled in.", "you"),
    "no_account": ("No sender is assigned.", "you"),
    "account_inactive": ("The sender is switched off.", "you"),
    "account_disconnected": ("The sender is disconnected.", "you"),
    "account_challenged": ("The network wants proof that a person uses this account.", "you"),
    "account_connecting": ("The sender is still connecting.", "nobody"),
    "campaign_draft": ("The campaign has not been started.", "you"),
    "campaign_scheduled": ("The campaign starts later.", "nobody"),
    "campaign_starting": ("People are still being enrolled.", "nobody"),
    "campaign_paused": ("The campaign is paused.", "you"),
    "campaign_locked": ("The workspace may not contact people now.", "you"),
    "campaign_ended": ("The campaign has ended.", "nobody"),
    "paused_by_you": ("Paused by somebody of this workspace.", "you"),
    "wrote_by_hand": ("You wrote by hand.", "you"),
    "excluded_by_you": ("Left out by somebody of this workspace.", "nobody"),
    "stopped_by_you": ("Stopped by somebody of this workspace.", "nobody"),
    "replied": ("They answered.", "nobody"),
    "colleague_replied": ("A colleague of theirs answered.", "nobody"),
    "no_reply": ("All steps were done without an answer.", "nobody"),
    "not_accepted": ("The invitation was not accepted in 21 days and was withdrawn.", "nobody"),
    "no_email": ("There is no e-mail address to write to.", "you"),
    "no_profile": ("Nothing but their address is known, and no step is an e-mail.", "you"),
    "skipped_by_you": ("Skipped by somebody of this workspace.", "nobody"),
    "expired": ("Nobody decided about it in 14 days.", "nobody"),
    "overtaken": ("The steps of the campaign changed, so it is not said any more.", "nobody"),
    "refused": ("The network refused it for this person.", "nobody"),
    "bounced": ("The e-mail could not be delivered.", "nobody"),
    "undeliverable": ("The address that was bought takes no mail any more.", "nobody"),
    "never_contact": ("On the never-contact list.", "nobody"),
    "active_elsewhere": ("Already in another running campaign.", "nobody"),
    "other_conversation": ("Another sender is already in conversation with them.", "nobody"),
    "idle": ("Nothing is waiting for this sender.", "nobody"),
}


@dataclass(frozen=True)
class WaitReason:
    """Why something waits: the code, its sentence, not before when, and who must act."""

    code: str
    until: datetime | None = None
    detail: str = ""

    @property
    def sentence(self) -> str:
        """For a person to read."""
        return self.detail or REASONS[self.code][0]

    @property
    def who(self) -> str:
        """nobody, you, them or network."""
        return REASONS[self.code][1]
