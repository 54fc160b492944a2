import Dispatch
import Foundation
import MCP
import Synchronization

/// Standard input and output as the lines of an MCP client.
enum StandardStreams {
    /// Serves the client until its input ends.
    static func serve(_ peer: some StdioPeer) async {
        // A client that closed its end first must not end the process in the middle of a note.
        signal(SIGPIPE, SIG_IGN)
        let lines = InputLines()
        let session = StdioSession(peer: peer) { message in
            try? FileHandle.standardOutput.write(contentsOf: Data(message))
        }
        await session.run { await lines.next() }
    }
}

/// Reads lines from standard input, each at most ``MCPServer/maxMessageBytes`` long.
private final class InputLines: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        /// Bytes of the buffer that have no line feed.
        var searched = 0
        var isDropping = false
        var isAtEnd = false
    }

    private let state = Mutex(State())

    /// The next line; nil at the end of input. Called by one task at a time.
    func next() async -> StdioSession.Line? {
        while true {
            if let line = state.withLock({ Self.take(&$0) }) { return line }
            if state.withLock(\.isAtEnd) { return nil }
            let piece = await Self.read()
            state.withLock { state in
                if piece.isEmpty { state.isAtEnd = true }
                state.buffer += piece
            }
        }
    }

    private static func take(_ state: inout State) -> StdioSession.Line? {
        while true {
            guard let end = state.buffer[state.searched...].firstIndex(of: UInt8(ascii: "\n")) else {
                state.searched = state.buffer.count
                if state.searched > MCPServer.maxMessageBytes {
                    state.buffer.removeAll()
                    (state.searched, state.isDropping) = (0, true)
                }
                guard state.isAtEnd, !state.buffer.isEmpty || state.isDropping else { return nil }
                let rest = state.buffer
                let line = state.isDropping ? StdioSession.Line.tooLong : .message(rest)
                state.buffer.removeAll()
                (state.searched, state.isDropping) = (0, false)
                return line
            }
            let line = Array(state.buffer[..<end])
            state.buffer.removeSubrange(...end)
            state.searched = 0
            if state.isDropping || line.count > MCPServer.maxMessageBytes {
                state.isDropping = false
                return .tooLong
            }
            return .message(line)
        }
    }

    /// Reads on a thread that may block; empty at the end of input.
    private static func read() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: [UInt8](FileHandle.standardInput.availableData))
            }
        }
    }
}
