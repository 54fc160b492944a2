#!/usr/bin/env python3
"""Writes manual pages from the help of the commands: man.py BINARY FOLDER.

One page for each command that the help shows: selene.1, selene-keys.1, selene-keys-create.1 …
SOURCE_DATE_EPOCH dates the pages. Without it they have the date of today.
"""

import datetime
import itertools
import json
import os
import pathlib
import subprocess
import sys
import time

HELP = "help"


def escape(text):
    """Escapes a line of text. An unescaped hyphen would be printed as a dash, which nobody can paste into a shell."""
    for plain, roff in (("\\", "\\(rs"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(plain, roff)
    return "\\&" + text if text.startswith(".") else text


def bold(text):
    return f"\\fB{escape(text)}\\fR"


def italic(text):
    return f"\\fI{escape(text)}\\fR"


def prose(text):
    """Formats a discussion: its indented lines are examples or tables, which keep their line breaks."""
    out = []
    for block in text.strip("\n").split("\n\n"):
        # Text may stand directly above its example, without an empty line.
        for example, lines in itertools.groupby(block.split("\n"), key=lambda line: line.startswith("  ")):
            body = [escape(line if example else line.strip()) for line in lines if line.strip()]
            if body:
                out += [".PP", *([".EX", *body, ".EE"] if example else body)]
    # A section begins with a paragraph.
    return out[1:]


def flags(argument):
    return [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names", [])]


def value(argument):
    return f"<{argument['valueName']}>" if argument["kind"] == "option" else ""


def synopsis(path, command, arguments):
    parts = [bold(" ".join(path))]
    for argument in arguments:
        if argument["kind"] == "positional":
            text = italic(f"<{argument['valueName']}>")
        else:
            text = bold((flags(argument) or [""])[0]) + (" " + italic(value(argument)) if value(argument) else "")
        text += " ..." if argument.get("isRepeating") else ""
        parts.append(f"[{text}]" if argument.get("isOptional") else text)
    if command.get("subcommands"):
        parts.append(italic("<subcommand>") if not command.get("defaultSubcommand") else f"[{italic('<subcommand>')}]")
    return parts


def entry(argument):
    """Formats an argument: its names and value, then what it does."""
    if argument["kind"] == "positional":
        head = italic(f"<{argument['valueName']}>")
    else:
        head = ", ".join(bold(name) for name in flags(argument))
        head += " " + italic(value(argument)) if value(argument) else ""
    text = argument.get("abstract", "")
    notes = []
    if argument.get("allValues"):
        notes.append("values: " + ", ".join(argument["allValues"]))
    if argument.get("defaultValue"):
        notes.append("default: " + argument["defaultValue"])
    if notes:
        text += f" ({'; '.join(notes)})"
    lines = [".TP", head, escape(text.strip()) or "\\&"]
    if argument.get("discussion"):
        lines += [".IP", escape(" ".join(argument["discussion"].split()))]
    return lines


def page(path, command, version, date):
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay")]
    own = [a for a in shown if not {"--version", "--help"} & set(flags(a))]
    subcommands = [c for c in command.get("subcommands", []) if c.get("shouldDisplay") and c["commandName"] != HELP]
    name = "-".join(path)
    lines = [
        "'\\\" -*- coding: utf-8 -*-",
        f'.TH "{escape(name.upper())}" 1 "{date}" "Selene Gateway {version}" "Selene Gateway"',
        ".ad l",
        ".SH NAME",
        f"{escape(name)} \\- {escape(command.get('abstract', '').strip().rstrip('.'))}",
        ".SH SYNOPSIS",
        ".HP",
        *synopsis(path, command, own),
    ]
    if command.get("discussion", "").strip():
        lines += [".SH DESCRIPTION", *prose(command["discussion"])]
    if subcommands:
        lines.append(".SH COMMANDS")
        for sub in subcommands:
            lines += [".TP", bold("-".join([*path, sub["commandName"]])) + "(1)", escape(sub.get("abstract", ""))]
    positional = [a for a in shown if a["kind"] == "positional"]
    if positional:
        lines += [".SH ARGUMENTS", *(line for a in positional for line in entry(a))]
    lines += [".SH OPTIONS", *(line for a in shown if a["kind"] != "positional" for line in entry(a))]
    if len(path) > 1:
        lines += [".SH SEE ALSO", bold("-".join(path[:-1])) + "(1)"]
    return "\n".join(lines) + "\n"


def write(path, command, folder, version, date):
    (folder / ("-".join(path) + ".1")).write_text(page(path, command, version, date), encoding="utf-8")
    for sub in command.get("subcommands", []):
        if sub.get("shouldDisplay") and sub["commandName"] != HELP:
            write([*path, sub["commandName"]], sub, folder, version, date)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: man.py BINARY FOLDER")
    binary, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)

    def run(*arguments):
        return subprocess.run([binary, *arguments], check=True, capture_output=True, text=True).stdout

    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    date = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).date().isoformat()
    command = json.loads(run("--experimental-dump-help"))["command"]
    write([command["commandName"]], command, folder, run("--version").strip(), date)


if __name__ == "__main__":
    main()
