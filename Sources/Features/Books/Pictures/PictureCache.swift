import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Images that were drawn lately, in memory. The least recently used ones are evicted.
package final class PictureCache: Sendable {
    /// What an image shows. A file is named by its SHA-256, so another file never gives its image.
    package struct Key: Sendable, Hashable {
        var hash: Data
        var page: Int
        var size: Int

        package init(hash: Data, page: Int, size: Int) {
            self.hash = hash
            self.page = page
            self.size = size
        }
    }

    private struct Entry {
        var image: [UInt8]
        /// When it was last used, in uses of the cache.
        var use: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var bytes = 0
        var uses = 0
    }

    private let maxBytes: Int
    private let maxImages: Int
    private let state = Mutex(State())

    package init(maxBytes: Int = 32 << 20, maxImages: Int = 500) {
        self.maxBytes = maxBytes
        self.maxImages = maxImages
    }

    /// The bytes and the number of images.
    package var load: (bytes: Int, images: Int) { state.withLock { ($0.bytes, $0.entries.count) } }

    package func image(_ key: Key) -> [UInt8]? {
        state.withLock { state in
            state.uses += 1
            state.entries[key]?.use = state.uses
            return state.entries[key]?.image
        }
    }

    /// Keeps an image. One that is larger than the whole cache is not kept.
    package func keep(_ image: [UInt8], as key: Key) {
        guard image.count <= maxBytes else { return }
        state.withLock { state in
            state.uses += 1
            state.bytes += image.count - (state.entries[key]?.image.count ?? 0)
            state.entries[key] = Entry(image: image, use: state.uses)
            while state.bytes > maxBytes || state.entries.count > maxImages,
                let oldest = state.entries.min(by: { $0.value.use < $1.value.use })
            {
                state.bytes -= oldest.value.image.count
                state.entries[oldest.key] = nil
            }
        }
    }

    /// Drops the images of a file.
    package func drop(_ hash: Data) {
        state.withLock { state in
            for (key, entry) in state.entries where key.hash == hash {
                state.bytes -= entry.image.count
                state.entries[key] = nil
            }
        }
    }
}
