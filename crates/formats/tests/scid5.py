"""Databases of Scid 5 by libscid (`pip install libscid`), which is Scid's own code as a library.

    scid5.py export BASE PGN      writes every game of BASE.si5 into a PGN file
    scid5.py import BASE PGN      makes BASE.si5 of the games of a PGN file
    scid5.py info BASE            number of games, names that are missing, facts of the database

Exit code 3: libscid is not installed.
"""

import ctypes
import re
import sys

try:
    from libscid._native._loader import find_library

    lib = ctypes.CDLL(str(find_library()))
except (ImportError, OSError) as error:
    print(error, file=sys.stderr)
    sys.exit(3)

size_t, pointer = ctypes.c_size_t, ctypes.c_void_p


def call(name, *arguments):
    code = getattr(lib, name)(*arguments)
    if code != 0:
        sys.exit(f"{name}: error {code}")


def text(name, *arguments):
    """The text that a function returns; a first call asks for its length."""
    size = size_t(0)
    getattr(lib, name)(*arguments, None, size_t(0), ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value + 1)
    call(name, *arguments, buffer, size_t(len(buffer)), ctypes.byref(size))
    return buffer.value


def open_base(base):
    database = pointer()
    call(
        "scid_database_open_scid5_read_only",
        base.encode(),
        None,
        None,
        None,
        None,
        ctypes.byref(database),
    )
    return database


def number(name, database):
    value = size_t(0)
    call(name, database, ctypes.byref(value))
    return value.value


def export(base, path):
    database = open_base(base)
    with open(path, "wb") as out:
        for game in range(number("scid_database_game_count_get", database)):
            out.write(text("scid_database_game_export_pgn", database, size_t(game)))
            out.write(b"\n")
    call("scid_database_close", database)


def import_pgn(base, path):
    database = pointer()
    call("scid_database_create_scid5", base.encode(), ctypes.byref(database))
    with open(path, "rb") as file:
        games = file.read().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    # One after the other: an error in one of them would end the import of all.
    for game in re.split(rb"\n+(?=\[Event )", games):
        count, size = size_t(0), size_t(0)
        lib.scid_database_import_pgn(
            database,
            game,
            size_t(len(game)),
            None,
            size_t(0),
            ctypes.byref(size),
            ctypes.byref(count),
        )
    call("scid_database_save", database)
    print(number("scid_database_game_count_get", database))
    call("scid_database_close", database)


def info(base):
    database = open_base(base)
    print(number("scid_database_game_count_get", database))
    print(number("scid_database_status_bad_name_count_get", database))
    for key in ["type", "description", "autoload"] + [f"flag{n}" for n in range(1, 7)]:
        value = text("scid_database_metadata_get", database, key.encode())
        print(key, value.decode())
    call("scid_database_close", database)


{"export": export, "import": import_pgn, "info": info}[sys.argv[1]](*sys.argv[2:])
