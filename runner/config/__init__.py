"""What is asked: settings, the rules between them, their fingerprint and the plan."""
