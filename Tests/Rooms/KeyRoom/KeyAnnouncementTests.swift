import KeyRoom
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct KeyAnnouncementTests {
    @Test(.slow) func `a change of keys is announced to followers, also after a restart of the server`() async throws {
        let server = try #require(await PostgresServer.start())
        defer { server.stop() }
        let uri = try await server.database()
        let store = try PostgresStage.store(uri)
        let heard = Locked<[String]>([])
        let following = Task {
            await store.follow { subject in heard.change { $0.append(subject) } }
        }
        try await waitUntil { heard.value.count >= 3 }
        heard.change { $0 = [] }
        _ = try await PostgresStage.store(uri).keys.create(name: "k")
        try await waitUntil { heard.value.contains("keys") }
        heard.change { $0 = [] }
        try await server.command("restart")
        try await waitUntil { heard.value.contains("keys") }
        following.cancel()
        await following.value
    }
}
