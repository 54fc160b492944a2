#!/usr/bin/env python3
"""Checks the borders between the modules of the web client: no circles, imports that point one way, no file that nothing uses.

    python3 Tests/Scripts/site_borders.py [FOLDER]      default: Sources/Features/Web/Site

Imports at run time (`import("./x.js")`) count like the others. Types in comments do not.
"""

import pathlib
import re
import sys

# A folder or file, then what its modules may import; they may always import their own folder. A row names only rows above it, so
# imports point one way: words, kit, net and text, then the features, then app.js.
TABLE = """
words    -
kit      words
net      kit
text     kit
chat     words kit net text
capture  kit net chat
notes    kit net text capture
goals    words kit net text chat
threads  kit net chat notes goals
books    kit net text chat capture
push     words kit net
console  words kit net text chat push
shell    words kit net chat console
session  kit net capture push shell
app.js   kit net chat capture notes threads books goals push console shell session
"""

STATIC = re.compile(r"""(?:^|;)\s*(?:import|export)\b(?:[^"';()]*?\bfrom)?\s*["']([^"']+)["']""", re.MULTILINE)
DYNAMIC = re.compile(r"""\bimport\(\s*(?:["']([^"']+)["']\s*\))?""")
NAMED = re.compile(r"([\w./-]+\.(?:js|css|svg|png|webmanifest))[\"'`]")
# The worker's list of files to keep. What only it names is kept for nothing.
KEPT = re.compile(r"^const files = \[.*?\];", re.MULTILINE | re.DOTALL)


def without_comments(text):
    """A script without comments that begin a line and without types behind code, as the gateway serves it."""
    text = re.sub(r"^[ \t]*/\*.*?\*/", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^[ \t]*//.*", "", text, flags=re.MULTILINE)
    return re.sub(r"/\*\* @.*?\*/", "", text)


def resolved(name, path):
    """The path below the site that a file means by a path, or None if it leads out of it."""
    parts = [] if not path.startswith(".") else name.split("/")[:-1]
    for part in path.split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def room_of(name, rows):
    """The row of the table that covers a file, or None."""
    return next((row for row in (name, name.split("/")[0]) if row in rows), None)


def rows_of(table, complaints):
    rows = {}
    for line in table.strip().splitlines():
        row, *allowed = line.split()
        allowed = {one for one in allowed if one != "-"}
        for one in sorted(allowed - set(rows)):
            complaints.append(f"the row {row} of {sys.argv[0]} names {one}, which is no row above it")
        rows[row] = allowed
    return rows


def check_imports(name, text, files, rows, complaints):
    """The modules that a module imports. Complains about those that it may not import."""
    found = STATIC.findall(text)
    for path in DYNAMIC.findall(text):
        if path:
            found.append(path)
        else:
            complaints.append(f"{name}: imports a computed name; expected import(\"./…\") with the whole name")
    room = room_of(name, rows)
    if room is None:
        complaints.append(f"{name}: no row of the table in {sys.argv[0]} covers it")
    targets = set()
    for path in found:
        target = resolved(name, path) if path.startswith(".") else None
        if target not in files:
            complaints.append(f"{name}: imports {path}, which is no file of the site")
            continue
        targets.add(target)
        to = room_of(target, rows)
        if room and to and to != room and to not in rows[room]:
            complaints.append(f"{name}: {room} may not import {to} ({target})")
    return targets


def check_circles(imports, complaints):
    """Complains about circles, five at most: takes away what imports nothing that is left, then walks through the rest."""
    left = {name: set(targets) for name, targets in imports.items()}
    for _ in range(5):
        while ends := {name for name, targets in left.items() if not targets & left.keys()}:
            for name in ends:
                del left[name]
        if not left:
            return
        walk = [min(left)]
        while (step := min(left[walk[-1]] & left.keys())) not in walk:
            walk.append(step)
        circle = walk[walk.index(step):]
        left[circle[-1]].discard(step)
        first = circle.index(min(circle))
        complaints.append(f"circle of imports: {' → '.join([*circle[first:], *circle[:first], circle[first]])}")


def check_use(texts, files, complaints):
    """Complains about files that are not reached from the page or the worker."""
    reached, due = set(), ["index.html", "sw.js"]
    while due:
        name = due.pop()
        if name in reached or name not in files:
            continue
        reached.add(name)
        text = texts.get(name, "")
        if name == "sw.js":
            text = KEPT.sub("", text)
        for path in NAMED.findall(text):
            due += [resolved(name, "./" + path), resolved(name, path.lstrip("./"))]
    for name in sorted(files - reached):
        complaints.append(f"{name}: nothing that the page or the worker uses names it")


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "Sources/Features/Web/Site"
    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and not path.name.startswith(".")}
    texts = {name: (root / name).read_text("utf-8") for name in files if name.endswith((".js", ".css", ".html", ".webmanifest"))}
    texts.update({name: without_comments(text) for name, text in texts.items() if name.endswith(".js")})
    complaints = []
    rows = rows_of(TABLE, complaints)
    for row in rows:
        if row not in files and not any(name.startswith(f"{row}/") for name in files):
            complaints.append(f"the row {row} of {sys.argv[0]} covers no file")
    imports = {name: check_imports(name, texts[name], files, rows, complaints) for name in sorted(files) if name.endswith(".js") and name != "sw.js"}
    check_circles(imports, complaints)
    check_use(texts, files, complaints)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
