import Documents
import Foundation
import TestSupport
import Testing

@testable import DocumentReading

@Suite struct ReadingInAProcess {
    /// The program, beside the test bundle.
    static let binary = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "DocumentReaderChild").path

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func process(_ way: String, _ change: (inout ReadingLimits) -> Void = { _ in }) -> DocumentProcess {
        var limits = ReadingLimits()
        change(&limits)
        return DocumentProcess(executable: Self.binary, arguments: [way], limits: limits)
    }

    func file(_ text: String = "One.\n\nTwo.") throws -> String { try folder.write("file", text).path }

    /// The children of this process, ended or not.
    static func children() -> Set<Int> {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return Set(
            tasks.flatMap { task in
                let list = try? String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)
                return list?.split(separator: " ").compactMap { Int($0) } ?? []
            })
    }

    @Test func readsADocument() async throws {
        let path = try file("# Title\n\nText with é.")
        let document = try await process("read").read(file: path, name: "a.md")
        let here = try DocumentReader.read(Array("# Title\n\nText with é.".utf8), name: "a.md")
        #expect(document == here)
    }

    @Test func passesOnWhyThereIsNoDocument() async throws {
        let path = try file(" ")
        await #expect(throws: DocumentError(.empty, "The file has no text.")) {
            try await process("read").read(file: path, name: "a.txt")
        }
        let error = await #expect(throws: DocumentError.self) { try await process("read").read(file: path + "x") }
        #expect(error?.code == .damaged)
        let large = await #expect(throws: DocumentError.self) {
            try await process("read") { $0.document.fileBytes = 3 }.read(file: try file("long"), name: "a.txt")
        }
        #expect(large?.code == .tooLarge)
    }

    @Test(
        arguments: [
            ("abort", .damaged), ("segv", .damaged), ("exit", .damaged), ("short", .damaged), ("garbage", .damaged),
            ("more", .damaged),
            ("flood", .damaged), ("long", .tooLarge), ("deaf", .tooCostly),
        ] as [(String, DocumentError.Code)])
    func misbehavior(_ way: String, _ code: DocumentError.Code) async throws {
        let path = try file()
        let error = await #expect(throws: DocumentError.self) {
            try await process(way) { $0.messageBytes = 1 << 20 }.read(file: path)
        }
        #expect(error?.code == code, "\(way)")
    }

    @Test(.slow) func endlessWorkEndsByProcessorTime() async throws {
        let path = try file()
        let error = await #expect(throws: DocumentError.self) {
            try await process("loop") { $0.cpuSeconds = 1 }.read(file: path)
        }
        #expect(error?.code == .tooCostly)
    }

    @Test func endlessWaitingEndsByTime() async throws {
        let path = try file()
        let error = await #expect(throws: DocumentError.self) {
            try await process("wait") { $0.wallSeconds = 0.2 }.read(file: path)
        }
        #expect(error?.code == .tooCostly)
    }

    #if os(Linux)
    @Test(.slow) func endlessAllocationEndsByMemory() async throws {
        let path = try file()
        let error = await #expect(throws: DocumentError.self) {
            try await process("allocate") { $0.memoryBytes = 256 << 20 }.read(file: path)
        }
        #expect(error?.code == .tooCostly)
    }
    #endif

    /// The child writes its findings into its exit code: 0 is right, and then there is no message.
    @Test(arguments: ["descriptors", "write"]) func confinement(_ way: String) async throws {
        let job = try JSONEncoder().encode(ReadingJob(content: .whole, limits: ReadingLimits()))
        let path = try file()
        guard let input = DescriptorPair(), let output = DescriptorPair(),
            let file = Descriptor(taking: open(path, O_RDONLY))
        else {
            Issue.record("no descriptors")
            return
        }
        let isWritten = input.writing.write(Array(job))
        #expect(isWritten)
        guard let child = start(way, input, output, file) else {
            Issue.record("no process")
            return
        }
        #expect(child.waitForEnd(milliseconds: 60_000) == .exited(0))
    }

    private func start(
        _ way: String, _ input: consuming DescriptorPair, _ output: borrowing DescriptorPair,
        _ file: borrowing Descriptor
    ) -> ChildProcess? {
        ChildProcess(Self.binary, [way], environment: [], input: input.reading, output: output.writing, file: file)
    }

    @Test func aMissingProgramIsNoDocumentsFault() async throws {
        let path = try file()
        await #expect(throws: ReadingProblem.self) {
            try await DocumentProcess(executable: "/nonexistent", arguments: []).read(file: path)
        }
    }

    @Test func cancellationEndsTheProcess() async throws {
        let path = try file()
        let process = process("wait")
        let task = Task { try await process.read(file: path) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #if os(Linux)
        let before = Self.children()
        let running = Task { try await process.read(file: path) }
        try await waitUntil { !Self.children().subtracting(before).isEmpty }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #endif
    }
}

/// Tests that count the descriptors and children of the whole test process.
@Suite(.serialized) struct ReadingLeavesNothing {
    #if os(Linux)
    @Test(.slow) func noDescriptorAndNoChildIsLeft() async throws {
        let suite = try ReadingInAProcess()
        let path = try suite.file()
        _ = try await suite.process("read").read(file: path, name: "a.txt")
        func open() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
        let before = open()
        // A server of other tests may live as long as the process.
        let others = ReadingInAProcess.children()
        for way in ["read", "abort", "flood", "nowhere"] {
            for _ in 0..<5 { _ = try? await suite.process(way).read(file: path, name: "a.txt") }
        }
        // One descriptor a reading would be 20 more; a few are others'.
        #expect(await eventually { open() < before + 10 })
        #expect(await eventually { ReadingInAProcess.children().subtracting(others).isEmpty })
    }
    #endif
}
