"""What calls accept, and what their results can do."""

import pickle
from pathlib import Path

import pytest

import tabia


@pytest.mark.parametrize(
    "parts", [(2013, 13), (2013, 1, 32), (2013, 13, 40), (10000,), (70000,), (-1,), (2013, -1), (2013, 1, 10**30)]
)
def test_dates_have_possible_parts(parts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        tabia.Date(*parts)


def test_dates_without_a_day_in_the_calendar_are_kept() -> None:
    date = tabia.Date(1950, 2, 31)
    assert (date.year, date.month, date.day, date.complete) == (1950, 2, 31, None)
    with pytest.raises(TypeError):
        tabia.Date("2013")  # type: ignore[arg-type]


def test_dates_are_ordered_hashed_and_pickled() -> None:
    dates = [tabia.Date(2013, 9, 2), tabia.Date(2013), tabia.Date(), tabia.Date(2012, 12, 31), tabia.Date(2013, 9)]
    ordered = ["????.??.??", "2012.12.31", "2013.??.??", "2013.09.??", "2013.09.02"]
    assert [str(date) for date in sorted(dates)] == ordered
    assert tabia.Date(2013) <= tabia.Date(2013) and not tabia.Date(2013) > tabia.Date(2013, 1)
    assert len({*dates, *dates}) == 5
    for date in dates:
        assert pickle.loads(pickle.dumps(date)) == date
    strange = tabia.open(b'[Date "2013.15.40"]\n\n1. e4 *', name="a.pgn")[0].date
    assert pickle.loads(pickle.dumps(strange)) == strange


def test_records_come_in_reverse_order(sample: tabia.Database) -> None:
    assert list(reversed(sample)) == sample[::-1]
    assert len(list(reversed(sample))) == len(sample)


def test_an_empty_range_of_plies_is_an_error(sample: tabia.Database) -> None:
    for plies in [(5, 2), (0, 0)]:
        with pytest.raises(tabia.Usage, match="plies"):
            sample.table("positions", plies=plies)
    sample.table("positions", plies=(5, 5))


@pytest.mark.parametrize("number", [10**30, -(10**30), 2**63 - 1, -(2**63), 2**64])
def test_huge_indexes_are_index_errors(sample: tabia.Database, number: int) -> None:
    with pytest.raises(IndexError):
        sample[number]
    with pytest.raises(IndexError):
        sample.game(number)


def test_what_is_no_index_is_a_type_error(sample: tabia.Database) -> None:
    with pytest.raises(TypeError):
        sample["1"]  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        sample.game("1")  # type: ignore[arg-type]


def test_paths_of_many_databases_may_come_from_a_generator(many: Path, pgn: Path) -> None:
    paths = [many, pgn]
    expected = len(tabia.open_many(paths))
    assert len(tabia.open_many(path for path in paths)) == expected
    assert len(tabia.open_many({str(path) for path in paths})) == expected
    with pytest.raises(TypeError):
        tabia.open_many(5)  # type: ignore[arg-type]
