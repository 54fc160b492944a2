import Foundation

/// The non-blank lines of a text file, without their line ends.
///
/// Lines end with LF or CRLF only. JSON strings may hold U+2028 and similar characters, which Swift counts as line ends
/// too.
struct TextLines {
    struct Line {
        var text: String
        /// `path:line`, for messages.
        var place: String

        /// The fields between runs of tabs or spaces.
        var words: [Substring] { text.split { $0 == " " || $0 == "\t" } }

        func error(_ message: String) -> EvaluationError { EvaluationError(at: place, message) }
    }

    var lines: [Line] = []

    /// - Throws: `EvaluationError` when the file cannot be read or is not UTF-8.
    init(contentsOf url: URL) throws {
        let path = url.path
        try Data(reading: url).withUnsafeBytes { bytes in
            var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            var number = 0
            while start < bytes.count {
                number += 1
                var end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                let next = end + 1
                if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
                let place = "\(path):\(number)"
                guard let text = String(validating: bytes[start..<end], as: UTF8.self) else {
                    throw EvaluationError(at: place, "not UTF-8")
                }
                if text.contains(where: { $0 != " " && $0 != "\t" }) { lines.append(Line(text: text, place: place)) }
                start = next
            }
        }
    }
}

extension Data {
    /// - Throws: `EvaluationError` that names the file.
    init(reading url: URL) throws {
        do {
            self = try Data(contentsOf: url, options: .mappedIfSafe)
        } catch {
            let exists = FileManager.default.fileExists(atPath: url.path)
            throw EvaluationError(at: url.path, exists ? "cannot be read: \(error)" : "there is no such file")
        }
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
