package import Access
import Cryptography
package import Logging
import Machine
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps the file by which the command line of this machine reaches this gateway; see ``LocalAccessRecord``.
///
/// Each start makes a new key. Of several gateways on one database the file has the one that opened it last; when that one
/// ends, another one writes its own.
package final class LocalAccessFile: Sendable {
    /// How often the gateway looks whether the file is there.
    private static let interval = Duration.seconds(2)
    /// The time between two tries after one that failed.
    private static let longPause = Duration.seconds(300)

    private let database: String
    private let settings: ServerSettings
    private let logger: Logger
    private let key = LocalAccessRecord.keyPrefix + RandomSecret.make()
    private let record = Mutex<LocalAccessRecord?>(nil)

    /// Makes the key and gives it to the ring; writes nothing yet.
    package init(database: String, settings: ServerSettings, keys: KeyRing, logger: Logger) {
        (self.database, self.settings, self.logger) = (database, settings, logger)
        keys.setMachineKey(key)
    }

    /// Writes the file. A failure is logged: the gateway works without it.
    package func open(port: Int) {
        let new = LocalAccessRecord(
            host: settings.host, port: port, isEncrypted: settings.tls != nil, key: key,
            process: ProcessInfo.processInfo.processIdentifier)
        record.withLock { $0 = new }
        write(new)
    }

    /// Writes the file again when it is gone or names a gateway that ended, until the task is cancelled.
    package func keep() async {
        var pause = Self.interval
        while (try? await Task.sleep(for: pause)) != nil {
            pause = Self.interval
            guard let own = record.withLock({ $0 }) else { continue }
            // A file that is open to others, or belongs to somebody else, is not this gateway's to replace again and again.
            do { if try LocalAccessRecord.read(besides: database) != nil { continue } } catch { pause = Self.longPause }
            if !write(own) { pause = Self.longPause }
        }
    }

    /// Removes the file if it is this gateway's.
    package func close() {
        guard
            let own = record.withLock({ own in
                defer { own = nil }; return own
            }),
            (try? LocalAccessRecord.read(besides: database)) == own
        else { return }
        PrivateFile.delete(LocalAccessRecord.path(besides: database))
    }

    /// Returns whether the file was written.
    @discardableResult
    private func write(_ record: LocalAccessRecord) -> Bool {
        do {
            let bytes = try JSONEncoder().encode(record)
            try PrivateFile.write([UInt8](bytes), to: LocalAccessRecord.path(besides: database))
            return true
        } catch {
            logger.warning(
                "cannot write the file for this machine's command line", metadata: ["error": "\(error)"])
            return false
        }
    }
}
