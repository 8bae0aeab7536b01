"""The documented types of the tables, next to those that other programs find in our Parquet files."""

import re
from pathlib import Path
from typing import Any

import pytest

import tabia
from conftest import REPOSITORY

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

# By documented type: those of Arrow, DuckDB and Polars.
NUMBERS = {
    "bool": ("bool", "BOOLEAN", "Boolean"),
    "int8": ("int8", "TINYINT", "Int8"),
    "int16": ("int16", "SMALLINT", "Int16"),
    "int32": ("int32", "INTEGER", "Int32"),
    "int64": ("int64", "BIGINT", "Int64"),
    "date32": ("date32[day]", "DATE", "Date"),
    "string": ("string", "VARCHAR", "String"),
    "dict<int32, string>": ("dictionary<values=string, indices=int32, ordered=0>", "VARCHAR", "Categorical"),
    "list<dict<int16, string>>": (
        "list<element: dictionary<values=string, indices=int16, ordered=0> not null>",
        "VARCHAR[]",
        "List(Categorical)",
    ),
    "list<int16>": ("list<element: int16>", "SMALLINT[]", "List(Int16)"),
    "list<int32>": ("list<element: int32>", "INTEGER[]", "List(Int32)"),
    "list<list<int16>>": ("list<element: list<element: int16>>", "SMALLINT[][]", "List(List(Int16))"),
    "list<string>": ("list<element: string>", "VARCHAR[]", "List(String)"),
    "map<string, string>": ("map<string, string>", "MAP(VARCHAR, VARCHAR)", "Map(String, String)"),
}

TABLES = ["games", "positions"]


def documented(table: str) -> dict[str, str]:
    """The types of the guide by column."""
    page = (REPOSITORY / "docs/guide/columns.md").read_text(encoding="utf-8")
    section = page.split(f"## The table `{table}`")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \| (?:yes|no) \|", section, re.MULTILINE))


def written(table: str, folder: Path) -> Path:
    path = folder / f"{table}.parquet"
    sample = REPOSITORY / "samples/tabia.cbv"
    if table == "games":
        tabia.convert(sample, path, columns="+move_codes", with_pgn="full")
    else:
        tabia.convert(sample, path, table=table)
    return path


def names_of(arrow_type: str) -> str:
    """The type without what the guide leaves open: names of lists and of their elements, and whether these may be null."""
    return re.sub(r" not null| \('\w+'\)", "", re.sub("<item: ", "<element: ", arrow_type))


@pytest.mark.parametrize("table", TABLES)
def test_arrow_and_pandas_find_the_documented_types(table: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = written(table, tmp_path)
    found = {field.name: names_of(str(field.type)) for field in parquet.read_schema(path)}
    types = documented(table)
    expected = {name: names_of(NUMBERS[types[name]][0]) for name in found}
    assert found == expected
    assert len(types) - len(found) in (0, 1), "only `fen` of positions is left out"
    frame = pandas.read_parquet(path, dtype_backend="pyarrow")
    assert {name: names_of(str(kind.pyarrow_dtype)) for name, kind in frame.dtypes.items()} == expected


@pytest.mark.parametrize("table", TABLES)
def test_duckdb_finds_the_documented_types(table: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(f"describe select * from '{written(table, tmp_path)}'").fetchall()
    types = documented(table)
    assert [(name, kind) for name, kind, *_ in found] == [(name, NUMBERS[types[name]][1]) for name, *_ in found]


@pytest.mark.parametrize("table", TABLES)
def test_polars_finds_the_documented_types(table: str, tmp_path: Path) -> None:
    polars: Any = pytest.importorskip("polars")
    found = {name: str(kind) for name, kind in polars.read_parquet(written(table, tmp_path)).schema.items()}
    types = documented(table)
    assert found == {name: NUMBERS[types[name]][2] for name in found}


def test_values_are_those_of_the_games(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    polars: Any = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    path = written("games", tmp_path)
    games = list(tabia.open(REPOSITORY / "samples/tabia.cbv").games())
    expected = [(game.number, game.white, game.result, game.uci()) for game in games]
    columns = ["game", "white", "result", "moves"]
    # Records that are texts have a row, too.
    rows = duckdb.sql(f"select {', '.join(columns)} from '{path}' where not is_text order by game").fetchall()
    assert rows == expected
    frame = polars.read_parquet(path).filter(~polars.col("is_text")).select(columns)
    assert [(*row[:3], list(row[3])) for row in frame.rows()] == expected
    frame = pandas.read_parquet(path)
    frame = frame[~frame["is_text"]]
    found = zip(*(frame[name] for name in columns), strict=True)
    assert [(game, white, result, list(moves)) for game, white, result, moves in found] == expected
