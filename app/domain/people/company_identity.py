"""What counts as the same company: the domain of its mail or website, else its name without the legal form."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from urllib.parse import urlsplit

from app.core import domains, text
from app.domain.people import company_words, free_mail_hosts

# Websites that many companies share: networks, directories and site builders. Whatever stands behind the host.
SITES = frozenset(
    """
    about.me angel.co angellist.com apps.apple.com beacons.ai behance.net bing.com bit.ly bitly.com blogger.com
    calendly.com campsite.bio carrd.co clutch.co crunchbase.com discord.com discord.gg docs.google.com dribbble.com
    drive.google.com eventbrite.com f6s.com facebook.com fb.com fb.me fiverr.com flickr.com form.jotform.com forms.gle
    g.co g.page gitbook.io glassdoor.com goo.gl gumroad.com instagram.com issuu.com kickstarter.com kununu.com
    linkedin.com linktr.ee lnkd.in maps.google.com medium.com meetup.com messenger.com myspace.com northdata.com
    northdata.de notion.site notion.so open.spotify.com opencorporates.com patreon.com pinterest.com play.google.com
    producthunt.com quora.com reddit.com sites.google.com snapchat.com soundcloud.com substack.com t.co t.me telegram.me
    threads.net tiktok.com tinyurl.com trustpilot.com tumblr.com twitch.tv twitter.com upwork.com vimeo.com vk.com wa.me
    wechat.com weebly.com weibo.com wellfound.com whatsapp.com wikipedia.org wixsite.com wordpress.com x.com xing.com
    yelp.com youtu.be youtube.com
    """.split()
)
# Companies that rent out places: the bare host is their own website, a page of it belongs to another company.
LANDLORDS = frozenset(
    """
    airtable.com amazon.co.uk amazon.com amazon.de ebay.co.uk ebay.com ebay.de etsy.com github.com gitlab.com google.com
    indeed.com naver.com typeform.com wix.com zoom.us
    """.split()
)
# Private public suffixes under which companies register a domain as anywhere else.
SOLD_SUFFIXES = frozenset(
    """
    ae.org asso.fr biz.ua br.com cn.com co.at co.com co.cz co.nl co.no co.pl co.ua com.de com.fr com.ru com.se com.ua
    de.com eu.com gb.net gr.com hu.net in.net jp.net jpn.com ltd.ua mex.com or.at pp.ua ru.com sa.com se.net uk.com
    uk.net us.com us.org za.bz za.com
    """.split()
)
# Names of intranets, the same in many companies.
INTRANETS = frozenset("corp home internal invalid lan local localdomain localhost".split())


_REMEMBERED = 20_000  # domains and names; an import asks for the same ones again and again

_LONGEST = 7  # words of the longest legal form
_QUOTES = re.compile("['’‘`´ʼ״\"“”„«»]")
_BRACKETS = re.compile(r"[(\[{【〈《][^()\[\]{}【】〈〉《》]*[)\]}】〉》]")
# A word has letters, digits, and the vowel signs of scripts that write vowels so.
_SIGNS = "\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u1000-\u109f\u1780-\u17dd"
_WORD = re.compile(rf"(?:[^\W_]|[{_SIGNS}])+")
_MORE = re.compile(  # what people write behind the name of their company
    r"(?<!\s)\s*[|•‖]\s.*|\s[|•‖·].*|\s//\s.*"
    r"|\s[-–—~]+\s+(?:we(?:[’']re)?|now|hiring|part|an?|the|official|acquired|formerly|powered)\s.*"
    r"|(?<![\s,;])[\s,;]+(?:an?\s.{1,60}\s(?:company|brand|business)|(?:now )?part of\s.*"
    r"|(?:formerly|acquired by|trading as)\s.*"
    r"|f/k/a\s.*|fka\s.*|d/b/a\s.*|dba\s.*|t/a\s.*|is hiring.*|we[’']re hiring.*)$",
    re.IGNORECASE,
)


def key(company_name: str, company_url: str, emails: Iterable[str]) -> str:
    """Return the key that people of one company share, `domain:acme.com` or `name:acme`; '' when it is unknown."""
    for address in (*emails, company_url):
        if domain := domain_of(address):
            return f"domain:{domain}"
    name = name_key(company_name)
    return f"name:{name}" if name else ""


@lru_cache(_REMEMBERED)
def domain_of(email_or_url: str) -> str:
    """Return the registered domain; '' where many companies share it, as at free mail hosts and social networks."""
    host = text.domain(email_or_url)
    if not host:
        return ""
    if "@" in email_or_url and "/" not in email_or_url:
        shared = free_mail_hosts.is_free(host)
    else:
        shared = _is_shared_site(host, email_or_url)
    return "" if shared else _registered_domain(host)


def own_domain(website: str) -> str:
    """Return the registered domain of a company's website; '' also for a host of free mail."""
    return "" if free_mail_hosts.is_free(text.domain(website)) else domain_of(website)


def _is_shared_site(host: str, url: str) -> bool:
    parents = [host]
    while "." in parents[-1]:
        parents.append(parents[-1].partition(".")[2])
    if not SITES.isdisjoint(parents):
        return True
    path = urlsplit(url if "//" in url else f"//{url}").path
    return host in LANDLORDS and path.strip("/") != ""


def _registered_domain(host: str) -> str:
    parts = domains.split(host)
    if not parts.suffix:  # a suffix without registrations, such as .example
        labels = host.split(".")
        return "" if labels[-1] in INTRANETS else ".".join(labels[-2:])
    if parts.is_private and parts.suffix not in SOLD_SUFFIXES:
        return ""
    return f"{parts.domain}.{parts.suffix}" if parts.domain else ""


@lru_cache(_REMEMBERED)
def name_key(name: str) -> str:
    """Return the name without case, accents, punctuation, legal form and country; '' when nothing is left of it."""
    name = _MORE.sub("", unicodedata.normalize("NFKC", name[:300]))
    words = _words(_BRACKETS.sub(" ", name)) or _words(name)
    words = _name_proper(words) if words else []
    if not words or company_words.NO_COMPANY.issuperset(words) or "".join(words) in company_words.NO_COMPANIES:
        return ""
    found = " ".join(_joined_initials(words))
    return found if len(found) > 1 or found > "\u2e80" else ""  # a single ideograph may be a name


def _words(name: str) -> list[str]:
    words = _WORD.findall(company_words.plain(_QUOTES.sub("", name)))
    return [word for word in words if word not in company_words.AND] or words


def _name_proper(words: list[str]) -> list[str]:
    """Cut off what stands around the name proper, as long as a name is left."""
    words = _spaced(words)
    words = words[1:] if words[0] == "the" and len(words) > 1 else words
    before: list[str] = []
    while words != before:
        before, words = words, _cut_in_front(words)
    before = []
    while words != before:
        before, words = words, _cut_behind(words)
    return words


def _cut_in_front(words: list[str]) -> list[str]:
    for size in _sizes(words):
        if "".join(words[:size]) in company_words.IN_FRONT and _says_something(words[size:]):
            return words[size:]
    return words


def _cut_behind(words: list[str]) -> list[str]:
    for size in _sizes(words):
        rest, last = words[:-size], "".join(words[-size:])
        if last in company_words.BEHIND:
            return rest
        if last in company_words.PLACES and rest[-1] not in company_words.PLACES_NAME and _says_something(rest):
            return rest
    return words


def _sizes(words: list[str]) -> Iterable[int]:
    """Return how many words may be cut off, the most first."""
    return range(min(_LONGEST, len(words) - 1), 0, -1)


def _says_something(words: Iterable[str]) -> bool:
    return any(word not in company_words.COMMON and len(word) > 1 for word in words)


def _spaced(words: list[str]) -> list[str]:
    """Return the words without the legal forms of scripts that put no space around them."""
    found = []
    for word in words:
        for form in company_words.UNSPACED if not word.isascii() else ():
            word = word.removeprefix(form).removesuffix(form)
        found += [word] if word else []
    return found or words


def _joined_initials(words: list[str]) -> list[str]:
    """Return the words with single letters side by side as one: `j b hunt` is `jb hunt`."""
    found = [words[0]]
    for before, word in pairwise(words):
        if len(before) == len(word) == 1 and word.isascii():
            found[-1] += word
        else:
            found.append(word)
    return found
