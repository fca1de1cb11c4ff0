"""How often each extraction rule finds an answer, and how often it is the one that a reader takes."""
