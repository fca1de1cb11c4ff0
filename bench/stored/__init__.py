"""Sets of problems that others published, one a file; none is shipped, each is read from a file."""
