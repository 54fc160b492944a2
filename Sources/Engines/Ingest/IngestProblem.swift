/// One item that could not be read. Reading continues with the next item.
package struct IngestProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file, or the file and the line.
    package var location: String
    /// What is wrong with it.
    package var reason: String
    /// Whether the item is only empty, which is not an error.
    package var isEmpty = false

    package init(location: String, reason: String, isEmpty: Bool = false) {
        self.location = location
        self.reason = reason
        self.isEmpty = isEmpty
    }

    /// Location and reason.
    package var description: String { "\(location): \(reason)" }
}
