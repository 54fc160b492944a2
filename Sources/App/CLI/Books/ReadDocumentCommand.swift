import ArgumentParser
import DocumentReading
import Foundation
import Synchronization

/// `selene read-document`: reads one file for a gateway and ends. Hidden, since it speaks to the gateway only.
struct ReadDocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-document", abstract: "Read a document for a gateway.", shouldDisplay: false)

    func run() throws {
        let code = DocumentChild.run()
        if code != 0 { throw ExitCode(code) }
    }
}

/// The program that runs, as the one that reads documents.
enum ReaderProgram {
    /// Nil until the program's `main` has set it: a test reads in its own process.
    static let path = Mutex<String?>(nil)

    /// The path and the arguments that read a document; nil when the program's path is unknown.
    static var current: (path: String, arguments: [String])? {
        path.withLock { $0 }.map { ($0, [ReadDocumentCommand.configuration.commandName ?? "read-document"]) }
    }
}
