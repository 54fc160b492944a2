import BookRoom
import GatewayAPI
package import Goals
import Questions
package import Schedules
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads questions as the person means them: their days, their weeks, their threads and books.
package struct QuestionReader: Sendable {
    /// The threads and books, of each, whose names are looked for in a question.
    static let maxNames = 1000

    /// The person's days.
    let rule: DayRule
    /// The first day of a week, 0 for Sunday.
    let firstWeekday: Int
    /// The clock.
    let now: @Sendable () -> Instant

    package init(
        rule: DayRule, firstWeekday: Int, now: @escaping @Sendable () -> Instant = QuestionReader.clock
    ) {
        self.rule = rule
        self.firstWeekday = firstWeekday
        self.now = now
    }

    /// The current time.
    package static let clock: @Sendable () -> Instant = {
        Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
    }

    /// Reads a question. While a server of the names is away, it is read without them.
    func read(_ question: String, _ store: any GatewayStore) async -> QuestionAnalysis {
        let names = try? await store.snapshot { session in
            (
                threads: try session.noteTables().threadNames(limit: Self.maxNames),
                books: try BookSnapshot(session).titles(limit: Self.maxNames)
            )
        }
        return QuestionAnalysis(
            question, today: rule.day(of: now()), firstWeekday: firstWeekday,
            threads: (names?.threads ?? []).map { QuestionAnalysis.Name(id: $0.id, text: $0.name) },
            books: (names?.books ?? []).map { QuestionAnalysis.Name(id: $0.id, text: $0.title) })
    }

    /// The seconds of an analysis's days, both ends included; nil for an open end.
    func seconds(of stretch: CalendarStretch?) -> (since: Int64?, until: Int64?) {
        (
            stretch?.first.map { rule.instants(of: $0).lowerBound.seconds },
            stretch?.last.map { rule.instants(of: $0).upperBound.seconds - 1 }
        )
    }

    /// An analysis as the API returns it.
    func understood(_ analysis: QuestionAnalysis, applied: Bool) -> QuestionUnderstood {
        let (since, until) = seconds(of: analysis.stretch)
        return QuestionUnderstood(
            type: QuestionUnderstood.Kind(rawValue: analysis.kind.rawValue) ?? .lookup,
            since: since.map(Timestamp.iso8601), until: until.map(Timestamp.iso8601), keywords: analysis.keywords,
            phrases: analysis.phrases,
            threads: analysis.threads.map { Note.ThreadReference(id: $0.id, name: $0.text) },
            books: analysis.books.map { QuestionUnderstood.BookName(id: $0.id, title: $0.text) },
            excluded: analysis.excluded, applied: applied)
    }
}
