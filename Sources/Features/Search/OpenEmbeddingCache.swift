package import Inference
package import Logging
import Storage

/// A cache of embeddings in memory, with a file beside the notes database.
package struct OpenEmbeddingCache: Sendable {
    /// The opened cache, for an ``EmbeddingLane``.
    package let cache: any EmbeddingCache
    private let file: EmbeddingCacheFile?

    /// Opens the cache. If the file cannot be used, the error is logged and only memory is used.
    ///
    /// - Parameters:
    ///   - databasePath: The notes database; the cache file has the same path plus `.cache`.
    ///   - memoryBytes: The maximum size of vectors in memory.
    ///   - fileBytes: The maximum size of vectors in the file; 0 for no file.
    package init(
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

    /// Writes pending vectors and closes the file.
    package func close() async {
        await cache.flush()
        try? file?.close()
    }
}

extension EmbeddingStore {
    /// Uses the file as a store.
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
