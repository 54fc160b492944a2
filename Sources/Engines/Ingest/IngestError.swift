/// The reason why a source cannot be read at all.
package struct IngestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for people.
    package var message: String

    /// The message.
    package var description: String { message }
}
