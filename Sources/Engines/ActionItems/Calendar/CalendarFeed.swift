package import Goals

/// Writes tasks as an iCalendar object (RFC 5545) with a `VTODO` for each.
package struct CalendarFeed: Sendable {
    /// A task of the calendar.
    package struct Entry: Sendable {
        /// Identifies the task over all readings of the feed.
        package var uid: String
        /// What to do.
        package var title: String
        package var due: LocalDay?
        /// When it was created and completed, in seconds since 1970.
        package var created: Int64?
        package var completed: Int64?
        /// The thread that it belongs to.
        package var category: String?

        package init(
            uid: String, title: String, due: LocalDay? = nil, created: Int64? = nil, completed: Int64? = nil,
            category: String? = nil
        ) {
            self.uid = uid
            self.title = title
            self.due = due
            self.created = created
            self.completed = completed
            self.category = category
        }
    }

    /// The longest line in octets, without its end.
    package static let maxLine = 75

    private var text = ""

    /// Returns a calendar.
    ///
    /// - Parameters:
    ///   - name: What readers show as the calendar's name.
    ///   - entries: Its tasks. The same entries give the same bytes.
    package static func text(name: String, entries: [Entry]) -> String {
        var feed = CalendarFeed()
        feed.line("BEGIN", "VCALENDAR")
        feed.line("VERSION", "2.0")
        feed.line("PRODID", "-//Selene//Tasks//EN")
        feed.line("CALSCALE", "GREGORIAN")
        feed.line("NAME", escaped(name))
        feed.line("X-WR-CALNAME", escaped(name))
        for entry in entries { feed.add(entry) }
        feed.line("END", "VCALENDAR")
        return feed.text
    }

    private mutating func add(_ entry: Entry) {
        line("BEGIN", "VTODO")
        line("UID", Self.escaped(entry.uid))
        line("DTSTAMP", Self.time(entry.completed ?? entry.created ?? 0))
        if let created = entry.created { line("CREATED", Self.time(created)) }
        line("SUMMARY", Self.escaped(entry.title))
        if let due = entry.due { line("DUE;VALUE=DATE", Self.date(due)) }
        if let category = entry.category { line("CATEGORIES", Self.escaped(category)) }
        line("STATUS", entry.completed == nil ? "NEEDS-ACTION" : "COMPLETED")
        if let completed = entry.completed {
            line("COMPLETED", Self.time(completed))
            line("PERCENT-COMPLETE", "100")
        }
        line("END", "VTODO")
    }

    /// Adds a line, folded before the octet that is too many; characters stay whole.
    private mutating func line(_ name: String, _ value: String) {
        var octets = 0
        for scalar in "\(name):\(value)".unicodeScalars {
            let size = String(scalar).utf8.count
            if octets + size > Self.maxLine {
                text += "\r\n "
                octets = 1
            }
            text.unicodeScalars.append(scalar)
            octets += size
        }
        text += "\r\n"
    }

    /// A text value: backslash, semicolon, comma and line ends are escaped, other control characters left out.
    static func escaped(_ text: String) -> String {
        var result = ""
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": result += "\\" + String(scalar)
            case "\r": result += "\\n"
            case "\n": if previous != "\r" { result += "\\n" }
            case "\t": result += " "
            default: if scalar.properties.generalCategory != .control { result.unicodeScalars.append(scalar) }
            }
            previous = scalar
        }
        return result
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func date(_ day: LocalDay) -> String {
        let (year, month, number) = day.date
        return digits(year, 4) + digits(month, 2) + digits(number, 2)
    }

    /// A time in UTC.
    private static func time(_ seconds: Int64) -> String {
        let bounded = min(max(seconds, -2_000_000_000), 13_000_000_000)
        let rest = Int(((bounded % 86_400) + 86_400) % 86_400)
        let day = LocalDay(number: Int((bounded - Int64(rest)) / 86_400))
        return "\(date(day))T\(digits(rest / 3600, 2))\(digits(rest / 60 % 60, 2))\(digits(rest % 60, 2))Z"
    }
}
