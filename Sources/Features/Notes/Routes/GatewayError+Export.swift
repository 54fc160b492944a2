import HTTPTypes
import Server

extension GatewayError {
    /// Maps an export error to HTTP; nil for any other error.
    package init?(export error: any Error) {
        switch error as? ExportError {
        case .isRunning:
            self.init(
                .conflict, GatewayError.Code(rawValue: "export_running"), "another export is running; try again later")
        case .unusableFolder(let reason):
            self.init(.serviceUnavailable, GatewayError.Code(rawValue: "export_failed"), "cannot export: \(reason)")
        case .noNote(let id): self.init(.notFound, .notFound, "there is no note \(id)")
        case nil: return nil
        }
    }
}
