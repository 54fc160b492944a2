package import Access
import Concurrency
package import Finding
package import GatewayAPI
package import Goals
import Questions
package import Schedules
import Text

/// One search over all kinds: asks each kind's own search at the same time, and puts what they find into one list.
///
/// A kind that fails or is late is named in the reply and is no error of the whole.
package struct FindService: Sendable {
    /// The largest number of hits in a reply.
    package static let maxLimit = 100
    /// The time of a search by meaning. A box waits no longer: words answer then.
    package static let meaningTime = Duration.seconds(2)
    /// The time of a search by words.
    package static let wordsTime = Duration.seconds(2)

    private let sources: [any FindSource]
    private let scans: KeyConcurrencyLimiter
    /// The person's days.
    package let rule: DayRule
    private let firstWeekday: Int
    private let now: @Sendable () -> Instant
    private let times: (meaning: Duration, words: Duration)
    private let reason: @Sendable (any Error) -> String

    /// - Parameters:
    ///   - sources: The kinds, in the order of equal hits.
    ///   - scans: Admits reads of many rows.
    ///   - firstWeekday: The first day of a week, 0 for Sunday.
    ///   - reason: What an error of a kind says to a person.
    package init(
        _ sources: [any FindSource], scans: KeyConcurrencyLimiter, rule: DayRule, firstWeekday: Int,
        now: @escaping @Sendable () -> Instant,
        times: (meaning: Duration, words: Duration) = (FindService.meaningTime, FindService.wordsTime),
        reason: @escaping @Sendable (any Error) -> String
    ) {
        (self.sources, self.scans, self.rule, self.firstWeekday) = (sources, scans, rule, firstWeekday)
        (self.now, self.times, self.reason) = (now, times, reason)
    }

    /// Finds what a text asks for.
    ///
    /// - Parameters:
    ///   - text: At most ``FindQuestion/maxBytes``, not blank.
    ///   - kinds: The kinds that the caller wants; nil for all. Operators may narrow them.
    ///   - cursor: That of the reply before; nil for the first page. Pages of a list that changed meanwhile may repeat or lack hits.
    ///   - limit: 1 to ``maxLimit``.
    /// - Throws: ``InvalidFindCursor``, `CancellationError`.
    package func find(
        _ text: String, kinds: Set<FindKind>? = nil, after cursor: PageCursor? = nil, limit: Int,
        account: TokenAccount = .local
    ) async throws -> FindResponse {
        let question = FindQuestion(text, rule: rule, firstWeekday: firstWeekday, now: now(), account: account)
        let wanted = Set(question.operators.wantedKinds.compactMap { FindKind(rawValue: $0.rawValue) })
            .intersection(kinds ?? Set(FindKind.allCases))
        let mark = Self.mark(of: question, wanted)
        if let cursor, cursor.id != nil || cursor.numbers.count != 2 || cursor.numbers[1] != mark {
            throw InvalidFindCursor()
        }
        let start = Int(clamping: max(0, cursor?.numbers[0] ?? 0))
        // Marks alone ask for nothing; filters alone ask for what is newest.
        let asks = !question.words.isEmpty || question.operators.hasOperators
        let found = await outcomes(of: sources.filter { asks && wanted.contains($0.kind) }, for: question)
        try Task.checkCancellation()
        let bytes = found.reduce(0) { $0 + $1.candidates.items.reduce(0) { $0 + $1.text.utf8.count } }
        let page = try await LargeWork.shared.run(over: bytes, for: account.name) {
            let ranked = Self.ranked(found, question)
            let end = min(ranked.count, start + limit)
            let hits = start < end ? ranked[start..<end].map { FindHit($0, question) } : []
            return (hits: hits, next: end < ranked.count && start < end ? end : nil)
        }
        return FindResponse(
            query: text, understood: question.operators.description, results: page.hits,
            leftOut: found.compactMap { part in
                part.candidates.cut.map { FindResponse.Remark(kind: part.kind, reason: $0) }
            },
            wordsOnly: found.compactMap { part in
                part.candidates.wordsOnly.map { FindResponse.Remark(kind: part.kind, reason: $0) }
            }, nextCursor: page.next.map { PageCursor(Int64($0), mark).text })
    }

    private typealias Outcome = (kind: FindKind, candidates: FindCandidates)

    private static func ranked(_ found: [Outcome], _ question: FindQuestion) -> [FindRanking.Ranked] {
        let filter = FindFilter(question)
        let text = TextFolding.folded(question.text)
        return FindRanking.ranked(
            found.map { part in
                let passing = part.candidates.items.filter(filter.passes).prefix(FindCandidates.most)
                let judged = passing.enumerated().map { index, candidate in
                    (candidate, FindEvidence(candidate, rank: index + 1, words: question.words, text: text))
                }
                return (part.kind, judged, part.candidates.others)
            })
    }

    /// A number that belongs to a search, so that a cursor of another one is refused.
    private static func mark(of question: FindQuestion, _ kinds: Set<FindKind>) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let text = question.operators.description + " " + kinds.map(\.rawValue).sorted().joined(separator: ",")
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(hash >> 16)
    }

    // MARK: Kinds

    private func outcomes(of sources: [any FindSource], for question: FindQuestion) async -> [Outcome] {
        await withTaskGroup(of: (Int, FindCandidates).self) { group in
            for (index, source) in sources.enumerated() {
                group.addTask { (index, await candidates(of: source, for: question)) }
            }
            var found = sources.map { Outcome($0.kind, FindCandidates()) }
            for await (index, candidates) in group { found[index].candidates = candidates }
            return found
        }
    }

    /// What a kind finds: by meaning and words, or by words when meaning takes too long.
    private func candidates(of source: any FindSource, for question: FindQuestion) async -> FindCandidates {
        if source.usesMeaning, !question.text.isEmpty {
            switch await attempt(source, question, byMeaning: true, within: times.meaning) {
            case .done(let candidates): return candidates
            case .failed(let reason): return Self.leftOut(reason)
            case .late: break
            }
        }
        switch await attempt(source, question, byMeaning: false, within: times.words) {
        case .done(var candidates):
            if source.usesMeaning, !question.text.isEmpty {
                candidates.wordsOnly = "the model took longer than \(times.meaning)"
            }
            return candidates
        case .failed(let reason): return Self.leftOut(reason)
        case .late: return Self.leftOut("it took longer than \(times.words)")
        }
    }

    private static func leftOut(_ reason: String) -> FindCandidates {
        var none = FindCandidates()
        none.cut = reason
        return none
    }

    private enum Attempt: Sendable {
        case done(FindCandidates)
        case failed(String)
        case late
    }

    /// Asks a kind and waits no longer than a time, whatever the kind does then.
    private func attempt(
        _ source: any FindSource, _ question: FindQuestion, byMeaning: Bool, within time: Duration
    ) async -> Attempt {
        let race = Race<Attempt>()
        let task = Task {
            do {
                let work: @Sendable () async throws -> FindCandidates = {
                    try await source.find(question, byMeaning: byMeaning)
                }
                let found = source.scans ? try await scans.run(question.account.name, work) : try await work()
                race.end(.done(found))
            } catch {
                race.end(.failed(reason(error)))
            }
        }
        let clock = Task {
            try? await Task.sleep(for: time)
            race.end(.late)
        }
        defer {
            task.cancel()
            clock.cancel()
        }
        return await withTaskCancellationHandler {
            await race.value
        } onCancel: {
            race.end(.late)
        }
    }
}

/// A cursor of another search.
package struct InvalidFindCursor: Error {
    package init() {}
}
