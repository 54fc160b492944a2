package import BookRoom
import Database
package import Documents
package import GatewayAPI
package import Inference
package import JobRoom
package import Logging
package import Machine
import Synchronization
import Text
import Transport

/// Reads the file of a book. The path is the file's, the name and the content type are the sender's.
package typealias BookReader =
    @Sendable (_ path: String, _ name: String, _ contentType: String?, _ report: RecognitionReport) async throws ->
    Document

/// Takes how many pages were recognized and how many are to be.
package typealias RecognitionReport = @Sendable (_ done: Int, _ total: Int) async -> Void

/// The parameters of an import's job.
package struct BookImportRequest: Codable, Sendable, Hashable {
    package var book: Int64

    package init(book: Int64) { self.book = book }

    /// The same text for the same book, since jobs are compared by it.
    var json: String { "{\"book\":\(book)}" }
}

/// Imports books: reads the file, stores the text, embeds the passages. A book's rows tell how far it is, so an import goes
/// on where it was killed.
package struct BookImport: Sendable {
    /// The step of an import, for those who watch it.
    package enum Step: Sendable, Hashable {
        case waiting
        case reading
        /// Images of pages whose text was recognized, all of them, and pages a second.
        case recognizing(done: Int, total: Int, rate: Double)
        /// The pages that were read, and the seconds that it took.
        case read(pages: Int, seconds: Double)
        /// Passages with a vector, all passages, passages a second, and why the work waits.
        case embedding(done: Int, total: Int, rate: Double, pause: String?)
        case done(passages: Int)
    }

    let store: BookRoom
    let files: BookFiles
    let read: BookReader
    let embedding: BookEmbedding
    let logger: Logger
    /// Files above this size in bytes wait for each other only. Most books are smaller; a scan that takes an hour is larger.
    package static let largeFile = 8 << 20
    /// One large file is read at a time, and one of the others beside it, so that a novel does not wait for a large scan.
    private let turns = Admission(maxInFlight: 1, maxWaiting: .max / 4)
    private let turnsOfLarge = Admission(maxInFlight: 1, maxWaiting: .max / 4)
    /// This process, as the holder of books.
    package let worker = WorkerName()

    package init(
        store: BookRoom, files: BookFiles, read: @escaping BookReader, embedding: BookEmbedding, logger: Logger
    ) {
        self.store = store
        self.files = files
        self.read = read
        self.embedding = embedding
        self.logger = logger
    }

    /// Runs or goes on with the import of a book, or waits while another process does.
    ///
    /// - Parameters:
    ///   - waits: Whether to wait while Ollama is unavailable; else the import ends and a gateway goes on with it.
    /// - Returns: The book after the import.
    /// - Throws: ``StorageError``, `CancellationError`; ``UpstreamError`` unless it waits. A file that cannot be read is no
    ///   error: the book's state is `failed`.
    package func run(
        _ id: Int64, account: EmbeddingAccount?, waits: Bool = true,
        _ report: @escaping @Sendable (Step) async -> Void
    ) async throws -> Book {
        while true {
            do {
                return try await attempt(id, account, waits: waits, report)
            } catch let error as any TransientError where waits && error.isTransient && !(error is StorageError) {
                // The server of the store is away. What was stored stays.
                await report(.waiting)
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func attempt(
        _ id: Int64, _ account: EmbeddingAccount?, waits: Bool, _ report: @escaping @Sendable (Step) async -> Void
    ) async throws -> Book {
        while try await store.claim(id, as: worker) == nil {
            await report(.waiting)
            try await Task.sleep(for: .milliseconds(200))
            let book = try await store.find(id)
            if book.state == .ready || book.state == .failed { return book }
        }
        try await store.holding(id, as: worker) {
            try await work(try await store.stored(id), account, waits: waits, report)
        }
        return try await store.find(id)
    }

    /// Does the work of a job.
    ///
    /// - Returns: The job's final message.
    package func work(
        _ job: StoredJob, account: EmbeddingAccount?, _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws -> String? {
        let id = try job.decodedParameters(as: BookImportRequest.self).book
        let book = try await run(id, account: account) { report(JobProgress($0)) }
        if let error = book.error { throw BookRefusal.unreadable(error.error) }
        return "\(Count.of(book.pages, "page")), \(Count.of(book.passages, "passage"))"
    }

    private func work(
        _ stored: StoredBook, _ account: EmbeddingAccount?, waits: Bool,
        _ report: @escaping @Sendable (Step) async -> Void
    ) async throws {
        let id = stored.id
        if stored.book.state == .failed || stored.book.state == .ready { return }
        if stored.revision == 0 {
            await report(.waiting)
            let isLarge = stored.book.bytes > Self.largeFile
            let turn = try await (isLarge ? turnsOfLarge : turns).acquire(AdmissionCaller("books", .batch))
            defer { turn.release() }
            guard try await readFile(stored, report) else { return }
        }
        let book = try await store.find(id)
        let started = ContinuousClock.now
        let before = book.embedded
        func step(_ progress: BookEmbedding.Progress) -> Step {
            let seconds = (ContinuousClock.now - started) / .seconds(1)
            return .embedding(
                done: min(book.passages, before + progress.done), total: book.passages,
                rate: seconds > 0 ? Double(progress.done) / seconds : 0, pause: progress.pause)
        }
        await report(step(BookEmbedding.Progress()))
        try await embedding.run(id, title: book.title, account: account, waits: waits) { await report(step($0)) }
        try await store.set(.ready, of: id, as: worker)
        await report(.done(passages: book.passages))
    }

    /// Reads the file and stores its contents.
    ///
    /// - Returns: Whether the book can be read now.
    private func readFile(
        _ stored: StoredBook, _ report: @escaping @Sendable (Step) async -> Void
    ) async throws -> Bool {
        let id = stored.id
        guard try await store.set(.parsing, of: id, as: worker) else { return false }
        await report(.reading)
        let started = ContinuousClock.now
        do {
            let source = stored.book.source ?? ""
            let document = try await read(files.path(of: stored.hash), source, stored.contentType) { done, total in
                let seconds = (ContinuousClock.now - started) / .seconds(1)
                await report(.recognizing(done: done, total: total, rate: seconds > 0 ? Double(done) / seconds : 0))
            }
            let contents = BookContents(document)
            try Task.checkCancellation()
            guard try await store.store(contents, of: id, as: worker) else { return false }
            let seconds = (ContinuousClock.now - started) / .seconds(1)
            await report(.read(pages: contents.pages.count, seconds: seconds))
            return true
        } catch let error as DocumentError {
            try await store.fail(id, Book.Failure(error: error.message, code: error.code.rawValue), as: worker)
        } catch let error where !(error is CancellationError || error is any TransientError) {
            try Task.checkCancellation()
            logger.warning("a book cannot be read", metadata: ["book": "\(id)", "error": "\(error)"])
            try await store.fail(
                id, Book.Failure(error: "The file could not be read: \(error)", code: "failed"), as: worker)
        } catch let error as StorageError {
            let isFull = error.code == .diskFull
            try? await store.fail(
                id, Book.Failure(error: error.message, code: isFull ? "no_space" : "storage_failed"), as: worker)
            throw error
        }
        return false
    }
}

/// The progress of an import's job.
extension JobProgress {
    package init(_ step: BookImport.Step) {
        switch step {
        case .waiting: self.init(done: 0, total: 0, failed: 0, message: "waiting for its turn")
        case .reading: self.init(done: 0, total: 0, failed: 0, message: "reading the file")
        case .recognizing(let done, let total, let rate):
            var message = "recognizing text"
            if rate > 0, done > 0, done < total {
                let tenths = Int((rate * 10).rounded())
                message +=
                    ", \(tenths / 10).\(tenths % 10) pages/s, \(Int((Double(total - done) / rate).rounded(.up))) s left"
            }
            self.init(done: done, total: total, failed: 0, message: message)
        case .read(let pages, let seconds):
            let rate = seconds > 0 ? ", \(Int(Double(pages) / seconds)) pages/s" : ""
            self.init(done: pages, total: pages, failed: 0, message: "\(Count.of(pages, "page")) read\(rate)")
        case .embedding(let done, let total, let rate, let pause):
            var message = pause.map { "waiting: \($0)" } ?? "embedding passages"
            if pause == nil, rate > 0 {
                let tenths = Int((rate * 10).rounded())
                message += ", \(tenths / 10).\(tenths % 10)/s"
                if done < total { message += ", \(Int((Double(total - done) / rate).rounded(.up))) s left" }
            }
            self.init(done: done, total: total, failed: 0, message: message)
        case .done(let passages): self.init(done: passages, total: passages, failed: 0, message: nil)
        }
    }
}
