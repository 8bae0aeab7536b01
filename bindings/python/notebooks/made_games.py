"""Made-up games for the notebooks: openings, results, clocks and evaluations come from a generator of random numbers.

Moves are legal and otherwise random. Which openings are played changes with the years, and who has little time left makes
larger mistakes: the notebooks have something to find. For findings about chess, use a database of real games.
"""

import random
from pathlib import Path

import tabia

# Opening, ECO code, moves, and how often it is played in 1870 and in 2020.
OPENINGS = [
    ("King's Gambit", "C33", "e4 e5 f4 exf4", 30, 1),
    ("Evans Gambit", "C51", "e4 e5 Nf3 Nc6 Bc4 Bc5 b4", 20, 1),
    ("Ruy Lopez", "C60", "e4 e5 Nf3 Nc6 Bb5", 25, 20),
    ("French Defence", "C00", "e4 e6 d4 d5", 10, 10),
    ("Sicilian Defence", "B90", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", 3, 30),
    ("Queen's Gambit", "D30", "d4 d5 c4 e6", 8, 15),
    ("King's Indian", "E60", "d4 Nf6 c4 g6", 1, 13),
    ("English Opening", "A20", "c4 e5 Nc3", 3, 10),
]
PLAYERS = ["Opponent, Olga", "Ames, Anna", "Bora, Bela", "Ciel, Carla", "Dorn, Dirk", "Ekman, Eva", "Fei, Fang", "Gray, Gus"]


def clock(seconds: float) -> str:
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


def one_game(number: int, dice: random.Random) -> str:
    year = 1870 + dice.randrange(151)
    late = (year - 1870) / 150
    name, eco, line, *weights = dice.choices(
        OPENINGS, [early * (1 - late) + now * late for *_, early, now in OPENINGS]
    )[0]
    white, black = dice.sample(PLAYERS, 2)
    position, evaluation = tabia.Position(), 20.0
    times = [180.0, 180.0]
    words: list[str] = []
    opening = line.split()
    for ply in range(30 + dice.randrange(50)):
        legal = position.legal_moves
        if not legal:
            break
        move = opening[ply] if ply < len(opening) else dice.choice(legal)
        side = ply % 2
        left = times[side]
        times[side] = max(0.5, left - (0.7 if left < 15 else dice.expovariate(1 / 7)))
        step = 15 if ply < len(opening) else 30 if left > 60 else 60 if left > 20 else 140
        loss = dice.expovariate(1 / step)
        evaluation += loss if side else -loss
        shown = max(-1500.0, min(1500.0, evaluation)) / 100
        words.append(f"{move} {{[%clk {clock(times[side])}] [%eval {shown:.2f}]}}")
        position = position.play(move)
    result = "1-0" if evaluation > 150 else "0-1" if evaluation < -150 else "1/2-1/2"
    tags = {
        "Event": "Made-up games",
        "Site": "?",
        "Date": f"{year}.{1 + dice.randrange(12):02}.??",
        "Round": str(number),
        "White": white,
        "Black": black,
        "Result": result,
        "WhiteElo": str(2400 - 40 * PLAYERS.index(white)),
        "BlackElo": str(2400 - 40 * PLAYERS.index(black)),
        "ECO": eco,
        "Opening": name,
        "TimeControl": "180",
    }
    head = "".join(f'[{tag} "{value}"]\n' for tag, value in tags.items())
    return f"{head}\n{' '.join(words)} {result}\n\n"


def write_made_games(path: str | Path, games: int = 400) -> Path:
    """Writes PGN with this many games, the same for the same number."""
    dice = random.Random(1)
    target = Path(path)
    with target.open("w", encoding="utf-8") as file:
        for number in range(1, games + 1):
            file.write(one_game(number, dice))
    return target
