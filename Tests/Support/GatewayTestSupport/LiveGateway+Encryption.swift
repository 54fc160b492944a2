package import Certificates
import Foundation
import Inference
import Transport

extension LiveGateway {
    /// Whether a gateway has TLS, and what its client speaks.
    package enum Encryption: Sendable {
        /// Plain HTTP; or HTTP/2 with `SELENE_TEST_HTTP2` set, so that whole suites run over HTTP/2.
        case usual
        /// HTTPS and a client of HTTP/1.1.
        case http1
        /// HTTPS and a client of HTTP/2.
        case http2
        /// As chosen, with the authority of the certificate.
        case prepared(LocalAuthority, isHTTP2: Bool)

        /// Makes the certificate where one is needed.
        func prepared(in folder: URL) throws -> Encryption {
            switch self {
            case .prepared: return self
            case .usual:
                guard ProcessInfo.processInfo.environment["SELENE_TEST_HTTP2"] != nil else { return self }
                return try Self.http2.prepared(in: folder)
            case .http1, .http2:
                let authority = LocalAuthority(folder: folder.appending(path: "tls").path)
                if !authority.exists {
                    try authority.create(names: ["localhost", "127.0.0.1"].compactMap { ServerName($0) }, now: .now)
                }
                let isHTTP2 = if case .http2 = self { true } else { false }
                return .prepared(authority, isHTTP2: isHTTP2)
            }
        }

        var authority: LocalAuthority? {
            if case .prepared(let authority, _) = self { authority } else { nil }
        }

        var settings: [String: String] {
            guard let authority else { return [:] }
            return ["tls_certificate": authority.certificateFile, "tls_key": authority.keyFile]
        }

        func client(port: Int) throws -> UpstreamConfiguration {
            guard case .prepared(let authority, let isHTTP2) = self else {
                return try UpstreamConfiguration(host: "127.0.0.1:\(port)")
            }
            var configuration = UpstreamConfiguration(baseURL: "https://127.0.0.1:\(port)", peer: "the gateway")
            configuration.authorities = authority.authorityFile
            if isHTTP2 { configuration.version = .http2 }
            return configuration
        }
    }
}
