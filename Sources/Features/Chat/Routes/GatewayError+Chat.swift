import HTTPTypes
import Server

extension GatewayError {
    /// Maps a refusal of chat to HTTP; nil for any other error.
    package init?(chat error: any Error) {
        if let unknown = error as? NotesModels.Unknown {
            self.init(
                .notFound, .notFound,
                "no thread or book is behind the model \"\(unknown.name)\"; GET /api/tags lists the models")
            return
        }
        if let fault = error as? ModelRequestFault {
            self = .field(fault.field, fault.reason)
            return
        }
        guard let refusal = error as? ChatRefusal else { return nil }
        switch refusal {
        case .idInUse(let id):
            self.init(.conflict, .init(rawValue: "run_exists"), "the run \"\(id)\" answers another question")
        case .busy(let run):
            self.init(
                .conflict, .init(rawValue: "session_busy"),
                "the run \"\(run)\" of this session has not ended; read it, or stop it first",
                headers: [.location: "/api/chat/runs/\(run)"])
        case .unknownParent: self = .field("parent", "the session has no such message")
        case .tooMany(let limit):
            self.init(
                .tooManyRequests, .overloaded, "\(limit) answers are in progress already", headers: [.retryAfter: "5"])
        case .elsewhere(let id):
            self.init(.conflict, .init(rawValue: "run_elsewhere"), "another process works on the run \"\(id)\"")
        case .stopping: self.init(.serviceUnavailable, .shuttingDown, "the gateway is shutting down")
        }
    }
}
