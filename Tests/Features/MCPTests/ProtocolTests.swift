import GatewayAPI
import Testing

@testable import MCP

/// Messages, envelopes and headers, without a server.
@Suite struct Protocols {
    private func message(_ text: String) throws(RPCRefusal) -> RPCMessage { try RPCMessage(parsing: Array(text.utf8)) }

    @Test func `a message is a request, a notification or a reply`() throws {
        let request = try message(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        #expect(request == .request(RPCRequest(id: .integer(1), method: "ping")))
        let named = try message(#"{"jsonrpc":"2.0","id":"a","method":"x","params":{"y":1}}"#)
        #expect(named == .request(RPCRequest(id: .string("a"), method: "x", params: ["y": .integer(1)])))
        let note = try message(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        #expect(note == .notification(method: "notifications/initialized", params: [:]))
        #expect(try message(#"{"jsonrpc":"2.0","id":1,"result":{}}"#) == .reply)
    }

    @Test(arguments: ["ping", "tools/list", "initialize", "resources/list", "prompts/list"])
    func `parameters of null are absent`(_ method: String) throws {
        let request = try message(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":null}"#)
        #expect(request == .request(RPCRequest(id: .integer(1), method: method)))
    }

    @Test(arguments: [
        #""params":null"#, #""params":[]"#, #""params":"x""#, #""params":7"#, #""id":null"#,
        #""id":null,"params":null"#,
    ])
    func `a notification is never refused for its parameters, so it gets no answer`(_ member: String) throws {
        let note = try message(#"{"jsonrpc":"2.0","method":"notifications/initialized",\#(member)}"#)
        #expect(note == .notification(method: "notifications/initialized", params: [:]))
    }

    @Test(arguments: [
        ("", RPCError.Code.parse), ("{", .parse), ("\u{FEFF}{}", .invalidRequest), ("[]", .invalidRequest),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, .invalidRequest), ("1", .invalidRequest),
        ("{}", .invalidRequest), (#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1,"method":""}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1,"method":"x","params":[]}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":"\ud800","method":"x"}"#, .parse),
        (String(repeating: "[", count: 100_000), .parse),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":["# + String(repeating: "1,", count: 70_000) + "1]}}",
            .parse
        ),
    ])
    func `what is no message is refused`(_ text: String, _ code: RPCError.Code) {
        let refusal = #expect(throws: RPCRefusal.self) { try message(text) }
        #expect(refusal?.error.code == code)
    }

    @Test func `a refusal answers the id when it is known`() {
        let known = #expect(throws: RPCRefusal.self) { try message(#"{"jsonrpc":"2.0","id":7}"#) }
        #expect(known?.id == .integer(7))
        let unknown = #expect(throws: RPCRefusal.self) { try message("x") }
        #expect(unknown?.id == .null)
        let reply = RPCReply.error(RPCError(.parse, "p"), to: .null)
        #expect(
            String(decoding: reply, as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"p"}}"#)
    }

    private static func stateless(_ method: String, _ more: [String: JSONValue] = [:]) -> RPCRequest {
        let meta = JSONValue.object([
            MCPEnvelope.versionKey: .string("2026-07-28"), "io.modelcontextprotocol/clientCapabilities": .object([:]),
        ])
        return RPCRequest(id: .integer(1), method: method, params: more.merging(["_meta": meta]) { $1 })
    }

    @Test func `a client with a handshake names its revision in a header, or none`() throws {
        let list = RPCRequest(id: .integer(1), method: "tools/list")
        #expect(try MCPEnvelope.revision(of: list, headers: MCPHeaders()) == .march2025)
        #expect(try MCPEnvelope.revision(of: list, headers: MCPHeaders(version: "2025-11-25")) == .november2025)
        #expect(try MCPEnvelope.revision(of: list, headers: nil, agreed: .june2025) == .june2025)
        let odd = #expect(throws: RPCError.self) {
            try MCPEnvelope.revision(of: list, headers: MCPHeaders(version: "2023-01-01"))
        }
        #expect(odd?.code == .unsupportedVersion)
        #expect(MCPRevision.negotiated("2024-11-05") == .november2024)
        #expect(MCPRevision.negotiated("2026-07-28") == .november2025)
        #expect(MCPRevision.negotiated("1900-01-01") == .november2025 && MCPRevision.negotiated(nil) == .november2025)
    }

    @Test func `a stateless request must describe itself, and its headers equal its body`() throws {
        let call = Self.stateless("tools/call", ["name": .string("grüße")])
        var headers = MCPHeaders(version: "2026-07-28", method: "tools/call", name: MCPHeaders.encoded("grüße"))
        #expect(headers.name?.hasPrefix("=?base64?") == true)
        #expect(try MCPEnvelope.revision(of: call, headers: headers) == .july2026)
        #expect(try MCPEnvelope.revision(of: call, headers: nil) == .july2026)
        for (name, value) in [("plain", "plain"), (" edge ", "=?base64?IGVkZ2Ug?="), ("", "")] {
            #expect(MCPHeaders.encoded(name) == value)
            #expect(MCPHeaders.decoded(value) == name)
        }
        for wrong in ["=?base64?!?=", "=?base64?/w==?=", "=?base64?IGVkZ2Uh=?=", nil, "x"] {
            headers.name = wrong
            let error = #expect(throws: RPCError.self) { try MCPEnvelope.revision(of: call, headers: headers) }
            #expect(error?.code == .headerMismatch, "\(wrong ?? "nil")")
        }
        for headers in [
            MCPHeaders(method: "tools/list"), MCPHeaders(version: "2025-11-25", method: "tools/list"),
            MCPHeaders(version: "2026-07-28"), MCPHeaders(version: "2026-07-28", method: "Tools/List"),
        ] {
            let error = #expect(throws: RPCError.self) {
                try MCPEnvelope.revision(of: Self.stateless("tools/list"), headers: headers)
            }
            #expect(error?.code == .headerMismatch)
        }
    }

    @Test func `an incomplete envelope and an unknown revision are refused`() {
        func code(_ meta: JSONValue?, _ headers: MCPHeaders?) -> RPCError.Code? {
            var params: [String: JSONValue] = [:]
            params["_meta"] = meta
            let request = RPCRequest(id: .integer(1), method: "server/discover", params: params)
            return #expect(throws: RPCError.self) { try MCPEnvelope.revision(of: request, headers: headers) }?.code
        }
        let capabilities = "io.modelcontextprotocol/clientCapabilities"
        #expect(code(nil, nil) == .invalidParams)
        #expect(code(.object([MCPEnvelope.versionKey: .string("2026-07-28")]), nil) == .invalidParams)
        #expect(code(.object([capabilities: .object([:])]), nil) == .invalidParams)
        #expect(
            code(.object([MCPEnvelope.versionKey: .integer(1), capabilities: .object([:])]), nil) == .invalidParams)
        let future = JSONValue.object([MCPEnvelope.versionKey: .string("2099-01-01"), capabilities: .object([:])])
        #expect(code(future, nil) == .unsupportedVersion)
        #expect(
            code(future, MCPHeaders(version: "2099-01-01", method: "server/discover")) == .unsupportedVersion)
        #expect(code(future, MCPHeaders(version: "2026-07-28", method: "server/discover")) == .headerMismatch)
    }

    @Test func `addresses of resources are read strictly`() {
        #expect(ResourceAddress("selene://note/12") == .note(12))
        #expect(ResourceAddress("selene://note/12-tide-gauge") == .note(12))
        #expect(ResourceAddress("selene://thread/3") == .thread(3))
        #expect(ResourceAddress("selene://book/4/page/xii") == .page(4, "xii"))
        for wrong in [
            "", "selene://", "selene://note", "selene://note/", "selene://note/x", "selene://note/1/2",
            "selene://note/-1",
            "selene://note/12x", "http://note/1", "selene://book/1", "selene://book/1/page/", "selene://other/1",
            "selene://note/99999999999999999999", "selene://note/" + String(repeating: "1", count: 600),
        ] { #expect(ResourceAddress(wrong) == nil, "\(wrong)") }
        #expect(ResourceAddress.slug(12, "Tide gauge: Où?") == "12-tide-gauge-o")
    }
}
