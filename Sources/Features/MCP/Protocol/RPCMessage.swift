package import GatewayAPI

/// A message of JSON-RPC 2.0 from a client.
package enum RPCMessage: Sendable, Hashable {
    case request(RPCRequest)
    case notification(method: String, params: [String: JSONValue])
    /// A reply to a request that the server never sent.
    case reply
}

/// A request of JSON-RPC 2.0.
package struct RPCRequest: Sendable, Hashable {
    /// A string or a whole number.
    package let id: JSONValue
    package let method: String
    /// The parameters; empty when absent.
    package let params: [String: JSONValue]

    package init(id: JSONValue, method: String, params: [String: JSONValue] = [:]) {
        self.id = id
        self.method = method
        self.params = params
    }
}

/// The error for bytes that are not a message, with the id to answer.
package struct RPCRefusal: Error, Sendable, Hashable {
    /// The id of the request; null when it is not known.
    package let id: JSONValue
    /// What is wrong.
    package let error: RPCError
}

extension RPCMessage {
    /// The limits of a message. A message within them takes at most 1 MB of memory beside its bytes.
    static let limits = JSONLimits(depth: 32, values: 65_536)
    /// The longest method and the longest id in bytes.
    private static let (methodBytes, idBytes) = (128, 512)

    /// Reads one message.
    ///
    /// - Throws: ``RPCRefusal`` for bytes that are not JSON, exceed a limit, are a batch, or are not JSON-RPC 2.0.
    package init(parsing bytes: [UInt8]) throws(RPCRefusal) {
        guard case .object(let members) = try Self.value(of: bytes) else {
            throw Self.invalid("expected one JSON-RPC object; batches are not supported")
        }
        let id = try Self.id(members["id"], of: members["method"])
        guard members["jsonrpc"] == .string("2.0") else {
            throw Self.invalid("field \"jsonrpc\": expected \"2.0\"", id)
        }
        guard let named = members["method"] else {
            guard id != nil, members["result"] != nil || members["error"] != nil else {
                throw Self.invalid("field \"method\": is required", id)
            }
            self = .reply
            return
        }
        guard case .string(let method) = named, (1...Self.methodBytes).contains(method.utf8.count) else {
            throw Self.invalid("field \"method\": expected a string of 1 to \(Self.methodBytes) bytes", id)
        }
        let params: [String: JSONValue]
        switch members["params"] {
        // Clients write null for what they leave out.
        case nil, .null?: params = [:]
        case .object(let given)?: params = given
        // A notification never gets an answer.
        case _ where id == nil: params = [:]
        default: throw Self.invalid("field \"params\": expected an object", id)
        }
        self =
            id.map { .request(RPCRequest(id: $0, method: method, params: params)) }
            ?? .notification(method: method, params: params)
    }

    private static func value(of bytes: [UInt8]) throws(RPCRefusal) -> JSONValue {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: bytes, limits: limits)
        } catch {
            let reason =
                switch error {
                case .malformed(let place): "the message is not valid JSON at byte \(place)"
                case .tooDeep(let limit): "the message is nested deeper than \(limit) levels, which is the limit"
                case .tooManyValues(let limit): "the message has more than \(limit) values, which is the limit"
                }
            throw RPCRefusal(id: .null, error: RPCError(.parse, reason))
        }
        guard let value = document.value else {
            throw RPCRefusal(id: .null, error: RPCError(.parse, "a string or a number of the message cannot be read"))
        }
        return value
    }

    /// The checked id; nil for a message without one.
    private static func id(_ given: JSONValue?, of method: JSONValue?) throws(RPCRefusal) -> JSONValue? {
        switch given {
        case nil: return nil
        case .null?:
            if case .string(let method)? = method, method.hasPrefix("notifications/") { return nil }
            throw invalid("field \"id\": must not be null for a request")
        case .string(let text)? where text.utf8.count <= idBytes: return given
        case .integer?: return given
        default: throw invalid("field \"id\": expected a whole number or a string of at most \(idBytes) bytes")
        }
    }

    private static func invalid(_ reason: String, _ id: JSONValue? = nil) -> RPCRefusal {
        RPCRefusal(id: id ?? .null, error: RPCError(.invalidRequest, reason))
    }
}

/// Writes replies and notifications of JSON-RPC 2.0.
package enum RPCReply {
    package static func result(_ result: JSONValue, to id: JSONValue) -> [UInt8] {
        JSONBytes.object([("jsonrpc", .string("2.0")), ("id", id), ("result", result)])
    }

    /// The reply with an error.
    ///
    /// - Parameter id: The id of the request; null when it is not known.
    package static func error(_ error: RPCError, to id: JSONValue) -> [UInt8] {
        JSONBytes.object([("jsonrpc", .string("2.0")), ("id", id), ("error", error.json)])
    }

    package static func notification(_ method: String, _ params: JSONValue) -> [UInt8] {
        JSONBytes.object([("jsonrpc", .string("2.0")), ("method", .string(method)), ("params", params)])
    }
}
