import GatewayAPI
import Storage
import Text

/// Finds where the links of a note lead, and which notes link to it.
struct NoteLinkFinder: Sendable {
    /// The most targets of a note that are looked up.
    static let maxLinks = 100
    /// The most notes that are listed as linking to a note.
    static let maxBacklinks = 50

    let notes: any NoteBook

    /// The links of a note and to it.
    ///
    /// - Throws: ``StorageError``.
    func links(of note: Note) async throws -> NoteLinks {
        NoteLinks(id: note.id, links: try await targets(of: note), backlinks: try await backlinks(to: note))
    }

    /// The links of the text, each target once. Among several notes of one name, a file counts before a title, then the oldest.
    private func targets(of note: Note) async throws -> [NoteLinks.Link] {
        var keys: Set<String> = []
        let targets = WikiLink.all(in: note.content).map(\.target).filter { keys.insert(WikiLink.key($0)).inserted }
            .prefix(Self.maxLinks)
        let found = try await notes.named(targets.map(WikiLink.bare))
        return targets.map { target in
            let fitting = found.filter { WikiLink.target(target, names: $0.title, file: $0.file) }
            let best = fitting.first { $0.file != nil } ?? fitting.first
            return NoteLinks.Link(target: target, id: best?.id, title: best?.title)
        }
    }

    /// The newest notes with a link to this one, without itself.
    private func backlinks(to note: Note) async throws -> [NoteLinks.Backlink] {
        let base = note.externalId.flatMap { WikiLink.bare($0).split(separator: "/").last.map(String.init) }
        // A link may name the folders, too.
        let beginnings = Set([note.title, base ?? ""]).filter { !$0.isEmpty }.flatMap { ["[[\($0)", "/\($0)"] }
        guard !beginnings.isEmpty else { return [] }
        let texts = beginnings.flatMap { name in ["]]", "|", "#", ".md"].map { name + $0 } }
        let page = try await notes.page(NoteSelection(links: texts), after: nil, limit: Self.maxBacklinks)
        return page.items.compactMap { other in
            guard other.id != note.id,
                let link = WikiLink.all(in: other.content).first(where: {
                    WikiLink.target($0.target, names: note.title, file: note.externalId)
                })
            else { return nil }
            let place = Snippet.Match(range: link.start..<link.start + 1, term: link.target)
            return NoteLinks.Backlink(
                id: other.id, title: other.title, createdAt: other.createdAt,
                excerpt: Snippet.line(of: other.content, title: other.title, matches: [place]))
        }
    }
}
