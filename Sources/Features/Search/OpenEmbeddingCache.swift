public import Inference
public import Logging
import Storage

/// The vectors that models gave before: in memory, and in a file beside the notes database.
public struct OpenEmbeddingCache: Sendable {
    /// The cache, for an ``EmbeddingLane``.
    public let cache: any EmbeddingCache
    private let file: EmbeddingCacheFile?

    /// Opens the cache. A file that cannot be used is named in the log, and memory alone serves.
    ///
    /// - Parameters:
    ///   - databasePath: The notes database; the cache is this path with `.cache` at its end.
    ///   - memoryBytes: Bytes of vectors in memory at most.
    ///   - fileBytes: Bytes of vectors in the file at most; 0 keeps no file.
    public init(
        databasePath: String, memoryBytes: Int = 64 << 20, fileBytes: Int = 512 << 20, logger: Logger
    ) {
        let memory = MemoryEmbeddingCache(maxBytes: memoryBytes)
        guard fileBytes > 0 else {
            (cache, file) = (memory, nil)
            return
        }
        do {
            let file = try EmbeddingCacheFile(path: databasePath + ".cache", maxBytes: fileBytes)
            cache = LayeredEmbeddingCache(memory: memory, disk: DiskEmbeddingCache(.init(file), logger: logger))
            self.file = file
        } catch {
            logger.warning("the embedding cache has no file", metadata: ["error": "\(error)"])
            (cache, file) = (memory, nil)
        }
    }

    /// Writes what waits, and closes the file.
    public func close() async {
        await cache.flush()
        try? file?.close()
    }
}

extension EmbeddingStore {
    /// The file as a store.
    init(_ file: EmbeddingCacheFile) {
        self.init(
            read: { keys in
                let found = try await file.vectors(for: keys.map(\.bytes))
                return Dictionary(
                    uniqueKeysWithValues: found.compactMap { bytes, vector in
                        EmbeddingKey(bytes: bytes).map { ($0, vector) }
                    })
            },
            write: { vectors, used in
                let rows = Dictionary(uniqueKeysWithValues: vectors.map { ($0.key.bytes, $0.value) })
                let (size, evicted) = try await file.store(rows, used: Set(used.map(\.bytes)))
                return Outcome(entries: size.entries, bytes: size.bytes, evicted: evicted)
            })
    }
}
