import BookRoom
import Books
import Documents
import FakeOllama
import Foundation
import GatewayAPI
import Storage
import Testing
import TestSupport

/// From a file to a book that is found by words and by meaning.
@Suite struct BookImports {
    @Test func `a text becomes a book whose text, pages and passages are exact`() async throws {
        try await LibraryBench.with { bench in
            let text = SampleText.book()
            let book = try await bench.imported(text, name: "Harbour days.txt")
            #expect(book.state == .ready)
            #expect(book.title == "Harbour days")
            #expect(book.format == "text" && book.numbering == "estimated")
            #expect(book.textBytes == text.utf8.count)
            #expect(book.passages > 10 && book.embedded == book.passages)
            let whole = try await bench.library.store.text(of: book.id, in: 0..<book.textBytes)
            #expect(whole.text == text)
            var place = 0
            for number in 1...book.pages {
                let page = try await bench.library.store.page(number, of: book.id)
                #expect(page.start == place)
                #expect(page.text.utf8.count == page.end - page.start)
                place = page.end
            }
            #expect(place == book.textBytes)
            let headings = try await bench.library.store.outline(of: book.id, before: nil)
            #expect(headings.count == 3)
        }
    }

    @Test func `words and meaning find a passage, and its bytes are in the book`() async throws {
        try await LibraryBench.with { bench in
            let text = SampleText.book()
            let book = try await bench.imported(text)
            let found = try await bench.retrieve("What about quay77?", in: book.id)
            #expect(found.source == "hybrid" && found.fallbackReason == nil && found.position == nil)
            #expect(found.results.count == 6)
            let first = try #require(found.results.first)
            #expect(first.text.contains("quay77 "))
            #expect(first.why.terms.contains("quay77"))
            let bytes = Array(text.utf8)[first.start..<first.end]
            #expect(String(decoding: bytes, as: UTF8.self).contains("quay77 "))
            #expect(first.page <= first.lastPage)
        }
    }

    @Test(.slow, arguments: ["NULLVEC", "SHORTVEC", "FEWERVEC", "HUGEVEC", "ZEROVEC"])
    func `a bad vector costs its own passage, and words answer a query that has one`(_ odd: String) async throws {
        try await LibraryBench.with { bench in
            let book = try await bench.imported(SampleText.book() + "\n\nThe word \(odd) was seen on quay77 once.\n")
            #expect(book.state == .ready)
            let found = try await bench.retrieve("What about quay77?", in: book.id)
            #expect(found.source == "hybrid" && found.fallbackReason == nil && found.results.count == 6)
            let worded = try await bench.retrieve("What about quay77 \(odd)?", in: book.id)
            #expect(worded.fallbackReason?.isEmpty == false)
            #expect(worded.results.contains { $0.text.contains(odd) })
        }
    }

    @Test func `a file that is added again while its book is deleted stays`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-files-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = BookFiles(folder: folder.path, maxFileBytes: 1000, maxTotalBytes: 10_000)
        func keep() throws -> Data {
            let incoming = try files.receive(stored: 0)
            try incoming.write(Array("Once upon a time".utf8))
            return try incoming.keep()
        }
        let hash = try keep()
        // Deleted between the file and its row.
        files.beginRemoving(hash)
        files.endRemoving(hash, isWanted: false)
        #expect(files.isThere(hash))
        files.release(hash)
        // Added with its row between the look for other books and the removal.
        files.beginRemoving(hash)
        #expect(try keep() == hash)
        files.release(hash)
        files.endRemoving(hash, isWanted: false)
        #expect(files.isThere(hash))
        // Wanted by another book, then by none.
        files.beginRemoving(hash)
        files.endRemoving(hash, isWanted: true)
        #expect(files.isThere(hash))
        files.beginRemoving(hash)
        files.endRemoving(hash, isWanted: false)
        #expect(!files.isThere(hash))
    }

    @Test func `the same bytes are the same book, and another edition names the earlier one`() async throws {
        try await LibraryBench.with { bench in
            let header = "The Project Gutenberg eBook\n\nTitle: Tides\n\nAuthor: A. Writer\n\n"
            let first = try await bench.imported(header + SampleText.book())
            let again = try await bench.add(header + SampleText.book(), name: "other.txt")
            #expect(!again.isNew && again.book.id == first.id)
            #expect(first.title == "Tides" && first.authors == ["A. Writer"])
            let second = try await bench.imported(header + SampleText.book(seed: 2))
            #expect(second.id != first.id && second.editionOf == first.id)
            #expect(try await bench.library.store.find(first.id).state == .ready)
        }
    }

    @Test func `while Ollama is away words are found, and the import goes on when it is back`() async throws {
        try await LibraryBench.with { bench in
            bench.fake.setFaults(["drop"])
            let id = try await bench.add(SampleText.book()).book.id
            let steps = Collected<BookImport.Step>()
            let running = Task { try await bench.library.imports.run(id, account: nil) { steps.add($0) } }
            try await waitUntil {
                steps.all.contains { if case .embedding(_, _, _, .some) = $0 { true } else { false } }
            }
            #expect(try await bench.library.store.find(id).state == .embedding)
            let found = try await bench.retrieve("quay31", in: id)
            #expect(found.source == "keyword" && found.fallbackReason != nil)
            #expect(found.results.first?.text.contains("quay31 ") == true)
            bench.fake.setFaults([])
            let book = try await running.value
            #expect(book.state == .ready && book.embedded == book.passages)
        }
    }

    @Test(.slow) func `an import that was stopped goes on elsewhere and embeds nothing twice`() async throws {
        let folder = try TemporaryFolder()
        var options = FakeOllama.Options()
        options.embedCost = 0.01
        let first = try await LibraryBench(folder: folder, options)
        let id = try await first.add(SampleText.book(paragraphs: 300)).book.id
        let running = Task { try await first.finish(id) }
        try await waitUntil { try await first.library.store.find(id).embedded >= 32 }
        running.cancel()
        _ = await running.result
        let between = try await first.library.store.find(id)
        #expect(between.state == .embedding && between.embedded < between.passages)
        await first.end()

        let second = try await LibraryBench(folder: folder)
        let book = try await second.finish(id)
        #expect(book.state == .ready && book.embedded == book.passages)
        #expect(second.fake.statistics.embedBatches.reduce(0, +) == between.passages - between.embedded)
        await second.end()
    }

    @Test func `a book does not wait while a large file is read, and large files wait for each other`() async throws {
        let (reading, isHeld) = (Collected<String>(), Locked(true))
        let bench = try await LibraryBench(read: { path, name, type, _ in
            reading.add(name)
            while name.hasPrefix("scan"), isHeld.value { try await Task.sleep(for: .milliseconds(5)) }
            return try DocumentReader.read(
                Array(try Data(contentsOf: URL(filePath: path)).prefix(10_000)), name: name, contentType: type)
        })
        let large = SampleText.book() + String(repeating: "\n", count: BookImport.largeFile)
        let scans = [
            try await bench.add(large, name: "scan 1.txt").book.id,
            try await bench.add(large + " ", name: "scan 2.txt").book.id,
        ]
        let running = scans.map { id in Task { try await bench.finish(id) } }
        try await waitUntil { reading.all.count == 1 }
        let book = try await bench.imported(SampleText.book(), name: "novel.txt")
        #expect(book.state == .ready)
        #expect(reading.all.count == 2 && reading.all.last == "novel.txt", "\(reading.all)")
        isHeld.change { $0 = false }
        for task in running { #expect(try await task.value.state == .ready) }
        #expect(reading.all.count == 3)
        await bench.end()
    }

    @Test func `a file that cannot be read fails with its reason, and can be tried again`() async throws {
        let isBroken = Locked(true)
        let bench = try await LibraryBench(read: { path, name, type, _ in
            if isBroken.value { throw DocumentError(.encrypted, "The file needs a password.") }
            return try DocumentReader.read(
                [UInt8](try Data(contentsOf: URL(filePath: path))), name: name, contentType: type)
        })
        let book = try await bench.imported(SampleText.book())
        #expect(book.state == .failed)
        #expect(book.error == Book.Failure(error: "The file needs a password.", code: "encrypted"))
        #expect(try await bench.retrieve("quay1").results.isEmpty)
        isBroken.change { $0 = false }
        _ = try await bench.library.retry(book.id, key: nil)
        #expect(try await bench.finish(book.id).state == .ready)
        await #expect(throws: BookRefusal.notFailed(book.id)) { try await bench.library.retry(book.id, key: nil) }
        await bench.end()
    }

    @Test(.slow) func `a deleted book is gone with its file, its rows and its hits`() async throws {
        try await LibraryBench.with { bench in
            let kept = try await bench.imported(SampleText.book(seed: 3), name: "kept.txt")
            let book = try await bench.imported(SampleText.book())
            #expect(try await bench.retrieve("quay5").results.contains { $0.book == book.id })
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.library.files.folder).count == 2)
            try await bench.library.delete(book.id)
            #expect(try await bench.retrieve("quay5").results.allSatisfy { $0.book == kept.id })
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.library.files.folder).count == 1)
            await #expect(throws: StorageError.self) { try await bench.library.store.page(1, of: book.id) }
            let again = try await bench.imported(SampleText.book())
            #expect(again.id > book.id && again.state == .ready)
        }
    }

    @Test func `files are private, bounded, and leave nothing when they are refused`() async throws {
        let bench = try await LibraryBench(maxFileBytes: 100_000, maxTotalBytes: 150_000)
        let large = [UInt8](repeating: 0x61, count: 100_001)
        await #expect(throws: BookRefusal.tooLarge(limit: 100_000)) { try await bench.add(large, name: "a.txt") }
        await #expect(throws: BookRefusal.unknownFormat) {
            try await bench.add([0x7F, 0x45, 0x4C, 0x46, 0, 0, 0, 1], name: "program")
        }
        let first = try await bench.add([UInt8](repeating: 0x62, count: 90_000), name: "b.txt")
        await #expect(throws: BookRefusal.noSpace) {
            try await bench.add([UInt8](repeating: 0x63, count: 90_000), name: "c.txt")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.library.files.folder)
        #expect(names.count == 1)
        let path = bench.library.files.folder + "/" + (names.first ?? "")
        let modes = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(modes == 0o600)
        #expect(first.book.bytes == 90_000)
        await bench.end()
    }
}
