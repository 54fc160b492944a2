import Foundation
import GatewayAPI
import GatewayTestSupport
import TestSupport

/// The ids and secrets that two gateways made by chance, each for the same thing.
///
/// A request has a mark in place of such a text, and each gateway gets its own.
struct KnownPairs {
    private static let border: Character = "\u{F8FF}"
    private var postgres: [String: String] = [:]
    private var file: [String: String] = [:]
    /// The texts that stand in the answers of the file, by number.
    private var texts: [String] = []
    private var numbers: [String: Int] = [:]

    /// Whether two texts can stand for the same thing: both are known as a pair, or both are new.
    mutating func areOne(_ inFile: String, _ inPostgres: String) -> Bool {
        if let known = postgres[inFile] { return known == inPostgres }
        guard file[inPostgres] == nil else { return false }
        (postgres[inFile], file[inPostgres], numbers[inFile]) = (inPostgres, inFile, texts.count)
        texts.append(inFile)
        return true
    }

    /// A text of the file's gateway as it is kept for later requests.
    func marked(_ text: String) -> String {
        numbers[text].map { "\(Self.border)\($0)\(Self.border)" } ?? text
    }

    /// A text for one of the gateways.
    func text(_ marked: String, in place: NotesPlace) -> String {
        guard marked.contains(Self.border) else { return marked }
        let parts = marked.split(separator: Self.border, omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            guard index % 2 == 1, let number = Int(part), texts.indices.contains(number) else { return String(part) }
            return place == .file ? texts[number] : postgres[texts[number]] ?? ""
        }.joined()
    }
}
