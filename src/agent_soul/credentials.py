"""Keys and tokens in a text. Pure; what was found is never said, only its first characters and its place.

Only forms that the issuer made recognisable are looked for: a prefix of its own, or a fixed frame. A password or a bare
hexadecimal key looks like much that is none, and a warning that is mostly wrong is soon not read. The forms are those
that the issuers publish for secret scanning.
"""

from __future__ import annotations

import binascii
import functools
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

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
    "alibaba": ("an Alibaba Cloud access key", rb"LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])"),
    # Only the scheme is taken up, so that a token in the password's place is still found where this is let be.
    "address": (
        "a password in an address",
        rb"[a-z][a-z0-9+.-]{1,20}://(?=(?P<login>[^\s:/@\"'<>{}$\\%]{1,64}:[^\s:/@\"'<>{}$\\]{8,128}@[A-Za-z0-9.-]{2,}))",
    ),
    "key": (
        "a private key",
        rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[nrt]|\s)*(?:[A-Za-z\d+/=]{16}|[A-Z][A-Za-z-]+: )",
    ),
}
_SIGNS = (
    *(b"AKIA", b"ASIA", b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_", b"glpat-", b"sk-", b"AIza"),
    *(b"xox", b"_live_", b"pypi-", b"npm_", b"eyJ", b"PRIVATE KEY", b"LTAI"),
)
"""One of them stands in each; most texts have none, and are spared the rest."""
_LOGIN = re.compile(rb"://[^\s:/@\"]+:[^\s/@\"]+@")
"""The sign of an address with a password; most addresses have none."""
_PLACEHOLDERS = (b"pass", b"secret", b"user", b"changeme", b"token", b"1234", b"abcd")
_SHORT = 2
"""Characters of a user's name that any password may hold by chance."""
_NO_HOSTS = re.compile(rb"(?i)localhost|127\.|0\.0\.0\.0|host(?:name)?\b|.*\.(?:example|invalid|test|localhost)\.?$")
_BEFORE = rb"(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4}))"
"""A key begins a word; in JSON the letter before it may belong to the escape of a line's end, or of any character."""


class Credential(NamedTuple):
    """What a text holds at `position` (bytes from 0): what it looks like, and its first characters."""

    position: int
    kind: str
    start: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.start}…)"


def may_hold_one(content: bytes) -> bool:
    """Tell whether it is worth a look; where not, `find_credentials` finds nothing either."""
    return any(sign in content for sign in _SIGNS) or _LOGIN.search(content) is not None


def find_credentials(content: bytes) -> Iterator[Credential]:
    """Yield each key or token in UTF-8 text, in order."""
    if not may_hold_one(content):
        return
    for found in _any().finditer(content):
        name = str(found.lastgroup)
        if _is_real(name, found["login"] or found[0]):
            yield Credential(found.start(), _FORMS[name][0], found[0][:_SHOWN].decode())


@functools.cache
def _any() -> re.Pattern[bytes]:
    forms = b"|".join(b"(?P<%s>%s)" % (name.encode(), form) for name, (_, form) in _FORMS.items())
    return re.compile(rb"%s(?:%s)" % (_BEFORE, forms))


def _is_real(kind: str, text: bytes) -> bool:
    if any(word in text for word in _EXAMPLES):
        return False
    if kind == "address":
        return _is_real_login(text)
    if kind == "jwt":
        return b'"alg"' in _decoded(text.split(b".")[0])
    return kind == "key" or len(set(text)) >= _LEAST_VARIETY


def _is_real_login(text: bytes) -> bool:
    """Tell whether `user:password@host` lets somebody in: what people write as an example has a plain word there."""
    login, _, host = text.rpartition(b"@")
    user, _, password = login.partition(b":")
    is_mixed = re.search(rb"[0-9]", password) and re.search(rb"[A-Za-z]", password)
    words = (*_PLACEHOLDERS, user.lower()) if len(user) > _SHORT else _PLACEHOLDERS
    is_plain = any(word in password.lower() for word in words)
    return bool(is_mixed) and not is_plain and not _NO_HOSTS.match(host) and len(set(password)) >= _LEAST_VARIETY


def _decoded(part: bytes) -> bytes:
    import base64  # 3 ms, which a text without anything like a token need not pay

    try:
        return base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        return b""
