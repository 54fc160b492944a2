import CPostgres
import Concurrency
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

    /// Prepares ``cancel(within:)``; call it once, when the connection is established.
    func established() { unsafe cancellation = unsafe PQgetCancel(connection) }

    /// Asks the server to stop the running statement, and waits until the server took notice: a request that arrived later
    /// would stop the next statement of the connection.
    ///
    /// libpq's call blocks, so it runs on a thread outside the cooperative pool.
    ///
    /// - Returns: Whether the server took notice in time; otherwise the connection must not be used again.
    func cancel(within limit: Duration) async -> Bool {
        let race = Race<Bool>()
        DispatchQueue.global(qos: .utility).async { [self] in
            var text = [CChar](repeating: 0, count: 256)
            var isSent = false
            if let cancellation = unsafe cancellation {
                isSent = unsafe PQcancel(cancellation, &text, Int32(text.count)) == 1
            }
            race.end(isSent)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { race.end(false) }
        return await race.value
    }

    /// The last error of libpq, without its line break.
    var message: String {
        unsafe String(cString: PQerrorMessage(connection)).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
