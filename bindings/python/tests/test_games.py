import copy
import datetime
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tabia
from conftest import REPOSITORY


def test_any_format_is_opened(sample: tabia.Database, pgn: Path) -> None:
    assert sample.format == "cbh"
    assert len(tabia.open(str(pgn))) == 3
    # A guiding text is a record and no game; another game is marked as deleted.
    assert (len(sample), len(list(sample.headers()))) == (9, 7)
    deleted = tabia.open(REPOSITORY / "samples" / "tabia.cbv", include_deleted=True)
    assert len(list(deleted)) == len(list(deleted.headers())) == 8
    both = tabia.open_many([pgn, pgn])
    assert len(both) == 6
    assert [game.number for game in both] == [1, 2, 3, 1, 2, 3]
    assert both[4] == both.game(2)
    assert [info["records"] for info in both.inputs] == [3, 3]


def test_headers_and_games_agree(sample: tabia.Database) -> None:
    names = ["number", "white", "black", "white_elo", "result", "date", "event", "site", "round", "eco"]
    headers = [[getattr(header, name) for name in names] for header in sample.headers()]
    games = [[getattr(game, name) for name in names] for game in sample.games()]
    assert headers == games
    assert len(games) > 3


def test_games_by_index(pgn: Path) -> None:
    db = tabia.open(pgn)
    assert db[0].white == "Alpha, A"
    assert db[-1].white == "Gamma"
    assert [game.number for game in db[::-1]] == [3, 2, 1]
    for index in (3, -4):
        with pytest.raises(IndexError):
            db[index]
    for number in (0, -1, 4, 1 << 40):
        with pytest.raises(IndexError):
            db.game(number)
    with pytest.raises(TypeError):
        db["1"]  # type: ignore[call-overload]


def test_tags_and_dates(pgn: Path) -> None:
    game, complete, _ = tabia.open(pgn)
    assert (game.white, game.black, game.white_elo, game.eco) == ("Alpha, A", "Beta, B", 2700, "C20")
    assert list(game.tags)[:3] == ["Event", "Site", "Date"]
    assert complete.white_elo is None
    assert (game.date.year, game.date.month, game.date.day) == (2013, 9, None)
    assert game.date.complete is None
    assert game.date == tabia.Date(2013, 9)
    assert hash(game.date) == hash(tabia.Date(2013, 9))
    assert complete.date.complete == datetime.date(2014, 1, 31)
    assert tabia.Date(1950, 2, 31).complete is None
    assert str(game.date) == "2013.09.??"


def test_moves_with_everything(pgn: Path) -> None:
    game = tabia.open(pgn)[0]
    assert game.comments == ["first"]
    moves = game.mainline()
    assert [node.san for node in moves] == ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"]
    assert [node.uci for node in moves] == game.uci()
    first, second = moves[:2]
    assert first.comments == ["good"]
    assert first.arrows == [("green", "d2", "d4")]
    assert first.marks == [("square", "red", "e4"), ("square", "green", "d5")]
    assert (first.clock, second.clock, moves[2].clock) == (180.0, 178.5, None)
    assert (first.eval_cp, first.eval_mate, second.eval_cp) == (25, None, None)
    assert second.nags == [1]
    assert moves[-1].position.is_checkmate
    assert first.before == tabia.Position() == game.start
    assert first.fen() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def test_variations(pgn: Path) -> None:
    line = tabia.open(pgn)[0].mainline()[1].variations
    assert [[node.san for node in nodes] for nodes in line] == [["c5", "Nf3", "d6"]]
    inner = line[0][1].variations[0]
    assert [(node.ply, node.san) for node in inner] == [(3, "c3"), (4, "d5")]
    assert inner[0].comments == ["Alapin"]


def test_deep_variations_are_read(tmp_path: Path) -> None:
    path = tmp_path / "deep.pgn"
    path.write_text("1. e4 e5 " + "( 1... c5 " * 200 + ")" * 200 + " *\n")
    node, depth = tabia.open(path)[0].mainline()[1], 0
    while node.variations:
        node, depth = node.variations[0][0], depth + 1
    assert depth > 100


def test_problems_are_exceptions_with_a_location(pgn: Path) -> None:
    for games in (list(tabia.open(pgn)), tabia.open(pgn)[:]):
        assert [len(game.problems) for game in games] == [0, 0, 1]
        assert games[2].plies == 2
        problem = games[2].problems[0]
        assert isinstance(problem, tabia.Error)
        assert (problem.game, problem.path) == (3, str(pgn))


@pytest.mark.parametrize("extension", ["cbh", "si5"])
def test_moves_are_read_when_they_are_asked_for(pgn: Path, tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"later.{extension}"
    tabia.convert(pgn, path)
    db = tabia.open(path)
    games = list(db.games())
    assert [game.pgn() for game in games] == [game.pgn() for game in db[:]]
    assert games == db[:]
    assert [game.plies for game in games] == [7, 3, 2]
    assert [game.has_variations for game in games] == [True, False, False]
    assert games[0].comments == db[0].comments
    assert [node.san for node in games[1].mainline()] == ["d4", "d5", "c4"]
    assert [game.uci() for game in db.games(where="moves:..3")] == [["d2d4", "d7d5", "c2c4"], ["e2e4", "e7e5"]]
    with ThreadPoolExecutor(8) as threads:
        again = list(db.games())
        assert list(threads.map(lambda game: game.plies, again * 8)) == [7, 3, 2] * 8


def head(game: tabia.Game) -> tuple[object, ...]:
    names = (game.number, game.white, game.black, game.event, game.site, game.round, game.eco, game.result)
    return (*names, game.white_elo, game.black_elo, str(game.date), list(game.tags.items()), game.source)


@pytest.mark.parametrize("extension", ["cbh", "2cbh", "si4", "si5"])
def test_heads_of_an_index_are_those_of_the_games(pgn: Path, many: Path, tmp_path: Path, extension: str) -> None:
    for source in (pgn, many):
        path = tmp_path / f"{source.stem}.{extension}"
        tabia.convert(source, path)
        db = tabia.open(path)
        read = [head(game) for game in db[:]]
        games = list(db.games())
        # Tags are read one by one here, and with the games after the first that was asked there.
        assert [head(game) for game in games] == read
        assert [head(game) for game in db.games()] == read
        assert [game.problems for game in games] == [game.problems for game in db[:]]
        assert [head(game) for game in games] == read
        assert [game.white for game in db.games(where="elo:>=2500")] == [row[1] for row in read if (row[8] or 0) >= 2500]  # type: ignore[operator]


def test_moves_of_changed_files_are_an_error(pgn: Path, many: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.si5"
    tabia.convert(pgn, path)
    db = tabia.open(path)
    game, other, _ = db.games()
    assert game.plies == 7
    tabia.convert(many, path, force=True)
    assert (game.plies, other.white) == (7, "Beta, B")
    with pytest.raises(tabia.Error, match="changed"):
        other.mainline()
    with pytest.raises(tabia.Error, match="changed"):
        other.tags  # noqa: B018
    # What was found before the change is not mixed with what is read after it.
    target = tmp_path / "other.pgn"
    calls: list[Callable[[], object]] = [
        lambda: list(db.games()),
        lambda: list(db.headers()),
        lambda: db.game(1),
        lambda: db[0],
        lambda: db.moves(),
        lambda: db.explore("1. e4"),
        lambda: db.__arrow_c_stream__(),
        lambda: tabia.convert(db, target),
        lambda: tabia.build_book(db, tmp_path / "book.bin"),
    ]
    for call in calls:
        with pytest.raises(tabia.Error, match="changed"):
            call()
    assert not target.exists()
    assert next(iter(tabia.open(path).games())).plies == 4


def test_queries(many: Path) -> None:
    db = tabia.open(many, threads=2)
    assert len(list(db.games(where="player:W3"))) == 43
    assert len(list(db.headers(where="result:1-0 elo:>=2200"))) == sum(n // 3 % 3 == 0 for n in range(200, 300))
    with pytest.raises(tabia.Usage) as raised:
        db.games(where="whit:W3")
    assert raised.value.kind == "usage"
    with pytest.raises(tabia.Usage, match="sorted"):
        db.table(where="sort:date")


def test_iterators_end_early_and_are_shared(many: Path) -> None:
    db = tabia.open(many)
    games = db.games()
    assert next(games).number == 1
    games.close()
    assert list(games) == []
    shared = db.headers()
    with ThreadPoolExecutor(8) as threads:
        parts = threads.map(lambda _: [header.number for header in shared], range(8))
    numbers = [number for part in parts for number in part]
    assert sorted(numbers) == list(range(1, 301))


def test_one_database_on_several_threads(many: Path) -> None:
    db = tabia.open(many)
    with ThreadPoolExecutor(8) as threads:
        rounds = list(threads.map(lambda index: db[index].round, range(300)))
    assert rounds == [str(number) for number in range(300)]


def test_pgn_profiles(pgn: Path, tmp_path: Path) -> None:
    game = tabia.open(pgn)[0]
    copied = tmp_path / "copy.pgn"
    copied.write_text(game.pgn())
    assert tabia.open(copied)[0] == game
    assert "[%csl" not in game.pgn("seven")
    assert str(game) == game.pgn("standard")
    with pytest.raises(tabia.Usage, match="lichess"):
        game.pgn("eight")


def test_pickled_databases_are_opened_anew(pgn: Path) -> None:
    db = pickle.loads(pickle.dumps(tabia.open(pgn, include_deleted=True)))
    assert len(db) == 3
    assert len(copy.copy(db)) == 3


def test_positions() -> None:
    position = tabia.Position().play("1. e4 c5 2. Nf3")
    assert position.turn == "black"
    assert position.key == tabia.key("e4 c5 Nf3") == tabia.key(position.fen())
    assert pickle.loads(pickle.dumps(position)) == position
    assert len(tabia.Position().legal_moves) == 20
    assert tabia.key(tabia.Position()) == 0x463B96181691FC9C
    for bad in ("8/8/8/8/8/8/8/8 w - - 0 1", "1. e5"):
        with pytest.raises(ValueError):
            tabia.key(bad)
    with pytest.raises(ValueError):
        tabia.Position().play("Ke2")


def test_python_chess_by_text(pgn: Path) -> None:
    pytest.importorskip("chess.pgn")
    for game in tabia.open(pgn)[:2]:
        other = game.to_chess()
        assert other.headers["White"] == game.white
        assert [move.uci() for move in other.mainline_moves()] == game.uci()
        assert other.end().board().fen(en_passant="xfen") == game.mainline()[-1].fen()
