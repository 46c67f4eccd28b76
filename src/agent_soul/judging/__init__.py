"""Whether two statements say the same, contradict each other, or speak of different things. Pure and deterministic."""

from agent_soul.judging.judge import contradiction, judge, may_be_duplicates
from agent_soul.judging.pairs import Judgement, Label, Statement
from agent_soul.judging.same import NEARLY_THE_SAME

__all__ = ["NEARLY_THE_SAME", "Judgement", "Label", "Statement", "contradiction", "judge", "may_be_duplicates"]
