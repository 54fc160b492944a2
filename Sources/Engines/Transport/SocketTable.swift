import CCurl

/// Which sockets libcurl waits for.
///
/// libcurl lets go of a socket after every response and asks for it again with the next request. The kernel is told of the
/// latter only: a socket that is not wanted stays watched until it reports something, which is rare, or is closed.
struct SocketTable {
    private let poller: selene_poller
    private var wanted: Set<Int32> = []

    init(poller: selene_poller) { self.poller = poller }

    /// libcurl wants a socket watched, or wants nothing of it for now.
    mutating func want(_ socket: Int32, reads: Bool, writes: Bool) {
        guard reads || writes else {
            wanted.remove(socket)
            return
        }
        wanted.insert(socket)
        // A number may have been another socket's; the poller finds out.
        selene_poller_watch(poller, socket, reads, writes)
    }

    /// Whether libcurl wants to hear of an event; if not, the socket is not watched any more.
    func isWanted(_ socket: Int32) -> Bool {
        if wanted.contains(socket) { return true }
        selene_poller_watch(poller, socket, false, false)
        return false
    }
}
