"""From a request to token ids and back: what both local engines do alike because they share this file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from runner.config.settings import ModelSettings
from runner.engines.chat import CannotRender, ChatPrompt, ChatTemplate, first_line, load_template
from runner.engines.markers import MarkerCounts, count_marked, opens_thinking
from runner.engines.writing import Rendered, cap_of, without_room
from runner.errors import UserError
from runner.sampling.generation import Boundary, FinishReason, Generation, Usage, failed
from runner.sampling.request import Message, Request, SamplingParams
from runner.tools.protocol import ToolSpec

PROMPT_TAIL_CHARACTERS = 64
# Enough to hold any character or marker that a stretch begins in the middle of.
_LOOK_BACK_TOKENS = 32
_PROMPTS = 1024  # rendered ones that are remembered: those of the requests in flight

# As text, as ids, the hash of these, and how many tokens in it tools gave back.
_Prompt = tuple[ChatPrompt, tuple[int, ...], str, int]


@dataclass(frozen=True)
class Tokenization:
    """A model's tokenizer, chat template and documented generation defaults.

    Attributes:
        tokenizer: The tokenizer of ``transformers``.
        model: Settings of the model.
        context: Most tokens of prompt and output together.
        template: The chat template, or None for a model without one.
        generation_config: The model's ``generation_config.json``; an empty mapping without one.
        end_ids: Ids that end a text: those of ``generation_config.json`` and the tokenizer's own.
    """

    tokenizer: Any
    model: ModelSettings
    context: int
    template: ChatTemplate | None
    generation_config: Mapping[str, Any]
    end_ids: frozenset[int]

    @classmethod
    def load(cls, folder: Path, model: ModelSettings, context: int) -> Tokenization:
        """Read the tokenizer in ``folder``.

        Raises:
            UserError: there is no usable tokenizer, or the chat template file can't be read.
        """
        from transformers import AutoTokenizer

        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=model.trust_remote_code)
        except (OSError, ValueError, ImportError) as error:
            raise UserError(f"no usable tokenizer in {folder}: {first_line(error)}") from error
        generation_config = _read_json(folder / "generation_config.json")
        return cls(
            tokenizer=tokenizer,
            model=model,
            context=context,
            template=load_template(tokenizer, model),
            generation_config=generation_config,
            end_ids=_end_ids(tokenizer, {**_read_json(folder / "config.json"), **generation_config}),
        )

    def render(self, request: Request) -> Rendered | Generation:
        """Return the request as ids, or the generation that says why it can't be asked."""
        try:
            prompt, prompt_ids, prompt_sha256, tool = self._prompt(request)
            prefix_ids, injected = self._prefix(request)
        except CannotRender as error:
            return failed(request.key, Boundary.PROMPT, error.kind, str(error))
        room = self.context - len(prompt_ids) - len(prefix_ids)
        forced = 0 if request.reserve is None else len(self._encode(request.reserve.text))
        if (cap := cap_of(request, room, forced)) < 1:
            return without_room(request, room, self.context)
        return Rendered(
            prompt_ids=prompt_ids,
            prefix_ids=prefix_ids,
            prompt_tail=prompt.text[-PROMPT_TAIL_CHARACTERS:],
            prompt_sha256=prompt_sha256,
            injected=injected,
            max_new_tokens=cap,
            thinking_open=self._thinking_open(request, prompt),
            tool=tool,
        )

    def generation(
        self,
        request: Request,
        rendered: Rendered,
        new_ids: Sequence[int],
        finish_reason: FinishReason,
        latency_s: float,
    ) -> Generation:
        """Return what an engine hands out for ``new_ids``, the end token among them if there is one."""
        ids = tuple(new_ids)
        text = self._text(rendered, ids[:-1] if ids and ids[-1] in self.end_ids else ids)
        if finish_reason is FinishReason.STOP:
            text = text[: min((at for stop in request.stop if (at := text.find(stop)) >= 0), default=len(text))]
        return Generation(
            key=request.key,
            text=text,
            finish_reason=finish_reason,
            usage=self._usage(rendered, ids),
            token_ids=ids,
            latency_s=latency_s,
            max_tokens=rendered.max_new_tokens,
            prompt_sha256=rendered.prompt_sha256,
            prompt_tail=rendered.prompt_tail,
        )

    def stopped(self, request: Request, new_ids: Sequence[int]) -> bool:
        """Tell whether the newest id completed one of the request's stop strings."""
        longest = max((len(stop.encode()) for stop in request.stop), default=0)  # no token is shorter than a byte
        tail = self.decode(new_ids[-longest - 1 :])
        return any(stop in tail for stop in request.stop)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ``ids``, special tokens kept."""
        text: str = self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def default_sampling(self) -> SamplingParams:
        """Return how the model's own ``generation_config.json`` draws; what it leaves out is left as it is."""
        config = self.generation_config
        samples = config.get("do_sample")
        if samples is None:
            samples = config.get("temperature") is not None
        return SamplingParams(
            temperature=float(_given(config, "temperature", 1.0)) if samples else 0.0,
            top_p=float(_given(config, "top_p", 1.0)),
            top_k=int(_given(config, "top_k", 0)),
            repetition_penalty=float(_given(config, "repetition_penalty", 1.0)),
        )

    @property
    def takes_tools(self) -> bool:
        """Whether the model's chat template tells it of ``Request.tools``."""
        return self.model.kind != "base" and self.template is not None and self.template.takes_tools

    def _prompt(self, request: Request) -> _Prompt:
        told = [[tool.name, tool.description, tool.argument, tool.meaning] for tool in request.tools]
        return self._remembered(request.messages, json.dumps(dict(request.template_options)), json.dumps(told))

    @cached_property
    def _remembered(self) -> Callable[[tuple[Message, ...], str, str], _Prompt]:
        """Templates are slow, and the same prompt is rendered for every turn and every look into a cache."""
        return lru_cache(maxsize=_PROMPTS)(self._new_prompt)

    def _new_prompt(self, messages: tuple[Message, ...], options: str, tools: str) -> _Prompt:
        prompt = self._chat(messages, json.loads(options), [ToolSpec(*told) for told in json.loads(tools)])
        ids = (*self._begin_ids, *self._encode(prompt.text))
        results = sum(len(self._encode(message.content)) for message in messages if message.role == "tool")
        return prompt, ids, hashlib.sha256(np.asarray(ids, dtype="<u4").tobytes()).hexdigest(), results

    def _chat(
        self, messages: tuple[Message, ...], options: Mapping[str, Any], tools: Sequence[ToolSpec] = ()
    ) -> ChatPrompt:
        if self.model.kind == "base":
            return ChatPrompt("\n\n".join(message.content for message in messages), turn_start="")
        if self.template is None:
            advice = "give one with model.chat_template=FILE, or say model.kind=base for a plain prompt"
            raise CannotRender("no_chat_template", f"{self.model.name} has no chat template; {advice}")
        return self.template.render(messages, options, tools)

    def _encode(self, text: str) -> list[int]:
        try:
            ids: list[int] = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        except (TypeError, ValueError) as error:  # lone surrogates
            raise CannotRender("not_encodable", f"the tokenizer refused the text: {first_line(error)}") from error
        return ids

    def _prefix(self, request: Request) -> tuple[tuple[int, ...], int]:
        """Return the ids of the assistant's turn so far, and how many of them were forced."""
        ids: list[int] = []
        injected = 0
        for segment in request.prefix:
            new = self._encode(segment.text) if segment.token_ids is None else segment.token_ids
            injected += len(new) if segment.injected else 0
            ids += new
        return tuple(ids), injected

    @cached_property
    def _begin_ids(self) -> tuple[int, ...]:
        """What stands before a plain prompt: the beginning-of-text id where the tokenizer puts one.

        A chat template writes its own.
        """
        begin = self.tokenizer.bos_token_id
        if self.model.kind != "base" or begin is None or self.tokenizer("a")["input_ids"][0] != begin:
            return ()
        return (begin,)

    def _thinking_open(self, request: Request, prompt: ChatPrompt) -> bool:
        markers = self.model.thinking
        turn = prompt.turn_start + "".join(segment.text for segment in request.prefix)
        return markers is not None and opens_thinking(turn, markers)

    def _text(self, rendered: Rendered, ids: tuple[int, ...]) -> str:
        """Decode ``ids`` as what they add to the text before them, so that stretches join without a seam."""
        before = rendered.input_ids[-_LOOK_BACK_TOKENS:]
        head = self.decode(before).rstrip("\ufffd")  # the beginning of a character that ``ids`` complete
        whole = self.decode(before + ids)
        return whole[len(head) :] if whole.startswith(head) else self.decode(ids)

    def _usage(self, rendered: Rendered, ids: tuple[int, ...]) -> Usage:
        counts = MarkerCounts(thinking=0, markers=0)
        if self.model.thinking is not None:
            before = rendered.input_ids[-_LOOK_BACK_TOKENS:]
            continued = bool(rendered.prefix_ids)
            counts = count_marked(self.decode, self.model.thinking, before, ids, rendered.thinking_open, continued)
        return Usage(
            prompt=len(rendered.prompt_ids),
            thinking=counts.thinking,
            answer=len(ids) - counts.thinking - counts.markers,
            output=len(ids),
            injected=rendered.injected,
            tool=rendered.tool,
        )


def _end_ids(tokenizer: Any, config: Mapping[str, Any]) -> frozenset[int]:
    stated = config.get("eos_token_id")
    ids = stated if isinstance(stated, list) else [stated]
    return frozenset(end for end in (*ids, tokenizer.eos_token_id) if end is not None)


def _read_json(path: Path) -> Mapping[str, Any]:
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path} is not JSON: {error}") from error
    return content if isinstance(content, dict) else {}


def _given(config: Mapping[str, Any], name: str, default: float) -> Any:
    value = config.get(name)
    return default if value is None else value
