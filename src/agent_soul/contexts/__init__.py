"""What an agent should know now: the lines of the memory that its task needs, within a budget of tokens."""
