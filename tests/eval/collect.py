"""Bring the pages of the labelled websites onto this machine: `python -m tests.eval.collect [--clones FOLDER]`.

The pages are not ours to give away, so they are not in the repository: `sites.json` says for each website which pages
of which commit of which public repository were read, and this takes them from there. Scripts, styles, drawings and
attributes that hold no words are left out, and long pages are cut.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.eval.material import PAGES, Labelled, digest, sites

LONGEST = 48_000
_GONE = (
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"<script(?![^>]*ld\+json)[^>]*>.*?</script\s*>", re.DOTALL | re.IGNORECASE),
    re.compile(r"<(style|svg|noscript|template|iframe)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE),
    re.compile(r"<link\b(?![^>]*(canonical|alternate))[^>]*>", re.IGNORECASE),
    re.compile(r"\s(style|on[a-z]+|d|srcset|data-[\w-]+|aria-[\w-]+|loading|width|height)\s*=\s*(\"[^\"]*\"|'[^']*')"),
)
_CLASS = re.compile(r"\sclass\s*=\s*(\"[^\"]*\"|'[^']*')")
_DATA = re.compile(r"(src|href)=\"data:[^\"]*\"")


def trimmed(content: str) -> str:
    """Return a page without what holds no words; classes stay where they mark a logo."""
    for gone in _GONE:
        content = gone.sub("", content)
    content = _CLASS.sub(lambda match: match[0] if re.search("logo|brand", match[0]) else "", content)
    content = re.sub(r"\s*\n\s*", "\n", re.sub(r"[ \t]+", " ", _DATA.sub(r'\1=""', content)))
    if len(content) > LONGEST:
        content = content[: content.rfind(">", 0, LONGEST) + 1] + "\n</body></html>\n"
    return content


def bring(site: Labelled, clones: Path | None, folder: Path) -> str:
    """Write the pages of a website; return '' or why it could not be done."""
    with tempfile.TemporaryDirectory() as scratch:
        git = _clone(site, clones, Path(scratch))
        for name, expected in site.pages.items():
            shown = _git(git, "show", f"{site.commit}:{site.root + '/' if site.root else ''}{name}")
            if shown.returncode:
                return f"{site.slug}: no {name} at {site.commit[:8]} of {site.repository}"
            content = trimmed(shown.stdout.decode("utf-8", "replace")).encode()
            if digest(content) != expected:
                return f"{site.slug}: {name} is not the page that was labelled"
            target = folder / site.slug / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return ""


def _clone(site: Labelled, clones: Path | None, scratch: Path) -> Path:
    """Return the git directory of the website's repository: one that lies there, or a new clone."""
    if clones:
        lying = clones / site.repository.replace("/", "+") / "repo"
        return lying / ".git" if (lying / ".git").is_dir() else lying
    address = f"https://github.com/{site.repository}.git"
    subprocess.run(["git", "clone", "-q", "--bare", address, str(scratch / "repo")], check=True)
    return scratch / "repo"


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "--git-dir", str(folder), *arguments], capture_output=True, check=False)


def main() -> int:
    """Bring every website, and say which ones could not be brought."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.collect")
    parser.add_argument("--clones", type=Path, help="a folder with clones at <owner>+<name>/repo")
    parser.add_argument("--pages", type=Path, default=PAGES)
    given = parser.parse_args()
    failed = [problem for site in sites() if (problem := bring(site, given.clones, given.pages))]
    sys.stdout.write("\n".join([*failed, f"{len(sites()) - len(failed)} of {len(sites())} websites in {given.pages}"]))
    sys.stdout.write("\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
