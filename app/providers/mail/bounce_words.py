"""Phrases of mail servers: sender names, bounce reasons, and unknown recipients."""

import re


def _any(*phrases: str, begin: str = "", flags: int = 0) -> re.Pattern[str]:
    return re.compile(begin + "(" + "|".join(phrases) + ")", re.IGNORECASE | flags)


POSTMAN = _any(
    r"(mailer[-_. ]?daemon|mail[-_. ]?(daemon|delivery|router)|postmaster|mdaemon|bounce[sd]?)$",
    r"(mmdf|smtp|maildeliver\w*)$",
    r"mailer-?(daemon|agent)\b",
    r"post_?master$",
    begin="^",
)
CALLED = _any("mail delivery", "mailer[- ]daemon", "postmaster", "mail(er)? administrator", "delivery sub-?system")
SUBJECT = _any(
    r"un-?deliver(ed|able)",
    r"delivery[\w ]*(fail|status|notif|error|problem|delay|report)",
    r"fail(ed|ure)[\w ]*(mail|deliver|notice)",
    r"returned (mail|to sender|e-?mail)",
    r"mail (delivery|could not|not delivered|system error|error|failed)",
    r"(not|non)[- ]?deliver",
    r"could(n'?t| not) (be )?(deliver|send)",
    r"message status - undeliverable",
    r"unzustellbar",
    r"non remis",
    r"no entregado",
    begin=r"^[*\- [(]*",
)
SUBJECT_ENDS = re.compile(
    r"\s: (non remis|undeliver(ed|able)|not delivered|unzustellbar)( \([^()]*\))?$", re.IGNORECASE
)
OPENING = _any(  # how such letters begin
    r"this is (the|an?) ([\w-]+ ){0,5}(deliver program|e-?mail server|delivery (failure|status))",
    r"this is the machine generated message from mail",
    r"your (message|e-?mail)( to \S+@\S+)? (could not be delivered|did not reach|was (automatically )?rejected)",
    r"(message|e-?mail)( that you sent| below)? (could not be|was not|not) delivered",
    r"delivery (to the following recipients?|has) (failed|was aborted)",
    r"unable to deliver (your |this )?(message|mail)",
    r"message n'a pas pu [eê]tre",
    r"konnte nicht zugestellt werden",
    r"no se ha podido entregar",
    r"created automatically by mail",
    r"your mail sent on:[^\n]{0,80}\s+could not be delivered",
)
LATER = _any(
    r"still being retried",
    r"not yet been delivered",
    r"will (be retried|keep trying|continue|retry|try)",
    r"you do not need to resend",
    r"do not need to (re-?send|take)",
    r"warning message only",
    r"has been delayed",
    r"delivery (is |has been )?delayed",
    r"no action is required",
    r"temporar(y|ily)",
    r"could not be delivered (yet|for)",
)
_FOR_GOOD = (
    r"permanent",
    r"fatal",
    r"g[ai]ve?n? up",
    r"giving up",
    r"(not|n.t) (going to|be) (try|retried|tried) again",
    r"\b5\d\d[ -]",
    r"\b5\.\d\.\d",
    r"unknown",
    r"no such",
    r"returned",
    r"after \d+ attempt",
    r"delivery fail",
)
FOR_GOOD = _any(*_FOR_GOOD)
SAYS_SO = _any(*_FOR_GOOD, r"could not be delivered", r"pas pu [eê]tre", r"nicht zugestellt")
COPY = _any(  # from here on a letter holds what was sent
    r"[> \t|]{0,20}(received|return-path|message-id|mime-version|x-[\w-]+|dkim-signature)\s?:",
    r"[^\w\n]{0,80}(this is a copy of|below this line|original message follows|unsent message"
    r"|message headers? follows?|(the )?header of the original message|your message (follows|was as follows)"
    r"|start of (returned|original)"
    r"|undelivered message|message text follows|headers? (of|follow)|here is the message i tried)",
    r"[^\w\n]{0,80}(the )?(text of )?(the )?(original|returned) message"
    r"( (follows|text|body|headers?|is|was as follows|attached).*|:?)$",
    begin="^",
    flags=re.MULTILINE,
)
OTHERS = _any(  # an address next to these is not the recipient's: the author, support
    r"(?<!generated )\bfrom\b",
    r"sender",
    r"contact",
    r"assist",
    r"help",
    r"questions?",
    r"support",
    r"reply[- ]to",
    r"(send|e-?mail|write) (mail |a message )?to\b",
    r"postmaster",
    r"complain",
    r"\bcc:",
    r"webmaster",
)
LISTED = _any(r"\brecipients?\b", r"\bfollowing\b")
NAME = re.compile(r"[ \t]+([\w.+-]{2,64})([ \t]{2,}.*)?$")
RECIPIENT = re.compile(rb"(?i)rcpt to:[ \t]*<?([^\s<>]{3,320})")
TO = re.compile(rb"(?im)^[> \t]{0,20}to:[ \t]*([^\r\n]{3,500})")
COMPLAINED = re.compile(
    rb"(?im)^(?:Original-Rcpt-To|Removal-Recipient|X-HmXmrOriginalRecipient):[ \t]*<?([^\s<>]{3,320})"
)
AUTHENTICATION = re.compile(rb"(?im)^Feedback-Type:[ \t]*auth-failure")
ACCEPTED = re.compile(r"[<\s]{0,8}2\d\d[ -]")  # a server's yes says nothing of what failed
FINAL_ANSWER = re.compile(r"(?<![\d.])5\d\d[ -]|(?<![\d.])#?5\.\d{1,3}\.\d{1,3}(?![\d.])")
ANSWER = re.compile(
    r"(?<![\d.])[45]\d\d[ -]|(?<![\d.])#?[45]\.\d{1,3}\.\d{1,3}(?![\d.])|\bsaid:|response was|reason:", re.IGNORECASE
)
