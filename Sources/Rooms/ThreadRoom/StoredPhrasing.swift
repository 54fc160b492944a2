package import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a model phrased about a proposal, as it is stored.
package struct StoredPhrasing: Codable, Sendable, Hashable {
    /// A digest of what the model was asked. The same question is not asked again.
    package var digest: String
    /// The model, as the settings name it.
    package var model: String
    /// The names of the new threads, in their order; nil when the model's were of no use.
    package var names: [String]?
    /// The supported sentences of the summary.
    package var sentences: [ThreadPhrasing.Sentence]
    /// The number of private notes that were withheld.
    package var withheld: Int

    package init(
        digest: String, model: String, names: [String]?, sentences: [ThreadPhrasing.Sentence], withheld: Int
    ) {
        self.digest = digest
        self.model = model
        self.names = names
        self.sentences = sentences
        self.withheld = withheld
    }

    /// The phrasing as JSON.
    var encoded: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

extension StoredThreadProposal {
    /// The places of the parts that become new threads.
    package var newParts: Range<Int> {
        switch kind {
        case .new: 0..<min(1, parts.count)
        case .join: 0..<0
        case .split: min(1, parts.count)..<parts.count
        }
    }

    /// The proposal with the names and the summary that a model phrased. An accepted one has them already.
    ///
    /// - Parameter visible: The notes that the API returns; sentences about others are left out.
    func phrased(visible: Set<Int64>) -> StoredThreadProposal {
        guard var phrasing else { return self }
        var phrased = self
        phrasing.sentences.removeAll { !$0.notes.allSatisfy(visible.contains) || $0.notes.isEmpty }
        phrased.phrasing = phrasing
        guard state != .accepted else { return phrased }
        if !phrasing.sentences.isEmpty {
            phrased.summary = phrasing.sentences.map(\.text).joined(separator: " ")
        }
        if let names = phrasing.names, names.count == newParts.count {
            for (place, name) in zip(newParts, names) { phrased.parts[place].name = name }
            if kind == .new, let name = names.first { phrased.name = name }
        }
        return phrased
    }
}
