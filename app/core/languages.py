"""Language detection: the language of a text, found in the text itself, because a page's `lang` attribute may lie."""

import re

from app.core.parallel import made_once

READ = 5000  # characters
ENOUGH = 20  # letters; a shorter text may be in any language
# Languages in which a business hardly writes: never returned.
_UNLIKELY = {"an", "br", "eo", "fo", "fy", "ga", "gd", "ht", "la", "mt", "oc", "se", "st", "vo", "wa"}
_NORWEGIAN = {"nb": "no", "nn": "no"}


def detected(text: str) -> str:
    """Return the ISO 639-1 code of the text's language; '' when there is too little text."""
    read = " ".join(text[:READ].split())
    if len(re.findall(r"[^\W\d_]", read)) < ENOUGH:
        return ""
    found: str = next(one for one, _ in _identifier().rank(read) if len(one) == 2 and one not in _UNLIKELY)
    return _NORWEGIAN.get(found, found)


def base(code: str) -> str:
    """Return the language of a code with a region: de of de-AT."""
    return code.strip().lower().partition("-")[0]


def prefer(text: str, claimed: str) -> str:
    """Return the language of the text, or the one that it claims where the text is too short to tell."""
    return detected(text) or base(claimed)


@made_once  # with all of its languages: narrowing the model down would keep both models in memory, 20 MB more
def _identifier():  # type: ignore[no-untyped-def]  # py3langid has no types
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
