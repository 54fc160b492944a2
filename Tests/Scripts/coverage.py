#!/usr/bin/env python3
"""Which lines of each module the suite runs.

Builds into a folder of its own, runs all tests (or those of --only) and prints a table by module. What it counted is kept
in a file; with --before FILE the table shows both, and a module whose share fell by more than 0.1 points fails the run.

  coverage.py --keep now.json
  coverage.py --before then.json

Uses `llvm-profdata` and `llvm-cov` of the toolchain. Exit codes: 0 done, 1 the build failed, a test failed or a module fell,
2 wrong usage.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys

FOLDER = ".build/coverage"


def tool(name):
    """A tool of the toolchain: another version does not read its files."""
    swift = subprocess.run(["swift", "-print-target-info"], check=True, stdout=subprocess.PIPE).stdout
    resources = json.loads(swift)["paths"]["runtimeResourcePath"]
    return os.path.join(os.path.dirname(os.path.dirname(resources)), "bin", name)


def counted(bundle, profile):
    """Lines and lines that ran, by module: the folder below the layer."""
    exported = subprocess.run(
        [tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={profile}", bundle],
        check=True, stdout=subprocess.PIPE)
    root = os.path.join(os.getcwd(), "Sources") + os.sep
    modules = collections.defaultdict(lambda: [0, 0])
    for file in json.loads(exported.stdout)["data"][0]["files"]:
        if not file["filename"].startswith(root):
            continue
        parts = file["filename"][len(root):].split(os.sep)
        lines = file["summary"]["lines"]
        for name in ("/".join(parts[:2]), "all"):
            modules[name][0] += lines["count"]
            modules[name][1] += lines["covered"]
    return dict(modules)


def share(lines):
    return 100 * lines[1] / lines[0] if lines and lines[0] else None


def shown(value):
    return "" if value is None else f"{value:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="tests whose id has this pattern")
    parser.add_argument("--before", help="what an earlier run kept")
    parser.add_argument("--keep", default=os.path.join(FOLDER, "lines.json"), help="where the counts are kept")
    options = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    build = ["swift", "build", "--build-tests", "--enable-code-coverage", "--scratch-path", FOLDER]
    if subprocess.call(build) != 0:
        return 1
    binaries = subprocess.run([*build, "--show-bin-path"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    bundle = os.path.join(binaries, "selene-gatewayPackageTests.xctest")
    for old in glob.glob(os.path.join(FOLDER, "*.profraw")):
        os.remove(old)
    # A file for each process: one that is ended while it writes breaks no other's.
    environment = dict(os.environ, LLVM_PROFILE_FILE=os.path.abspath(os.path.join(FOLDER, "tests-%p.profraw")))
    suite = [sys.executable, "Tests/Scripts/suite.py", bundle, *(["--only", options.only] if options.only else [])]
    failed = subprocess.call(suite, env=environment) != 0
    profile = os.path.join(FOLDER, "tests.profdata")
    files = os.path.join(FOLDER, "files.txt")
    with open(files, "w", encoding="utf-8") as file:
        file.write("\n".join(glob.glob(os.path.join(FOLDER, "*.profraw"))))
    # Files of processes that were ended while they wrote are left out.
    subprocess.run(
        [tool("llvm-profdata"), "merge", "-sparse", "--failure-mode=all", f"--input-files={files}", "-o", profile],
        check=True, stderr=subprocess.DEVNULL)
    now = counted(bundle, profile)
    with open(options.keep, "w", encoding="utf-8") as file:
        json.dump(now, file, indent=1, sort_keys=True)
    before = {}
    if options.before:
        with open(options.before, encoding="utf-8") as file:
            before = json.load(file)
    fell = []
    print("| module | lines | run, % | before, % |\n|---|---:|---:|---:|")
    for name in sorted(now, key=lambda name: (name == "all", name)):
        new, old = share(now[name]), share(before.get(name))
        print(f"| {name} | {now[name][0]:,} | {shown(new)} | {shown(old)} |")
        if new is not None and old is not None and new < old - 0.1:
            fell.append(name)
    if fell:
        print("fell: " + ", ".join(fell))
    return 1 if failed or fell else 0


if __name__ == "__main__":
    sys.exit(main())
