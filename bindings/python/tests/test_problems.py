"""What was wrong with an input is known to all that read it."""

import gzip
import os
from pathlib import Path

import polars
import pytest

import tabia


def lost_games(path: Path) -> None:
    """Writes a database whose later games have lost their moves."""
    pgn = path.with_name("source.pgn")
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7"
    pgn.write_text("".join(f'[White "W{number}"]\n\n{moves} *\n\n' for number in range(700)))
    tabia.convert(pgn, path)
    pgn.unlink()
    file = path.with_suffix(".sg5")
    os.truncate(file, file.stat().st_size // 2)


def cut_text(path: Path) -> None:
    """Writes a compressed text that is cut."""
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7"
    games = "".join(f'[White "W{number * number}"]\n\n{moves} *\n\n' for number in range(3000))
    data = gzip.compress(games.encode())
    path.write_bytes(data[: len(data) // 2])


def illegal_moves(path: Path) -> None:
    path.write_text("1. e4 e5 2. Nf3 *\n\n1. e4 e5 2. Ke3 *\n\n1. e4 e5 2. Nc3 *\n\n1. e4 d6 2. d7 *\n\n")


INPUTS = [("lost.si5", lost_games), ("cut.pgn.gz", cut_text), ("bad.pgn", illegal_moves)]


def texts(problems: list[tabia.Error]) -> list[str]:
    return [str(problem) for problem in problems]


@pytest.mark.parametrize("name, write", INPUTS)
def test_all_that_read_an_input_have_its_problems(tmp_path: Path, name: str, write: object) -> None:
    path = tmp_path / name
    assert callable(write)
    write(path)
    db = tabia.open(path)
    done = tabia.convert(db, tmp_path / "out.pgn")
    expected = texts(done.problems)
    assert expected and done.problem_count == len(expected)

    for table in (db.table(), db.table("positions")):
        assert table.problems == [] and table.problem_count == 0
        # Each use has its own.
        for _ in range(2):
            polars.DataFrame(table)
            assert texts(table.problems) == expected
            assert table.problem_count == len(expected)
    moves = db.moves()
    assert texts(moves.problems) == expected and moves.problem_count == len(expected)
    assert len(moves.clocks) == len(moves.codes)
    assert texts(moves.problems) == expected
    tree = db.explore("1. e4")
    assert tree.games and texts(tree.problems) == expected and tree.problem_count == len(expected)
    built = tabia.build_book(db, tmp_path / "out.bin", min_games=1)
    assert texts(built.problems) == expected and built.problem_count == len(expected)
    assert (built.positions, built.moves) == built and built.moves > 0


def test_problems_have_their_location(tmp_path: Path) -> None:
    path = tmp_path / "bad.pgn"
    illegal_moves(path)
    db = tabia.open(path)
    table = db.table()
    polars.DataFrame(table)
    built = tabia.build_book(path, tmp_path / "x.bin", min_games=1)
    for result in (table, db.moves(), db.explore("1. e4"), built):
        assert isinstance(result, tabia.Table | tabia.Moves | tabia.Tree | tabia.BuiltBook)
        assert [(problem.game, problem.ply) for problem in result.problems] == [(2, 2), (4, 2)]
        assert all(problem.path == str(path) for problem in result.problems)


def test_annotations_add_problems_to_those_of_moves(tmp_path: Path) -> None:
    path = tmp_path / "bad.pgn"
    illegal_moves(path)
    moves = tabia.open(path).moves()
    before = texts(moves.problems)
    assert moves.evals is not None and moves.mates is not None
    assert texts(moves.problems)[: len(before)] == before


def test_files_of_a_folder_that_cannot_be_read_are_problems(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "good.pgn").write_text("1. e4 e5 *\n\n")
    (folder / "bad.zip").write_bytes(b"PK\3\4junk")
    db = tabia.open(folder)
    expected = texts(db.problems)
    assert len(expected) == 1
    table, moves, tree = db.table(), db.moves(), db.explore("1. e4")
    polars.DataFrame(table)
    built = tabia.build_book(folder, tmp_path / "x.bin", min_games=1)
    done = tabia.convert(folder, tmp_path / "x.pgn")
    for result in (table, moves, tree, built, done):
        assert isinstance(result, tabia.Table | tabia.Moves | tabia.Tree | tabia.BuiltBook | tabia.Converted)
        assert texts(result.problems) == expected and result.problem_count == 1


def test_sound_games_have_no_problems(sample: tabia.Database, tmp_path: Path) -> None:
    table = sample.table()
    polars.DataFrame(table)
    built = tabia.build_book(sample, tmp_path / "x.bin", min_games=1)
    for result in (table, sample.moves(), sample.explore("1. e4"), built):
        assert result.problems == [] and result.problem_count == 0


def test_iterators_count_their_problems(tmp_path: Path) -> None:
    path = tmp_path / "lost.si5"
    lost_games(path)
    headers = tabia.open(path).headers()
    for _ in headers:
        pass
    assert headers.problem_count == len(headers.problems)
