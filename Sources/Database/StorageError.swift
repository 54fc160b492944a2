/// An error of a store.
package struct StorageError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. New kinds may be added; compare with the constants.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name in logs.
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be opened or created.
        package static let cannotOpen = Code(rawValue: "cannot_open")
        /// The file is not an SQLite database, or is damaged.
        package static let corrupt = Code(rawValue: "corrupt")
        /// The disk or the file's quota is full. Nothing of the transaction was written.
        package static let diskFull = Code(rawValue: "disk_full")
        /// Another process kept the file locked for longer than the timeout.
        package static let busy = Code(rawValue: "busy")
        /// The file or its folder is not writable.
        package static let readOnly = Code(rawValue: "read_only")
        /// The row does not exist.
        package static let notFound = Code(rawValue: "not_found")
        /// A row that must be unique exists already.
        package static let conflict = Code(rawValue: "conflict")
        /// The request created its row before, and the row was deleted since.
        package static let duplicate = Code(rawValue: "duplicate")
        /// The name of a request belongs to another request.
        package static let reused = Code(rawValue: "key_reused")
        /// A value cannot be stored.
        package static let invalid = Code(rawValue: "invalid")
        /// A table or column is missing: another program is changing its tables, or the file has a different schema.
        package static let schema = Code(rawValue: "schema")
        /// A newer version of the gateway wrote the database.
        package static let newerVersion = Code(rawValue: "newer_version")
        /// Any other error that the database reports.
        package static let failed = Code(rawValue: "failed")
    }

    /// The kind of failure.
    package var code: Code
    /// A readable sentence.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    package var description: String { "\(code.rawValue): \(message)" }
}

/// An error of a store that may be away or busy, or refuse a row.
package protocol TransientError: Error {
    /// Whether the same call may succeed later.
    var isTransient: Bool { get }
    /// Whether the store refused a row or a value, and nothing else is wrong.
    var isRefusal: Bool { get }
}

extension TransientError {
    package var isRefusal: Bool { false }
}

extension StorageError: TransientError {
    package var isTransient: Bool { code == .busy || code == .schema }

    package var isRefusal: Bool { code == .conflict }
}
