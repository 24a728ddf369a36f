"""Reading websites: robots.txt, charsets, the pages that matter, and what a business calls itself."""

from app.providers.website.reader import WebsiteReader

__all__ = ["WebsiteReader"]
