/// The names of parts of the day, folded.
enum DayPartWords {
    static let parts: [String: DayPart] = [
        "morning": .morning, "noon": .noon, "midday": .noon, "afternoon": .afternoon, "evening": .evening,
        "night": .night, "lunchtime": .lunch, "morgen": .morning, "morgens": .morning, "früh": .morning,
        "vormittag": .morning, "vormittags": .morning, "mittag": .noon, "mittags": .noon, "nachmittag": .afternoon,
        "nachmittags": .afternoon, "abend": .evening, "abends": .evening, "nacht": .night, "nachts": .night,
        "mittagspause": .lunch,
    ]

    /// What a time is before or after.
    static let before: [String: DayPart] = [
        "work": .beforeWork, "arbeit": .beforeWork, "breakfast": .beforeBreakfast, "frühstück": .beforeBreakfast,
        "lunch": .beforeLunch, "mittagessen": .beforeLunch, "dinner": .beforeDinner, "supper": .beforeDinner,
        "abendessen": .beforeDinner, "bed": .beforeBed, "bedtime": .beforeBed, "schlafen": .beforeBed,
        "schlafengehen": .beforeBed, "zubettgehen": .beforeBed,
    ]
    static let after: [String: DayPart] = [
        "work": .afterWork, "arbeit": .afterWork, "breakfast": .afterBreakfast, "frühstück": .afterBreakfast,
        "lunch": .afterLunch, "mittagessen": .afterLunch, "dinner": .afterDinner, "supper": .afterDinner,
        "abendessen": .afterDinner,
    ]
}
