"""Whether two statements say the same, contradict each other, or speak of different things. Pure and deterministic."""

from agent_soul.judging.judge import contradiction, judge, may_be_duplicates
from agent_soul.judging.pairs import Judgement, Label, Statement

__all__ = ["Judgement", "Label", "Statement", "contradiction", "judge", "may_be_duplicates"]
