"""Keys and tokens that somebody recorded. Pure; what was found is never said, only its first characters and its place.

Only forms that the issuer made recognisable are looked for: a prefix of its own, or a fixed frame. A password or a bare
hexadecimal key looks like much that is none, and a warning that is mostly wrong is soon not read. The forms are those
that the issuers publish for secret scanning.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping

from agent_soul.doctor.finding import Finding

_SHOWN = 4
_LEAST_VARIETY = 8
"""Different characters of a real key at least; a placeholder such as `ghp_xxxxxxxx` has fewer."""
_EXAMPLES = (b"example", b"EXAMPLE", b"your", b"xxxx", b"XXXX")
_FORMS: Mapping[str, tuple[str, bytes]] = {
    "aws": ("an AWS access key", rb"(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    "github": ("a GitHub token", rb"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})"),
    "gitlab": ("a GitLab token", rb"glpat-[A-Za-z0-9_-]{20,}"),
    "anthropic": ("an Anthropic key", rb"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{32,}"),
    "openai": (
        "an OpenAI key",
        rb"sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}(?![A-Za-z0-9]))",
    ),
    "google": ("a Google API key", rb"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    "slack": ("a Slack token", rb"xox[abprs]-[0-9]{6,}-[A-Za-z0-9-]{10,}"),
    "stripe": ("a Stripe key", rb"[sr]k_live_[A-Za-z0-9]{24,}"),
    "pypi": ("a PyPI token", rb"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}"),
    "npm": ("an npm token", rb"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    "jwt": ("a JSON web token", rb"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"),
    "key": (
        "a private key",
        rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|\s)*(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]+: )",
    ),
}
_ANY = re.compile(
    rb"(?<![A-Za-z0-9_])(?:%s)" % b"|".join(b"(?P<%s>%s)" % (n.encode(), p) for n, (_, p) in _FORMS.items())
)


def check_secrets(files: Mapping[str, bytes]) -> Iterator[Finding]:
    """Yield each key or token in `files` (path to content) with its line."""
    for path, content in files.items():
        for found in _ANY.finditer(content):
            if not _is_real(str(found.lastgroup), found[0]):
                continue
            line = content.count(b"\n", 0, found.start()) + 1
            what = f"looks like {_FORMS[str(found.lastgroup)][0]}: {found[0][:_SHOWN].decode()}…"
            yield Finding("secret", f"{path}:{line}", what, _WHY, _mend(path))


_WHY = "whoever reads the memory has it, and the history keeps it"


def _mend(path: str) -> str:
    first = "revoke it where it was issued; only that ends it"
    if path.startswith("sources/"):
        return f'{first}. Then `soul retract ID --source YOUR-ID --reason "held a key"` takes it off the pages'
    return f"{first}. Then take it out of {path}"


def _is_real(kind: str, text: bytes) -> bool:
    if any(word in text for word in _EXAMPLES):
        return False
    if kind == "jwt":
        return b'"alg"' in _decoded(text.split(b".")[0])
    return kind == "key" or len(set(text)) >= _LEAST_VARIETY


def _decoded(part: bytes) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        return b""
