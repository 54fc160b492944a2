package import Machine

extension StorageError {
    /// Creates the error of a file beside the database, with the same code in logs and the same message.
    package init(_ error: FileError) {
        let code: Code =
            switch error.code {
            case .cannotOpen: .cannotOpen
            case .conflict: .conflict
            case .diskFull: .diskFull
            case .failed: .failed
            }
        self.init(code, error.message)
    }
}
