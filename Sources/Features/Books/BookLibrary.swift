package import BookRoom
package import Database
import DocumentReading
import Documents
package import GatewayAPI
package import Inference
import JobRoom
package import Logging
package import Search
import ServiceLifecycle
package import Storage
import Synchronization
import Transport

/// The library: takes files, starts their imports, and keeps every book complete while a gateway runs.
package final class BookLibrary: Service {
    /// The pause between looks at the database while a gateway runs.
    static let lookInterval = Duration.milliseconds(500)

    /// Starts the job of an import with its parameters in JSON; returns its id.
    package typealias JobStarter = @Sendable (_ parameters: String, _ key: Int64?) async throws -> Int64

    package let store: BookRoom
    package let files: BookFiles
    package let imports: BookImport
    package let retrieval: BookRetrieval
    package let positions: BookPositions
    package let finder: BookFinder
    package let pictures: PagePictures
    private let base: any SQLStore
    /// The books of the gateway's file while the store is a server. They stay there, with their files.
    private let left: BookRoom?
    private let activeSpace: @Sendable () async throws -> StoredSpace?
    private let embedding: BookEmbedding
    private let logger: Logger
    private let starter = Mutex<JobStarter?>(nil)

    /// Creates the library of a store.
    ///
    /// - Parameters:
    ///   - left: The books of the gateway's file while the store is a server.
    ///   - lane: Embeds passages.
    ///   - queries: Embeds queries.
    ///   - rerank: Reorders found passages.
    ///   - space: The space that passages are embedded in.
    ///   - activeSpace: The space that answers queries.
    ///   - isLocal: Whether texts for a model stay on machines of the user.
    package convenience init(
        store: any SQLStore, left: BookRoom?, settings: BookSettings, lane: EmbeddingLane, queries: QueryEmbedder,
        rerank: RerankStage, space: @escaping BookEmbedding.SpaceSource,
        activeSpace: @escaping @Sendable () async throws -> StoredSpace?,
        isLocal: @escaping @Sendable (_ model: String) async throws -> Bool,
        logger: Logger
    ) {
        let files = BookFiles(
            folder: settings.folder, maxFileBytes: settings.maxFileBytes, maxTotalBytes: settings.maxTotalBytes)
        self.init(
            store: store, left: left, activeSpace: activeSpace, files: files,
            read: FileReading(settings: settings).read,
            embedding: BookEmbedding(
                store: store.books, lane: lane, space: space, isLocal: isLocal, logger: logger),
            retrieval: BookRetrieval(
                store: store, activeSpace: activeSpace, embedder: queries, rerank: rerank, logger: logger),
            pictures: PagePictures(store: store.books, files: files, drawing: { PageDrawing(settings) }),
            logger: logger)
    }

    package init(
        store base: any SQLStore, left: BookRoom? = nil,
        activeSpace: @escaping @Sendable () async throws -> StoredSpace?, files: BookFiles,
        read: @escaping BookReader, embedding: BookEmbedding, retrieval: BookRetrieval, pictures: PagePictures,
        logger: Logger
    ) {
        store = base.books
        self.base = base
        self.left = left
        self.activeSpace = activeSpace
        self.files = files
        self.embedding = embedding
        self.retrieval = retrieval
        self.pictures = pictures
        self.logger = logger
        imports = BookImport(store: base.books, files: files, read: read, embedding: embedding, logger: logger)
        positions = BookPositions(store: base.books)
        finder = BookFinder(store: base.books)
    }

    /// Says how jobs are started. Without it, only ``BookImport/run(_:account:waits:_:)`` imports.
    package func startJobs(with starter: @escaping JobStarter) { self.starter.withLock { $0 = starter } }

    /// Makes a received file a book.
    ///
    /// - Parameters:
    ///   - source: The file's name, or its URL.
    ///   - key: The key to charge for embeddings; nil for none.
    /// - Returns: The book, and whether it is new: the same bytes again are the same book.
    /// - Throws: ``BookRefusal``, ``StorageError``.
    package func add(
        _ incoming: BookFiles.IncomingFile, source: String, contentType: String?, isPrivate: Bool, key: Int64?
    ) async throws -> (book: Book, isNew: Bool) {
        guard !incoming.isBlank else { throw BookRefusal.noText }
        guard let format = FileFormat.of(incoming.head, name: source, contentType: contentType) else {
            throw BookRefusal.unknownFormat
        }
        let bytes = incoming.bytes
        let hash = try incoming.keep()
        defer { files.release(hash) }
        let draft = BookDraft(
            hash: hash, bytes: bytes, source: source, title: Self.title(of: source), format: format.rawValue,
            contentType: contentType, isPrivate: isPrivate)
        let added = try await store.add(draft)
        guard added.isNew else { return (added.book.book, false) }
        return (try await start(added.book, key: key), true)
    }

    /// Repeats the import of a book that failed.
    ///
    /// - Throws: ``BookRefusal/notFailed(_:)``, ``StorageError/Code/notFound``.
    package func retry(_ id: Int64, key: Int64?) async throws -> Book {
        guard let book = try await store.retry(id) else { throw BookRefusal.notFailed(id) }
        return try await start(book, key: key)
    }

    /// Deletes a book and its file.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ id: Int64) async throws {
        let book = try await store.delete(id)
        files.beginRemoving(book.hash)
        // The same bytes may have been added again meanwhile. A book that cannot be looked up may have the file.
        let isWanted = (try? await hasFile(of: book)) ?? true
        files.endRemoving(book.hash, isWanted: isWanted)
        if !isWanted { pictures.cache.drop(book.hash) }
    }

    /// Whether there is a book with the same file.
    private func hasFile(of book: StoredBook) async throws -> Bool {
        if try await store.find(hash: book.hash) != nil { return true }
        return try await left?.find(hash: book.hash) != nil
    }

    /// Begins the job of a book's import, if jobs run in this process.
    private func start(_ book: StoredBook, key: Int64?) async throws -> Book {
        guard let starter = starter.withLock({ $0 }) else { return book.book }
        let job = try await starter(BookImportRequest(book: book.id).json, key)
        try await store.setJob(job, of: book.id)
        return try await store.find(book.id)
    }

    /// A title until the file says its own: the last part of a path or URL, without its extension.
    static func title(of source: String) -> String {
        var path = source.prefix { $0 != "?" && $0 != "#" }
        while path.last == "/" { path.removeLast() }
        var name = path.split(separator: "/").last.map(String.init) ?? source
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = String(name[..<dot]) }
        return name.isEmpty ? "Untitled" : name
    }

    // MARK: While a gateway runs

    /// Goes on with imports that a process left, embeds what became pending, and keeps the index current.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            do {
                try await store.sweep()
                files.sweep(keeping: try await (store.all() + (left?.all() ?? [])).map(\.hash))
            } catch is CancellationError {
                // The gateway ends, or did not begin.
            } catch {
                logger.warning("the books' folder cannot be swept", metadata: ["error": "\(error)"])
            }
            await keepComplete()
        }
        try? await gracefulShutdown()
    }

    private func keepComplete() async {
        var seen: String?
        var outage: Outage?
        var said: String?
        while !Task.isCancelled {
            do {
                let now = try await base.commitMark()
                let isDue = outage.map { ContinuousClock.now >= $0.until } ?? false
                // Every commit changes the mark, such as those of chats. Without books one small read is enough.
                if now != seen, try await !hasBooks() { seen = now }
                if now != seen || isDue {
                    try await startOrphans()
                    _ = try await retrieval.index.current()
                    if outage == nil || isDue { try await embedPending() }
                    outage = nil
                    seen = now
                }
                said = nil
            } catch {
                if Task.isCancelled { return }
                let reason = error as? UpstreamError ?? UpstreamError(.failed, "\(error)")
                if said != reason.message {
                    logger.notice("books are not completed for now", metadata: ["reason": "\(reason.message)"])
                }
                said = reason.message
                if outage == nil { outage = Outage(reason, now: .now) } else { outage?.failed(reason, now: .now) }
            }
            try? await Task.sleep(for: Self.lookInterval)
        }
    }

    private func hasBooks() async throws -> Bool {
        if await retrieval.index.statistics.books > 0 { return true }
        return try await store.hasBooks()
    }

    /// Starts the imports of books that nobody works on.
    private func startOrphans() async throws {
        guard starter.withLock({ $0 }) != nil else { return }
        for stored in try await store.unfinished() {
            // A file that only another gateway has is that one's to read.
            guard stored.revision > 0 || left == nil || files.isThere(stored.hash),
                try await !store.isHeld(stored.id)
            else { continue }
            let job = try? await base.jobs.find(stored.book.job ?? -1).job
            switch job?.state {
            case .running: continue
            case .cancelled:
                try await store.fail(
                    stored.id, Book.Failure(error: "The import was cancelled.", code: "cancelled"), as: nil)
            case .failed:
                try await store.fail(
                    stored.id, Book.Failure(error: job?.message ?? "The import failed.", code: "failed"), as: nil)
            default: _ = try await start(stored, key: nil)
            }
        }
    }

    /// Embeds the passage that the position of a book cuts, if the book is embedded already.
    ///
    /// - Throws: ``UpstreamError`` while Ollama is unavailable, ``StorageError``.
    package func embedTail(of id: Int64) async throws {
        let book = try await store.stored(id)
        guard book.book.state == .ready, try await store.claim(id, as: imports.worker) != nil else { return }
        try await store.holding(id, as: imports.worker) {
            try await embedding.run(id, title: book.book.title, account: nil, waits: false) { _ in }
        }
    }

    /// Embeds passages of books that are ready: one that the position cuts, and all after a change of the space.
    private func embedPending() async throws {
        guard let active = try await activeSpace(), try await !store.incomplete(in: active.id).isEmpty else {
            return
        }
        // Another space than the active one when Ollama no longer has its model.
        for id in try await store.incomplete(in: try await embedding.target().id) {
            guard let book = try? await store.stored(id), book.book.state == .ready,
                try await store.claim(id, as: imports.worker) != nil
            else { continue }
            try await store.holding(id, as: imports.worker) {
                try await embedding.run(id, title: book.book.title, account: nil, waits: false) { _ in }
            }
        }
    }
}
