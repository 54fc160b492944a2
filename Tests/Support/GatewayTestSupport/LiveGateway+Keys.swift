import Access
package import Database
import Gateway
package import KeyRoom
import TestSupport

extension LiveGateway {
    /// Waits until the gateway knows the keys as they are in the database now.
    ///
    /// It has them when it knows a key that was made last, which then goes.
    package func waitForKeys() async throws {
        let last = try await store.keys.create(name: "the last key of a moment")
        try await waitUntil { try await application.keys.identity(ofKey: last.record.id) != nil }
        try await store.run("DELETE FROM gateway_keys WHERE id = $1", [.integer(last.record.id)])
    }

    package func generate(_ key: NewKey, _ body: String = #"{"prompt":"x"}"#) async throws -> Reply {
        try await post("/api/llm/generate", body, token: key.secret)
    }

    /// What was done with a key, once enough of it is written.
    package func usage(of key: NewKey, until isEnough: (KeyUsage) -> Bool) async throws -> KeyUsage {
        try await store.usage(of: key, until: isEnough)
    }
}

extension SQLStore {
    /// What was done with a key today and yesterday, once enough of it is written, or after 30 seconds.
    package func usage(of key: NewKey, until isEnough: (KeyUsage) -> Bool) async throws -> KeyUsage {
        var sum = KeyUsage()
        _ = try await eventually {
            sum = KeyUsage()
            let since = UTCDay(unixSeconds: UTCDay.today.end - 2 * UTCDay.seconds)
            for (place, usage) in try await keys.usage(since: since) where place.key == key.record.id { sum.add(usage) }
            return isEnough(sum)
        }
        return sum
    }
}
