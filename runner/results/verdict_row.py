"""A stored verdict: the columns of a run's verdict tables."""

from __future__ import annotations

from typing import TypedDict


class VerdictRow(TypedDict):
    """One sample with its verdict, a row of ``verdicts-*.parquet``.

    Attributes:
        problem_id: With ``repeat`` the sample.
        task: Task name.
        category: The task's category.
        fold: Fold of the problem.
        index: Index within task and fold.
        repeat: 0 for the first sample of a problem.
        status: See :class:`runner.results.record.RecordStatus`.
        outcome: See :class:`bench.verdict.Outcome`; None for an error, which is no answer and gets no verdict.
        correct: Whether the outcome is ``correct``; None without a verdict, as all that follows from one.
        score: Partial credit in [0, 1], see :class:`bench.verdict.Verdict`; None where the task gives none.
        answer: The answer that was read, canonical text.
        gold: The exact answer, canonical text.
        rule: The rule that found the answer.
        reason: Why nothing was read, or why there is no verdict: ``unreadable_data`` where the stored data is damaged
            or not what the problem's id names,
            ``grader_failed`` where the task or the grader raised an exception.
        instruction_followed: Whether the visible answer holds a readable closed box.
        thinking_state: See :class:`bench.thinking.ThinkingState`.
        prompt_tokens: Of the rendered prompt.
        thinking_tokens: Strictly between the markers.
        answer_tokens: Output that is neither thinking nor marker.
        output_tokens: All that the model produced.
        injected_tokens: Forced into the text; in no other count.
        tool_calls: Calls of tools, those that could not be made among them.
        tool_tokens: What tools gave back; in no other count.
        tool_errors: What went wrong with the calls, a JSON list of kind, rule and number of the call, see
            :func:`bench.taxonomy.tool_errors.tool_errors`.
        usage_source: How the tokens were counted; figures of different sources are not comparable.
        words: Words of the final message, thinking included, separated by white space.
        characters: Unicode code points of it.
        latency_s: Seconds from submission to the end.
        finish_reason: Why the text ended.
        max_tokens: The cap that acted, None if unknown.
        budget_hit: Whether the budget acted, see :class:`runner.results.record.Record`; None without one, and in
            records of earlier versions.
        failure_kind: Short name of the error.
        facts: The problem's difficulty facts as JSON.
        grader_version: Version of the grader that spoke.
        scoring: See :class:`runner.config.settings.Scoring`.
    """

    problem_id: str
    task: str
    category: str
    fold: int
    index: int
    repeat: int
    status: str
    outcome: str | None
    correct: bool | None
    score: float | None
    answer: str | None
    gold: str | None
    rule: str | None
    reason: str | None
    instruction_followed: bool | None
    thinking_state: str | None
    prompt_tokens: int
    thinking_tokens: int
    answer_tokens: int
    output_tokens: int
    injected_tokens: int
    tool_calls: int
    tool_tokens: int
    tool_errors: str
    usage_source: str
    words: int
    characters: int
    latency_s: float
    finish_reason: str
    max_tokens: int | None
    budget_hit: bool | None
    failure_kind: str | None
    facts: str
    grader_version: str
    scoring: str
