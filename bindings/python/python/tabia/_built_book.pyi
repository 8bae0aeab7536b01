from typing_extensions import disjoint_base

from ._tabia import Error

@disjoint_base
class BuiltBook(tuple[int, int]):
    problem_count: int
    problems: list[Error]
    @property
    def positions(self) -> int: ...
    @property
    def moves(self) -> int: ...
