"""Normalize kinds of companies to the industries of people directories."""

import re
from collections.abc import Mapping, Sequence

# Words of a label, and the industries they may mean. Several may fit, or none.
INDUSTRIES: Mapping[str, Sequence[str]] = {
    r"software|saas|app\b|apps\b|tech\b|technology": (
        "computer software",
        "information technology and services",
        "internet",
    ),
    r"cyber|security software": ("computer & network security",),
    r"marketing|advertis|branding|seo\b|creative agenc": ("marketing and advertising",),
    r"public relations|\bpr\b": ("public relations and communications",),
    r"design (studio|agenc|firm)|designers": ("design", "graphic design"),
    r"consult": ("management consulting",),
    r"account|bookkeep|audit": ("accounting",),
    r"law firm|lawyer|legal|attorney|solicitor": ("law practice", "legal services"),
    r"bank": ("banking",),
    r"fintech|financ|wealth|lender|payment": ("financial services",),
    r"insur": ("insurance",),
    r"venture|private equity|investor": ("venture capital & private equity", "investment management"),
    r"e-?commerce|online (shop|store)|webshop": ("internet", "retail", "consumer goods"),
    r"retail|shops?\b|stores?\b|boutique": ("retail",),
    r"wholesale|distribut": ("wholesale",),
    r"fashion|apparel|clothing": ("apparel & fashion",),
    r"manufactur|factor(y|ies)": ("industrial automation", "machinery", "mechanical or industrial engineering"),
    r"machine|engineering": ("machinery", "mechanical or industrial engineering"),
    r"automotive|car dealer|garage": ("automotive",),
    r"logistic|freight|shipping|supply chain": ("logistics and supply chain",),
    r"transport|trucking|fleet": ("transportation/trucking/railroad",),
    r"construction|builder|contractor": ("construction",),
    r"architect": ("architecture & planning",),
    r"real estate|property|estate agent": ("real estate", "commercial real estate"),
    r"hotel|hospitality|resort": ("hospitality",),
    r"restaurant|caf[eé]|cater": ("restaurants",),
    r"food|bak(er|ing)|brewer|dair": ("food & beverages", "food production"),
    r"wine|spirits|distill": ("wine and spirits",),
    r"travel|tour(ism|s|\b)|airline": ("leisure, travel & tourism",),
    r"sport|fitness|gym|sailing|yoga": (
        "sports",
        "health, wellness and fitness",
        "recreational facilities and services",
    ),
    r"event|conference|wedding": ("events services",),
    r"hospital|health ?care|clinic": ("hospital & health care", "medical practice"),
    r"dent(al|ist)|doctor|physio|practice": ("medical practice",),
    r"veterinar": ("veterinary",),
    r"medical device": ("medical devices",),
    r"pharma": ("pharmaceuticals",),
    r"biotech|life science": ("biotechnology",),
    r"school|kindergarten": ("education management", "primary/secondary education"),
    r"universit|college": ("higher education",),
    r"e-?learning|online course": ("e-learning",),
    r"training|coach": ("professional training & coaching",),
    r"recruit|staffing": ("staffing and recruiting",),
    r"human resources|\bhr\b": ("human resources",),
    r"non-?profit|charit|ngo": ("non-profit organization management",),
    r"government|municipal|public sector": ("government administration",),
    r"energy|solar|wind|renewable": ("renewables & environment", "utilities"),
    r"oil|gas\b": ("oil & energy",),
    r"telecom": ("telecommunications",),
    r"media|publish|newspaper": ("publishing", "media production", "online media"),
    r"film|video production": ("media production", "motion pictures and film"),
    r"game|gaming": ("computer games",),
    r"music": ("music",),
    r"agricultur|farm": ("farming",),
    r"chemical": ("chemicals",),
    r"packag": ("packaging and containers",),
    r"furniture": ("furniture",),
    r"cosmetic|beauty|salon": ("cosmetics",),
    r"facility|cleaning": ("facilities services",),
    r"environment|waste|recycl": ("environmental services",),
}


def industries(label: str) -> list[str]:
    """Return the industries that a targeting label may mean; [] for none."""
    found = (names for pattern, names in INDUSTRIES.items() if re.search(rf"\b(?:{pattern})", label, re.IGNORECASE))
    return list(dict.fromkeys(name for names in found for name in names))
