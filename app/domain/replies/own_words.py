"""Own words of a letter: without what it quotes, what we sent, the signature and the legal footer.

A line that begins with ">" is quoted; the parts that an HTML letter marks as quotations arrive here with ">", too.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from app.domain.replies import words

READ = 20_000  # characters that are examined; the rest counts like the last line examined
MOST_DIVIDED = 2000  # lines that are examined; the rest count like the last of them
LONGEST_HEADER = 4  # lines of "On … wrote:", folded by a program
MOST_LINES = 400  # of an answer, in which a signature is looked for
LEAST_RULED, MOST_RULED = 7, 70  # characters: the shortest separator line, and the longest text in one
LONGEST_LINE = 400  # characters of a line that may begin a quotation
LONGEST_GREETING = 6  # words of a line such as "Dear Ada,"
SURE_RUN = 8  # words of a line that counts as ours even when a few words differ
_BAR = re.compile(r"^[ \t]*[>|»]")
_EMAIL = re.compile(r"[^\s<>()\[\]:;,\"']{1,64}@[^\s<>()\[\]:;,\"']{1,255}")
_TIME = re.compile(r"\d{1,2}[:.h]\d{2}|20\d\d|\d{1,2}[./-]\d{1,2}|\d ?[月월日일年년]")
_RULES = "-_=*#–—"  # characters that separator lines are made of
_LABEL = re.compile(r"^[ \t]*[*_]{0,2}([^\W\d_][^:：\n<>@]{0,24}?)[*_]{0,2} ?[:：][*_]{0,2}[ \t]*(.*)$")
_DELIMITER = re.compile(r"^[ \t]*(?:--|__|—)[ \t]*$")
_POSTSCRIPT = re.compile(r"^[ \t]*p\.? ?s\.?[ \t]*[:.]?[ \t]", re.IGNORECASE)
_SENTENCE_END = re.compile(  # not after a number, an initial or a title
    r"(?<![\d.!?])(?<!\b\w)(?<!\b(?:mr|ms|dr|hr|fr|sr|st|nr|no|ca|el))(?<!\bmrs)(?<!\bprof)[.!?]+[\"')\]]*\s+"
    r"|(?<![!?])[!?]+\s+|[。！？；]+\s*|(?<!\s)\s*\n\s*\n\s*",
    re.IGNORECASE,
)
_ENDS = (".", "!", "?", "…")
_TAIL = re.compile(r">[ \t]?[^\n]{0,40}[:：]$")  # of "On … <address\n> wrote:"
_WORD = re.compile(r"\w+")


class Own(NamedTuple):
    """What a letter says itself, its signature and footer, and what it quotes."""

    said: str
    signature: str = ""
    quoted: str = ""


def split(text: str, ours: Sequence[str] = ()) -> Own:
    """Split a letter; `ours` are the texts that we sent to its writer."""
    own, below = _divided(text[:READ].strip("\r\n"), ours)
    cut = _signed_at(own)
    postscript = next((place for place in range(cut, len(own)) if _POSTSCRIPT.match(own[place])), len(own))
    said = "\n".join(["\n".join(own[:cut]).rstrip(), *own[postscript:]])
    return Own(said.strip(), "\n".join(own[cut:postscript]).strip(), "\n".join(below).strip())


def said(text: str) -> str:
    """Return what they say themselves: no quoted mail, no signature, no legal footer; a postscript stays."""
    return split(text).said


def own_and_quoted(text: str) -> tuple[str, str]:
    """Split a text into what they wrote, the signature with it, and what they quote."""
    own, below = _divided(text)
    written = "\n".join(own).strip()
    return (written, "\n".join(below)) if written else (text, "")


def _divided(text: str, ours: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Return the lines that they wrote and those that they quote."""
    text = _unflattened(text.replace("\r\n", "\n"))
    lines = text.split("\n")
    quoted = _quoted(lines[: min(MOST_DIVIDED, text[:READ].count("\n") + 1)])
    quoted += [quoted[-1]] * (len(lines) - len(quoted))
    _mark_ours(lines, quoted, ours)
    own = [line for line, is_quoted in zip(lines, quoted, strict=True) if not is_quoted]
    return own, [line for line, is_quoted in zip(lines, quoted, strict=True) if is_quoted]


def _quoted(lines: Sequence[str]) -> list[bool]:
    """Return which lines are a quotation or lead to one."""
    found, place, begun = [False] * len(lines), 0, False
    while place < len(lines):
        size = _header_at(lines, place)
        if size and _follows_bar(lines, place + size):
            found[place : place + size] = [True] * size  # what follows is marked line by line
            place += size
        elif size and not begun:  # an answer below what it quotes
            found[place : place + size] = [True] * size
            place += size
        elif size:
            found[place:] = [True] * (len(lines) - place)
            break
        else:
            found[place] = bool(_BAR.match(lines[place]))
            begun = begun or (not found[place] and bool(lines[place].strip()))
            place += 1
    return found


def _follows_bar(lines: Sequence[str], place: int) -> bool:
    following = next((line for line in lines[place : place + 4] if line.strip()), "")
    return bool(_BAR.match(following))


def _header_at(lines: Sequence[str], place: int) -> int:
    """Return the number of lines of the quotation header that begins at `place`; 0 if none does."""
    line = lines[place]
    if not line.strip() or len(line) > LONGEST_LINE or _BAR.match(line):
        return 0
    if _is_ruled(line):
        return 1 + _block_at(lines, place + 1)
    return _block_at(lines, place) or _attribution_at(lines, place) or _lone_label_at(lines, place)


def _is_ruled(line: str) -> bool:
    """Return whether the line is a separator such as `-----`, perhaps with a few words in it."""
    drawn = line.strip(" \t")
    inside = drawn.strip(_RULES).strip()
    at_both_ends = not drawn[:2].strip(_RULES) and not drawn[-2:].strip(_RULES)
    return len(drawn) >= LEAST_RULED and at_both_ends and len(inside) <= MOST_RULED


def _lone_label_at(lines: Sequence[str], place: int) -> int:
    """Return 1 if this line is a "From: …" whose other header lines the mail program marked as quoted, else 0."""
    found = _LABEL.match(lines[place])
    known = found and words.fold(found[1]).strip() in _labels()["from"] and _EMAIL.search(found[2])
    return int(bool(known and _follows_bar(lines, place + 1)))


@cache
def _labels() -> dict[str, frozenset[str]]:
    """Return what stands before the colon in a mail's header, by its meaning, in all languages."""
    names = ("from", "sent", "to", "subject")
    return {
        name: frozenset(words.fold(line) for one in words.languages().values() for line in one.lines("quotation", name))
        for name in names
    }


def _block_at(lines: Sequence[str], place: int) -> int:
    """Return the number of lines of the "From: … Sent: …" block that begins at `place`; 0 if none does.

    The block has known labels, or three lines in a row with labels of an unknown language, an address and a time.
    """
    labels, values, last = [], [], place
    for number in range(place, min(place + 12, len(lines))):
        found = _LABEL.match(lines[number])
        if found:
            labels.append(words.fold(found[1]).strip())
            values.append(found[2])
            last = number + 1
        elif (lines[number].strip() and (not labels or not lines[number].startswith((" ", "\t")))) or (
            not lines[number].strip() and (not labels or number > last)
        ):
            break
    known = {name for name, those in _labels().items() if any(label in those for label in labels)}
    first = bool(labels) and any(labels[0] in those for those in _labels().values())
    if first and "from" in known and len(known) > 1:
        return last - place
    told = "\n".join(values)
    unknown = len(labels) > 2 and bool(_EMAIL.search(told)) and bool(_TIME.search(told))
    return last - place if unknown else 0


@cache
def _wrote() -> re.Pattern[str]:
    verbs = [line for one in words.languages().values() for line in one.lines("quotation", "wrote")]
    folded = sorted({words.fold(verb) for verb in verbs}, key=len, reverse=True)
    return re.compile(
        "|".join(rf"\b(?:{verb})" if re.match(r"\w", verb) and verb.isascii() else verb for verb in folded)
    )


@cache
def _inside_line() -> re.Pattern[str]:
    who, wrote = rf"[^\n<>]{{0,60}}<?{_EMAIL.pattern}>?", rf"(?:{_wrote().pattern})"
    named = rf"(?:{who}[ ,]{{1,3}}(?:\w+ ){{0,2}}{wrote}|[^\n<>]{{0,20}}{wrote}{who})"
    begin = rf"[^\W\d_]\w{{0,3}}\.?,? [^\n<>]{{0,30}}(?:{_TIME.pattern})"
    return re.compile(rf"(?<=\S)[ \t]+(?=({begin}{named} ?:)[ \t]*\S)")


def _unflattened(text: str) -> str:
    """Put "On 3 May 2026, Ada <…> wrote:" on a line of its own, where a program joined the lines of a letter."""
    parts, done = [], 0
    for found in _inside_line().finditer(words.fold(text)):
        begin, end = found.span(1)
        if begin >= done and text[begin].isupper():
            parts += [text[done:begin], "\n\n", text[begin:end], "\n"]
            done = end
    return "".join([*parts, text[done:]])


def _attribution_at(lines: Sequence[str], place: int) -> int:
    """Return the number of lines of the "On … wrote:" that begins here, with a time, a name and a colon; else 0."""
    joined = ""
    for number in range(place, min(place + LONGEST_HEADER, len(lines))):
        line = lines[number].strip()
        if not line or (_BAR.match(line) and not (joined and _TAIL.match(line))):
            return 0
        joined = f"{joined} {line}".strip()
        if len(joined) > LONGEST_LINE or (line.endswith(_ENDS) and not (_TIME.search(joined) or _EMAIL.search(joined))):
            return 0  # a sentence stands right above the header
        if line.endswith((":", "：", ">", "」")) or _wrote().search(words.fold(line)[-30:]):
            has_time, has_address = bool(_TIME.search(joined)), bool(_EMAIL.search(joined))
            wrote = bool(_wrote().search(words.fold(joined)))
            ends = joined.endswith((":", "："))
            if has_time and ((ends and (has_address or wrote)) or (wrote and has_address and len(joined) < 200)):
                return number + 1 - place
            if has_address and ((ends and wrote) or (has_time and _follows_bar(lines, number + 1))):
                return number + 1 - place
            if ends:
                return 0
    return 0


def _mark_ours(lines: Sequence[str], quoted: list[bool], ours: Sequence[str]) -> None:
    """Mark the lines that we sent as quoted, even where the mail program changed their line breaks or marks."""
    sent = " ".join(" ".join(_WORD.findall(words.fold(text))) for text in ours)
    if not sent:
        return
    runs = {" ".join(run) for run in _runs(sent.split(" "), 3)}
    same = []
    for line in lines:
        said_ = _WORD.findall(words.fold(line))
        known = [" ".join(run) in runs for run in _runs(said_, 3)]
        whole = len(said_) > 3 and f" {' '.join(said_)} " in f" {sent} "
        same.append(whole or (len(said_) >= SURE_RUN and sum(known) >= 0.8 * len(known)))
    places = [place for place, is_same in enumerate(same) if is_same]
    for place in places:
        quoted[place] = True
    for place in range(places[0], places[-1]) if places else ():  # a short line between two of ours
        few = _WORD.findall(words.fold(lines[place]))
        if len(few) <= 3 and f" {' '.join(few)} " in f" {sent} ":
            quoted[place] = True


def _runs(said_: Sequence[str], size: int) -> list[Sequence[str]]:
    return [said_[begin : begin + size] for begin in range(max(len(said_) - size + 1, 0))]


# How a signature begins, and what may stand before and behind it in its line. A `+` after a quantifier keeps what it
# took, so that a row of spaces is not divided in every way there is.
_FORMULAS = {
    "closing": (
        r"[ \t]*+",
        r"(?:[ \t]*+[,.!:、。])?(?P<name>(?:[ \t]++[^\W\d_][\w.'-]*+){0,3})[ \t]*+[,.!]?[ \t]*+",
    ),
    "sent_from": (r"[ \t]*", r"(?!\w)[^\n]{0,80}"),
    "footer": ("", ""),
}


@cache
def _formulas(name: str) -> re.Pattern[str]:
    before, behind = _FORMULAS[name]
    lines = [line for one in words.languages().values() for line in one.lines("signature", name)]
    return re.compile(f"{before}(?:{'|'.join(map(words.fold_pattern, lines))}){behind}")


def _signed_at(own: Sequence[str]) -> int:
    """Return the line where the signature begins: a delimiter, a closing formula with a name, a device, or a footer."""
    above = 0
    for place, line in enumerate(own[:MOST_LINES]):
        if len(line) > LONGEST_LINE:
            above += 1
            continue
        small = words.fold(line).rstrip()
        if _DELIMITER.match(line) or _formulas("sent_from").fullmatch(small):
            return place
        closing = _formulas("closing").fullmatch(small) if above else None
        if closing and not _is_sentence(line[slice(*closing.span("name"))]) and _is_name(own[place + 1 :]):
            return place
        if above and len(line) > 60 and not own[place - 1].strip() and _formulas("footer").search(small):
            return place
        above += bool(line.strip())
    return len(own)


def _is_sentence(behind: str) -> bool:
    """Return whether a sentence, not a name, follows a closing formula in its line: "Thanks for your help!"."""
    return any(word[0].islower() for word in behind.split())


def _is_name(below: Sequence[str]) -> bool:
    """Return whether a name or nothing, and no sentence, follows below a closing formula."""
    following = next((line.strip() for line in below if line.strip()), "")
    return len(following.split()) <= 6 and len(following) <= 60 and not following.endswith(("?", "!", "？", "！"))


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where each sentence begins and ends; a line that a program folded goes on in the same sentence."""
    found, begin = [], 0
    for end in sorted([*(one.span() for one in _SENTENCE_END.finditer(text)), *_breaks(text)]):
        if end[0] < begin:
            continue
        if text[begin : end[0]].strip():
            found.append((begin, end[1]))
        begin = end[1]
    if text[begin:].strip():
        found.append((begin, len(text)))
    return found


def _breaks(text: str) -> list[tuple[int, int]]:
    """Return the line breaks that end a sentence: no small letter follows, and after a full line no letter at all."""
    found, begin = [], 0
    for one in re.finditer(r"(?<![ \t])[ \t]*\n[ \t]*", text):
        following = text[one.end() : one.end() + 1]
        full = one.start() - begin > 58
        greets = text[begin : one.start()].endswith(",") and len(text[begin : one.start()].split()) <= LONGEST_GREETING
        if greets or (not following.islower() and not (full and following.isalpha())):
            found.append(one.span())
        begin = one.end()
    return found
