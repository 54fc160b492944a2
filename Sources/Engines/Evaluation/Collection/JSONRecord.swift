import Foundation

/// A document or a query: one line of a JSONL file.
struct JSONRecord {
    var id: String
    var title: String?
    var text: String?

    private struct Fields: Decodable {
        var _id: Identifier?
        var id: Identifier?
        var title: String?
        var text: String?
        var content: String?
    }

    /// An id: a string or a whole number.
    private struct Identifier: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let string = try? container.decode(String.self) {
                text = string
            } else if let number = try? container.decode(Int64.self) {
                text = String(number)
            } else {
                text = String(try container.decode(UInt64.self))
            }
        }
    }

    init(_ line: TextLines.Line) throws {
        let fields: Fields
        do {
            fields = try JSONDecoder().decode(Fields.self, from: Data(line.text.utf8))
        } catch let error as DecodingError {
            throw line.error(Self.explanation(error))
        }
        guard let id = (fields._id ?? fields.id)?.text, !id.isEmpty else {
            throw line.error("there is no `_id` and no `id`")
        }
        self.id = id
        title = fields.title
        text = fields.text ?? fields.content
    }

    private static func explanation(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context):
            let field = context.codingPath.map(\.stringValue).joined(separator: ".")
            return field.isEmpty ? "not a JSON object" : "`\(field)` has the wrong type"
        default:
            return "not JSON"
        }
    }
}
