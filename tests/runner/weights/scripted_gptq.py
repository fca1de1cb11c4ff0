"""A stand-in for GPTQModel: an interpreter that says versions and "quantises" by copying the weights.

Only what lies behind the boundary to GPTQModel is played: locks, folders, calibration and processes are the program's
own. tests/end_to_end/test_gptq.py quantises for real.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

_SCRIPT = """#!{python}
import json, pathlib, shutil, sys, time
here = pathlib.Path(__file__).parent
if sys.argv[1] == "-c":
    print((here / "version").read_text())
    sys.exit()
job = json.loads(pathlib.Path(sys.argv[2]).read_text())
with (here / "calls").open("a") as calls:
    calls.write("x")
target = pathlib.Path(job["target"])
target.mkdir()
way = (here / "way").read_text()
if way == "hang":
    (here / "hangs").write_text("")
    sys.stdin.read()
    (here / "ended").write_text("")
    sys.exit(1)
if way == "fail":
    sys.exit("Traceback\\nRuntimeError: the matrix is singular")
for layer in range(1, 41):
    print(layer, "of 40", flush=True)
config = json.loads((pathlib.Path(job["source"]) / "config.json").read_text())
config["quantization_config"] = {{"quant_method": "gptq", "bits": job["bits"], "group_size": job["group_size"]}}
(target / "config.json").write_text(json.dumps(config))
(target / "tokenizer.json").write_text("spoilt")
shutil.copy(pathlib.Path(job["source"]) / "model.safetensors", target)
"""


@dataclass(frozen=True)
class ScriptedGptq:
    """Its ways: ``works``, ``fails`` with an error, or ``hangs`` until whoever started it is gone."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "python"

    @property
    def calls(self) -> int:
        path = self.folder / "calls"
        return len(path.read_text()) if path.exists() else 0

    def goes(self, way: str) -> None:
        (self.folder / "way").write_text(way)


def write_scripted_gptq(folder: Path, version: str = "7.7.0", torch: str = "2.13.0") -> ScriptedGptq:
    folder.mkdir()
    made = ScriptedGptq(folder)
    made.python.write_text(_SCRIPT.format(python=sys.executable))
    made.python.chmod(0o755)
    (folder / "version").write_text(f"{version} {torch}")
    made.goes("work")
    return made
