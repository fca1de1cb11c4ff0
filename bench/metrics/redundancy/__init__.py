"""Figures of redundancy: likeness of windows, scores against a baseline run, efficiency, stopping early."""
