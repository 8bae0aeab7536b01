import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tabia


def test_convert_and_read_again(pgn: Path, tmp_path: Path) -> None:
    done = tabia.convert(pgn, tmp_path / "games.si5")
    assert (done.games, done.texts) == (3, 0)
    assert done.problem_count == len(done.problems) == 1
    assert [Path(file).suffix for file in done.files][0] == ".si5"
    with pytest.raises(tabia.Error) as raised:
        tabia.convert(pgn, tmp_path / "games.si5")
    assert raised.value.kind == "exists"
    tabia.convert(tabia.open(pgn), tmp_path / "games.si5", where="player:Alpha", force=True)
    games = tabia.open(tmp_path / "games.si5")
    assert [game.uci() for game in games] == [game.uci() for game in tabia.open(pgn)[:2]]


def test_losses_are_counted(pgn: Path, tmp_path: Path) -> None:
    done = tabia.convert(pgn, tmp_path / "games.parquet")
    assert done.losses
    full = tabia.convert(pgn, tmp_path / "full.parquet", with_pgn="full")
    assert full.losses == {}
    assert list(tabia.open(tmp_path / "full.parquet"))[:2] == list(tabia.open(pgn))[:2]


def test_books(many: Path, tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    positions, moves = tabia.build_book([many], path, min_games=1, threads=2)
    book = tabia.open_book(path)
    found = book.find("1. e4")
    assert {move.uci for move in found} == {"e7e5", "c7c5"}
    assert sum(move.probability for move in found) == pytest.approx(1)
    assert [move.san for move in book.find(tabia.Position())] == [move.san for move in book.find(tabia.Position().fen())]
    assert not book.find("1. a3") and book.find("1. a3").moves == []
    rows = list(book)
    assert len(rows) == moves
    assert len({row.key for row in rows}) == positions
    start = [row for row in rows if row.key == tabia.Position().key]
    assert {row.uci: row.weight for row in start} == {move.uci: move.weight for move in book.find(tabia.Position())}
    iterator = iter(book)
    next(iterator)
    iterator.close()
    assert list(iterator) == []


def test_explore(many: Path) -> None:
    tree = tabia.open(many).explore("1. e4", games=2)
    assert tree.games == 200
    assert [(move.uci, move.games) for move in tree.moves] == [("c7c5", 100), ("e7e5", 100)]
    assert tree.moves[1].results == (34, 33, 33)
    assert len(tree.top_games) == 2
    assert tabia.open(many).explore("1. e4", where="result:0-1").games == 66


def test_progress_ends_a_job(many: Path, tmp_path: Path) -> None:
    big = tmp_path / "big.pgn"
    big.write_text(many.read_text() * 300)

    class Enough(Exception):
        pass

    seen: list[tuple[int, int, int]] = []

    def report(*counts: int) -> None:
        done, total, games = counts
        seen.append((done, total, games))
        raise Enough

    with pytest.raises(Enough):
        tabia.convert(big, tmp_path / "big.cbh", progress=report)
    assert len(seen) == 1
    assert not (tmp_path / "big.cbh").exists()


# Starts a long call, then gets SIGINT from a thread of its own and writes how long it took until the exception.
INTERRUPTED = """
import os, signal, sys, threading, time
import tabia

sent = 0.0
# A process that was started in the background ignores the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt():
    global sent
    # The call is long compared with this; if the signal came before it, it would be seen as well.
    time.sleep(0.05)
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)

db = tabia.open(sys.argv[1])
try:
    threading.Thread(target=interrupt).start()
    CALL
except KeyboardInterrupt:
    print(time.monotonic() - sent)
else:
    print("done")
"""


@pytest.mark.parametrize(
    "call",
    [
        "tabia.convert(db, sys.argv[2])",
        "sum(1 for _ in db.games(where='text:nothing'))",
        "len(db)",
        "db.moves()",
        "db.explore('e4 c5 Nf3 d6 d4')",
    ],
)
def test_ctrl_c_ends_long_calls(call: str, many: Path, tmp_path: Path) -> None:
    big = tmp_path / "big.pgn"
    with big.open("w") as file:
        text = many.read_text()
        for _ in range(1500):
            file.write(text)
    target = tmp_path / "target.cbh"
    program = INTERRUPTED.replace("CALL", call)
    done = subprocess.run(
        [sys.executable, "-c", program, str(big), str(target)], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() != "done", "the call was too short to be interrupted"
    # 100 ms on a machine that has time for it.
    assert float(done.stdout) < 5
    assert not target.exists()


# As above, for a library that reads a stream: it raises an exception of its own, and Python its own after it.
INTERRUPTED_STREAM = """
import os, signal, sys, threading, time
import duckdb, polars, pyarrow
import tabia

sent = 0.0
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt():
    global sent
    time.sleep(0.3)
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)

table = stream = tabia.open(sys.argv[1]).table(WHAT)
try:
    try:
        threading.Thread(target=interrupt).start()
        CALL
        print("done")
    except Exception as error:
        time.sleep(0)
        # DuckDB takes the exception of Python where it waits for its threads, and raises this one alone.
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print(time.monotonic() - sent)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


@pytest.mark.parametrize("what", ["columns='moves'", "where='text:nothing'"])
@pytest.mark.parametrize(
    "call",
    [
        "polars.DataFrame(table)",
        "pyarrow.RecordBatchReader.from_stream(table).read_all()",
        "pyarrow.table(table)",
        "duckdb.sql('select count(moves) from stream').fetchall()",
        "duckdb.sql('select count(moves) from stream').pl()",
        "duckdb.sql('select count(moves) from stream').to_arrow_table()",
    ],
)
def test_ctrl_c_ends_streams(call: str, what: str, many: Path, tmp_path: Path) -> None:
    for package in ("duckdb", "polars", "pyarrow"):
        pytest.importorskip(package)
    big = tmp_path / "big.pgn"
    with big.open("w") as file:
        text = many.read_text()
        for _ in range(1500):
            file.write(text)
    program = INTERRUPTED_STREAM.replace("CALL", call).replace("WHAT", what)
    done = subprocess.run(
        [sys.executable, "-c", program, str(big)], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.strip() != "done", "the call was too short to be interrupted"
    # 100 ms on a machine that has time for it; the whole stream takes longer than this.
    assert float(done.stdout) < 1


def test_an_earlier_interrupt_does_not_end_a_stream(many: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        reader = pyarrow.RecordBatchReader.from_stream(tabia.open(many).table(columns="game"))
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        time.sleep(1.1)
        # On a thread that notices signals by itself.
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(reader.read_all).result().num_rows == 300
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_run_meanwhile(many: Path, tmp_path: Path) -> None:
    big = tmp_path / "big.pgn"
    big.write_text(many.read_text() * 300)
    ticks = 0
    handler = signal.getsignal(signal.SIGINT)
    ended = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not ended.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    tabia.convert(big, tmp_path / "big.cbh")
    ended.set()
    thread.join()
    assert ticks > 1
    assert signal.getsignal(signal.SIGINT) is handler
