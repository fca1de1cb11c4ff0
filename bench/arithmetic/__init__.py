"""The fourteen basic-math tasks, one a file."""
