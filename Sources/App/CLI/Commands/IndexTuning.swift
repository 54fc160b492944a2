import ArgumentParser
import Foundation
import Gateway
import PostgresStorage
import Search
import Synchronization

/// What `selene index tune` measured.
struct TuningReport: Encodable {
    struct Measurement: Encodable {
        var plan: String
        var candidates: Int
        var recall: Double
        var median_ms: Double
    }

    var measurements: [Measurement]
    var status: IndexStatus?

    init(_ measurements: [Measurement], status: IndexStatus? = nil) {
        self.measurements = measurements
        self.status = status
    }

    /// Prints a table.
    ///
    /// - Parameter head: The names of its first two columns, which give their widths.
    func show(_ head: String) {
        Terminal.line("\(head)  recall@10  median ms")
        let second = head.split(separator: " ").last.map(String.init) ?? ""
        let first = head.dropLast(second.count).count - 1
        for one in measurements {
            let numbers = String(format: "%.4f     %.2f", one.recall, one.median_ms)
            Terminal.line(
                "\(one.plan.padded(to: first)) \(String(one.candidates).padded(to: second.count + 1)) \(numbers)")
        }
    }
}

/// An amount of memory in PostgreSQL's units: kB, MB, GB and TB, each 1024 of the one before.
struct MemorySize: ExpressibleByArgument {
    var bytes: Int

    /// The units, smallest first.
    private static let units = ["kb", "mb", "gb", "tb"]
    /// The values that `maintenance_work_mem` may have.
    private static let range = (1 << 20)...Int(Int32.max) * 1024

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let unit = argument.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).lowercased()
        guard let number = Int(digits), let place = Self.units.firstIndex(of: unit) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (10 * (place + 1)))
        guard !overflow, Self.range.contains(bytes) else { return nil }
        self.bytes = bytes
    }

    /// The bytes in the largest unit that gives at least 1, without a fraction: rounded up.
    static func text(_ bytes: Int) -> String {
        var (size, unit) = (1 << 10, "kB")
        for larger in ["MB", "GB"] where rounded(bytes, size) >= 10_000 { (size, unit) = (size << 10, larger) }
        return "\(rounded(bytes, size)) \(unit)"
    }

    private static func rounded(_ bytes: Int, _ size: Int) -> Int {
        bytes / size + (bytes % size == 0 ? 0 : 1)
    }
}

/// Builds and measures the index of the vectors in PostgreSQL, for `selene index tune`.
struct PostgresIndexTuning {
    var sample: Int
    var memory: MemorySize?
    var json: Bool

    func run(_ configuration: GatewayConfiguration) async throws {
        let (sample, granted) = (sample, memory?.bytes)
        let bar = TuningBar()
        defer { bar.finish() }
        let found = try await CommandContext.run(configuration) { context -> [VectorIndexTuning.Measurement] in
            guard let store = context.postgres else { return [] }
            let tuning = VectorIndexTuning(store)
            try await warn(tuning.memory(granted: granted))
            return try await tuning.tune(sample: sample, memory: granted) { bar.update($0) }
        }
        bar.finish()
        let report = TuningReport(
            found.map {
                .init(
                    plan: $0.kind.rawValue, candidates: $0.search, recall: $0.recallAt10,
                    median_ms: $0.median / .milliseconds(1))
            })
        if json { return Terminal.line(try JSONOutput.text(report)) }
        report.show("index    search")
        let isUsed = found.last.map { $0.recallAt10 >= VectorIndexPlan.leastRecall } ?? false
        Terminal.line(
            isUsed
                ? "The index answers from now on, for all gateways."
                : "No setting found enough; every vector is compared.")
    }

    private func warn(_ memory: VectorIndexTuning.Memory) {
        guard let needed = memory.needed, needed > memory.granted else { return }
        Terminal.note(
            "selene: the graph takes about \(MemorySize.text(needed)) while it is built, and the build may use "
                + "\(MemorySize.text(memory.granted)); the rest is built on the disk, which takes many times as long. "
                + "If the server has the memory, stop this and give --memory")
    }
}

/// The progress of building and measuring an index. Reports come from several tasks.
private final class TuningBar: Sendable {
    private struct State {
        var title = ""
        var bar: ProgressBar?
    }

    private let state = Mutex(State())

    func update(_ progress: VectorIndexTuning.Progress) {
        state.withLock { state in
            if state.title != progress.detail || state.bar == nil && progress.total > 0 {
                if state.title != progress.detail, progress.total == 0 { Terminal.note("selene: \(progress.detail)") }
                state.bar?.finish()
                state.title = progress.detail
                state.bar = progress.total > 0 ? ProgressBar(progress.detail, unit: Self.unit(of: progress.step)) : nil
            }
            if progress.total > 0 { state.bar?.update(done: progress.done, total: progress.total) }
        }
    }

    private static func unit(of step: VectorIndexTuning.Progress.Step) -> String {
        switch step {
        case .build: "blocks"
        case .exact: "vectors"
        case .queries: "queries"
        }
    }

    func finish() {
        state.withLock { state in
            state.bar?.finish()
            state.bar = nil
        }
    }
}
