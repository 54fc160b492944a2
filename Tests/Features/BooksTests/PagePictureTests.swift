import Books
import DocumentReading
import Foundation
import GatewayAPI
import Storage
import TestSupport
import Testing

/// Images of a book's pages: who gets one, what is refused, and what is kept.
@Suite struct PagePictureTests {
    private static let reader = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "DocumentReaderChild").path

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A program that writes an image of `bytes` bytes, and counts its calls.
    private func drawing(bytes: Int = 1000, exit: Int = 0) throws -> PageDrawing {
        let text = "#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n'; head -c \(bytes) /dev/zero; exit \(exit)\n"
        let path = try folder.write("tool", text).path
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return PageDrawing(executable: Self.reader, arguments: ["read"], program: path)
    }

    private func with(
        _ drawing: @escaping @Sendable () -> PageDrawing?, _ body: (LibraryBench) async throws -> Void
    ) async throws {
        let bench = try await LibraryBench(drawing: drawing)
        let result: Result<Void, any Error>
        do { result = .success(try await body(bench)) } catch { result = .failure(error) }
        await bench.end()
        try result.get()
    }

    @Test func `a drawn page is kept, and dropped with its book`() async throws {
        let tool = try drawing()
        let calls = Counter()
        try await with({
            calls.add(1)
            return tool
        }) { bench in
            let id = try await bench.finish(
                try await bench.add(SamplePDF.file([["One page."], ["Two pages."]]), name: "a.pdf").book.id
            ).id
            let pictures = bench.library.pictures
            let first = try await pictures.picture(of: id, page: 1, size: 400, account: "a")
            #expect(first.count == 1008)
            #expect(try await pictures.picture(of: id, page: 1, size: 400, account: "b") == first)
            #expect(calls.value == 1)
            _ = try await pictures.picture(of: id, page: 2, size: 400, account: "a")
            #expect(calls.value == 2 && bench.library.pictures.load.images == 2)
            try await bench.library.delete(id)
            #expect(bench.library.pictures.load == (0, 0))
            await #expect(throws: StorageError.self) {
                try await pictures.picture(of: id, page: 1, size: 400, account: "a")
            }
        }
    }

    @Test func `what has no image is refused by name, in order`() async throws {
        let isThere = Locked(false)
        let tool = try drawing(exit: 1)
        try await with({ isThere.value ? tool : nil }) { bench in
            let pictures = bench.library.pictures
            let text = try await bench.imported(SampleText.book()).id
            await #expect(throws: BookRefusal.noPicture(text)) {
                try await pictures.picture(of: text, page: 99, size: 400, account: "a")
            }
            let id = try await bench.finish(
                try await bench.add(SamplePDF.file([["One page."]]), name: "a.pdf").book.id
            ).id
            let gone = await #expect(throws: StorageError.self) {
                try await pictures.picture(of: id, page: 2, size: 400, account: "a")
            }
            #expect(gone?.code == .notFound)
            await #expect(throws: BookRefusal.noPageProgram) {
                try await pictures.picture(of: id, page: 1, size: 400, account: "a")
            }
            isThere.change { $0 = true }
            let failed = await #expect(throws: BookRefusal.self) {
                try await pictures.picture(of: id, page: 1, size: 400, account: "a")
            }
            guard case .undrawable(page: 1, _) = failed else {
                Issue.record("\(String(describing: failed))")
                return
            }
        }
    }

    @Test func `the cache holds no more than its bytes and its images, and keeps what was used last`() {
        func key(_ page: Int) -> PictureCache.Key { PictureCache.Key(hash: Data([1]), page: page, size: 100) }
        let cache = PictureCache(maxBytes: 100, maxImages: 3)
        cache.keep([UInt8](repeating: 0, count: 101), as: key(0))
        #expect(cache.load == (0, 0))
        for page in 1...3 { cache.keep([UInt8](repeating: 0, count: 30), as: key(page)) }
        #expect(cache.load == (90, 3))
        _ = cache.image(key(1))
        cache.keep([UInt8](repeating: 0, count: 5), as: key(4))
        #expect(cache.load == (65, 3))
        #expect(cache.image(key(2)) == nil && cache.image(key(1)) != nil)
        cache.keep([UInt8](repeating: 0, count: 90), as: key(5))
        #expect(cache.load == (90, 1))
        cache.keep([UInt8](repeating: 0, count: 40), as: key(5))
        #expect(cache.load == (40, 1))
        cache.drop(Data([2]))
        #expect(cache.load.images == 1)
        cache.drop(Data([1]))
        #expect(cache.load == (0, 0))
    }
}
