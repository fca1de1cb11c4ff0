"""The door: sub-commands go one way, everything else is a run described to Hydra."""

from __future__ import annotations

import difflib
import os
import signal
import sys
import textwrap
from types import FrameType

COMMANDS = (
    "compare", "curve", "doctor", "execute", "fetch", "grade", "judge", "leaderboard", "make-set", "models", "onset",
    "quantize", "redundancy", "report", "rescore", "route", "select", "show", "status", "tasks", "verify",
)  # fmt: skip

_HELP = """\
Measures whether a language model thinks too much.

Run one point, or a sweep with -m:
  python -m runner model=smollm2_135m suite.samples=20
  python -m runner -m model=qwen3_8b budget.tokens=256,512,1024,null
  python -m runner model=phi4 precision=bf16 plan=true      only say what would be done
  python -m runner sweep=token_budget                       a study: one of those below, or a file of yours

Studies that come with this program:
  {sweeps}

Groups and their options (add --cfg job to see every key of a composed point):
{groups}

Look at what there is (each has its own --help):
  python -m runner status STUDY        how far the runs of a study are
  python -m runner show RUN SAMPLE     one sample: prompt, thinking, answer, verdict; without SAMPLE the run's table
  python -m runner curve RUN           accuracy under smaller token budgets, by cutting its texts
  python -m runner compare RUN RUN     two runs on the same problems: differences, p-values, samples that flipped
  python -m runner verify RUN          check data and verdicts, generate some texts again, write a certificate
  python -m runner leaderboard STUDY   verified runs of any studies as one page
  python -m runner report STUDY        what a study says: a page with plots and traces; --wandb also a W&B report
  python -m runner redundancy STUDY    tokens before and after the first correct answer; embed=, baseline=
  python -m runner onset RUN           when the model knew: its thinking closed every step= tokens; needs the model
  python -m runner rescore STUDY       grade stored texts anew and show what changed
  python -m runner judge STUDY         have answers judged that no rule can grade; what=errors|patterns: taxonomies
  python -m runner execute STUDY       run stored programs on their problems' tests, in a sandbox
  python -m runner grade FILE.jsonl    grade texts that another harness produced
  python -m runner route STUDY         what choosing between thinking and direct answers would score; trains a router
  python -m runner select RUN RUN      tasks that a small thinking model does better than a large one: lambda=0.1
  python -m runner make-set recipe=... a set of questions by a recipe: written, answered k times, judged
  python -m runner models              models with what they need
  python -m runner tasks               sample problems; the messages sent with --show
  python -m runner doctor              what this machine can run and what is missing
  python -m runner fetch model=...     weights onto this machine, for later runs offline
  python -m runner quantize model=...  weights in precision=int8 or int4, made now instead of on first use
"""


def main() -> int:
    """Dispatch the command line; return the exit code."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_HELP.format(groups=_groups(), sweeps=_sweeps()))
        return 0
    if arguments[0] in COMMANDS:
        from runner.cli.app import main as command

        _end_on_sigterm()
        return command(arguments)
    if not any(sign in arguments[0] for sign in "=-+~"):
        return _unknown(arguments[0])
    from runner.app import main as run

    return run(arguments)


def _unknown(word: str) -> int:
    near = difflib.get_close_matches(word, COMMANDS, n=1)
    advice = f" Did you mean {near[0]}?" if near else ""
    print(
        f"{word}: no such command.{advice} Commands: {', '.join(COMMANDS)}; a run is typed as group=option",
        file=sys.stderr,
    )
    return 2


def _groups() -> str:
    """List the config groups from the folder names alone, so that help needs no heavy import."""
    from runner.config.folder import config_folder

    lines = []
    for group in sorted(path for path in config_folder().iterdir() if path.is_dir() and path.name != "hydra"):
        options = ", ".join(sorted(file.stem for file in group.glob("[!_]*.yaml")))
        lines.append(f"  {group.name:<10} {options}")
    return "\n".join(lines)


def _sweeps() -> str:
    from runner.config.folder import sweeps_folder

    names = ", ".join(sorted(path.stem for path in sweeps_folder().glob("*.yaml")))
    return textwrap.fill(names, 110, subsequent_indent="  ", break_on_hyphens=False)


def _guarded() -> int:
    """Run :func:`main` so that missing or closed standard streams and an early Ctrl-C end in an exit code."""
    _fill_standard_streams()
    try:
        code = main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        os.write(2, b"broken off\n")
        # Where the interrupt met code that was compiled from a string, as a dataclass is, the interpreter would end
        # by the signal in spite of any exit code.
        os._exit(130)
    except BrokenPipeError:  # the reader of a pipe has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as error:
        if error.filename is not None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.write(2, f"can't write standard output: {error.strerror}\n".encode(errors="replace"))
        return 1
    return code


def _end_on_sigterm() -> None:
    """Let SIGTERM end a sub-command as an exception does, so that no temporary file stays; a run has its own way."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)


def _fill_standard_streams() -> None:
    """Open what was closed: a file opened later must not become descriptor 1, and prints must go somewhere."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - lives as long as the process
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    sys.exit(_guarded())
