package import Machine

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// How the command line of this machine reaches a running gateway: the contents of the file beside the gateway's database.
///
/// The file has mode 0600, so it opens the gateway to those only who could read the database as well.
package struct LocalAccessRecord: Codable, Sendable, Hashable {
    /// The start of every key in such a file.
    package static let keyPrefix = "sll_"
    /// The largest file, in bytes.
    private static let limit = 4096

    /// The address that the gateway listens on.
    package var host: String
    /// The port that the gateway listens on.
    package var port: Int
    package var isEncrypted: Bool
    /// The key of this machine. It has every right, and counts for connections from this machine only.
    package var key: String
    /// The id of the gateway's process.
    package var process: Int32

    /// The address at which programs of this machine reach the gateway.
    package var address: String { Self.address(host, port: port, isEncrypted: isEncrypted) }

    /// The address at which programs of this machine reach a server.
    ///
    /// - Parameter host: The address that it listens on.
    package static func address(_ host: String, port: Int, isEncrypted: Bool) -> String {
        let name =
            switch host {
            case "0.0.0.0", "localhost": "127.0.0.1"
            case "::", "[::]", "::1", "[::1]": "[::1]"
            default: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            }
        return "\(isEncrypted ? "https" : "http")://\(name):\(port)"
    }

    /// The path of the file beside a database.
    package static func path(besides database: String) -> String { database + ".gateway" }

    /// Reads the file of a gateway that runs; nil when there is none.
    ///
    /// - Throws: ``OwnerOnlyFile/Problem`` when the file belongs to another user or is open to others.
    package static func read(besides database: String) throws(OwnerOnlyFile.Problem) -> LocalAccessRecord? {
        let path = path(besides: database)
        guard unsafe access(path, F_OK) == 0 else { return nil }
        let bytes = try OwnerOnlyFile.read(path, limit: limit)
        guard let record = try? JSONDecoder().decode(LocalAccessRecord.self, from: Data(bytes)), record.isOpen else {
            return nil
        }
        return record
    }

    /// Whether the gateway's process lives. One of another user does, too.
    private var isOpen: Bool { process > 0 && (kill(process, 0) == 0 || errno == EPERM) }
}
