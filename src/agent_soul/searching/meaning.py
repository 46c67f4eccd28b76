"""Finding by meaning: what a model says of a question and of every event, as words' worth to add to the ranking.

Vectors of a multilingual model say first of all which language a text is in. So each language's mean is taken from
its vectors and from the question's, and an event is compared with those of its language: a Chinese question then finds
an English memory. One comparison for all languages was measured to find none of them.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from agent_soul.hub import Hub
from agent_soul.searching.filters import Filters
from agent_soul.searching.index import Index
from agent_soul.searching.models import Model
from agent_soul.searching.vectors import Vectors

# An event whose likeness is one standard deviation above that of its language's events counts one word.
_WORDS_PER_DEVIATION = 1.0
_CANDIDATES = 200
_BATCH = 32
# With fewer a language has no mean of its own.
_LANGUAGE = 5
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_LETTER = re.compile(r"\w")
# A character of these scripts says as much as three letters.
_CJK_SHARE = 1 / 4


class Meanings(NamedTuple):
    """Words' worth by number of the event, for those that are alike; and how many events have no vector yet."""

    worth: Mapping[int, float]
    missing: int


def is_cjk(text: str) -> bool:
    """Tell whether the text is mostly Chinese, Japanese or Korean."""
    return len(_CJK.findall(text)) > _CJK_SHARE * len(_LETTER.findall(text))


def embed_missing(
    index: Index, vectors: Vectors, model: Model, seconds: float, tell: Callable[[int, int], None] | None = None
) -> int:
    """Make vectors of the texts that have none, the newest first, and return how many are still without.

    Stops after `seconds`. `tell` is given how many are done, and of how many.
    """
    missing = index.texts_without(vectors.load().keys())
    deadline = time.monotonic() + seconds
    done = 0
    while done < len(missing) and time.monotonic() < deadline:
        batch = missing[done : done + _BATCH]
        made = model.embed([text for _, text in batch], False)
        vectors.add({key: vector for (key, _), vector in zip(batch, made, strict=True)})
        done += len(batch)
        if tell:
            tell(done, len(missing))
    return len(missing) - done


def meanings(hub: Hub, index: Index, model: Model, text: str, filters: Filters, seconds: float) -> Meanings:
    """Return what the model says of the events that pass the filters, as answers to `text`.

    Texts that it has not read yet are read for so many `seconds` before.
    """
    import numpy as np

    vectors = Vectors(hub, model.name)
    missing = embed_missing(index, vectors, model, seconds)
    read = read_events(index, vectors)
    if not read.numbers:
        return Meanings({}, missing)
    deviations = _deviations(read, model.embed([text], True)[0], is_cjk(text))
    passing = index.passing(filters)
    order = (i for i in np.argsort(-deviations, kind="stable") if read.numbers[i] in passing and deviations[i] > 0)
    best = itertools.islice(order, _CANDIDATES)
    return Meanings({read.numbers[i]: float(deviations[i]) * _WORDS_PER_DEVIATION for i in best}, missing)


class Read(NamedTuple):
    """The active events that have a vector: their numbers, and as rows of arrays their vectors and languages."""

    numbers: list[int]
    matrix: Any
    languages: Any
    """Whether each is in Chinese, Japanese or Korean."""

    def means(self) -> dict[bool, Any]:
        """Return the mean vector of each language; of one with few events, that of all."""
        everything = self.matrix.mean(axis=0)
        own = {cjk: self.matrix[self.languages == cjk] for cjk in (False, True)}
        return {cjk: rows.mean(axis=0) if len(rows) >= _LANGUAGE else everything for cjk, rows in own.items()}

    def bare(self) -> Any:
        """Return the vectors without their languages' means, each of length 1."""
        import numpy as np

        means = self.means()
        rows = self.matrix - np.where(self.languages[:, None], means[True], means[False])
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


def read_events(index: Index, vectors: Vectors) -> Read:
    """Return what the model has read of the active events."""
    import numpy as np

    known = vectors.load()
    events = [(number, known[key], cjk) for number, key, cjk in index.text_keys() if key in known]
    rows = np.frombuffer(b"".join(vector for _, vector, _ in events), dtype=np.float16)
    matrix = rows.reshape(len(events), -1).astype(np.float32) if events else np.zeros((0, 1), dtype=np.float32)
    return Read([number for number, _, _ in events], matrix, np.array([cjk for *_, cjk in events], dtype=bool))


def _deviations(read: Read, question: Any, question_is_cjk: bool) -> Any:
    """Return, for each row, how many standard deviations its likeness lies above the mean of its language."""
    import numpy as np

    likeness = read.bare() @ (question - read.means()[question_is_cjk])
    result = np.zeros(len(likeness), dtype=np.float32)
    for cjk in (False, True):
        own = likeness[read.languages == cjk]
        if len(own):
            result[read.languages == cjk] = (own - own.mean()) / max(float(own.std()), 1e-6)
    return result
