"""The digests that name things here, from Python's own small modules: `hashlib` loads OpenSSL, for 4 ms of any command.

`random` of the standard library imports its digest in the same way, for the same reason. None of these guards
anything: they name what is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b, sha1, sha256
else:
    try:
        from _blake2 import blake2b
        from _sha1 import sha1

        try:
            from _sha2 import sha256  # Python 3.12 and newer
        except ImportError:
            from _sha256 import sha256
    except ImportError:  # a Python that was built without its own
        from hashlib import blake2b, sha1, sha256

__all__ = ["blake2b", "sha1", "sha256"]
