"""Computes what schedules should do, with libraries that are not ours, as a reference for the Schedules module.

    occurrences.py sample FILE      a compact sample around changes of the clocks: Fixtures/occurrences.jsonl,
                                    with PYTHONTZPATH set to the whole path of Fixtures/zoneinfo
    occurrences.py random FILE      random rules, from 2020 on: Fixtures/random.jsonl, with PYTHONTZPATH as above
    occurrences.py long FILE        50 years (1990 to 2040) in 20 zones; set SELENE_OCCURRENCES=FILE for SchedulesTests

Needs the packages of requirements.txt beside this file, and takes `systemd-analyze calendar` where it is installed. Zones
are those of the system, by Python's zoneinfo. A line is an object: o the oracle, z the zone, k the kind of rule, r the
rule, s the start on the wall, x the excluded walls, g and v the policies for gaps and overlaps, a the instant after which
occurrences count, e the occurrences as Unix times: the first, then differences. Lines with o "zoneinfo" have no rule: e are
the offsets at the instants i.
"""

import datetime
import functools
import itertools
import json
import random
import re
import shutil
import subprocess
import sys
import zoneinfo

import cronsim
from dateutil import rrule

ZONES = [
    "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "Antarctica/Troll", "Pacific/Chatham",
    "Asia/Kathmandu", "America/Asuncion", "Africa/Cairo", "Asia/Gaza", "Europe/Berlin", "America/New_York",
    "Europe/Dublin", "America/Nuuk", "America/St_Johns", "Asia/Tehran", "America/Sao_Paulo", "Pacific/Kiritimati",
    "Australia/Sydney", "America/Caracas", "Europe/Istanbul",
]  # fmt: skip

CRON = [
    "30 2 * * *", "0 0 * * *", "30 1 * * *", "0,30 2 * * *", "15 3 * * 1-5", "0 9 1,15 * *", "0 0 29 2 *",
    "0 12 L * *", "45 23 * * SUN#2", "30 2 LW * *", "0 3 13 * FRI", "30 0 * * 5L", "0 2 */10 * 0", "5 0 * 3,10,11 0",
    "0 1-3 * * *", "*/30 1-3 * * SUN,MON", "0 * 1-7 3,4,10,11 *", "7 */6 * * *", "30 * * 3 SUN", "*/20 0-2 * 4,9,10 *",
]  # fmt: skip

# Rule, time of the start, excluded walls.
RRULES = [
    ("FREQ=DAILY", "02:30", []),
    ("FREQ=DAILY;INTERVAL=3;BYHOUR=1,2,3;BYMINUTE=0,45", "02:00", []),
    ("FREQ=WEEKLY;BYDAY=SA,SU", "00:15", []),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO", "02:30", []),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "02:30", []),
    ("FREQ=MONTHLY;BYMONTHDAY=-1", "01:30", []),
    ("FREQ=MONTHLY;BYMONTHDAY=31,-31", "09:00", []),
    ("FREQ=MONTHLY;BYDAY=2SU,-1SU", "02:15", []),
    ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1", "08:30", []),
    ("FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=30", "23:59", []),
    ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "03:30", []),
    ("FREQ=YEARLY;BYMONTH=3,4,10,11;BYDAY=1SU,-1SU", "02:30", []),
    ("FREQ=YEARLY;BYDAY=20MO,-1SU", "07:00", []),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "12:00", []),
    ("FREQ=YEARLY;BYMONTHDAY=1,-1;BYHOUR=0,12", "00:00", []),
    ("FREQ=YEARLY;BYDAY=MO,SU;BYSETPOS=-1,10,50;INTERVAL=2", "02:30", []),
    ("FREQ=HOURLY;INTERVAL=5", "01:20", []),
    ("FREQ=HOURLY;BYHOUR=1,2,3;BYMINUTE=10,40;BYDAY=SU", "00:00", []),
    ("FREQ=MINUTELY;INTERVAL=50;BYMONTH=3,10;BYHOUR=0,1,2,3", "00:05", []),
    ("FREQ=DAILY;COUNT=400", "02:30", ["2000-03-26T02:30:00", "1990-04-01T02:30:00"]),
    ("FREQ=WEEKLY;UNTIL=20150614T023000;BYDAY=SU", "02:30", ["2001-03-25T02:30:00", "2010-03-14T02:30:00"]),
]

GAPS = ["firstMomentAfter", "shifted", "skip"]
OVERLAPS = ["first", "both", "second"]
UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1)
CAP = 20_000


def unix(time):
    return int(time.timestamp())


def interval_rule(kind, rule):
    """Whether the rule's own policy is to follow the hours that pass."""
    if kind == "cron":
        minute, hour = rule.split()[:2]
        return minute.startswith("*") or hour.startswith("*")
    return "HOURLY" in rule or "MINUTELY" in rule


def instants(wall, zone, gap, overlap):
    """The Unix times that a wall time leads to, by zoneinfo and a policy."""
    first, second = (wall.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    before, after = first.utcoffset(), second.utcoffset()
    if before == after:
        return [unix(first)]
    naive = (wall - EPOCH) // datetime.timedelta(seconds=1)
    early, late = sorted((naive - int(before.total_seconds()), naive - int(after.total_seconds())))
    if before > after:
        return {"first": [early], "second": [late], "both": [early, late]}[overlap]
    if gap == "skip":
        return []
    if gap == "shifted":
        return [late]

    def offset(time):
        return datetime.datetime.fromtimestamp(time, zone).utcoffset()

    # The clock jumps once after `early` and not after `late`.
    old = offset(early)
    while late - early > 1:
        middle = (early + late) // 2
        if offset(middle) == old:
            early = middle
        else:
            late = middle
    return [late]


@functools.lru_cache(maxsize=100)
def walls(kind, rule, start, end):
    """A library's wall times without a zone, until shortly after a Unix time."""
    if kind == "cron":
        times = cronsim.CronSim(rule, start - datetime.timedelta(seconds=1))
    else:
        times = iter(rrule.rrulestr(rule, dtstart=start))
    last = EPOCH + datetime.timedelta(seconds=end + 2 * 86_400)
    return list(itertools.islice(itertools.takewhile(lambda time: time <= last, times), CAP * 4))


def reference(kind, rule, start, excluded, zone, gap, overlap, after, end):
    """Wall times mapped by zoneinfo."""
    found = set()
    for wall in walls(kind, rule, start, end):
        if len(found) > CAP:
            break
        if not excluded or wall.isoformat() not in excluded:
            found.update(time for time in instants(wall, zone, gap, overlap) if after < time < end)
    found = sorted(found)
    # Wall times around the last ones may be missing.
    return found if len(found) < CAP - 10 else found[: CAP - 10]


def direct(kind, rule, start, excluded, zone, after, end):
    """A library's own idea of the zone."""
    if kind == "cron":
        base = datetime.datetime.fromtimestamp(after, UTC).astimezone(zone)
        times = cronsim.CronSim(rule, base)
    else:
        gone = {datetime.datetime.fromisoformat(text).replace(tzinfo=zone) for text in excluded}
        text = re.sub(r"UNTIL=(\w+)", lambda match: until_in_utc(match[1], zone), rule)
        times = (time for time in rrule.rrulestr(text, dtstart=start.replace(tzinfo=zone)) if time not in gone)
    found = []
    for time in times:
        if unix(time) >= end or len(found) == CAP:
            break
        if unix(time) > after:
            found.append(unix(time))
    return sorted(set(found))


def until_in_utc(text, zone):
    wall = datetime.datetime.strptime(text, "%Y%m%dT%H%M%S").replace(tzinfo=zone)
    return "UNTIL=" + wall.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


SYSTEMD = {
    "30 2 * * *": "*-*-* 02:30:00", "0 0 * * *": "*-*-* 00:00:00", "30 1 * * *": "*-*-* 01:30:00",
    "15 3 * * 1-5": "Mon..Fri *-*-* 03:15:00", "0 9 1,15 * *": "*-*-01,15 09:00:00", "0 0 29 2 *": "*-02-29 00:00:00",
    "0 12 L * *": "*-*~01 12:00:00",
}  # fmt: skip


def systemd(specification, zone, after, end, count):
    output = subprocess.run(
        ["systemd-analyze", "calendar", f"--iterations={count}", f"--base-time=@{after}", f"{specification} {zone}"],
        capture_output=True, text=True, check=True, env={"TZ": "UTC", "LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    ).stdout  # fmt: skip
    times = re.findall(r"(?:Next elapse|Iter(?:ation|\.) #\d+): \w+ (\S+ \S+) UTC", output)
    found = [unix(datetime.datetime.fromisoformat(time).replace(tzinfo=UTC)) for time in times]
    return [time for time in found if time < end]


def line(oracle, zone, kind, rule, start, excluded, gap, overlap, after, found):
    differences = [found[0]] if found else []
    differences += [b - a for a, b in zip(found, found[1:])]
    entry = {"o": oracle, "z": zone, "k": kind, "r": rule, "g": gap, "v": overlap, "a": after, "e": differences}
    if kind == "rrule":
        entry |= {"s": start.isoformat(), "x": excluded}
    return json.dumps(entry, separators=(",", ":"))


def rules():
    first = datetime.datetime(1990, 1, 1)
    for rule in CRON:
        yield "cron", rule, first, []
    for rule, time, excluded in RRULES:
        yield "rrule", rule, first.replace(hour=int(time[:2]), minute=int(time[3:])), excluded


def write_long(file):
    after, end = unix(datetime.datetime(1990, 1, 3, tzinfo=UTC)), unix(datetime.datetime(2040, 1, 1, tzinfo=UTC))
    for name in ZONES:
        zone = zoneinfo.ZoneInfo(name)
        for kind, rule, start, excluded in rules():
            interval = interval_rule(kind, rule)
            policies = [("firstMomentAfter", "first"), ("shifted", "both"), ("skip", "second")]
            if interval:
                policies = [("skip", "both")]
            if "COUNT" in rule:
                policies = [("firstMomentAfter", "first")]  # dateutil counts what other policies do not
            known = {}
            for gap, overlap in policies:
                found = reference(kind, rule, start, excluded, zone, gap, overlap, after, end)
                known[gap, overlap] = found
                print(line("reference", name, kind, rule, start, excluded, gap, overlap, after, found), file=file)
            if kind == "cron":
                found = direct(kind, rule, start, excluded, zone, after, end)
                # cronsim has faults: it misses times after a change by half an hour, and where midnight does not exist.
                theirs, ours = found[: CAP - 10], known[policies[0]][: CAP - 10]
                if theirs != ours:
                    missed = sorted(set(ours) - set(theirs))[:3]
                    print(f"left out: cronsim in {name}, {rule}: it misses {missed}", file=sys.stderr)
                else:
                    text = line("cronsim", name, kind, rule, start, excluded, *policies[0], after, found)
                    print(text, file=file)
            elif not interval:
                found = direct(kind, rule, start, excluded, zone, after, end)
                print(line("dateutil", name, kind, rule, start, excluded, "shifted", "first", after, found), file=file)
            if kind == "cron" and rule in SYSTEMD and shutil.which("systemd-analyze"):
                found = systemd(SYSTEMD[rule], name, after, end, 3000)
                ours = reference(kind, rule, start, excluded, zone, "skip", "first", after, end)[: len(found)]
                # systemd misses a time on a day whose clock jumps from 00:01 to 01:01, as in St. John's until 2011.
                if found != ours:
                    missed = sorted(set(ours) - set(found))[:3]
                    print(f"left out: systemd in {name}, {rule}: it misses {missed}", file=sys.stderr)
                else:
                    text = line("systemd", name, kind, rule, start, excluded, "skip", "first", after, found)
                    print(text, file=file)
    chance = random.Random(5)
    for name in sorted(zoneinfo.available_timezones()):
        if name not in ("localtime", "Factory"):
            offsets(file, name, [chance.randrange(0, 4_102_444_800) for _ in range(2000)])


def offsets(file, name, times):
    zone = zoneinfo.ZoneInfo(name)
    found = [int(datetime.datetime.fromtimestamp(time, zone).utcoffset().total_seconds()) for time in times]
    print(json.dumps({"o": "zoneinfo", "z": name, "i": times, "e": found}, separators=(",", ":")), file=file)


def changes(zone, first, last):
    """Unix times from `first` to `last` within a day of which the offset changes."""
    days = range(first, last, 86_400)
    seen = [datetime.datetime.fromtimestamp(day, zone).utcoffset() for day in days]
    return [day for day, a, b in zip(days, seen, seen[1:]) if a != b]


def write_sample(file):
    chance = random.Random(7)
    for name in ZONES:
        zone = zoneinfo.ZoneInfo(name)
        around = changes(zone, 631_152_000, 2_208_988_800) or [1_000_000_000]
        for kind, rule, start, excluded in rules():
            if chance.random() < 0.4:
                continue
            interval = interval_rule(kind, rule)
            gap, overlap = ("skip", "both") if interval else (chance.choice(GAPS), chance.choice(OVERLAPS))
            if "COUNT" in rule:
                gap, overlap = "firstMomentAfter", "first"
            after = max(chance.choice(around) - chance.randrange(86_400), unix(start.replace(tzinfo=UTC)) + 2 * 86_400)
            # Enough for eight occurrences of a rule that fires once a year or more.
            span = 40 if "29" in rule or "13" in rule else 9
            reached = start if kind == "rrule" else datetime.datetime.fromtimestamp(after - 2 * 86_400, UTC).replace(tzinfo=None)
            found = reference(kind, rule, reached, excluded, zone, gap, overlap, after, after + span * 366 * 86_400)
            print(line("reference", name, kind, rule, start, excluded, gap, overlap, after, found[:8]), file=file)
        offsets(file, name, [chance.randrange(0, 4_102_444_800) for _ in range(12)])


def random_rule(chance):
    """A rule of iCalendar that dateutil reads as RFC 5545 does: no BYDAY with and without counts at once."""

    def some(values, most):
        return ",".join(str(value) for value in chance.sample(list(values), chance.randint(1, most)))

    frequency = chance.choice(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"])
    parts = [f"FREQ={frequency}"]
    if chance.random() < 0.5:
        parts.append(f"INTERVAL={chance.choice([2, 3, 4, 5, 7, 11, 40])}")
    if chance.random() < 0.3:
        parts.append(f"BYMONTH={some(range(1, 13), 4)}")
    if chance.random() < 0.3 and frequency != "WEEKLY":
        parts.append(f"BYMONTHDAY={some([*range(-31, 0), *range(1, 32)], 5)}")
    if chance.random() < 0.4:
        weekdays = chance.sample(["MO", "TU", "WE", "TH", "FR", "SA", "SU"], chance.randint(1, 4))
        if frequency in ("YEARLY", "MONTHLY") and chance.random() < 0.6:
            weekdays = [f"{chance.choice([1, 2, 3, 4, 5, -1, -2, -4])}{weekday}" for weekday in weekdays]
        parts.append(f"BYDAY={','.join(weekdays)}")
    if chance.random() < 0.3:
        parts.append(f"BYHOUR={some(range(24), 4)}")
    if chance.random() < 0.3:
        parts.append(f"BYMINUTE={some(range(60), 4)}")
    # dateutil looks for a time that BYSETPOS never chooses until the year 9999: too long in steps of a day or less.
    if frequency in ("YEARLY", "MONTHLY", "WEEKLY") and chance.random() < 0.4 and "BY" in str(parts):
        parts.append(f"BYSETPOS={some([1, 2, 3, 5, -1, -2, -4], 2)}")
    if chance.random() < 0.3:
        parts.append(f"WKST={chance.choice(['SU', 'WE', 'SA'])}")
    return ";".join(parts)


def random_cron(chance):
    def field(low, high, plain):
        if chance.random() < plain:
            return "*"
        first, last = sorted(chance.sample(range(low, high + 1), 2))
        choices = [f"{first}", f"{first}-{last}", f"{first},{last}", f"*/{chance.randint(2, 9)}"]
        return chance.choice([*choices, f"{first}-{last}/{chance.randint(2, 5)}"])

    day = field(1, 31, 0.5) if chance.random() < 0.8 else chance.choice(["L", "LW", "L,13"])
    week = field(0, 6, 0.5) if chance.random() < 0.8 else chance.choice(["5L", "2#2", "0#5,3", "7"])
    return f"{field(0, 59, 0.2)} {field(0, 23, 0.2)} {day} {field(1, 12, 0.6)} {week}"


def write_random(file, count=300):
    chance = random.Random(11)
    first, end = datetime.datetime(2020, 1, 1), unix(datetime.datetime(2045, 1, 1, tzinfo=UTC))
    written = 0
    while written < count:
        name, kind = chance.choice(ZONES), chance.choice(["cron", "rrule", "rrule"])
        rule = random_cron(chance) if kind == "cron" else random_rule(chance)
        minutes = 0 if kind == "cron" else chance.randrange(400 * 1440)
        start = first + datetime.timedelta(minutes=minutes)
        gap, overlap = chance.choice(GAPS), chance.choice(OVERLAPS)
        days = 10 if interval_rule(kind, rule) else 400
        after = unix(start.replace(tzinfo=UTC)) + chance.randrange(3 * 86_400, days * 86_400)
        zone = zoneinfo.ZoneInfo(name)
        try:
            times = walls_around(kind, rule, start, after, end)
        except (ValueError, cronsim.CronSimError):
            continue  # they find out that the rule names no time
        found = sorted({time for wall in times for time in instants(wall, zone, gap, overlap) if time > after})[:10]
        if len(found) == 10:
            print(line("random", name, kind, rule, start, [], gap, overlap, after, found), file=file)
            written += 1


def walls_around(kind, rule, start, after, end):
    """The first wall times from two days before a Unix time; those of five days at least."""
    begin = EPOCH + datetime.timedelta(seconds=after - 2 * 86_400)
    if kind == "cron":
        times = cronsim.CronSim(rule, begin)
    else:
        times = rrule.rrulestr(rule, dtstart=start).xafter(begin)
    found = []
    for time in times:
        if len(found) > 40 and time - begin > datetime.timedelta(days=5) or unix(time.replace(tzinfo=UTC)) > end:
            break
        found.append(time)
    return found


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as target:
        {"sample": write_sample, "random": write_random, "long": write_long}[sys.argv[1]](target)
