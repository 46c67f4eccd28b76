"""Keeping a memory in order: what is old, what waits, what is worth more. All of it happens by appended events."""
