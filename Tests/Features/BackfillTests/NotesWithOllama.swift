import Backfill
import FakeOllama
import Foundation
import Inference
import Logging
import Storage
import TestSupport
import Transport

/// A database, a synthetic Ollama and the way between them.
final class NotesWithOllama: Sendable {
    let folder: URL
    let database: GatewayDatabase
    let fake: FakeOllama
    let transport: UpstreamTransport

    convenience init(notes: Int, _ options: FakeOllama.Options = .init()) async throws {
        try await self.init(
            (0..<notes).map { NoteDraft(title: "note \($0)", content: "text \($0) 潮 🎻", externalID: "\($0)") }, options)
    }

    init(_ drafts: [NoteDraft], _ options: FakeOllama.Options = .init()) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "selene-backfill-\(UUID().uuidString)")
        database = try GatewayDatabase(path: folder.appending(path: "n.sqlite").path)
        fake = try await FakeOllama.start(options)
        transport = try UpstreamTransport(configuration: UpstreamConfiguration(host: fake.baseURL))
        _ = try await database.notes.insert(drafts)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func service(
        model: String = "nomic-embed-text", batch: Int = 8, concurrency: Int = 1, chunks: Bool = true,
        limit: Int? = nil, filter: QueueFilter = QueueFilter(), outageTimeout: Duration = .seconds(60),
        switchShare: Double = 1
    ) -> BackfillService {
        var options = BackfillOptions(model: model, batch: batch, concurrency: concurrency, chunks: chunks)
        options.limit = limit
        options.filter = filter
        options.outageTimeout = outageTimeout
        options.switchShare = switchShare
        return BackfillService(
            database: database, upstream: OllamaUpstream(transport: transport), options: options,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func end() async {
        await transport.shutdown(within: .seconds(1))
        await fake.shutdown()
    }

    /// The notes with their vectors.
    func notes(in space: StoredSpace) async throws -> [FeedNote] {
        let found = Collected<FeedNote>()
        _ = try await database.changes.readAll(in: space) { notes in
            for case .present(let note) in notes { found.add(note) }
        }
        return found.all
    }
}
