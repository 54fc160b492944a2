extension PostgresStore {
    /// How long a silent connection is trusted before the server is asked.
    static let silence = Duration.seconds(30)
    /// The pause before a broken connection is replaced.
    static let followPause = Duration.seconds(1)

    /// Listens on a connection of its own until the task is cancelled.
    ///
    /// - Parameter body: Called with the subject of each announcement: `notes`, `keys` or `spaces`. After a connection was
    ///   made it is called for each subject, since announcements may have been missed.
    package func follow(_ body: @Sendable (String) async -> Void) async {
        while !Task.isCancelled {
            do {
                try await prepare()
                let connection = try await PostgresConnection.open(pool.address)
                try await connection.script("LISTEN selene")
                for subject in ["notes", "keys", "spaces"] { await body(subject) }
                while true {
                    if let subject = try await connection.notification(within: Self.silence) {
                        await body(subject)
                    } else {
                        try await connection.script("SELECT 1")
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                // The pool reports outages; announcements only make followers faster.
                try? await Task.sleep(for: Self.followPause)
            }
        }
    }
}
