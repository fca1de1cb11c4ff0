from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_model import TEMPLATE, change_json, model_settings, request, thinking

from runner.engines.tokenization import Rendered, Tokenization
from runner.errors import UserError
from runner.sampling.generation import Boundary, FinishReason, Generation
from runner.sampling.request import Message, SamplingParams, Segment

LLAMA_DATE = (
    "{% if not date_string is defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}{{ date_string }}"
)
SYSTEM = (Message("system", "Be brief."), Message("user", "What is 1 + 2?"))


def load(folder: Path, context: int = 256, template: str | None = None, **changes: Any) -> Tokenization:
    if template is not None:
        (folder / "chat_template.jinja").write_text(template)
    return Tokenization.load(folder, model_settings(folder, **changes), context)


def rendered(tokenization: Tokenization, **fields: Any) -> Rendered:
    result = tokenization.render(request("k", **fields))
    assert isinstance(result, Rendered), result
    return result


def prompt(tokenization: Tokenization, **fields: Any) -> str:
    return tokenization.decode(rendered(tokenization, **fields).prompt_ids)


def failure(tokenization: Tokenization, **fields: Any) -> str:
    result = tokenization.render(request("k", **fields))
    assert isinstance(result, Generation)
    assert result.failure is not None
    assert result.failure.boundary is Boundary.PROMPT
    return result.failure.kind


def ids(tokenization: Tokenization, text: str) -> list[int]:
    return list(tokenization.tokenizer(text, add_special_tokens=False)["input_ids"])


def generation(tokenization: Tokenization, new_ids: list[int], **fields: Any) -> Generation:
    asked = request("k", **fields)
    reason = FinishReason.STOP if new_ids[-1] in tokenization.end_ids or asked.stop else FinishReason.LENGTH
    return tokenization.generation(asked, rendered(tokenization, **fields), new_ids, reason, latency_s=1.0)


def test_chat_prompt_is_the_templates_text_with_one_begin_token(tiny_tokenizer: Path) -> None:
    assert (
        prompt(load(tiny_tokenizer), messages=SYSTEM) == "<|begin|>[system]Be brief.\n[user]What is 1 + 2?\n[assistant]"
    )


def test_base_model_gets_a_plain_prompt_with_one_begin_token(tiny_tokenizer: Path) -> None:
    assert prompt(load(tiny_tokenizer, kind="base"), messages=SYSTEM) == "<|begin|>Be brief.\n\nWhat is 1 + 2?"


def test_model_without_a_chat_template_is_reported(tiny_tokenizer: Path) -> None:
    (tiny_tokenizer / "chat_template.jinja").unlink()
    assert failure(load(tiny_tokenizer)) == "no_chat_template"


@pytest.mark.parametrize(
    "template",
    [
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}" + TEMPLATE,
        "{% set messages = messages | rejectattr('role', 'equalto', 'system') | list %}" + TEMPLATE,
        "{% if broken",
    ],
    ids=["raises", "drops it", "does not parse"],
)
def test_template_that_takes_no_system_message_is_reported(tiny_tokenizer: Path, template: str) -> None:
    assert failure(load(tiny_tokenizer, template=template), messages=SYSTEM) == "template_failed"


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("{{ strftime_now('%d %b %Y') }}", "26 Jul 2024"),
        ("{% macro today() %}{{ strftime_now('%A, %Y-%m-%d') }}{% endmacro %}{{ today() }}", "Friday, 2024-07-26"),
        (LLAMA_DATE, "26 Jul 2024"),
    ],
)
def test_dated_template_gives_the_same_prompt_every_day(tiny_tokenizer: Path, clock: str, expected: str) -> None:
    text = prompt(load(tiny_tokenizer, template="  \n" + clock + TEMPLATE))
    assert text == f"  \n{expected}<|begin|>[user]What is 12 + 30?\n[assistant]"


def test_template_file_and_options_reach_the_template(tiny_tokenizer: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.jinja"
    file.write_text("{{ messages[0]['content'] }}{% if not enable_thinking %}!{% endif %}")
    tokenization = load(tiny_tokenizer, chat_template=str(file))
    assert prompt(tokenization, text="7", template_options={"enable_thinking": False}) == "7!"
    with pytest.raises(UserError, match="chat_template="):
        load(tiny_tokenizer, chat_template=str(tmp_path / "absent"))


def test_the_context_caps_new_tokens_and_refuses_a_prompt_that_fills_it(tiny_tokenizer: Path) -> None:
    tokens = len(rendered(load(tiny_tokenizer)).prompt_ids)
    assert rendered(load(tiny_tokenizer, context=tokens + 5), max_tokens=None).max_new_tokens == 5
    assert rendered(load(tiny_tokenizer, context=tokens + 5), max_tokens=9).max_new_tokens == 5
    assert rendered(load(tiny_tokenizer, context=tokens + 5), max_tokens=3).max_new_tokens == 3
    assert failure(load(tiny_tokenizer, context=tokens)) == "prompt_too_long"
    assert failure(load(tiny_tokenizer), max_tokens=0) == "no_tokens_asked"


def test_lone_surrogate_in_a_prompt_is_reported(tiny_tokenizer: Path) -> None:
    assert failure(load(tiny_tokenizer), text="\ud800") == "not_encodable"


def test_prefix_takes_stored_ids_as_they_are_and_encodes_the_rest(tiny_tokenizer: Path) -> None:
    tokenization = load(tiny_tokenizer)
    forced = Segment("</think>", injected=True)
    prefix = (Segment("12", token_ids=(299, 7)), forced)
    result = rendered(tokenization, prefix=prefix)
    assert result.prefix_ids == (299, 7, *ids(tokenization, "</think>"))
    assert result.prompt_ids == rendered(tokenization).prompt_ids
    assert result.prompt_sha256 == rendered(tokenization).prompt_sha256


# The same counts whether a marker is one special token or several ordinary ones.
MARKERS = [("<think>", "</think>"), ("<reason>", "</reason>"), ("◁think▷", "◁/think▷")]


@pytest.mark.parametrize(("opening", "closing"), MARKERS)
@pytest.mark.parametrize(
    ("parts", "thinking_parts"),
    [
        (["no", "thinking"], []),
        (["OPEN", "12 + 30", "CLOSE", "42", "END"], [1]),
        (["a", "OPEN", "12", "CLOSE", "b", "OPEN", "30 + 1", "CLOSE", "c"], [2, 6]),
        (["OPEN", "12 + 30 is the answer. " * 40, "CLOSE", "1"], [1]),
        (["OPEN", "never closed", "END"], [1, 2]),
        (["OPEN", "CLOSE", "OPEN", "CLOSE", "1"], []),
        (["CLOSE", "stray", "CLOSE"], []),
    ],
)
def test_thinking_is_what_stands_strictly_between_the_markers(
    tiny_tokenizer: Path, opening: str, closing: str, parts: list[str], thinking_parts: list[int]
) -> None:
    tokenization = load(tiny_tokenizer, thinking=thinking(opening, closing))
    names = {"OPEN": opening, "CLOSE": closing, "END": "<|end|>"}
    pieces = [ids(tokenization, names.get(part, part)) for part in parts]
    usage = generation(tokenization, [token for piece in pieces for token in piece]).usage
    markers = sum(len(piece) for piece, part in zip(pieces, parts, strict=True) if part in ("OPEN", "CLOSE"))
    assert usage.thinking == sum(len(pieces[place]) for place in thinking_parts)
    assert usage.output == sum(len(piece) for piece in pieces)
    assert usage.answer == usage.output - usage.thinking - markers
    assert usage.prompt == len(rendered(tokenization).prompt_ids)


def test_a_token_shared_by_two_markers_is_counted_once(tiny_tokenizer: Path) -> None:
    tokenization = load(tiny_tokenizer, thinking=thinking("12 +", "+ 30"))  # "+" ends one and begins the other
    usage = generation(tokenization, [*ids(tokenization, "12 + 30"), *ids(tokenization, "42")]).usage
    assert (usage.thinking, usage.answer) == (0, len(ids(tokenization, "42")))


@pytest.mark.parametrize(
    ("turn_start", "question", "prefix", "is_open", "thinks"),
    [
        ("<think>\n", "1 + 2?", "", True, True),
        # A turn that begins with what only a closing marker ends: nobody saw the thinking opened.
        ("<think>\n\n</think>\n\n", "1 + 2?", "", False, True),
        ("", "What does <think> mean?", "", False, True),
        ("<think>", "What does </think> mean?", "", True, True),
        ("", "k", "<think>first", True, True),
        ("<think>", "k", "first</think>42", False, False),
    ],
)
def test_thinking_may_be_open_before_the_new_text(
    tiny_tokenizer: Path, turn_start: str, question: str, prefix: str, is_open: bool, thinks: bool
) -> None:
    template = TEMPLATE.replace("[assistant]", "[assistant]" + turn_start)
    tokenization = load(tiny_tokenizer, template=template, thinking=thinking())
    fields = {"text": question, "prefix": (Segment(prefix),) if prefix else ()}
    assert rendered(tokenization, **fields).thinking_open is is_open
    usage = generation(tokenization, ids(tokenization, "7 8</think>9"), **fields).usage
    assert (usage.thinking, usage.answer) == (
        (len(ids(tokenization, "7 8")) if thinks else 0),
        usage.output - usage.thinking - 1,
    )


def test_counts_of_a_text_cut_anywhere_add_up(tiny_tokenizer: Path) -> None:
    tokenization = load(tiny_tokenizer, thinking=thinking("<reason>", "</reason>"))
    everything = ids(tokenization, "a<reason>12 + 30 is 42</reason>The answer")
    whole = generation(tokenization, everything).usage
    start, end = (len(ids(tokenization, text)) for text in ("a<reason>", "a<reason>12 + 30 is 42"))
    for cut in range(start, end + 1):  # where the first stretch ends in no half marker
        first = generation(tokenization, everything[:cut])
        segment = Segment(first.text, first.token_ids)
        second = generation(tokenization, everything[cut:], prefix=(segment,))
        assert first.usage.thinking + second.usage.thinking == whole.thinking
        assert first.text + second.text == generation(tokenization, everything).text
    half = len(ids(tokenization, "a<reason>12 + 30 is 42")) + 1
    segment = Segment(tokenization.decode(everything[:half]), tuple(everything[:half]))
    assert generation(tokenization, everything[half:], prefix=(segment,)).usage.thinking == 0


def test_end_token_and_stop_string_leave_the_text_but_not_the_ids(tiny_tokenizer: Path) -> None:
    tokenization = load(tiny_tokenizer)
    ended = ids(tokenization, "42<|end|>")
    assert generation(tokenization, ended).text == "42"
    assert generation(tokenization, ended).token_ids == tuple(ended)
    stopped = ids(tokenization, "42\nQuestion:")
    assert generation(tokenization, stopped, stop=("Question:", "\nQ")).text == "42"
    assert generation(tokenization, stopped, stop=("Question:", "\nQ")).usage.answer == len(stopped)


def test_stop_string_is_seen_at_the_token_that_completes_it(tiny_tokenizer: Path) -> None:
    tokenization = load(tiny_tokenizer)
    asked, new_ids = request("k", stop=("é\nQ",)), ids(tokenization, "The answer is 7é\nQuestion")
    seen = [tokenization.stopped(asked, new_ids[:length]) for length in range(len(new_ids) + 1)]
    first = next(length for length in range(len(new_ids) + 1) if "é\nQ" in tokenization.decode(new_ids[:length]))
    assert seen.index(True) == first


def test_stretches_join_without_a_seam_where_the_tokenizer_strips_a_leading_space(tiny_tokenizer: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    metaspace = Tokenizer(models.BPE())
    metaspace.pre_tokenizer = pre_tokenizers.Metaspace()
    metaspace.decoder = decoders.Metaspace()
    metaspace.train_from_iterator(
        ["[user] the answer is 7"], trainers.BpeTrainer(special_tokens=["<|begin|>", "<|end|>"])
    )
    metaspace.save(str(tiny_tokenizer / "tokenizer.json"))
    tokenization = load(tiny_tokenizer, template="{{ messages[0]['content'] }}")
    new_ids = ids(tokenization, "the answer is")
    first = generation(tokenization, new_ids[:1], text="the answer is 7")
    second = generation(
        tokenization, new_ids[1:], text="the answer is 7", prefix=(Segment(first.text, first.token_ids),)
    )
    assert first.text + second.text == " the answer is"


def test_end_ids_are_those_of_the_generation_config_and_the_tokenizer(tiny_tokenizer: Path) -> None:
    change_json(tiny_tokenizer / "generation_config.json", eos_token_id=[7, 8])
    assert load(tiny_tokenizer).end_ids == {1, 7, 8}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, SamplingParams()),
        ({"do_sample": False, "temperature": 0.7}, SamplingParams()),
        (
            {"do_sample": True, "temperature": 0.6, "top_p": 0.95, "top_k": 20, "repetition_penalty": 1.05},
            SamplingParams(0.6, 0.95, 20, 1.05),
        ),
        ({"do_sample": True, "top_k": None}, SamplingParams(1.0)),
    ],
)
def test_default_sampling_is_the_generation_configs(
    tiny_tokenizer: Path, config: dict[str, Any] | None, expected: SamplingParams
) -> None:
    if config is not None:
        (tiny_tokenizer / "generation_config.json").write_text(json.dumps(config))
    assert load(tiny_tokenizer).default_sampling() == expected


def test_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no usable tokenizer"):
        load(tmp_path)
