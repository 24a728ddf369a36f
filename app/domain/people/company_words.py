"""Words around a company's name that are not the name: its legal form, its country, what people write without a job.

The legal forms are chosen from the Entity Legal Forms code list (ISO 20275) that GLEIF publishes, written without
accents. Left out are forms of other organisations (foundations, funds, trusts and associations, whose name says more
than the form) and abbreviations that are more often a word or initials (IS, IP, EI, PE).
"""

import re
import tomllib
import unicodedata
from pathlib import Path

_MARKS = re.compile("[\u0300-\u036f]")
_PLAIN = str.maketrans({"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})


def plain(words: str) -> str:
    """Return the words in small letters without accents."""
    spread = unicodedata.normalize("NFKD", words.casefold().translate(_PLAIN))
    return unicodedata.normalize("NFC", _MARKS.sub("", spread))


def _joined(words: str) -> frozenset[str]:
    """Read what stands between commas, each without its spaces, as it is compared."""
    return frozenset("".join(word.split()) for word in plain(words).split(","))


_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
BEHIND = _joined(_WORDS["behind"])
IN_FRONT = _joined(_WORDS["in_front"])
# Scripts that put no space around a form.
UNSPACED = (
    "股份有限公司", "有限责任公司", "有限責任公司", "有限公司", "股份公司", "公司", "株式会社", "株式會社", "有限会社",
    "合同会社", "合資会社", "合名会社", "주식회사", "유한회사", "유한책임회사", "บริษัท", "จํากัด", "ห้างหุ้นส่วน",
)  # fmt: skip
PLACES = _joined(_WORDS["places"])
# A place behind one of these is part of the name, as in Bank of India and Banco do Brasil.
PLACES_NAME = frozenset("of de du di do da dos del der des fur the for in van von y e".split())
COMMON = frozenset(_WORDS["common"].split())
AND = frozenset("and und et och og".split())
NO_COMPANY = frozenset(_WORDS["no_company"].split())
NO_COMPANIES = _joined(_WORDS["no_companies"])
