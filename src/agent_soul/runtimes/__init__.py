"""What each agent program reads, where, and how much of it; joining it to a hub, and taking that back."""
