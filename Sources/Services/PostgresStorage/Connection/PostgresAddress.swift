import CPostgres

/// The address of a PostgreSQL server: a URI as libpq reads it, with `sslmode` and all other parameters of libpq.
package struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
    /// Names that begin a URI.
    package static let schemes = ["postgres://", "postgresql://"]

    /// Keywords and values for libpq, the password included.
    let parameters: [String: String]

    /// Reads a URI.
    ///
    /// - Throws: ``PostgresError/Code/address``. The message does not repeat the URI, which may hold a password.
    package init(_ uri: String) throws(PostgresError) {
        guard Self.schemes.contains(where: uri.hasPrefix), !uri.utf8.contains(0) else {
            throw PostgresError(.address, "expected postgres://USER@HOST:PORT/DATABASE")
        }
        var text: UnsafeMutablePointer<CChar>?
        let options = unsafe PQconninfoParse(uri, &text)
        defer {
            unsafe PQfreemem(text)
            unsafe PQconninfoFree(options)
        }
        guard var option = unsafe options else {
            throw PostgresError(.address, "libpq cannot read the address; expected postgres://USER@HOST:PORT/DATABASE")
        }
        var found: [String: String] = [:]
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val { unsafe found[String(cString: keyword)] = String(cString: value) }
            unsafe option += 1
        }
        parameters = found
        // libpq would find out, and repeat it, only when it connects.
        guard Self.list(found["port"] ?? "").allSatisfy({ $0.isEmpty || UInt16($0) != nil }) else {
            throw PostgresError(.address, "the port of the address is not a number from 0 to 65535")
        }
    }

    /// The host, port and database, for logs.
    package var description: String {
        let hosts = Self.list(parameters["host"] ?? parameters["hostaddr"] ?? "localhost")
        let ports = Self.list(parameters["port"] ?? "5432")
        let places = hosts.enumerated().map { "\($1):\(ports.indices.contains($0) ? ports[$0] : ports.last ?? "5432")" }
        return "\(places.joined(separator: ","))/\(parameters["dbname"] ?? parameters["user"] ?? "")"
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether a password would cross a network in an unencrypted connection.
    package var isUnencrypted: Bool {
        let hosts = Self.list(parameters["host"] ?? parameters["hostaddr"] ?? "localhost")
        let isLocal = hosts.allSatisfy { ["localhost", "127.0.0.1", "::1"].contains($0) || $0.hasPrefix("/") }
        return !isLocal && !["require", "verify-ca", "verify-full"].contains(parameters["sslmode"] ?? "prefer")
    }

    /// The parameters for a connection. Unless the address says otherwise, a dead peer is noticed within seconds.
    func settings(_ more: [String: String]) -> [String: String] {
        var all = [
            "keepalives_idle": "10", "keepalives_interval": "3", "keepalives_count": "3", "tcp_user_timeout": "10000",
            "application_name": "selene", "connect_timeout": "5",
            // After a failover the server that accepts writes is the right one of several hosts.
            "target_session_attrs": "read-write",
        ]
        all.merge(parameters) { $1 }
        all.merge(more) { $1 }
        return all
    }

    /// Removes the password and line breaks from a text of libpq.
    func redacted(_ text: String) -> String {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard let password = parameters["password"], !password.isEmpty else { return text }
        return text.replacing(password, with: "…")
    }
}
