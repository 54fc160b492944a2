import NIOCore
import NIOPosix
import Server
import Testing

@Suite struct TCPKeepAliveTests {
    @Test func anAcceptedSocketIsWatchedByTheSystem() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let accepted = loop.makePromise(of: [Int].self)
        let server = try await ServerBootstrap(group: loop)
            .childChannelInitializer { channel in
                TCPKeepAlive.watch(channel)
                return channel.eventLoop.makeCompletedFuture {
                    let options = channel.syncOptions
                    var values = [Int(try options?.getOption(.socketOption(.so_keepalive)) ?? 0)]
                    for (option, _) in TCPKeepAlive.probes {
                        values.append(Int(try options?.getOption(.tcpOption(option)) ?? 0))
                    }
                    accepted.succeed(values)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        let client = try await ClientBootstrap(group: loop).connect(to: address).get()
        let values = try await accepted.futureResult.get()
        #expect(values.first ?? 0 != 0)
        #expect(Array(values.dropFirst()) == TCPKeepAlive.probes.map { Int($0.1) })
        try await client.close()
        try await server.close()
    }
}
