import GatewayAPI

@testable import MCP

/// Messages of assistants.
enum AssistantTargets {
    /// A message is read or refused with a reason, its revision is one that the server knows, and a reply is a message again.
    static let messages: FuzzBody = { bytes in
        var input = Input(bytes)
        let hasHeaders = input.byte() & 1 == 1
        let headers = hasHeaders ? MCPHeaders(version: text(&input), method: text(&input), name: text(&input)) : nil
        do throws(RPCRefusal) {
            guard case .request(let request) = try RPCMessage(parsing: Array(input.rest)) else { return }
            if case .string(let uri)? = request.params["uri"] { _ = ResourceAddress(uri) }
            do throws(RPCError) {
                let revision = try MCPEnvelope.revision(of: request, headers: headers)
                promise(MCPRevision(rawValue: revision.rawValue) == revision, "\(revision) is unknown")
                if revision.isStateless, let headers {
                    promise(headers.method == request.method, "\(request.method) has another method in its header")
                }
            } catch {
                check(RPCReply.error(error, to: request.id), of: request.id)
            }
            check(RPCReply.result(.object(request.params), to: request.id), of: request.id)
        } catch {
            promise(!error.error.message.isEmpty, "a refusal without a reason")
            _ = RPCReply.error(error.error, to: error.id)
        }
    }

    /// A header's value is the text that was written into it.
    static let headers: FuzzBody = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        promise(MCPHeaders.decoded(MCPHeaders.encoded(text)) == text, "\(text) is not what its header says")
        _ = MCPHeaders.decoded(text)
        _ = ResourceAddress(text)
    }

    private static func text(_ input: inout Input) -> String? {
        let piece = input.piece(upTo: 0x0A)
        return piece.isEmpty ? nil : String(decoding: piece, as: UTF8.self)
    }

    private static func check(_ reply: [UInt8], of id: JSONValue) {
        guard let document = try? JSONDocument(parsing: reply), case .object(let members)? = document.value else {
            return promise(false, "the reply is not an object of JSON")
        }
        promise(members["id"] == id, "the reply has another id")
    }
}
