"""Which tools a model may call, and what bounds them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from runner.config.fields import Group, Positive

ToolName = Literal["calculator", "python_repl", "code_executor"]
SandboxChoice = Literal["auto", "bubblewrap", "namespaces", "none"]

# Tools that run code which a model wrote.
CODE_TOOLS = frozenset({"python_repl", "code_executor"})


class ToolSettings(Group):
    """Which tools the model may call, and what a call may use."""

    names: tuple[ToolName, ...] = Field(description="Names of the tools; none for no tools")
    protocol: Literal["auto", "react", "native"] = Field(
        "auto", description="How calls are written; auto: native where the model has it, else ReAct text"
    )
    turns: Positive = Field(10, description="Most tool calls of a sample")
    tokens: Positive | None = Field(4096, description="Most tokens of all observations of a sample; null for no limit")
    sandbox: SandboxChoice = Field(
        "auto",
        description="What keeps model-written code in; auto: bubblewrap, else namespaces as root; none runs it with "
        "your own rights",
    )
    cpu_s: Positive = Field(5, description="Processor seconds of a call, all its processes together")
    wall_s: Positive = Field(10, description="Seconds of a call")
    memory_mib: Positive = Field(512, ge=64, description="Memory of a call in MiB, each process and all together")
    disk_mib: Positive = Field(16, description="MiB of files that a call may write, kept in memory")
    processes: Positive = Field(16, description="Processes and threads of a call")
    output_chars: Positive = Field(4000, ge=200, description="Characters of output that the model gets to see")

    @property
    def runs_code(self) -> bool:
        """Whether code that the model wrote runs on this machine."""
        return not CODE_TOOLS.isdisjoint(self.names)
