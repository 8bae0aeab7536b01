"""Games, headers and positions as objects of Python: equal, hashed, pickled, referred to weakly."""

import gc
import os
import pickle
import weakref
from pathlib import Path

import pytest

import tabia
from conftest import REPOSITORY

SAMPLES = [REPOSITORY / "samples" / "tabia.cbv", REPOSITORY / "docs" / "guide" / "study.pgn"]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_games_are_pickled_without_loss(path: Path) -> None:
    games = list(tabia.open(path).games())
    again = pickle.loads(pickle.dumps(games))
    assert again == games
    assert [game.pgn() for game in again] == [game.pgn() for game in games]
    assert [(game.number, game.source, game.result) for game in again] == [
        (game.number, game.source, game.result) for game in games
    ]


def test_problems_are_pickled(pgn: Path) -> None:
    game = tabia.open(pgn)[2]
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(game))))
    assert again == game and again.uci() == game.uci()
    problems = [(type(error), str(error), error.game, error.ply, error.kind) for error in again.problems]
    assert problems == [(type(error), str(error), error.game, error.ply, error.kind) for error in game.problems]
    assert len(problems) == 1


def test_games_and_headers_are_hashed(pgn: Path, sample: tabia.Database) -> None:
    games = list(tabia.open(pgn)) + list(tabia.open(pgn))
    assert len(games) == 6 and len(set(games)) == 3
    headers = list(sample.headers()) + list(sample.headers())
    assert len(set(headers)) == len(headers) // 2
    assert headers[0] == headers[len(headers) // 2] != headers[1]
    assert headers[0] != "header"


def test_headers_are_pickled_without_loss(sample: tabia.Database, many: Path) -> None:
    for database in (sample, tabia.open(many)):
        headers = list(database.headers(tags=["Round", "WhiteElo", "Nothing"]))
        again = pickle.loads(pickle.dumps(headers))
        assert again == headers
        for one, other in zip(headers, again, strict=True):
            names = [name for name in dir(one) if not name.startswith("_")]
            assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]


def test_headers_have_the_tags_that_are_named(many: Path, sample: tabia.Database) -> None:
    path = many.with_name("titles.pgn")
    path.write_text('[White "A"]\n[WhiteTitle "GM"]\n[WhiteFideId "123"]\n[BlackFideId "-"]\n[Annotator "Me"]\n\n1. e4 *\n')
    db = tabia.open(path)
    for sort in (None, "white"):
        (header,) = db.headers(tags=["WhiteTitle", "BlackTitle", "WhiteFideId"], sort=sort)
        assert header.tags == {"WhiteTitle": "GM", "WhiteFideId": "123"}
    game = db[0]
    assert (game.white_title, game.black_title, game.white_fide_id, game.black_fide_id) == ("GM", None, 123, None)
    assert game.annotator == "Me"
    assert next(sample.headers()).tags == {}


def test_objects_are_referred_to_weakly(pgn: Path) -> None:
    db = tabia.open(pgn)
    game, header = db[0], next(db.headers())
    references = [weakref.ref(one) for one in (db, game, header)]
    assert [reference() for reference in references] == [db, game, header]
    cache = weakref.WeakKeyDictionary({game: 1})
    assert cache[game] == 1
    del db, game, header
    gc.collect()
    assert [reference() for reference in references] == [None] * 3


@pytest.mark.parametrize("name", ["start.pgn", "start.cbh", "start.si5", "start.2cbh", "start.parquet"])
def test_the_first_position_is_in_the_tags(name: str, tmp_path: Path) -> None:
    fen = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"
    source = tmp_path / "start.pgn"
    source.write_text(f'[White "A"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n1. e4 *\n\n[White "B"]\n\n1. e4 *\n')
    if name != "start.pgn":
        tabia.convert(source, tmp_path / name)
    first, second = tabia.open(tmp_path / name)
    assert (first.tags["SetUp"], first.tags["FEN"]) == ("1", fen)
    assert first.start.fen() == fen
    assert not {"SetUp", "FEN"} & set(second.tags)


def test_moves_are_no_fen() -> None:
    with pytest.raises(ValueError, match=r'hint: `tabia.Position\(\).play\("1. e4"\)`'):
        tabia.Position("1. e4")
    with pytest.raises(ValueError) as raised:
        tabia.Position("8/8 w")
    assert "hint" not in str(raised.value)


def test_paths_are_bytes_too(pgn: Path, tmp_path: Path) -> None:
    path = os.fsencode(pgn)
    assert len(tabia.open_many(path)) == len(tabia.open_many([path])) == 3
    target = os.fsencode(tmp_path / "copy.pgn")
    assert tabia.convert(path, target, report=os.fsencode(tmp_path / "report.json")).games == 3
    assert tabia.build_book([path], os.fsencode(tmp_path / "book.bin"), min_games=1).moves > 0
    # Bytes are the contents of a file here.
    with pytest.raises(TypeError, match="os.fsdecode"):
        tabia.open(path)
    assert len(tabia.open(pgn.read_bytes(), name="games.pgn")) == 3
    for wrong in (3, [3], None):
        with pytest.raises(TypeError, match="path"):
            tabia.convert(wrong, target)  # type: ignore[arg-type]


def test_a_query_states_an_order(many: Path, tmp_path: Path) -> None:
    db = tabia.open(many)
    dates = [str(game.date) for game in db.games(where="sort:date-desc")]
    assert dates == sorted(dates, reverse=True)
    assert [str(header.date) for header in db.headers(where="sort:date-desc")] == dates
    with pytest.raises(tabia.Usage, match="sort:date-desc"):
        db.games(where="sort:-date")
    with pytest.raises(tabia.Usage, match="games.*headers.*convert"):
        db.table(where="sort:date-desc")


def test_zeros_in_texts_are_reported(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns: dict[str, dict[str, object]] = {
        "lists.parquet": {"moves": [["e2e4", "e7e5"]], "comments": [["a\0b", None]]},
        "pgn.parquet": {"pgn": ['[White "a"]\n\n1. e4 {a\0b} e5 *']},
        "movetext.parquet": {"movetext": ["1. e4 {a\0b} e5 *"]},
    }
    for name, table in columns.items():
        parquet.write_table(pyarrow.table({"white": ["A"], **table}), tmp_path / name)
        (game,) = tabia.open(tmp_path / name)
        assert game.mainline()[0].comments == ["a\ufffdb"], name
        assert len(game.problems) == 1 and "U+0000" in str(game.problems[0]), name
        assert game.plies == 2
