/// A file or folder that cannot be created, read, written or renamed.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; the raw value is its name in logs.
    package enum Code: String, Sendable {
        /// It cannot be opened or created, or its content is of no use.
        case cannotOpen = "cannot_open"
        /// The new name is taken.
        case conflict
        /// The disk or the user's quota is full.
        case diskFull = "disk_full"
        /// Any other error of the system.
        case failed
    }

    /// The kind of failure.
    package let code: Code
    /// A sentence that names the path.
    package let message: String

    package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// The code and the message.
    package var description: String { "\(code.rawValue): \(message)" }
}
