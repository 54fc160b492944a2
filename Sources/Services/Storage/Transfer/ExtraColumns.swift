package import Foundation
package import GatewayAPI

/// The columns of an SQLite file's tables that PostgreSQL has no columns for, as they were stored.
package struct ExtraColumns: Codable, Sendable, Hashable {
    /// A value of SQLite.
    package enum Cell: Sendable, Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)

        /// The value as text, numbers included; nil for NULL and for bytes that are not UTF-8.
        package var asText: String? {
            switch self {
            case .null: nil
            case .integer(let value): String(value)
            case .real(let value): String(value)
            case .text(let value): value
            case .blob(let value): String(validating: value, as: UTF8.self)
            }
        }
    }

    /// Columns of `raw_notes`. A column that PostgreSQL has is here only if the file's value is not plain text.
    package var raw: [String: Cell]
    /// Columns of `processed_notes`.
    package var processed: [String: Cell]

    package init(raw: [String: Cell] = [:], processed: [String: Cell] = [:]) {
        self.raw = raw
        self.processed = processed
    }

    /// JSON with sorted keys; nil without columns.
    package var text: String? { raw.isEmpty && processed.isEmpty ? nil : Self.encode(self) }

    /// Reads JSON; nil for anything else.
    package init?(_ text: String?) {
        guard let text, let read = Self.decode(Self.self, text) else { return nil }
        self = read
    }

    static func encode(_ value: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try? decoder.decode(type, from: Data(text.utf8))
    }

    /// Reads the JSON of a thread's columns; empty for anything else.
    package static func ofThread(_ text: String?) -> [String: Cell] {
        text.flatMap { decode([String: Cell].self, $0) } ?? [:]
    }

    /// The JSON of a thread's columns.
    package static func text(ofThread columns: [String: Cell]) -> String? { encode(columns) }

    /// The columns without those that describe a text which has changed since.
    package var withoutTextColumns: ExtraColumns {
        var kept = self
        for name in ["title", "content", "content_hash", "word_count", "character_count"] { kept.raw[name] = nil }
        return kept
    }

    /// Adds what processing found.
    package func apply(to note: inout Note) {
        func text(_ name: String) -> String? { processed[name]?.asText }
        note.primaryTheme = text("primary_theme")
        note.concepts = StoredList.decode(text("concepts"))
        note.conceptConfidence = text("concept_confidence").flatMap {
            (try? JSONDocument(parsing: Array($0.utf8)))?.value
        }
        let themes = StoredList.decode(text("secondary_themes"))
        note.secondaryThemes = themes.isEmpty ? nil : themes
        note.overallSentiment = text("overall_sentiment")
        note.sentimentScore = text("sentiment_score").flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        note.emotionalTone = text("emotional_tone")
        note.energyLevel = text("energy_level")
    }
}

/// As JSON, NULL, whole numbers and texts are themselves; the others are objects of one member.
extension ExtraColumns.Cell: Codable {
    private enum Key: String, CodingKey { case real, blob }

    package init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Key.self) {
            if let value = try object.decodeIfPresent(Double.self, forKey: .real) {
                self = .real(value)
            } else {
                self = .blob(try object.decode(Data.self, forKey: .blob))
            }
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .real(let value):
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(value, forKey: .real)
        case .blob(let value):
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(value, forKey: .blob)
        case .null:
            var single = encoder.singleValueContainer()
            try single.encodeNil()
        case .integer(let value):
            var single = encoder.singleValueContainer()
            try single.encode(value)
        case .text(let value):
            var single = encoder.singleValueContainer()
            try single.encode(value)
        }
    }
}
