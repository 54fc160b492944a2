import GatewayAPI
import NIOCore
import Text
package import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A SearXNG server: searches the web in JSON, by `POST /search` with `format=json`.
///
/// The query is in the body, so no log of addresses has it.
package struct SearXNG: Sendable {
    /// The largest answer in bytes.
    static let maxBytes = 4 << 20
    /// The time for everything. Ollama's own agent waits 15 seconds for a search.
    static let timeout = Duration.seconds(14)
    /// The longest text of a result, in UTF-8 bytes.
    static let maxTextBytes = 4000
    static let maxTitleBytes = 500
    static let maxURLBytes = 2048

    /// A page that was found.
    package struct Found: Sendable, Hashable, Encodable {
        package var title: String
        /// An absolute http or https address.
        package var url: String
        /// What the search engine shows of the page.
        package var content: String
    }

    private let transport: UpstreamTransport
    private let timeout: Duration

    /// - Parameter server: Its address.
    /// - Throws: ``UpstreamError`` when the process has no free descriptor.
    package init(_ server: UpstreamConfiguration) throws { try self.init(server, timeout: Self.timeout) }

    init(_ server: UpstreamConfiguration, timeout: Duration) throws {
        var server = server
        server.connectTimeout = min(.seconds(3), timeout)
        server.firstByteTimeout = timeout
        server.idleTimeout = min(.seconds(5), timeout)
        server.maxIdleConnections = 4
        server.maxTransfers = 64
        transport = try UpstreamTransport(configuration: server)
        self.timeout = timeout
    }

    /// Searches the web.
    ///
    /// - Parameter count: The most pages that are returned, the best first.
    /// - Throws: ``WebFailure``, `CancellationError`.
    package func search(_ query: String, count: Int) async throws -> [Found] {
        let (status, bytes) = try await ask(query)
        guard status == 200 else { throw Self.refusal(status) }
        let answer = try Self.answer(bytes)
        var known: Set<String> = []
        var found: [Found] = []
        for page in answer.results.lazy.compactMap(Self.found) where known.insert(page.url).inserted {
            guard found.count < count else { break }
            found.append(page)
        }
        if found.isEmpty, !answer.silent.isEmpty { throw WebFailure.silent(answer.silent) }
        return found
    }

    /// Checks that the server answers in JSON. Asks without a query, so nothing is searched.
    ///
    /// - Throws: ``WebFailure``, `CancellationError`.
    package func check() async throws {
        let (status, bytes) = try await ask("")
        // Without a query SearXNG says in JSON what is missing; formats that are off are refused before that.
        guard status == 400 || status == 200 else { throw Self.refusal(status) }
        guard let document = try? JSONDocument(parsing: bytes), !document.isArray,
            (try? document.decode([String: JSONValue].self)) != nil
        else { throw Self.notJSON(bytes) }
    }

    /// Ends what is in flight.
    package func close() async { await transport.shutdown(within: .zero) }

    private func ask(_ query: String) async throws -> (status: Int, bytes: [UInt8]) {
        let deadline = ContinuousClock.now + timeout
        var request = UpstreamRequest(method: "POST", path: "/search")
        request.headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            // Its limiter refuses clients that would not take a page.
            ("Accept", "application/json, text/html;q=0.1"), ("Accept-Encoding", "identity"),
        ]
        request.body = ByteBuffer(string: "q=\(Self.encoded(query))&format=json")
        do {
            let response = try await transport.send(request)
            defer { response.body.cancel() }
            var bytes: [UInt8] = []
            for try await chunk in response.body {
                guard ContinuousClock.now < deadline else { throw late }
                guard bytes.count + chunk.readableBytes <= Self.maxBytes else {
                    throw WebFailure.invalid("its answer has more than \(Self.maxBytes >> 20) MiB")
                }
                bytes += chunk.readableBytesView
            }
            return (response.status, bytes)
        } catch let error as UpstreamError {
            switch error.code {
            case .cancelled: throw CancellationError()
            case .connectTimeout, .firstByteTimeout, .idleTimeout: throw late
            case .refused, .dns: throw WebFailure.unreachable("nothing answers at its address")
            default: throw WebFailure.unreachable("the connection failed (\(error.code.rawValue))")
            }
        }
    }

    private var late: WebFailure { .late(Int(timeout.components.seconds)) }

    private static func refusal(_ status: Int) -> WebFailure {
        switch status {
        case 403: .noJSON
        case 429: .limited
        default: .status(status)
        }
    }

    /// A text as a form has it.
    static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                encoded.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    // MARK: Answers

    /// The parts of SearXNG's answer that are used.
    struct Answer {
        var results: [Result]
        /// Engines that gave no answer, with the reason.
        var silent: [String]

        struct Result {
            var title: String
            var url: String
            var content: String
        }
    }

    /// Reads an answer. Results without an address are left out, and texts of another type count as empty.
    ///
    /// - Throws: ``WebFailure``.
    static func answer(_ bytes: [UInt8]) throws(WebFailure) -> Answer {
        guard let document = try? JSONDocument(parsing: bytes) else { throw notJSON(bytes) }
        guard case .object(let members)? = document.value, case .array(let results)? = members["results"] else {
            throw .invalid("its answer has no list of results")
        }
        var silent: [String] = []
        if case .array(let engines)? = members["unresponsive_engines"] {
            silent = engines.prefix(20).compactMap(engine)
        }
        return Answer(results: results.compactMap(result), silent: silent)
    }

    private static func result(_ value: JSONValue) -> Answer.Result? {
        guard case .object(let members) = value, case .string(let url)? = members["url"] else { return nil }
        return Answer.Result(title: text(members["title"]), url: url, content: text(members["content"]))
    }

    /// An engine's name, and the reason of its silence.
    private static func engine(_ value: JSONValue) -> String? {
        guard case .array(let parts) = value else { return nil }
        let texts = parts.prefix(2).map { clipped(text($0), 80) }.filter { !$0.isEmpty }
        guard let name = texts.first else { return nil }
        return texts.count > 1 ? "\(name) (\(texts[1]))" : name
    }

    private static func text(_ value: JSONValue?) -> String {
        guard case .string(let text)? = value else { return "" }
        return text
    }

    /// Nil for an address that is no page's.
    private static func found(_ result: Answer.Result) -> Found? {
        let url = result.url
        let scheme = url.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://"), url.utf8.count <= maxURLBytes else {
            return nil
        }
        return Found(
            title: clipped(result.title, maxTitleBytes), url: url, content: clipped(result.content, maxTextBytes))
    }

    private static func notJSON(_ bytes: [UInt8]) -> WebFailure {
        let start = bytes.prefix(512).drop { $0 <= 0x20 }
        return start.first == UInt8(ascii: "<") ? .noJSON : .invalid("its answer is not JSON")
    }

    private static func clipped(_ text: String, _ bytes: Int) -> String {
        UTF8Border.part(of: text, 0..<bytes).text
    }
}
