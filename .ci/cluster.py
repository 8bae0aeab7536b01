"""cluster.py TABIA: docs/guide/cluster.md from top to bottom; its statement, run by each engine over the sums of several shards of
many games; cells of tables in DuckDB next to those of `ls`; types of tables in Spark and DataFusion next to the documented ones."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TABIA = sys.argv[1]
REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TABIA_SHARED", REPOSITORY.parent / "shared")) / "data/pgn/m100k.pgn.zst"
SHARDS = 3
GAMES = 40_000


def tabia(*arguments: str) -> None:
    subprocess.run([TABIA, *arguments], check=True, stderr=subprocess.DEVNULL)


def made_games(count: int) -> str:
    """Games of 32 plies, in which each pawn moves twice: no such move gives check or is ever in the way of another."""
    dice = random.Random(1)
    games = []
    for game in range(count):
        sides = []
        for first, second in ((3, 4), (6, 5)):
            steps = [*"abcdefgh", *"abcdefgh"]
            dice.shuffle(steps)
            moved: set[str] = set()
            sides.append([])
            for file in steps:
                sides[-1].append(f"{file}{second if file in moved else first}")
                moved.add(file)
        moves = " ".join(f"{white} {black}" for white, black in zip(*sides, strict=True))
        result = ["1-0", "0-1", "1/2-1/2", "*"][game % 4]
        games.append(f'[Date "{1900 + game % 100}.01.01"]\n[Result "{result}"]\n\n{moves} {result}\n\n')
    return "".join(games)


def statement() -> str:
    text = (REPOSITORY / "docs/guide/cluster.md").read_text(encoding="utf-8")
    found = re.search(r"```sql\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


def run_page() -> int:
    """Runs docs/guide/cluster.md from top to bottom in a folder of its own, and compares what its commands print."""
    page = REPOSITORY / "docs/guide/cluster.md"
    text = page.read_text(encoding="utf-8")
    blocks = re.compile(r"```(console cluster|python)\n(.*?)```", re.DOTALL)
    commands = 0

    def printed(block: re.Match[str]) -> str:
        nonlocal commands
        if block[1] == "python":
            # A program that does not know the others; Spark would be in the folder in which it was started.
            program = f"statement = {statement()!r}\n{block[2]}"
            subprocess.run([sys.executable, "-c", program], check=True)
            return block[0]
        lines = []
        for command in re.findall(r"^\$ (.*)$", block[2], re.MULTILINE):
            done = subprocess.run(command, shell=True, capture_output=True, text=True)
            assert done.returncode == 0, (command, done.stderr)
            lines += [f"$ {command}\n", done.stdout, done.stderr]
            commands += 1
        return f"```{block[1]}\n{''.join(lines)}```"

    def without_times(text: str) -> str:
        return re.sub(r"[\d.,]+ (s\b|games/s)", r"0 \1", text)

    before, path = Path.cwd(), os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(REPOSITORY / "samples", Path(folder) / "samples")
        os.chdir(folder)
        os.environ["PATH"] = f"{Path(TABIA).parent}{os.pathsep}{path}"
        try:
            new = blocks.sub(printed, text)
        finally:
            os.chdir(before)
            os.environ["PATH"] = path
    if os.environ.get("TABIA_UPDATE"):
        page.write_text(new, encoding="utf-8")
    else:
        assert without_times(new) == without_times(text), f"the commands of {page.name} print something else: {new}"
    assert commands > 4
    return commands


def with_duckdb(rows: Path, sums: Path) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.read_parquet(f"{rows}/*.parquet").create_view("rows")
    connection.sql(statement()).write_parquet(str(sums))


def with_datafusion(rows: Path, sums: Path) -> None:
    from datafusion import SessionContext

    context = SessionContext()
    context.register_parquet("rows", str(rows))
    context.sql(statement()).write_parquet(str(sums))


def with_spark(rows: Path, sums: Path) -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.read.parquet(str(rows)).createOrReplaceTempView("rows")
    spark.sql(statement()).write.mode("overwrite").parquet(str(sums))
    spark.stop()


def cells_of_ls(path: str) -> list[tuple[object, ...]]:
    listed = subprocess.run([TABIA, "ls", path, "--ndjson", "--include-deleted"], check=True, capture_output=True).stdout
    rows = [json.loads(line) for line in listed.decode().splitlines()]
    keys = "game white whiteElo black blackElo result date event site round eco plies annotator".split()
    return [tuple(row[key] for key in keys) for row in rows]


def compare_with_ls(path: str, table: str) -> int:
    """Compares a table of headers with `ls`, cell by cell, and the types of its columns with the documented ones."""
    import duckdb

    tabia("convert", path, "-o", table, "--columns", "header", "--include-deleted")
    connection = duckdb.connect()
    found = connection.sql(f"""
        select game, white, white_elo, black, black_elo, result, year, month, day, event, site, nullif(round, '-'), eco, ply_count, annotator
        from '{table}' where not is_text order by game
    """).fetchall()

    def part(number: int | None, width: int) -> str:
        return "?" * width if number is None else f"{number:0{width}}"

    cells = []
    for row in found:
        known = any(number is not None for number in row[6:9])
        date = f"{part(row[6], 4)}.{part(row[7], 2)}.{part(row[8], 2)}" if known else None
        cells.append((*row[:6], date, *row[9:]))
    assert cells == cells_of_ls(path), path
    statement = subprocess.run([TABIA, "formats", "--schema", "games", "--sql"], check=True, capture_output=True).stdout.decode()
    connection.execute(statement)
    documented = {name: kind for name, kind, *_ in connection.sql("describe games").fetchall()}
    types = {name: kind for name, kind, *_ in connection.sql(f"describe select * from '{table}'").fetchall()}
    assert types == {name: documented[name] for name in types}, (types, documented)
    return len(cells)


# Types of DuckDB as Spark and DataFusion have them. In DataFusion texts that repeat are a dictionary, others a view.
SPARK = {"BOOLEAN": "boolean", "TINYINT": "tinyint", "SMALLINT": "smallint", "INTEGER": "int", "BIGINT": "bigint", "DATE": "date", "VARCHAR": "string"}
DATAFUSION = {"BOOLEAN": "bool", "TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64", "DATE": "date32[day]", "VARCHAR": "string"}


def spark_type(kind: str) -> str:
    if kind.startswith("MAP"):
        return "map<string,string>"
    if kind.endswith("[]"):
        return f"array<{spark_type(kind[:-2])}>"
    return SPARK[kind]


def datafusion_type(kind: str) -> str:
    if kind.startswith("MAP"):
        return "map<string, string>"
    if kind.endswith("[]"):
        return f"list<{datafusion_type(kind[:-2])}>"
    return DATAFUSION[kind]


def plain(kind: str) -> str:
    """A type of Arrow without what the documentation leaves open: dictionaries, views, the names of elements."""
    kind = re.sub(r"dictionary<values=(\w+), indices=\w+, ordered=0>", r"\1", kind).replace("_view", "")
    return kind.replace("element: ", "").replace(" not null", "")


def compare_types(tables: dict[str, Path]) -> int:
    """Compares the types that DuckDB, Spark and DataFusion find in our files with the documented ones."""
    import duckdb
    from datafusion import SessionContext
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    compared = 0
    for table, path in tables.items():
        statement = subprocess.run([TABIA, "formats", "--schema", table, "--sql"], check=True, capture_output=True).stdout.decode()
        connection = duckdb.connect()
        connection.execute(statement)
        documented = {name: kind for name, kind, *_ in connection.sql(f"describe {table}").fetchall()}
        found = {name: kind for name, kind, *_ in connection.sql(f"describe select * from '{path}'").fetchall()}
        assert found == {name: documented[name] for name in found}, (table, found)
        found = dict(spark.read.parquet(str(path)).dtypes)
        assert found == {name: spark_type(documented[name]) for name in found}, (table, found)
        context = SessionContext()
        context.register_parquet(table, str(path))
        found = {field.name: plain(str(field.type)) for field in context.table(table).schema()}
        assert found == {name: datafusion_type(documented[name]) for name in found}, (table, found)
        compared += len(found)
    spark.stop()
    return compared


def compare_years(games: str, folder: Path) -> int:
    """Compares what DuckDB and Spark count in the folders of years with the table in one file."""
    import duckdb
    from pyspark.sql import SparkSession

    (one, years) = (folder / "one.parquet", folder / "years")
    tabia("convert", games, "-o", str(one), "--columns", "header")
    tabia("convert", games, "-o", f"{years}/", "--columns", "header", "--partition", "year")
    ask = "select year, count(*), min(white) from {} group by year order by year nulls first"
    expected = duckdb.sql(ask.format(f"'{one}'")).fetchall()
    found = duckdb.sql(ask.format(f"read_parquet('{years}/*/*.parquet', hive_partitioning = true)")).fetchall()
    assert found == expected, found
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.read.parquet(str(years)).createOrReplaceTempView("years")
    rows = [tuple(row) for row in spark.sql(ask.format("years")).collect()]
    spark.stop()
    assert rows == expected, rows
    return len(expected)


def main() -> None:
    import duckdb

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = SHARED
        limit = ["--games", f"1-{GAMES}"] if SHARED.exists() else []
        if not SHARED.exists():
            games = folder / "games.pgn"
            games.write_text(made_games(GAMES), encoding="utf-8")
        rows = folder / "rows"
        rows.mkdir()
        tabia("convert", str(games), "-o", str(folder / "all.cbh"), *limit)
        whole = str(folder / "all.cbh")
        for shard in range(SHARDS):
            part = str(folder / f"{shard}.cbh")
            tabia("shard", whole, "--of", str(SHARDS), "--index", str(shard + 1), "-o", part)
            tabia("book", "build", part, "-o", str(rows / f"{shard}.parquet"), "--max-ply", "40")
        count = sum(duckdb.read_parquet(str(part)).count("*").fetchall()[0][0] for part in rows.glob("*.parquet"))
        assert count >= 1_000_000, count
        print(f"{count} rows of {SHARDS} machines")
        direct = folder / "direct.bin"
        tabia("book", "build", whole, "-o", str(direct), "--max-ply", "40", "--scoreless", "--min-games", "3")
        expected = direct.read_bytes()
        assert expected
        for engine in [with_duckdb, with_datafusion, with_spark]:
            start = time.monotonic()
            label = engine.__name__.removeprefix("with_")
            sums = folder / (f"{label}.parquet" if label == "duckdb" else label)
            engine(rows, sums)
            seconds = time.monotonic() - start
            book = folder / f"{label}.bin"
            tabia("book", "from-parquet", str(sums), "-o", str(book))
            assert book.read_bytes() == expected, f"the book of {label} is another one"
            print(f"{label}: the same book of {len(expected) // 16} moves, {seconds:.1f} s")
        rows_compared = sum(
            compare_with_ls(path, str(folder / f"cells-{number}.parquet"))
            for number, path in enumerate([str(REPOSITORY / "samples/tabia.cbh"), whole])
        )
        print(f"cells of {rows_compared} rows are those of ls")
        print(f"folders of {compare_years(whole, folder)} years are those of one file in DuckDB and Spark")
        tables = {table: folder / f"{table}.parquet" for table in ("games", "positions", "book_rows")}
        sample = str(REPOSITORY / "samples/tabia.cbv")
        tabia("convert", sample, "-o", str(tables["games"]), "--columns", "+move_codes", "--with-pgn", "full")
        tabia("convert", sample, "-o", str(tables["positions"]), "--table", "positions", "--fen")
        tabia("book", "build", sample, "-o", str(tables["book_rows"]))
        print(f"types of {compare_types(tables)} columns are the documented ones in DuckDB, Spark and DataFusion")
    print(f"{run_page()} commands of the page print what it shows")
    print("6 passed, 0 failed")


if __name__ == "__main__":
    main()
