package import GatewayAPI

extension MemoryFields {
    /// A stored memory under the names of the API.
    package init(_ memory: StoredMemory) {
        self.init(
            id: memory.id, content: memory.content, type: memory.type, confidence: memory.confidence,
            sourceSessionID: memory.sourceSession, createdAt: memory.createdAt, updatedAt: memory.updatedAt,
            lastAccessedAt: memory.lastAccessedAt, embedding: memory.embedding.map(VectorText.encode))
    }
}
