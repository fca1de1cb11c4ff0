"""Engines: queues that turn requests into generations."""
