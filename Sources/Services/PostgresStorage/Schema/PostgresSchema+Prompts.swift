extension PostgresSchema {
    /// The user's prompts, each edit as a version, and benchmarks of models. Times are seconds since 1970.
    static let prompts = """
        CREATE TABLE selene.prompt_versions (
            prompt_id text COLLATE "C" NOT NULL,
            number bigint NOT NULL,
            hash text NOT NULL,
            document text NOT NULL,
            created bigint NOT NULL,
            PRIMARY KEY (prompt_id, number)
        );
        CREATE TABLE selene.bench_runs (
            id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            name text NOT NULL,
            report text NOT NULL,
            created bigint NOT NULL
        );
        """
}
