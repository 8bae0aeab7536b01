import locale
from pathlib import Path

import pytest

import tabia


def test_kinds_of_errors(tmp_path: Path, pgn: Path) -> None:
    missing = tmp_path / "missing.pgn"
    with pytest.raises(tabia.NotFound) as raised:
        tabia.open(missing)
    assert (raised.value.kind, raised.value.path) == ("not_found", str(missing))
    assert isinstance(raised.value, tabia.Error)
    unknown = tmp_path / "x.xyz"
    unknown.write_bytes(bytes(range(256)))
    with pytest.raises(tabia.Unsupported):
        tabia.open(unknown)
    with pytest.raises(tabia.Usage, match="character set"):
        tabia.open(pgn, encoding="klingon")
    with pytest.raises(tabia.Error) as exists:
        tabia.convert(pgn, pgn)
    assert exists.value.kind in {"exists", "usage"}


def test_a_damaged_file_is_an_error_or_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "cut.cbh"
    path.write_bytes(b"\0" * 46)
    with pytest.raises(tabia.Error):
        len(tabia.open(path))


def test_a_book_is_no_database(tmp_path: Path, many: Path) -> None:
    book = tmp_path / "book.bin"
    tabia.build_book(many, book, min_games=1)
    with pytest.raises(tabia.Usage, match="open_book"):
        tabia.open(book)
    with pytest.raises(tabia.Usage):
        tabia.open_book(many)


def test_options_are_for_their_table(pgn: Path) -> None:
    db = tabia.open(pgn)
    for call in (
        lambda: db.table("book_rows"),
        lambda: db.table("positions", columns="white"),
        lambda: db.table("games", fen=True),
        lambda: db.table(columns="whit"),
        lambda: db.table(with_pgn="eight"),
        lambda: tabia.convert(db, "x.pgn", columns="white"),
        lambda: tabia.convert(db, "x.pgn", to="klingon"),
    ):
        with pytest.raises(tabia.Usage):
            call()
    assert not Path("x.pgn").exists()


def test_errors_of_the_system_are_in_english(tmp_path: Path) -> None:
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    except locale.Error:
        pytest.skip("there is no German locale")
    try:
        (tmp_path / "loop").symlink_to("loop")
        for name, text in [("none.pgn", "No such file or directory"), ("loop", "Too many levels of symbolic links")]:
            with pytest.raises(tabia.Error, match=text):
                tabia.open(tmp_path / name)
    finally:
        locale.setlocale(locale.LC_ALL, before)


def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path: Path, pgn: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for paths in (str(tmp_path / "loop" / "*.pgn"), [str(pgn), str(tmp_path / "loop" / "*.pgn")]):
        with pytest.raises(tabia.Error) as raised:
            tabia.open_many(paths)
        assert raised.value.path == str(tmp_path / "loop")
