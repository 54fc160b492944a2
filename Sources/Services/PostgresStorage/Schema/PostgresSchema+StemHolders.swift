extension PostgresSchema {
    /// How many of `documents` notes hold a common stem; 0 for more than `most`. Derived from the words of notes: it may be
    /// emptied at any time.
    static let stemHolders = """
        CREATE TABLE selene.stem_holders (
            stem text COLLATE "C" NOT NULL,
            holders bigint NOT NULL,
            documents bigint NOT NULL,
            most bigint NOT NULL
        );
        CREATE UNIQUE INDEX stem_holders_stem ON selene.stem_holders (md5(stem));
        """
}
