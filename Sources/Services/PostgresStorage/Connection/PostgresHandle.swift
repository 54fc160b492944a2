import CPostgres
import Dispatch
import Foundation

/// A connection of libpq.
///
/// SAFETY: `@unchecked Sendable` because the pointers are set once and freed with the object. ``PostgresConnection``, an
/// actor, is the only user of ``connection``; libpq allows ``cancel`` to be used from any thread.
@safe final class PostgresHandle: @unchecked Sendable {
    let connection: OpaquePointer
    private var cancellation: OpaquePointer?

    /// Takes over a connection that was begun.
    init(_ connection: OpaquePointer) { unsafe self.connection = connection }

    deinit {
        unsafe PQfreeCancel(cancellation)
        unsafe PQfinish(connection)
    }

    /// Prepares ``cancel()``; call it once, when the connection is established.
    func established() { unsafe cancellation = unsafe PQgetCancel(connection) }

    /// Asks the server to stop the running statement. libpq's call blocks until the server took notice, so nobody waits
    /// for it, and it runs on a thread outside the cooperative pool.
    func cancel() {
        DispatchQueue.global(qos: .utility).async { [self] in
            var text = [CChar](repeating: 0, count: 256)
            if let cancellation = unsafe cancellation {
                _ = unsafe PQcancel(cancellation, &text, Int32(text.count))
            }
        }
    }

    /// The last error of libpq, without its line break.
    var message: String {
        unsafe String(cString: PQerrorMessage(connection)).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
