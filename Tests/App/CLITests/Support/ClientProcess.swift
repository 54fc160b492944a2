import Foundation
import GatewayTestSupport
import TestSupport

/// `selene` as a process that calls a gateway on a socket.
enum ClientProcess {
    /// What a run gave.
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String
    }

    /// A process that was not started, with the gateway's address in its environment.
    static func process(
        _ arguments: [String], _ setting: ConnectedClient, _ environment: [String: String] = [:]
    ) -> Process {
        let process = Process()
        process.executableURL = SeleneHome.binary
        process.arguments = arguments
        var inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SELENE_") }
        inherited["NO_COLOR"] = "1"
        inherited["SELENE_URL"] = setting.address
        process.environment = inherited.merging(environment) { $1 }
        return process
    }

    /// Runs to the end; what came on standard output, and the exit code.
    static func run(
        _ arguments: [String], _ setting: ConnectedClient, input: String? = nil, _ environment: [String: String] = [:]
    ) async throws -> Outcome {
        let process = process(arguments, setting, environment)
        let (output, errors, stdin) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = stdin
        stdin.fileHandleForWriting.write(Data((input ?? "").utf8))
        try stdin.fileHandleForWriting.close()
        try process.run()
        // Read while it runs: a long answer does not fit into a pipe.
        async let text = whole(output)
        async let complaints = whole(errors)
        let read = try await (text, complaints)
        guard await eventually({ !process.isRunning }) else { throw ConditionNeverHeld() }
        return Outcome(status: process.terminationStatus, output: read.0, errors: read.1)
    }

    /// All that is written into a pipe until its end.
    private static func whole(_ pipe: Pipe) async throws -> String {
        let reading = pipe.fileHandleForReading
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { String(decoding: try reading.readToEnd() ?? Data(), as: UTF8.self) })
            }
        }
    }
}
