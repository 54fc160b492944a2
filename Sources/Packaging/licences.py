#!/usr/bin/env python3
"""Collects the licences of all that a binary has linked statically: licences.py OBJECTS FOLDER COPYRIGHT.

OBJECTS is the linker's list (.build/release/selene.product/Objects.LinkFileList); the checkouts are in the same build folder.
FOLDER gets a folder of texts for each package, COPYRIGHT the file that Debian expects, with a reference in place of the text
of Apache-2.0. A linked module of an unknown package is an error, and so is a licence that KNOWN does not list: somebody must
read it before the package is given to others.
"""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
APACHE = "/usr/share/common-licenses/Apache-2.0"
# A phrase of each licence that binaries under Apache-2.0 may contain.
KNOWN = {
    "Apache-2.0": "Apache License Version 2.0,",
    "MIT": "Permission is hereby granted, free of charge, to any person obtaining a copy of this software",
    "BSD": "Redistribution and use in source and binary forms, with or without modification, are permitted",
    "ISC": "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee",
    "Unicode": "UNICODE LICENSE V3",
}
TERMS = re.compile(r"Redistribution and use in source|Permission is hereby granted|Permission to use, copy")

COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+", re.S | re.M)


def linked(objects):
    """Returns the modules that the linker's list names."""
    return set(re.findall(r"/([^/\n]+)\.build/", pathlib.Path(objects).read_text()))


def names(manifest, module):
    """Tells whether a manifest declares a target of this name."""
    return re.search(rf'arget\(\s*name: "{re.escape(module)}"', manifest.read_text()) is not None


def build_folder(objects):
    """Returns the build folder of the linker's list, with the checkouts."""
    for folder in pathlib.Path(objects).resolve().parents:
        if (folder / "workspace-state.json").is_file():
            return folder
    sys.exit(f"licences.py: {objects} is in no build folder of Swift")


def owner(module, checkouts):
    """Returns the folder of the module in a checkout, and that checkout; None for a module of this repository."""
    if names(ROOT / "Package.swift", module):
        return None
    for checkout in checkouts:
        for folder in (checkout / "Sources" / module, checkout / module):
            if folder.is_dir():
                return folder, checkout
    for checkout in checkouts:
        if names(checkout / "Package.swift", module):
            return checkout / "Sources", checkout
    sys.exit(f"licences.py: the linked module {module} is in no checkout and not in Package.swift")


def notices(folder):
    """Returns the terms in comments of source files: vendored code often has no file LICENSE."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".c", ".cc", ".h", ".S", ".swift"):
            continue
        text = path.read_text(errors="replace")
        if TERMS.search(text):
            for comment in COMMENT.findall(text):
                if TERMS.search(comment):
                    found.setdefault(re.sub(r"^[ \t]*(/\*+|\*/|\*|//+)[ \t]?", "", comment, flags=re.M).strip(), path.name)
    return "\n\n".join(f"{name}:\n\n{text}" for text, name in found.items())


def unknown(files):
    """Returns the names of licence files whose licence is not in KNOWN."""
    flat = {name: " ".join(text.split()) for name, text in files.items() if re.search("LICEN[SC]E|COPYING|libyaml", name)}
    return [name for name, text in flat.items() if not any(phrase in text for phrase in KNOWN.values())]


def components(objects):
    """Returns (name, version, {file name: text}) of each linked package."""
    build = build_folder(objects)
    state = json.loads((build / "workspace-state.json").read_text())["object"]["dependencies"]
    checkouts = sorted((build / "checkouts").iterdir())
    versions = {d["subpath"]: d["state"].get("checkoutState", {}).get("version", "") for d in state}
    texts = {}
    for module in sorted(linked(objects)):
        found = owner(module, checkouts)
        if found is None:
            continue
        folder, checkout = found
        files = texts.setdefault(checkout.name, {})
        for path in sorted([*checkout.iterdir(), *folder.rglob("LICENSE*")]):
            if path.is_file() and re.match(r"(LICEN[SC]E|NOTICE|COPYING)", path.name):
                key = path.name if path.parent == checkout else f"{module}-{path.name}"
                files[key] = path.read_text(errors="replace")
        if comments := notices(folder):
            files[f"{module}-notices.txt"] = comments
        if module == "CYaml":
            files["libyaml.txt"] = (HERE / "licences/libyaml.txt").read_text()
    everything = [(name, versions.get(name, ""), files) for name, files in sorted(texts.items())]
    about = json.loads(subprocess.run(
        ["swift", "-print-target-info"], check=True, capture_output=True, text=True).stdout)
    compiler = re.search(r"version (\S+)", about["compilerVersion"])
    licence = pathlib.Path(about["paths"]["runtimeResourcePath"]).parent.parent / "share/swift/LICENSE.txt"
    everything.append(("Swift runtime and Foundation", compiler[1] if compiler else "", {
        "LICENSE.txt": licence.read_text(),
        "ICU-LICENSE.txt": (HERE / "licences/unicode.txt").read_text(),
    }))
    for name, _, files in everything:
        if not any(re.match("LICEN[SC]E|COPYING", file) for file in files):
            sys.exit(f"licences.py: {name} has no file LICENSE")
        for file in unknown(files):
            sys.exit(f"licences.py: {name}: {file} has no licence that KNOWN lists; read it, and add it if we may link it")
    return everything


def is_apache(text):
    return text.split()[:4] == ["Apache", "License", "Version", "2.0,"]


def debian(everything):
    """Returns the copyright file of the Debian package."""
    parts = [
        "Selene Gateway\n\nCopyright: the Selene Gateway contributors\nLicence: Apache-2.0\n\n"
        f"On Debian systems the text of the Apache License 2.0 is in {APACHE}.\n\n"
        "The sample notes are under the same licence. The sample book, The Hound of the Baskervilles, is in the public\n"
        "domain; its edition by Standard Ebooks is under CC0-1.0 (/usr/share/common-licenses/CC0-1.0).\n\n"
        "The binary contains the packages below."
    ]
    for name, version, files in everything:
        parts.append(f"{'=' * 78}\n{name} {version}".rstrip())
        for file, text in sorted(files.items()):
            if is_apache(text):
                # What follows the licence, such as Swift's exception, is no part of the common text.
                rest = text.partition("limitations under the License.")[2].strip()
                text = f"Apache-2.0, see {APACHE}" + (f"\n\n{rest}" if rest else "")
            parts.append(f"{'-' * 78}\n{file}\n\n" + text.strip())
    return "\n\n".join(parts) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: licences.py OBJECTS FOLDER COPYRIGHT")
    everything = components(sys.argv[1])
    for name, version, files in everything:
        folder = pathlib.Path(sys.argv[2]) / re.sub(r"[^\w.]+", "-", f"{name} {version}").strip("-")
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
    pathlib.Path(sys.argv[3]).write_text(debian(everything), encoding="utf-8")


if __name__ == "__main__":
    main()
