"""Conversations with tools through chat templates of the common families' shapes."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_tokenization import failure, load, prompt, rendered
from tiny_model import request

from runner.sampling.request import Message, ModelCall
from runner.tools.protocol import SPECS

CALCULATOR = (SPECS["calculator"],)
ADD, DOUBLE = ModelCall("abc123xyz", "calculator", '{"expression": "1 + 2"}'), ModelCall("b" * 9, "calculator", "{}")
TALK = (
    Message("user", "What is 1 + 2?"),
    Message("assistant", "I add.", (ADD,), reasoning="easy"),
    Message("tool", 'say "3"', call_id="abc123xyz", name="calculator"),
)
HERMES = """{% if tools %}<tools>{% for tool in tools %}{{ tool | tojson }}{% endfor %}</tools>{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
[user]<tool_response>{{ message.content }}</tool_response>
{%- elif message.role == 'assistant' %}
[assistant]{% if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}
{{- message.content }}
{%- for call in message.tool_calls %}{% set made = call.function %}
{{- '<tool_call>{"name": "' ~ made.name ~ '", "arguments": ' }}{{ made.arguments | tojson }}}</tool_call>{% endfor %}
{%- else %}
[{{ message.role }}]{{ message.content }}
{%- endif %}{% endfor %}{% if add_generation_prompt %}
[assistant]{% endif %}"""
LLAMA = """{% if tools is not none %}{% for tool in tools %}{{ tool | tojson }}{% endfor %}{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
[ipython]{{ message.content | tojson }}
{%- elif 'tool_calls' in message %}
{%- set made = message.tool_calls[0].function %}
{%- if message.tool_calls | length != 1 %}
{{- raise_exception('This model only supports single tool-calls at once!') }}{% endif %}
[assistant]{"name": "{{ made.name }}", "parameters": {{ made.arguments | tojson }}}
{%- else %}
[{{ message.role }}]{{ message.content }}
{%- endif %}{% endfor %}{% if add_generation_prompt %}
[assistant]{% endif %}"""
MISTRAL = """{%- for message in messages %}
{%- if message.role == 'tool' %}[TOOL_RESULTS]{"content": {{ message.content }}
{{- ', "call_id": "' ~ message.tool_call_id ~ '"}[/TOOL_RESULTS]' }}
{%- elif message.tool_calls %}[TOOL_CALLS][{% for call in message.tool_calls %}
{%- if call.id | length != 9 %}{{ raise_exception('Tool call IDs should have a length of 9!') }}{% endif %}
{{- call.function | tojson }}{% endfor %}]
{%- elif message.role == 'assistant' %}{{ message.content }}
{%- else %}{% if tools %}[AVAILABLE_TOOLS]{{ tools | tojson }}[/AVAILABLE_TOOLS]{% endif %}
{{- '[INST]' ~ message.content ~ '[/INST]' }}
{%- endif %}{% endfor %}"""


@pytest.mark.parametrize(
    ("template", "shows"),
    [
        (
            HERMES,
            ["<tools>", "<think>easy</think>I add.", '<tool_call>{"name": "calculator"', '<tool_response>say "3"<'],
        ),
        (LLAMA, ['"calculator"', '"parameters": {"expression": "1 + 2"}', '[ipython]"say \\"3\\""']),
        (MISTRAL, ["[AVAILABLE_TOOLS]", '[TOOL_CALLS][{"name": "calculator"', '"call_id": "abc123xyz"']),
    ],
)
def test_tools_calls_and_results_stand_in_the_prompt(template: str, shows: list[str], tiny_tokenizer: Path) -> None:
    tokenization = load(tiny_tokenizer, 4096, template)
    assert tokenization.takes_tools
    text = prompt(tokenization, messages=TALK, tools=CALCULATOR)
    for part in shows:
        assert part in text
    told = rendered(tokenization, messages=TALK, tools=CALCULATOR)
    assert told.tool == len(tokenization.tokenizer('say "3"', add_special_tokens=False)["input_ids"])
    assert rendered(tokenization, messages=TALK[:1], tools=CALCULATOR).tool == 0


def test_several_calls_become_messages_of_their_own_where_a_template_takes_one(tiny_tokenizer: Path) -> None:
    both = (
        TALK[0],
        Message("assistant", "", (ADD, DOUBLE)),
        Message("tool", "3", call_id=ADD.id, name="calculator"),
        Message("tool", "none", call_id=DOUBLE.id, name="calculator"),
    )
    text = prompt(load(tiny_tokenizer, 4096, LLAMA), messages=both, tools=CALCULATOR)
    assert text.index('"1 + 2"') < text.index('[ipython]"3"') < text.rindex('"parameters"') < text.index('"none"')


def test_a_template_that_knows_no_tools_is_found_out(tiny_tokenizer: Path) -> None:
    tokenization = load(tiny_tokenizer, 4096)
    assert not tokenization.takes_tools
    assert failure(tokenization, tools=CALCULATOR) == "template_failed"


def test_a_base_model_takes_no_tools(tiny_tokenizer: Path) -> None:
    assert not load(tiny_tokenizer, 4096, HERMES, kind="base").takes_tools


def test_prompts_with_and_without_tools_differ(tiny_tokenizer: Path) -> None:
    tokenization = load(tiny_tokenizer, 4096, HERMES)
    hashes = {rendered(tokenization, tools=tools).prompt_sha256 for tools in ((), CALCULATOR)}
    assert len(hashes) == 2
    assert request("k", tools=CALCULATOR).tools == CALCULATOR
