/// How lively a thread is: a note counts 1 on its day, half after a week, a quarter after two.
package enum ThreadMomentum {
    /// Notes that are older count nothing.
    package static let days: Int64 = 140
    /// The days after which a note counts half.
    package static let halfLife: Int64 = 7

    /// What a note of today counts: 2^36 parts.
    private static let full: Int64 = 1 << 36
    /// What a note of 0 to 6 days counts, in parts of ``full``.
    private static let shares: [Int64] = [
        68_719_476_736, 62_240_856_276, 56_373_016_413, 51_058_374_991, 46_244_778_488, 41_884_990_225, 37_936_226_825,
    ]

    /// Returns the momentum of notes of several times. The order of the notes does not matter, to the last bit.
    ///
    /// - Parameters:
    ///   - times: When each note was written, in seconds since 1970. Later ones than `now` count as of today.
    ///   - now: The current time.
    package static func score(_ times: some Sequence<Int64>, now: Int64) -> Double {
        var sum: Int64 = 0
        for time in times { sum = sum.addingReportingOverflow(share(time, now)).partialValue }
        return Double(sum) / Double(full)
    }

    private static func share(_ time: Int64, _ now: Int64) -> Int64 {
        let (age, isOverflow) = now.subtractingReportingOverflow(time)
        guard !isOverflow else { return 0 }
        let day = max(0, age) / 86_400
        guard day < days else { return 0 }
        return shares[Int(day % halfLife)] >> (day / halfLife)
    }
}

/// What becomes of a thread.
package enum ThreadHeat: String, Sendable, CaseIterable {
    /// It gets more notes than before.
    case heating
    /// It gets about as many notes as before.
    case steady
    /// It gets fewer notes than before.
    case cooling
    /// It got no note for five weeks.
    case dormant

    /// The length of the later stretch, in days.
    package static let recentDays: Int64 = 7
    /// The length of both stretches together, in days.
    package static let allDays: Int64 = 35
    /// The fewest notes of the later stretch of a thread that heats up.
    package static let heatingNotes = 3

    /// Returns what becomes of a thread.
    ///
    /// - Parameters:
    ///   - recent: Its notes of the last 7 days.
    ///   - before: Its notes of the 4 weeks before.
    package static func of(recent: Int, before: Int) -> ThreadHeat {
        let (recent, before) = (max(0, min(recent, 1 << 40)), max(0, min(before, 1 << 40)))
        if recent == 0, before == 0 { return .dormant }
        // More notes a week than twice those of a week before.
        if recent >= heatingNotes, recent * 2 > before { return .heating }
        // Fewer notes a week than half of those of a week before.
        if before >= 4, recent * 8 < before { return .cooling }
        return .steady
    }
}
