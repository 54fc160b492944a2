"""Provides the requirements of benchmarks: Swift products, Python packages, system commands."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "Benchmarks"
#: Always release builds; figures of debug builds are meaningless.
BIN = ROOT / ".build" / "release"
#: The Python environment that all benchmarks share.
PYTHON = ROOT / ".build" / "bench-python"
#: The Debian package of each command.
DEBIAN = {"nginx": "nginx-light", "wrk": "wrk", "caddy": "caddy", "perf": "linux-perf",
          "chromium-headless-shell": "chromium-headless-shell"}


def build(products):
    """Builds executables in the release configuration."""
    for product in products:
        subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)


def require(tools):
    """Exits with an install command if tools are missing."""
    missing = [DEBIAN[tool] for tool in tools if not shutil.which(tool, path=search_path())]
    if missing:
        sys.exit(f"missing commands; install them with: apt-get install --no-install-recommends {' '.join(missing)}")


def search_path():
    """PATH plus /usr/sbin, which a user's PATH on Debian does not include."""
    return os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"


def command(tool):
    """The full path of a command, or its name if it is not found."""
    return shutil.which(tool, path=search_path()) or tool


def python(packages):
    """Returns the interpreter for a benchmark, after installing its packages at the versions of requirements.txt.

    A benchmark without packages uses the current interpreter, so most benchmarks need no download.
    """
    if not packages:
        return sys.executable
    interpreter = PYTHON / "bin" / "python"
    if not interpreter.exists():
        subprocess.run([sys.executable, "-m", "venv", PYTHON], check=True)
    pins = BENCHMARKS / "requirements.txt"
    stamp = PYTHON / "installed.txt"
    pinned = dict(line.split("==") for line in pins.read_text().splitlines() if not line.startswith("#"))
    wanted = [f"{name}=={pinned[name]}" for name in packages]
    installed = stamp.read_text().split() if stamp.exists() else []
    missing = [requirement for requirement in wanted if requirement not in installed]
    if missing:
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *missing],
                       check=True)
        names = {requirement.split("==")[0] for requirement in missing}
        kept = [requirement for requirement in installed if requirement.split("==")[0] not in names]
        stamp.write_text("\n".join(kept + missing) + "\n")
    return str(interpreter)
