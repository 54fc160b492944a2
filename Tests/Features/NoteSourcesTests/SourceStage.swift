import Foundation
import Folders
import GatewayAPI
import Ingest
import Machine
import Notes
import SourceRoom
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import NoteSources

/// A folder of notes and a store, in a file or in PostgreSQL, and looks from the one at the other. Files count as settled at once.
struct SourceStage {
    let folder: TemporaryFolder
    let stage: StoreStage
    let service: SourceService

    /// Makes an empty folder that is a source called `vault`; nil where there can be no server.
    init?(_ place: NotesPlace, ignore: [String]? = nil) async throws {
        guard let stage = try await StoreStage(place) else { return nil }
        (self.stage, folder) = (stage, try TemporaryFolder())
        service = SourceService(store: stage.store)
        _ = try await service.add(NewSource(name: "vault", path: folder.url.path, ignore: ignore))
    }

    var look: SourceLook { SourceLook(store: stage.store, claims: { $0 }, now: { .max }) }

    var source: StoredSource { get async throws { try await service.find("vault") } }

    @discardableResult
    func lookAtAll() async throws -> LookOutcome { try await look.all(try await source) }

    @discardableResult
    func look(at paths: String...) async throws -> LookOutcome {
        try await look.some(paths.map(FilePath.init), of: try await source) { _ in }
    }

    func move(_ old: String, _ new: String) throws {
        let manager = FileManager.default
        try manager.createDirectory(
            at: folder.url.appending(path: new).deletingLastPathComponent(), withIntermediateDirectories: true)
        try manager.moveItem(atPath: folder.url.path + "/" + old, toPath: folder.url.path + "/" + new)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: folder.url.path + "/" + name) }

    /// All notes, as `path below the folder: text`, sorted.
    var notes: [String] {
        get async throws {
            let root = try #require(try await source.source.path) + "/"
            return try await all.map { note in
                let name = note.externalId ?? ""
                return (name.hasPrefix(root) ? String(name.dropFirst(root.count)) : name) + ": " + note.content
            }.sorted()
        }
    }

    /// The id of the note with a text.
    func id(_ text: String) async throws -> Int64? { try await all.first { $0.content == text }?.id }

    var all: [Note] {
        get async throws {
            var (all, cursor) = ([Note](), PageCursor?.none)
            repeat {
                let page = try await stage.store.notes.page(after: cursor, limit: 500)
                all += page.items
                cursor = page.next
            } while cursor != nil
            return all
        }
    }

    /// What `selene ingest` would store into an empty store.
    var expected: [String] {
        get async throws {
            let root = try #require(try await source.source.path)
            guard let reader = try? NoteFileReader(path: root, format: .markdown) else { return [] }
            var found: [String] = []
            while true {
                let batch = await reader.next(500)
                if batch.isAtEnd { break }
                found += batch.drafts.map { ($0.externalID ?? "").dropFirst(root.count + 1) + ": " + $0.content }
            }
            return found.sorted()
        }
    }
}
