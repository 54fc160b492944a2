import Certificates
import Foundation
import GatewayTestSupport
import TestSupport

/// `h2_client.py`, a client of HTTP/2 with PyPI's h2, which is another implementation than the product's.
final class HTTP2Program: Sendable {
    /// What happened to one request.
    struct Answer: Decodable, Equatable {
        var status: Int
        var bytes: Int
        var ended: Bool
        var reset: Int?
        var done: Bool
        /// Whether the connection ended, too.
        var over: Bool?
    }

    /// What a mode reports; each mode has some of these.
    struct Report: Decodable {
        var goaways: [Int]?
        var over: Bool?
        var answers: [String: Answer]?
        var answer: Answer?
        var health: Answer?
        var other: Answer?
        var further: Answer?
        var large: Answer?
        var small: Answer?
        var third: Answer?
        var forbidden: [String]?
        var nosniff: Bool?
        var identified: Bool?
        var most: Int?
        var done: Int?
        var limit: Int?
        var count: Int?
        var sent: Int?
        var again: Int?
        var statuses: Int?
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// The interpreter with h2; nil, with a message, where it cannot be installed.
    static func interpreter() async throws -> String? {
        let file = "Tests/Engines/TransportTests/Oracle/requirements.txt"
        let found = try await Shell.run([
            "sh", "-c", "cd '\(Repository.root.path)' && sh Tests/Scripts/python.sh \(file) 2>/dev/null",
        ])
        guard found.status == 0, let python = found.output.split(separator: "\n").last.map(String.init) else {
            print("skipped: h2 cannot be installed here")
            return nil
        }
        return python
    }

    /// Starts a mode against a gateway.
    init(_ python: String, _ gateway: LiveGateway, _ mode: String, _ argument: String = "") throws {
        let authority = gateway.authority?.authorityFile ?? ""
        process.executableURL = URL(filePath: python)
        process.arguments = [
            "\(Repository.root.path)/Tests/App/GatewayTests/Server/HTTP2/h2_client.py", "\(gateway.port)", authority,
            mode, argument,
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// The next line of the output, or what came before its end.
    func readLine() async -> String {
        let handle = output.fileHandleForReading
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var line: [UInt8] = []
                while line.last != 10, let byte = try? handle.read(upToCount: 1)?.first { line.append(byte) }
                continuation.resume(returning: String(decoding: line, as: UTF8.self))
            }
        }
    }

    /// Ends the input, which some modes wait for, and returns the report.
    func report() async throws -> Report {
        try? input.fileHandleForWriting.close()
        let line = await readLine()
        process.waitUntilExit()
        return try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }

    /// Runs a mode to its end.
    static func run(
        _ python: String, _ gateway: LiveGateway, _ mode: String, _ argument: String = ""
    ) async throws -> Report {
        try await HTTP2Program(python, gateway, mode, argument).report()
    }
}
