"""What is worked out from the files of this package, kept where Python keeps compiled modules, and as faithfully.

As with a compiled module the kept result counts as long as size and time of what it was made from are the same, and a
folder that cannot be written costs nothing but time.
"""

from __future__ import annotations

import contextlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def kept(sources: Sequence[Path], build: Callable[[], Any]) -> Any:
    """Return what `build` makes of the files `sources`; plain values only, such as `marshal` can write."""
    stamp = [(status.st_size, status.st_mtime_ns) for status in map(Path.stat, sources)]
    file = Path(importlib.util.cache_from_source(str(sources[0]))).with_suffix(".tables")
    with contextlib.suppress(OSError, ValueError, TypeError, EOFError):
        made_of, value = marshal.loads(file.read_bytes())  # noqa: S302 - beside modules that are trusted as much
        if made_of == stamp:
            return value
    value = build()
    if not sys.dont_write_bytecode:
        with contextlib.suppress(OSError):
            _write(file, marshal.dumps((stamp, value)))
    return value


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    own = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        own.write_bytes(content)
        own.replace(file)
    except OSError:
        own.unlink(missing_ok=True)
        raise
