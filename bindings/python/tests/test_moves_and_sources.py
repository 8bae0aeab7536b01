"""Arrays of clocks and evaluations, several sources, globs, reports, and what notebooks show."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tabia
from conftest import PGN, REPOSITORY

EVALS = """\
[White "A"]

1. e4 {[%clk 0:03:00] [%eval 0.25]} e5 {[%clk 0:02:58.5]} 2. Qh5 {[%eval #-4]} (2. Nf3 {[%clk 0:00:01]} Nc6) Ke7 *

[White "B"]

1. d4 d5 *

[White "C"]

*

[White "D"]

1. c4 {[%clk 0:00:00] [%eval 0.00,12]} *
"""


@pytest.mark.parametrize("extension", ["pgn", "parquet"])
def test_clocks_and_evals_are_masked_where_there_are_none(tmp_path: Path, extension: str) -> None:
    numpy = pytest.importorskip("numpy")
    source, path = tmp_path / "source.pgn", tmp_path / f"evals.{extension}"
    source.write_text(EVALS)
    if extension != "pgn":
        tabia.convert(source, path)
    db = tabia.open(source if extension == "pgn" else path)
    moves = db.moves()
    assert moves.offsets.tolist() == [0, 4, 6, 6, 7]
    assert moves.clocks.tolist() == [180_000, 178_500, None, None, None, None, 0]
    assert moves.evals.tolist() == [25, None, None, None, None, None, 0]
    assert moves.mates.tolist() == [None, None, -4, None, None, None, None]
    assert (moves.clocks.dtype, moves.evals.dtype, moves.mates.dtype) == ("int32", "int16", "int16")
    for first, second in [(moves.clocks, moves.clocks), (moves.evals, moves.evals), (moves.codes, moves.codes)]:
        assert numpy.shares_memory(first, second)
        with pytest.raises(ValueError, match="read-only"):
            first[0] = 1
    for array in (moves.clocks, moves.evals):
        assert numpy.shares_memory(array.mask, array.mask) and not array.mask.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[0] = numpy.ma.masked
    clocks = moves.clocks
    own = [[None if node.clock is None else round(node.clock * 1000) for node in game.mainline()] for game in db]
    assert clocks.tolist() == [value for game in own for value in game]
    del moves, db
    # The arrays hold what they show.
    assert clocks.sum() == 358_500
    only = tabia.open(source).moves(where="player:B")
    assert only.clocks.tolist() == only.evals.tolist() == [None, None]


def test_clocks_of_changed_files_are_an_error(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    path = tmp_path / "changed.pgn"
    path.write_text(EVALS)
    moves = tabia.open(path).moves()
    assert moves.evals.count() == 2
    path.write_text(PGN)
    with pytest.raises(tabia.Error, match="changed"):
        moves.clocks  # noqa: B018
    assert moves.mates.count() == 1


def test_evals_and_variations_of_nodes(pgn: Path, tmp_path: Path) -> None:
    game = tabia.open(pgn)[0]
    first, second = game.mainline()[:2]
    assert first.eval is not None and second.eval is None
    assert (first.eval.cp, first.eval.mate, first.eval.depth, str(first.eval)) == (25, None, None, "+0.25")
    assert first.eval == first.eval and hash(first.eval) == hash(first.eval)
    assert [[node.san for node in line] for line in game.variations] == [["c5", "Nf3", "d6"]]
    assert game.variations[0][0].ply == 2
    path = tmp_path / "evals.pgn"
    path.write_text(EVALS)
    games = tabia.open(path)[:]
    evals = [str(node.eval) for node in games[0].mainline()]
    assert evals == ["+0.25", "None", "#-4", "None"]
    assert games[1].variations == [] and games[0].mainline()[2].eval != games[0].mainline()[0].eval


def test_explore_gives_each_source_its_own_answer(many: Path, tmp_path: Path) -> None:
    book_path = tmp_path / "book.bin"
    tabia.build_book(many, book_path, min_games=1)
    db, book = tabia.open(many), tabia.open_book(book_path)
    answers = tabia.explore([db, book, db], "1. e4", where="result:0-1", games=1)
    assert [type(answer) for answer in answers] == [tabia.Tree, tabia.BookPosition, tabia.Tree]
    tree, found, again = answers
    assert isinstance(tree, tabia.Tree) and isinstance(found, tabia.BookPosition) and isinstance(again, tabia.Tree)
    single = db.explore("1. e4", where="result:0-1", games=1)
    assert tree.games == again.games == single.games == 66
    assert [(move.uci, move.games) for move in tree.moves] == [(move.uci, move.games) for move in single.moves]
    assert len(tree.top_games) == 1
    probed = book.find("1. e4")
    assert [(move.uci, move.weight) for move in found] == [(move.uci, move.weight) for move in probed]
    assert (len(found), found[0].uci, found[-1].uci, len(found[:1])) == (2, probed.moves[0].uci, probed.moves[1].uci, 1)
    assert found.position == tabia.Position().play("e4") and found.opening == "King's Pawn Game"
    with pytest.raises(IndexError):
        found[2]
    with pytest.raises(tabia.Usage):
        tabia.explore([book], "e4", where="whit:W")
    with pytest.raises(TypeError):
        tabia.explore(["a.pgn"], "e4")  # type: ignore[list-item]
    assert tabia.explore([], "e4") == []


def test_globs_name_files(many: Path, tmp_path: Path) -> None:
    folder = tmp_path / "globs"
    folder.mkdir()
    for name in ("b.pgn", "a.pgn", "[c].pgn", "d.txt"):
        (folder / name).write_text(f'[White "{name}"]\n\n1. e4 e5 *\n')
    db = tabia.open_many(folder / "*.pgn")
    assert [game.white for game in db] == ["[c].pgn", "a.pgn", "b.pgn"]
    assert [game.white for game in tabia.open_many([folder / "?.pgn", folder / "d.txt"])] == ["a.pgn", "b.pgn", "d.txt"]
    # A file whose name looks like a glob is that file.
    assert [game.white for game in tabia.open(folder / "[c].pgn")] == ["[c].pgn"]
    assert [game.white for game in tabia.open(folder / "[ab].pgn")] == ["a.pgn", "b.pgn"]
    assert tabia.build_book(str(folder / "*.pgn"), tmp_path / "book.bin", min_games=3) == (2, 2)
    assert tabia.convert([str(folder / "[ab].pgn")], tmp_path / "both.pgn").games == 2
    with pytest.raises(tabia.NotFound):
        tabia.open_many(folder / "*.cbh")


def test_a_report_lists_problems_and_losses(pgn: Path, tmp_path: Path) -> None:
    report = tmp_path / "losses.json"
    pgn.write_text(PGN + PGN.replace("Alpha", 'Al\\"pha'))
    done = tabia.convert(pgn, tmp_path / "games.si4", report=report)
    written = json.loads(report.read_text())
    assert list(written) == ["command", "problems", "losses", "summary"]
    assert written["command"] == "convert"
    assert [(problem["file"], problem["game"]) for problem in written["problems"]] == [(str(pgn), 3), (str(pgn), 6)]
    assert "Ke3" in written["problems"][0]["reason"]
    summary = written["summary"]
    assert summary["problems"] == done.problem_count == 2
    assert {row["kind"]: row["count"] for row in summary["losses"]} == done.losses
    assert summary["inputs"] == [{"file": str(pgn), "format": "pgn", "games": 6, "texts": 0, "deletedLeftOut": 0}]
    counts: dict[str, int] = {}
    for row in written["losses"]:
        games = row.get("lastGame", row["game"]) - row["game"] + 1
        counts[row["kind"]] = counts.get(row["kind"], 0) + row["count"] * games
    assert counts == {kind: count for kind, count in done.losses.items() if kind in counts}
    with pytest.raises(tabia.Error, match="force=True"):
        tabia.convert(pgn, tmp_path / "other.si4", report=report)
    assert not (tmp_path / "other.si4").exists()


def test_a_report_is_that_of_the_command_line(tmp_path: Path) -> None:
    report = tmp_path / "losses.json"
    done = tabia.convert(REPOSITORY / "samples" / "tabia.cbv", tmp_path / "sample.parquet", report=report)
    written = json.loads(report.read_text())
    assert written["losses"] and done.losses
    assert {"file", "game", "kind", "count", "reason"} <= set(written["losses"][0])
    kind = written["losses"][0]["kind"]
    label = next(row["label"] for row in written["summary"]["losses"] if row["kind"] == kind)
    assert written["losses"][0]["reason"] == f"not kept in the target format: {label}"
    # Games that follow each other and lose the same are one row.
    path = tmp_path / "alike.pgn"
    path.write_text("1. e4 {[%cal Ge2e4]} *\n\n" * 5)
    tabia.convert(path, tmp_path / "alike-seven.pgn", profile="seven", report=tmp_path / "seven.json")
    [row] = json.loads((tmp_path / "seven.json").read_text())["losses"]
    assert (row["game"], row["lastGame"], row["count"]) == (1, 5, 1)


def test_inputs_are_never_replaced(pgn: Path, tmp_path: Path) -> None:
    si5 = tmp_path / "games.si5"
    tabia.convert(pgn, si5)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    new = tmp_path / "new.pgn"
    for source, target, report in [
        (pgn, new, pgn),
        (si5, new, si5.with_suffix(".sg5")),
        (pgn, pgn, None),
        (si5, si5, None),
        (pgn, new, new),
    ]:
        with pytest.raises(tabia.Usage, match="at once"):
            tabia.convert(source, target, report=report, force=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_report_is_left_after_an_exception(many: Path, tmp_path: Path) -> None:
    big = tmp_path / "big.pgn"
    big.write_text(many.read_text() * 300)

    def stop(*_: int) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        tabia.convert(big, tmp_path / "big.cbh", report=tmp_path / "big.json", progress=stop)
    assert not (tmp_path / "big.cbh").exists() and not (tmp_path / "big.json").exists()


def elements(html: str) -> list[Any]:
    return list(ElementTree.fromstring(html).iter())


def test_notebooks_show_boards_and_tables(many: Path, tmp_path: Path) -> None:
    path = tmp_path / "<script>.pgn"
    path.write_text('[White "<b>&\\"\'A"]\n[Black "<script>alert(1)</script>"]\n\n1. e4 {<i>} e5 *\n')
    db = tabia.open(path)
    for html in (db._repr_html_(), db[0]._repr_html_()):
        assert not {"b", "i", "script"} & {element.tag for element in elements(html)}
        texts = [element.text for element in elements(html)]
        assert "<b>&\"'A" in texts and "<script>alert(1)</script>" in texts
    first = elements(tabia.open(many)._repr_html_())
    assert sum(element.tag == "tr" for element in first) == 11
    board = elements(tabia.Position()._repr_html_())
    svg = "{http://www.w3.org/2000/svg}"
    assert sum(element.tag == f"{svg}rect" for element in board) == 64
    pieces = [element for element in board if element.tag == f"{svg}text"]
    assert len(pieces) == 32
    [king] = [piece for piece in pieces if piece.get("fill") == "#fff" and (piece.text or "")[0] == "\u265a"]
    assert (king.get("x"), king.get("y")) == ("180", "312")
    book = tmp_path / "book.bin"
    tabia.build_book(many, book, min_games=1)
    shown = [tabia.open_book(book).find("1. e4")._repr_html_(), tabia.open(many).explore("1. e4")._repr_html_()]
    for html in shown:
        found = elements(html)
        assert sum(element.tag == f"{svg}rect" for element in found) == 64
        assert "c5" in [element.text for element in found]


def test_hints_name_calls_of_python(many: Path, tmp_path: Path) -> None:
    with pytest.raises(tabia.Usage) as raised:
        tabia.open_book(many)
    assert f'`tabia.build_book("{many}", "BOOK")` makes a book of games' in str(raised.value)
    assert "tabia book" not in str(raised.value)
    tabia.convert(many, tmp_path / "new.pgn")
    with pytest.raises(tabia.Error, match="`force=True` replaces it"):
        tabia.convert(many, tmp_path / "new.pgn")
