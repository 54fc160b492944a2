import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Fetches a file from a URL that a client names. Follows redirects itself, so that each address is checked when it is
/// connected to.
package struct PublicFetch: Sendable {
    /// The longest URL in bytes.
    package static let maxURLBytes = 4096
    /// Redirects that are followed.
    static let maxRedirects = 5

    /// What a fetch may take.
    package struct Limits: Sendable {
        /// The time for everything.
        package var total: Duration
        /// The time for a connection.
        package var connect: Duration
        /// The time from a request to the head of its answer.
        package var firstByte: Duration
        /// The time between two reads.
        package var idle: Duration

        package init(total: Duration, connect: Duration, firstByte: Duration, idle: Duration) {
            self.total = total
            self.connect = connect
            self.firstByte = firstByte
            self.idle = idle
        }
    }

    /// Why a file cannot be fetched.
    package enum Failure: Error, Sendable, Hashable {
        /// A sentence.
        case url(String)
        /// The address of this host is not public.
        case privateAddress(String)
    }

    /// What was fetched.
    package struct Fetched: Sendable, Hashable {
        /// The URL after redirects.
        package var url: String
        package var contentType: String?
        /// Whether the file has more bytes than were asked for.
        package var isCut: Bool
    }

    private let accepts: String
    private let limits: Limits
    private let allowsPrivate: Bool

    /// - Parameters:
    ///   - accepts: The header field `Accept`.
    ///   - allowsPrivate: Whether addresses in private networks and of this machine are connected to, too.
    package init(accepts: String, limits: Limits, allowsPrivate: Bool) {
        self.accepts = accepts
        self.limits = limits
        self.allowsPrivate = allowsPrivate
    }

    /// Fetches a file.
    ///
    /// - Parameters:
    ///   - maxBytes: Ends the fetch after so many bytes of the file.
    ///   - write: Takes the bytes as they arrive; what it throws ends the fetch.
    /// - Throws: ``Failure``, what `write` throws, `CancellationError`.
    package func fetch(
        _ url: String, atMost maxBytes: Int = .max, _ write: ([UInt8]) throws -> Void
    ) async throws -> Fetched {
        let deadline = ContinuousClock.now + limits.total
        var target = try Target(url)
        for _ in 0...Self.maxRedirects {
            let outcome: Outcome
            do {
                outcome = try await fetch(target, deadline, maxBytes, write)
            } catch let error as UpstreamError {
                throw Self.failure(error, target)
            }
            switch outcome {
            case .written(let contentType, let isCut):
                return Fetched(url: target.url, contentType: contentType, isCut: isCut)
            case .redirect(let next): target = next
            }
        }
        throw Failure.url("the URL redirects more than \(Self.maxRedirects) times")
    }

    /// The end of one request.
    private enum Outcome {
        case written(contentType: String?, isCut: Bool)
        case redirect(Target)
    }

    /// Fetches one URL.
    private func fetch(
        _ target: Target, _ deadline: ContinuousClock.Instant, _ maxBytes: Int, _ write: ([UInt8]) throws -> Void
    ) async throws -> Outcome {
        let left = deadline - .now
        guard left > .zero else { throw late(target) }
        var configuration = UpstreamConfiguration(baseURL: target.base, peer: target.host)
        configuration.connectTimeout = min(limits.connect, left)
        configuration.firstByteTimeout = min(limits.firstByte, left)
        configuration.idleTimeout = limits.idle
        configuration.connectsToPublicAddressesOnly = !allowsPrivate
        configuration.maxTransfers = 1
        let transport = try UpstreamTransport(configuration: configuration)
        var request = UpstreamRequest(method: "GET", path: target.path)
        request.headers = [("Accept", accepts), ("Accept-Encoding", "identity")]
        let response = try await transport.send(request)
        defer { response.body.cancel() }
        switch response.status {
        case 200:
            let contentType = response.head["Content-Type"]
            var room = maxBytes
            for try await chunk in response.body {
                guard ContinuousClock.now < deadline else { throw late(target) }
                try write(Array(chunk.readableBytesView.prefix(room)))
                guard chunk.readableBytes <= room else { return .written(contentType: contentType, isCut: true) }
                room -= chunk.readableBytes
            }
            return .written(contentType: contentType, isCut: false)
        case 301, 302, 303, 307, 308:
            guard let location = response.head["Location"] else {
                throw Failure.url("\(target.host) redirects without saying where to")
            }
            return .redirect(try target.redirected(to: location))
        case 401, 402, 403, 407, 451:
            throw Failure.url("\(target.host) does not let everybody read it (status \(response.status))")
        default: throw Failure.url("\(target.host) answered with status \(response.status)")
        }
    }

    private func late(_ target: Target) -> Failure { .url("\(target.host) took longer than \(limits.total)") }

    private static func failure(_ error: UpstreamError, _ target: Target) -> any Error {
        switch error.code {
        case .privateAddress: Failure.privateAddress(target.host)
        case .cancelled: CancellationError()
        default: Failure.url("\(target.host) cannot be reached: \(error.message)")
        }
    }

    /// A checked URL.
    struct Target {
        let url: String
        /// Scheme, host and port.
        let base: String
        let host: String
        /// The path with its query.
        let path: String
        private let address: URL

        init(_ text: String) throws(Failure) {
            guard text.utf8.count <= PublicFetch.maxURLBytes, let url = URL(string: text) else {
                throw .url("the URL is not valid")
            }
            try self.init(url)
        }

        private init(_ url: URL) throws(Failure) {
            guard let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true),
                let scheme = parts.scheme?.lowercased(), let host = parts.encodedHost, !host.isEmpty,
                host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw .url("the URL is not valid; expected http://… or https://…") }
            guard scheme == "http" || scheme == "https" else {
                throw .url("only http and https URLs are fetched, not \(scheme)")
            }
            guard parts.user == nil, parts.password == nil else {
                throw .url("the URL has a user name or a password, which is not sent")
            }
            self.host = host
            base = scheme + "://" + host + (parts.port.map { ":\($0)" } ?? "")
            let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
            self.path = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
            self.url = base + self.path
            address = url
        }

        func redirected(to location: String) throws(Failure) -> Target {
            guard location.utf8.count <= PublicFetch.maxURLBytes, let next = URL(string: location, relativeTo: address)
            else { throw .url("\(host) redirects to a URL that is not valid") }
            return try Target(next.absoluteURL)
        }
    }
}
