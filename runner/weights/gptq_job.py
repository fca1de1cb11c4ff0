"""Quantises one model with GPTQModel.

Run as a script in a process of its own, by an interpreter that has GPTQModel: importing that changes transformers for
good and sets a GPU up. It imports nothing of this program. Progress goes to standard output, a line ``done of all`` for
each layer; all that GPTQModel prints goes to standard error. It ends when its standard input does, which whoever
started it holds open.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any


def quantize(job: dict[str, Any], progress: Any) -> None:
    """Write the quantised model; ``progress`` is called with the number of layers that are done.

    Args:
        job: ``source`` and ``target`` folder, ``bits``, ``group_size``, ``dtype``, ``device``, ``trust_remote_code``
            and ``prompts``, lists of token ids.
        progress: Takes layers done and layers in all.
    """
    import torch
    from gptqmodel import GPTQModel, QuantizeConfig

    device = job["device"]
    # Symmetric and without reordering by activation: what every engine's kernels take.
    config = QuantizeConfig(
        bits=job["bits"],
        group_size=job["group_size"],
        desc_act=False,
        sym=True,
        device=device,
        offload_to_disk=False,
        # A CPU packs the slow way: the quick one compiles C++ first, which takes a compiler and half a minute.
        pack_impl="auto" if device == "cuda" else "original",
    )
    # GPTQModel's own choice on a CPU is bfloat16, which would round what stays dense of a float16 model.
    dtype = getattr(torch, job["dtype"])
    model = GPTQModel.load(job["source"], config, dtype=dtype, trust_remote_code=job["trust_remote_code"])
    layers = model.model.config.get_text_config(decoder=True).num_hidden_layers

    def layer_complete(layer_idx: int, submodule_finalized: bool) -> None:
        if submodule_finalized:
            progress(layer_idx + 1, layers)

    model.layer_callback = layer_complete
    prompts = [{"input_ids": ids, "attention_mask": [1] * len(ids)} for ids in job["prompts"]]
    model.quantize(prompts, batch_size=1, calibration_data_min_length=1)
    model.save(job["target"])


def _end_with_parent() -> None:
    """End at once when the process that started this one is gone, however it went."""
    while os.read(0, 1):
        pass
    os._exit(1)


def main() -> None:
    """Read the job's file, named on the command line, and do it."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    quantize(job, lambda done, layers: print(f"{done} of {layers}", file=told, flush=True))


if __name__ == "__main__":
    main()
