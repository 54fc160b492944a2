package import Database

extension EvaluationRoom {
    package static let migrations = [
        // `means` and `report` are JSON for readers, `figures` has the values of each query. An `origin` names a report of a
        // file that was copied.
        Migration("gateway-42-evaluations", only: .postgres) { session in
            let words = session.dialect
            try session.run(
                """
                CREATE TABLE gateway_evaluations (
                    id \(words.id),
                    collection \(words.text) NOT NULL,
                    name \(words.text) NOT NULL,
                    means \(words.text) NOT NULL,
                    report \(words.text) NOT NULL,
                    figures \(words.bytes) NOT NULL,
                    created_at \(words.text) NOT NULL
                )
                """)
            try session.run("CREATE TABLE gateway_evaluation_copies (origin \(words.text) PRIMARY KEY)")
        }
    ]
}
