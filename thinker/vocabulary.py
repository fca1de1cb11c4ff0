"""The tokenizer: a token for each number of two digits and each known word, bytes for everything else.

Longer whole numbers are cut into pairs of digits from their end, 132 into 1 and 32: to copy a number digit by digit is
harder to learn than any sum, since a digit stands in many numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tokenizers import AddedToken, Regex, Tokenizer
from tokenizers.decoders import ByteFallback, Fuse
from tokenizers.decoders import Sequence as Decoders
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import Split

PAD, START, END, OPEN, CLOSE = "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"
LARGEST = 99
MULTIPLE = 16  # of the vocabulary's size

# A sign belongs to a number unless it stands behind one; numbers with decimals go digit by digit.
_WHOLE = r"(?!\d)(?!\.\d)"
_PAIRS = rf"(?<!\.)(?<!\.\d)\d{{1,2}}(?=\d\d{_WHOLE})|(?<=\d)(?<!\.\d)\d\d{_WHOLE}"
_PIECE = rf"(?<![\d.)])-?\d{{1,2}}{_WHOLE}|{_PAIRS}|\d| ?\\boxed\{{| ?[A-Za-z]+|[,:] |\n+|[\s\S]"
_WORD = re.compile(r" ?\\boxed\{| ?[A-Za-z]+|[,:] |\n+|[^\w\s]")


def tokenizer(texts: Iterable[str]) -> Tokenizer:
    """Return a tokenizer that has a token for each word of ``texts``; any other text goes byte by byte.

    Args:
        texts: Everything that the model is shown, or enough of it to hold every word.
    """
    specials = [PAD, START, END, OPEN, CLOSE]
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    numbers = [str(number) for number in range(-LARGEST, LARGEST + 1)]
    pairs = [f"0{digit}" for digit in range(10)]
    words = sorted({word for text in texts for word in _WORD.findall(_without_specials(text, specials))})
    tokens = list(dict.fromkeys([*specials, *bytes_, *numbers, *pairs, *words]))
    tokens += [f"<unused{at}>" for at in range(-len(tokens) % MULTIPLE)]
    vocabulary = {token: at for at, token in enumerate(tokens)}
    made = Tokenizer(BPE(vocabulary, [], byte_fallback=True, ignore_merges=True))
    made.pre_tokenizer = Split(Regex(_PIECE), "isolated")
    made.decoder = Decoders([ByteFallback(), Fuse()])
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in specials[:3]])
    made.add_tokens([AddedToken(token, special=False, normalized=False) for token in specials[3:]])
    return made


def _without_specials(text: str, specials: list[str]) -> str:
    for special in specials:
        text = text.replace(special, "\n")
    return text
