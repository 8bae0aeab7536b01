import os
import sys
from pathlib import Path

import pytest

import tabia


def database(path: Path, games: int) -> None:
    pgn = path.with_name("source.pgn")
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7"
    pgn.write_text("".join(f'[White "W{number}"]\n\n{moves} *\n\n' for number in range(games)))
    tabia.convert(pgn, path)


@pytest.mark.parametrize("extension, moves", [("cbh", "cbg"), ("si4", "sg4"), ("si5", "sg5")])
def test_games_of_a_loop_have_their_problems(tmp_path: Path, extension: str, moves: str) -> None:
    path = tmp_path / f"lost.{extension}"
    database(path, 700)
    file = path.with_suffix(f".{moves}")
    os.truncate(file, file.stat().st_size // 2)
    db = tabia.open(path)
    expected = [[str(problem) for problem in game.problems] for game in db[:]]
    assert sum(map(bool, expected)) > 300
    # The moves of the first game are asked for, and then read of the games that follow.
    found = []
    for game in db.games():
        assert game.plies in (0, 10) or game.problems
        found.append([str(problem) for problem in game.problems])
    assert found == expected


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be cut off there")
def test_a_file_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "cut.si4"
    database(path, 8000)
    db = tabia.open(path)
    assert db.game(8000).plies == 10
    os.truncate(path.with_suffix(".sg4"), 4096)
    with pytest.raises(tabia.Error) as caught:
        db.game(8000)
    # Its length has changed; a game that is being read at that moment has lost bytes.
    assert caught.value.kind in {"damaged", "io"}
    assert caught.value.path in {str(path), str(path.with_suffix(".sg4"))}
    # Its first bytes are still there, but others may be made up: it has to be opened again.
    with pytest.raises(tabia.Error):
        db.game(1)
    assert len(list(tabia.open(path).games())) == 8000
