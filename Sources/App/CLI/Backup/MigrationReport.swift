import Storage
import StoreMigration

/// Says what a migration does, as text or as JSON lines. An actor, since steps report concurrently.
actor MigrationReport {
    private let asJSON: Bool
    private var step: StoreMigration.Progress.Step?
    private var bar = ProgressBar("migrate", unit: "notes")
    private var began = ContinuousClock.now
    private var first = 0
    private var writtenAt: ContinuousClock.Instant?

    init(asJSON: Bool) { self.asJSON = asJSON }

    private struct Remark: Encodable {
        var subject: String
        var count: Int
        var text: String
        var ids: [Int64]?

        init(_ remark: TransferRemark) {
            (subject, count, text) = (remark.subject, remark.count, remark.text)
            ids = remark.ids.isEmpty ? nil : remark.ids
        }
    }

    private struct Plan: Encodable {
        var event = "plan"
        var from: String
        var to: String
        var notes: Int
        var sessions: Int
        var messages: Int
        var memories: Int
        var rows: Int
        var stays: [Remark]
    }

    private struct Line: Encodable {
        var event = "progress"
        var step: String
        var done: Int
        var total: Int
        var failed: Int
        var rate: Double?
        var eta_seconds: Double?
    }

    private struct Summary: Encodable {
        var event = "summary"
        var equal: Bool
        var notes: Int
        var copied: Int
        var followed: Int
        var mended: Int
        var compared: Int
        var vectors: Int
        var threads: Int
        var sessions: Int
        var messages: Int
        var memories: Int
        var rows: Int
        var written_conversations: Int
        var differences: Int
        var different: [Int64]
        var different_conversations: [String]
        var resumed: Bool
        var seconds: Double
        var coerced: [Remark]
        var stays: [Remark]
        var keys: Int?
    }

    /// Says what will be moved, and what will not.
    func plan(_ from: any TransferSide, _ to: any TransferSide, _ left: [TransferRemark]) async throws {
        let notes = try await from.noteCount()
        let rest = try await from.conversations.counts()
        let rows = try await from.rooms.counts().reduce(0) { $0 + $1.count }
        if asJSON {
            let plan = Plan(
                from: from.title, to: to.title, notes: notes, sessions: rest.sessions, messages: rest.messages,
                memories: rest.memories, rows: rows, stays: left.map(Remark.init))
            return Terminal.line(try JSONOutput.text(plan))
        }
        Terminal.note(
            "selene: \(notes) notes, \(rest.sessions) chat sessions with \(rest.messages) messages, \(rest.memories) "
                + "memories and \(rows) rows of \(RoomTransfer.subjects) move from \(from.title) to \(to.title)")
        if !left.isEmpty { Terminal.note("selene: this does not move:") }
        for remark in left { Terminal.note("  \(Self.text(remark))") }
    }

    private static func text(_ remark: TransferRemark) -> String {
        let some = remark.ids.prefix(5).map(String.init).joined(separator: ", ")
        let more = remark.count > min(5, remark.ids.count) ? ", …" : ""
        return "\(remark.subject): \(remark.count), \(remark.text)" + (some.isEmpty ? "" : " (\(some)\(more))")
    }

    /// Shows progress, at most once a second as JSON.
    func update(_ progress: StoreMigration.Progress) {
        let now = ContinuousClock.now
        if step != progress.step {
            if !asJSON { bar.finish() }
            bar = ProgressBar(progress.step.rawValue, unit: Self.unit(of: progress.step))
            (step, began, first, writtenAt) = (progress.step, now, progress.done, nil)
        }
        guard asJSON else { return bar.update(done: progress.done, total: progress.total, failed: progress.failed) }
        if let writtenAt, now - writtenAt < .seconds(1), progress.done < progress.total { return }
        writtenAt = now
        let seconds = (now - began) / .seconds(1)
        let rate = seconds > 0.05 ? Double(progress.done - first) / seconds : nil
        let line = Line(
            step: progress.step.rawValue, done: progress.done, total: progress.total, failed: progress.failed,
            rate: rate?.rounded(),
            eta_seconds: rate.flatMap { $0 > 0 ? (Double(progress.total - progress.done) / $0).rounded(.up) : nil })
        if let text = try? JSONOutput.text(line) { Terminal.line(text) }
    }

    private static func unit(of step: StoreMigration.Progress.Step) -> String {
        switch step {
        case .copy, .follow, .compare: "notes"
        case .sessions, .memories: step.rawValue
        case .rooms: "rows"
        }
    }

    func finish() { if !asJSON { bar.finish() } }

    /// Says what was done, and how to switch.
    func end(
        _ summary: StoreMigration.Summary, _ from: any TransferSide, _ to: any TransferSide, _ left: [TransferRemark],
        isVerification: Bool, seconds: Double
    ) throws {
        if asJSON {
            let line = Summary(
                equal: summary.isEqual, notes: summary.notes, copied: summary.copied, followed: summary.followed,
                mended: summary.mended, compared: summary.equal + summary.differences, vectors: summary.vectors,
                threads: summary.threads, sessions: summary.sessions, messages: summary.messages,
                memories: summary.memories, rows: summary.rows, written_conversations: summary.writtenConversations,
                differences: summary.differences, different: summary.different,
                different_conversations: summary.differentConversations,
                resumed: summary.isResumed, seconds: seconds, coerced: summary.remarks.map(Remark.init),
                stays: left.map(Remark.init), keys: summary.keys)
            return Terminal.line(try JSONOutput.text(line))
        }
        if !isVerification {
            Terminal.line(
                "\(summary.copied) notes copied, \(summary.followed) changes followed, \(summary.mended) rows mended, "
                    + "\(summary.writtenConversations) rows of chats, memories, \(RoomTransfer.subjects) written"
                    + (summary.keys.map { ", \($0) keys" } ?? ""))
        }
        for remark in summary.remarks { Terminal.line("  \(Self.text(remark))") }
        for remark in left { Terminal.line("  \(Self.text(remark))") }
        Terminal.line(
            "\(summary.equal) of \(summary.equal + summary.differences) rows are equal in both stores, with "
                + "\(summary.vectors) vectors and \(summary.threads) threads: \(summary.notes) notes, "
                + "\(summary.sessions) chat sessions with \(summary.messages) messages, \(summary.memories) memories, "
                + "\(summary.rows) rows of \(RoomTransfer.subjects)")
        guard summary.isEqual else {
            let some =
                (summary.different.map { "note \($0)" } + summary.differentConversations).prefix(20)
                .joined(separator: ", ")
            return Terminal.line(
                "\(summary.differences) differ\(some.isEmpty ? "" : ": \(some)"). Run it again; rows that a program changes all the time differ"
            )
        }
        guard !isVerification else { return }
        Terminal.line("To switch:")
        Terminal.line("  1. stop the gateways and all programs that write to \(from.title)")
        Terminal.line("  2. run this command again: it applies what has changed since, and compares")
        Terminal.line(
            to is FileTransfer
                ? "  3. remove SELENE_STORE, set SELENE_DATABASE=\(to.title), and start the gateway"
                : "  3. set SELENE_STORE to this address on each gateway and start them; then `selene index tune`")
    }
}
