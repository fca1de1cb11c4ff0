"""Trains the tiny demonstration model that thinks; not part of the product's packages."""
