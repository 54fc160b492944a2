import Foundation

/// Reads a note from one JSON object: our own JSONL, or a document of a BEIR corpus.
enum JSONNote {
    static func read(
        _ line: ArraySlice<UInt8>, at location: String, isBEIR: Bool
    ) -> Result<IngestedNote, IngestProblem> {
        let fields: Fields
        do {
            fields = try JSONDecoder().decode(Fields.self, from: Data(line))
        } catch let error as DecodingError {
            return .failure(IngestProblem(location: location, reason: Self.reason(error)))
        } catch {
            return .failure(IngestProblem(location: location, reason: "is not a JSON object"))
        }
        let content = fields.content ?? fields.text ?? ""
        let title = fields.title ?? ""
        guard !(title + content).allSatisfy(\.isWhitespace) else {
            return .failure(IngestProblem(location: location, reason: "has neither a title nor a text", isEmpty: true))
        }
        if isBEIR, fields._id == nil { return .failure(IngestProblem(location: location, reason: "has no _id")) }
        return .success(
            IngestedNote(
                title: title, content: content, createdAt: fields.created_at ?? fields.date,
                noteType: fields.note_type ?? fields.type, actionability: fields.actionability,
                threads: (fields.threads ?? fields.thread)?.values ?? [], tags: fields.tags?.values ?? [],
                externalID: (fields._id ?? fields.id)?.text))
    }

    private struct Fields: Decodable {
        var _id: Identifier?
        var id: Identifier?
        var title: String?
        var content: String?
        var text: String?
        var created_at: String?
        var date: String?
        var note_type: String?
        var type: String?
        var actionability: String?
        var thread: Words?
        var threads: Words?
        var tags: Words?
    }

    /// A string, or a number read as a string.
    private struct Identifier: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int64.self) {
                text = String(number)
            } else {
                text = try container.decode(String.self)
            }
        }
    }

    /// One string or a list of strings.
    private struct Words: Decodable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                values = [one]
            } else {
                values = try container.decode([String].self)
            }
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context):
            context.codingPath.isEmpty
                ? "is not a JSON object" : "field \"\(context.codingPath[0].stringValue)\" has the wrong type"
        default: "is not valid JSON"
        }
    }
}
