import ActionItems
import Concurrency
package import GatewayAPI
import Goals
import Schedules
import Storage
import TaskRoom

/// Drafts of tasks that a person asks for.
extension ActionsService {
    /// The longest title of a text that names no task, in UTF-8 bytes.
    private static let titleBytes = 200

    /// Makes drafts of what a message or a text says is to be done. A text that says nothing of it is one task.
    ///
    /// - Parameters:
    ///   - message: The message; nil for a text.
    ///   - range: The UTF-8 bytes of the text that count.
    /// - Throws: ``StorageError``.
    package func drafts(
        of text: String, in message: Message?, range: Range<Int>, thread: Int64?
    ) async throws -> [TaskDraft] {
        let bytes = text.utf8
        guard range.upperBound <= bytes.count,
            let part = String(bytes[bytes.index(bytes.startIndex, offsetBy: range.lowerBound)...].prefix(range.count))
        else { throw StorageError(.invalid, "the range is not within the message") }
        let tasks = try await LargeWork.shared.run(over: part.utf8.count, for: "drafts") {
            var tasks = self.tasks(in: part, writtenAt: message?.createdAt)
            for index in tasks.indices {
                let found = tasks[index].range
                tasks[index].range = found.lowerBound + range.lowerBound..<found.upperBound + range.lowerBound
            }
            if tasks.isEmpty, let title = Self.title(part) {
                tasks = [FoundTask(title: title, due: nil, source: part, range: range)]
            }
            return tasks
        }
        guard !tasks.isEmpty else { throw StorageError(.invalid, "the text has no words") }
        return try await store.taskDrafts.create(tasks, of: message, thread: thread, at: now().seconds)
    }

    private func tasks(in text: String, writtenAt date: String?) -> [FoundTask] {
        // Spaces in place of citations keep the places in the text.
        items(in: Self.blanked(text), writtenOn: date.flatMap { day(ofDate: $0) }).map {
            FoundTask(
                title: Self.withoutMarkers($0.title), due: $0.due?.description, source: Self.withoutMarkers($0.source),
                range: $0.range)
        }
    }

    /// The first line with words, without citations.
    private static func title(_ text: String) -> String? {
        let word = text.unicodeScalars.firstIndex {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        guard let word else { return nil }
        let start = text[..<word].utf8.lastIndex { $0 == 0x0A || $0 == 0x0D }.map { text.utf8.index(after: $0) }
        // A title is short, so the rest of a long line says nothing for it.
        let begun = text[(start ?? text.startIndex)...].prefix(4 * titleBytes)
        guard let line = begun.split(whereSeparator: \.isNewline).first else { return nil }
        let words = withoutMarkers(String(line)).split(whereSeparator: \.isWhitespace)
        var title = ""
        for word in words {
            guard title.utf8.count + word.utf8.count < titleBytes else { break }
            title += (title.isEmpty ? "" : " ") + word
        }
        return title.isEmpty ? words.first.map { String($0.prefix(40)) } : title
    }

    /// A text with spaces in place of `[1]` and `[2, 3]`.
    private static func blanked(_ text: String) -> String {
        var bytes = Array(text.utf8)
        var start: Int?
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "["): start = index
            case UInt8(ascii: "]"):
                if let open = start, index - open > 1 { for place in open...index { bytes[place] = UInt8(ascii: " ") } }
                start = nil
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ","): break
            case UInt8(ascii: " "): if start.map({ $0 + 1 == index }) ?? false { start = nil }
            default: start = nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A text without `[1]` and `[2, 3]`.
    private static func withoutMarkers(_ text: String) -> String {
        var (kept, marker): (String, String?) = ("", nil)
        for character in text {
            if let open = marker {
                if character == "]", open.dropFirst().contains(where: \.isNumber) {
                    marker = nil
                    while kept.last == " " { kept.removeLast() }
                } else if character.isNumber || character == "," || character == " " {
                    marker = open + String(character)
                } else {
                    kept += open + String(character)
                    marker = nil
                }
            } else if character == "[" {
                marker = "["
            } else {
                kept.append(character)
            }
        }
        return kept + (marker ?? "")
    }
}
