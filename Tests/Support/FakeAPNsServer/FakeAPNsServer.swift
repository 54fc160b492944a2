import ArgumentParser
import FakeAPNs
import Foundation

@main
struct FakeAPNsServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fake-apns",
        abstract: "A synthetic APNs for development and tests: HTTP/2 over TLS on 127.0.0.1.",
        discussion: """
            The folder gets ca.crt, the authority to trust, and key.p8, the team's key. The first line of the output is the
            base URL. Each empty line of the standard input is answered with the account as JSON, and the line "count" with the
            number of accepted pushes alone, which costs the server little; other lines set a trap for the next pushes (silent, answered, retry, held, open), and "trap NAME" is printed when it closed. The end of the input
            ends it.
            """)

    @Option(help: "Port to listen on; 0 picks a free one.")
    var port = 0

    @Option(help: "The folder of the certificate and the key.")
    var folder: String

    @Option(help: "Milliseconds before each answer.")
    var latency: Int64 = 0

    @Option(help: "The file that gets each accepted push as a line of JSON.")
    var journal: String?

    func run() async throws {
        var options = FakeAPNs.Options()
        (options.port, options.latency) = (port, latency)
        let traps = try Traps(journal: journal) { Self.say($0) }
        options.answer = { request, _ in traps.answer(request) }
        let server = try await FakeAPNs.start(options, folder: folder)
        let file = URL(filePath: folder).appending(path: "key.p8")
        try Data(server.key.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        Self.say(server.baseURL)
        while let line = readLine() {
            if line == "count" {
                Self.say(#"{"accepted":\#(server.book.acceptedCount)}"#)
                continue
            }
            guard line.isEmpty else {
                traps.set(line)
                continue
            }
            var account = server.book.account
            // The ids of a long run would fill the line.
            if account.acceptedIDs.count > 100_000 { account.acceptedIDs = [:] }
            Self.say(String(decoding: try JSONEncoder().encode(account), as: UTF8.self))
        }
        try await server.stop()
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
