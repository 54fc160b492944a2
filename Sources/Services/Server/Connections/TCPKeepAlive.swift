package import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets the system find clients that vanished without closing their connection: a phone out of reach, a machine without
/// power. Without it, a reader of events that nothing is sent to stays open without limit, and one that does not acknowledge
/// what it is sent for about fifteen minutes.
package enum TCPKeepAlive {
    /// Seconds without a byte before the system asks the peer whether it is there.
    package static let idleSeconds: CInt = 60
    /// Seconds between two questions.
    package static let intervalSeconds: CInt = 10
    /// Questions without an answer that end the connection: two minutes after the last byte in all.
    package static let questions: CInt = 6

    /// Sets the options of an accepted socket. Other channels stay as they are.
    package static func watch(_ channel: any Channel) {
        guard let options = channel.syncOptions else { return }
        try? options.setOption(.socketOption(.so_keepalive), value: 1)
        for (option, value) in probes { try? options.setOption(.tcpOption(option), value: .init(value)) }
    }

    /// The options of TCP, with their values.
    package static var probes: [(NIOBSDSocket.Option, CInt)] {
        #if os(Linux)
        return [
            (.init(rawValue: TCP_KEEPIDLE), idleSeconds), (.init(rawValue: TCP_KEEPINTVL), intervalSeconds),
            (.init(rawValue: TCP_KEEPCNT), questions),
            // Milliseconds that sent bytes may stay unacknowledged. Probes wait while such bytes are on their way.
            (.init(rawValue: TCP_USER_TIMEOUT), (idleSeconds + intervalSeconds * questions) * 1000),
        ]
        #else
        return [
            (.init(rawValue: TCP_KEEPALIVE), idleSeconds), (.init(rawValue: TCP_KEEPINTVL), intervalSeconds),
            (.init(rawValue: TCP_KEEPCNT), questions),
        ]
        #endif
    }
}
