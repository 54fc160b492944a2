import Database
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Transport

/// How good the list of all kinds is, against the search of the kind that has the answer.
@Suite struct FindQuality {
    private static let names: [Character: FindKind] = [
        "N": .notes, "C": .chats, "M": .memories, "T": .threads, "G": .goals, "B": .books,
    ]

    /// What was measured, rounded down. The questions have words of their answers, and the vectors are hashed words: it says how
    /// kinds are mixed, not how well questions in other words are answered.
    private static let least: [FindKind: Double] = [
        .notes: 0.99, .books: 0.99, .chats: 0.92, .memories: 0.92, .threads: 0.99, .goals: 0.99,
    ]

    /// The ids of the texts by kind and subject; of the book its id, and where its paragraphs begin.
    private struct Stored {
        var ids: [FindKind: [Int: String]] = [:]
        var book = ""
        var paragraphs: [Int: Int] = [:]
    }

    private static func store(in gateway: LiveGateway) async throws -> Stored {
        // As in files of another program; the gateway's own table of threads has no summaries.
        _ = try await gateway.store.transaction { try $0.run("ALTER TABLE threads ADD COLUMN summary TEXT") }
        var stored = Stored()
        var book = "CHAPTER I"
        for text in FindCollection.texts {
            guard let kind = names[text.kind] else { continue }
            var id = ""
            switch kind {
            case .notes:
                let draft = NoteDraft(title: text.parts[0], content: text.parts[1], createdAt: 1_790_000_000)
                let created = try await gateway.store.notes.create(draft, testRun: nil, request: nil)
                if case .created(let note) = created { id = String(note) }
            case .chats:
                id = "s\(text.subject)"
                var change = SessionChange()
                change.title = text.parts[0]
                _ = try await gateway.store.sessions.save(id, change)
                for (role, content) in zip(["user", "assistant"], text.parts.dropFirst()) {
                    _ = try await gateway.store.messages.add(to: id, role: role, content: content)
                }
            case .memories:
                let body = try JSONEncoder().encode(["content": text.parts[0], "type": "fact"])
                let reply = try await gateway.done("POST", "/api/memories", String(decoding: body, as: UTF8.self), 201)
                id = (reply.object["id"] as? Int).map(String.init) ?? ""
            case .threads:
                let note = Int64(stored.ids[.notes]?[text.subject] ?? "") ?? 0
                id = String(
                    try await gateway.store.transaction { session in
                        try session.noteTables().makeThread(
                            text.parts[0], why: "", summary: text.parts.dropFirst().first, [note])
                    })
            case .goals:
                let fields = ["title": text.parts[0], "description": text.parts.dropFirst().first ?? ""]
                let body = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
                id = try await gateway.done("POST", "/api/goals", body, 201).object["id"] as? String ?? ""
            case .books:
                stored.paragraphs[text.subject] = book.utf8.count + 2
                book += "\n\n" + text.parts[0]
            }
            stored.ids[kind, default: [:]][text.subject] = id
        }
        let added = try BookRoutesTests.decode(
            Book.self, try await BookRoutesTests.add(gateway, book + "\n", name: "valley.txt"))
        stored.book = String(try await BookRoutesTests.ready(gateway, added.id).id)
        try await gateway.backfill()
        return stored
    }

    private static func find(
        _ gateway: LiveGateway, _ text: String, _ kind: FindKind?
    ) async throws -> [FindHit] {
        let name = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let kinds = kind.map { "&kinds=\($0.rawValue)" } ?? ""
        let reply = try await gateway.done("GET", "/api/find?q=\(name)&limit=10\(kinds)")
        return try JSONDecoder().decode(FindResponse.self, from: reply.data).results
    }

    /// nDCG@10 with one right answer: 1 for the first place, less for later ones, 0 without it.
    private static func gain(_ hits: [FindHit], _ isRight: (FindHit) -> Bool) -> Double {
        hits.firstIndex(where: isRight).map { 1 / log2(Double($0) + 2) } ?? 0
    }

    @Test(.slow) func `the list of all kinds is hardly worse than the right kind alone`() async throws {
        #expect(FindCollection.questions.count == 156)
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            let stored = try await Self.store(in: gateway)
            var sums: [FindKind: (box: Double, alone: Double, count: Double)] = [:]
            for question in FindCollection.questions {
                let kind = try #require(Self.names[question.kind])
                func isRight(_ hit: FindHit) -> Bool {
                    guard hit.kind == kind else { return false }
                    guard kind == .books else { return hit.id == stored.ids[kind]?[question.subject] }
                    let start = stored.paragraphs[question.subject] ?? -1
                    return hit.id == stored.book && (hit.place.start ?? .max) <= start && start < hit.place.end ?? 0
                }
                let box = Self.gain(try await Self.find(gateway, question.parts[0], nil), isRight)
                let alone = Self.gain(try await Self.find(gateway, question.parts[0], kind), isRight)
                let sum = sums[kind] ?? (0, 0, 0)
                sums[kind] = (sum.box + box, sum.alone + alone, sum.count + 1)
            }
            for (kind, least) in Self.least {
                let (box, alone, count) = try #require(sums[kind])
                #expect(box / count >= least && count == 26, "\(kind): \(box / count)")
                #expect(box / count >= alone / count - 0.005, "\(kind): \(box / count), alone \(alone / count)")
            }
        }
    }
}
