package import Traffic

/// A row of the log.
package struct StoredRequest: Sendable, Hashable {
    /// Ids only grow.
    package var id: Int64
    package var entry: RequestLogEntry
}
