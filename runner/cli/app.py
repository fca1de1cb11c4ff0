"""The sub-commands' command line: each only reads arguments and calls its module."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from runner.config.settings import Scoring
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, StorageError, UserError
from runner.report.console import make_console, print_line, visible

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

_Overrides = Annotated[
    list[str] | None, typer.Argument(help="Choices as for a run, e.g. model=phi4", show_default=False)
]

_ConfigDir = Annotated[Path | None, typer.Option("--config-dir", "-cd", help="Folder with config groups of your own")]

_ScoringOption = Annotated[Scoring, typer.Option(help="Who decides")]


def main(arguments: Sequence[str]) -> int:
    """Run one sub-command; return the exit code."""
    try:
        code = app(list(arguments), prog_name="python -m runner", standalone_mode=False)
    except (UserError, StorageError) as error:
        return _complain(str(error), EXIT_USAGE if isinstance(error, UserError) else EXIT_FAILED)
    except OSError as error:  # a name that no file can have
        if error.filename is None:  # standard output can't be written
            raise
        return _complain(str(error), EXIT_USAGE)
    except typer.Abort:
        return EXIT_INTERRUPTED
    except Exception as error:  # typer's own complaints know how to show themselves
        if not hasattr(error, "format_message"):
            raise
        return _complain(error.format_message(), EXIT_USAGE)
    return code if isinstance(code, int) else 0


@app.command()
def compare(
    words: Annotated[list[str], typer.Argument(metavar="RUN RUN | STUDY PART PART", show_default=False)],
    limit: Annotated[int, typer.Option(min=0, help="How many samples that one run alone got right are listed")] = 10,
    csv: Annotated[str | None, typer.Option(help="File for all of these samples, - for standard output")] = None,
    scoring: _ScoringOption = Scoring.PAPER,
) -> None:
    """Compare two runs on the problems that both answered: differences with intervals and p-values, and what flipped.

    RUN is a run's folder; or give a study's folder and a part of each run's name.
    """
    from runner.cli.compare import compare as compare_runs

    compare_runs(words, scoring, limit, csv, make_console())


@app.command()
def curve(
    run: Path,
    part: Annotated[str | None, typer.Argument(help="Part of the run's name, if RUN is a study's folder")] = None,
    caps: Annotated[str | None, typer.Option(help="Output tokens, e.g. 64,128,256; powers of two by default")] = None,
    csv: Annotated[str | None, typer.Option(help="File for the same table with full precision")] = None,
    scoring: _ScoringOption = Scoring.PAPER,
) -> None:
    """Show accuracy and tokens of a finished run under smaller token budgets, by cutting its texts.

    Needs the model's tokenizer, not its weights in memory. A point equals the run that has this budget.tokens.
    """
    from runner.cli.curve import show_curve

    show_curve(run, part, caps, csv, scoring, make_console())


@app.command()
def doctor() -> int:
    """Say what this machine can run and what is missing."""
    from runner.cli.doctor import run_doctor

    return run_doctor(make_console())


@app.command()
def execute(study: Path) -> int:
    """Run stored programs (suite=livecodebench) on their problems' tests, in a sandbox; each program once."""
    from runner.cli.execute import execute_study

    return execute_study(study, make_console())


@app.command()
def fetch(overrides: _Overrides = None, config_dir: _ConfigDir = None) -> None:
    """Bring weights and a stored set onto this machine, so that later runs need no network."""
    from runner.cli.fetch import fetch as fetch_weights
    from runner.config.compose import compose

    fetch_weights(compose(overrides or [], config_dir), make_console())


@app.command()
def grade(
    file: Annotated[Path, typer.Argument(help="JSON lines, - for standard input", show_default=False)],
    out: Annotated[
        str | None,
        typer.Option(
            help="Where the verdicts go, - for standard output; by default FILE.verdicts.jsonl, or standard output "
            "where the texts come from standard input or a pipe"
        ),
    ] = None,
    task: Annotated[str | None, typer.Option(help="Task of lines that name none")] = None,
    scoring: _ScoringOption = Scoring.PAPER,
) -> int:
    """Grade texts that another harness produced: JSON lines with task, data or gold, and response.

    Also read are lm-eval's resps and filtered_resps, and input, output, completion and target. A line may say
    finish_reason, family and id.
    """
    from runner.cli.grade import grade_file

    return grade_file(file, out, task, scoring)


@app.command()
def judge(
    study: Path,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="judge=... [what=errors|patterns]", help="Who judges, and what", show_default=False),
    ] = None,
    check: Annotated[int, typer.Option(min=0, help="Also judge so many answers a run that rules have graded")] = 0,
    most: Annotated[int, typer.Option(min=1, help="Wrong answers or traces a run, for what=errors|patterns")] = 200,
    config_dir: _ConfigDir = None,
) -> int:
    """Have stored answers judged that no rule can grade, or kinds of error and patterns; says how far rules agree.

    The texts stay as they are; verdicts are made again, and what a judge said is asked once.
    """
    from runner.cli.judge import judge_study

    return judge_study(study, words or [], check, most, config_dir, make_console())


@app.command()
def leaderboard(
    folders: Annotated[list[Path], typer.Argument(help="Studies, or runs", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the page")] = Path("leaderboard"),
    scoring: _ScoringOption = Scoring.PAPER,
) -> int:
    """Merge verified runs of any studies into one static page.

    A run without a certificate of `verify` that fits it, or without its metadata, is refused.
    """
    from runner.cli.leaderboard import leaderboard as merge

    return merge(folders, out, scoring, make_console())


@app.command("make-set")
def make_set(
    words: Annotated[list[str] | None, typer.Argument(help="recipe=..., its values, out=FOLDER")] = None,
    config_dir: _ConfigDir = None,
) -> int:
    """Make a set of questions: written by one model, answered k times by another, kept where a judge finds all equal.

    Whatever ends it, the same command goes on. Needs the models of the recipe.
    """
    from runner.cli.make_set import make_set as make

    return make(words or [], config_dir, make_console())


@app.command()
def models(json: Annotated[bool, typer.Option("--json", help="One JSON array, for programs")] = False) -> None:
    """List the models of conf/model with what each is, supports and needs."""
    from runner.cli.models import show_models

    show_models(make_console(), json)


@app.command()
def quantize(overrides: _Overrides = None, config_dir: _ConfigDir = None) -> None:
    """Make a model's weights in precision=int8 or int4 now, which a run does on first use."""
    from runner.cli.quantize import quantize as quantize_weights
    from runner.config.compose import compose

    quantize_weights(compose(overrides or [], config_dir), make_console())


@app.command()
def onset(
    run: Path,
    words: Annotated[list[str] | None, typer.Argument(metavar="[step=64] [samples=32]", show_default=False)] = None,
) -> int:
    """Find out when a model knew: close its stored thinking every few tokens and grade the answer that it gives there.

    step is in tokens of thinking; samples is the most samples. Needs the model, as the run did.
    """
    from runner.cli.onset import show_onset

    return show_onset(run, words or [], make_console())


@app.command()
def redundancy(
    study: Path,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[embed=minilm] [baseline=RUN] [ablation=true]", show_default=False),
    ] = None,
    scoring: _ScoringOption = Scoring.PAPER,
) -> None:
    """Show where the tokens of traces went: before and after the first correct answer, and what right answers cost.

    embed is minilm, lexical (fast) or api:URL#MODEL; baseline is a part of the name of the run that the others are
    compared with; ablation=true adds other window sizes. Needs no model.
    """
    from runner.cli.redundancy import show_redundancy

    show_redundancy(study, words or [], scoring, make_console())


@app.command()
def report(
    study: Path,
    out: Annotated[Path | None, typer.Option(help="Folder of the page; STUDY/report by default")] = None,
    texts: Annotated[int, typer.Option(min=1, help="Most samples, over all runs, whose text the page holds")] = 20_000,
    wandb: Annotated[bool, typer.Option("--wandb", help="Also a report on W&B, or its JSON offline")] = False,
    scoring: _ScoringOption = Scoring.PAPER,
) -> None:
    """Write what a study says as a page: one folder to open with a double click, without a network."""
    from runner.cli.report import report_study

    report_study(study, out, texts, wandb, scoring, make_console())


@app.command()
def rescore(
    study: Path,
    scoring: _ScoringOption = Scoring.PAPER,
    limit: Annotated[int, typer.Option(min=0, help="How many changed samples are shown")] = 20,
    csv: Annotated[str | None, typer.Option(help="File for all changed samples, - for standard output")] = None,
    before: Annotated[
        str | None,
        typer.Option("--from", metavar="VERSION", help="Grader to compare with; by default the newest other"),
    ] = None,
    after: Annotated[
        str | None, typer.Option("--to", metavar="VERSION", help="Grader that is compared; by default today's")
    ] = None,
) -> int:
    """Grade the stored texts of a study anew, without a model, and show what changed.

    The new verdicts are compared with the newest ones of another grader version, or with the default scoring.
    """
    from runner.cli.rescore import Versions, rescore_study

    return rescore_study(study, scoring, Versions(before, after), limit, csv, make_console())


@app.command()
def route(
    study: Path,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[thinking=PART direct=PART] [embed=...]", help="Which runs", show_default=False),
    ] = None,
    router: Annotated[Path | None, typer.Option(help="A saved router; by default one is trained")] = None,
    out: Annotated[Path | None, typer.Option(help="Where a trained router is saved; STUDY/router.json")] = None,
    csv: Annotated[str | None, typer.Option(help="File for the table, - for standard output")] = None,
    scoring: _ScoringOption = Scoring.PAPER,
) -> None:
    """Say what choosing by question between a thinking and a direct run would score: oracles, thresholds, a router.

    Nothing is generated. The router learns from some of the questions and is scored on the others.
    """
    from runner.cli.route import route as route_study

    route_study(study, words or [], (router, out), csv, scoring, make_console())


@app.command()
def select(
    words: Annotated[
        list[str],
        typer.Argument(metavar="RUN RUN [lambda=0.1]", help="Small thinking, large direct", show_default=False),
    ],
    csv: Annotated[str | None, typer.Option(help="File for the table, - for standard output")] = None,
    scoring: _ScoringOption = Scoring.PAPER,
) -> None:
    """Select tasks on which thinking pays: the first run's accuracy minus the second's is above lambda.

    A task whose interval does not lie above lambda is marked, not selected.
    """
    from runner.cli.select import select as select_tasks

    select_tasks(words, csv, scoring, make_console())


@app.command()
def show(
    run: Path,
    words: Annotated[list[str] | None, typer.Argument(metavar="[PART] [SAMPLE]", show_default=False)] = None,
) -> None:
    """Show one sample of a run: prompt, thinking, answer, verdict and the rule that found it; or the run's table.

    RUN is a run's folder, or a study's with a PART of the run's name behind it. SAMPLE is a problem id, optionally with
    /repeat, the beginning of one, or a task's name for its first wrong sample; without it the table is shown.
    """
    from runner.cli.show import show as show_run

    show_run(run, words or [], make_console())


@app.command()
def status(
    study: Path,
    watch: Annotated[bool, typer.Option("--watch", help="Show it until nobody works on the study any more")] = False,
    cancel: Annotated[bool, typer.Option("--cancel", help="First end its jobs on a cluster; texts are kept")] = False,
) -> int:
    """Say how far the runs of a study are, and the command that finishes each."""
    from runner.cli.status import cancel_jobs, show_status

    console = make_console()
    if cancel:
        cancel_jobs(study, console)
    return show_status(study, console, watch=watch)


@app.command()
def tasks(
    overrides: _Overrides = None,
    show: Annotated[str | None, typer.Option(help="Show the messages for this task's first problem")] = None,
    config_dir: _ConfigDir = None,
    multirun: Annotated[bool, typer.Option("--multirun", "-m", help="Allowed, since a run may be pasted")] = False,
) -> None:
    """List the tasks with a sample problem each, those of suite.task_folder among them.

    Takes all that a run takes; of a sweep, the first point counts.
    """
    from runner.cli.tasks import first_point, show_prompt, show_tasks

    console = make_console()
    settings = first_point(overrides or [], config_dir, console)
    if show is None:
        show_tasks(settings, console)
    else:
        show_prompt(settings, show, console)


@app.command()
def verify(
    run: Path,
    part: Annotated[str | None, typer.Argument(help="Part of the run's name, if RUN is a study's folder")] = None,
    samples: Annotated[int, typer.Option(min=1, help="How many texts are generated again")] = 8,
) -> int:
    """Check a run: all data and verdicts, and some texts generated again; writes the run's certificate.

    Needs the model, as the run did. Exit code 0: all agreed; 1: something differs; 2: it can't be checked here.
    """
    from runner.cli.verify import verify as verify_run

    return verify_run(run, part, samples, make_console())


def _complain(message: str, code: int) -> int:
    print_line(make_console(errors=True), visible(message))
    return code
