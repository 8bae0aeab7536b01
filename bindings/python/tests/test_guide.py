import doctest
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import tabia
from conftest import REPOSITORY

GUIDE = REPOSITORY / "docs" / "guide"


@pytest.mark.parametrize("page", ["docs/guide/python.md"])
def test_the_guide_shows_real_outputs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("numpy")
    pytest.importorskip("pyarrow")
    shutil.copytree(REPOSITORY / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(REPOSITORY / page), module_relative=False)
    assert done.attempted > 10
    assert done.failed == 0


def cell(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return f"[{', '.join(map(cell, value))}]"
    return str(value)


def as_table(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    head, *others = [f"| {' | '.join(line)} |\n" for line in (names, *([cell(value) for value in row] for row in rows))]
    return "".join([head, f"|{'---|' * len(names)}\n", *others])


STATEMENT = re.compile(r"```sql\n(.*?)```\n(\n(?:\|[^\n]*\n)+)?", re.DOTALL)


def compare_with_answers(name: str, connection: Any, count: int) -> None:
    """Runs each statement of a page and compares the table below it; `TABIA_UPDATE=1` writes it into the page."""
    page = GUIDE / name
    text = page.read_text(encoding="utf-8")
    answers = 0

    def answered(found: re.Match[str]) -> str:
        nonlocal answers
        statement = found[1].replace("KEY", str(tabia.key("1. e4 c5 2. d4") - 2**63))
        answer = connection.execute(statement)
        if statement.startswith("create"):
            return found[0]
        answers += 1
        table = as_table([column[0] for column in answer.description], answer.fetchall())
        return f"```sql\n{found[1]}```\n\n{table}"

    new = STATEMENT.sub(answered, text)
    assert answers == count
    if os.environ.get("TABIA_UPDATE"):
        page.write_text(new, encoding="utf-8")
        return
    assert text == new


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(REPOSITORY / "samples", tmp_path / "samples")
    (tmp_path / "docs" / "guide").mkdir(parents=True)
    shutil.copy(GUIDE / "blitz.pgn", tmp_path / "docs" / "guide")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_about_sql_shows_real_answers(samples: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    text = (GUIDE / "sql.md").read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert program
    # The page's own program makes the tables.
    names: dict[str, Any] = {}
    exec(program[1], names)
    connection = duckdb.connect()
    for name in ("games", "positions"):
        connection.register(name, names[name])
    compare_with_answers("sql.md", connection, 10)


def test_the_page_about_columns_shows_real_answers(samples: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    tabia.convert("samples/tabia.cbv", "games.parquet")
    compare_with_answers("columns.md", duckdb.connect(), 2)


def test_the_view_of_json_lines_has_the_games(samples: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    tabia.convert("samples/tabia.cbv", "games.ndjson")
    text = (GUIDE / "data.md").read_text(encoding="utf-8")
    statement = STATEMENT.search(text)
    assert statement
    connection = duckdb.connect()
    connection.execute(statement[1])
    names = "game, white, black, white_elo, year, result, eco, moves, clocks_ms, evals_cp"
    rows = connection.execute(f"select {names} from games order by game").fetchall()
    table = tabia.open("samples/tabia.cbv").table()
    connection.register("direct", table)
    direct = connection.execute(f"select {names} from direct where not is_text order by game").fetchall()
    assert [row[:8] for row in rows] == [row[:8] for row in direct]
    assert len(connection.execute("from 'games.parquet'").fetchall()) == len(rows) > 5
