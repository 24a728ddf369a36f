"""Countries by code, and those to try next."""

COUNTRIES = {
    "DE": "Germany", "AT": "Austria", "CH": "Switzerland", "FR": "France", "ES": "Spain", "IT": "Italy",
    "NL": "Netherlands", "BE": "Belgium", "GB": "United Kingdom", "IE": "Ireland", "PL": "Poland", "PT": "Portugal",
    "SE": "Sweden", "NO": "Norway", "DK": "Denmark", "FI": "Finland", "CZ": "Czechia", "US": "United States",
    "CA": "Canada", "AU": "Australia", "NZ": "New Zealand", "JP": "Japan", "BR": "Brazil", "MX": "Mexico",
    "IN": "India", "ZA": "South Africa", "SG": "Singapore", "GR": "Greece", "HU": "Hungary", "RO": "Romania",
}  # fmt: skip
NEAR = {
    "DE": "Austria; Switzerland", "AT": "Germany; Switzerland", "CH": "Germany; Austria", "GB": "Ireland; Netherlands",
    "IE": "United Kingdom", "US": "Canada", "CA": "United States", "FR": "Belgium; Switzerland",
    "NL": "Belgium; Germany",
    "BE": "Netherlands; France", "ES": "Portugal", "PT": "Spain", "IT": "Switzerland", "SE": "Norway; Denmark",
    "NO": "Sweden; Denmark", "DK": "Sweden; Norway", "AU": "New Zealand", "NZ": "Australia",
}  # fmt: skip
