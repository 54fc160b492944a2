package import Database

extension GoalRoom {
    /// All that a person or a program wrote, then its history. What is computed of it is computed again, except for vectors.
    package static let tables: [RoomTable] =
        (GoalTable.all.map { table in
            RoomTable(table.name, keys: table.keys).with { moving in
                moving.unrecorded = unrecorded
                switch table.name {
                case "terms": moving.unique = [["term_number"]]
                case "gateway_goal_measures": moving.unique = [["unit"]]
                default: break
                }
            }
        } + [
            RoomTable("gateway_goal_proposals", key: "id", pageSize: 50).with { $0.unique = [["turn_key"]] },
            RoomTable("gateway_goal_history", id: "seq").with { $0.unify = unify },
            RoomTable("gateway_goal_vectors", key: "hash").with { $0.space = "space_id" },
        ]).map { table in
            table.with { $0.isUsable = isUsable }
        }

    @Sendable private static func isUsable(_ session: any SQLSession) throws -> Bool {
        guard session.dialect == .sqlite else { return true }
        let schema = try GoalSchema(session)
        return schema.hasHistory && schema.fault == nil
    }

    /// Writes rows without entries in the history: theirs move, too.
    @Sendable private static func unrecorded(_ session: any SQLSession, _ write: () throws -> Void) throws {
        let turn = "migration \(UInt64.random(in: 0 ... .max))"
        try GoalTables.recording(GoalContext(turn: turn), session, write)
        try session.run("DELETE FROM gateway_goal_history WHERE turn = $1", [.text(turn)])
    }

    /// A server's history holds all values as texts, that of a file as they were.
    @Sendable private static func unify(_ cells: inout [String: SQLCell]) {
        func text(_ name: String) { cells[name] = cells[name].map { cell in cell.asText.map { .text($0) } ?? cell } }
        text("entity")
        text("part")
        let names = GoalRows.json(cells["names"]?.asText, as: [String].self) ?? []
        let table = cells["tbl"]?.asText.flatMap { GoalTable.named($0) }
        for (place, column) in names.enumerated() {
            for name in ["o\(place)", "n\(place)"] {
                text(name)
                guard table?.numbers[column] != nil, case .text(let value)? = cells[name] else { continue }
                if let number = Int64(value) {
                    cells[name] = .integer(number)
                } else if let number = Double(value) {
                    cells[name] = .real(number)
                }
            }
        }
    }
}
