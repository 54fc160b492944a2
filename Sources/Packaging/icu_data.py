#!/usr/bin/env python3
"""Makes ICU's data smaller: without the names of languages, regions, currencies and units, and the orders and spellings, of
all languages but English. The gateway uses ICU for character sets and for dates of protocols; what they need stays.

  icu_data.py swift OUT.o         from lib_FoundationICU.a of the toolchain: an object to link before it
  icu_data.py LIBRARY OUT.so      from libicudata.so.N: a library in its place

Needs binutils. The form of the data is that of ICU's `ucmndata.h`: a header, the number of items, the places of each one's
name and bytes, the names, the items. Exit codes: 0 done, 1 the data has another form, 2 wrong usage.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

KINDS = "coll|curr|lang|rbnf|region|translit|unit|zone"
REMOVED = re.compile(rf"[^/]+/((({KINDS})/)?[a-z]{{2,3}}(_\w+)?\.res|translit/.*)$")
KEPT = re.compile(r".*/en(_\w+)?\.res$")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def items(data):
    """The header, and the name and bytes of each item."""
    size, magic = struct.unpack_from("<HH", data)
    if magic != 0x27DA or data[12:16] != b"CmnD":
        sys.exit("icu_data.py: this is no data of ICU for processors with little ends")
    table = memoryview(data)[size:]
    (count,) = struct.unpack_from("<I", table)
    places = [struct.unpack_from("<II", table, 4 + 8 * number) for number in range(count)]
    ends = [start for _, start in places[1:]] + [len(table)]
    found = []
    for (name, start), end in zip(places, ends):
        text = bytes(table[name:name + 512]).split(b"\0", 1)[0].decode("ascii")
        found.append((text, bytes(table[start:end])))
    return data[:size], found


def packed(header, found):
    """The data of some items; names stay in order, since ICU searches among them by halves."""
    names = b""
    offsets = []
    first = 4 + 8 * len(found)
    for name, _ in found:
        offsets.append(first + len(names))
        names += name.encode("ascii") + b"\0"
    place = first + len(names)
    place += -(len(header) + place) % 16
    bodies, table = b"", struct.pack("<I", len(found))
    for offset, (_, body) in zip(offsets, found):
        table += struct.pack("<II", offset, place + len(bodies))
        bodies += body + b"\0" * (-len(body) % 16)
    start = header + table + names
    return start + b"\0" * (len(header) + place - len(start)) + bodies


def foundation():
    """The toolchain's archive with the data of Foundation's ICU."""
    paths = json.loads(run("swift", "-print-target-info"))["paths"]
    archive = os.path.join(os.path.dirname(paths["runtimeResourcePath"]), "swift_static/linux/lib_FoundationICU.a")
    run("ar", "x", archive, "icu_packaged_data.cpp.o")
    return "icu_packaged_data.cpp.o"


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    source, out = sys.argv[1], os.path.abspath(sys.argv[2])
    is_library = source != "swift"
    library = os.path.abspath(source)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if not is_library:
            library = foundation()
        run("objcopy", "-O", "binary", "--only-section=.rodata", library, "all.dat")
        symbols = run("nm", "--defined-only", *(["-D"] if is_library else []), library).decode()
        symbol = re.search(r" R (icudt\d+_dat)$", symbols, re.MULTILINE)
        if symbol is None:
            sys.exit(f"icu_data.py: {source} has no data of ICU")
        symbol = symbol[1]
        with open("all.dat", "rb") as file:
            header, found = items(file.read())
        kept = [item for item in found if not REMOVED.match(item[0]) or KEPT.match(item[0])]
        data = packed(header, kept)
        with open("kept.dat", "wb") as file:
            file.write(data)
        with open("data.s", "w", encoding="ascii") as file:
            file.write(f'.section .note.GNU-stack,"",%progbits\n.section .rodata\n.balign 16\n.globl {symbol}\n'
                       f'.type {symbol},%object\n{symbol}:\n.incbin "kept.dat"\n.size {symbol}, .-{symbol}\n')
        run("as", "data.s", "-o", "data.o")
        if is_library:
            name = re.search(r"SONAME\s+(\S+)", run("objdump", "-p", library).decode())[1]
            run("ld", "-shared", "-soname", name, "-o", "data.so", "data.o")
        shutil.move("data.so" if is_library else "data.o", out)
    print(f"{symbol}: {len(found)} items, {len(kept)} kept; {sum(len(body) for _, body in found):,} bytes, {len(data):,} kept")
    return 0


if __name__ == "__main__":
    sys.exit(main())
