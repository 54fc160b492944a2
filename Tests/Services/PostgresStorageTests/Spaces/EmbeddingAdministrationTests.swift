import Foundation
import Machine
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// What an administrator does with spaces and failed notes, the same on both kinds of store.
@Suite(.serialized) struct EmbeddingAdministrationTests {
    /// A store with six notes, 1 to 6.
    private struct Stage {
        let administration: any EmbeddingAdministration
        let notes: any NoteBook
        /// Makes a space of a model.
        let ensure: @Sendable (_ model: String) async throws -> StoredSpace
        /// Fails some waiting notes of a space and embeds the others.
        let work: @Sendable (_ space: StoredSpace, _ failing: Set<Int64>) async throws -> Void
        /// Counts the vectors of a space.
        let embedded: @Sendable (_ space: SpaceID) async throws -> Int
        let folder: TemporaryFolder?
    }

    private static let drafts = (1...6).map {
        NoteDraft(title: "note \($0)", content: "tide \($0)", createdAt: 0, externalID: "\($0)")
    }

    private static func space(_ model: String) -> EmbeddingSpace {
        EmbeddingSpace(model: model, digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: "")
    }

    private static func outcome(
        _ claim: QueueClaim, _ failing: Set<Int64>
    ) -> (rows: [EmbeddingRow], failures: [QueueFailure]) {
        let notes = claim.items.map(\.note)
        return (
            notes.filter { !failing.contains($0.id) }.map {
                EmbeddingRow(noteID: $0.id, contentHash: $0.contentHash, vector: [1, Float($0.id)])
            },
            notes.filter { failing.contains($0.id) }.map {
                QueueFailure(noteID: $0.id, contentHash: $0.contentHash, reason: "no \($0.id)", retryAfter: nil)
            }
        )
    }

    /// Returns nil where no PostgreSQL can be started.
    private func stage(_ kind: NotesPlace) async throws -> Stage? {
        let worker = WorkerName()
        if kind == .file {
            let folder = try TemporaryFolder()
            let database = try GatewayDatabase(path: folder.path("notes.sqlite"))
            _ = try await database.notes.insert(Self.drafts)
            return Stage(
                administration: database.embeddings, notes: database.notes,
                ensure: { try await database.spaces.ensure(Self.space($0)) },
                work: { space, failing in
                    try await database.queue.reconcile(for: space.id)
                    let claim = try await database.queue.claim(
                        in: space.id, as: worker, limit: 99, lease: .seconds(60))
                    let (rows, failures) = Self.outcome(claim, failing)
                    try await database.queue.complete(rows, failures: failures, in: space, as: worker)
                }, embedded: { try await database.spaces.embeddingCount(in: $0) }, folder: folder)
        }
        guard await PostgresServer.isPossible else { return nil }
        let store = try await PostgresStage().store
        _ = try await store.notes.insert(Self.drafts)
        return Stage(
            administration: store.embeddings, notes: store.notes,
            ensure: { try await store.spaces.ensure(Self.space($0)) },
            work: { space, failing in
                try await store.queue.reconcile(for: space.id)
                let claim = try await store.queue.claim(in: space.id, as: worker, limit: 99, lease: .seconds(60))
                let (rows, failures) = Self.outcome(claim, failing)
                try await store.queue.complete(rows, failures: failures, in: space, as: worker)
            }, embedded: { try await store.spaces.embeddingCount(in: $0) }, folder: nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `failed notes are listed in pages, tried again and discarded`(_ kind: NotesPlace) async throws {
        guard let stage = try await stage(kind) else { return }
        let administration = stage.administration
        #expect(try await administration.noteCount() == 6)
        #expect(try await administration.failed(in: nil, after: nil, limit: 9).items.isEmpty)
        let space = try await stage.ensure("m")
        try await stage.work(space, [2, 4, 5])
        let first = try await administration.failed(in: nil, after: nil, limit: 2)
        #expect(first.items.map(\.letter.noteID) == [2, 4] && first.items.allSatisfy { $0.space == space.id })
        #expect(first.items.first?.letter == DeadLetter(noteID: 2, reason: "no 2", attempts: 1))
        let rest = try await administration.failed(in: space.id, after: first.next, limit: 2)
        #expect(rest.items.map(\.letter.noteID) == [5] && rest.next == nil)
        #expect(try await administration.failed(in: space.id + 1, after: nil, limit: 2).items.isEmpty)
        #expect(try await administration.titles(of: [2, 5, 99]) == [2: "note 2", 5: "note 5"])

        #expect(try await administration.retryFailed(4, in: space.id))
        #expect(try await !administration.retryFailed(4, in: space.id))
        #expect(try await administration.discardFailed(5, in: space.id))
        #expect(try await !administration.discardFailed(1, in: space.id))
        #expect(try await administration.failed(in: nil, after: nil, limit: 9).items.map(\.letter.noteID) == [2])
        let status = try #require(try await administration.spaces().first)
        #expect(status.queue == QueueCounts(waiting: 1, leased: 0, failed: 1) && status.embedded == 3)
        #expect(try await administration.retryFailed(in: space.id + 1) == 0)
        #expect(try await administration.retryFailed(in: nil) == 1)
        try await administration.freeDeadLeases()
        try await stage.work(space, [])
        let done = try #require(try await administration.spaces().first)
        // The discarded note has no vector; all others have.
        #expect(done.queue == QueueCounts() && done.embedded == 5)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a space that was left gets the vectors of notes written meanwhile when it is filled again`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await stage(kind) else { return }
        let (old, new) = (try await stage.ensure("old"), try await stage.ensure("new"))
        try await stage.work(old, [])
        _ = try await stage.administration.switch(to: old.id, atLeast: 1, isThorough: false)
        try await stage.work(new, [])
        _ = try await stage.administration.switch(to: new.id, atLeast: 1, isThorough: false)
        _ = try await stage.notes.insert([
            NoteDraft(title: "note 7", content: "tide 7", createdAt: 0, externalID: "7"),
            NoteDraft(title: "note 1", content: "another tide", createdAt: 0, externalID: "1"),
        ])
        try await stage.work(new, [])
        #expect(try await stage.embedded(new.id) == 7)
        // Twice, since what older transactions wrote is found by the second run.
        for _ in 0..<2 { try await stage.work(old, []) }
        #expect(try await stage.embedded(old.id) == 7)
        #expect(try await stage.administration.spaces().map(\.queue) == [QueueCounts(), QueueCounts()])
    }

    @Test(arguments: NotesPlace.allCases)
    func `what a backfill would embed is counted`(_ kind: NotesPlace) async throws {
        guard let stage = try await stage(kind) else { return }
        let administration = stage.administration
        let all = try await administration.pendingSize(in: nil, filter: QueueFilter(), limit: nil)
        // The titles and the contents.
        #expect(all.notes == 6 && all.bytes == 6 * "note 1tide 1".utf8.count)
        #expect(try await administration.pendingSize(in: nil, filter: QueueFilter(), limit: 2).notes == 2)
        let later = QueueFilter(createdSince: "1970-01-02")
        #expect(try await administration.pendingSize(in: nil, filter: later, limit: nil) == (0, 0))
        let space = try await stage.ensure("m")
        try await stage.work(space, [1, 2])
        #expect(try await administration.pendingSize(in: space.id, filter: QueueFilter(), limit: nil).notes == 2)
        #expect(try await administration.rate(of: "m") == nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `spaces are switched once they are complete, rolled back and removed`(_ kind: NotesPlace) async throws {
        guard let stage = try await stage(kind) else { return }
        let administration = stage.administration
        let (first, second) = (try await stage.ensure("one"), try await stage.ensure("two"))
        try await stage.work(first, [])
        #expect(try await administration.switch(to: first.id, atLeast: 1, isThorough: true) == .switched)
        #expect(try await administration.switch(to: first.id, atLeast: 1, isThorough: false) == .active)
        try await stage.work(second, [3])
        let lacking = try await administration.switch(to: second.id, atLeast: 1, isThorough: false)
        #expect(lacking == .incomplete(missing: 1, notes: 6))
        #expect(try await administration.switch(to: second.id, atLeast: 0.8, isThorough: false) == .switched)
        #expect(try await administration.spaces().map(\.isActive) == [false, true])
        #expect(try await administration.spaces().map(\.isPrevious) == [true, false])
        #expect(try await administration.rollBack() == first)
        await #expect(throws: (any Error).self) { try await administration.drop(first.id) }
        #expect(try await stage.embedded(second.id) == 5)
        try await administration.drop(second.id)
        #expect(try await stage.embedded(second.id) == 0)
        #expect(try await administration.spaces().map(\.stored) == [first])
        for work in [
            { @Sendable in _ = try await administration.switch(to: 99, atLeast: 0, isThorough: false) },
            { @Sendable in try await administration.drop(99) },
            { @Sendable in _ = try await administration.rollBack() },
        ] {
            let error = await #expect(throws: (any Error).self) { try await work() }
            let code = (error as? StorageError)?.code.rawValue ?? (error as? PostgresError)?.code.rawValue
            #expect(code == "not_found", "\(String(describing: error))")
        }
    }
}
