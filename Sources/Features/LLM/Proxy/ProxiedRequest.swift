import Foundation
import HTTPTypes
import Inference
import Transport

/// The head of a proxied request, and the head that the gateway sends to the upstream.
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

    /// How the body is handled.
    var route: ProxyStateMachine.Route {
        switch kind {
        case .inference: .inference
        case .administration: .administration
        case .catalogue, .unknown, .otherMethod: .catalogue
        }
    }

    /// Whether the gateway may answer with a merged list.
    var mayList: Bool { kind == .catalogue && (head.method == .get || head.method == .head) }

    /// The method for the upstream. Ollama answers HEAD on some of its lists only, so the others are asked for whole.
    var upstreamMethod: HTTPRequest.Method {
        guard mayList, head.method == .head else { return head.method }
        return ["/", "/api/version", "/api/tags"].contains(path) ? .head : .get
    }

    /// Whether an endpoint's models may change with this request.
    var changesModels: Bool { kind == .administration && head.method != .head && !path.hasPrefix("/api/blobs/") }

    /// Whether the body has a content encoding, which only the upstream can decode.
    var isEncoded: Bool {
        if let encoding = head.headerFields[.contentEncoding], encoding.lowercased() != "identity" { return true }
        return head.headerFields[.contentType]?.lowercased().contains("multipart") == true
    }

    /// Whether the body is a form, on a route that takes forms. Ollama's own routes read JSON, whatever the header says.
    var isForm: Bool {
        ["/v1/audio/transcriptions", "/v1/images/edits"].contains(path)
            && head.headerFields[.contentType]?.lowercased().hasPrefix("multipart/") == true
    }

    /// The model in the path of `/v1/models/:id`.
    var namedModel: String? {
        guard kind == .catalogue, path.hasPrefix("/v1/models/") else { return nil }
        let name = String(path.dropFirst("/v1/models/".count))
        // A name that cannot be decoded still has to pass the key's list of models.
        return name.removingPercentEncoding ?? name
    }

    /// The path and query for the upstream. An alias in `/v1/models/:id` is replaced by the real name.
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
    ///   - isCounted: Whether the key has a token quota. The answer must then arrive without compression.
    ///   - isReadAsJSON: Whether the gateway read the model from the body as JSON. The body is then sent as JSON, so that
    ///     no server parses it as a form.
    func upstreamHeaders(isCounted: Bool, isReadAsJSON: Bool) -> [(name: String, value: String)] {
        var headers = ProxyHeaders.forUpstream(head.headerFields)
        if kind == .inference, isCounted { headers.removeAll { $0.name.isHeader("accept-encoding") } }
        if isReadAsJSON {
            headers.removeAll { $0.name.isHeader("content-type") }
            headers.append(("Content-Type", "application/json"))
        }
        return headers
    }
}

/// The framing and connection headers of a request, read in one pass.
struct RequestFraming {
    /// The `Content-Length`, in bytes.
    private(set) var length: Int?
    /// Whether the client waits for `100 Continue` before it sends the body.
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
