#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Formats the time of a log line: UTC with milliseconds. Date, hour, minute and second are formatted once a second.
struct LogClock {
    private var second: time_t?
    /// `2026-01-02T03:04:05`.
    private var text: [UInt8] = []

    /// Appends the current time.
    mutating func append(to line: inout [UInt8]) {
        let now = WallClock.milliseconds
        let seconds = time_t(now / 1000)
        if seconds != second { write(seconds) }
        line.append(contentsOf: text)
        line.append(UInt8(ascii: "."))
        line.append(digits: 3, of: Int(now % 1000))
        line.append(UInt8(ascii: "Z"))
    }

    private mutating func write(_ now: time_t) {
        var (now, parts) = unsafe (now, tm())
        unsafe gmtime_r(&now, &parts)
        text.removeAll(keepingCapacity: true)
        unsafe text.append(digits: 4, of: Int(parts.tm_year) + 1900)
        for (separator, value) in unsafe [
            ("-", parts.tm_mon + 1), ("-", parts.tm_mday), ("T", parts.tm_hour), (":", parts.tm_min),
            (":", parts.tm_sec),
        ] as [(Unicode.Scalar, Int32)] {
            text.append(UInt8(ascii: separator))
            text.append(digits: 2, of: Int(value))
        }
        second = now
    }
}
