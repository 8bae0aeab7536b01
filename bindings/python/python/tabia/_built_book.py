"""The result of `build_book`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._tabia import Error


class BuiltBook(tuple[int, int]):
    """The numbers of positions and moves of a new book, and what was wrong with its games.

    >>> positions, moves = built = tabia.build_book("samples/tabia.cbv", "book.bin", force=True)
    >>> built.moves == moves, built.problems
    (True, [])
    """

    #: Number of problems of the games; those of the files of a folder that cannot be read count too.
    problem_count: int
    #: The problems, as exceptions that were not raised; of more than a hundred thousand the first.
    problems: list[Error]

    @property
    def positions(self) -> int:
        """Number of positions."""
        return self[0]

    @property
    def moves(self) -> int:
        """Number of moves."""
        return self[1]
