import Access
import Concurrency
import Finding
import GatewayAPI
import Goals
import Schedules
import Testing

@testable import Find

/// Kinds that fail, are late, or answer words only.
@Suite struct KindsOfAService {
    /// A kind that behaves as a test wants.
    private struct Stub: FindSource {
        enum Behaviour: Sendable {
            case finds([String])
            case fails
            /// By meaning it waits until its task ends; by words it finds.
            case slowModel([String])
            /// It goes on whatever happens to its task, until the test ends it.
            case hangs(Race<Void>)
        }

        let kind: FindKind
        let behaviour: Behaviour
        var usesMeaning: Bool { if case .slowModel = behaviour { true } else { false } }
        let scans = false

        struct Failure: Error {}

        func find(_ question: FindQuestion, byMeaning: Bool) async throws -> FindCandidates {
            func candidates(_ titles: [String]) -> FindCandidates {
                FindCandidates(titles.map { FindCandidate(id: $0, title: $0, text: "") })
            }
            switch behaviour {
            case .finds(let titles): return candidates(titles)
            case .fails: throw Failure()
            case .slowModel(let titles):
                if byMeaning { try await Task.sleep(for: .seconds(3600)) }
                return candidates(titles)
            case .hangs(let end):
                await end.value
                return candidates(["never"])
            }
        }
    }

    private func service(_ stubs: [Stub]) throws -> FindService {
        FindService(
            stubs, scans: KeyConcurrencyLimiter(.scans), rule: try #require(DayRule(zone: .utc)), firstWeekday: 1,
            now: { Instant(seconds: 1_795_780_800) }, times: (.milliseconds(20), .milliseconds(20))
        ) { "it failed: \($0)" }
    }

    @Test func `a kind that fails or is late is named, and the others answer`() async throws {
        let end = Race<Void>()
        defer { end.end(()) }
        let reply = try await service([
            Stub(kind: .notes, behaviour: .finds(["tide", "moon"])), Stub(kind: .books, behaviour: .fails),
            Stub(kind: .chats, behaviour: .hangs(end)), Stub(kind: .memories, behaviour: .slowModel(["tide tables"])),
        ]).find("tide", limit: 10)
        #expect(reply.results.map(\.title) == ["tide", "tide tables", "moon"])
        #expect(
            reply.leftOut == [
                .init(kind: .books, reason: "it failed: Failure()"),
                .init(kind: .chats, reason: "it took longer than 0.02 seconds"),
            ])
        #expect(reply.wordsOnly == [.init(kind: .memories, reason: "the model took longer than 0.02 seconds")])
    }

    @Test func `only wanted kinds are asked, and marks ask for nothing`() async throws {
        let service = try service([
            Stub(kind: .notes, behaviour: .finds(["tide"])), Stub(kind: .books, behaviour: .fails),
        ])
        let notes = try await service.find("tide from:notes", limit: 10)
        #expect(notes.results.count == 1 && notes.leftOut == [] && notes.understood == "tide from:(notes)")
        #expect(try await service.find("tide", kinds: [.books], limit: 10).leftOut.map(\.kind) == [.books])
        #expect(try await service.find("tide from:notes", kinds: [.books], limit: 10).leftOut == [])
        #expect(try await service.find("?!", limit: 10).results == [])
    }

    @Test func `the end of the caller ends the search`() async throws {
        let end = Race<Void>()
        defer { end.end(()) }
        let service = FindService(
            [Stub(kind: .chats, behaviour: .hangs(end))], scans: KeyConcurrencyLimiter(.scans),
            rule: try #require(DayRule(zone: .utc)), firstWeekday: 1, now: { Instant(seconds: 0) },
            times: (.seconds(3600), .seconds(3600))
        ) { "\($0)" }
        let task = Task { try await service.find("tide", limit: 10) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `pages are parts of one list`() async throws {
        let titles = (0..<25).map { "tide \($0)" }
        let service = try service([Stub(kind: .notes, behaviour: .finds(titles))])
        var (found, cursor) = ([String](), PageCursor?.none)
        repeat {
            let page = try await service.find("tide", after: cursor, limit: 10)
            found += page.results.map(\.title)
            cursor = page.nextCursor.flatMap { PageCursor(text: $0) }
        } while cursor != nil
        #expect(found == titles)
        for wrong in [PageCursor(1), PageCursor(1, 2), PageCursor(-5, 7, id: "x")] {
            await #expect(throws: InvalidFindCursor.self) { try await service.find("tide", after: wrong, limit: 10) }
        }
    }
}
