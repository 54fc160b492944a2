package import Database

extension MemoryRoom {
    /// What is known of memories, with the way back, and which answers were read. The memories themselves have tables of their own
    /// in each store.
    package static let tables = [
        RoomTable("gateway_memory_details", key: "memory_id"),
        RoomTable("gateway_memory_changes", id: "id", pageSize: 100),
        RoomTable("gateway_memory_cursor", key: "id"),
        RoomTable("gateway_memory_waiting", key: "number"),
    ].map { $0.with { $0.unify = { cells in cells = cells.mapValues(\.withoutZero) } } }
}
