import Foundation
import TestSupport
import Testing

/// A sample of `make fuzz` within the suite: the kept inputs of every target and random changes of them, each target in a
/// process of its own. It has neither coverage nor the address sanitizer, so it finds traps and broken promises only.
@Suite("Parsers of outside bytes")
struct SampleTests {
    @Test("Kept inputs and random changes of them keep every promise", .slow, arguments: Target.all.keys.sorted())
    func sample(name: String) async throws {
        let last = FileManager.default.temporaryDirectory.appending(path: "selene-sample-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: last) }
        let result = await #expect(processExitsWith: .success) { [name, last = last as String] in
            guard let target = Target.all[name] else { fatalError("no target \(name)") }
            let seeds = Sample.seeds(of: name)
            for bytes in seeds + Sample.changes(of: seeds, count: 300, seed: 1) {
                try Data(bytes).write(to: URL(filePath: last))
                target(bytes)
            }
        }
        if result == nil, let input = try? Data(contentsOf: URL(filePath: last)) {
            Issue.record("\(name) failed with this input, in base64: \(input.base64EncodedString())")
        }
    }

    @Test("Changes are the same in each run and differ from what they are made of")
    func changes() {
        let seeds = [Array("{\"a\":1}".utf8), Array("text\n".utf8)]
        let changes = Sample.changes(of: seeds, count: 200, seed: 7)
        #expect(changes == Sample.changes(of: seeds, count: 200, seed: 7))
        #expect(Set(changes).count > 150)
        #expect(changes.allSatisfy { $0.count <= Sample.longest })
    }

    @Test("Every folder of kept inputs belongs to a target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Sample.folder.path)
        #expect(Set(folders.filter { !$0.hasPrefix(".") }).isSubset(of: Target.all.keys))
    }
}
