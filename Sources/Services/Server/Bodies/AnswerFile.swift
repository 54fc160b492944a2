import Dispatch
import HTTPTypes
import Hummingbird
import NIOCore

/// A large answer in an unnamed file, from which its client takes it in parts.
///
/// A client that reads slowly, or not at all, holds a few parts in memory, however long its answer is.
struct AnswerFile: Sendable {
    /// The least size of an answer that is moved to a file, in bytes.
    static let leastBytes = 1 << 20
    /// The size of a part in bytes.
    static let partBytes = 256 << 10
    /// What an answer holds in memory while it waits for its client: a part, and one that the connection has.
    static let memory = 2 * partBytes
    /// How many files there may be at most: each takes this part of the room at least.
    private static let files = 256

    private let file: SpoolFile
    private let bytes: Int
    private let room: AnswerLease

    /// Writes a body to a file.
    ///
    /// - Throws: ``GatewayError`` with 503 when there is no room for its bytes or for one more file, 507 when the disk is
    ///   full, 500.
    init(
        _ body: consuming ResponseBody, bytes: Int, of holder: String, in room: BodyBudget, folder: String
    ) async throws {
        self.room = try AnswerLease(max(bytes, room.capacity / Self.files), of: holder, in: room)
        self.bytes = bytes
        file = SpoolFile(folder: folder)
        try await body.write(Writer(file: file))
    }

    /// The answer in parts. It has no length of its own, so that it is observed as what it is: a stream, which ends when
    /// the client took it. Its header has the length.
    var body: ResponseBody {
        ResponseBody { [self] writer in
            var offset = 0
            while offset < bytes {
                let (start, count) = (offset, min(Self.partBytes, bytes - offset))
                try await writer.write(try await SpoolFile.onQueue { [file] in try file.read(at: start, count: count) })
                offset += count
            }
            try await writer.finish(nil)
        }
    }

    /// Writes what it is given to the file.
    private struct Writer: ResponseBodyWriter {
        let file: SpoolFile
        var offset = 0

        init(file: SpoolFile) { self.file = file }

        @concurrent mutating func write(_ buffer: ByteBuffer) async throws {
            var rest = buffer
            // Parts, so that other bodies are not held back.
            while let part = rest.readSlice(length: min(AnswerFile.leastBytes, rest.readableBytes)),
                part.readableBytes > 0
            {
                let start = offset
                try await SpoolFile.onQueue { [file] in try file.write(part, at: start) }
                offset += part.readableBytes
            }
        }

        @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

extension SpoolFile {
    /// Runs work that blocks on the queue for files.
    fileprivate static func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
