import ArgumentParser

/// `selene eval`: how good and how fast retrieval is, on a collection with relevance judgements.
struct EvalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval",
        abstract: "Measure retrieval on a collection with relevance judgements.",
        discussion: """
            A collection is a folder: BEIR (corpus.jsonl, queries.jsonl, qrels/test.tsv), TREC (topics, qrels, \
            corpus.jsonl) or plain JSONL. Vectors that lie in it (NAME_docs.npy with docs_ids.txt, NAME_queries.npy with \
            queries_ids.txt) are used as they are; else documents and queries are embedded with Ollama, once: they are \
            kept in a cache.

              selene eval collections/cranfield
              selene eval collections/cranfield --json > today.json
              selene eval collections/cranfield --html report.html --compare hybrid vector
              selene eval collections/cranfield --gate 'hybrid.ndcg@10>=0.41' --gate 'hybrid.recall@100>=0.75'
              selene eval tune collections/cranfield

            Measures are those of trec_eval. Exit code 2 means that a gate was missed.
            """,
        subcommands: [EvalRunCommand.self, EvalTuneCommand.self], defaultSubcommand: EvalRunCommand.self)
}

/// Which collection, and where its vectors come from.
struct CollectionOptions: ParsableArguments {
    @Argument(help: "The folder of the collection.")
    var collection: String

    @Option(help: "Which ready vectors, by the NAME in NAME_docs.npy; needed when there are several.")
    var vectors: String?

    @Flag(help: "Embed with Ollama even when there are ready vectors.")
    var embed = false

    @Option(help: "Embedding model (SELENE_EMBED_MODEL).")
    var model: String?

    @Option(help: "Where embedded collections are kept (default ~/.cache/selene/eval).")
    var cache: String?

    @OptionGroup var options: ConfigurationOptions
}
