import Logging
import Storage

/// What readers of notifications need: the rows, the addresses of pictures, and what wakes them.
struct PushReading: Sendable {
    let database: GatewayDatabase
    let pictures: PictureFetcher
    let hub: StreamHub
    let logger: Logger

    /// Logs what ended, and why.
    func logEnd(_ what: String, _ error: any Error) { logger.debug("\(what) ended", metadata: ["error": "\(error)"]) }
}
