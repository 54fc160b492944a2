package import Machine

extension ProcessStatistics {
    /// Writes the metrics of the process.
    package func write(to text: inout PrometheusText, maxConnections: Int) {
        if let bytes = residentBytes {
            text.single("selene_process_resident_memory_bytes", .gauge, "Resident memory.", bytes)
        }
        text.single("selene_process_cpu_seconds_total", .counter, "User and system time.", cpuSeconds)
        if let files = openFiles {
            text.single("selene_process_open_fds", .gauge, "Open file descriptors.", files)
        }
        text.single("selene_process_max_fds", .gauge, "Limit of open file descriptors.", maxFiles)
        text.single("selene_connections_limit", .gauge, "Limit of open connections.", maxConnections)
    }
}
