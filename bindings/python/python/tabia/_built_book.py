"""The result of `build_book` and `convert_book`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from ._tabia import Error


class BuiltBook(tuple[int, int]):
    """The numbers of positions and moves of a new book, and what was wrong with its games.

    >>> positions, moves = built = tabia.build_book("samples/tabia.cbv", "book.bin", force=True)
    >>> built.moves == moves, built.problems
    (True, [])
    """

    #: Number of games whose moves count; 0 if it was made of another book.
    games: int
    #: Number of games that the query left out.
    filtered_games: int
    #: Number of games left out because not all of their moves can be read.
    bad_games: int
    #: What the book could not hold: counts by the names of the command line's reports.
    losses: dict[str, int]
    #: The files, main file first.
    files: list[str | os.PathLike[str]]
    #: Their length in bytes.
    bytes: int
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
