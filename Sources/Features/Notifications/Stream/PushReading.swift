import Logging
import PushRoom

/// What readers of notifications need: the rows, the addresses of pictures, and what wakes them.
struct PushReading: Sendable {
    let room: PushRoom
    let pictures: PictureFetcher
    let hub: StreamHub
    let logger: Logger

    /// Logs what ended, and why.
    func logEnd(_ what: String, _ error: any Error) { logger.debug("\(what) ended", metadata: ["error": "\(error)"]) }
}
