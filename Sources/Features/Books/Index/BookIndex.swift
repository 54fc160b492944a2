import BookRoom
package import Database
package import Logging
package import Retrieval
package import Storage

/// The index of all books' passages, and what it holds of each book.
package struct LiveBooks: Sendable {
    /// What the index holds of a book.
    struct Entry: Sendable {
        var revision: Int64
        /// The reading position; nil for no limit.
        var position: Int?
        /// Where each passage ends, ascending.
        var ends: [Int]
        /// The passage that is cut at the position, and where it ends.
        var tail: (number: Int, end: Int)?

        /// The number of passages that end at or before an offset.
        func count(endingBy offset: Int) -> Int {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] <= offset { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    package let index: HybridIndex
    package let space: StoredSpace?
    let books: [Int64: Entry]

    /// The id of a passage in the index.
    static func id(_ book: Int64, _ number: Int) -> Int64 { book << 20 | Int64(number) }

    static func passage(_ id: Int64) -> (book: Int64, number: Int) { (id >> 20, Int(id & 0xF_FFFF)) }

    /// The ids that may be found in some books.
    ///
    /// - Parameters:
    ///   - wanted: The books; nil for all.
    ///   - ignoresPosition: Whether passages beyond the reading position may be found.
    func ranges(of wanted: [Int64]?, ignoresPosition: Bool) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for book in wanted ?? Array(books.keys) {
            guard let entry = books[book] else { continue }
            let limit = ignoresPosition ? nil : entry.position
            let count = limit.map { entry.count(endingBy: $0) } ?? entry.ends.count
            if count > 0 { ranges.append(Self.id(book, 0)...Self.id(book, count - 1)) }
            if let limit, let tail = entry.tail, tail.end <= limit {
                ranges.append(Self.id(book, tail.number)...Self.id(book, tail.number))
            }
        }
        return ranges
    }
}

/// Keeps the index of the books' passages up to date with the database, whichever process writes to it.
///
/// After a commit, one small query tells which books are new, gone or have another position; only their passages are read,
/// and vectors that were stored since the last look. Another embedding space needs another index.
package actor BookIndex {
    /// The passages of one read.
    private static let batch = 500

    private let store: any SQLStore
    private let activeSpace: @Sendable () async throws -> StoredSpace?
    private let logger: Logger
    private var index = HybridIndex(dimensions: nil)
    private var space: StoredSpace?
    private var books: [Int64: LiveBooks.Entry] = [:]
    /// The last vector that was read.
    private var lastVector: Int64 = 0
    /// The store's state before the last look; nil before the first one.
    private var seen: String?
    private var latest: Task<LiveBooks, any Error>?

    private var room: BookRoom { store.books }

    /// - Parameter activeSpace: The space that answers queries.
    package init(
        store: any SQLStore, activeSpace: @escaping @Sendable () async throws -> StoredSpace?, logger: Logger
    ) {
        self.store = store
        self.activeSpace = activeSpace
        self.logger = logger
    }

    /// The contents in numbers, without a look at the database.
    package var statistics: (books: Int, index: IndexStatistics) { (books.count, index.statistics) }

    /// The index with everything committed before this call.
    ///
    /// - Throws: ``StorageError``, ``RetrievalError``.
    package func current() async throws -> LiveBooks {
        // Looks run one after another, so that an older state never replaces a newer one.
        let task = Task { [previous = latest] in
            _ = await previous?.result
            return try await refresh()
        }
        latest = task
        return try await task.value
    }

    private func refresh() async throws -> LiveBooks {
        let now = try await store.commitMark()
        if seen != now {
            try await read()
            seen = now
        }
        return LiveBooks(index: index, space: space, books: books)
    }

    private func read() async throws {
        let active = try await activeSpace()
        if seen == nil || active != space {
            index = HybridIndex(dimensions: active?.space.dimensions)
            space = active
            books = [:]
            lastVector = try await room.lastVector()
        }
        let present = try await room.indexed().filter { $0.revision > 0 }
        let ids = Set(present.map(\.id))
        for (id, entry) in books where !ids.contains(id) { try remove(id, entry) }
        for book in present {
            if let known = books[book.id], known.revision == book.revision {
                if known.position != book.position { try await moveTail(of: book, known) }
            } else {
                if let known = books[book.id] { try remove(book.id, known) }
                try await add(book)
            }
        }
        try await readVectors()
    }

    private func remove(_ id: Int64, _ entry: LiveBooks.Entry) throws {
        var update = IndexUpdate()
        update.removedDocuments = entry.ends.indices.map { LiveBooks.id(id, $0) }
        if let tail = entry.tail { update.removedDocuments.append(LiveBooks.id(id, tail.number)) }
        try index.apply(update)
        books[id] = nil
    }

    private func add(_ book: IndexedBook) async throws {
        var entry = LiveBooks.Entry(revision: book.revision, position: book.position, ends: [], tail: nil)
        var next = 0
        while true {
            let batch = try await room.passages(of: book.id, from: next, limit: Self.batch)
            guard let last = batch.last else { break }
            // A gap means that another program took rows away; what is behind it cannot be limited by a position.
            for passage in batch where !passage.passage.isTail && passage.passage.number == entry.ends.count {
                entry.ends.append(max(entry.ends.last ?? 0, passage.passage.range.upperBound))
            }
            let known = entry.ends.count
            try index.apply(Self.update(batch.filter { !$0.passage.isTail && $0.passage.number < known }))
            next = last.passage.number + 1
            if last.passage.isTail { break }
        }
        try await addTail(of: book, to: &entry)
        books[book.id] = entry
        guard let space else { return }
        var from = 0
        while true {
            let vectors = try await room.vectors(
                in: space.id, dimensions: space.space.dimensions, of: book.id, from: from, limit: Self.batch)
            guard let last = vectors.last else { break }
            take(vectors)
            from = last.number + 1
        }
    }

    private func moveTail(of book: IndexedBook, _ known: LiveBooks.Entry) async throws {
        var entry = known
        if let tail = known.tail {
            var update = IndexUpdate()
            update.removedDocuments = [LiveBooks.id(book.id, tail.number)]
            try index.apply(update)
        }
        entry.position = book.position
        entry.tail = nil
        try await addTail(of: book, to: &entry)
        books[book.id] = entry
    }

    /// Indexes the passage that is cut at the position.
    private func addTail(of book: IndexedBook, to entry: inout LiveBooks.Entry) async throws {
        let tails = try await room.passages(of: book.id, from: BookPassageRow.tails, limit: 1)
        // The position may have moved since it was read; the next look finds the other one.
        guard let tail = tails.first, let position = book.position, tail.passage.range.upperBound <= position else {
            return
        }
        try index.apply(Self.update(tails))
        entry.tail = (tail.passage.number, tail.passage.range.upperBound)
    }

    private func readVectors() async throws {
        guard let space else { return }
        while true {
            let found = try await room.vectors(
                in: space.id, dimensions: space.space.dimensions, after: lastVector, limit: Self.batch)
            guard found.last > lastVector else { return }
            take(found.vectors)
            lastVector = found.last
        }
    }

    /// Indexes vectors of passages that are indexed. A vector that cannot be used is left out.
    private func take(_ vectors: [BookVector]) {
        for start in stride(from: 0, to: vectors.count, by: Self.batch) {
            let known = vectors[start..<min(vectors.count, start + Self.batch)].filter(isKnown)
            var update = IndexUpdate()
            update.vectors = known.map(Self.entry)
            do {
                try index.apply(update)
            } catch {
                for vector in known {
                    var single = IndexUpdate()
                    single.vectors = [Self.entry(vector)]
                    do {
                        try index.apply(single)
                    } catch {
                        logger.warning("a stored vector cannot be used", metadata: ["reason": "\(error.message)"])
                    }
                }
            }
        }
    }

    private func isKnown(_ vector: BookVector) -> Bool {
        guard let entry = books[vector.book], !vector.vector.isEmpty else { return false }
        return vector.number < entry.ends.count || vector.number == entry.tail?.number
    }

    private static func entry(_ vector: BookVector) -> VectorEntry {
        VectorEntry(id: LiveBooks.id(vector.book, vector.number), values: vector.vector)
    }

    private static func update(_ passages: [BookPassageText]) -> IndexUpdate {
        var update = IndexUpdate()
        update.documents = passages.map { passage in
            RetrievalDocument(
                id: LiveBooks.id(passage.book, passage.passage.number), title: passage.heading ?? "",
                text: passage.text)
        }
        return update
    }
}
