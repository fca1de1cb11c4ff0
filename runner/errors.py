"""The errors that end a command with one clear line instead of a traceback."""

from __future__ import annotations


class UserError(Exception):
    """A mistake in what was asked: the message says what was given, what is allowed and what to do.

    The command line prints the message alone and exits with code 2.
    """


class StorageError(Exception):
    """The run's folder can't be written (disk full, no permission); what was written stays valid.

    The command line prints the message alone and exits with code 1.
    """
