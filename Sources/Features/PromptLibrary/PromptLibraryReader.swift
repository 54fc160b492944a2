package import GatewayAPI
import Prompts
package import PromptRoom
import Storage

/// The prompts of the library for other features: read, not changed.
package struct PromptLibraryReader: Sendable {
    private let service: PromptService

    /// Reads the curated prompts.
    ///
    /// - Throws: An error of a prompt; a test reads every file.
    package init(_ store: PromptRoom) throws { service = try PromptService(store) }

    /// Lists all prompts, without their texts.
    ///
    /// - Throws: ``StorageError``.
    package func all() async throws -> [Prompt] {
        try await service.list(kind: nil, query: nil).map { $0.prompt(withText: false) }
    }

    /// Fills in a prompt.
    ///
    /// - Throws: ``StorageError`` `notFound`; `invalid` for values that the prompt does not take.
    package func rendered(_ id: String, _ values: [String: String]) async throws -> RenderedPrompt {
        let edition = try await service.find(id)
        do {
            return try edition.rendered(values)
        } catch {
            throw StorageError(.invalid, "\(error.field): \(error.problem)")
        }
    }
}
