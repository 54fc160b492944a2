import NIOCore
import NIOHTTP2

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The errors with which a request ends when its client left: a cancelled stream, a closed or reset connection.
enum ClientDisconnectErrors {
    static func isMeant(by error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.StreamClosed, is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.IOOnClosedConnection:
            true
        case let error as ChannelError:
            [.ioOnClosedChannel, .alreadyClosed, .eof, .inputClosed, .outputClosed].contains(error)
        case let error as IOError: [ECONNRESET, EPIPE, ENOTCONN].contains(error.errnoCode)
        default: false
        }
    }
}
