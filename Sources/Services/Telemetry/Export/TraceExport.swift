import Foundation
import Inference
package import Transport

/// Where traces go: the collector's address and headers, and how the gateway is called there.
package struct TraceExport: Sendable {
    /// A setting with a wrong value.
    package struct Fault: Error, Equatable {
        /// What was expected.
        package let expected: String
    }

    /// The address without `/v1/traces`, and timeouts.
    package let upstream: UpstreamConfiguration
    /// Further headers of each request, such as one with a key.
    package let headers: [(name: String, value: String)]
    /// The attribute `service.name`.
    package let service: String

    /// Checks an address.
    ///
    /// - Throws: ``Fault``.
    package init(endpoint: String, headers: [(name: String, value: String)], service: String) throws(Fault) {
        let expected = Fault(expected: "the address of a collector for OTLP over HTTP, such as http://127.0.0.1:4318,")
        guard endpoint.hasPrefix("http://") || endpoint.hasPrefix("https://"),
            var upstream = try? UpstreamConfiguration(host: endpoint)
        else { throw expected }
        upstream.peer = "the collector"
        upstream.firstByteTimeout = .seconds(10)
        upstream.idleTimeout = .seconds(10)
        upstream.maxIdleConnections = 1
        upstream.maxTransfers = 4
        (self.upstream, self.headers, self.service) = (upstream, headers, service)
    }

    /// Headers that the gateway sets itself.
    private static let ownHeaders: Set<String> = [
        "content-type", "content-length", "transfer-encoding", "host", "connection", "expect", "upgrade", "te",
        "trailer",
    ]

    /// Reads a list of headers: `name=value,name=value`, values percent-encoded.
    ///
    /// - Throws: ``Fault``, which does not repeat the text.
    package static func headers(_ text: String) throws(Fault) -> [(name: String, value: String)] {
        let expected = Fault(expected: "a list such as authorization=Bearer%20KEY, other=value, percent-encoded,")
        var headers: [(name: String, value: String)] = []
        for part in text.split(separator: ",") where part.contains(where: { $0 != " " }) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
            guard pair.count == 2, let value = pair[1].removingPercentEncoding, isName(pair[0]),
                !ownHeaders.contains(pair[0].lowercased()), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { throw expected }
            headers.append((pair[0], value))
        }
        return headers
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " }
        return String(start.prefix(upTo: start.lastIndex { $0 != " " }.map(start.index(after:)) ?? start.startIndex))
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
