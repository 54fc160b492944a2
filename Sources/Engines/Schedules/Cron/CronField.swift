/// One of the fields of a cron expression, and how its values are read.
struct CronField {
    static let minute = CronField(name: "minute", range: 0...59)
    static let hour = CronField(name: "hour", range: 0...23)
    static let dayOfMonth = CronField(name: "day-of-month", range: 1...31)
    static let month = CronField(
        name: "month", range: 1...12,
        names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
    static let dayOfWeek = CronField(
        name: "day-of-week", range: 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"])

    let name: String
    let range: ClosedRange<Int>
    /// Names of the values from the range's first on, in lower case.
    var names: [String] = []

    /// The values of a list as bits.
    func values(of text: Substring) throws(ScheduleError) -> UInt64 {
        var bits: UInt64 = 0
        for item in text.split(separator: ",", omittingEmptySubsequences: false) { bits |= try values(ofItem: item) }
        return bits
    }

    /// The values of one part of a list: `*`, `a`, `a-b`, each with or without `/n`.
    func values(ofItem item: Substring) throws(ScheduleError) -> UInt64 {
        let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let first: Int
        var last: Int
        if parts[0] == "*" {
            (first, last) = (range.lowerBound, range.upperBound)
        } else {
            let ends = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            first = try value(ends[0], in: item)
            last = first
            if ends.count == 2 {
                last = try value(ends[1], in: item)
                if isWeek, last == 0, first > 0 { last = 7 }
            } else if parts.count == 2 {
                last = isWeek ? 6 : range.upperBound
            }
            guard first <= last else { throw error(item, "a range must ascend") }
        }
        var step = 1
        if parts.count == 2 {
            guard let number = number(parts[1]), number > 0 else {
                throw error(item, "expected a step of 1 or more behind \"/\"")
            }
            step = number
        }
        var bits: UInt64 = 0
        for value in stride(from: first, through: last, by: step) { bits |= 1 << UInt64(value) }
        return bits
    }

    /// A number or name of the field.
    func value(_ text: Substring, in item: Substring) throws(ScheduleError) -> Int {
        if let index = names.firstIndex(of: String(text)) { return range.lowerBound + index }
        guard let number = number(text), range.contains(number) else {
            let orName = names.first.map { " or a name such as \($0.uppercased())" } ?? ""
            throw error(item, "expected \(range.lowerBound) to \(range.upperBound)\(orName)")
        }
        return number
    }

    /// One to three digits.
    func number(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    func error(_ item: Substring, _ reason: String) -> ScheduleError {
        ScheduleError(.syntax, "cron field \(name), \"\(item)\": \(reason)")
    }

    private var isWeek: Bool { range.upperBound == 7 }
}
