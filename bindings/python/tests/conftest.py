from pathlib import Path

import pytest

import tabia

REPOSITORY = Path(__file__).resolve().parents[3]

# Two games with everything that a move may have, and a third with an illegal move.
PGN = """\
[Event "Match"]
[Site "Here"]
[Date "2013.09.??"]
[Round "1"]
[White "Alpha, A"]
[Black "Beta, B"]
[Result "1-0"]
[WhiteElo "2700"]
[BlackElo "2600"]
[ECO "C20"]

{first} 1. e4 {good [%csl Re4,Gd5][%cal Gd2d4] [%clk 0:03:00] [%eval 0.25]} e5 $1 {[%clk 0:02:58.5]}
(1... c5 2. Nf3 (2. c3 {Alapin} d5) d6) 2. Qh5 Nc6 3. Bc4 Nf6 $4 4. Qxf7# 1-0

[Event "Match"]
[Site "Here"]
[Date "2014.01.31"]
[Round "2"]
[White "Beta, B"]
[Black "Alpha, A"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 1/2-1/2

[Event "Match"]
[White "Gamma"]
[Black "Delta"]
[Result "*"]

1. e4 e5 2. Ke3 *
"""


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    return path


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """300 games, whose numbers are in their rounds."""
    path = tmp_path / "many.pgn"
    lines = ["1. e4 e5 2. Nf3 Nc6", "1. e4 c5 2. Nf3 d6", "1. d4 d5 2. c4 e6"]
    with path.open("w") as file:
        for number in range(300):
            result = ("1-0", "0-1", "1/2-1/2")[number // 3 % 3]
            file.write(
                f'[White "W{number % 7}"]\n[Black "B"]\n[Date "{1900 + number % 100}.01.01"]\n[Round "{number}"]\n'
                f'[WhiteElo "{2000 + number}"]\n[BlackElo "2400"]\n[Result "{result}"]\n\n{lines[number % 3]} {result}\n\n'
            )
    return path


@pytest.fixture
def sample() -> tabia.Database:
    return tabia.open(REPOSITORY / "samples" / "tabia.cbv")
