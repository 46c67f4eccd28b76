"""What is wrong with a hub and this clone of it: pure checks over gathered facts, one module per area."""
