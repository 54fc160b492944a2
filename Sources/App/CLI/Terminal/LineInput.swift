import Dispatch
import Foundation

/// Reads lines from standard input.
enum LineInput {
    /// Whether standard input is a terminal.
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads a line on a thread that may block; nil at the end of input.
    ///
    /// - Parameter prompt: What is written before; empty for nothing.
    static func next(prompt: SafeText = "> ") async -> String? {
        if !prompt.raw.isEmpty { Terminal.write(prompt) }
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Swift.readLine()) }
        }
    }

    /// Reads standard input to its end.
    ///
    /// - Returns: nil for more than `limit` bytes.
    static func whole(limit: Int) throws -> String? {
        var data = Data()
        while data.count <= limit, let part = try FileHandle.standardInput.read(upToCount: limit + 1 - data.count),
            !part.isEmpty
        {
            data += part
        }
        return data.count > limit ? nil : String(decoding: data, as: UTF8.self)
    }
}
