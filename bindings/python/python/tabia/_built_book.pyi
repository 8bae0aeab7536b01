import os

from typing_extensions import disjoint_base

from ._tabia import Error

@disjoint_base
class BuiltBook(tuple[int, int]):
    games: int
    filtered_games: int
    bad_games: int
    losses: dict[str, int]
    files: list[str | os.PathLike[str]]
    bytes: int
    problem_count: int
    problems: list[Error]
    @property
    def positions(self) -> int: ...
    @property
    def moves(self) -> int: ...
