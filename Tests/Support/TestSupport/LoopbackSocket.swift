import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// TCP sockets at 127.0.0.1, for clients and servers that break the rules of HTTP.
package enum LoopbackSocket {
    /// Connects to a port and returns the descriptor. Reads fail after `timeout` seconds without a byte.
    ///
    /// - Parameter receiveBuffer: Size of the kernel's receive buffer in bytes; the system's default when nil.
    static func connected(to port: Int, timeout: Int, receiveBuffer: Int32?) throws -> Int32 {
        let descriptor = stream()
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = address(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw POSIXError(.ECONNREFUSED)
        }
        return descriptor
    }

    /// Binds a socket to a port; 0: one that the system chooses.
    static func bound(to port: Int = 0) throws -> (descriptor: Int32, port: Int) {
        let descriptor = stream()
        var address = address(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Listens at a port that the system chooses.
    static func listening() throws -> (listener: Int32, port: Int) {
        let (listener, port) = try bound()
        guard listen(listener, 16) == 0 else {
            close(listener)
            throw POSIXError(.EADDRINUSE)
        }
        return (listener, port)
    }

    /// Runs `serve` for each connection on a thread of its own, until `stop(_:)`.
    static func accept(_ listener: Int32, _ serve: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread {
            while true {
                let connection = systemAccept(listener)
                guard connection >= 0 else {
                    // Closed only here: a descriptor that is closed may be another server's at the next call.
                    close(listener)
                    return
                }
                Thread.detachNewThread { serve(connection) }
            }
        }
    }

    /// Stops a listener; its thread closes it.
    static func stop(_ listener: Int32) { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Writes everything, or as much as the other side takes before it leaves. Never raises SIGPIPE.
    ///
    /// - Returns: Whether everything was written.
    @discardableResult
    static func write(_ bytes: some Sequence<UInt8>, to descriptor: Int32, wrote: (Int) -> Void = { _ in }) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            #if canImport(Darwin)
            let flags: Int32 = 0
            #else
            let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = rest.prefix(64 << 10).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            wrote(count)
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// A port that no program uses now, below those that systems give to sockets of their own choice: another test may run at
    /// the same time, and one of its sockets would take such a port before the caller does.
    package static func freePort() throws -> Int {
        for _ in 0..<100 {
            guard let (descriptor, port) = try? bound(to: Int.random(in: 20_000..<32_000)) else { continue }
            close(descriptor)
            return port
        }
        throw POSIXError(.EADDRINUSE)
    }

    private static func stream() -> Int32 {
        #if canImport(Darwin)
        socket(AF_INET, SOCK_STREAM, 0)
        #else
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}

// Inside the type, its own function hides the system's.
private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
