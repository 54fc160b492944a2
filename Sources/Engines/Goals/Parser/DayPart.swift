package enum DayPart: String, Sendable, CaseIterable {
    /// Until noon.
    case morning
    /// About 12:00.
    case noon
    /// From noon to the evening.
    case afternoon
    /// After the afternoon.
    case evening
    /// Until the next morning.
    case night
    /// The break at noon.
    case lunch
    case beforeWork = "before work"
    case afterWork = "after work"
    /// Before the first meal.
    case beforeBreakfast = "before breakfast"
    /// After the first meal.
    case afterBreakfast = "after breakfast"
    /// Before the meal at noon.
    case beforeLunch = "before lunch"
    /// After the meal at noon.
    case afterLunch = "after lunch"
    /// Before the evening's meal.
    case beforeDinner = "before dinner"
    /// After the evening's meal.
    case afterDinner = "after dinner"
    /// Before going to sleep.
    case beforeBed = "before bed"
}
