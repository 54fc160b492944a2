import Foundation
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Servers that crash, fail over, and connections that break while the store works.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresFaultTests {
    @Test(
        .slow, arguments: ["note_sources", "INSERT INTO notes", "note_words", "COMMIT", "pg_advisory_xact_lock"],
        [true, false])
    func `an ingest whose connection breaks stores each note once`(_ text: String, _ passesOn: Bool) async throws {
        let server = try #require(await PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let stage = try await PostgresStage(through: proxy.port)
        try await stage.store.prepare()
        proxy.cut(at: .init(text, passesOn: passesOn))
        let outcome = try await stage.store.notes.insert(
            (0..<20).map { NoteDraft(title: "n\($0)", content: "text \($0)", externalID: $0 < 10 ? "\($0)" : nil) })
        #expect(proxy.cuts == 1)
        #expect(outcome.inserted + outcome.unchanged == 20)
        #expect(try await stage.store.notes.count() == 20)
        #expect(try await stage.store.rows("SELECT count(*) FROM note_words").integer(0, 0) == 20)
    }

    @Test(.slow) func `a server that crashes and returns loses nothing that was stored`() async throws {
        guard let server = await PostgresServer.start(["--set", "synchronous_commit=on"]) else { return }
        defer { server.stop() }
        let store = try PostgresStage.store(server.uri) { $0.pauses = .milliseconds(20)...(.milliseconds(100)) }
        try await store.prepare()
        let (stored, failures) = (Locked<Set<String>>([]), Locked(0))
        let writer = Task {
            var number = 0
            while !Task.isCancelled {
                let name = "n\(number)"
                do {
                    _ = try await store.notes.insert([NoteDraft(title: name, content: "text", externalID: name)])
                    stored.change { $0.insert(name) }
                    number += 1
                } catch is PostgresError {
                    failures.change { $0 += 1 }
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
        }
        for _ in 0..<2 {
            let before = stored.value.count
            try await waitUntil { stored.value.count > before + 5 }
            #expect(try await server.command("restart") == "ok")
        }
        let before = stored.value.count
        try await waitUntil { stored.value.count > before + 5 }
        writer.cancel()
        _ = await writer.result
        let rows = try await store.rows("SELECT external_id FROM note_sources")
        let found = rows.indices.compactMap { rows.text($0, 0) }
        #expect(Set(found).isSuperset(of: stored.value))
        #expect(found.count == Set(found).count)
        #expect(try await Int64(store.notes.count()) == Int64(found.count))
    }

    @Test(.slow) func `after a failover the promoted server answers`() async throws {
        guard let server = await PostgresServer.start() else { return }
        defer { server.stop() }
        let second = try await server.command("standby")
        let ports = [server.port, try #require(URLComponents(string: second)?.port)]
        let uri = server.uri.replacing(
            "127.0.0.1:\(ports[0])", with: "127.0.0.1:\(ports[0]),127.0.0.1:\(ports[1])")
        let store = try PostgresStage.store(uri) { $0.pauses = .milliseconds(20)...(.milliseconds(200)) }
        _ = try await store.notes.insert([NoteDraft(title: "a", content: "before", externalID: "a")])
        // The standby has it.
        let standby = PostgresPool(try PostgresAddress(second + "?target_session_attrs=any"))
        try await waitUntil {
            ((try? await standby.read { try await $0.run("SELECT count(*) FROM selene.notes").integer(0, 0) }) ?? 0)
                == 1
        }
        standby.close()
        #expect(try await server.command("promote") == "ok")
        try await waitUntil {
            (try? await store.notes.insert([NoteDraft(title: "b", content: "after", externalID: "b")])) != nil
        }
        #expect(try await store.notes.count() == 2)
    }
}
