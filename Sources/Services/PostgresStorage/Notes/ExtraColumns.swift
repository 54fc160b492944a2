package import Foundation
import GatewayAPI

/// The columns of an SQLite file's tables of notes that the store has no columns for, as they were stored.
package struct ExtraColumns: Codable, Sendable, Hashable {
    /// A value of SQLite.
    package enum Cell: Codable, Sendable, Hashable {
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)

        /// The value as text, numbers included.
        var asText: String? {
            switch self {
            case .integer(let value): String(value)
            case .real(let value): String(value)
            case .text(let value): value
            case .blob: nil
            }
        }
    }

    /// Columns of `raw_notes`.
    package var raw: [String: Cell]
    /// Columns of `processed_notes`.
    package var processed: [String: Cell]

    package init(raw: [String: Cell] = [:], processed: [String: Cell] = [:]) {
        self.raw = raw
        self.processed = processed
    }

    /// JSON with sorted keys; nil without columns.
    package var text: String? {
        guard !raw.isEmpty || !processed.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads JSON; nil for anything else.
    package init?(_ text: String?) {
        guard let text, let read = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = read
    }

    /// Adds what processing found.
    func apply(to note: inout Note) {
        func list(_ name: String) -> [String] {
            guard let text = processed[name]?.asText else { return [] }
            if let list = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) { return list }
            return text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        note.primaryTheme = processed["primary_theme"]?.asText
        note.concepts = list("concepts")
        note.conceptConfidence = processed["concept_confidence"]?.asText.flatMap {
            (try? JSONDocument(parsing: Array($0.utf8)))?.value
        }
        let themes = list("secondary_themes")
        note.secondaryThemes = themes.isEmpty ? nil : themes
        note.overallSentiment = processed["overall_sentiment"]?.asText
        note.sentimentScore = processed["sentiment_score"]?.asText.flatMap(Double.init).flatMap {
            $0.isFinite ? $0 : nil
        }
        note.emotionalTone = processed["emotional_tone"]?.asText
        note.energyLevel = processed["energy_level"]?.asText
    }
}
