import HTTPTypes
import Server

extension GatewayError {
    /// How an error of the export looks in HTTP; nil for any other.
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
