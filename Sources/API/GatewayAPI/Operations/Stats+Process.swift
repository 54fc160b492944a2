/// Statistics of the process, its connections and request bodies.
extension StatsResponse {
    /// Resources of the process.
    public struct Process: Codable, Sendable, Hashable {
        /// Resident memory in bytes; absent where the system does not report it.
        public var residentBytes: Int?
        /// Processor time in seconds.
        public var cpuSeconds: Double
        /// Open file descriptors; absent where the system does not report them.
        public var openFiles: Int?
        /// The limit of open file descriptors.
        public var maxFiles: Int

        /// The JSON field names.
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

    /// Counts of client connections.
    public struct Connections: Codable, Sendable, Hashable {
        /// Open connections.
        public var open: Int
        /// The maximum number of open connections.
        public var max: Int
        /// Refused connections.
        public var refused: Int

        /// Creates counts.
        public init(open: Int, max: Int, refused: Int) {
            self.open = open
            self.max = max
            self.refused = refused
        }
    }

    /// Request bodies in memory and on disk.
    public struct Bodies: Codable, Sendable, Hashable {
        /// Bytes in memory now.
        public var bytesInMemory: Int
        /// The maximum number of bytes in memory.
        public var maxBytesInMemory: Int
        /// Bytes of large bodies on disk.
        public var bytesOnDisk: Int
        /// Requests refused because other bodies used all the room.
        public var refused: Int
        /// Requests refused because their bodies arrived too slowly.
        public var tooSlow: Int

        /// The JSON field names.
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
