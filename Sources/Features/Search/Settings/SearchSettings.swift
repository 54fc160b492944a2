package import Logging
package import PostgresStorage
package import Retrieval
package import Server

/// The settings of retrieval.
package struct SearchSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [
        .store, .postgresConnections, .postgresSearch, .postgresIndex, .postgresElements, .index, .fusion,
        .queryTimeout, .weekStart,
        .rerankModel, .rerankTimeout, .rerankCandidates, .rerankBytes,
    ]

    /// The PostgreSQL server with the notes; nil when they are in the SQLite file.
    package var postgres: PostgresAddress?
    /// The maximum number of connections to the server.
    package var postgresConnections: Int
    /// Who searches the notes in PostgreSQL.
    package var postgresSearch: PostgresSearcher
    /// The kind of index that `selene index tune` makes in PostgreSQL.
    package var postgresIndex: VectorIndexPlan.Kind
    /// The numbers that the index holds.
    package var postgresElements: VectorIndexPlan.Elements
    /// The folder of the index files; nil for none.
    package var indexFolder: String?
    /// The fusion of a request that names none.
    package var fusion: FusionMethod
    /// The timeout for a query's vector.
    package var queryTimeout: Duration
    /// The first day of a week in questions such as "last week".
    package var weekStart: WeekStart

    /// The model that reorders the best results; nil for none.
    package var rerankModel: String?
    /// The timeout of its answer; the order of the search then stays.
    package var rerankTimeout: Duration
    /// The number of results that it reorders in a search that names none.
    package var rerankCandidates: Int
    /// The largest text that it gets of a result, in UTF-8 bytes.
    package var rerankBytes: Int

    /// Who searches notes in PostgreSQL.
    package enum PostgresSearcher: String, Sendable, CaseIterable {
        /// Each gateway, by an index that follows the server.
        case gateway
        /// The server, by its own indexes.
        case server
    }

    /// Whether a server searches the notes, in place of an index of this gateway.
    package var isSearchedByServer: Bool { postgres != nil && postgresSearch == .server }
    /// The folder of the index files of the notes, wherever the notes are; nil for none.
    package var notesIndexFolder: String? {
        guard postgres != nil else { return indexFolder }
        return isSearchedByServer ? nil : indexFolder.map { IndexFolder(path: $0).ofServer.path }
    }

    /// The days that a week may begin on; the number is 0 for Sunday.
    package enum WeekStart: String, Sendable, CaseIterable {
        case monday, saturday, sunday

        /// 0 for Sunday.
        package var weekday: Int {
            switch self {
            case .sunday: 0
            case .monday: 1
            case .saturday: 6
            }
        }
    }

    /// Reads and checks the settings.
    ///
    /// - Parameter database: The path of the database; index files are beside it by default.
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader, database: String) throws {
        let store = reader.text(.store) ?? "sqlite"
        do {
            postgres = store == "sqlite" ? nil : try PostgresAddress(store)
        } catch {
            throw ConfigurationError.invalid(
                .store, store, reader.origin(of: .store), "sqlite or an address; \(error.message)")
        }
        postgresConnections = try reader.integer(.postgresConnections, in: 2...200)
        postgresSearch = try reader.word(.postgresSearch, as: PostgresSearcher.self)
        postgresIndex = try reader.word(.postgresIndex, as: VectorIndexPlan.Kind.self)
        postgresElements = try reader.word(.postgresElements, as: VectorIndexPlan.Elements.self)
        indexFolder =
            switch reader.text(.index) ?? "" {
            case "auto", "": database + ".index"
            case "off": nil
            default: reader.path(.index)
            }
        let fusionName = reader.text(.fusion) ?? ""
        guard let fusion = FusionMethod.parse(fusionName) else {
            throw ConfigurationError.invalid(
                .fusion, fusionName, reader.origin(of: .fusion), "convex, convex:ALPHA, rrf, rrf:K or dbsf")
        }
        self.fusion = fusion
        queryTimeout = try reader.seconds(.queryTimeout)
        weekStart = try reader.word(.weekStart, as: WeekStart.self)
        rerankModel = reader.text(.rerankModel)
        rerankTimeout = try reader.seconds(.rerankTimeout)
        rerankCandidates = try reader.integer(.rerankCandidates, in: 2...200)
        rerankBytes = try reader.integer(.rerankBytes, in: 200...16_384)
    }
}

extension SearchSettings {
    /// Opens the store in PostgreSQL; nil when the notes are in the SQLite file. Connects on first use.
    package func postgresStore(_ logger: Logger) -> PostgresStore? {
        var options = PostgresPool.Options()
        options.size = postgresConnections
        let index = VectorIndexPlan.Choice(postgresIndex, postgresElements)
        return postgres.map { PostgresStore($0, options: options, index: index, logger: logger) }
    }
}

extension Setting {
    package static let store = Setting(
        "store", default: "sqlite", secret: true, "where the notes are: sqlite, or postgres://USER@HOST/DATABASE")
    package static let postgresConnections = Setting(
        "postgres_connections", default: "8", "maximum number of connections to PostgreSQL, 2 to 200")
    package static let postgresSearch = Setting(
        "postgres_search", default: "gateway",
        "who searches notes in PostgreSQL: gateway (by its own index, as over a file) or server (more notes than memory)"
    )
    package static let postgresIndex = Setting(
        "postgres_index", default: "hnsw", "index that selene index tune makes if the server searches: hnsw or ivfflat")
    package static let postgresElements = Setting(
        "postgres_elements", default: "halfvec", "numbers in that index: halfvec (16 bits) or vector (32 bits)")
    package static let index = Setting(
        "index", default: "auto", "folder of the index files; auto: next to the database, off: none")
    package static let fusion = Setting(
        "fusion", default: "convex", editable: true, "default fusion: convex, convex:ALPHA, rrf, rrf:K or dbsf")
    package static let queryTimeout = Setting(
        "query_timeout", default: "15", editable: true,
        "seconds to wait for a query's vector before falling back to keywords")
    package static let rerankModel = Setting(
        "rerank_model", default: nil, editable: true,
        "model behind /v1/rerank that reorders the best results: PROVIDER/MODEL, or MODEL at Ollama's address; unset: none"
    )
    package static let rerankTimeout = Setting(
        "rerank_timeout", default: "0.8", editable: true,
        "seconds to wait for that model, after which the order of the search stays")
    package static let rerankCandidates = Setting(
        "rerank_candidates", default: "30", editable: true, "number of results that it reorders, 2 to 200")
    package static let rerankBytes = Setting(
        "rerank_bytes", default: "2000", editable: true, "largest text that it gets of a result in bytes, 200 to 16384")
    package static let weekStart = Setting(
        "week_start", default: "monday", editable: true, "first day of a week in questions: monday, saturday or sunday")
}
