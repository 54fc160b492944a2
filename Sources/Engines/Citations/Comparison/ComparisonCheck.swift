/// One question about a claim beside the windows of its passages.
protocol ComparisonCheck {
    var comparison: Comparison { get }
}

extension ComparisonCheck {
    var claim: Claim { comparison.claim }
    var index: PassageIndex { comparison.index }
    var places: [Comparison.Place] { comparison.places }
    var polarities: [Polarity] { comparison.polarities }
    var strengths: [Float] { comparison.strengths }
    var matches: [[Int]] { comparison.matches }
    var bestClauses: [Comparison.BestClause?] { comparison.bestClauses }
    var missing: [Int] { comparison.missing }

    func isName(_ token: Int) -> Bool { comparison.isName(token) }
    func isClaimed(_ place: Int) -> Bool { comparison.isClaimed(place) }
    func isClaimed(_ token: ComparedToken) -> Bool { comparison.isClaimed(token) }
    func isOrdinary(_ token: ComparedToken) -> Bool { comparison.isOrdinary(token) }
    func bestClause(for tokens: [Int]) -> Comparison.BestClause? { comparison.bestClause(for: tokens) }
}
