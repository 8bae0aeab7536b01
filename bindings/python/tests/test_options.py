"""The options of the command line as arguments of `convert`, `build_book` and `convert_book`."""

import json
from pathlib import Path
from typing import Any

import pytest

import tabia
from conftest import REPOSITORY


def whites(path: Path) -> list[str | None]:
    return [game.white for game in tabia.open(path)]


def test_games_are_chosen_and_sorted(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "some.pgn"
    done = tabia.convert(many, target, games="1-3,10", sort="-round")
    assert done.games == 4
    assert [game.round for game in tabia.open(target)] == ["9", "2", "1", "0"]
    by_query = tabia.convert(many, tmp_path / "query.cbh", where="date:1950.. sort:date-desc", force=True)
    dates = [str(game.date) for game in tabia.open(tmp_path / "query.cbh")]
    assert by_query.games == len(dates) > 1 and dates == sorted(dates, reverse=True)
    with pytest.raises(tabia.Usage, match="games="):
        tabia.convert(many, tmp_path / "none.pgn", games="5-x")
    with pytest.raises(tabia.Usage):
        tabia.convert(many, tmp_path / "none.pgn", sort="colour")


def test_a_file_is_not_replaced_by_one_without_games(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "old.pgn"
    target.write_text("1. d4 *\n")
    choices: list[dict[str, Any]] = [{"where": "player:zukertort"}, {"games": "4000"}]
    for options in choices:
        done = tabia.convert(many, target, force=True, **options)
        assert (done.games, done.files, done.bytes) == (0, [], 0)
        assert target.read_text() == "1. d4 *\n"
    report = tmp_path / "report.json"
    done = tabia.convert(many, tmp_path / "new.si5", where="player:zukertort", report=report)
    assert done.files == [] and not (tmp_path / "new.si5").exists()
    assert json.loads(report.read_text())["summary"]["problems"] == 0


def test_parts_of_games_are_left_out(pgn: Path, tmp_path: Path) -> None:
    target = tmp_path / "bare.pgn"
    tabia.convert(pgn, target, no_comments=True, no_variations=True, no_nags=True, no_wrap=True)
    text = target.read_text()
    assert "good" not in text and "(" not in text and "$" not in text
    tabia.convert(pgn, target, force=True)
    assert "good" in target.read_text() and "(1... c5" in target.read_text()


def test_languages(tmp_path: Path) -> None:
    source = tmp_path / "languages.pgn"
    source.write_text("1. e4 {[%lang de] gut} {[%lang en] good} *\n")
    db = tabia.open(REPOSITORY / "samples" / "tabia.cbv")
    for language in ("de,en", ["de", "en"]):
        done = tabia.convert(db, tmp_path / "german.pgn", language=language, force=True)
        assert done.games == 7
    with pytest.raises(tabia.Usage, match="639"):
        tabia.convert(db, tmp_path / "none.pgn", language="klingon")
    with pytest.raises(tabia.Usage, match="language"):
        tabia.convert(db, tmp_path / "none.pgn", language="de", no_comments=True)


def test_character_sets(tmp_path: Path) -> None:
    source = tmp_path / "old.pgn"
    source.write_bytes('[White "Müller"]\n\n1. e4 *\n'.encode("cp850"))
    utf8 = tmp_path / "utf8.pgn"
    tabia.convert(source, utf8, encoding="cp850")
    assert whites(utf8) == ["Müller"]
    tabia.convert(utf8, tmp_path / "1252.pgn", to_encoding="cp1252")
    assert b"M\xfcller" in (tmp_path / "1252.pgn").read_bytes()
    with pytest.raises(tabia.Usage, match="encoding"):
        tabia.convert(tabia.open(source), utf8, encoding="cp850", force=True)


def test_append_and_split(many: Path, pgn: Path, tmp_path: Path) -> None:
    target = tmp_path / "all.cbh"
    tabia.convert(many, target)
    tabia.convert(pgn, target, append=True)
    assert len(tabia.open(target)) == 303
    done = tabia.convert(many, tmp_path / "part.pgn", split=100)
    assert [Path(file).name for file in done.files] == ["part-0001.pgn", "part-0002.pgn", "part-0003.pgn"]
    done = tabia.convert(many, tmp_path / "player.pgn", split_by="player", games="1-7")
    assert len(done.files) == 8
    for wrong in ({"split": 10, "sort": "date"}, {"split_by": "colour"}, {"append": True, "force": True}):
        options: dict[str, Any] = dict(wrong)
        with pytest.raises(tabia.Usage):
            tabia.convert(many, tmp_path / "wrong.pgn", **options)


def test_positions(many: Path, pgn: Path, tmp_path: Path) -> None:
    tabia.convert(pgn, tmp_path / "start.epd", position="start")
    assert (tmp_path / "start.epd").read_text().startswith("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")
    tabia.convert(pgn, tmp_path / "end.epd", games="1")
    assert "Q" in (tmp_path / "end.epd").read_text()
    with pytest.raises(tabia.Usage, match='position="end"'):
        tabia.convert(pgn, tmp_path / "moment.epd", position="moment")
    with pytest.raises(tabia.Usage, match="positions"):
        tabia.convert(pgn, tmp_path / "wrong.pgn", position="end")


def test_tables_have_their_options(many: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    tabia.convert(many, tmp_path / "moves.parquet", table="positions", plies="..2", fen=True)
    assert parquet.read_table(tmp_path / "moves.parquet").column_names[-1] == "result"
    assert parquet.read_metadata(tmp_path / "moves.parquet").num_rows == 600
    done = tabia.convert(many, f"{tmp_path}/shards/", shards=3, threads=2)
    assert len(done.files) == 3
    tabia.convert(many, f"{tmp_path}/years/", partition="year")
    assert (tmp_path / "years" / "year=1900").is_dir()
    tabia.convert(many, tmp_path / "stream", to="arrow", columns=["white", "round"], comments="all")
    pyarrow = pytest.importorskip("pyarrow")
    with pyarrow.ipc.open_stream(tmp_path / "stream") as stream:
        assert stream.read_all().num_rows == 300
    for wrong in (
        {"target": "x.parquet", "fen": True},
        {"target": "x.parquet", "shards": 2},
        {"target": "x.parquet", "sort": "date"},
        {"target": "x.parquet", "partition": "month"},
        {"target": "x/", "shards": 65},
        {"target": "x/", "partition": "year", "columns": "white"},
        {"target": "x.pgn", "shards": 2},
        {"target": "x.pgn", "plies": (1, 2)},
    ):
        options: dict[str, Any] = dict(wrong)
        options["target"] = f"{tmp_path}/{options['target']}"
        with pytest.raises(tabia.Usage):
            tabia.convert(many, **options)


def test_strict_stops_at_the_first_problem(pgn: Path, tmp_path: Path) -> None:
    with pytest.raises(tabia.Error) as raised:
        tabia.convert(pgn, tmp_path / "strict.cbh", strict=True)
    assert raised.value.game == 3 and not (tmp_path / "strict.cbh").exists()


def test_formats_of_inputs(tmp_path: Path) -> None:
    path = tmp_path / "games.data"
    path.write_text("1. Sf3 d5 *\n")
    assert tabia.open(path, from_="pgn", pieces="de")[0].uci() == ["g1f3", "d7d5"]
    assert tabia.convert(path, tmp_path / "games.pgn", from_="pgn", pieces="de").games == 1
    wrong: list[dict[str, Any]] = [{"from_": "klingon"}, {"pieces": "klingon"}]
    for options in wrong:
        with pytest.raises(tabia.Usage, match="klingon"):
            tabia.open(path, **options)


def test_files_of_a_folder_that_cannot_be_read_are_in_the_report(many: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "many.pgn").write_bytes(many.read_bytes())
    (folder / "cut.si4").write_bytes(b"Scid.si\0")
    report = tmp_path / "report.json"
    done = tabia.convert(folder, tmp_path / "all.pgn", report=report)
    found = json.loads(report.read_text())
    assert done.games == 300
    assert done.problem_count == len(done.problems) == found["summary"]["problems"] == len(found["problems"]) > 0
    assert any("cut.si4" in problem["file"] for problem in found["problems"])
    with pytest.raises(tabia.Error, match="cut.si4"):
        tabia.convert(folder, tmp_path / "strict.pgn", strict=True)


def moves(path: Path, position: str) -> dict[str, int | None]:
    return {move.uci: move.weight for move in tabia.open_book(path).find(position)}


def test_books_have_their_options(many: Path, tmp_path: Path) -> None:
    target = tmp_path / "book.bin"
    build = tabia.build_book
    built = build(many, target, min_games=1, where="result:1-0")
    assert (built.games, built.filtered_games, built.bad_games) == (102, 198, 0)
    assert built.files == [target] and built.bytes == target.stat().st_size == 16 * built.moves
    build(many, target, force=True, uniform=True)
    assert moves(target, "1. e4") == {"e7e5": 1, "c7c5": 1}
    build(many, target, force=True, only_white=True, max_ply=2)
    assert moves(target, "1. e4") == {} and set(moves(target, "")) == {"e2e4", "d2d4"}
    build(many, target, force=True, stretch=True)
    assert max(weight or 0 for weight in moves(target, "").values()) == 65535
    build(many, target, force=True, min_percent=50)
    assert set(moves(target, "")) == {"e2e4"}
    build(many, target, force=True, recency=10.0, games="1-90")
    build(many, target, force=True, compat="polyglot", min_games=1)
    assert build(many, tmp_path / "named.data", to="polyglot").moves > 0
    for wrong in (
        {"uniform": True, "stretch": True},
        {"only_white": True, "only_black": True},
        {"compat": "polyglot", "recency": 5.0},
        {"compat": "scid"},
        {"recency": 0.0},
        {"game_links": True},
        {"caption": "mine"},
        {"least_elo": [2000]},
        {"to": "klingon"},
    ):
        options: dict[str, Any] = dict(wrong)
        with pytest.raises(tabia.Usage):
            build(many, tmp_path / "wrong.bin", **options)
    assert not (tmp_path / "wrong.bin").exists()


def test_a_book_without_moves_is_not_written(many: Path, tmp_path: Path) -> None:
    with pytest.raises(tabia.Usage, match="min_games=1"):
        tabia.build_book(many, tmp_path / "none.bin", min_games=1000)
    with pytest.raises(tabia.Usage, match="filter"):
        tabia.build_book(many, tmp_path / "none.bin", where="player:zukertort")
    assert not (tmp_path / "none.bin").exists()


def test_books_that_link_to_games(many: Path, tmp_path: Path) -> None:
    built = tabia.build_book(many, tmp_path / "linked.kob", game_links=True, caption="Mine", max_ply=6)
    assert built.games == 300 and built.positions > 3
    plain = tabia.build_book(many, tmp_path / "plain.kob", least_elo=[2200], names=True)
    assert plain.games == 300 or plain.games == 100


def test_books_become_tables_and_tables_books(many: Path, tmp_path: Path) -> None:
    book = tmp_path / "book.bin"
    built = tabia.build_book(many, book, min_games=1)
    rows = tabia.convert_book(book, tmp_path / "rows.parquet")
    assert rows == built and rows.losses == {} and rows.problems == []
    assert tabia.convert_book(tmp_path / "rows.parquet", tmp_path / "again.bin") == built
    assert (tmp_path / "again.bin").read_bytes() == book.read_bytes()
    with tabia.open_book(book) as opened:
        tabia.convert_book(opened, tmp_path / "same.bin")
    assert (tmp_path / "same.bin").read_bytes() == book.read_bytes()
    with pytest.raises(ValueError, match="closed"):
        tabia.convert_book(opened, tmp_path / "closed.bin")
    with pytest.raises(tabia.Error) as raised:
        tabia.convert_book(book, tmp_path / "same.bin")
    assert raised.value.kind == "exists"
    with pytest.raises(tabia.Error):
        tabia.convert_book(many, tmp_path / "games.bin")


def test_sums_of_several_machines_add_up(many: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.bin"
    tabia.build_book(many, whole, min_games=1)
    for number, games in enumerate(["1-150", "151-300"]):
        tabia.build_book(many, tmp_path / f"sums-{number}.parquet", games=games)
    tabia.convert_book(str(tmp_path / "sums-*.parquet"), tmp_path / "summed.bin")
    assert moves(tmp_path / "summed.bin", "1. e4") == moves(whole, "1. e4")
    with pytest.raises(tabia.Usage, match="uniform"):
        tabia.build_book(many, tmp_path / "sums.parquet", uniform=True)


def test_a_book_is_a_stream_of_rows(many: Path, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    book = tmp_path / "book.bin"
    built = tabia.build_book(many, book, min_games=1)
    with tabia.open_book(book) as opened:
        frame = polars.DataFrame(opened)
        rows = list(opened)
    assert frame.height == built.moves == len(rows)
    assert set(frame["key"].to_list()) == {row.key - 2**63 for row in rows}
