"""What agent programs run by themselves when a session starts, pauses and ends: `soul hook`."""
