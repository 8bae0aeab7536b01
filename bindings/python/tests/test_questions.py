"""The questions of docs/guide/sql.md over an open ChessBase database, each answered a second way: from its PGN by python-chess."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tabia
from conftest import REPOSITORY

duckdb = pytest.importorskip("duckdb")
chess = pytest.importorskip("chess")
chess_pgn = pytest.importorskip("chess.pgn")
chess_polyglot = pytest.importorskip("chess.polyglot")

OPENINGS = [
    ("B50", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6"),
    ("C60", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6"),
    ("D30", "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7"),
    ("B20", "d4 c5 e4 cxd4 c3 dxc3 Nxc3 Nc6"),
    ("A10", "c4 e5 Nc3 Nf6 g3 d5 cxd5 Nxd5"),
]


def one_game(number: int, dice: random.Random) -> str:
    eco, line = OPENINGS[dice.randrange(5)]
    names = dice.sample(["Alpha", "Beta", "Gamma", "Delta"], 2)
    result = dice.choice(["1-0", "0-1", "1/2-1/2", "*"])
    tags = {"White": names[0], "Black": names[1], "Result": result, "Round": str(number)}
    if number % 7:
        tags["Date"] = f"{1970 + dice.randrange(50)}.{1 + dice.randrange(12):02}.01"
    if number % 5:
        tags["ECO"] = eco
    if number % 11:
        tags |= {"WhiteElo": str(2000 + dice.randrange(800)), "BlackElo": str(2000 + dice.randrange(800))}
    board = chess.Board()
    text, time = [], 3600
    for ply in range(dice.randrange(8, 70)):
        moves = sorted(board.legal_moves, key=lambda move: str(move.uci()))
        if not moves:
            break
        san = line.split()[ply] if ply < 8 else board.san(dice.choice(moves))
        board.push_san(san)
        time -= dice.randrange(100)
        notes = []
        if number % 3:
            notes.append(f"[%clk {time // 3600}:{time // 60 % 60:02}:{time % 60:02}]")
        if number % 4 and ply % 10 != 9:
            notes.append(f"[%eval {dice.randrange(-300, 300) / 100:.2f}]")
        text.append(f"{san} {{{' '.join(notes)}}}" if notes else san)
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return f"{head}\n{' '.join(text)} {result}\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("questions")
    dice = random.Random(1)
    (folder / "games.pgn").write_text("".join(one_game(number, dice) for number in range(300)))
    for name in ("games.cbh", "games.si5"):
        done = tabia.convert(folder / "games.pgn", folder / name)
        assert (done.games, done.problem_count) == (300, 0)
    return folder


@pytest.fixture(scope="module")
def db(folder: Path) -> tabia.Database:
    return tabia.open(folder / "games.cbh")


def sql(heading: str) -> str:
    page = (REPOSITORY / "docs" / "guide" / "sql.md").read_text()
    found = re.search(rf"## {re.escape(heading)}\n.*?```sql\n(.*?)```", page, re.DOTALL)
    assert found, heading
    return found[1].replace("KEY", str(signed(tabia.key("1. e4 c5 2. d4"))))


def signed(key: int) -> int:
    return key - 2**63


def mean(numbers: Iterable[float]) -> float:
    values = list(numbers)
    return sum(values) / len(values)


def grouped(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[Any, list[Any]]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for name, value in pairs:
        groups[name].append(value)
    return sorted(groups.items())


@dataclass
class Read:
    """A game as python-chess reads it."""

    number: int
    white: str
    black: str
    result: str
    eco: str | None
    year: int | None
    elo: tuple[int | None, int | None]
    uci: list[str]
    boards: list[Any]
    clocks: list[float | None]
    evals: list[int | None]


def read_games(path: Path) -> list[Read]:
    games: list[Read] = []
    with path.open() as file:
        while game := chess_pgn.read_game(file):
            head, nodes = game.headers, list(game.mainline())
            year = head.get("Date", "?")[:4]
            elo = [int(head[name]) if name in head else None for name in ("WhiteElo", "BlackElo")]
            # python-chess cuts the last digit of some of them.
            evals = [re.search(r"%eval (-?)(\d+)\.(\d\d)", node.comment) for node in nodes]
            games.append(
                Read(
                    number=len(games) + 1,
                    white=head["White"],
                    black=head["Black"],
                    result=head["Result"],
                    eco=head.get("ECO"),
                    year=int(year) if year.isdigit() else None,
                    elo=(elo[0], elo[1]),
                    uci=[node.move.uci() for node in nodes],
                    boards=[game.board(), *(node.board() for node in nodes)],
                    clocks=[node.clock() for node in nodes],
                    evals=[int(found[1] + found[2] + found[3]) if found else None for found in evals],
                )
            )
    return games


def points(game: Read) -> float:
    return {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[game.result]


def eco_and_decade(games: list[Read]) -> list[tuple[Any, ...]]:
    pairs = [((game.eco, game.year // 10 * 10), game.elo[0]) for game in games if game.eco and game.year]
    return [(*name, len(elos), mean(elo for elo in elos if elo)) for name, elos in grouped(pairs)]


def first_moves(games: list[Read]) -> list[tuple[Any, ...]]:
    pairs = [
        ((game.uci[0], game.elo[0] // 200 * 200), points(game))
        for game in games
        if game.elo[0] and game.result != "*" and game.uci[0] in ("e2e4", "d2d4")
    ]
    return [(*name, len(scores), mean(scores)) for name, scores in grouped(pairs)]


def draws(games: list[Read]) -> list[tuple[Any, ...]]:
    pairs = [(game.year, game.result == "1/2-1/2") for game in games if game.year and game.result != "*"]
    return [(year, mean(results)) for year, results in grouped(pairs)]


def longest(games: list[Read]) -> list[tuple[Any, ...]]:
    game = min(games, key=lambda game: (-len(game.uci), game.number))
    return [(game.number, len(game.uci))]


def pairings(games: list[Read]) -> list[tuple[Any, ...]]:
    count = Counter(tuple(sorted([game.white, game.black])) for game in games)
    rows: list[tuple[Any, ...]] = [(*pair, n) for pair, n in count.items()]
    return sorted(rows, key=lambda row: (-row[2], row))[:5]


def time_left(games: list[Read]) -> list[tuple[Any, ...]]:
    pairs = [(game.result, clock) for game in games for clock in game.clocks[38:39] if clock is not None]
    return [(result, len(times), mean(times)) for result, times in grouped(pairs)]


def losses(games: list[Read]) -> list[tuple[Any, ...]]:
    pairs = []
    for game in games:
        for board, before, after in zip(game.boards[1:], game.evals, game.evals[1:], strict=False):
            if before is None or after is None:
                continue
            loss = (before - after) * (1 if board.turn else -1)
            elo = game.elo[0 if board.turn else 1]
            pairs.append((-1 if elo is None else elo // 200 * 200, max(0, loss)))
    rows = [(None if band == -1 else band, mean(values)) for band, values in grouped(pairs)]
    # Nulls are last in DuckDB.
    return sorted(rows, key=lambda row: (row[0] is None, row))


def first_years(games: list[Read]) -> list[tuple[Any, ...]]:
    return [(eco, min(years)) for eco, years in grouped((g.eco, g.year) for g in games if g.eco and g.year)]


def frequent(games: list[Read]) -> list[tuple[Any, ...]]:
    keys = [signed(chess_polyglot.zobrist_hash(game.boards[8])) for game in games if len(game.uci) > 8]
    return sorted(Counter(keys).items(), key=lambda row: (-row[1], row[0]))[:3]


def transposed(games: list[Read]) -> list[tuple[Any, ...]]:
    sicilian = chess.Board()
    for san in ("e4", "c5", "d4"):
        sicilian.push_san(san)
    epd = sicilian.epd()
    return [(g.number,) for g in games if g.uci[0] == "d2d4" and epd in [board.epd() for board in g.boards]]


QUESTIONS = {
    "Games and mean Elo by ECO code and decade": eco_and_decade,
    "Score of 1. e4 and 1. d4 by Elo": first_moves,
    "Share of draws by year": draws,
    "The longest game": longest,
    "Players with the most games against each other": pairings,
    "Time left at move 20, by result": time_left,
    "Average centipawn loss by Elo": losses,
    "The first year of each ECO code": first_years,
    "The most frequent positions after eight plies": frequent,
    "Games that came from 1. d4 to a Sicilian": transposed,
}


@pytest.mark.parametrize("heading", QUESTIONS)
def test_answers_are_equal(heading: str, folder: Path) -> None:
    # New ChessBase databases do not hold the time left after each move.
    db = tabia.open(folder / ("games.si5" if heading.startswith("Time left") else "games.cbh"))
    games, positions = db, db.table("positions", plies=(1, 20))
    answer = duckdb.sql(sql(heading)).fetchall()
    expected = QUESTIONS[heading](read_games(folder / "games.pgn"))
    assert len(answer) == len(expected) > 0
    for row, other in zip(answer, expected, strict=True):
        assert row == pytest.approx(other, abs=1e-9), heading
    del games, positions


def test_every_question_of_the_guide_is_here() -> None:
    page = (REPOSITORY / "docs" / "guide" / "sql.md").read_text()
    assert re.findall("^## (.*)$", page, re.MULTILINE) == list(QUESTIONS)


def test_polars_pandas_and_pyarrow_read_the_same(db: tabia.Database) -> None:
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    table = db.table(columns=["game", "white", "year", "moves", "clocks_ms"])
    rows = [(g.number, g.white, g.date.year, g.uci()) for g in db.games()]
    arrow = pyarrow.table(table)
    assert arrow.column_names == table.column_names
    assert arrow.schema == pyarrow.schema(table)
    lists = [arrow.column(name).to_pylist() for name in ("game", "white", "year", "moves")]
    assert list(zip(*lists, strict=True)) == rows
    frame = polars.DataFrame(table)
    assert frame.select("game", "white", "year").rows() == [row[:3] for row in rows]
    assert [list(moves) for moves in frame["moves"]] == [row[3] for row in rows]
    frame = pandas.DataFrame.from_arrow(db.table(columns="game,white"))
    assert list(zip(frame["game"], frame["white"], strict=True)) == [row[:2] for row in rows]
    assert len(polars.DataFrame(db)) == len(rows)


def test_moves_for_numpy(db: tabia.Database) -> None:
    pytest.importorskip("numpy")
    moves = db.moves()
    assert len(moves) == len(moves.games) == 300
    assert not moves.codes.flags.writeable
    codes, offsets = moves.codes, moves.offsets
    del moves
    for index, game in enumerate(db.games()):
        own = codes[offsets[index] : offsets[index + 1]].tolist()
        assert [square(code & 63) + square(code >> 6 & 63) for code in own] == [uci[:4] for uci in game.uci()]


def square(number: int) -> str:
    return "abcdefgh"[number & 7] + str(1 + (number >> 3))


def test_a_stream_that_is_not_read_ends(db: tabia.Database, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(db.table())
    assert reader.read_next_batch().num_rows > 0
    del reader
    # A capsule that no one takes.
    db.table().__arrow_c_stream__()
    db.table().__arrow_c_schema__()
