import Foundation
import GatewayAPI
import Logging
import SourceRoom
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import NoteSources

/// A whole follower over a folder that changes.
@Suite(.serialized) struct FollowingTests {
    private func follower(_ stage: SourceStage) -> SourceFollower {
        SourceFollower(
            store: stage.stage.store, isShared: false, claims: { $0 },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs a follower around a body.
    private func following(_ stage: SourceStage, _ body: () async throws -> Void) async throws {
        let follower = follower(stage)
        let task = Task { try await follower.run() }
        do {
            try await body()
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        _ = await task.result
    }

    @Test(arguments: NotesPlace.allCases)
    func `notes follow written, renamed, moved and removed files and folders`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place) else { return }
        for number in 0..<12 { try stage.folder.write("n/\(number).md", "note of number \(number)") }
        try await following(stage) {
            try await waitUntil(within: .seconds(120)) { try await stage.all.count == 12 }
            try stage.folder.write("n/0.md", "changed")
            try stage.folder.write("new/deep/x.md", "found at once")
            try stage.move("n/1.md", "new/1.md")
            try stage.remove("n/2.md")
            try await waitUntil(within: .seconds(120)) { try await stage.notes == stage.expected }
            try stage.move("new", "renamed")
            // An editor that writes another file and puts it in place.
            try stage.folder.write(".tmp", "replaced")
            try stage.remove("n/3.md")
            try stage.move(".tmp", "n/3.md")
            try await waitUntil(within: .seconds(120)) { try await stage.notes == stage.expected }
            let handle = try FileHandle(forWritingTo: URL(filePath: stage.folder.path("n/4.md")))
            for _ in 0..<20 {
                try handle.write(contentsOf: Data("more and more ".utf8))
                try await Task.sleep(for: .milliseconds(20))
            }
            try handle.close()
            try await waitUntil(within: .seconds(120)) { try await stage.notes == stage.expected }
        }
        // It lets the source go.
        try await waitUntil(within: .seconds(120)) { try await stage.source.owner == nil }
    }

    @Test func `a paused source rests, a removed one ends, and a wish is looked after`() async throws {
        guard let stage = try await SourceStage(.file) else { return }
        try stage.folder.write("a.md", "one")
        try await following(stage) {
            try await waitUntil(within: .seconds(120)) { try await stage.all.count == 1 }
            try await stage.service.change("vault", SourceChange(paused: true))
            try await waitUntil(within: .seconds(120)) { try await stage.source.owner == nil }
            try stage.folder.write("b.md", "two")
            try await stage.service.change("vault", SourceChange(paused: false))
            try await waitUntil(within: .seconds(120)) { try await stage.all.count == 2 }
            let wish = try await stage.service.want("vault")
            try await waitUntil(within: .seconds(120)) { try await stage.source.lookedAt ?? 0 >= wish }
            #expect(try await stage.service.remove("vault", keepsNotes: true) == 0)
            #expect(try await stage.all.count == 2)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `of two followers on one store, one follows a source`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place) else { return }
        try stage.folder.write("a.md", "one")
        let other = SourceFollower(
            store: stage.stage.other, isShared: false, claims: { $0 },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await following(stage) {
            try await waitUntil(within: .seconds(120)) { try await stage.all.count == 1 }
            let owner = try await stage.source.owner
            let task = Task { try await other.run() }
            try stage.folder.write("b.md", "two")
            try await waitUntil(within: .seconds(120)) { try await stage.all.count == 2 }
            #expect(try await stage.source.owner == owner)
            task.cancel()
            _ = await task.result
        }
    }

    /// A history of commits, branches, merges and renames, checked out one after the other: what the looks made of it is what a
    /// fresh ingest of each state makes.
    @Test func `a history of Git that is checked out gives what a fresh ingest gives`() async throws {
        guard await Shell.has("git"), let stage = try await SourceStage(.file) else { return }
        var random = SeededGenerator(36)
        let root = stage.folder.url.path
        func git(_ arguments: String...) async throws {
            let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
            let outcome = try await Shell.run(["git", "-C", root] + identity + arguments)
            try #require(outcome.status == 0, "\(arguments): \(outcome.output)")
        }
        try await git("init", "-q", "-b", "main")
        var names: [String] = []
        func text() -> String {
            (0..<8).map { _ in "word\(Int.random(in: 0..<500, using: &random))" }.joined(separator: " ")
        }
        func change(_ commit: Int) throws {
            for step in 0..<Int.random(in: 1...5, using: &random) {
                switch (Int.random(in: 0..<6, using: &random), names.randomElement(using: &random)) {
                case (0, let name?):
                    try stage.remove(name)
                    names.removeAll { $0 == name }
                case (1, let name?):
                    let new = "f\(Int.random(in: 0..<5, using: &random))/m\(commit)-\(step).md"
                    try stage.move(name, new)
                    names.removeAll { $0 == name }
                    names.append(new)
                case (2, let name?): try stage.folder.write(name, text())
                default:
                    let name = "f\(Int.random(in: 0..<5, using: &random))/n\(commit)-\(step).md"
                    try stage.folder.write(name, text())
                    names.append(name)
                }
            }
        }
        let commits = 30
        for number in 0..<40 {
            let name = "f\(number % 5)/s\(number).md"
            try stage.folder.write(name, text())
            names.append(name)
        }
        try await git("add", "-A")
        try await git("commit", "-q", "-m", "start")
        for commit in 0..<commits {
            if commit % 10 == 4 {
                // A branch that changes files of its own, and is merged.
                try await git("checkout", "-q", "-b", "side\(commit)")
                try stage.folder.write("side/\(commit).md", text())
                try await git("add", "-A")
                try await git("commit", "-q", "-m", "side")
                try await git("checkout", "-q", "main")
                try change(commit)
                try await git("add", "-A")
                try await git("commit", "-q", "--allow-empty", "-m", "\(commit)")
                try await git("merge", "-q", "--no-ff", "-m", "merge", "side\(commit)")
                continue
            }
            try change(commit)
            try await git("add", "-A")
            try await git("commit", "-q", "--allow-empty", "-m", "\(commit)")
        }
        let log = try await Shell.run(["git", "-C", root, "log", "--format=%H", "--reverse"]).output
        var history = log.split(separator: "\n").map(String.init)
        // Forwards, and to and fro.
        history += history.indices.shuffled(using: &random).prefix(10).map { history[$0] }
        for commit in history {
            try await git("checkout", "-q", commit)
            try await stage.service.change("vault", SourceChange(acceptMissing: true))
            try await stage.lookAtAll()
            #expect(try await stage.notes == stage.expected, "at \(commit)")
        }
    }
}
