"""The sub-commands that look at things instead of running them."""
