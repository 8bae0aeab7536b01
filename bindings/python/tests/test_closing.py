"""Databases and books that are closed, copied into memory, or read by several threads."""

import gc
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import tabia
from conftest import PGN


@pytest.mark.parametrize("extension", ["pgn", "cbh", "si5", "parquet"])
def test_a_closed_database_is_a_value_error(many: Path, tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"closed.{extension}"
    tabia.convert(many, path)
    db = tabia.open(path)
    known, unread = db.game(1), next(db.games())
    games, headers, sorted_games = db.games(), db.headers(), db.games(sort="-date")
    table, moves = db.table(columns="white"), db.moves()
    assert known.plies == 4 and next(headers).white == "W0"
    db.close()
    db.close()
    calls: list[Callable[[], object]] = [
        lambda: len(db),
        lambda: db[0],
        lambda: db.game(1),
        lambda: db.format,
        lambda: db.info,
        lambda: db.inputs,
        lambda: db.problems,
        lambda: db.games(),
        lambda: db.headers(),
        lambda: iter(db),
        lambda: db.table(),
        lambda: db.moves(),
        lambda: db.explore("e4"),
        lambda: db.__arrow_c_stream__(),
        lambda: db.__reduce__(),
        lambda: db.__enter__(),
        lambda: db._repr_html_(),
        lambda: tabia.convert(db, tmp_path / "new.pgn"),
        lambda: tabia.build_book(db, tmp_path / "new.bin"),
        lambda: tabia.explore([db], "e4"),
        lambda: next(games),
        lambda: next(headers),
        lambda: next(sorted_games),
        lambda: table.__arrow_c_stream__(),
        lambda: moves.clocks,
    ]
    for number, call in enumerate(calls):
        with pytest.raises(ValueError, match="closed"):
            call()
            raise AssertionError(f"call {number} was answered")
    assert "closed" in repr(db)
    assert not (tmp_path / "new.pgn").exists()
    # What was read before is still there.
    assert (known.plies, known.white, len(moves)) == (4, "W0", 300)
    assert unread.white == "W0"
    if extension in {"cbh", "si5"}:
        with pytest.raises(ValueError, match="closed"):
            unread.mainline()


def test_a_stream_of_a_closed_database_ends_with_an_error(many: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    source = tmp_path / "source.pgn"
    source.write_text(many.read_text() * 300)
    db = tabia.open(source)
    reader = pyarrow.RecordBatchReader.from_stream(db.table(columns="moves"))
    assert reader.read_next_batch().num_rows > 0
    db.close()
    with pytest.raises(pyarrow.ArrowInvalid, match="the database is closed"):
        reader.read_all()


def test_a_closed_book_is_a_value_error(many: Path, tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    tabia.build_book(many, path, min_games=1)
    with tabia.open_book(path) as book:
        rows = iter(book)
        found = book.find("e4")
    calls: list[Callable[[], object]] = [
        lambda: book.find("e4"),
        lambda: book.info,
        lambda: iter(book),
        lambda: next(rows),
        lambda: book.__enter__(),
        lambda: tabia.explore([book], "e4"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="the book is closed"):
            call()
    assert found[0].san == "c5" and "closed" in repr(book)


def test_a_context_closes_also_after_an_exception(pgn: Path) -> None:
    with pytest.raises(KeyError), tabia.open(pgn) as db:
        assert len(db) == 3
        raise KeyError
    with pytest.raises(ValueError, match="the database is closed"):
        len(db)


def test_closing_removes_the_copy_of_a_file_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    db = tabia.open(PGN.encode())
    assert len(db) == 3 and list(folder.iterdir())
    db.close()
    assert not list(folder.iterdir())


def maps(name: str) -> bool:
    gc.collect()
    return name in Path("/proc/self/maps").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc has the maps")
def test_files_are_copied_without_mmap(many: Path, tmp_path: Path) -> None:
    source = tmp_path / "source.pgn"
    source.write_text(many.read_text() * 40)
    for extension in ("cbh", "si5", "pgn"):
        path = tmp_path / f"mapped-or-not.{extension}"
        tabia.convert(source, path)
        mapped, copied = tabia.open(path), tabia.open(path, mmap=False)
        white = copied[11_999].white
        assert not maps("mapped-or-not")
        assert mapped[11_999].white == white
        assert maps("mapped-or-not")
        # Closing unmaps.
        mapped.close()
        assert not maps("mapped-or-not")
        assert sum(1 for _ in copied.games()) == len(copied.moves()) == 12_000
        assert not maps("mapped-or-not")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc has the maps")
def test_books_are_copied_without_mmap(tmp_path: Path) -> None:
    path = tmp_path / "mapped-book.bin"
    key = tabia.key("e4")
    # Entries of any positions: 128 KiB of them.
    entries = b"".join((key + n).to_bytes(8, "big") + bytes.fromhex("0d2400010000") + b"\0\0" for n in range(8192))
    path.write_bytes(entries)
    copied = tabia.open_book(path, mmap=False)
    assert copied.info["moves"] == 8192 and not maps("mapped-book")
    with tabia.open_book(path) as mapped:
        assert mapped.info["moves"] == 8192 and maps("mapped-book")
    assert not maps("mapped-book")
    assert sum(1 for _ in copied) >= 0


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be cut off there")
def test_a_book_that_is_cut_off_does_not_matter_to_its_copy(tmp_path: Path, many: Path) -> None:
    path, small = tmp_path / "cut.bin", tmp_path / "small.bin"
    tabia.build_book(many, small, min_games=1)
    last = int.from_bytes(small.read_bytes()[-16:-8], "big")
    more = ((last + 1 + n).to_bytes(8, "big") + bytes.fromhex("0d24000100000000") for n in range(8192))
    path.write_bytes(small.read_bytes() + b"".join(more))
    book = tabia.open_book(path, mmap=False)
    os.truncate(path, 0)
    assert {move.uci for move in book.find("1. e4")} == {"e7e5", "c7c5"}


def most_threads(call: Callable[[], object]) -> int:
    """The most threads of this process while the function is called, next to those that are there before."""
    folder = Path("/proc/self/task")
    ended = threading.Event()
    most = 0

    def count() -> None:
        nonlocal most
        while not ended.is_set():
            most = max(most, len(list(folder.iterdir())))
            time.sleep(0.0005)

    before = len(list(folder.iterdir()))
    watch = threading.Thread(target=count)
    watch.start()
    try:
        call()
    finally:
        ended.set()
        watch.join()
    return most - before - 1


@pytest.mark.skipif(sys.platform != "linux", reason="/proc has the threads")
@pytest.mark.parametrize("name", ["games", "headers", "moves", "explore", "table", "convert", "build_book"])
def test_calls_use_the_threads_that_they_name(name: str, many: Path, tmp_path: Path) -> None:
    source = tmp_path / "source.pgn"
    source.write_text(many.read_text() * 60)
    db = tabia.open(source)

    def call(threads: int | None, db: tabia.Database = db) -> Callable[[], object]:
        target = tmp_path / f"{threads}.out"
        calls: dict[str, Callable[[], object]] = {
            "games": lambda: sum(1 for _ in db.games(threads=threads)),
            "headers": lambda: sum(1 for _ in db.headers(threads=threads)),
            "moves": lambda: len(db.moves(threads=threads)),
            "explore": lambda: db.explore("e4 e5", threads=threads).games,
            "table": lambda: rows(db.table(columns="moves", threads=threads)),
            "convert": lambda: tabia.convert(db, target.with_suffix(".pgn"), threads=threads, force=True).games,
            "build_book": lambda: tabia.build_book(db, target.with_suffix(".bin"), threads=threads, force=True),
        }
        return calls[name]

    def rows(table: tabia.Table) -> int:
        pyarrow = pytest.importorskip("pyarrow")
        count: int = pyarrow.RecordBatchReader.from_stream(table).read_all().num_rows
        return count

    assert call(6)() == call(1)()
    one = most_threads(call(1))
    assert most_threads(call(6)) >= one + 3
    # Without a number it is that of the database.
    assert most_threads(call(None, tabia.open(source, threads=6))) >= one + 3


@pytest.mark.skipif(sys.platform != "linux", reason="/proc has the threads")
def test_any_number_of_threads_is_bounded(many: Path) -> None:
    """More threads than the command line takes are not started."""
    database = tabia.open(many)
    assert most_threads(lambda: list(database.headers(threads=10**6))) < 1100
    assert len(list(database.headers(threads=0))) == len(list(database.headers()))
