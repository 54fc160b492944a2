extension Migrations {
    /// Books. Offsets are UTF-8 bytes of a book's canonical text, which is written once, in parts.
    ///
    /// `number` of a passage counts from 0 in the order of the text. Numbers from `BookPassageRow.tails` on are passages cut
    /// at the reading position. `view` is NULL when it equals the text. A vector of zero bytes means that the model refused
    /// the passage. `revision` changes with the contents; 0 means that there are none yet.
    static let books = """
        CREATE TABLE gateway_books (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash BLOB NOT NULL UNIQUE,
            state TEXT NOT NULL,
            title TEXT NOT NULL,
            given_title TEXT,
            authors TEXT,
            language TEXT,
            identifier TEXT,
            format TEXT,
            source TEXT,
            content_type TEXT,
            error_code TEXT,
            error_message TEXT,
            file_bytes INTEGER NOT NULL CHECK (typeof(file_bytes) = 'integer'),
            text_bytes INTEGER NOT NULL DEFAULT 0 CHECK (typeof(text_bytes) = 'integer'),
            pages INTEGER NOT NULL DEFAULT 0 CHECK (typeof(pages) = 'integer'),
            passages INTEGER NOT NULL DEFAULT 0 CHECK (typeof(passages) = 'integer'),
            numbering TEXT,
            notices TEXT,
            is_private INTEGER NOT NULL DEFAULT 0,
            edition_of INTEGER,
            job_id INTEGER,
            owner TEXT,
            revision INTEGER NOT NULL DEFAULT 0 CHECK (typeof(revision) = 'integer'),
            added_at INTEGER NOT NULL CHECK (typeof(added_at) = 'integer'),
            updated_at INTEGER NOT NULL CHECK (typeof(updated_at) = 'integer')
        );
        CREATE TABLE gateway_book_covers (
            book_id INTEGER PRIMARY KEY CHECK (typeof(book_id) = 'integer'),
            image BLOB NOT NULL
        );
        CREATE TABLE gateway_book_texts (
            book_id INTEGER NOT NULL CHECK (typeof(book_id) = 'integer'),
            start INTEGER NOT NULL CHECK (typeof(start) = 'integer'),
            text BLOB NOT NULL,
            PRIMARY KEY (book_id, start)
        );
        CREATE TABLE gateway_book_pages (
            book_id INTEGER NOT NULL CHECK (typeof(book_id) = 'integer'),
            number INTEGER NOT NULL CHECK (typeof(number) = 'integer'),
            label TEXT,
            start INTEGER NOT NULL CHECK (typeof(start) = 'integer'),
            end INTEGER NOT NULL CHECK (typeof(end) = 'integer'),
            width REAL,
            height REAL,
            PRIMARY KEY (book_id, number)
        ) WITHOUT ROWID;
        CREATE INDEX gateway_book_pages_start ON gateway_book_pages (book_id, start);
        CREATE TABLE gateway_book_layouts (
            book_id INTEGER NOT NULL CHECK (typeof(book_id) = 'integer'),
            number INTEGER NOT NULL CHECK (typeof(number) = 'integer'),
            blocks BLOB NOT NULL,
            lines BLOB,
            PRIMARY KEY (book_id, number)
        );
        CREATE TABLE gateway_book_headings (
            book_id INTEGER NOT NULL CHECK (typeof(book_id) = 'integer'),
            number INTEGER NOT NULL CHECK (typeof(number) = 'integer'),
            level INTEGER NOT NULL,
            title TEXT NOT NULL,
            start INTEGER NOT NULL CHECK (typeof(start) = 'integer'),
            end INTEGER NOT NULL CHECK (typeof(end) = 'integer'),
            PRIMARY KEY (book_id, number)
        ) WITHOUT ROWID;
        CREATE TABLE gateway_book_passages (
            book_id INTEGER NOT NULL CHECK (typeof(book_id) = 'integer'),
            number INTEGER NOT NULL CHECK (typeof(number) = 'integer'),
            start INTEGER NOT NULL CHECK (typeof(start) = 'integer'),
            end INTEGER NOT NULL CHECK (typeof(end) = 'integer'),
            page INTEGER NOT NULL,
            last_page INTEGER NOT NULL,
            heading INTEGER,
            view TEXT,
            PRIMARY KEY (book_id, number)
        );
        CREATE INDEX gateway_book_passages_end ON gateway_book_passages (book_id, end, number, start);
        CREATE TABLE gateway_book_vectors (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            space_id INTEGER NOT NULL CHECK (typeof(space_id) = 'integer'),
            book_id INTEGER NOT NULL CHECK (typeof(book_id) = 'integer'),
            number INTEGER NOT NULL CHECK (typeof(number) = 'integer'),
            vector BLOB NOT NULL,
            UNIQUE (space_id, book_id, number)
        );
        CREATE TABLE gateway_book_positions (
            book_id INTEGER PRIMARY KEY CHECK (typeof(book_id) = 'integer'),
            offset INTEGER NOT NULL CHECK (typeof(offset) = 'integer'),
            updated_at INTEGER NOT NULL CHECK (typeof(updated_at) = 'integer')
        );
        """

    /// Several books are imported at the same time, each by one job; of every other kind one job runs.
    static let bookJobs = """
        DROP INDEX IF EXISTS gateway_jobs_one;
        CREATE UNIQUE INDEX gateway_jobs_one
            ON gateway_jobs (kind, CASE kind WHEN 'books.import' THEN parameters ELSE '' END) WHERE state = 'running';
        """
}
