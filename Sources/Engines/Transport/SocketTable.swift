import CCurl

/// The sockets that libcurl waits for.
///
/// libcurl drops a socket after every response and wants it again with the next request. Only the second reaches the
/// kernel: an unwanted socket stays watched until it reports an event, which is rare, or is closed.
struct SocketTable {
    private let poller: selene_poller
    private var wanted: Set<Int32> = []

    init(poller: selene_poller) { self.poller = poller }

    /// Sets what libcurl waits for on a socket; neither means that it dropped the socket.
    mutating func want(_ socket: Int32, reads: Bool, writes: Bool) {
        guard reads || writes else {
            wanted.remove(socket)
            return
        }
        wanted.insert(socket)
        // The number may have belonged to another socket before; the poller handles that.
        selene_poller_watch(poller, socket, reads, writes)
    }

    /// Whether libcurl wants an event of a socket. If not, stops watching the socket.
    func isWanted(_ socket: Int32) -> Bool {
        if wanted.contains(socket) { return true }
        selene_poller_watch(poller, socket, false, false)
        return false
    }
}
