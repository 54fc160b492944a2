package import Database
package import Goals

/// Goals and what belongs to them: a store for each kind of row over the same tables.
package struct GoalRoom: Sendable {
    let tables: GoalTables

    package var goals: GoalRecordStore { GoalRecordStore(tables: tables) }
    package var actions: GoalActionStore { GoalActionStore(tables: tables) }
    package var values: GoalValueStore { GoalValueStore(tables: tables) }
    package var terms: GoalTermStore { GoalTermStore(tables: tables) }
    package var measures: GoalMeasureStore { GoalMeasureStore(tables: tables) }
    package var matches: GoalMatchStore { GoalMatchStore(tables: tables) }
    package var summaries: GoalSummaryStore { GoalSummaryStore(tables: tables) }
    package var meanings: GoalMeaningStore { GoalMeaningStore(tables: tables) }
    package var history: GoalHistoryStore { GoalHistoryStore(tables: tables) }
    package var proposals: GoalProposalStore { GoalProposalStore(tables: tables) }
    package var transfer: GoalTransferStore { GoalTransferStore(tables: tables) }

    /// The person's zone and day start: for actions that another program wrote.
    package var rule: DayRule { tables.rule }

    /// - Parameters:
    ///   - rule: Fixes the days of actions that other programs wrote.
    ///   - keepTriggers: Repairs the triggers of a file whose schema has changed since a version, and says whether some may have
    ///     been missing in a snapshot of that version.
    package init(
        _ store: any SQLStore, rule: DayRule,
        keepTriggers: @escaping @Sendable (_ version: Int64) async throws -> Bool = { _ in false }
    ) {
        tables = GoalTables(store, rule: rule, keepTriggers: keepTriggers)
    }

    /// Matches everything that changed since the last look; costs one small query when nothing did.
    package func matchChanges() async throws { try await tables.matchChanges() }

    /// Whether there is a value, goal, term or action; false where the file cannot have any.
    package func isUsed() async throws -> Bool { try await tables.isUsed() }

    /// Deletes a row by its id; what belongs to it stays for an undo.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ resource: String, _ id: String, _ context: GoalContext) async throws {
        try await tables.delete(resource, id, context)
    }
}
