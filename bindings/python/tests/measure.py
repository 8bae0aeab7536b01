"""python tests/measure.py GAMES.pgn[.zst] FOLDER: rates of the package, next to python-chess, processor time of one process.

The games are converted to ChessBase and Scid databases in FOLDER first. Each line is the best of some rounds.
"""

import importlib
import io
import itertools
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import tabia


def used() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def best(label: str, job: Callable[[], int], rounds: int = 3) -> None:
    times, count = [], 0
    for _ in range(rounds):
        start = used()
        count = job()
        times.append(used() - start)
    seconds = min(times)
    print(f"{label}: {count / max(seconds, 1e-9):,.0f}/s ({count:,} in {seconds:.3f} s)", flush=True)


def rows(stream: Any) -> int:
    pyarrow = importlib.import_module("pyarrow")

    return sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(stream))


def parquet(base: str, target: str, columns: str | None) -> int:
    return tabia.convert(base, target, columns=columns, force=True).games


def measure_headers(name: str, db: tabia.Database) -> None:
    best(f"{name}, stream of headers, rows", lambda: rows(db.table(columns="header")))
    best(f"{name}, headers in a loop", lambda: sum(header.white is not None or True for header in db.headers()))
    best(f"{name}, games in a loop", lambda: sum(game.white is not None or True for game in db.games()))


def main() -> None:
    source, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    bases = [folder / "games.cbh", folder / "games.si5"]
    for base in bases:
        if not base.exists():
            tabia.convert(source, str(base))
    pgn = folder / "small.pgn"
    if not pgn.exists():
        first = itertools.islice(tabia.open(str(bases[0])).games(), 2000)
        pgn.write_text("".join(game.pgn() for game in first), encoding="utf-8")

    code = "import time; a = time.perf_counter(); import tabia; print(time.perf_counter() - a)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True) for _ in range(10)]
    print(f"import: {min(float(run.stdout) for run in runs) * 1000:.1f} ms")

    for base in bases:
        measure_headers(base.suffix, tabia.open(str(base), threads=1))
    db = tabia.open(str(bases[0]), threads=1)
    plies = len(db.moves().codes)
    moves = db.table(columns=["moves", "move_codes"])
    best("stream of moves and codes, plies", lambda: plies if rows(moves) else 0)
    best("moves() as arrays, plies", lambda: len(db.moves().codes))
    best("nodes with SAN", lambda: sum(len([node.san for node in game.mainline()]) for game in db.games()), 1)
    target = str(folder / "games.parquet")
    for label, columns in [("header", "header"), ("all columns", None)]:
        best(f"Parquet, {label}, games", partial(parquet, str(bases[0]), target, columns))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"most memory of the process: {memory:.0f} MB")

    import chess.pgn

    text = pgn.read_text(encoding="utf-8")

    def chess_games() -> int:
        file, count = io.StringIO(text), 0
        while chess.pgn.read_game(file):
            count += 1
        return count

    def chess_nodes() -> int:
        file, count = io.StringIO(text), 0
        while game := chess.pgn.read_game(file):
            board = game.board()
            for move in game.mainline_moves():
                board.san(move)
                board.push(move)
                count += 1
        return count

    best("python-chess, games in a loop", chess_games, 2)
    best("python-chess, nodes with SAN", chess_nodes, 1)


if __name__ == "__main__":
    start = time.monotonic()
    main()
    print(f"{time.monotonic() - start:.0f} s in all")
