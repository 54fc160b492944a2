import ArgumentParser
import Evaluation
import Foundation
import GatewayAPI
import GatewayClient
import Prompts

/// The prompts of a benchmark, from the arguments of the command.
struct BenchSubjects: Sendable {
    /// A prompt with what it is sent with.
    struct Subject: Sendable {
        var report: BenchReport.Subject
        var options: ChatOptions
    }

    private(set) var subjects: [Subject] = []

    /// The most prompts of a benchmark.
    private static let limit = 200

    /// Reads the arguments: the id of a prompt, a kind for all its prompts, or a file with a question on each line (for
    /// `.jsonl` an object with `question`).
    ///
    /// - Throws: `ValidationError`, ``GatewayClientError``, `EvaluationError`.
    init(_ arguments: [String], values: PromptValues, _ service: RemotePromptService) async throws {
        var unused = Set(values.values.keys)
        for argument in arguments {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder), !isFolder.boolValue {
                try addFile(argument)
            } else if PromptDocument.Kind(rawValue: argument) != nil {
                for prompt in try await service.prompts(kind: argument).prompts {
                    try await add(prompt, values, &unused, service)
                }
            } else {
                try await add(try await service.prompt(argument), values, &unused, service)
            }
        }
        guard subjects.count <= Self.limit else {
            throw ValidationError("PROMPTS: expected at most \(Self.limit), got \(subjects.count)")
        }
        if let name = unused.sorted().first {
            throw ValidationError("--var: no prompt of the benchmark has the variable \"\(name)\"")
        }
    }

    private mutating func add(
        _ prompt: Prompt, _ values: PromptValues, _ unused: inout Set<String>, _ service: RemotePromptService
    ) async throws {
        let names = Set(prompt.variables.map(\.name))
        let own = values.values.filter { names.contains($0.key) }
        unused.subtract(own.keys)
        let rendered = try await service.render(prompt.id, own)
        guard !subjects.contains(where: { $0.report.id == prompt.id }) else { return }
        subjects.append(
            Subject(
                report: .init(id: prompt.id, version: rendered.version, text: rendered.text),
                options: ChatOptions(rendered)))
    }

    private mutating func addFile(_ path: String) throws {
        let url = URL(filePath: path)
        let questions: [(id: String, text: String)]
        if path.hasSuffix(".jsonl") {
            questions = try ChatQuestion.load(url).map { ($0.id, $0.question) }
        } else {
            guard let text = try? String(contentsOf: url, encoding: .utf8) else {
                throw ValidationError("\(path): cannot be read as UTF-8 text")
            }
            let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            questions = lines.filter { !$0.isEmpty }.enumerated().map { (String($0 + 1), $1) }
        }
        let name = url.deletingPathExtension().lastPathComponent
        for (id, text) in questions where !subjects.contains(where: { $0.report.id == "\(name):\(id)" }) {
            subjects.append(
                Subject(report: .init(id: "\(name):\(id)", version: nil, text: text), options: ChatOptions()))
        }
    }
}
