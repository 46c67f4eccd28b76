"""Whether two statements say the same, contradict each other, or speak of different things. Pure and deterministic."""

from typing import TYPE_CHECKING, Any

from agent_soul.judging.statements import Judgement, Label, Statement

if TYPE_CHECKING:
    from agent_soul.judging.judge import contradiction, judge, may_be_duplicates
    from agent_soul.judging.same import NEARLY_THE_SAME

__all__ = ["NEARLY_THE_SAME", "Judgement", "Label", "Statement", "contradiction", "judge", "may_be_duplicates"]


def __getattr__(name: str) -> Any:
    """Load the rules once two statements are to be compared: a tenth of a `share`, and most have none to compare."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agent_soul.judging.judge import contradiction, judge, may_be_duplicates
    from agent_soul.judging.same import NEARLY_THE_SAME

    # `judge` was the module of that name until now
    globals().update(
        NEARLY_THE_SAME=NEARLY_THE_SAME, contradiction=contradiction, judge=judge, may_be_duplicates=may_be_duplicates
    )
    return globals()[name]
