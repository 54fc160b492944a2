/// The process, its connections and the bodies of requests.
extension StatsResponse {
    /// The process.
    public struct Process: Codable, Sendable, Hashable {
        /// Resident memory; absent where the system does not tell.
        public var residentBytes: Int?
        /// Processor time.
        public var cpuSeconds: Double
        /// Open descriptors; absent where the system does not tell.
        public var openFiles: Int?
        /// The most that may be open.
        public var maxFiles: Int

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case residentBytes = "resident_bytes"
            case cpuSeconds = "cpu_seconds"
            case openFiles = "open_files"
            case maxFiles = "max_files"
        }

        /// Creates figures.
        public init(residentBytes: Int?, cpuSeconds: Double, openFiles: Int?, maxFiles: Int) {
            self.residentBytes = residentBytes
            self.cpuSeconds = cpuSeconds
            self.openFiles = openFiles
            self.maxFiles = maxFiles
        }
    }

    /// Connections of clients.
    public struct Connections: Codable, Sendable, Hashable {
        /// Those that are open.
        public var open: Int
        /// The most that may be open.
        public var max: Int
        /// Those that were refused.
        public var refused: Int

        /// Creates counts.
        public init(open: Int, max: Int, refused: Int) {
            self.open = open
            self.max = max
            self.refused = refused
        }
    }

    /// Bodies of requests.
    public struct Bodies: Codable, Sendable, Hashable {
        /// Bytes in memory now.
        public var bytesInMemory: Int
        /// Bytes that may be in memory.
        public var maxBytesInMemory: Int
        /// Bytes of large bodies that wait on disk.
        public var bytesOnDisk: Int
        /// Requests that were refused because other bodies had the room.
        public var refused: Int
        /// Requests that were refused because their bodies came too slowly.
        public var tooSlow: Int

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case bytesInMemory = "bytes_in_memory"
            case maxBytesInMemory = "max_bytes_in_memory"
            case bytesOnDisk = "bytes_on_disk"
            case refused
            case tooSlow = "too_slow"
        }

        /// Creates counts.
        public init(bytesInMemory: Int, maxBytesInMemory: Int, bytesOnDisk: Int, refused: Int, tooSlow: Int) {
            self.bytesInMemory = bytesInMemory
            self.maxBytesInMemory = maxBytesInMemory
            self.bytesOnDisk = bytesOnDisk
            self.refused = refused
            self.tooSlow = tooSlow
        }
    }
}
