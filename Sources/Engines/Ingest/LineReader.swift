import Foundation

/// Reads a file line by line, with a limit on the length of a line.
final class LineReader {
    /// The maximum length of a line in bytes.
    static let maxLineBytes = 8 << 20

    /// A line without its line end.
    struct Line {
        var text: ArraySlice<UInt8>
        var location: String
    }

    private let handle: FileHandle
    private let name: String
    private var buffer: [UInt8] = []
    private var position = 0
    private var number = 0
    private var isAtEnd = false
    private(set) var bytesRead = 0

    init(url: URL) throws {
        handle = try FileHandle(forReadingFrom: url)
        name = url.path
    }

    deinit { try? handle.close() }

    /// Returns the next line; nil at the end. A line that is too long is skipped and returned as a problem.
    func next() -> Result<Line, IngestProblem>? {
        var isTooLong = false
        while true {
            if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                let text = buffer[position..<end]
                position = end + 1
                return line(text, isTooLong: isTooLong)
            }
            if buffer.count - position > Self.maxLineBytes {
                isTooLong = true
                position = buffer.count
            }
            guard !isAtEnd else {
                guard position < buffer.count || isTooLong else { return nil }
                let text = buffer[position...]
                position = buffer.count
                return line(text, isTooLong: isTooLong)
            }
            fill()
        }
    }

    private func line(_ text: ArraySlice<UInt8>, isTooLong: Bool) -> Result<Line, IngestProblem> {
        number += 1
        let location = "\(name):\(number)"
        return isTooLong
            ? .failure(IngestProblem(location: location, reason: "the line is longer than \(Self.maxLineBytes) bytes"))
            : .success(Line(text: text, location: location))
    }

    private func fill() {
        buffer.removeFirst(position)
        position = 0
        guard let data = try? handle.read(upToCount: 256 << 10), !data.isEmpty else {
            isAtEnd = true
            return
        }
        bytesRead += data.count
        buffer.append(contentsOf: data)
    }
}
