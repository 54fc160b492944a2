import Folders
import Foundation
package import GatewayAPI
import Ingest
import Machine
package import SourceRoom
package import Storage

/// Adds, changes and removes sources of notes, and stores what scripts send.
package struct SourceService: Sendable {
    /// The longest name in bytes, and the most patterns of one source.
    package static let (maxNameBytes, maxPatterns) = (64, 100)
    /// The number of notes that are moved to the bin at once.
    private static let batch = 200

    package let store: any GatewayStore

    package init(store: any GatewayStore) { self.store = store }

    private var room: SourceRoom { store.sources }

    /// All sources, with counts. A store that no version with sources has opened yet has none.
    package func all() async throws -> [Source] {
        guard try await room.exists else { return [] }
        var all: [Source] = []
        for source in try await room.all() { all.append(try await room.figures(of: source).source) }
        return all
    }

    /// A source by name.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ name: String) async throws -> StoredSource {
        guard let source = try await room.find(name) else {
            throw StorageError(
                .notFound, "there is no source \(name); GET /api/sources or `selene sources list` has all")
        }
        return source
    }

    /// A source with its counts and the files that were not read.
    package func details(_ name: String) async throws -> SourceDetails {
        try await room.figures(of: try await find(name), problems: 200)
    }

    /// Adds a source. Its files are not read yet.
    ///
    /// - Throws: ``StorageError``: `invalid` for a name, path, format or pattern that cannot be, or a folder within that of another
    ///   source; `duplicate` for a name that is taken.
    @discardableResult
    package func add(_ new: NewSource) async throws -> Source {
        try Self.check(new)
        guard let path = new.path else {
            guard new.format == nil, new.ignore ?? [] == [] else {
                throw StorageError(.invalid, "a source without a path has neither a format nor patterns")
            }
            return try await room.add(new, kind: .script, path: nil, host: nil) { _ in }.source
        }
        guard path.hasPrefix("/"), let real = Self.real(path) else {
            throw StorageError(.invalid, "field \"path\": there is no folder or file \(path) on this machine")
        }
        guard real != "/" else {
            throw StorageError(.invalid, "field \"path\": / has the whole machine; name a folder")
        }
        let kind: Source.Kind
        do {
            let format = try Self.format(new.format)
            let reader = try NoteReader(path: real, format: format)
            kind = reader.format == .markdown && Self.isFolder(real) ? .folder : .file
        } catch let error as IngestError {
            // A folder of notes may be empty yet.
            guard Self.isFolder(real), new.format == nil || new.format == IngestFormat.markdown.rawValue else {
                throw StorageError(.invalid, error.message)
            }
            kind = .folder
        }
        let added = try await room.add(new, kind: kind, path: real, host: WorkerName().host) { known in
            guard kind == .folder else { return }
            for other in known where other.source.kind == .folder {
                guard let theirs = other.source.path, Self.overlap(theirs, real) else { continue }
                throw StorageError(
                    .invalid,
                    "the folder is within that of the source \(other.source.name) (\(theirs)), or has it within; a note has one source"
                )
            }
        }
        return added.source
    }

    private static func check(_ new: NewSource) throws {
        let allowed = { (byte: UInt8) in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        guard (1...maxNameBytes).contains(new.name.utf8.count), new.name.utf8.allSatisfy(allowed),
            !new.name.hasPrefix("."), !new.name.hasPrefix("-")
        else {
            throw StorageError(
                .invalid, "field \"name\": expected 1 to \(maxNameBytes) letters, digits, -, _ or ., such as vault")
        }
        let patterns = new.ignore ?? []
        guard patterns.count <= maxPatterns, patterns.allSatisfy({ $0.utf8.count <= IgnoreRules.maxBytes }) else {
            throw StorageError(
                .invalid,
                "field \"ignore\": expected at most \(maxPatterns) patterns of \(IgnoreRules.maxBytes) bytes; more go "
                    + "into \(SourceLook.ignoreFile) in the folder")
        }
    }

    private static func format(_ name: String?) throws -> IngestFormat? {
        try name.map { name in
            guard let format = IngestFormat(rawValue: name) else {
                let all = IngestFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw StorageError(.invalid, "field \"format\": there is no format \(name); expected one of \(all)")
            }
            return format
        }
    }

    private static func real(_ path: String) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return (try? FolderWalk(path) { _ in false })?.root
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func overlap(_ one: String, _ other: String) -> Bool {
        FilePath(one).isWithin(FilePath(other)) || FilePath(other).isWithin(FilePath(one))
    }

    /// Asks the gateway that follows a source for a look at all of its files. Returns the time of the wish, in milliseconds since
    /// 1970.
    @discardableResult
    package func want(_ name: String) async throws -> Int64 { try await room.want(try await find(name).id) }

    /// Pauses a source or lets it be followed again.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func change(_ name: String, _ change: SourceChange) async throws {
        let source = try await find(name)
        let isPaused = change.paused ?? (source.source.state == .paused && change.acceptMissing != true)
        try await room.change(source.id, isPaused: isPaused, acceptsMissing: change.acceptMissing ?? false)
    }

    /// Removes a source.
    ///
    /// - Parameter keepsNotes: Whether its notes stay. Else they go to the bin but those that were edited in the gateway.
    /// - Returns: The number of notes that went to the bin.
    /// - Throws: ``StorageError/Code/notFound``.
    package func remove(_ name: String, keepsNotes: Bool) async throws -> Int {
        let source = try await find(name)
        // Nobody brings the notes back meanwhile.
        try await room.change(source.id, isPaused: true, acceptsMissing: false)
        var removed = 0
        if !keepsNotes {
            var names: [String] = []
            for prefix in source.source.prefixes {
                names += try await store.notes.ingested(beginningWith: prefix).map(\.name)
            }
            for start in stride(from: 0, to: names.count, by: Self.batch) {
                try Task.checkCancellation()
                removed += try await store.notes.removeIngested(
                    Array(names[start..<min(start + Self.batch, names.count)]), forgets: true
                ).count { $0.outcome == .removed }
            }
        }
        try await room.remove(source.id)
        return removed
    }

    /// Stores notes that a script sends. A note of a known id is updated; one that was edited in the gateway is kept, beside a note
    /// with the script's text.
    ///
    /// - Throws: ``StorageError``: `notFound`, or `invalid` for a source of another kind.
    package func take(_ drafts: [NoteDraft], for name: String) async throws -> InsertOutcome {
        let source = try await find(name)
        guard source.source.kind == .script else {
            throw StorageError(
                .invalid, "the source \(name) follows files; notes are sent to one that was added without a path")
        }
        let named = drafts.map { draft in
            var draft = draft
            draft.externalID = draft.externalID.map { Source.scriptPrefix(name) + $0 }
            return draft
        }
        return try await store.notes.insert(named)
    }
}

extension Source {
    /// What the names of its notes begin with.
    var prefixes: [String] {
        switch (kind, path) {
        case (.folder, let path?): [path + "/"]
        case (.file, let path?): [path + "#", path + "/"]
        default: [Self.scriptPrefix(name)]
        }
    }

    static func scriptPrefix(_ name: String) -> String { "source:\(name)/" }
}
