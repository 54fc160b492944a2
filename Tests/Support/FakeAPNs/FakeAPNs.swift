import Cryptography
import Certificates
import Foundation
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A synthetic APNs: HTTP/2 over TLS on 127.0.0.1, with checks of requests and tokens, scripted answers, faults of the
/// connection and an account of every push.
package final class FakeAPNs: Sendable {
    /// The server's behaviour.
    package struct Options: Sendable {
        /// 0 picks a free port.
        package var port = 0
        /// Whether a connection allows one stream until it accepted a token, as APNs does.
        package var ramps = true
        /// Streams that a connection allows afterwards.
        package var maxStreams: UInt32 = 1000
        /// Milliseconds before an answer.
        package var latency: Int64 = 0
        /// The only key id and team id that are accepted.
        package var keyID = "ABC123DEFG"
        package var teamID = "TEAM123456"
        /// Bundle ids that the key may send to; empty for any.
        package var topics: [String] = []
        /// The clock, for tokens.
        package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
        /// What happens to a push that the checks accept; it is asked with the number of the request, from 1.
        package var answer: @Sendable (PushRequest, Int) -> Answer = { _, _ in .accept }

        /// The defaults.
        package init() {}
    }

    /// What happens to a push.
    package enum Answer: Sendable {
        /// 200.
        case accept
        /// A refusal with its status and reason.
        case reject(Int, String, timestamp: Int64? = nil, retryAfter: String? = nil)
        /// 200 after milliseconds.
        case late(Int64)
        /// No answer to this request.
        case ignore
        /// No byte any more on this connection; it stays open.
        case silence
        /// RST_STREAM with REFUSED_STREAM.
        case refuseStream
        /// The answer, and GOAWAY: streams after this one are not answered, and the connection is closed after
        /// milliseconds.
        case goAway(String, closeAfter: Int64)
        /// The end of the connection, without a word.
        case drop
    }

    package let port: Int
    /// The file with the authority's certificate.
    package let authorities: String
    /// The private key of the team, as Apple's file has it.
    package let key: String
    /// The account.
    package let book: PushBook
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup

    /// The base URL, `https://localhost:PORT`.
    package var baseURL: String { "https://localhost:\(port)" }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - folder: Gets the certificate authority and the server's certificate; several servers may share it.
    ///   - pem: The private key of the team; nil for a new one.
    package static func start(
        _ options: Options = Options(), folder: String, key pem: String? = nil
    ) async throws -> FakeAPNs {
        let authority = LocalAuthority(folder: folder)
        if !authority.exists {
            try authority.create(names: ["localhost", "127.0.0.1"].compactMap { ServerName($0) }, now: .now)
        }
        let chain = try NIOSSLCertificate.fromPEMFile(authority.certificateFile)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: authority.keyFile, format: .pem)))
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let key = try pem.map { try P256.Signing.PrivateKey(pemRepresentation: $0) } ?? P256.Signing.PrivateKey()
        let book = PushBook(options: options, key: key.publicKey)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var connection = NIOHTTP2Handler.ConnectionConfiguration()
                    connection.initialSettings = [
                        HTTP2Setting(
                            parameter: .maxConcurrentStreams, value: options.ramps ? 1 : Int(options.maxStreams)),
                        HTTP2Setting(parameter: .maxHeaderListSize, value: 8000),
                    ]
                    // libcurl 7.88 resets every stream whose response had no length, after its end.
                    var stream = NIOHTTP2Handler.StreamConfiguration()
                    stream.streamResetFrameRateLimit.maximumCount = .max
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context),
                        NIOHTTP2Handler(
                            mode: .server, connectionConfiguration: connection, streamConfiguration: stream),
                        APNsConnection(book: book))
                }
            }
            .bind(host: "127.0.0.1", port: options.port).get()
        return FakeAPNs(
            port: channel.localAddress?.port ?? 0, authorities: authority.authorityFile, key: key.pemRepresentation,
            book: book, channel: channel, group: group)
    }

    private init(
        port: Int, authorities: String, key: String, book: PushBook, channel: any Channel,
        group: MultiThreadedEventLoopGroup
    ) {
        self.port = port
        self.authorities = authorities
        self.key = key
        self.book = book
        self.channel = channel
        self.group = group
    }

    /// A new private key, as Apple's file has it.
    package static func newKey() -> String { P256.Signing.PrivateKey().pemRepresentation }

    /// Closes all connections with a GOAWAY, as APNs does before maintenance.
    package func goAway() { book.closeAll() }

    /// Ends the server.
    package func stop() async throws {
        try? await channel.close()
        try await group.shutdownGracefully()
    }
}
