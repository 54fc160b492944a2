import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient
import Prompts
import Text

/// The part of the demo about a book: added while the gateway runs, and asked as soon as its text is there.
struct DemoBook {
    let connection: GatewayConnection

    func run() async throws {
        let books = RemoteBookService(connection)
        Terminal.line(
            "\n\(Terminal.bold("7. A book"))  \(Terminal.dim("shipped with the gateway, in the public domain"))")
        let started = ContinuousClock.now
        let book = try await read(by: books)
        let milliseconds = Int((ContinuousClock.now - started) / .milliseconds(1))
        let authors = book.authors.isEmpty ? "" : " by \(book.authors.joined(separator: ", "))"
        Terminal.line(
            "   \(SafeText(oneLine: book.title + authors)): \(Count.of(book.pages, "page")) read in \(milliseconds) ms; searched by "
                + "words at once, by meaning as its \(book.passages) passages are embedded")
        let half = try await books.setPosition(BookPositionRequest(percent: 50), of: book.id)
        if let page = half.position?.page {
            Terminal.line("   The reader is on page \(page), so answers use no later page.")
        }
        let question = "Were the footprints near the body a man's or a woman's?"
        Terminal.line("   \(Terminal.bold("\(question)"))")
        try await ask(question, about: book.id)
    }

    /// Adds the book and waits for its text.
    private func read(by books: RemoteBookService) async throws -> Book {
        guard let sample = DemoSamples.book else { throw ValidationError("this binary has no sample book") }
        var book = try await books.add(sample.bytes, name: sample.name)
        while book.state == .pending || book.state == .parsing {
            try await Task.sleep(for: .milliseconds(10))
            book = try await books.book(book.id)
        }
        if let failure = book.error { throw ValidationError("the sample book cannot be read: \(failure.error)") }
        return book
    }

    private func ask(_ question: String, about book: Int64) async throws {
        let chat = RemoteChatService(connection)
        var options = ChatOptions()
        options.kind = .book
        options.usesTools = false
        options.scope = ChatScope(book: .init([book]))
        let run = try await chat.begin(options.request(question, session: nil))
        var printer = ChatPrinter(isJSON: false, model: run.model)
        var answer = ChatAnswer()
        for try await event in try chat.events(of: run.id) {
            answer.apply(event)
            printer.show(event, answer)
        }
        printer.finish(try await chat.run(run.id))
    }
}
