import Foundation
import Retrieval
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// The vocabulary that a gateway keeps, beside gateways that add words to it.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct VocabularyIndexTests {
    private func last(_ store: PostgresStore) async throws -> Int64 {
        try await PostgresSearch(store).view().lastRun
    }

    /// The vocabulary once it is read.
    private func known(_ store: PostgresStore) async throws -> RunVocabulary? {
        let last = try await last(store)
        store.keepVocabulary()
        if let known = try await store.vocabularyIndex.current(upTo: last, store) { return known }
        await store.vocabularyIndex.finishReading()
        return try await store.vocabularyIndex.current(upTo: last, store)
    }

    @Test(.slow) func `words of another gateway are known at the next question, and are those that the server finds`()
        async throws
    {
        let stage = try await PostgresStage()
        let others = [stage.store, try PostgresStage.store(stage.uri)]
        let reader = try PostgresStage.store(stage.uri)
        var random = SeededGenerator(5)
        let letters = "abcdefghé日".map(String.init)
        func word() -> String {
            (0..<Int.random(in: 1...9, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            }
            .joined()
        }
        _ = try await others[0].notes.insert([NoteDraft(title: "t", content: "first", externalID: "first")])
        for round in 0..<12 {
            let text = (0..<(round == 6 ? 7000 : 40)).map { _ in word() }.joined(separator: " ")
            _ = try await others[round % 2].notes.insert([NoteDraft(title: "t", content: text, externalID: "\(round)")])
            let vocabulary = try #require(try await known(reader))
            let rows = try await reader.rows("SELECT count(*), max(id) FROM vocabulary")
            #expect(Int64(vocabulary.count) == rows.integer(0, 0) && Int64(vocabulary.last) == rows.integer(0, 1))
            for _ in 0..<8 {
                let query = HybridQuery(
                    text: "\(word()) \(word())", keywords: ["\(word()) \(word()) \(word())", word()], mode: .keyword,
                    limit: 5)
                let question = KeywordQuestion(query)
                let search = PostgresSearch(reader)
                let (here, there) = (
                    try await search.runs(for: question, vocabulary), try await search.runs(for: question, nil)
                )
                #expect(Set(here) == Set(there) && Set(here).count == here.count)
            }
        }
    }

    @Test(.slow) func `no word is missed while several gateways add words`() async throws {
        let stage = try await PostgresStage()
        let reader = try PostgresStage.store(stage.uri)
        _ = try await stage.store.notes.insert([NoteDraft(title: "t", content: "first", externalID: "first")])
        _ = try await known(reader)
        let writers = try (0..<3).map { _ in try PostgresStage.store(stage.uri) }
        let writing = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, writer) in writers.enumerated() {
                    group.addTask {
                        for round in 0..<25 {
                            // Some words are new for all, some for none.
                            let text = (0..<30).map { "w\(round)x\($0 % 20) own\(number)r\(round)n\($0)" }.joined(
                                separator: " ")
                            _ = try await writer.notes.insert(
                                [NoteDraft(title: "t", content: text, externalID: "\(number) \(round)")])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        var looks = 0
        while true {
            let isOver = try await reader.rows("SELECT count(*) FROM notes").integer(0, 0) == 76
            if let vocabulary = try await known(reader) {
                looks += 1
                let rows = try await reader.rows(
                    "SELECT count(*) FROM vocabulary WHERE id <= $1", [.integer(Int64(vocabulary.last))])
                #expect(Int64(vocabulary.count) == rows.integer(0, 0))
            }
            if isOver { break }
        }
        try await writing.value
        #expect(looks > 5)
        let rows = try await reader.rows("SELECT count(*) FROM vocabulary")
        #expect(rows.integer(0, 0) == Int64(try #require(try await known(reader)).count))
    }

    @Test func `a large vocabulary stays in the server, and an older copy of the database is read anew`() async throws {
        let stage = try await PostgresStage()
        let small = PostgresStore(try PostgresAddress(stage.uri), vocabularyBytes: 20, logger: stage.store.logger)
        _ = try await stage.store.notes.insert([NoteDraft(title: "tide", content: "moon lamp", externalID: "1")])
        #expect(try await known(small)?.count == 3)
        _ = try await stage.store.notes.insert([NoteDraft(title: "harbour", content: "gauges", externalID: "2")])
        _ = try await known(small)
        #expect(try await known(small) == nil)
        let found = try await PostgresSearch(small).search(
            HybridQuery(text: "harbour", mode: .keyword, limit: 5), try await PostgresSearch(small).view())
        #expect(found.hits.count == 1)

        #expect(try await known(stage.store)?.count == 5)
        _ = try await stage.store.write {
            try await $0.run("DELETE FROM vocabulary WHERE run IN ('harbour', 'gauges')")
        }
        #expect(try await known(stage.store)?.count == 3)
        // A question that began before another one does not know less.
        #expect(try await stage.store.vocabularyIndex.current(upTo: 1, stage.store)?.count == 3)
    }
}
