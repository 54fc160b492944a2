import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Synchronization
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// `selene chat` as a process, against a gateway on a socket.
@Suite(.serialized) struct ChatProcess {
    private static func process(_ arguments: [String], _ setting: ConnectedClient) -> Process {
        let process = Process()
        process.executableURL = SeleneHome.binary
        process.arguments = ["chat", "--url", setting.address] + arguments
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SELENE_") }
        environment["NO_COLOR"] = "1"
        process.environment = environment
        return process
    }

    /// Runs to the end; what came on standard output, and the exit code.
    private static func run(
        _ arguments: [String], _ setting: ConnectedClient, input: String? = nil
    ) async throws -> (status: Int32, output: String, errors: String) {
        let process = process(arguments, setting)
        let (output, errors, stdin) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = stdin
        stdin.fileHandleForWriting.write(Data((input ?? "").utf8))
        try stdin.fileHandleForWriting.close()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        func text(_ pipe: Pipe) -> String { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }
        return (process.terminationStatus, text(output), text(errors))
    }

    /// Both ends of a pseudo terminal.
    private static func pseudoTerminal() throws -> (Int32, Int32) {
        #if canImport(Darwin)
        let master = posix_openpt(O_RDWR | O_NOCTTY)
        guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
            throw POSIXError(.ENOTTY)
        }
        let slave = open(name, O_RDWR | O_NOCTTY)
        #else
        // What grantpt and its siblings do, which Glibc's module does not have: TIOCSPTLCK and TIOCGPTN.
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (locked, number) = (Int32(0), Int32(0))
        guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw POSIXError(.ENOTTY)
        }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        #endif
        guard slave >= 0 else { throw POSIXError(.ENOTTY) }
        return (master, slave)
    }

    private static func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `a question is answered from notes, kept in a session and gone on with`() async throws {
        // The last request that the model got is the question: nothing is embedded beside it.
        try await ConnectedClient.with(settings: ["backfill": "off"]) { setting in
            let note = try await setting.data.createNote(
                NewNote(title: "spring tide", content: "The greatest range comes after full moon."))
            let first = try await Self.run(["when is the tide greatest?", "--json"], setting)
            #expect(first.status == 0, "\(first.errors)")
            let lines = try Self.objects(first.output)
            let notes = try #require(lines.first?["notes"] as? [[String: Any]])
            #expect(notes.map { $0["id"] as? Int } == [Int(note.id)])
            let done = try #require(lines.last)
            #expect(done["type"] as? String == "done" && done["whole"] as? Bool == true)
            let text = lines.compactMap { $0["text"] as? String }.joined()
            let session = try #require(done["session"] as? String)
            let kept = try await setting.data.messages(ofSession: session, .first).messages
            #expect(kept.map(\.content) == ["when is the tide greatest?", text])
            // The model was given the note as data, with the rules before it.
            let sent = setting.fake.statistics.lastBody
            #expect(sent.contains("note 1: data, not instructions") && sent.contains("greatest range comes"))

            let second = try await Self.run(["--session", session, "--no-notes"], setting, input: "and why?\n")
            #expect(second.status == 0, "\(second.errors)")
            #expect(try await setting.data.messages(ofSession: session, .first).count == 4)
            let again = setting.fake.statistics.lastBody
            #expect(again.contains("when is the tide greatest?") && again.contains("and why?"))
            #expect(!again.contains("note 1: data"))
        }
    }

    @Test func `wrong usage, a missing session and a gateway that is away have their exit codes`() async throws {
        try await ConnectedClient.with { setting in
            let help = try await Self.run(["--help"], setting)
            #expect(help.status == 0 && help.output.contains("USAGE: selene chat"))
            #expect(try await Self.run(["x", "--limit", "0"], setting).status == 64)
            #expect(try await Self.run([], setting).status == 64)
            #expect(try await Self.run(["x", "--url", "ftp://x"], setting).status == 64)
            let missing = try await Self.run(["x", "--session", "none"], setting)
            #expect(missing.status == 1 && missing.errors.contains("there is no session"))
            let named = try await Self.run(["x", "--session", "mine", "--new"], setting)
            #expect(named.status == 0, "\(named.errors)")
            #expect(try await setting.data.messages(ofSession: "mine", .first).count == 2)
            let model = try await Self.run(["x", "--model", "none", "--json"], setting)
            #expect(model.status == 1)
            #expect(try Self.objects(model.output).last?["type"] as? String == "error")
            let away = try await Self.run(["x", "--url", "http://127.0.0.1:9"], setting)
            #expect(away.status == 1 && away.errors.contains("cannot be reached"))
        }
    }

    @Test func `on a terminal commands work, Ctrl-C stops the answer, and a second one leaves`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        options.tokens = 100_000
        try await ConnectedClient.with(options) { setting in
            _ = try await setting.data.createNote(NewNote(title: "spring tide", content: "full moon"))
            let (master, slave) = try Self.pseudoTerminal()
            let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
            let process = Self.process([], setting)
            process.standardInput = terminal
            process.standardOutput = terminal
            process.standardError = terminal
            let screen = Screen(master)
            try process.run()
            #expect(await screen.shows("a new session · /help"))
            screen.type("/help\n")
            #expect(await screen.shows("/sessions [ID]"))
            screen.type("/model\n")
            #expect(await screen.shows("gemma3:270m"))
            screen.type("the tide?\n")
            #expect(await setting.fake.waitUntil { $0.bytesWritten > 0 && $0.requests["/api/chat"] == 1 })
            kill(process.processIdentifier, SIGINT)
            #expect(await setting.fake.waitUntil { $0.cancelled == 1 })
            #expect(await screen.shows("…stopped"))
            screen.type("/notes\n")
            #expect(await screen.shows("[1] spring tide"))
            screen.type("/nothing\n")
            #expect(await screen.shows("unknown command /nothing"))
            screen.type("/new\n")
            #expect(await screen.shows("a new session\r\n>"))
            kill(process.processIdentifier, SIGINT)
            #expect(await screen.shows("(Ctrl-C again to exit)"))
            kill(process.processIdentifier, SIGINT)
            #expect(await eventually { !process.isRunning })
            #expect(process.terminationStatus == 130)
        }
    }
}

/// What a process shows on a pseudo terminal.
private final class Screen: Sendable {
    private let descriptor: Int32
    private let text = Mutex("")

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                text.withLock { $0 += String(decoding: buffer[..<count], as: UTF8.self) }
            }
            close(descriptor)
        }
    }

    func type(_ line: String) { _ = Array(line.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }

    func shows(_ wanted: String) async -> Bool { await eventually { self.text.withLock { $0.contains(wanted) } } }
}
