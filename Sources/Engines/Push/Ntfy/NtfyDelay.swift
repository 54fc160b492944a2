package import Schedules

/// Reads when a message of ntfy is to be sent: `1639194738`, `30m`, `2 hours`, `10:30`, `8:30pm`, `tomorrow, 9am` or
/// `monday 18:00`.
package enum NtfyDelay {
    /// The shortest delay in seconds, as in ntfy.
    package static let shortest: Int64 = 10
    /// The longest delay in seconds: 366 days.
    package static let longest: Int64 = 366 * 86_400

    /// Returns the instant.
    ///
    /// A time of day without a day is the next one. A time that the zone's clock skips is the end of the gap; of a time
    /// that comes twice it is the first one.
    ///
    /// - Parameters:
    ///   - zone: The zone of times of day.
    ///   - field: The field's name, for the error.
    package static func instant(
        _ text: String, now: Instant, zone: ZoneRules, field: String = "delay"
    ) throws(PushFieldError) -> Instant {
        guard text.utf8.count <= 64, let instant = read(text.lowercased(), now: now, zone: zone) else {
            throw PushFieldError(
                field, "expected seconds since 1970, a duration such as 30m, or a time such as \"tomorrow, 9am\"")
        }
        let delay = instant.seconds - now.seconds
        guard delay >= shortest else {
            throw PushFieldError(field, "expected at least \(shortest) s from now, got \(delay)")
        }
        guard delay <= longest else {
            throw PushFieldError(field, "expected at most \(longest) s from now, got \(delay)")
        }
        return instant
    }

    private static func read(_ text: String, now: Instant, zone: ZoneRules) -> Instant? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "\t" }.map(String.init).filter {
            $0 != "at" && $0 != "in"
        }
        guard let first = words.first, words.count <= 3 else { return nil }
        if words.count == 1, let seconds = Int64(first) { return Instant(seconds: seconds) }
        if words.count <= 2, let seconds = duration(words.joined()) { return now.adding(seconds: seconds) }
        return clock(words, now: now, zone: zone)
    }

    private static let units: [(names: Set<String>, seconds: Int64)] = [
        (["s", "sec", "secs", "second", "seconds"], 1), (["m", "min", "mins", "minute", "minutes"], 60),
        (["h", "hour", "hours"], 3600), (["d", "day", "days"], 86_400),
    ]

    private static func duration(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = String(text.dropFirst(digits.count))
        guard let number = Int64(digits), number <= longest, let match = units.first(where: { $0.names.contains(unit) })
        else { return nil }
        return number * match.seconds
    }

    private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    private static func clock(_ words: [String], now: Instant, zone: ZoneRules) -> Instant? {
        var words = words[...]
        let today = zone.wall(at: now)
        var day: Int64?
        if let word = words.first {
            if word == "today" {
                day = 0
            } else if word == "tomorrow" {
                day = 1
            } else if let weekday = weekdays.firstIndex(of: word) {
                // Today's weekday is that of next week.
                let distance = (weekday - today.weekday + 7) % 7
                day = Int64(distance == 0 ? 7 : distance)
            }
            if day != nil { words = words.dropFirst() }
        }
        guard let minutes = timeOfDay(words.joined()) else { return nil }
        let midnight = today.seconds - (today.seconds % 86_400 + 86_400) % 86_400
        func instant(_ day: Int64) -> Instant {
            let wall = midnight + day * 86_400 + minutes * 60
            // A gap lasts a day at most.
            for minute in 0...1440 {
                let instants = zone.instants(of: WallTime(seconds: wall + Int64(minute) * 60))
                if let instant = instants.first { return instant }
            }
            return now.adding(seconds: wall - today.seconds)
        }
        if let day { return instant(day) }
        let next = instant(0)
        return next > now ? next : instant(1)
    }

    /// Minutes since midnight of `9am`, `12:30pm` or `18:00`.
    private static func timeOfDay(_ text: String) -> Int64? {
        var rest = text[...]
        let half: Int64? = rest.hasSuffix("am") ? 0 : rest.hasSuffix("pm") ? 12 : nil
        if half != nil { rest = rest.dropLast(2) }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 1 && half != nil,
            parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy { $0.isDigit } }),
            let hour = Int64(parts[0]), let minute = parts.count == 2 ? Int64(parts[1]) : 0, minute < 60
        else { return nil }
        guard let half else { return hour < 24 ? hour * 60 + minute : nil }
        return (1...12).contains(hour) ? (hour % 12 + half) * 60 + minute : nil
    }
}
