import GatewayAPI

/// How far the citations of a run are checked.
struct RunVerdicts {
    /// The ranges of sentences that lost their support to a second opinion.
    var withdrawn: Set<[Int]> = []
    /// The check of the text so far; nil before the first one.
    var check: AnswerCheck?
    /// The length of the text when its citations were checked last, and whether it was whole.
    private var checked: (bytes: Int, isWhole: Bool) = (-1, false)

    /// Whether the text has changed since the last time that this was asked.
    mutating func isDue(bytes: Int, isWhole: Bool) -> Bool {
        guard checked != (bytes, isWhole) else { return false }
        checked = (bytes, isWhole)
        return true
    }

    /// The check to go on from. New passages may change the verdicts on earlier sentences, so there is none then.
    func check(of passages: [ChatPassage]) -> AnswerCheck? { check.flatMap { $0.passages == passages ? $0 : nil } }
}
