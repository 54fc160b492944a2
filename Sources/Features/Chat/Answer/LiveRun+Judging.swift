import ChatRoom
import ChatRun
import GatewayAPI
import Inference
import Prompts
import Storage
import Text
import Tools

/// A second opinion on what the rules call supported, by a model that the user chose.
extension LiveRun {
    /// The most sentences of one request.
    private static let maxJudged = 24
    /// The longest text of a passage in the request, in UTF-8 bytes.
    private static let maxPassageBytes = 2400
    /// The tokens of the answer: some for each sentence.
    private static let tokensPerSentence = 24

    /// Asks the model of the setting, when there is one, whether passages say the sentences that they support by the
    /// rules. What it denies loses its support. Without an answer the rules decide.
    func judgeIfSet() async {
        guard let name = basis.engine.settings.citationsModel, !citable.isEmpty, feed.hasText,
            outcome == nil
        else { return }
        let answer = feed.log.text
        let check = await check(of: answer, isWhole: true)
        let found = check.supported(by: row.record.citations.filter(\.isAdded))
        let claims = Self.claims(found.sentences, found.citations, of: Array(answer.utf8))
        guard !claims.isEmpty else { return }
        // The counts of another model and prompt teach nothing about this one.
        prompt.uncounted = nil
        var judgement = ChatJudgement(model: name, asked: claims.count)
        do throws(JudgingFailure) {
            let denied = try await denied(
                of: claims.map(\.claim), in: excerpts(for: found.citations), by: name)
            let ranges = Set(claims.filter { denied.contains($0.claim.number) }.map(\.range))
            judgement.withdrawn = ranges.count
            verdicts.withdrawn.formUnion(ranges)
        } catch {
            judgement.error = error.rawValue
            if error == .leaves { judgement.asked = 0 }
        }
        row.record.judgement = judgement
    }

    /// Why a judge was not asked or not understood.
    private enum JudgingFailure: String, Error {
        case leaves = "the answer was made on this machine, so no model on another machine judges it"
        case unreachable = "the model did not answer"
        case unreadable = "the model did not answer in the form that was asked"
        case tooLong = "the passages do not fit into the model's context"
    }

    /// The supported sentences with the passages that support them.
    private static func claims(
        _ sentences: [ChatSentence], _ citations: [ChatCitation], of answer: [UInt8]
    ) -> [(claim: ChatPrompts.Claim, range: [Int])] {
        let supported = sentences.filter { $0.verdict == .supported }.prefix(maxJudged)
        return supported.enumerated().map { index, sentence in
            let range = sentence.range
            let cited = citations.filter {
                $0.verdict == .supported && range[0] <= $0.marker[0] && $0.marker[1] <= range[1]
            }
            var notes: [Int] = []
            for number in cited.map(\.number) where !notes.contains(number) { notes.append(number) }
            let text = String(decoding: answer[range[0]..<range[1]], as: UTF8.self)
            return (ChatPrompts.Claim(number: index + 1, text: text, notes: notes), range)
        }
    }

    /// The passages with support, each cut around it when it is long.
    private func excerpts(for citations: [ChatCitation]) -> [(number: Int, text: String)] {
        citable.compactMap { passage in
            let places = citations.filter { $0.verdict == .supported }.flatMap(\.evidence)
                .filter { $0.number == passage.number }.map(\.range)
            guard let start = places.map({ $0[0] }).min(), let end = places.map({ $0[1] }).max() else { return nil }
            let size = passage.text.utf8.count
            guard size > Self.maxPassageBytes else { return (passage.number, passage.text) }
            let margin = max(0, Self.maxPassageBytes - (end - start)) / 2
            let part = UTF8Border.part(of: passage.text, max(0, start - margin)..<min(size, end + margin))
            return (passage.number, part.text)
        }
    }

    /// The numbers of the claims that a model calls not supported.
    private func denied(
        of claims: [ChatPrompts.Claim], in notes: [(number: Int, text: String)], by name: String
    ) async throws(JudgingFailure) -> Set<Int> {
        let engine = basis.engine
        let (provider, judge) = engine.providers.resolve(name)
        guard let known = try? await provider.capabilities(of: judge) else { throw .unreachable }
        // What a model on this machine wrote may tell of private notes.
        guard basis.hidden(prompt.capabilities) != nil || provider.isLocal && !known.isRemote else { throw .leaves }
        let question = engine.prompts.judging(claims, notes: notes)
        let context = min(engine.settings.contextTokens, known.contextTokens ?? .max)
        let answerTokens = 64 + claims.count * Self.tokensPerSentence
        let needed = engine.estimates.withLock { $0[name] }.tokens(question) + answerTokens
        guard needed <= context else { throw .tooLong }
        var request = ModelChatRequest(model: judge, turns: [.user(question)])
        request.maxTokens = answerTokens
        request.temperature = 0
        request.thinks = known.thinking ? false : nil
        request.contextTokens = context
        request.format = .schema(Self.schema(of: claims.map(\.number)))
        guard let answer = await sideRequest(request, to: (provider, name)) else { throw .unreachable }
        guard let denied = Self.denied(in: answer) else { throw .unreadable }
        return denied
    }

    /// Reads an answer; nil when it has another form.
    static func denied(in answer: String) -> Set<Int>? {
        guard let value = (try? JSONDocument(parsing: Array(answer.utf8)))?.value,
            case .object(let members) = value, case .array(let verdicts)? = members["verdicts"]
        else { return nil }
        var denied: Set<Int> = []
        for verdict in verdicts.prefix(4 * maxJudged) {
            guard case .object(let fields) = verdict, case .integer(let sentence)? = fields["sentence"],
                case .string(let word)? = fields["verdict"]
            else { return nil }
            if word == "not_supported", let number = Int(exactly: sentence) { denied.insert(number) }
        }
        return denied
    }

    private static func schema(of sentences: [Int]) -> JSONValue {
        let verdict: JSONValue = .object([
            "type": .string("object"), "additionalProperties": .bool(false),
            "properties": .object([
                "sentence": .object([
                    "type": .string("integer"), "enum": .array(sentences.map { .integer(Int64($0)) }),
                ]),
                "verdict": .object([
                    "type": .string("string"), "enum": .array([.string("supported"), .string("not_supported")]),
                ]),
            ]),
            "required": .array([.string("sentence"), .string("verdict")]),
        ])
        return .object([
            "type": .string("object"), "additionalProperties": .bool(false),
            "properties": .object([
                "verdicts": .object([
                    "type": .string("array"), "maxItems": .integer(Int64(sentences.count)), "items": verdict,
                ])
            ]),
            "required": .array([.string("verdicts")]),
        ])
    }
}
