import Foundation
import TestSupport
import Testing

@testable import Schedules

struct ZoneTests {
    static let zones: ZoneDatabase = {
        let folder = Bundle.module.resourceURL?.appending(path: "Fixtures/zoneinfo").path
        return ZoneDatabase(folder: folder ?? "")
    }()

    private func bytes(_ zone: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Fixtures/zoneinfo")
        return Array(try Data(contentsOf: folder.appending(path: zone)))
    }

    @Test(arguments: [
        ("America/New_York", "2026-03-08T02:00:00", 0), ("America/New_York", "2026-03-08T01:59:59", 1),
        ("America/New_York", "2026-11-01T01:30:00", 2), ("America/New_York", "2390-03-11T02:30:00", 0),
        ("Pacific/Apia", "2011-12-30T12:00:00", 0), ("Pacific/Apia", "2011-12-31T00:00:00", 1),
        ("Australia/Lord_Howe", "2026-10-04T02:15:00", 0), ("Australia/Lord_Howe", "2026-04-05T01:45:00", 2),
        ("Asia/Kathmandu", "1986-01-01T00:10:00", 0), ("Asia/Kathmandu", "2026-01-01T00:10:00", 1),
        ("Antarctica/Troll", "2026-03-29T01:30:00", 0), ("Antarctica/Troll", "2026-10-25T01:30:00", 2),
    ])
    func `a wall time comes never, once or twice`(zone: String, wall: String, count: Int) throws {
        let wall = try #require(WallTime(parsing: wall))
        let rules = try Self.zones.rules(zone)
        let instants = rules.instants(of: wall)
        #expect(instants.count == count)
        for instant in instants { #expect(rules.wall(at: instant) == wall) }
    }

    @Test func `the system's zones are readable`() throws {
        let zones = ZoneDatabase()
        #expect(try zones.rules("Europe/Berlin").segments.count > 700)
        #expect(try zones.rules("UTC") == .utc)
        #expect(zones.readVersion() != nil)
        #expect(Self.zones.readVersion() == "2025b")
    }

    @Test(arguments: [
        "", "/etc/passwd", "../../etc/passwd", "Europe/", "Europe//Berlin", "Europe", "Nowhere/Here", "tzdata.zi",
        "Europe/Berlin\0", "Ёurope/Berlin", String(repeating: "a", count: 65),
    ])
    func `other names are unknown zones`(name: String) {
        let error = #expect(throws: ScheduleError.self) { try ZoneDatabase().rules(name) }
        #expect([.unknownZone, .damagedZone].contains(error?.kind))
    }

    @Test func `every prefix of a file is read or rejected`() throws {
        let file = try bytes("Africa/Cairo")
        #expect(try TZifFile.rules(name: "x", bytes: file).segments.count > 700)
        for count in 0..<file.count {
            #expect(throws: ScheduleError.self) { try TZifFile.rules(name: "x", bytes: Array(file.prefix(count))) }
        }
    }

    @Test func `damaged bytes never trap`() throws {
        var generator = SeededGenerator(3)
        var read = 0
        for zone in ["Australia/Lord_Howe", "Asia/Gaza", "Asia/Kathmandu"] {
            let file = try bytes(zone)
            for _ in 0..<400 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    // Headers and footer are hit more often than their size suggests.
                    let near = [0..<64, 0..<file.count, file.count - 40..<file.count].randomElement(using: &generator)
                    let index = Int.random(in: near ?? 0..<1, using: &generator)
                    damaged[index] =
                        [0, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &generator)]
                        .randomElement(using: &generator) ?? 0
                }
                guard let rules = try? TZifFile.rules(name: zone, bytes: damaged) else { continue }
                read += 1
                for (a, b) in zip(rules.segments, rules.segments.dropFirst()) {
                    #expect(a.end == b.start && a.start < a.end && a.offset != b.offset)
                }
                let daily = try CronExpression(parsing: "30 2 * * *")
                let schedule = try Schedule(rule: .cron(daily), zone: rules)
                #expect(try schedule.next(after: Instant(seconds: 1_700_000_000)) != nil)
            }
        }
        #expect(read > 100)
    }

    @Test func `a file of version 1 has no footer`() throws {
        // One transition at 1000 s from UTC to +1 h.
        var file = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
        for count: UInt8 in [0, 0, 0, 1, 2, 4] { file += [0, 0, 0, count] }
        file += [0, 0, 3, 0xE8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x0E, 0x10, 1, 0, 0x41, 0x42, 0x43, 0]
        let rules = try TZifFile.rules(name: "x", bytes: file)
        #expect(rules.segments.map(\.offset) == [0, 3600])
        #expect(rules.segments.last?.start == 1000)
    }

    @Test(arguments: [
        ("UTC0", 0, nil), ("<+0545>-5:45", 20_700, nil), ("EST5EDT,M3.2.0,M11.1.0", -18_000, -14_400),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", 3600, 0), ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7200, -3600),
        ("XXX3EDT4,0/0,J365/23", -10_800, -14_400), ("EET-2EEST,M3.4.4/50,M10.4.4/50", 7200, 10_800),
    ])
    func `a footer gives both offsets`(text: String, standard: Int64, daylight: Int64?) throws {
        let footer = try #require(ZoneFooter(parsing: Array(text.utf8)))
        #expect(footer.standard == standard)
        #expect(footer.daylight?.offset == daylight)
    }

    @Test(arguments: [
        "", "UTC", "5", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
        "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J1", "EST5EDT,366,1", "EST25", "EST5:60", "<EST5", "<>5",
        "EST5EDT,M3.2.0/168,M11.1.0", "EST5EDT,M3.2.0,M11.1.0,", "EST99999999999999999999",
    ])
    func `other footers are rejected`(text: String) {
        #expect(ZoneFooter(parsing: Array(text.utf8)) == nil)
    }

    @Test func `daylight saving time that lasts all year is one segment`() throws {
        let footer = try #require(ZoneFooter(parsing: Array("XXX3EDT4,0/0,J365/23".utf8)))
        let rules = ZoneRules(name: "x", initialOffset: -14_400, transitions: footer.transitions(after: 0))
        #expect(rules.segment(at: .earliest) == rules.segment(at: .latest))
        #expect(rules.segment(at: .latest).offset == -14_400)
    }
}
