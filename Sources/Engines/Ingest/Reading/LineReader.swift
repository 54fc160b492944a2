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

    /// The most bytes of a file that is read whole: one JSON document, or one in UTF-16 or UTF-32.
    private static let mostWholeBytes = 64 << 20

    /// Opens a file.
    ///
    /// - Parameter whole: Gives the lines of a file that is not one of lines; nil for others.
    init(url: URL, whole: (Data) -> [UInt8]?) throws {
        handle = try FileHandle(forReadingFrom: url)
        name = url.path
        let size = (try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
        fill()
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        guard size <= Self.mostWholeBytes else { return }
        let isWide =
            buffer.starts(with: [0xFF, 0xFE]) || buffer.starts(with: [0xFE, 0xFF])
            || buffer.starts(with: [0, 0, 0xFE, 0xFF])
        guard isWide || !Self.isLines(buffer[position...]), let data = try? Data(contentsOf: url) else { return }
        let text = isWide ? Data(FileText(Array(data)).text.utf8) : data
        guard let lines = whole(text) ?? (isWide ? Array(text) : nil) else { return }
        (buffer, position, isAtEnd, bytesRead) = (lines, 0, true, data.count)
    }

    /// Whether the first line is a whole JSON object, or none begins there.
    private static func isLines(_ start: ArraySlice<UInt8>) -> Bool {
        guard let first = start.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return true }
        guard first == UInt8(ascii: "{") else { return false }
        let text = start.drop { $0 <= 0x20 }
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return true }
        return (try? JSONSerialization.jsonObject(with: Data(text[..<end]))) != nil
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
