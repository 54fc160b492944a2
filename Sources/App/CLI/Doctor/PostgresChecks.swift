import Gateway
import Logging
import PostgresStorage
import Retrieval
import Search

/// Checks of the store in PostgreSQL.
enum PostgresChecks {
    /// Connects, checks extensions and schema, and looks at the index. Nothing without such a store.
    static func all(_ configuration: GatewayConfiguration) -> [Check] {
        guard let address = configuration.search.postgres else { return [] }
        return [
            Check(name: "postgres") {
                var findings: [Finding] = []
                if address.isUnencrypted {
                    findings.append(
                        .warning(
                            "postgres", "the connection to \(address) may be unencrypted",
                            remedy: "add ?sslmode=verify-full to SELENE_STORE"))
                }
                guard let store = configuration.search.postgresStore(CommandContext.logger(.error)) else {
                    return findings
                }
                defer { store.close() }
                do {
                    try await store.prepare()
                    if try await PostgresTransfer(store).isUnfinished() {
                        findings.append(
                            .warning(
                                "postgres", "a migration into \(address) is unfinished",
                                remedy: "run `selene migrate` again with the same source and target"))
                    }
                    let view = try await PostgresSearch(store).view()
                    let index =
                        configuration.search.isSearchedByServer
                        ? view.index.map { "\($0.kind.rawValue) with recall@10 \($0.recall)" }
                            ?? "none, every vector is compared" : "of each gateway"
                    findings.append(
                        .ok("postgres", "\(address): \(view.totals.documents) notes, index: \(index)"))
                } catch let error as PostgresError {
                    findings.append(.problem("postgres", error.message, remedy: "see Documentation/Scale.md"))
                }
                return findings
            }
        ]
    }
}
