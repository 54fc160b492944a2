import ArgumentParser

/// `selene eval`: measures the quality and speed of retrieval on a judged collection.
struct EvalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval",
        abstract: "Measure retrieval on a collection with relevance judgements.",
        discussion: """
            A collection is a folder: BEIR (corpus.jsonl, queries.jsonl, qrels/test.tsv), TREC (topics, qrels, \
            corpus.jsonl) or plain JSONL. Ready vectors in that folder (NAME_docs.npy with docs_ids.txt, \
            NAME_queries.npy with queries_ids.txt) are used unchanged. Otherwise documents and queries are embedded \
            with Ollama, and the vectors are cached.

              selene eval collections/cranfield
              selene eval collections/cranfield --json > today.json
              selene eval collections/cranfield --html report.html --compare hybrid vector
              selene eval collections/cranfield --rerank --compare "hybrid rerank" hybrid
              selene eval collections/cranfield --gate 'hybrid.ndcg@10>=0.41' --gate 'hybrid.recall@100>=0.75'
              selene eval tune collections/cranfield
              selene eval books sets/fairytale-val
              selene eval chat questions.jsonl              answers of a running gateway
              selene eval memories dialogues.jsonl          what rules find in what people write
              selene eval start cranfield                   measure in a running gateway, which keeps the report
              selene eval compare 3 5                       two of those reports

            Measures are defined as in trec_eval. Exit code 2 means that a gate was missed.
            """,
        subcommands: [
            EvalRunCommand.self, EvalTuneCommand.self, EvalBooksCommand.self, EvalChatCommand.self,
            EvalMemoriesCommand.self, EvalCollectionsCommand.self, EvalStartCommand.self, EvalRunsCommand.self,
            EvalShowCommand.self, EvalCompareCommand.self, EvalRemoveCommand.self,
        ],
        defaultSubcommand: EvalRunCommand.self)
}

/// The flags that choose the collection and the source of its vectors.
struct CollectionOptions: ParsableArguments {
    @Argument(help: "The folder of the collection.")
    var collection: String

    @Option(help: "The NAME of the ready vectors in NAME_docs.npy; needed if there are several.")
    var vectors: String?

    @Flag(help: "Embed with Ollama even if there are ready vectors.")
    var embed = false

    @Option(help: "Embedding model (SELENE_EMBED_MODEL; default nomic-embed-text).")
    var model: String?

    @Option(help: "Folder of the cached vectors (default: ~/.cache/selene/eval).")
    var cache: String?

    @OptionGroup var options: ConfigurationOptions
}
