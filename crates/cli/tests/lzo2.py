"""LZO1X by liblzo2, its own library: for archives whose members are packed with it.

    python3 lzo2.py ARCHIVE FILE...     an archive with every file four times: in chunks and as one
                                        stream, by the fast compressor and by the best one

The library is the file that TABIA_LZO2 names, else the system's. Exit code 3: it is absent.
"""

import ctypes
import ctypes.util
import os
import sys
import zlib

CHUNK = 32768


def library():
    path = os.environ.get("TABIA_LZO2") or ctypes.util.find_library("lzo2")
    try:
        return ctypes.CDLL(path) if path else sys.exit(3)
    except OSError:
        sys.exit(3)


def call(name, data, capacity, memory):
    out = ctypes.create_string_buffer(capacity)
    length = ctypes.c_size_t(capacity)
    code = getattr(library(), name)(
        data, ctypes.c_size_t(len(data)), out, ctypes.byref(length), memory
    )
    if code != 0:
        raise SystemExit(f"refused: {name}: {code}")
    return out.raw[: length.value]


def unpack(stored):
    """The plain bytes of chunks, each of which follows its length."""
    data = b""
    while stored:
        length = int.from_bytes(stored[:2], "big")
        if len(stored) < 2 + length:
            raise SystemExit("refused: a chunk is cut")
        data += call("lzo1x_decompress_safe", stored[2 : 2 + length], CHUNK, None)
        stored = stored[2 + length :]
    return data


def pack(name, data):
    memory = ctypes.create_string_buffer(1 << 20)
    return call(name, data, len(data) + len(data) // 16 + 67, memory)


def archive(path, files):
    members = []
    for file in files:
        with open(file, "rb") as plain:
            data = plain.read()
        for compressor in ("lzo1x_1_compress", "lzo1x_999_compress"):
            chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
            chunks = [pack(compressor, chunk) for chunk in chunks]
            framed = b"".join(len(chunk).to_bytes(2, "big") + chunk for chunk in chunks)
            for kind, stored in (("chunks", framed), ("bare", pack(compressor, data))):
                keys = {
                    "FileName": f"{compressor}-{kind}/{os.path.basename(file)}",
                    "FileSize": len(data),
                    "Compression": "lzo",
                    "Modified": 1300000000,
                    "Size": len(stored),
                    "Checksum": zlib.crc32(stored),
                }
                lines = "".join(f"<{key}> {value}\n" for key, value in keys.items())
                head = f"<-- H E A D -->\n{lines}<-- D A T A -->\n"
                members.append(head.encode() + stored)
    with open(path, "wb") as out:
        out.write(b"iveArch\n<TotalSize> 0\n<Format> pgn\n<Type> multi\n")
        out.write(b"\n".join(members))
    print(len(members))


if __name__ == "__main__":
    archive(sys.argv[1], sys.argv[2:])
