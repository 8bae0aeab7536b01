"""The notebooks run from the first cell to the last, and are in the repository without outputs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import REPOSITORY

FOLDER = REPOSITORY / "bindings" / "python" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert not re.search(r"[\"' (](/[a-z]+/|[A-Z]:\\\\)", text), "a path of one machine"
    page = (REPOSITORY / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    assert path.name in page


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    for package in ["nbclient", "ipykernel", "duckdb", "numpy", "polars"]:
        pytest.importorskip(package)
    before = sorted(FOLDER.iterdir())
    # In a process of its own: warnings of Jupyter are not errors of ours.
    program = Path(sys.executable).with_name("jupyter-execute")
    run = subprocess.run(
        [program, "--timeout=120", "--kernel_name=python3", str(path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-4000:]
    assert [entry for entry in sorted(FOLDER.iterdir()) if entry.name != "__pycache__"] == [
        entry for entry in before if entry.name != "__pycache__"
    ]
