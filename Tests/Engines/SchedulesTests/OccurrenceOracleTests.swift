import Foundation
import Schedules
import Testing

/// What Oracle/occurrences.py computed with dateutil, cronsim, systemd and zoneinfo.
struct OccurrenceOracleTests {
    /// A line of its output; the script says what the letters mean.
    private struct Expectation: Decodable {
        var o: String
        var z: String
        var k: String?
        var r: String?
        var s: String?
        var x: [String]?
        var g: String?
        var v: String?
        var a: Int64?
        var i: [Int64]?
        var e: [Int64]
    }

    private struct Malformed: Error {
        var line: String
    }

    /// Compares each line of a file; returns the number of compared values by oracle.
    private func compare(_ file: URL, zones: ZoneDatabase) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let expected = try JSONDecoder().decode(Expectation.self, from: Data(line.utf8))
            counts[expected.o, default: 0] += expected.e.count
            if let instants = expected.i {
                let zone = try zones.rules(expected.z)
                let offsets = instants.map { zone.segment(at: Instant(seconds: $0)).offset }
                #expect(offsets == expected.e, "\(expected.z)")
                continue
            }
            guard let after = expected.a else { throw Malformed(line: String(line)) }
            let schedule = try schedule(of: expected, in: zones)
            var last: Int64 = 0
            let times = expected.e.map {
                last += $0
                return last
            }
            // The oracles stop where their file says, ours would go on.
            let end = times.last.map { Instant(seconds: $0 + 1) } ?? .latest
            let found = try schedule.occurrences(
                in: Instant(seconds: after + 1)..<end, limit: times.count + 1
            ).map(\.instant.seconds)
            if found != times {
                let index =
                    zip(found, times).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, times.count)
                Issue.record(
                    """
                    \(line.prefix(300)): \(found.count) occurrences, expected \(times.count), first difference at \
                    \(index): \(found.dropFirst(index).prefix(3)), expected \(times.dropFirst(index).prefix(3))
                    """)
            }
        }
        return counts
    }

    private func schedule(of line: Expectation, in zones: ZoneDatabase) throws -> Schedule {
        guard let text = line.r, let gap = line.g.flatMap(DaylightPolicy.Gap.init),
            let overlap = line.v.flatMap(DaylightPolicy.Overlap.init)
        else { throw Malformed(line: line.r ?? "no rule") }
        let rule: ScheduleRule
        if line.k == "cron" {
            rule = .cron(try CronExpression(parsing: text))
        } else {
            guard let start = line.s.flatMap({ WallTime(parsing: $0) }) else { throw Malformed(line: text) }
            let excluded = try (line.x ?? []).map { try #require(WallTime(parsing: $0)) }
            rule = .recurrence(try RecurrenceRule(parsing: text, start: start, excluding: excluded))
        }
        return try Schedule(
            rule: rule, zone: try zones.rules(line.z), daylight: DaylightPolicy(gap: gap, overlap: overlap))
    }

    @Test func `occurrences are those of the libraries in a stored sample`() throws {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Fixtures")
        let counts = try compare(
            folder.appending(path: "occurrences.jsonl"),
            zones: ZoneDatabase(folder: folder.appending(path: "zoneinfo").path))
        #expect((counts["reference"] ?? 0) > 3000)
        #expect(counts["zoneinfo"] == 240)
    }

    @Test func `random rules name the times that the libraries find`() throws {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Fixtures")
        let counts = try compare(
            folder.appending(path: "random.jsonl"),
            zones: ZoneDatabase(folder: folder.appending(path: "zoneinfo").path))
        #expect(counts["random"] == 3000)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["SELENE_OCCURRENCES"] != nil))
    func `occurrences are those of the libraries over fifty years`() throws {
        let file = try #require(ProcessInfo.processInfo.environment["SELENE_OCCURRENCES"])
        let counts = try compare(URL(filePath: file), zones: ZoneDatabase())
        print("Compared: \(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
    }
}
