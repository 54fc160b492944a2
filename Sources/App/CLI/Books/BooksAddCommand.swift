import ArgumentParser
import BookRoom
import Books
import Database
import Documents
import Foundation
import Gateway
import GatewayAPI
import Storage
import Text
import Transport

/// `selene books add`: imports files, folders and URLs.
struct BooksAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Import books from files, folders and URLs.",
        discussion: """
            The same bytes again are the same book. A folder is searched for files with the extensions pdf, epub, docx, \
            html, htm, xhtml, md, markdown and txt.

              selene books add ~/books
              selene books add https://example.org/essay.html --private
            """)

    @Argument(help: "Files, folders and URLs.")
    var sources: [String]

    @Flag(name: .customLong("private"), help: "Never send the books to a model on another machine.")
    var isPrivate = false

    @OptionGroup var book: BookOptions

    static let extensions: Set<String> = ["pdf", "epub", "docx", "html", "htm", "xhtml", "md", "markdown", "txt"]

    /// One line of the output of `--json`.
    private struct Line: Encodable {
        var source: String
        var book: Book?
        var error: String?
    }

    func run() async throws {
        let configuration = try book.options.load()
        let (sources, isPrivate, json) = (try sources.flatMap(Self.files), isPrivate, book.json)
        let isWhole = try await LocalBooks.reported(book) { library in
            var isWhole = true
            for source in sources {
                try Task.checkCancellation()
                var line = Line(source: source)
                do {
                    let added = try await Self.add(source, isPrivate, library, configuration)
                    let imported = try await LocalBooks.imported(added.book, library, isQuiet: json)
                    line.book = imported.book
                    line.error = imported.book.error?.error ?? imported.problem
                } catch let error where !(error is CancellationError || error is any TransientError) {
                    line.error = (error as? BookRefusal)?.description ?? error.localizedDescription
                }
                if line.error != nil { isWhole = false }
                try Terminal.report(line, asJSON: json) {
                    if let book = line.book { Terminal.line(BookText.line(book)) }
                    if let error = line.error { Terminal.note("selene: \(source): \(error)") }
                }
            }
            return isWhole
        }
        if !isWhole { throw ExitCode(2) }
    }

    private static func isURL(_ source: String) -> Bool {
        source.lowercased().hasPrefix("http://") || source.lowercased().hasPrefix("https://")
    }

    /// The files of a source: a folder's in the order of their paths.
    private static func files(of source: String) throws -> [String] {
        guard !isURL(source) else { return [source] }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) else {
            throw ValidationError("\(source) does not exist")
        }
        guard isFolder.boolValue else { return [source] }
        let names = FileManager.default.enumerator(atPath: source)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            extensions.contains(URL(filePath: name).pathExtension.lowercased())
                && !name.split(separator: "/").contains { $0.hasPrefix(".") }
        }.sorted().map { source + (source.hasSuffix("/") ? "" : "/") + $0 }
    }

    private static func add(
        _ source: String, _ isPrivate: Bool, _ library: BookLibrary, _ configuration: GatewayConfiguration
    ) async throws -> (book: Book, isNew: Bool) {
        guard isURL(source) else {
            return try await LocalBooks.add(URL(filePath: source), to: library, isPrivate: isPrivate)
        }
        let incoming = try library.files.receive(stored: try await library.store.fileBytes())
        let fetch = BookFetch(allowsPrivate: configuration.books.allowsPrivateURLs)
        let fetched = try await fetch.fetch(source) { try incoming.write($0) }
        return try await library.add(
            incoming, source: fetched.url, contentType: fetched.contentType, isPrivate: isPrivate, key: nil)
    }
}

/// `selene books retry`: repeats an import that failed.
struct BooksRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Repeat an import that failed, or go on with one that was stopped.")

    @Argument(help: "The book's id.")
    var id: Int64

    @OptionGroup var book: BookOptions

    func run() async throws {
        let (id, json) = (id, book.json)
        let isWhole = try await LocalBooks.reported(book) { library in
            var book = try await library.store.find(id)
            if book.state == .failed { book = try await library.retry(id, key: nil) }
            let imported = try await LocalBooks.imported(book, library, isQuiet: json)
            try Terminal.report(imported.book, asJSON: json) { Terminal.line(BookText.line(imported.book)) }
            let error = imported.book.error?.error ?? imported.problem
            if let error { Terminal.note("selene: \(error)") }
            return error == nil
        }
        if !isWhole { throw ExitCode(2) }
    }
}

extension LocalBooks {
    /// Imports a book with a progress bar.
    ///
    /// - Returns: The book, and why its import stopped before its end; nil when it did not.
    static func imported(
        _ book: Book, _ library: BookLibrary, isQuiet: Bool
    ) async throws -> (book: Book, problem: String?) {
        guard book.state != .ready else { return (book, nil) }
        let bar = ImportBar(isQuiet: isQuiet)
        do {
            let imported = try await library.imports.run(book.id, account: nil, waits: false) { await bar.show($0) }
            await bar.finish()
            return (imported, nil)
        } catch let error as UpstreamError {
            await bar.finish()
            try Task.checkCancellation()
            let reason = "found by words only until Ollama embeds it: \(error.message)"
            return (try await library.store.find(book.id), reason)
        }
    }

    /// Runs a command's work on the database, and turns an error into one line and an exit code.
    ///
    /// - Throws: A validation error (exit code 64) when `SELENE_URL` names a gateway, whose books have other ids.
    static func reported<Value: Sendable>(
        _ book: BookOptions, _ body: @escaping @Sendable (BookLibrary) async throws -> Value
    ) async throws -> Value {
        guard !book.isOfGateway else {
            throw ValidationError(
                "this command does not ask the gateway of SELENE_URL, whose books have other ids. Unset SELENE_URL, or "
                    + "name the database with --database FILE")
        }
        let configuration = try book.options.load()
        do {
            return try await run(configuration, body)
        } catch let error as BookRefusal {
            Terminal.note("selene: \(error.description)")
            throw ExitCode.failure
        } catch {
            throw Failure.exit(for: error)
        }
    }
}

/// Shows the steps of an import. An actor, since steps are reported from the import's task.
private actor ImportBar {
    private let isQuiet: Bool
    private var bar = ProgressBar("passages", unit: "passages")
    private var scans = ProgressBar("scanned pages", unit: "pages")
    private var isDrawn = false

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func show(_ step: BookImport.Step) {
        guard !isQuiet else { return }
        switch step {
        case .waiting, .reading, .done: break
        case .read(let pages, let seconds):
            let rate = seconds > 0 ? ", \(Int(Double(pages) / seconds)) pages/s" : ""
            Terminal.note("selene: \(Count.of(pages, "page")) read\(rate)")
        case .recognizing(let done, let total, _):
            scans.update(done: done, total: total)
            if done == total { scans.finish() }
        case .embedding(let done, let total, _, _):
            isDrawn = true
            bar.update(done: done, total: total)
        }
    }

    func finish() { if isDrawn { bar.finish() } }
}
