import Hummingbird

/// The minimum for any gateway on this framework: a server that echoes the request body.
@main
struct BareEcho {
    static func main() async throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 8080
        let router = Router()
        router.post("/api/generate") { request, _ in
            Response(status: .ok, body: ResponseBody(byteBuffer: try await request.body.collect(upTo: 1 << 20)))
        }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
            .runService()
    }
}
