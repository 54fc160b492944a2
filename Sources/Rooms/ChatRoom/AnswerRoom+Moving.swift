package import Database

extension AnswerRoom {
    /// Answers that have ended, summaries, and the sessions that wait for one, each with its session. Who works on an answer is
    /// a matter of one store.
    package static let tables = [
        RoomTable("gateway_chat_runs", id: "number", pageSize: 50).with {
            ($0.without, $0.unique, $0.keys) = (["owner", "lease", "is_stopping"], [["id"]], ["key_id"])
            $0.condition = "owner IS NULL"
            $0.rest = "answers in progress, and those without a session, stay"
        },
        RoomTable("gateway_summaries", key: "message_id", pageSize: 100),
        RoomTable("gateway_compressions", key: "session_id").with { $0.keys = ["key_id"] },
    ].map { table in
        table.with {
            $0.parent = ("chat_sessions", "id", "session_id")
            $0.isUsable = { session in
                try session.rows(session.dialect.columns, [.text("chat_sessions")]).contains { $0.text(0) == "id" }
            }
            $0.unify = { cells in cells = cells.mapValues(\.withoutZero) }
        }
    }
}
