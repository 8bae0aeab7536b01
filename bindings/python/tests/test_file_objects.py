import gc
import io
import pickle
import tempfile
from pathlib import Path

import pytest

import tabia
from conftest import PGN, REPOSITORY

SAMPLE = REPOSITORY / "samples" / "tabia.cbv"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_bytes_and_file_objects_are_databases(temporary: Path) -> None:
    expected = [game.pgn() for game in tabia.open(SAMPLE)]
    content = SAMPLE.read_bytes()
    for source in (content, bytearray(content), memoryview(content), io.BytesIO(content)):
        db = tabia.open(source, name="tabia.cbv")
        assert (db.format, len(db)) == ("cbh", 9)
        assert [game.pgn() for game in db] == expected
    with SAMPLE.open("rb") as file:
        assert len(tabia.open(file)) == 9
    text = tabia.open(io.StringIO(PGN))
    assert [game.white for game in text] == ["Alpha, A", "Beta, B", "Gamma"]
    del db, text
    gc.collect()
    assert not list(temporary.iterdir())


def test_a_copy_lives_as_long_as_something_reads_it(temporary: Path) -> None:
    games = tabia.open(PGN.encode()).games()
    header = next(tabia.open(PGN.encode()).headers(sort="-date"))
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(tabia.open(PGN.encode()).table())
    assert len(list(games)) == 3
    assert reader.read_all().num_rows == 3
    assert header.white == "Beta, B"
    del games, reader
    gc.collect()
    assert not list(temporary.iterdir())


def test_books_of_file_objects(tmp_path: Path, many: Path) -> None:
    path = tmp_path / "book.bin"
    tabia.build_book(tabia.open(many.read_bytes()), path, min_games=1)
    expected = [(row.key, row.uci, row.weight) for row in tabia.open_book(path)]
    book = tabia.open_book(io.BytesIO(path.read_bytes()), name="book.bin")
    rows = iter(book)
    assert book.find("1. e4")
    del book
    assert [(row.key, row.uci, row.weight) for row in rows] == expected


def test_what_is_no_file_is_refused(temporary: Path) -> None:
    class Numbers:
        def read(self, size: int) -> int:
            return size

    class Broken:
        def read(self, size: int) -> bytes:
            raise OSError("gone")

    with pytest.raises(TypeError, match="a path, bytes, or"):
        tabia.open(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="neither bytes nor text"):
        tabia.open(Numbers())  # type: ignore[arg-type]
    with pytest.raises(OSError, match="gone"):
        tabia.open(Broken())
    with pytest.raises(tabia.Error):
        tabia.open(bytes(range(256)))
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(tabia.open(PGN.encode()))
    gc.collect()
    assert not list(temporary.iterdir())


def test_the_name_stays_inside_the_temporary_folder(temporary: Path) -> None:
    db = tabia.open(PGN.encode(), name="../../other.pgn")
    assert db.inputs[0]["path"].startswith(str(temporary))
    assert db.inputs[0]["path"].endswith("other.pgn")
    assert len(tabia.open(PGN.encode(), name="..")) == 3
