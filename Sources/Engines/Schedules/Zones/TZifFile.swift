/// Reads TZif files, versions 1 to 4 (RFC 9636), as in `/usr/share/zoneinfo`.
///
/// Of version 2 and later only the 64-bit block is used, with the footer for the time after the last transition. Files
/// with leap seconds (`right/…`) are rejected: Unix time has none. Malformed bytes throw ``ScheduleError``.
struct TZifFile {
    /// Bytes of a file at most; the largest of 2025 has 3,844.
    static let maxBytes = 65_536

    private struct Counts {
        var isUTC: Int
        var isStandard: Int
        var leap: Int
        var times: Int
        var types: Int
        var characters: Int

        func blockBytes(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + characters + leap * (timeBytes + 4) + isStandard + isUTC
        }
    }

    private let name: String
    private let bytes: [UInt8]
    private var position = 0

    private init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Reads the rules of the zone `name` from the bytes of its file.
    static func rules(name: String, bytes: [UInt8]) throws(ScheduleError) -> ZoneRules {
        var file = TZifFile(name: name, bytes: bytes)
        guard bytes.count <= maxBytes else { throw file.damaged("more than \(maxBytes) bytes") }
        var (version, counts) = try file.readHeader()
        guard version >= 2 else { return try file.readBlock(counts, timeBytes: 4, hasFooter: false) }
        try file.skip(counts.blockBytes(timeBytes: 4))
        (version, counts) = try file.readHeader()
        return try file.readBlock(counts, timeBytes: 8, hasFooter: true)
    }

    private mutating func readHeader() throws(ScheduleError) -> (version: Int, Counts) {
        guard try take(4) == Array("TZif".utf8) else { throw damaged("no \"TZif\" at the start of a header") }
        let version: Int
        switch try take(1) {
        case [0]: version = 1
        case let digit where [[0x32], [0x33], [0x34]].contains(digit): version = Int(digit[0]) - 0x30
        default: throw damaged("expected version 1 to 4")
        }
        try skip(15)
        var fields: [Int] = []
        for _ in 0..<6 {
            let value = Int(try integer(4))
            guard (0...Self.maxBytes).contains(value) else { throw damaged("a count of \(value)") }
            fields.append(value)
        }
        return (
            version,
            Counts(
                isUTC: fields[0], isStandard: fields[1], leap: fields[2], times: fields[3], types: fields[4],
                characters: fields[5])
        )
    }

    private mutating func readBlock(
        _ counts: Counts, timeBytes: Int, hasFooter: Bool
    ) throws(ScheduleError) -> ZoneRules {
        guard counts.leap == 0 else { throw damaged("it counts leap seconds, expected Unix time") }
        guard (1...256).contains(counts.types) else { throw damaged("\(counts.types) types, expected 1 to 256") }
        var times: [Int64] = []
        for _ in 0..<counts.times {
            let time = try integer(timeBytes)
            if let last = times.last, time <= last { throw damaged("transitions are not in ascending order") }
            times.append(time)
        }
        let indexes = try take(counts.times)
        var offsets: [Int64] = []
        for _ in 0..<counts.types {
            let offset = try integer(4)
            guard (-89_999...93_599).contains(offset) else { throw damaged("an offset of \(offset) s") }
            offsets.append(offset)
            try skip(2)
        }
        try skip(counts.characters + counts.isStandard + counts.isUTC)

        var transitions: [(at: Int64, offset: Int64)] = []
        for (time, index) in zip(times, indexes) {
            guard Int(index) < offsets.count else { throw damaged("a transition to an unknown type") }
            transitions.append((time, offsets[Int(index)]))
        }
        if hasFooter, let footer = try readFooter() {
            transitions += footer.transitions(after: times.last)
        }
        return ZoneRules(name: name, initialOffset: offsets[0], transitions: transitions)
    }

    /// The line after the 64-bit block; nil if it is empty, which leaves the time after the last transition as it is.
    private mutating func readFooter() throws(ScheduleError) -> ZoneFooter? {
        guard try take(1) == [0x0A] else { throw damaged("expected a footer") }
        let text = bytes[position...].prefix { $0 != 0x0A }
        guard position + text.count < bytes.count else { throw damaged("the footer does not end") }
        guard !text.isEmpty else { return nil }
        guard let footer = ZoneFooter(parsing: text) else {
            throw damaged("footer \"\(String(decoding: text.prefix(80), as: UTF8.self))\" is not a POSIX rule")
        }
        return footer
    }

    /// A signed big-endian integer of 4 or 8 bytes.
    private mutating func integer(_ count: Int) throws(ScheduleError) -> Int64 {
        var pattern: UInt64 = 0
        for byte in try take(count) { pattern = pattern << 8 | UInt64(byte) }
        return count == 4 ? Int64(Int32(truncatingIfNeeded: pattern)) : Int64(bitPattern: pattern)
    }

    private mutating func take(_ count: Int) throws(ScheduleError) -> [UInt8] {
        let start = position
        try skip(count)
        return Array(bytes[start..<position])
    }

    private mutating func skip(_ count: Int) throws(ScheduleError) {
        guard count >= 0, count <= bytes.count - position else { throw damaged("it ends too early") }
        position += count
    }

    private func damaged(_ reason: String) -> ScheduleError {
        ScheduleError(.damagedZone, "zone file \(name): \(reason)")
    }
}
