package import KeyRoom
import Inference

/// What tokens of models cost: `SELENE_PRICES`.
///
/// A line has a model, or the beginning of several with `*` behind it, and the prices of a million tokens that the model reads and
/// writes. `currency` names what they are in. `elsewhere` has the prices of another service, for comparison. `#` begins a comment.
package struct PriceList: Sendable, Hashable {
    /// The largest price of a million tokens.
    private static let most = 10_000.0
    /// The largest file, in bytes, and number of lines.
    package static let (maxBytes, maxLines) = (1 << 20, 20_000)

    /// The prices of a million tokens.
    package struct Price: Sendable, Hashable {
        /// Of tokens that the model reads.
        package var prompt: Double
        /// Of tokens that it writes.
        package var completion: Double

        /// What a number of tokens costs.
        func cost(prompt: Int, completion: Int) -> Money {
            // A millionth of the price, in billionths: a thousand. Neither number is large enough to leave the range.
            let billionths = (Double(prompt) * self.prompt + Double(completion) * self.completion) * 1000
            return Money(billionths: Int64(min(max(0, billionths.rounded()), 1e18)))
        }
    }

    /// A line that cannot be read.
    package struct Fault: Error, Hashable {
        /// Counted from 1.
        package var line: Int
        package var expected: String
    }

    /// The currency, as the file has it; empty when it names none.
    package private(set) var currency = ""
    /// The service of ``elsewherePrice``, as the file names it.
    package private(set) var elsewhere: String?
    private var elsewherePrice: Price?
    private var exact: [String: Price] = [:]
    /// The longest beginnings first.
    private var beginnings: [(text: String, price: Price)] = []

    /// A list without prices: nothing costs anything.
    package static let none = PriceList()

    private init() {}

    /// Reads a list.
    ///
    /// - Throws: ``Fault``.
    package init(_ text: String) throws(Fault) {
        var known: Set<String> = []
        for (place, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard place < Self.maxLines else {
                throw Fault(line: place + 1, expected: "at most \(Self.maxLines) lines")
            }
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let first = words.first else { continue }
            let model = first.hasSuffix("*") ? first.lowercased() : ModelName.canonical(String(first))
            guard known.insert(model).inserted else {
                throw Fault(line: place + 1, expected: "each model once; \(first) is there already")
            }
            if first == "currency" {
                guard words.count == 2, words[1].utf8.count <= 16 else {
                    throw Fault(line: place + 1, expected: "currency EUR")
                }
                currency = String(words[1])
                continue
            }
            let isElsewhere = first == "elsewhere"
            guard words.count == 3 || (isElsewhere && words.count > 3), let prompt = Self.price(words[1]),
                let completion = Self.price(words[2])
            else {
                throw Fault(
                    line: place + 1,
                    expected: "a model and two prices of 0 to 10000, such as \"claude/* 0.90 4.50\"")
            }
            let price = Price(prompt: prompt, completion: completion)
            if isElsewhere {
                (elsewherePrice, elsewhere) = (price, words.dropFirst(3).joined(separator: " "))
            } else if first.hasSuffix("*") {
                beginnings.append((String(model.dropLast()), price))
            } else {
                exact[model] = price
            }
        }
        beginnings.sort { ($1.text.utf8.count, $0.text) < ($0.text.utf8.count, $1.text) }
    }

    private static func price(_ word: Substring) -> Double? {
        guard let number = Money(word)?.units, number <= most else { return nil }
        return number
    }

    /// Whether no model has a price.
    package var isEmpty: Bool { exact.isEmpty && beginnings.isEmpty }

    /// The price of a model: its own line, else the longest beginning; nil when there is none.
    ///
    /// - Parameter model: The full name, not an alias; nil when it is not known, which only `*` fits.
    package func price(of model: String?) -> Price? {
        guard !isEmpty else { return nil }
        let name = model.map(ModelName.canonical) ?? ""
        return exact[name] ?? beginnings.first { name.hasPrefix($0.text) }?.price
    }

    /// What tokens cost. A model without a price costs nothing.
    package func cost(of model: String?, prompt: Int, completion: Int) -> Money {
        price(of: model)?.cost(prompt: prompt, completion: completion) ?? .zero
    }

    /// What tokens would have cost at the other service; nil when the file names none.
    package func costElsewhere(prompt: Int, completion: Int) -> Money? {
        elsewherePrice?.cost(prompt: prompt, completion: completion)
    }

    /// An amount with the currency.
    package func text(_ amount: Money) -> String { currency.isEmpty ? amount.text : "\(amount.text) \(currency)" }

    package static func == (one: PriceList, other: PriceList) -> Bool {
        one.currency == other.currency && one.elsewhere == other.elsewhere && one.exact == other.exact
            && one.elsewherePrice == other.elsewherePrice && one.beginnings.map(\.text) == other.beginnings.map(\.text)
            && one.beginnings.map(\.price) == other.beginnings.map(\.price)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(currency)
        hasher.combine(exact)
    }
}
