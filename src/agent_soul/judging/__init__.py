"""Whether two statements say the same, contradict each other, or speak of different things. Pure and deterministic."""

from agent_soul.judging.judge import Judgement, Label, Statement, judge

__all__ = ["Judgement", "Label", "Statement", "judge"]
