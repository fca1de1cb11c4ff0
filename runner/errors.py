"""How a command ends: its exit codes, and the errors that are one clear line instead of a traceback."""

from __future__ import annotations

EXIT_FAILED = 1  # some samples failed, or the run could not go on
EXIT_USAGE = 2  # a mistake in what was asked
EXIT_LATER = 75  # a batch is under way; the same command collects it (EX_TEMPFAIL of sysexits.h)
EXIT_INTERRUPTED = 130


class UserError(Exception):
    """A mistake in what was asked: the message says what was given, what is allowed and what to do.

    The command line prints the message alone and exits with code 2.
    """


class StorageError(Exception):
    """The run's folder can't be written (disk full, no permission); what was written stays valid.

    The command line prints the message alone and exits with code 1.
    """
