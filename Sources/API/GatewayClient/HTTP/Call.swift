import Foundation
import GatewayAPI

/// A request without address and key.
struct Call: Sendable {
    /// Which timeouts apply to an answer.
    enum Timeout: Sendable {
        /// The gateway answers without a model.
        case data
        /// A model answers, and may have to be loaded first.
        case model
    }

    var method: String
    /// The percent-encoded path below the base URL, with its leading slash.
    var path: String
    var query: [(name: String, value: String)] = []
    /// Header fields beside those of every request.
    var headers: [String: String] = [:]
    var body: Data?
    var repetition: Repetition
    var timeout = Timeout.data

    /// Creates a call without a body.
    init(_ method: String, _ path: String, _ repetition: Repetition = .always) {
        self.method = method
        self.path = path
        self.repetition = repetition
    }

    /// Creates a call with a JSON body.
    ///
    /// - Parameter schema: A JSON schema in the body. A model follows the order of its properties, and an encoder of
    ///   dictionaries has none, so it is written as ``JSONValue`` writes schemas.
    init(
        _ method: String, _ path: String, _ body: some Encodable, _ repetition: Repetition, timeout: Timeout = .data,
        schema: JSONValue? = nil
    ) throws {
        self.method = method
        self.path = path
        self.repetition = repetition
        self.timeout = timeout
        do {
            let written = try JSONEncoder().encode(body)
            if case .object? = schema {
                self.body = Data(try JSONDecoder().decode(JSONValue.self, from: written).json)
            } else {
                self.body = written
            }
        } catch {
            throw GatewayClientError(.invalidRequest, "the request cannot be written as JSON: \(error)")
        }
    }

    /// Returns a copy with a query parameter added; nil adds none.
    func with(_ name: String, _ value: (some LosslessStringConvertible)?) -> Call {
        guard let value else { return self }
        var call = self
        call.query.append((name, String(value)))
        return call
    }

    /// Returns a copy with the parameters of a page added.
    func with(_ page: PageRequest) -> Call { with("limit", page.limit).with("cursor", page.cursor) }

    /// Percent-encodes data as one path segment, so that no character can change the path.
    ///
    /// - Throws: ``GatewayClientError`` for `.`, `..` and empty text.
    static func segment(_ text: String) throws -> String {
        guard !text.isEmpty, text != ".", text != ".." else {
            throw GatewayClientError(.invalidRequest, "\"\(text)\" cannot be part of a path")
        }
        return PercentEncoding.encoded(text)
    }

    /// The path with its query.
    var target: String {
        guard !query.isEmpty else { return path }
        return path + "?" + query.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
    }
}
