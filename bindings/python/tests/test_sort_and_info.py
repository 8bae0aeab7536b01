from pathlib import Path

import pytest

import tabia
from conftest import REPOSITORY


def test_games_and_headers_are_sorted_alike(many: Path, tmp_path: Path) -> None:
    tabia.convert(many, tmp_path / "many.si5")
    for path in (many, tmp_path / "many.si5"):
        db = tabia.open(path, threads=2)
        key = {int(h.round or 0): (h.white or "", -(h.date.year or 0)) for h in db.headers()}
        expected = sorted(key, key=lambda number: (key[number], number))
        sort = "white,-date"
        assert [int(h.round or 0) for h in db.headers(sort=sort)] == expected
        games = list(db.games(sort=sort))
        assert [int(game.round or 0) for game in games] == expected
        assert [game.uci() for game in games[:3]] == [db[number].uci() for number in expected[:3]]
        found = [int(h.round or 0) for h in db.headers(where="result:0-1 sort:white,date-desc")]
        assert found == [number for number in expected if number // 3 % 3 == 1]
    both = tabia.open_many([many, tmp_path / "many.si5"])
    assert len(list(both.games(sort="-whiteElo"))) == 600


def test_problems_of_sorted_games(pgn: Path) -> None:
    games = list(tabia.open(pgn).games(sort="white"))
    assert [game.white for game in games] == ["Alpha, A", "Beta, B", "Gamma"]
    assert [len(game.problems) for game in games] == [0, 0, 1]


def test_a_wrong_order_is_an_error(many: Path) -> None:
    db = tabia.open(many)
    for call in (
        lambda: db.games(sort="elephant"),
        lambda: db.headers(sort=""),
        lambda: db.games(where="sort:date", sort="date"),
        lambda: db.table(where="sort:date"),
        lambda: db.moves(where="sort:date"),
    ):
        with pytest.raises(tabia.Usage):
            call()
    games = db.games(sort="date")
    next(games)
    games.close()
    assert list(games) == []


def test_info_has_the_names_of_the_command_line(many: Path) -> None:
    info = tabia.open(REPOSITORY / "samples" / "tabia.cbh").info
    assert (info["format"], info["kind"], info["games"], info["texts"]) == ("cbh", "database", 8, 1)
    assert info["years"]["first"] < info["years"]["last"]
    assert {"kind", "count"} == set(info["names"][0])
    assert info["problems"] == 0 and "problemList" not in info
    info = tabia.open(many).info
    assert (info["format"], info["games"]) == ("pgn", 300)
    assert info["elo"] == {"first": 2000, "last": 2400}
    both = tabia.open_many([many, many.parent / "many.pgn"]).info
    assert (both["games"], len(both["databases"])) == (600, 2)
