import Foundation
import HTTPTypes
import Inference

/// What the head of a proxied request says, and the head that goes to the upstream for it.
struct ProxiedRequest: Sendable {
    let head: HTTPRequest
    /// The path without its query.
    let path: String
    let kind: ProxyPolicy.Kind
    let framing: RequestFraming

    init(_ head: HTTPRequest, kind: ProxyPolicy.Kind) {
        self.head = head
        self.kind = kind
        path = String(Substring((head.path ?? "/").utf8.prefix { $0 != UInt8(ascii: "?") }))
        framing = RequestFraming(head.headerFields)
    }

    /// What happens to the body.
    var route: ProxyStateMachine.Route {
        switch kind {
        case .inference: .inference
        case .administration: .administration
        case .catalogue, .unknown, .otherMethod: .catalogue
        }
    }

    /// Whether the answer may be a list that is made here.
    var mayList: Bool { kind == .catalogue && (head.method == .get || head.method == .head) }

    /// Whether an endpoint may hold other models after the request.
    var changesModels: Bool { kind == .administration && head.method != .head && !path.hasPrefix("/api/blobs/") }

    /// Whether the body is in a form that only the upstream can unpack.
    var isEncoded: Bool {
        if let encoding = head.headerFields[.contentEncoding], encoding.lowercased() != "identity" { return true }
        return head.headerFields[.contentType]?.lowercased().contains("multipart") == true
    }

    /// The model in the path of `/v1/models/:id`.
    var namedModel: String? {
        guard kind == .catalogue, path.hasPrefix("/v1/models/") else { return nil }
        let name = String(path.dropFirst("/v1/models/".count))
        // What cannot be decoded is no model's name, and has to be one that a key may use all the same.
        return name.removingPercentEncoding ?? name
    }

    /// The path for the upstream, with the query: an alias in `/v1/models/:id` gives way to the real name.
    func upstreamPath(_ rules: ModelRules) -> String {
        let target = head.path ?? "/"
        guard let name = namedModel else { return target }
        let real = rules.resolve(name)
        guard real != name else { return target }
        return "/v1/models/\(real)" + target.drop { $0 != "?" }
    }

    /// The headers for the upstream.
    ///
    /// - Parameters:
    ///   - isCounted: Whether the key has a number of tokens: then the answer has to come unpacked.
    ///   - isReadAsJSON: Whether the key's model was read in the body: then the body goes on as JSON, so that no server
    ///     reads a form in it.
    func upstreamHeaders(isCounted: Bool, isReadAsJSON: Bool) -> [(name: String, value: String)] {
        var headers = ProxyHeaders.forUpstream(head.headerFields)
        if kind == .inference, isCounted { headers.removeAll { $0.name.lowercased() == "accept-encoding" } }
        if isReadAsJSON {
            headers.removeAll { $0.name.lowercased() == "content-type" }
            headers.append(("Content-Type", "application/json"))
        }
        return headers
    }
}

/// What a request's headers say about its framing and its connection, read in one pass.
struct RequestFraming {
    /// The length that the client announced.
    private(set) var length: Int?
    /// Whether the client waits for a word before it sends the body.
    private(set) var expectsContinue = false
    /// Whether the connection ends with the response.
    private(set) var closes = false

    init(_ fields: HTTPFields) {
        for field in fields {
            switch field.name {
            case .contentLength: length = Int(field.value)
            case .expect: expectsContinue = field.value.lowercased() == "100-continue"
            case .connection:
                for token in field.value.split(separator: ",") {
                    let word = token.drop { $0 == " " }.prefix { $0 != " " }
                    if word.lowercased() == "close" { closes = true }
                }
            default: break
            }
        }
    }
}
