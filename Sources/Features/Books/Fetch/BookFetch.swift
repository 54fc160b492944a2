import Transport

/// Fetches the file of a book from a URL.
package struct BookFetch: Sendable {
    /// The longest URL in bytes.
    package static let maxURLBytes = PublicFetch.maxURLBytes

    private let fetch: PublicFetch

    /// - Parameter allowsPrivate: Whether addresses in private networks and of this machine are connected to, too.
    package init(allowsPrivate: Bool) {
        fetch = PublicFetch(
            accepts: "application/epub+zip, application/pdf, text/html, text/markdown, text/plain, */*;q=0.5",
            limits: PublicFetch.Limits(
                total: .seconds(300), connect: .seconds(15), firstByte: .seconds(60), idle: .seconds(30)),
            allowsPrivate: allowsPrivate)
    }

    /// What was fetched.
    package struct Fetched: Sendable, Hashable {
        /// The URL after redirects.
        package var url: String
        package var contentType: String?
    }

    /// Fetches a file.
    ///
    /// - Parameter write: Takes the bytes as they arrive.
    /// - Throws: ``BookRefusal/url(_:)``, ``BookRefusal/privateAddress(_:)``, what `write` throws, `CancellationError`.
    package func fetch(_ url: String, _ write: ([UInt8]) throws -> Void) async throws -> Fetched {
        do {
            let fetched = try await fetch.fetch(url, write)
            return Fetched(url: fetched.url, contentType: fetched.contentType)
        } catch let failure as PublicFetch.Failure {
            switch failure {
            case .url(let sentence): throw BookRefusal.url(sentence)
            case .privateAddress(let host): throw BookRefusal.privateAddress(host)
            }
        }
    }
}
