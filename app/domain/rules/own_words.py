"""Own words of a reply: without the mails it quotes, the signature and the legal footer. No network, no model."""

import re
import unicodedata

READ = 20_000  # characters; what stands further down is a thread, not an answer

_WROTE = (
    r"wrote|writes|schrieb|a écrit|escribió|escribio|escreveu|ha scritto|schreef|napisał(?:\(a\)|a)?|pisze|skrev"
    r"|kirjoitti|napsal(?:\(a\)|a)?"
)
_INTRODUCED = r"On|Am|Le|El|Il|Op|Em|No dia|W dniu|Dnia|Den|Ons?|Man|Tir|Tors?|Fre|Lør|Lör|Søn|Sön"
_SENT = r"Sent|Gesendet|Envoyé|Enviad[oa](?: el| em)?|Inviato|Verzonden|Date|Datum|Data|Fecha|Skickat|Sendt|Wysłano"
_QUOTED = re.compile(
    rf"^[ \t]*(>|(?:{_INTRODUCED})\b[ .,][^\n]{{3,120}}(?:\n[^\n]{{1,120}})?(?:{_WROTE})[^\n]{{0,80}}:[ \t]*$"
    rf"|(?=[^\n]{{0,160}}\d)[^\n]{{3,160}}\b(?:{_WROTE})\b[^\n]{{0,80}}:[ \t]*$"
    r"|-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Messaggio originale"
    r"|Oorspronkelijk bericht|Mensagem original|Originalmeddelande|Oprindelig meddelelse|Wiadomość oryginalna"
    r"|Forwarded message|Weitergeleitete Nachricht)|_{20,}[ \t]*$"
    rf"|\*?(?:From|Von|De|Da|Van|Från|Fra|Od)\s?:\*? .+(?:@|\n\*?(?:{_SENT})\s?:))",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNATURE = re.compile(
    r"^[ \t]*(?:--|__|—)[ \t]*$"
    r"|^[ \t]*(?:Sent from my|Get Outlook|Von meinem|Envoyé de(?:puis)? mon|Enviado d(?:esde|o) m|Inviato da(?:l mio)?"
    r"|Verzonden vanaf|Wysłane z|Skickat från|Sendt fra)\b[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(
    r"^[ \t]*(?:(?:with |my )?(?:best|kind(?:est)?|warm(?:est)?"
    r"|many thanks and) ?(?:regards|wishes)?|regards|rgds|all the best"
    r"|cheers|sincerely|yours(?: truly| sincerely| faithfully)?|(?:many )?thanks(?: again| and regards)?|thank you"
    r"|take care|(?:mit )?(?:freundliche[nm]?|beste[nm]?|herzliche[nm]?|viele[nm]?"
    r"|liebe[nm]?|schöne[nm]?) gr(?:ü|ue)(?:ß|ss)e?n?"
    r"|mfg|vg|lg|gruß|(?:bien )?(?:à vous|cordialement)|(?:très |bien )?cordialement|sincères salutations|salutations"
    r"|bonne journée|(?:un )?(?:cordial )?saludos?(?: cordial(?:es)?)?|atentamente"
    r"|un abrazo|(?:cordiali|distinti) saluti"
    r"|un saluto|(?:met )?(?:vriendelijke|hartelijke) groet(?:en)?|mvg|groet(?:en|jes)?"
    r"|atenciosamente|att|(?:com os )?(?:melhores )?cumprimentos|abraços?|(?:z )?(?:poważaniem|pozdrowieniami)"
    r"|pozdrawiam(?: serdecznie)?|(?:med )?(?:vänliga?|venlig|bästa|bedste) hälsning(?:ar)?"
    r"|(?:med )?(?:venlig|bedste|mange) hilsen(?:er)?|mvh|vh|hälsningar|hilsen)"
    r"[ \t]*[,.!]?(?:[ \t]+[^\W\d_][\w.'-]*){0,3}[ \t]*$",
    re.IGNORECASE,
)
_POSTSCRIPT = re.compile(r"^[ \t]*p\.?\s?s\.?[ \t]*[:.]?[ \t]", re.IGNORECASE | re.MULTILINE)
_FOOTER = re.compile(
    r"\n[^\n]{0,200}\b(?:confidential|vertraulich|confidentiel|confidencial|riservat[oaie]|vertrouwelijk|poufn\w+"
    r"|fortrolig|konfidentiell|privileged|aviso legal|protección de datos|proteção de dados|protection des données"
    r"|protezione dei dati|Impressum|Amtsgericht)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(
    r"(?<![\d.])(?<!\b\w)(?<!\b\w\w)[.!?]+[\"')\]]*\s+|[!?]+\s+|\s*\n\s*\n\s*|[ \t]*\n(?![a-zà-ÿ])\s*"
)
_LETTERS = str.maketrans(
    {chr(code): unicodedata.normalize("NFD", chr(code))[0] for code in range(0xC0, 0x250)}
    | {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "a", "Æ": "A", "ß": "s", "’": "'", "‘": "'", "´": "'", "\xa0": " "}
)


def own_and_quoted(text: str) -> tuple[str, str]:
    """Split a text into what they wrote and what they quote below it."""
    quoted = _QUOTED.search(text[:READ])
    return (text[: quoted.start()].rstrip(), text[quoted.start() :]) if quoted and quoted.start() > 0 else (text, "")


def said(text: str) -> str:
    """Return what they say themselves: no quoted mail, no signature, no legal footer; a postscript stays."""
    own = own_and_quoted(unicodedata.normalize("NFC", text[:READ]).replace("\r\n", "\n").strip())[0]
    if (quoted := _QUOTED.match(own)) and not quoted[0].lstrip().startswith(">"):  # an answer below what it quotes
        own = own[quoted.end() :]
    lines = [line for line in own.split("\n") if not line.lstrip().startswith(">")]
    own = "\n".join(lines).strip()
    if footer := _FOOTER.search(own):
        own = own[: footer.start()]
    cut = min(_signed_at(own), signed.start() if (signed := _SIGNATURE.search(own)) else len(own))
    postscript = _POSTSCRIPT.search(own, cut)
    return own[:cut].rstrip() + ("\n" + own[postscript.start() :] if postscript else "")


def _signed_at(own: str) -> int:
    """Return where the closing formula begins: a line of its own, with a name and little else below it."""
    begin, above, lines = 0, False, own.split("\n")
    for index, line in enumerate(lines):
        if above and _CLOSING.match(line):
            below = next((text for text in lines[index + 1 :] if text.strip()), "").rstrip()
            if len(below.split()) <= 6 and not below.endswith(("?", "!")):
                return begin
        above = above or bool(line.strip())
        begin += len(line) + 1
    return len(own)


def plain(text: str) -> str:
    """Return the text without accents, letter by letter, so that a place in one is the same place in the other."""
    return text.translate(_LETTERS)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where each sentence begins and ends; a line that goes on in small letters is the same sentence."""
    found, begin = [], 0
    for end in _SENTENCE_END.finditer(text):
        if text[begin : end.start()].strip():
            found.append((begin, end.end()))
        begin = end.end()
    if text[begin:].strip():
        found.append((begin, len(text)))
    return found
