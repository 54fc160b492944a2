import Access
import BookRoom
import Books
import DocumentReading
import Documents
import FakeOllama
import Foundation
import GatewayAPI
import Inference
import Logging
import Search
import Storage
import Synchronization
import TestSupport
import Transport

/// A library over a database, a folder of files and a synthetic Ollama.
final class LibraryBench: Sendable {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let folder: TemporaryFolder
    let fake: FakeOllama
    let database: GatewayDatabase
    let library: BookLibrary
    private let transport: UpstreamTransport

    /// - Parameters:
    ///   - folder: The folder of an earlier bench, to go on after its end.
    ///   - read: Reads files; the gateway's own reader when nil.
    ///   - drawing: Draws pages; none by default.
    init(
        folder: TemporaryFolder? = nil, _ options: FakeOllama.Options = .init(), maxFileBytes: Int = 64 << 20,
        maxTotalBytes: Int = 1 << 30, read: BookReader? = nil,
        drawing: @escaping @Sendable () -> PageDrawing? = { nil }
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        fake = try await FakeOllama.start(options)
        let database = try GatewayDatabase(path: folder.path("n.sqlite"))
        self.database = database
        transport = try UpstreamTransport(configuration: UpstreamConfiguration(host: fake.baseURL))
        let upstream = OllamaUpstream(transport: transport)
        let lane = EmbeddingLane(upstream: upstream, admission: Admission(maxInFlight: 2, maxWaiting: 100))
        let embedding = BookEmbedding(
            store: database.books, lane: lane, space: { try await Self.space(database, upstream) }, logger: Self.logger)
        let retrieval = BookRetrieval(
            store: database, activeSpace: { try await database.spaces.active() },
            embedder: QueryEmbedder(lane: lane, timeout: .seconds(30)), logger: Self.logger)
        let files = BookFiles(
            folder: folder.path("books"), maxFileBytes: maxFileBytes, maxTotalBytes: maxTotalBytes)
        library = BookLibrary(
            store: database, activeSpace: { try await database.spaces.active() }, files: files,
            read: read ?? { path, name, type, _ in
                try DocumentReader.read(
                    [UInt8](try Data(contentsOf: URL(filePath: path))), name: name, contentType: type)
            }, embedding: embedding, retrieval: retrieval,
            pictures: PagePictures(
                store: database.books, files: files, cache: PictureCache(maxBytes: 100_000), drawing: drawing),
            logger: Self.logger)
    }

    /// The space of the one model.
    private static func space(_ database: GatewayDatabase, _ upstream: OllamaUpstream) async throws -> StoredSpace {
        let digest = try await upstream.digest(of: "nomic-embed-text")
        let stored = try await database.spaces.ensure(
            EmbeddingSpace(
                model: "nomic-embed-text", digest: digest, dimensions: 384, queryPrefix: "search_query: ",
                documentPrefix: "search_document: "))
        if try await database.spaces.active() == nil { try await database.spaces.activate(stored.id) }
        return stored
    }

    func end() async {
        await transport.shutdown(within: .seconds(1))
        await fake.shutdown()
        try? database.close()
    }

    /// Runs a test and takes everything down.
    static func with(
        _ options: FakeOllama.Options = .init(), _ body: (LibraryBench) async throws -> Void
    ) async throws {
        let bench = try await LibraryBench(options)
        do {
            try await body(bench)
        } catch {
            await bench.end()
            throw error
        }
        await bench.end()
    }

    /// Adds a text as a file.
    func add(_ text: String, name: String = "book.txt") async throws -> (book: Book, isNew: Bool) {
        try await add(Array(text.utf8), name: name)
    }

    func add(_ bytes: [UInt8], name: String) async throws -> (book: Book, isNew: Bool) {
        let incoming = try library.files.receive(stored: try await library.store.fileBytes())
        try incoming.write(bytes)
        return try await library.add(incoming, source: name, contentType: nil, isPrivate: false, key: nil)
    }

    /// Adds a text and imports it to the end.
    func imported(_ text: String, name: String = "book.txt") async throws -> Book {
        try await finish(try await add(text, name: name).book.id)
    }

    func finish(_ id: Int64) async throws -> Book {
        try await library.imports.run(id, account: nil) { _ in }
    }

    func retrieve(
        _ text: String, in book: Int64? = nil, limit: Int = 6, ignoringPosition: Bool = false
    ) async throws -> BookRetrieveResponse {
        var query = BookRetrieval.Query(text: text, books: book.map { [$0] })
        query.limit = limit
        query.ignoresPosition = ignoringPosition
        return try await library.retrieval.retrieve(query)
    }
}

/// A text of many paragraphs. Each sentence has a word of its own, such as `quay17`.
enum SampleText {
    static func book(paragraphs: Int = 60, sentences: Int = 5, chapters: Int = 3, seed: UInt64 = 1) -> String {
        var generator = SeededGenerator(seed)
        let words = ["tide", "harbour", "lantern", "Émile", "naïve", "storm", "letter", "gull", "潮", "rope", "captain"]
        var parts: [String] = []
        var number = 0
        for paragraph in 0..<paragraphs {
            if paragraph % max(1, paragraphs / chapters) == 0 {
                parts.append("CHAPTER \(paragraph / max(1, paragraphs / chapters) + 1)")
            }
            var lines: [String] = []
            for _ in 0..<sentences {
                let some = (0..<Int.random(in: 6...14, using: &generator)).map { _ in
                    words[Int.random(in: 0..<words.count, using: &generator)]
                }
                lines.append("The quay\(number) " + some.joined(separator: " ") + ".")
                number += 1
            }
            parts.append(lines.joined(separator: " "))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }
}
