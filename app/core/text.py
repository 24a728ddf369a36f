"""Normalize text that people type, so that equal things are spelled equally."""

import re
import unicodedata
from contextlib import suppress
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from email_validator import EmailNotValidError, validate_email

LONGEST_NAME = 200  # characters of the name of a list, a campaign, a key and the like
LONGEST_EMAIL = 254
LARGEST = 2**63 - 1  # the largest number that a column of ids holds
_BROKEN = re.compile("[\0\ud800-\udfff]")  # NUL, and lone surrogates, with which a truncated text may end
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")  # some scripts have no spaces
_PLAIN_EMAIL = re.compile(
    r"(?=[^@]{1,64}@)[a-z0-9]+(?:[._+-][a-z0-9]+)*"
    r"@(?:(?=[a-z0-9-]{1,63}\.)[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,63}"
)
_HOST = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,62}")
_SAME_HOST = {
    "googlemail.com": "gmail.com",
    "pm.me": "proton.me",
    "protonmail.com": "proton.me",
    "me.com": "icloud.com",
}
_SAME_HOST |= {"mac.com": "icloud.com", "protonmail.ch": "proton.me", "ya.ru": "yandex.ru", "yandex.com": "yandex.ru"}
_PLUS_HOSTS = {"gmail.com", "outlook.com", "hotmail.com", "live.com", "icloud.com", "proton.me", "fastmail.com"}
_PLUS_HOSTS |= {"yandex.ru", "zoho.com", "msn.com", "hey.com", "tuta.com", "posteo.de", "mailbox.org"}
_PROFILE = re.compile(r"https?://[a-z0-9.-]+/in/([a-z0-9-]+)/?")
_PROFILE_PATHS = {"in", "pub", "profile", "people", "person", "sales", "talent", "lead", "mwlite", "m", "comm"}
_NAMING_PATHS = {"in", "pub"}  # whatever follows names a person
_OTHER_PATHS = set(
    "company school showcase groups events jobs feed posts search login signup view list lists saved-searches home "
    "account accounts hire projects inbox messaging mynetwork notifications learning pulse".split()
)
# Soft hyphens, zero-width characters and marks of direction, which come along when text is copied.
_INVISIBLE = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2063\u2066\u2067\u2068\u2069\ufeff"
)
_NOT_SHOWN = str.maketrans("", "", _INVISIBLE)
_LEGAL_FORMS = re.compile(
    r"(?<!\s)[,.]?\s+(inc|llc|ltd|limited|gmbh|ag|ug|s\.?a\.?|s\.?a\.?s|s\.?r\.?l|b\.?v|n\.?v|oy|ab|as|aps|plc|corp|co|kg|pty"
    r"|corporation|company|sp\.? z o\.?o|s\.?r\.?o|kft|ltda)\.?$",
    re.IGNORECASE,
)
# A spreadsheet runs a cell that begins with one of these, full-width forms and control characters included.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
_INNER_FORMULA = re.compile(r"([;\t\r\n])(?=['\"]*[=+\-@＝＋－＠])")
_INNER_ESCAPED = re.compile(r"([;\t\r\n])'(?=['\"]*[=+\-@＝＋－＠])")


def is_text(value: str) -> bool:
    """Return whether a database can store it: no NUL and no lone surrogate."""
    return _BROKEN.search(value) is None if not value.isascii() else "\0" not in value


def whole(text: str) -> str:
    """Replace each character that no database can store."""
    return _BROKEN.sub("�", text)


def squeeze(text: str) -> str:
    """Return `text` in NFC with single spaces and none at the ends."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def name_problem(name: str) -> str:
    """Return what is wrong with a name, as a sentence; '' when it is valid."""
    fits = 1 <= len(name) <= LONGEST_NAME and is_text(name)
    return "" if fits else f"Enter a name of 1 to {LONGEST_NAME} characters."


def number(written: str, otherwise: int = 0, most: int = LARGEST) -> int:
    """Return the whole number up to `most` written in plain digits, else `otherwise`."""
    given = int(written) if written.isascii() and written.isdigit() and len(written) < 20 else -1
    return given if 0 <= given <= most else otherwise


def decimal(written: str, otherwise: float = 0) -> float:
    """Return the number written in plain digits, with a point or without, else `otherwise`; a whole one is an int."""
    whole, _, part = written.partition(".")
    if not (whole + part).isascii() or not (whole + part).isdigit() or len(written) > 20:
        return otherwise
    found = float(written)
    return int(found) if found.is_integer() else found


def spellings(word: str) -> set[str]:
    """Return upper- and lower-case spellings for a search: SQLite folds the case of ASCII letters only."""
    return {word} if word.isascii() else {word, word.casefold(), word.upper(), word.title()}


def words(text: str, most: int = 1000) -> list[str]:
    """Return the distinct words of `text` for a search: without case, accents and punctuation around them."""
    if text.isascii():
        plain = text.lower()
    else:
        spread = unicodedata.normalize("NFKD", text.casefold())
        plain = "".join(sign for sign in spread if not unicodedata.combining(sign))
    return list(dict.fromkeys(word[:40] for word in _WORD.findall(plain)))[:most]


def public_id(text: str) -> str:
    """Return the normalized public id of a profile URL or a bare id; '' when there is none.

    Scheme, host, query, case, escapes and a trailing slash do not matter: `https://www.x.com/in/Ada-L%C3%B6/?a=1` and
    `ada-lö` are the same person. The page of a company, a group or a post has none.
    """
    if usual := _PROFILE.fullmatch(text):
        return usual[1]
    text = unicodedata.normalize("NFC", text).translate(_NOT_SHOWN).strip()
    if "/" in text or "?" in text or "#" in text:
        text = _name_in_path(text)
    name = unicodedata.normalize("NFC", unquote(text)).strip().casefold()
    return "" if _SPACE.search(name) or not name.isprintable() else name


def _name_in_path(url: str) -> str:
    """Return the part of a profile URL's path that names the person; '' for other URLs."""
    if "//" not in url:
        url = ("//" if "." in url.split("/")[0] else "//host/") + url
    names, last = [name for name in url_parts(url).path.split("/") if name], ""
    while len(names) > 1 and names[0].lower() in _PROFILE_PATHS and last not in _NAMING_PATHS:
        last, names = names[0].lower(), names[1:]
    if last in _NAMING_PATHS:
        return names[0].split(",")[0]
    if not names or names[0].lower() in _PROFILE_PATHS | _OTHER_PATHS:
        return ""
    return names[0].split(",")[0]


def email(text: str) -> str:
    """Return the address in lower case with its domain in ASCII; '' when it is invalid."""
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    text = text.strip().removeprefix("mailto:").casefold()
    if len(text) > LONGEST_EMAIL:
        return ""
    # Nearly every address of an import is plain, and the library takes thirty times as long to see it. It would also
    # refuse corp.local and its like, which are good names inside a private network.
    if _PLAIN_EMAIL.fullmatch(text):
        return text
    with suppress(EmailNotValidError):
        found = validate_email(text, check_deliverability=False)
        return f"{found.local_part}@{found.ascii_domain}"
    return ""


def written_email(text: str) -> str:
    """Return the address of a text as people and programs write it: `Tom Ng <tom@x.org>`, `tom@x.org.`; '' without one.

    Characters that nobody sees do not count.
    """
    if usual := email(text):
        return usual
    bare = text.translate(_NOT_SHOWN).strip()
    if bare.endswith(">"):
        bare = bare[bare.rfind("<") + 1 : -1]
    return email(bare.strip(" .,;:'\"<>()[]"))


def trimmed(text: str) -> str:
    """Return the text without spaces and invisible characters at its ends."""
    return text.strip() if text.isascii() else text.strip().strip(_INVISIBLE).strip()


def mailbox(address: str) -> str:
    """Return the canonical form of a normalized address, for hosts that deliver several spellings to one mailbox.

    Google ignores dots; it and others ignore what follows a plus, and have two names for one host.
    """
    local, _, host = address.rpartition("@")
    host = _SAME_HOST.get(host, host)
    if host in _PLUS_HOSTS and local.partition("+")[0]:
        local = local.partition("+")[0]
    if host == "gmail.com" and local.strip("."):
        local = local.replace(".", "")
    return f"{local}@{host}"


def domain(text: str) -> str:
    """Return the host of a URL, an address or a domain, lower case, without `www.`; '' when there is none."""
    text = text.strip().casefold()
    if "@" in text and "/" not in text:
        text = text.rsplit("@", 1)[1]
    elif "//" not in text:
        text = "//" + text
    try:
        host = (urlsplit(text).hostname or "") if "//" in text else text
        host = host.rstrip(".").encode("idna").decode() if not host.isascii() else host.rstrip(".")
    except (UnicodeError, ValueError):
        return ""
    return host.removeprefix("www.") if _HOST.fullmatch(host) else ""


def url_parts(url: str) -> SplitResult:
    """Split a URL that anyone may have written; treat an invalid one as empty."""
    try:
        return urlsplit(url)
    except ValueError:  # such as brackets without an IPv6 address
        return urlsplit("")


def joined_url(page: str, target: str) -> str:
    """Return where a link on that page leads; '' when it is invalid."""
    try:
        return urljoin(page, target)
    except ValueError:
        return ""


def company(text: str) -> str:
    """Return a company's name for comparison: without case, spaces and the legal form."""
    name = squeeze(text).casefold()
    shorter = _LEGAL_FORMS.sub("", name).strip(" ,.")
    return shorter or name


def csv_cell(text: str) -> str:
    """Escape `text` so that a spreadsheet shows it and never runs it.

    Escapes inside, too: where semicolons separate cells, a spreadsheet starts a cell after each, even in quotes.
    """
    text = _INNER_FORMULA.sub(r"\1'", text)
    return "'" + text if text.lstrip("'").startswith(_FORMULA) else text


def csv_text(cell: str) -> str:
    """Undo `csv_cell`, so that an export can be imported again without loss."""
    cell = cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell
    return _INNER_ESCAPED.sub(r"\1", cell)


def counted(count: int, one: str, several: str = "") -> str:
    """Return how many there are, in words: 1 draft, 1,200 people."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def shorten(text: str, length: int) -> str:
    """Return at most `length` characters, with an ellipsis if something was cut."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
