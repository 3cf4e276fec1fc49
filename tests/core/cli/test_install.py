"""Without the extra `cli` the command names it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CORE = Path(__file__).parents[3] / "packages" / "core"


@pytest.mark.parametrize("missing", ["typer", "rich"])
@pytest.mark.parametrize(
    "start", ["from thumbindex.cli import main; main()", "import thumbindex.__main__ as m; m.main()"]
)
def test_a_missing_extra_is_one_line_with_the_command_that_installs_it(missing: str, start: str) -> None:
    """On standard error, with the exit code of a setup that cannot be used."""
    program = f"import sys; sys.modules[{missing!r}] = None; {start}"
    done = subprocess.run([sys.executable, "-c", program, "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "error: The command line needs an extra that is not installed: pip install 'thumbindex[cli]'\n"
    )


def test_the_package_alone_requires_no_command_line() -> None:
    """Only the extra does."""
    project = tomllib.loads((CORE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not [name for name in project["dependencies"] if name.startswith(("typer", "rich"))]
    assert [name.partition(">")[0] for name in project["optional-dependencies"]["cli"]] == ["typer", "rich"]
