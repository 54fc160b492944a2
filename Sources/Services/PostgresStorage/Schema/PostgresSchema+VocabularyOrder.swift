extension PostgresSchema {
    /// Inserts into the vocabulary follow each other, so that a reader who knows a number knows all smaller ones.
    static let vocabularyOrder = """
        CREATE FUNCTION selene.order_vocabulary() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM pg_advisory_xact_lock(\(lock + 3));
            RETURN NULL;
        END $$;
        CREATE TRIGGER order_vocabulary BEFORE INSERT ON selene.vocabulary
            FOR EACH STATEMENT EXECUTE FUNCTION selene.order_vocabulary();
        """
}
