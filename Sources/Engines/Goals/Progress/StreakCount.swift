/// Runs of kept days.
///
/// A kept day makes the run longer. A skipped or open day changes nothing. A failed or missing day ends the run, unless
/// a freeze is left: the run then stays as it is. Freezes are spent only on a run that exists, and do not come back.
struct StreakCount {
    private(set) var current = 0
    private(set) var longest = 0
    private(set) var freezesLeft: Int

    init(_ outcomes: [WindowOutcome], freezes: Int) {
        freezesLeft = freezes
        for outcome in outcomes {
            switch outcome.result {
            case .kept: current += 1
            case .skipped, .open: break
            case .failed, .missing:
                if current > 0, freezesLeft > 0 { freezesLeft -= 1 } else { current = 0 }
            }
            longest = max(longest, current)
        }
    }
}
