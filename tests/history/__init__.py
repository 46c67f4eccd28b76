"""Many writers on one remote, with a nemesis, and a checker of what they left behind."""
