import doctest
import shutil
from pathlib import Path

import pytest

from conftest import REPOSITORY


@pytest.mark.parametrize("page", ["docs/guide/python.md"])
def test_the_guide_shows_real_outputs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("numpy")
    pytest.importorskip("pyarrow")
    shutil.copytree(REPOSITORY / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(REPOSITORY / page), module_relative=False)
    assert done.attempted > 10
    assert done.failed == 0
