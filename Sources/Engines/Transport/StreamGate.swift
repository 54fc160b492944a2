/// Decides how many transfers may be on the one connection of HTTP/2.
///
/// A new connection carries a single request, the scout, until the server accepted its sender. Services may allow one
/// stream until then, and libcurl would lose the streams beyond it. libcurl opens connections by itself, also for
/// transfers that were on a connection that went away: those that are not the scout have to leave libcurl then.
struct StreamGate {
    /// The most transfers on a connection that has answered.
    let limit: Int
    /// Whether the connection has answered a request, and accepted its sender.
    private(set) var isWarm = false
    /// The transfer that is alone on a connection that is not warm.
    private(set) var scout: UInt?
    /// Whether transfers that are not the scout have to leave libcurl.
    private(set) var mustClear = false

    /// The most transfers that libcurl may have now.
    var room: Int { isWarm ? limit : 1 }

    /// A transfer is given to libcurl.
    mutating func begins(_ transfer: UInt) {
        if !isWarm, scout == nil { scout = transfer }
    }

    /// libcurl opens a connection for a transfer.
    mutating func connectionOpens(for transfer: UInt) {
        isWarm = false
        scout = transfer
        mustClear = true
    }

    /// All transfers but the scout have left libcurl.
    mutating func cleared() { mustClear = false }

    /// A response's head arrived. A connection whose scout was refused access stays as it is: the next one tries.
    mutating func answered(_ transfer: UInt, status: Int) {
        guard scout == transfer else { return }
        scout = nil
        isWarm = status != 401 && status != 403
    }

    /// A transfer is gone.
    ///
    /// - Returns: Whether it was the scout and had no answer, so that the connection is useless.
    mutating func ended(_ transfer: UInt) -> Bool {
        guard scout == transfer else { return false }
        scout = nil
        return true
    }

    /// The connection is gone.
    mutating func connectionDropped() {
        isWarm = false
        scout = nil
        mustClear = false
    }
}

/// The connection of HTTP/2 as the handles' callbacks see it. Confined to the turn.
final class StreamConnection {
    var gate: StreamGate
    /// When a byte of a response arrived for the last time.
    var lastArrival = ContinuousClock.now

    init(limit: Int) { gate = StreamGate(limit: limit) }
}
