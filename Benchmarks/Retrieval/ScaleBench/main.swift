import Foundation
import Retrieval

// Builds, tunes and searches an index of generated documents, without a database. One JSON line for each figure.
//
//     ScaleBench build FILE ROWS [DIMENSIONS]     builds the index file
//     ScaleBench export FOLDER ROWS               writes the documents and 200 questions, for other programs
//     ScaleBench tune FILE [SAMPLE]               measures the plans and writes the file again
//     ScaleBench search FILE [ROUNDS] [PLAN]      launch to first answer, questions of each mode, filters, recall, memory
//     ScaleBench write FILE [ROUNDS]              a change or a removal until searches show it
let words = Array(CommandLine.arguments.dropFirst())
let numbers = words.dropFirst(2).compactMap(Int.init)
guard words.count >= 2 else {
    FileHandle.standardError.write(Data("usage: ScaleBench build|export|tune|search|write FILE [NUMBERS]\n".utf8))
    exit(64)
}
switch words[0] {
case "build": try build(words[1], rows: numbers.first ?? 100_000, dimensions: numbers.count > 1 ? numbers[1] : 384)
case "export": try export(words[1], rows: numbers.first ?? 100_000, queries: 200)
case "tune": try await tune(words[1], sample: numbers.first ?? 200)
case "search": try await search(words[1], rounds: numbers.first ?? 200, plan: VectorPlan(rawValue: words.last ?? ""))
case "write": try await write(words[1], rounds: numbers.first ?? 20)
default: exit(64)
}

/// Prints figures as one line of JSON.
func say(_ name: String, _ figures: [(String, Double)]) {
    let text = figures.map { "\"\($0.0)\":\(($0.1 * 1000).rounded() / 1000)" }.joined(separator: ",")
    print("{\"figure\":\"\(name)\",\(text)}")
    fflush(nil)
}

/// The time, the processor time and the memory of a body.
func measure(_ name: String, _ further: [(String, Double)] = [], _ body: () throws -> Void) rethrows {
    let before = (ContinuousClock.now, Usage.cpuSeconds)
    try body()
    say(
        name,
        further + [
            ("seconds", (ContinuousClock.now - before.0) / .seconds(1)), ("cpu_seconds", Usage.cpuSeconds - before.1),
        ] + Usage.memory)
}

func build(_ path: String, rows: Int, dimensions: Int) throws {
    let data = ScaleData(dimensions: dimensions)
    let blocks = (rows + ScaleData.blockRows - 1) / ScaleData.blockRows
    // Making the documents is measured alone, and taken off.
    let sample = min(blocks, 8)
    let before = Usage.cpuSeconds
    for number in 0..<sample { _ = data.block(number, of: rows) }
    let making = (Usage.cpuSeconds - before) * Double(blocks) / Double(sample)
    try? FileManager.default.removeItem(atPath: path)
    try measure("build", [("rows", Double(rows)), ("making_cpu_seconds", making)]) {
        guard let construction = try IndexConstruction(path: path, dimensions: dimensions, source: "bench-\(rows)")
        else {
            print("another process is building")
            exit(1)
        }
        let first = Int(construction.lastID ?? 0)
        if first > 0 { say("resumed", [("after", Double(first))]) }
        for number in first / ScaleData.blockRows..<blocks {
            var block = data.block(number, of: rows)
            let known = block.documents.count { $0.id <= first }
            block.documents.removeFirst(known)
            block.vectors.removeFirst(known)
            try construction.add(block, cursor: 1)
        }
        try measure("merge") { try construction.finish(stamp: IndexStamp(source: "bench", cursor: 1)) }
    }
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    say("file", [("bytes", Double(size)), ("bytes_per_row", Double(size) / Double(max(1, rows)))])
}

/// Writes vectors of length 1, texts, and questions.
func export(_ folder: String, rows: Int, queries: Int) throws {
    let data = ScaleData(dimensions: 384)
    func bytes(_ vector: [Float]) -> Data {
        let scale = 1 / vector.reduce(Float(0)) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 * scale }.withUnsafeBytes { Data($0) }
    }
    func file(_ name: String) throws -> FileHandle {
        let path = folder + "/" + name
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return try FileHandle(forWritingTo: URL(filePath: path))
    }
    let (vectors, texts) = (try file("vectors"), try file("texts"))
    for number in 0..<(rows + ScaleData.blockRows - 1) / ScaleData.blockRows {
        let block = data.block(number, of: rows)
        try vectors.write(contentsOf: block.vectors.reduce(into: Data()) { $0 += bytes($1.values) })
        try texts.write(contentsOf: Data(block.documents.map { "\($0.title) \($0.text)\n" }.joined().utf8))
    }
    var random = ScaleData.Source(state: 99)
    try file("questions").write(
        contentsOf: Data((0..<queries).map { _ in data.question(&random) + "\n" }.joined().utf8))
    try file("queries").write(
        contentsOf: (0..<queries).reduce(into: Data()) { all, _ in all += bytes(data.vector(&random)) })
}

func tune(_ path: String, sample: Int) async throws {
    let opened = try HybridIndex.open(path: path)
    let before = (ContinuousClock.now, Usage.cpuSeconds)
    let found = try await opened.index.tune(sample: sample, now: 0) {
        FileHandle.standardError.write(Data("\($0)\n".utf8))
    }
    for one in found {
        say(
            "plan \(one.plan.rawValue)",
            [("candidates", Double(one.candidates)), ("recall", one.recallAt10), ("ms", one.median / .milliseconds(1))])
    }
    say(
        "tune",
        [
            ("seconds", (ContinuousClock.now - before.0) / .seconds(1)), ("cpu_seconds", Usage.cpuSeconds - before.1),
        ] + Usage.memory)
    try measure("write") { try opened.index.image.write(to: path, stamp: opened.stamp) }
}

func search(_ path: String, rounds: Int, plan: VectorPlan?) async throws {
    let started = ContinuousClock.now
    let index = try HybridIndex.open(path: path).index
    let opened = ContinuousClock.now
    let dimensions = index.statistics.dimensions ?? 0
    let data = ScaleData(dimensions: dimensions)
    var random = ScaleData.Source(state: 99)
    func query(_ mode: RetrievalMode) -> HybridQuery {
        var query = HybridQuery(text: data.question(&random), vector: data.vector(&random), mode: mode)
        query.plan = plan
        return query
    }
    let firstQuery = query(.hybrid)
    let asked = ContinuousClock.now
    _ = try index.searchNow(firstQuery)
    say(
        "first answer",
        [
            ("rows", Double(index.statistics.rows)), ("open_ms", (opened - started) / .milliseconds(1)),
            ("search_ms", (ContinuousClock.now - asked) / .milliseconds(1)),
        ])
    for mode in RetrievalMode.allCases {
        try await questions(mode.rawValue, (0..<rounds).map { _ in query(mode) }, index)
    }
    for (name, filter) in [
        ("filter 10%", Filter(noteTypes: ["task"])), ("filter 0.1%", Filter(tags: ["rare"])),
    ] {
        let filtered = (0..<rounds / 4).map { _ in
            var one = query(.hybrid)
            one.filter = filter
            return one
        }
        try await questions(name, filtered, index)
    }
    let sample = (0..<min(32, rounds)).map { _ in query(.vector) }
    let found = try await index.search(sample)
    let exact = try await index.search(
        sample.map { query in
            var query = query
            query.plan = .exact
            return query
        })
    let shares = zip(found, exact).map { found, exact in
        let wanted = Set(exact.hits.map(\.id))
        return Double(found.hits.count { wanted.contains($0.id) }) / Double(max(1, wanted.count))
    }
    say(
        "recall@10",
        [("queries", Double(shares.count)), ("recall", shares.reduce(0, +) / Double(max(1, shares.count)))])
    say("after exact scans", Usage.memory)
}

func questions(_ name: String, _ queries: [HybridQuery], _ index: HybridIndex) async throws {
    // The first ones read what a search first needs.
    for query in queries.prefix(10) { _ = try await index.search(query) }
    var times: [Double] = []
    var legs = (vector: 0.0, keyword: 0.0, filter: 0.0)
    var least = Int.max
    let before = Usage.cpuSeconds
    for query in queries {
        let started = ContinuousClock.now
        let result = try await index.search(query)
        times.append((ContinuousClock.now - started) / .milliseconds(1))
        legs.vector += result.timings.vector / .milliseconds(1)
        legs.keyword += result.timings.keyword / .milliseconds(1)
        legs.filter += result.timings.filter / .milliseconds(1)
        least = min(least, result.hits.count)
    }
    let count = Double(max(1, queries.count))
    times.sort()
    guard !times.isEmpty else { return }
    say(
        name,
        [
            ("p50_ms", times[times.count / 2]), ("p99_ms", times[min(times.count - 1, times.count * 99 / 100)]),
            ("cpu_ms", (Usage.cpuSeconds - before) * 1000 / count), ("vector_ms", legs.vector / count),
            ("keyword_ms", legs.keyword / count), ("filter_ms", legs.filter / count), ("least_hits", Double(least)),
        ] + Usage.memory)
}

func write(_ path: String, rounds: Int) async throws {
    let index = try HybridIndex.open(path: path).index
    let data = ScaleData(dimensions: index.statistics.dimensions ?? 0)
    var random = ScaleData.Source(state: 7)
    let step = Int64(max(1, min(1000, (index.statistics.documents - 5) / max(1, rounds))))
    for (name, id) in [("new", Int64(1) << 40), ("changed", 5)] {
        var times: [Double] = []
        let before = Usage.cpuSeconds
        for round in 0..<rounds {
            var update = IndexUpdate()
            let own = name == "new" ? id + Int64(round) : id + Int64(round) * step
            let vector = data.vector(&random)
            update.documents = [RetrievalDocument(id: own, title: "quixotic\(round)", text: data.text(15, &random))]
            update.vectors = [VectorEntry(id: own, values: vector)]
            let started = ContinuousClock.now
            try index.apply(update)
            times.append((ContinuousClock.now - started) / .milliseconds(1))
            let hits = try await index.search(HybridQuery(text: "quixotic\(round)", vector: vector)).hits
            guard hits.first?.id == own else {
                print("the change is not found")
                exit(1)
            }
        }
        times.sort()
        say(
            "write \(name)",
            [
                ("p50_ms", times[times.count / 2]), ("worst_ms", times[times.count - 1]),
                ("cpu_ms_with_search", (Usage.cpuSeconds - before) * 1000 / Double(rounds)),
            ] + Usage.memory)
    }
    try await remove(index, rounds: rounds)
}

/// Removes documents and looks whether they are still found.
func remove(_ index: HybridIndex, rounds: Int) async throws {
    var times: [Double] = []
    let before = Usage.cpuSeconds
    for round in 0..<rounds {
        // Those that were added before.
        let id = Int64(1) << 40 + Int64(round)
        var update = IndexUpdate()
        update.removedDocuments = [id]
        let started = ContinuousClock.now
        try index.apply(update)
        times.append((ContinuousClock.now - started) / .milliseconds(1))
        let hits = try await index.search(HybridQuery(text: "quixotic\(round)", mode: .keyword)).hits
        guard !hits.contains(where: { $0.id == id }) else {
            print("the removed document is found")
            exit(1)
        }
    }
    times.sort()
    guard !times.isEmpty else { return }
    say(
        "write removed",
        [
            ("p50_ms", times[times.count / 2]), ("worst_ms", times[times.count - 1]),
            ("cpu_ms_with_search", (Usage.cpuSeconds - before) * 1000 / Double(rounds)),
        ] + Usage.memory)
}

enum Usage {
    /// Processor time of the process in seconds.
    static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Memory in MB: own, of files, and the most so far of both.
    static var memory: [(String, Double)] {
        [("anonymous_mb", field("RssAnon:")), ("files_mb", field("RssFile:")), ("peak_mb", field("VmHWM:"))]
    }

    private static func field(_ name: String) -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kilobytes = line.split(separator: " ").compactMap({ Double($0) }).first
        else { return 0 }
        return kilobytes / 1024
    }
}
