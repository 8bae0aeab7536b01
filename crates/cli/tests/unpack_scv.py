"""Unpacks a Scidb archive as strictly as Scidb's own unpacker: python3 unpack_scv.py ARCHIVE FOLDER

Written from the description of the format alone. It refuses what Scidb refuses or reads wrongly: missing
keys, blank lines, sizes that do not lead to the next member, raw members that are not plain ASCII,
wrong checksums. Members packed with LZO, which it refuses too, are unpacked by liblzo2; exit code 3 when
that is absent.
"""

import os
import re
import sys
import zlib

import lzo2

HEAD = b"<-- H E A D -->"
DATA = b"<-- D A T A -->"
LINE = re.compile(rb"<([A-Za-z]+)>[ \t]*(.*)")


def refuse(text):
    raise SystemExit(f"refused: {text}")


def unpack(path, folder):
    with open(path, "rb") as file:
        whole = file.read()
    at = 0

    def line():
        nonlocal at
        end = whole.find(b"\n", at)
        if end < 0:
            refuse(f"no line at {at}")
        found = whole[at:end]
        at = end + 1
        return found

    def keys(until):
        found = {}
        while (text := line()) != until:
            key = LINE.search(text)
            if not key:
                refuse(f"no key in {text!r}")
            found[key[1].decode()] = key[2].strip().decode("utf-8")
        return found

    if line() != b"iveArch":
        refuse("not an archive")
    archive = keys(HEAD)
    for key in ("TotalSize", "Format", "Type"):
        if key not in archive:
            refuse(f"the archive has no {key}")
    if archive["Type"] not in ("single", "multi"):
        refuse(f"type {archive['Type']}")
    total = 0
    names = set()
    while True:
        member = keys(DATA)
        for key in ("FileName", "FileSize", "Size", "Compression", "Checksum", "Modified"):
            if key not in member:
                refuse(f"a member has no {key}: {member}")
        name = member["FileName"]
        if name in names or name.startswith("/") or ".." in name.split("/") or "\\" in name:
            refuse(f"name {name}")
        names.add(name)
        int(member["Modified"])
        size = int(member["Size"])
        stored = whole[at : at + size]
        if len(stored) != size:
            refuse(f"{name}: {len(stored)} bytes of {size}")
        at += size
        if zlib.crc32(stored) != int(member["Checksum"]):
            refuse(f"{name}: checksum")
        if member["Compression"] == "zlib":
            inflater = zlib.decompressobj()
            data = inflater.decompress(stored) + inflater.flush()
            if not inflater.eof or inflater.unused_data:
                refuse(f"{name}: not one whole stream")
        elif member["Compression"] == "raw":
            if not stored.isascii() or b"\0" in stored:
                refuse(f"{name}: raw and not plain text")
            data = stored
        elif member["Compression"] == "lzo":
            data = lzo2.unpack(stored)
        else:
            refuse(f"{name}: compression {member['Compression']}")
        if len(data) != int(member["FileSize"]):
            refuse(f"{name}: {len(data)} bytes, not {member['FileSize']}")
        total += len(data)
        target = os.path.join(folder, *name.split("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as file:
            file.write(data)
        if at == len(whole):
            break
        if whole[at : at + 1] != b"\n":
            refuse(f"{name}: bytes after the member")
        at += 1
        if line() != HEAD:
            refuse(f"{name}: no member follows it")
    if total != int(archive["TotalSize"]):
        refuse(f"{total} bytes, not {archive['TotalSize']}")
    print(len(names))


if __name__ == "__main__":
    unpack(sys.argv[1], sys.argv[2])
