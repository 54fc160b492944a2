import HTTPTypes
import Inference
import Testing

@testable import LLM

/// What the head of a request says, and the head that goes to the upstream.
@Suite struct ProxiedRequests {
    static func request(
        _ target: String, _ method: HTTPRequest.Method = .post, _ fields: HTTPFields = [:],
        kind: ProxyPolicy.Kind? = nil
    ) throws -> ProxiedRequest {
        let head = HTTPRequest(method: method, scheme: "http", authority: "x", path: target, headerFields: fields)
        return ProxiedRequest(head, kind: try kind ?? #require(ProxyPolicy.kind(of: target, method: method)))
    }

    @Test func `the path has no query, and the upstream gets it with its query`() throws {
        let request = try Self.request("/api/chat?a=b/embed")
        #expect(request.path == "/api/chat")
        #expect(request.upstreamPath(.none) == "/api/chat?a=b/embed")
        #expect(request.namedModel == nil)
        #expect(request.route == .inference)
    }

    @Test func `an alias in the path gives way to the real name`() throws {
        let rules = try ModelRules(aliases: ["fast": "small:1b"])
        #expect(try Self.request("/v1/models/fast?x=1", .get).upstreamPath(rules) == "/v1/models/small:1b?x=1")
        #expect(try Self.request("/v1/models/f%61st", .get).upstreamPath(rules) == "/v1/models/small:1b")
        #expect(try Self.request("/v1/models/other", .get).upstreamPath(rules) == "/v1/models/other")
        #expect(try Self.request("/v1/models/%zz", .get).namedModel == "%zz")
    }

    @Test func `a counted answer comes unpacked, and a body that was read goes on as JSON`() throws {
        let fields: HTTPFields = [
            .acceptEncoding: "gzip", .contentType: "text/plain", .authorization: "Bearer x", .userAgent: "u",
        ]
        func names(_ target: String, isCounted: Bool, isReadAsJSON: Bool) throws -> [String] {
            try Self.request(target, .post, fields).upstreamHeaders(isCounted: isCounted, isReadAsJSON: isReadAsJSON)
                .map { "\($0.name.lowercased()): \($0.value)" }
        }
        #expect(
            try names("/api/chat", isCounted: false, isReadAsJSON: false)
                == ["accept-encoding: gzip", "content-type: text/plain", "user-agent: u"])
        #expect(
            try names("/api/chat", isCounted: true, isReadAsJSON: true)
                == ["user-agent: u", "content-type: application/json"])
        #expect(try names("/api/show", isCounted: true, isReadAsJSON: false).contains("accept-encoding: gzip"))
    }

    @Test func `a body in another form than plain JSON is told by its headers`() throws {
        #expect(try !Self.request("/api/chat", .post, [.contentEncoding: "Identity"]).isEncoded)
        #expect(try Self.request("/api/chat", .post, [.contentEncoding: "gzip"]).isEncoded)
        #expect(try Self.request("/api/chat", .post, [.contentType: "Multipart/form-data; boundary=x"]).isEncoded)
        #expect(try !Self.request("/api/chat", .post, [.contentType: "application/json"]).isEncoded)
    }

    @Test func `lists are made for reading, and what changes models is noted`() throws {
        #expect(try Self.request("/api/tags", .get).mayList)
        #expect(try Self.request("/api/tags", .head).mayList)
        #expect(try !Self.request("/api/show").mayList)
        #expect(try Self.request("/api/pull").changesModels)
        #expect(try !Self.request("/api/blobs/sha256:00").changesModels)
        #expect(try !Self.request("/api/chat").changesModels)
        #expect(try Self.request("/v1/unheard").route == .catalogue)
    }

    @Test func `the headers say how the body and the connection end`() throws {
        let framing = try Self.request(
            "/api/chat", .post, [.contentLength: "12", .expect: "100-Continue", .connection: "x, Close"]
        ).framing
        #expect(framing.length == 12 && framing.expectsContinue && framing.closes)
        let plain = try Self.request("/api/chat").framing
        #expect(plain.length == nil && !plain.expectsContinue && !plain.closes)
    }
}
