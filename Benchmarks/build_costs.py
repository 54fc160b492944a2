#!/usr/bin/env python3
"""What a fresh build costs: the processor time of each package and of each of our modules.

Builds into a folder of its own, with compilers that this script wraps: each call is measured by its kernel's account of
processor time, so other work on the machine changes little. Prints a table in Markdown.

  make build-costs                        the program (`selene`), as `make build` builds it
  make build-costs ARGS=--tests           the tests too, as `make test` builds them
  make build-costs ARGS="-c release"      the optimised program

Exit codes: 0 done, 1 the build failed, 2 wrong usage.
"""
import argparse
import collections
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time


def wrapped(tool, arguments):
    """Runs a compiler in place of its own name and records what it used."""
    status = subprocess.call([os.environ["COSTS_" + tool.upper()], *arguments])
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    module = package = "?"
    if tool == "clang":
        place = arguments[arguments.index("-o") + 1] if "-o" in arguments else ""
        found = re.search(r"/([^/]+)\.build/", place)
        module = found[1] if found else "?"
        source = next((a for a in reversed(arguments) if "/" in a and a.endswith((".c", ".cc", ".cpp", ".S"))), "")
        found = re.search(r"/checkouts/([^/]+)/", source)
        package = found[1] if found else "selene-gateway"
    else:
        def after(option):
            return arguments[arguments.index(option) + 1] if option in arguments else None
        module = after("-module-name") or "?"
        if "-emit-executable" in arguments or "-emit-library" in arguments:
            module, package = "linking", "linking"
        elif after("-package-name"):
            package = after("-package-name").replace("_", "-").lower()
            # The compiler gets the name of our folder.
            if package == os.environ["COSTS_ROOT"]:
                package = "selene-gateway"
    with open(os.environ["COSTS_LOG"], "a", encoding="utf-8") as log:
        log.write(f"{usage.ru_utime + usage.ru_stime:.3f}\t{package}\t{module}\n")
    return status


def build(options):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = tempfile.mkdtemp(prefix="costs-")
    try:
        log = os.path.join(folder, "log")
        open(log, "w").close()
        name = os.path.basename(root).replace("_", "-").lower()
        environment = dict(os.environ, COSTS_LOG=log, COSTS_ROOT=name)
        for tool in ("swiftc", "clang"):
            path = os.path.join(folder, tool)
            # Not resolved: the compiler finds its libraries beside the name that it was called by.
            environment["COSTS_" + tool.upper()] = shutil.which(tool)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nexec "{sys.executable}" "{os.path.abspath(__file__)}" --wrap {tool} "$@"\n')
            os.chmod(path, 0o755)
        environment.update(SWIFT_EXEC=os.path.join(folder, "swiftc"), CC=os.path.join(folder, "clang"))
        scratch = os.path.join(root, ".build", "costs")
        shutil.rmtree(scratch, ignore_errors=True)
        command = ["swift", "build", "--scratch-path", scratch, "-c", options.configuration]
        subprocess.run(["swift", "package", "--scratch-path", scratch, "resolve"], cwd=root, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        command += ["--build-tests"] if options.tests else ["--product", "selene"]
        began = time.monotonic()
        run = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace")
        wall = time.monotonic() - began
        if run.returncode != 0:
            print("\n".join(run.stdout.splitlines()[-40:]), file=sys.stderr)
            return 1
        report(log, command, wall)
        shutil.rmtree(scratch, ignore_errors=True)
        return 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def report(log, command, wall):
    packages, modules = collections.Counter(), collections.Counter()
    with open(log, encoding="utf-8") as lines:
        for line in lines:
            seconds, package, module = line.rstrip("\n").split("\t")
            if module == "?":
                continue
            packages[package] += float(seconds)
            modules[module if package == "selene-gateway" else f"({package}) {module}"] += float(seconds)
    total = sum(packages.values())
    print(f"`{' '.join(command)}`: {total:.0f} s of processor time in {wall:.0f} s on {os.cpu_count()} cores\n")
    print("| package | s | share |\n|---|---:|---:|")
    for package, seconds in packages.most_common():
        print(f"| {package} | {seconds:.1f} | {100 * seconds / total:.0f}% |")
    print("\n| module | s |\n|---|---:|")
    for module, seconds in modules.most_common(40):
        print(f"| {module} | {seconds:.1f} |")


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--wrap":
        return wrapped(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-c", dest="configuration", choices=["debug", "release"], default="debug")
    parser.add_argument("--tests", action="store_true", help="build the tests too")
    return build(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
