"""The examples of the docstrings, run next to the samples, with a database `db` and a book `book.bin`."""

import doctest
import inspect
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import tabia
from conftest import REPOSITORY


def entries() -> Iterator[tuple[str, object]]:
    """The package, and every public function, class, method and property."""
    yield "tabia", tabia
    for name in tabia.__all__:
        value = getattr(tabia, name)
        if isinstance(value, str) or (inspect.isclass(value) and issubclass(value, Exception)):
            continue
        yield name, value
        if inspect.isclass(value):
            for member in vars(value):
                if not member.startswith("_"):
                    yield f"{name}.{member}", getattr(value, member)


ENTRIES = dict(entries())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docstrings")
    shutil.copytree(REPOSITORY / "samples", folder / "samples")
    tabia.convert(folder / "samples" / "tabia.cbv", folder / "games.si5")
    tabia.build_book(folder / "games.si5", folder / "book.bin", min_games=2)
    return folder


def test_every_entry_has_a_docstring_and_every_class_and_function_an_example() -> None:
    for name, value in ENTRIES.items():
        text = inspect.getdoc(value) or ""
        assert text, name
        assert "." in name or ">>>" in text, name


@pytest.mark.parametrize("name", [name for name, value in ENTRIES.items() if ">>>" in (inspect.getdoc(value) or "")])
def test_examples_of_docstrings(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.chdir(folder)
    names = {"tabia": tabia, "db": tabia.open("samples/tabia.cbv")}
    text = inspect.getdoc(ENTRIES[name]) or ""
    example = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    assert example.examples
    output: list[str] = []
    done = doctest.DocTestRunner(verbose=False).run(example, out=output.append)
    assert done.failed == 0, "".join(output)
