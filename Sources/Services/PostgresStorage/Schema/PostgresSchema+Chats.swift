extension PostgresSchema {
    /// How messages follow each other, the runs that answer questions, and summaries. Times are seconds since 1970, `due` is in
    /// milliseconds.
    ///
    /// A message that a client added has no parent and is not linked: it follows the message before it. A run that has not
    /// ended has an owner and a lease; one of them may run in a session.
    static let chats = """
        ALTER TABLE selene.chat_messages ADD COLUMN is_linked boolean NOT NULL DEFAULT false,
            ADD COLUMN parent bigint, ADD COLUMN run text;
        CREATE TABLE selene.chat_runs (
            number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            id text COLLATE "C" NOT NULL UNIQUE,
            session bigint NOT NULL REFERENCES selene.chat_sessions ON DELETE CASCADE,
            key_id bigint,
            owner text,
            lease timestamptz,
            is_stopping boolean NOT NULL DEFAULT false,
            state text NOT NULL,
            question text NOT NULL,
            request text NOT NULL,
            model text NOT NULL,
            text text NOT NULL DEFAULT '',
            record text NOT NULL DEFAULT '{}',
            error text,
            stop_reason text,
            life integer NOT NULL DEFAULT 0,
            user_message bigint,
            message bigint,
            created bigint NOT NULL,
            updated bigint NOT NULL
        );
        CREATE UNIQUE INDEX chat_runs_running ON selene.chat_runs (session) WHERE owner IS NOT NULL;
        CREATE INDEX chat_runs_session ON selene.chat_runs (session, number);
        CREATE TABLE selene.chat_summaries (
            session bigint NOT NULL REFERENCES selene.chat_sessions ON DELETE CASCADE,
            message bigint NOT NULL,
            text text NOT NULL,
            notes bigint[] NOT NULL,
            model text NOT NULL,
            created bigint NOT NULL,
            PRIMARY KEY (session, message)
        );
        CREATE TABLE selene.chat_compressions (
            session bigint PRIMARY KEY REFERENCES selene.chat_sessions ON DELETE CASCADE,
            message bigint NOT NULL,
            model text NOT NULL,
            key_id bigint,
            state_before text,
            attempts integer NOT NULL DEFAULT 0,
            due bigint,
            error text
        );
        CREATE INDEX chat_compressions_due ON selene.chat_compressions (due, session) WHERE due IS NOT NULL;
        """
}
