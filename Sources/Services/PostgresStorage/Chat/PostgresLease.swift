/// Leases of runs of chats, by the server's clock.
enum PostgresLease {
    /// Whether the lease of a row has ended, with its length in seconds as the first parameter. While the server was away no
    /// gateway could renew a lease, so none ends soon after its start.
    static let isOver = """
        (coalesce(lease < clock_timestamp(), true) AND pg_postmaster_start_time() < \(time("-$1")))
        """

    /// The server's time after some seconds.
    static func time(_ seconds: String) -> String { "clock_timestamp() + \(seconds) * interval '1 second'" }
}
