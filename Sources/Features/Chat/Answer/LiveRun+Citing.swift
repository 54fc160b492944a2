import ChatRoom
import ChatRun
import Citations
import GatewayAPI
import Inference
import Prompts
import Storage

/// Citations for answers of models that cite badly.
extension LiveRun {
    /// The most sentences that one request names.
    private static let maxSentences = 24
    /// The tokens of the answer to such a request.
    private static let citingTokens = 512

    /// Asks the model once more, for numbers only, when less than half of the answer's sentences have a usable
    /// citation. Its JSON schema allows only the numbers that were given.
    func citeIfNeeded() async {
        guard !citable.isEmpty, feed.hasText, outcome == nil else { return }
        let answer = feed.log.text
        let check = await check(of: answer, isWhole: true)
        let claims = check.sentences.filter { $0.range[1] - $0.range[0] >= 24 }
        let lacking = claims.filter { [.uncited, .invented, .unsupported].contains($0.verdict) }
        guard !claims.isEmpty, lacking.count * 2 > claims.count else { return }
        // Sentences that a passage supports without being cited need no model.
        let utf8 = Array(answer.utf8)
        let asked = lacking.filter { $0.support == nil }.prefix(Self.maxSentences)
        var named = lacking.compactMap { sentence in sentence.support.map { (sentence, $0) } }
        if !asked.isEmpty {
            let texts = asked.enumerated().map { index, sentence in
                (number: index + 1, text: String(decoding: utf8[sentence.range[0]..<sentence.range[1]], as: UTF8.self))
            }
            for (sentence, numbers) in await citations(of: texts)
            where asked.indices.contains(asked.startIndex + sentence - 1) {
                named += numbers.map { (asked[asked.startIndex + sentence - 1], $0) }
            }
        }
        add(named, to: utf8)
    }

    /// Sends citations that a check supports.
    private func add(_ named: [(sentence: ChatSentence, number: Int)], to answer: [UInt8]) {
        var (added, supported) = ([ChatCitation](), [ChatSentence]())
        for (sentence, number) in named {
            guard let passage = citable.first(where: { $0.number == number }) else { continue }
            let claim = String(decoding: answer[sentence.range[0]..<sentence.range[1]], as: UTF8.self)
            // The claim with the citation, as the model should have written it, against the one passage.
            let checked = CitationCheck(passages: [passage.text], headings: [passage.heading]).check(claim + " [1]")
            guard checked.first?.verdict == .supported else { continue }
            let end = sentence.range[1]
            added.append(
                ChatCitation(
                    marker: end..<end, number: number, note: passage.note, book: passage.book, verdict: .supported,
                    evidence: (checked.first?.evidence ?? []).map {
                        .init(number: number, range: $0.range, place: passage.place(of: $0.range))
                    }))
            var sentence = sentence
            sentence.verdict = .supported
            supported.append(sentence)
        }
        guard !added.isEmpty else { return }
        row.record.citations += added
        send(added, supported)
    }

    /// The numbers of the notes that say each sentence, as the model says.
    private func citations(of sentences: [(number: Int, text: String)]) async -> [(sentence: Int, numbers: [Int])] {
        let (prompts, kind) = (basis.engine.prompts, basis.options.chatKind)
        var request = ModelChatRequest(model: basis.model.model, turns: [])
        var passages = citable
        if let turns = turnsAfterAnswer(prompts.citing(sentences, notes: [], of: kind), answer: Self.citingTokens) {
            request.turns = turns
            request.tools = prompt.tools
        } else {
            passages = row.record.passages
            let notes = passages.map { (number: $0.number, text: $0.text) }
            request.turns = [.user(prompts.citing(sentences, notes: notes, of: kind))]
        }
        request.maxTokens = Self.citingTokens
        request.temperature = 0
        request.thinks = prompt.capabilities.thinking ? false : nil
        request.contextTokens = prompt.context
        request.format = .schema(Self.schema(sentences: sentences.map(\.number), notes: passages.map(\.number)))
        guard let answer = await sideRequest(request),
            let value = (try? JSONDocument(parsing: Array(answer.utf8)))?.value,
            case .object(let members) = value, case .array(let claims)? = members["claims"]
        else { return [] }
        return claims.prefix(Self.maxSentences).compactMap { claim in
            guard case .object(let fields) = claim, case .integer(let sentence)? = fields["sentence"],
                let sentence = Int(exactly: sentence), case .array(let numbers)? = fields["notes"]
            else { return nil }
            return (
                sentence,
                numbers.prefix(4).compactMap { if case .integer(let number) = $0 { Int(exactly: number) } else { nil } }
            )
        }
    }

    /// The conversation with the answer, and then a request; nil when its server does not go on from there, or it does not fit.
    private func turnsAfterAnswer(_ request: String, answer tokens: Int) -> [ChatTurn]? {
        guard sharesPrompts, let context = prompt.context else { return nil }
        let turns = prompt.turns + [.assistant(ChatReply(text: feed.log.text)), .user(request)]
        let estimate = basis.engine.estimates.withLock { $0[basis.modelName] }
        let needed = turns.reduce(PromptAssembly.tokens(of: prompt.tools, estimate) + tokens) {
            $0 + estimate.tokens($1.text) + ContextBudget.messageTokens
        }
        return needed <= context ? turns : nil
    }

    private static func schema(sentences: [Int], notes: [Int]) -> JSONValue {
        func choice(_ numbers: [Int]) -> JSONValue {
            .object(["type": .string("integer"), "enum": .array(numbers.map { .integer(Int64($0)) })])
        }
        let claim: JSONValue = .object([
            "type": .string("object"), "additionalProperties": .bool(false),
            "properties": .object([
                "sentence": choice(sentences), "notes": .object(["type": .string("array"), "items": choice(notes)]),
            ]),
            "required": .array([.string("sentence"), .string("notes")]),
        ])
        return .object([
            "type": .string("object"), "additionalProperties": .bool(false),
            "properties": .object(["claims": .object(["type": .string("array"), "items": claim])]),
            "required": .array([.string("claims")]),
        ])
    }
}
