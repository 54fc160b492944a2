import GatewayAPI
import Machine
import PostgresStorage
import Storage

extension IndexStatus {
    /// The status of notes in PostgreSQL: its tables, in place of those of an index file.
    init(_ figures: VectorIndexFigures, asked: Duration) {
        self.init(
            model: figures.space?.space.model, dimensions: figures.space?.space.dimensions, notes: figures.notes,
            embeddedNotes: figures.embedded, vectors: figures.vectors, matrixBytes: figures.vectorBytes,
            codeBytes: figures.indexBytes, textBytes: figures.wordBytes, file: nil, fileBytes: nil, notesBeyondFile: 0,
            plan: figures.plan?.kind.rawValue ?? "exact",
            tuning: figures.plan.map {
                Tuning(
                    candidates: $0.search, recallAt10: $0.recall, sample: figures.sample, speedup: figures.speedup,
                    measuredAt: figures.measuredAt)
            },
            kernel: figures.extensionName, blas: figures.server, openedMilliseconds: asked.milliseconds,
            residentBytes: ProcessMemory.resident)
    }
}
