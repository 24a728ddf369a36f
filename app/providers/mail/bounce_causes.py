"""Judge why an email bounced, from a mail server's status and words: a dead address, the sender's fault, or neither.

Only a server that says that the address or its domain isn't there makes it a dead one. What is the sender's fault
(reputation, sign-in, signatures, rates, content taken for spam) says nothing about the person. When several things are
said, the sender's fault counts first, then what may pass (a full mailbox, an outage), then the dead address.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    """`gone` when the address does not exist, `ours` when the sender has to change something; `known` if either."""

    gone: bool = False
    ours: bool = False
    known: bool = True


LONGEST = 4000  # signs of a server's words
GONE, OURS, PASSING, UNSAID = Cause(gone=True), Cause(ours=True), Cause(), Cause(known=False)


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE)


# A code with its own words is surer than any of the words around it.
_SURELY_GONE = _any(
    r"recipient address rejected: access denied",
    r"\b5\.[12]\.\d+ .{0,80}\buser unknown\b",
    r"recipient\s?not\s?found",
    r"\b5\.1\.(6|10)\b",
    r"\b5\.1\.1 .{0,90}\binactive e-?mail address",
    r"\bhost [\w.-]{1,255} not found(?!, try again)",
    r"p=nosuchuser",
    r"user unknown in (virtual|local|relay|\w+ (alias|mailbox|recipient))",
    r"(unknown|invalid|no such) (user|recipient|mailbox)\W.{0,80}\bin reply to rcpt",
)
# Their mailbox is there and takes nothing now.
_THEIRS = _any(
    r"(user|account|mailbox|recipient|recipient address|compte)\W.{0,60}\b(disabled|locked|suspended|bloque"
    r"|is blocked|frozen|is full|over ?quota|inactive)",
    r"(disabled|suspended|inactive|frozen) (recipient|user|account|mailbox)",
    r"(recipient.{0,20} mailbox|mailbox|quota)\b.{0,30}\bexceed\w*",
    r"mail(box)? size limit",
    r"message size",
    r"line (length|limit)",
    r"(mailbox|mail ?box|inbox|account|quota|storage)\W.{0,40}\bfull\b",
    r"(postfach|mailbox)\b.{0,30}\b(voll|vol)\b",
    r"bo[iî]te .{0,30}pleine",
    r"buz[oó]n .{0,20}lleno",
    r"casella .{0,20}piena",
    r"caixa .{0,20}cheia",
)
_OURS = _any(
    r"\bspf\b",
    r"\bdkim\b(?!-signature)",
    r"\bdmarc\b",
    r"domainkeys",
    r"\barc\b failed",
    r"(un|not )authenticated",
    r"authenticat\w* (is |was )?(required|failed|fails|failure|checks?|results?|policy)",
    r"unauthori[sz]ed",
    r"sender'?s? (address |domain |host |id |server |ip )?(was |is |has been )?(rejected|denied|refused"
    r"|blocked|black-?listed|banned|not |unknown|verif\w+|callout|policy|reject|must|isn|in )",
    r"(domain|address) of (the )?sender",
    r"return path",
    r"mail from\b.{0,40}(rejected|denied|not )",
    r"bad sender",
    r"invalid sender",
    r"(?<!is )(?<!account )block(ed|ing|s)?\b",
    r"(ip|host|domain|address|network|server|mail from|message|connection)\b.{0,40}\bblock(ed|s|ing)?\b",
    r"black-?\s?list\w*",
    r"block-?\s?list\w*",
    r"\bd?n?s?[rd]bls?\b",
    r"spamhaus\w*",
    r"spamcop",
    r"sorbs",
    r"abuseat",
    r"senderbase",
    r"cloudmark",
    r"senderscore",
    r"uceprotect",
    r"\bbanned\b",
    r"access list",
    r"reputation",
    r"complaint",
    r"not in whitelist",
    r"abus(e|ive)\b",
    r"reverse[- ](dns|lookup|name|host|mapping)",
    r"\bptr\b",
    r"\brdns\b",
    r"(no|missing|invalid|bad) (dns )?(a |mx )?record.{0,30}sender",
    r"cannot find your (reverse )?hostname",
    r"does not resolve",
    r"doesn'?t resolve",
    r"resolve your",
    r"(client|helo|ehlo|your|sending|source|originating) (mail )?(host|domain|hostname|address|ip|server"
    r"|network|message was (blocked|rejected))",
    r"(after|in reply to|response to) (the |initial )?(mail from|helo|ehlo|connection)",
    r"relay(ing)?\b.{0,30}(denied|not|prohibit|access|disallow|refus)",
    r"(unable|not permitted|not allowed|cannot|refus\w*) (to )?relay",
    r"\bspam\w*",
    r"\bjunk\b",
    r"unsolicited",
    r"\bbulk\b",
    r"virus\w*",
    r"malware",
    r"infected",
    r"phish\w*",
    r"content filter",
    r"trojan",
    r"worm\b",
    r"polic(y|ies)\b",
    r"protocol violation",
    r"security (reasons?|policy|violation|settings)",
    r"for security",
    r"too many (recipients|connections|messages|concurrent|invalid|unknown|bad|emails|mails|simultaneous"
    r"|errors|sessions)",
    r"rate[- ]?limit\w*",
    r"\brates?\b",
    r"throttl\w*",
    r"too (fast|frequent|much mail|quickly)",
    r"(sending|message|hourly|daily) limits?",
    r"out of quota",
    r"(rate|connection|recipient|hourly|daily|sending|message) limit exceeded",
    r"exceeded .{0,30}(rate|limit|max\w* (number|connections))",
    r"exceeding",
    r"slow down",
    r"bursts?",
    r"\b(ip|host|client|server|helo|ehlo|network)\b[^.\n]{0,60}(not (allowed|permitted|authorized)|denied"
    r"|rejected|refused|prohibited|invalid)",
    r"access (is )?denied",
    r"not (allowed|permitted|authori[sz]ed) to send",
    r"permission to send",
    r"not verified",
    r"not a member",
    r"rfc ?\d{4}",
    r"non-?compliant",
    r"not compliant",
    r"(rejected|refused)\b.{0,20}\b(by|due to|because of) .{0,30}(filter|content|policy)",
    r"not accept(ing|ed)? (\w+ )?(mail|connections?|messages?|e-?mail)s? from (your|this|the|dynamic|ip|open)",
    r"\b[45]\.7\.(?!17\b)\d+\b",
    r"\b[45]\.1\.[78]\b",
    r"spamming",
    r"\bbadly\b",
    r"message looks like",
    r"missing (\w+ )?header",
    r"bounce rate",
    r"mismatch\w* (client|with)",
    r"\(bl\)",
    r"\[?\bbl\d{3}",
    r"not be open to posting",
    r"permission to post",
)
_PASSING = _any(
    r"\b5\.2\.[23]\b",
    r"\b5\.3\.4\b",
    r"(?<![\d.])552[ -]",
    r"quota",
    r"(mailbox|mail ?box|inbox|account|store|disk|storage|recipient)\W.{0,60}\b(full|exceed\w*)\b",
    r"full mail ?box",
    r"box full",
    r"mailfolder is full",
    r"too (large|big|long)",
    r"(message|max\w*) (file |message )?size",
    r"insufficient",
    r"disk",
    r"storage",
    r"no space",
    r"not enough",
    r"over ?quota",
    r"tempor\w+",
    r"try (again )?later",
    r"try again in",
    r"timed? ?out",
    r"time-?out",
    r"expired",
    r"retr(y|ies)",
    r"gr[ae]y-?list\w*",
    r"deferred",
    r"unreachable",
    r"lost connection",
    r"(connection|network) (refused|reset|error|is unreachable|timed|dropped|was)",
    r"no route",
    r"server failure",
    r"name server reply",
    r"servfail",
    r"misbehaving",
    r"lookup (failed|failure|error)",
    r"hostname lookup",
    r"dns (problem|time)",
    r"could not connect",
    r"can.?t connect",
    r"connect\w* to .{0,60}(failed|refused)",
    r"disabled",
    r"suspended",
    r"temporar\w+ locked",
    r"account\W.{0,30}\b(is )?(locked|bloqu\w+|blocked)",
    r"inactive",
    r"frozen",
    r"locked",
    r"de-?activated",
    r"discontinued",
    r"not active",
    r"expire[ds]?",
    r"on hold",
    r"dormant",
    r"account .{0,20}closed",
    r"\bloop\w*",
    r"hop count",
    r"too many hops",
    r"forwarding",
    r"resources",
    r"(un|not |could ?n.t be )(able to |be )?(open|creat|writ|lock)\w*",
    r"couldn'?t create",
    r"i/o error",
    r"config(uration)? error",
    r"(system|internal|local|unexpected) (\w+ )?error",
    r"(?<!\.\.\. )service (\w+ )?(un|not )available",  # Sendmail ends any refusal with "... Service unavailable"
    r"transaction failed",
    r"mailer error",
    r"\bpipe\b",
    r"exit (code|status)",
    r"procmail",
    r"command (line|failed|died)",
    r"attachment",
    r"duplicate",
    r"\bmime\b",
    r"line (length|limit)",
    r"size limit",
    r"limit exceeded",
    r"local limit",
    r"charset",
    r"content (rejected|error)",
    r"(message|mail) content",
    r"recipient preferences",
    r"preferences",
    r"only accepts?",
    r"prohibited",
    r"restricted",
    r"not accepting (messages|mail)",
    r"undeliverable address form",
    r"captcha",
)
_NOT_THERE = r"((does|do|did) ?(n.?t|not)|is not|not|no longer|could not be|couldn.?t be|isn.?t|wasn.?t)"
_GONE = _any(
    r"(user|recipient|address|mailbox|account|e-?mail|person|name|id|username)s?\b[^.;\n]{0,70}\b(unknown"
    r"|invalid|non-?existent|not found|not known|not listed|not exist|no longer (exists|available|valid"
    r"|active))",
    r"(unknown|invalid|non-?existent|no such|bad|illegal|incorrect|wrong|no|not a valid"
    r"|not a known) (\w+ ){0,2}(user|recipient|mailbox|mail ?drop|address(ee)?|account|person|e-?mail address"
    r"|username|local part|alias|id|destination mailbox)",
    r"(user|recipient|address|mailbox|account|domain|host|e-?mail)\b[^.;\n]{0,80}"
    + _NOT_THERE
    + r" (be )?(exist|found|known|listed|have a|valid|here|a valid|registered|recogni[sz]ed|our)",
    r"(does ?n.?t|does not|do not|don.?t) (exist|have (a|an|such|this|any))",
    r"not (our|a local) (customer|user)",
    r"no (such )?(user|mailbox|account|recipient|one) (by that name|here|with)",
    r"user .{0,60}(doesn.t|does not) (exist|have)",
    r"(host|domain)( name)?( was)? (unknown|not found|invalid|non-?existent)",
    r"unknown (host|domain)",
    r"no such (host|domain)",
    r"name or service not known",
    r"nxdomain",
    r"bad destination (host|system|mailbox)",
    r"unrout\w+ (mail )?(address|domain)",
    r"domain is not reachable",
    r"not a valid mailbox",
    r"null ?mx",
    r"no smtp service",
    r"(doesn.t|does not) receive e?-?mail",
    r"no mx found",
    r"illegal (host|domain)",
    r"(host|domain)( name)?\b.{0,60}(not found|is unknown|was unknown|not resolve|non-?existent)",
    r"address couldn.?t be found",
    r"address not found",
    r"check if address is correct",
    r"have an? [\w.-]* ?account",
    r"host unknown",
    r"does not accept (any )?(e-?)?mail",
    r"no mx",
    r"host is unable to accept mail",
    r"not accepting network messages",
    r"accepts no mail",
    r"existiert nicht",
    r"nicht gefunden",
    r"unbekannte[rn]? (empfänger|benutzer)",
    r"(adresse|destinataire|utilisateur|compte|bo[iî]te)\b.{0,40}n.existe pas",
    r"introuvable",
    r"destinataire inconnu",
    r"no existe",
    r"desconocid[oa]",
    r"non esiste",
    r"sconosciuto",
    r"bestaat niet",
    r"onbekend",
    r"não existe",
    r"не (найден|существует)",
    r"見つかりません",
    r"存在しません",
    r"リストにありません",
    r"5\d\d (5\.\d\.\d )?[^\w\n]{0,8}recipient address rejected\.?\s*(\(in reply to rcpt|$)",
    r"not our customer",
    r"mailbox unavailable",
    r"has (moved|left|changed|been (replaced|changed))",
    r"no longer (on|at|in|being|valid|used|employed|works?|available|exists?|active)",
    r"please (use|note) (my|the|our) new",
    r"new (e-?mail )?address",
    r"no longer (with|works|an? |employed|in use|on this)",
    r"address (has )?changed",
    r"user (has )?moved",
    r"not (listed|known) (in|at|on|to)",
    r"not (a |in )?(valid|directory)",
    r"can.?t find ",
    r"cannot find",
    r"unable to find",
)
_CODE = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_GONE_CODES = {("1", "1"), ("1", "2"), ("1", "3"), ("1", "6"), ("1", "10"), ("4", "4"), ("7", "17")}


def judge(status: str, why: str) -> Cause:
    """Return the cause that a status code (RFC 3463, or empty) and a server's words tell."""
    why = why[:LONGEST]
    linked = re.sub(r"(?<!//)<[^<>\s/]+>|\b[\w.+=-]{1,64}@[\w.-]{1,255}", " ", why)
    words = re.sub(r"<?\bhttps?://\S+", " ", linked)
    if _SURELY_GONE.search(why):
        return GONE
    if _THEIRS.search(words):
        return PASSING
    if _OURS.search(linked):
        return OURS
    if _PASSING.search(words):
        return PASSING
    if _GONE.search(words):
        return GONE
    return _by_code(status, why)


def _by_code(status: str, why: str) -> Cause:
    codes = [found.groups() for text in (why, status) for found in _CODE.finditer(text)]
    said = next((code for code in codes if code[1:] != ("0", "0")), None)
    if said is None:
        return UNSAID
    if said[1] == "7" and said[2] != "17":
        return OURS
    return GONE if said[0] == "5" and said[1:] in _GONE_CODES else UNSAID
