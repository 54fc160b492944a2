import Foundation
package import Logging
import Machine
import ServiceLifecycle

/// Renews the certificate of a ``LocalAuthority`` while the gateway runs. The gateway then loads it like any changed
/// certificate.
package struct CertificateRenewal: Service {
    private static let interval = Duration.seconds(3600)

    private let authority: LocalAuthority
    private let logger: Logger

    /// Creates a renewal.
    ///
    /// - Parameter certificate: The path of the certificate in use.
    /// - Returns: nil when the certificate is not of a local authority in the same folder.
    package init?(certificate: String, logger: Logger) {
        authority = LocalAuthority(folder: URL(filePath: certificate).deletingLastPathComponent().path)
        self.logger = logger
        guard authority.exists, URL(filePath: certificate).path == URL(filePath: authority.certificateFile).path else {
            return nil
        }
    }

    /// Checks the certificate every hour until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { self.renew() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    private func renew() {
        do {
            let addresses = NetworkAddresses.current.compactMap { ServerName($0) }
            guard try authority.renewIfDue(addresses: addresses, now: .now) else { return }
            logger.notice("the TLS certificate was renewed", metadata: ["file": "\(authority.certificateFile)"])
        } catch {
            logger.error(
                "the TLS certificate cannot be renewed",
                metadata: ["file": "\(authority.certificateFile)", "reason": "\(error)"])
        }
    }
}
