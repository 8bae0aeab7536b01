"""Asks a running `tabia serve` through berserk, a client library of others for Lichess, of which only the base URL is changed.

Usage: explorer_client.py TABIA DATABASE [PLAYER]
"""

import json
import subprocess
import sys

import berserk

tabia, database, player = sys.argv[1:4] if len(sys.argv) > 3 else (*sys.argv[1:3], "")
server = subprocess.Popen(
    [tabia, "serve", database, "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
)
try:
    port = json.loads(server.stdout.readline())["port"]
    explorer = berserk.Client(explorer_url=f"http://127.0.0.1:{port}").opening_explorer

    def games(answer):
        return answer["white"] + answer["draws"] + answer["black"]

    def check(name, answer):
        """The sums are right, and the moves are those of the position."""
        assert games(answer) > 0, f"{name}: no games"
        of_moves = sum(games(move) for move in answer["moves"])
        assert 0 < of_moves <= games(answer), f"{name}: {of_moves} of {games(answer)}"
        first = answer["moves"][0]
        print(f"{name}: {games(answer)} games, {len(answer['moves'])} moves, first {first['san']} with {games(first)}")
        return answer

    masters = check("masters", explorer.get_masters_games(moves=500, top_games=3))
    first = masters["moves"][0]
    after = check("masters after a move", explorer.get_masters_games(play=[first["uci"]]))
    assert games(after) >= games(first)
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert games(explorer.get_masters_games(position=fen)) == games(masters)
    check("lichess", explorer.get_lichess_games(history=True, speeds=["classical"], recent_games=2))
    everyone = explorer.get_masters_games(top_games=15)["topGames"]
    name = player or everyone[0]["white"]["name"]
    own = check("player", explorer.get_player_games(name, "white", recent_games=3))
    assert games(own) <= games(masters)
    # It is read line by line there.
    assert sum(1 for _ in explorer.stream_player_games(name, "white")) >= 1
    assert games(explorer.get_player_games("No such player", "black")) == 0
finally:
    server.terminate()
    server.wait()
