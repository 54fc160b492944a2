package import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The certificate for new connections. It can be replaced; open connections keep theirs.
package final class TLSIdentity: Sendable {
    private let state: Mutex<NIOSSLContext>
    /// The maximum number of open requests of one HTTP/2 connection; 0 for HTTP/1.1 only.
    package let maxStreams: Int

    /// Reads the files.
    ///
    /// - Throws: ``ConfigurationError`` that says which file is wrong and why.
    package init(_ files: TLSFiles, maxStreams: Int) throws {
        self.maxStreams = maxStreams
        state = Mutex(try Self.context(of: files, maxStreams: maxStreams))
    }

    /// The TLS context for new connections.
    package var context: NIOSSLContext { state.withLock { $0 } }

    /// Replaces the certificate for new connections.
    package func use(_ context: NIOSSLContext) { state.withLock { $0 = context } }

    /// Reads and checks a certificate and its key.
    ///
    /// - Throws: ``ConfigurationError`` that says which file is wrong and why.
    package func context(of files: TLSFiles) throws -> NIOSSLContext {
        try Self.context(of: files, maxStreams: maxStreams)
    }

    private static func context(of files: TLSFiles, maxStreams: Int) throws -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(try bytes(of: files.certificate, "certificate"))
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError(
                message: "the TLS certificate \(files.certificate) is not a PEM certificate")
        }
        guard !chain.isEmpty else {
            throw ConfigurationError(message: "the TLS certificate \(files.certificate) holds no certificate")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: try bytes(of: files.key, "key"), format: .pem)
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError(
                message: "the TLS key \(files.key) is not a PEM private key, or is protected by a passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = HTTPNegotiation.names(maxStreams: maxStreams)
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw ConfigurationError(
                message: "the TLS key \(files.key) does not belong to the certificate \(files.certificate), or one of "
                    + "them is of an unsupported kind")
        }
    }

    private static func bytes(of path: String, _ what: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw ConfigurationError(message: "cannot read the TLS \(what) \(path): \(error)")
        }
    }
}
