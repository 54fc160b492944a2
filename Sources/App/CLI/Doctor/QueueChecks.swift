import Gateway
import Search
import Storage

/// Checks the embedding queue and the index files against the notes.
enum QueueChecks {
    /// - Parameter embeddings: Those of the notes, wherever the notes are.
    static func queue(_ embeddings: any EmbeddingAdministration) -> Check {
        Check(name: "queue") { try await findings(embeddings) }
    }

    /// - Parameter store: Where the notes are.
    static func index(_ store: any GatewayStore, _ configuration: GatewayConfiguration) -> [Check] {
        guard let folder = configuration.search.notesIndexFolder else { return [] }
        return [Check(name: "index", isSlow: true) { try await index(store, folder) }]
    }

    private static func findings(_ embeddings: any EmbeddingAdministration) async throws -> [Finding] {
        var findings: [Finding] = []
        for found in try await embeddings.inspection() {
            let (space, model) = (found.space.id, found.space.space.model)
            if found.forgotten > 0 {
                findings.append(
                    .problem(
                        "queue", "\(found.forgotten) notes have no vectors of \(model) and are not queued",
                        remedy: "selene backfill --model \(ShellWord.of(model))",
                        fix: { try await embeddings.refill(space) }))
            }
            if found.deadLeases > 0 {
                findings.append(
                    .warning(
                        "queue", "\(found.deadLeases) notes are held by processes that ended",
                        remedy: "selene backfill status frees them",
                        fix: { try await embeddings.freeDeadLeases() }))
            }
            if found.failed > 0 {
                findings.append(
                    .warning(
                        "queue", "\(found.failed) notes failed to embed with \(model)",
                        remedy: "show reasons: selene backfill status; retry: selene backfill retry --failed"))
            }
        }
        return findings.isEmpty ? [.ok("queue", "every note is embedded or queued")] : findings
    }

    private static func index(_ store: any GatewayStore, _ folder: String) async throws -> [Finding] {
        let found = try await IndexInspection.of(store, in: folder)
        let findings = found.compactMap { file -> Finding? in
            let path = file.path
            let remove: @Sendable () async throws -> Void = { try IndexFolder(path: folder).remove(path) }
            let remedy = "rm \(ShellWord.of(path)); the next search rebuilds it"
            return switch file.state {
            case .usable, .unfinished: nil
            case .unusable(let reason):
                .warning("index", "\(path) cannot be used: \(reason)", remedy: remedy, fix: remove)
            case .different(let held, let notes):
                .problem("index", "\(path) has \(held) notes, the database \(notes)", remedy: remedy, fix: remove)
            case .orphaned:
                .warning("index", "\(path) is of a deleted embedding space", remedy: remedy, fix: remove)
            }
        }
        return findings.isEmpty ? [.ok("index", "\(found.count) files, all match the database")] : findings
    }
}
