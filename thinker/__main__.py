"""``python -m thinker``: train the demonstration model, measure it on operands it never saw, write its card."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import torch

from thinker.card import measure, write_card
from thinker.checkpoint import FOLDER, load, save
from thinker.lessons import vocabulary_texts
from thinker.network import new_model
from thinker.training import FINISHING, LEARNING, Progress, train
from thinker.vocabulary import tokenizer

log = logging.getLogger("thinker")


def main() -> None:
    """Train unless told not to, then measure."""
    parser = argparse.ArgumentParser(prog="python -m thinker", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the checkpoint goes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only-measure", action="store_true", help="measure the checkpoint that is there")
    asked = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(asked.threads)
    if not asked.only_measure:
        _train(asked.folder, asked.seed)
    write_card(asked.folder, measure(*load(asked.folder)))


def _train(folder: Path, seed: int) -> None:
    made = tokenizer(vocabulary_texts())
    model = new_model(made, seed)
    curve: list[Progress] = []
    for progress in train(model, made, (LEARNING, FINISHING), seed):
        curve.append(progress)
        rate = progress.tokens / progress.seconds
        log.info("%10d tokens, loss %.4f, %.0f tokens a second", progress.tokens, progress.loss, rate)
    save(model, made, folder)
    rows = [f"{point.tokens},{point.loss:.4f}\n" for point in curve]
    (folder / "training.csv").write_text("tokens,loss\n" + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
