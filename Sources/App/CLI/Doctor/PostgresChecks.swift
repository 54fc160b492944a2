import Gateway
import Logging
import PostgresStorage
import Retrieval
import Search
import Text

/// Checks of the store in PostgreSQL.
enum PostgresChecks {
    /// The name of the check of the connection.
    static let name = "postgres"

    /// Connects, checks extensions and schema, and looks at the index.
    static func connection(_ store: PostgresStore, isSearchedByServer: Bool) -> Check {
        Check(name: name) {
            let address = store.pool.address
            var findings: [Finding] = []
            if address.isUnencrypted {
                findings.append(
                    .warning(
                        name, "the connection to \(address) may be unencrypted",
                        remedy: "add ?sslmode=verify-full to SELENE_STORE"))
            }
            do {
                try await store.prepare()
                if try await PostgresTransfer(store).isUnfinished() {
                    findings.append(
                        .warning(
                            name, "a migration into \(address) is unfinished",
                            remedy: "run `selene migrate` again with the same source and target"))
                }
                let view = try await PostgresSearch(store).view()
                let index =
                    isSearchedByServer
                    ? view.index.map { "\($0.kind.rawValue) with recall@10 \($0.recall)" }
                        ?? "none, every vector is compared" : "of each gateway"
                findings.append(.ok(name, "\(address): \(Count.of(view.totals.documents, "note")), index: \(index)"))
            } catch let error as PostgresError {
                findings.append(.problem(name, error.message, remedy: "see Documentation/Scale.md"))
            }
            return findings
        }
    }
}
