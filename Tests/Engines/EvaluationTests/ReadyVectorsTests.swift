import Foundation
import TestSupport
import Testing

@testable import Evaluation

struct ReadyVectorsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func npy(_ header: String, _ numbers: Data, version: UInt8 = 1) -> Data {
        var data = Data([0x93] + "NUMPY".utf8 + [version, 0])
        let header = header + "\n"
        let length = (0..<(version == 1 ? 2 : 4)).map { UInt8(header.utf8.count >> ($0 * 8) & 0xFF) }
        data.append(contentsOf: length)
        data.append(contentsOf: header.utf8)
        return data + numbers
    }

    private func header(_ shape: String, _ type: String = "<f4", fortran: String = "False") -> String {
        "{'descr': '\(type)', 'fortran_order': \(fortran), 'shape': \(shape), }    "
    }

    private func floats(_ values: Float...) -> Data {
        values.reduce(into: Data()) { data, value in
            withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
    }

    private func doubles(_ values: Double...) -> Data {
        values.reduce(into: Data()) { data, value in
            withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt8])
    func `floats are read from every version of the format`(version: UInt8) throws {
        let array = try folder.write("a.npy", npy(header("(2, 3)"), floats(1, 2, 3, -4, 5.5, 0), version: version))
        let ids = try folder.write("ids.txt", "a\r\n b \r\n\r\n")
        let vectors = try ReadyVectors(npy: array, ids: ids)
        #expect(vectors == (try ReadyVectors(ids: ["a", "b"], dimensions: 3, values: [1, 2, 3, -4, 5.5, 0])))
        #expect(Array(vectors.row(1)) == [-4, 5.5, 0])
        #expect(vectors.rowsByID() == ["a": 0, "b": 1])
    }

    @Test func `doubles become floats`() throws {
        let array = try folder.write("a.npy", npy(header("(1, 2)", "<f8"), doubles(0.1, 3)))
        let ids = try folder.write("ids.txt", "a")
        #expect(try ReadyVectors(npy: array, ids: ids).values == [0.1, 3])
    }

    @Test func `everything else is refused with its reason`() throws {
        let ids = try folder.write("ids.txt", "a\nb\n")
        let two = floats(1, 2)
        let cases: [(Data, String)] = [
            (Data("not numpy at all".utf8), "not a NumPy array"),
            (Data(), "not a NumPy array"),
            (npy(header("(2, 1)"), two, version: 4), "version 4"),
            (npy(header("(2, 1)"), two).prefix(40), "the file ends within its header"),
            (npy(header("(2, 1)", ">f4"), two), "numbers of type >f4"),
            (npy(header("(2, 1)", "<i8"), two), "numbers of type <i8"),
            (npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 1)}", two), "holds records"),
            (npy(header("(2, 1)", fortran: "True"), two), "Fortran order"),
            (npy(header("(2,)"), two), "has 1 dimensions, not 2"),
            (npy(header("()"), two), "has 0 dimensions, not 2"),
            (npy(header("(2, -1)"), two), "no usable `shape`"),
            (npy(header("(2, 0)"), Data()), "its rows are empty"),
            (npy(header("(2, 1)"), floats(1)), "has 4 bytes of numbers, expected 2 rows of 1"),
            (npy(header("(2, 1)"), floats(1, 2, 3)), "has 12 bytes of numbers"),
            (npy(header("(9223372036854775807, 9223372036854775807)"), two), "bytes of numbers"),
            (npy(header("(2, 1)"), floats(1, .nan)), "row 1, column 0 (from 0) is not a finite float"),
            (npy(header("(2, 1)", "<f8"), doubles(1, 1e300)), "row 1, column 0 (from 0) is not a finite float"),
            (npy(header("(3, 1)"), floats(1, 2, 3)), "has 3 rows, and ids.txt has 2 ids"),
        ]
        for (data, complaint) in cases {
            let file = try folder.write("a.npy", data)
            let message = message { _ = try ReadyVectors(npy: file, ids: ids) }
            #expect(message.hasPrefix(file.path) && message.contains(complaint), "\(message)")
        }
    }

    @Test func `ready vectors are found, and chosen by name when there are several`() throws {
        #expect(try ReadyVectors.find(in: folder.url) == nil)
        try folder.write("minilm_docs.npy", npy(header("(1, 2)"), floats(1, 2)))
        try folder.write("docs_ids.txt", "d")
        try folder.write("queries_ids.txt", "q")
        #expect(message { _ = try ReadyVectors.find(in: folder.url) }.contains("minilm_queries.npy: is missing"))
        try folder.write("minilm_queries.npy", npy(header("(1, 2)"), floats(3, 4)))
        let found = try #require(try ReadyVectors.find(in: folder.url))
        #expect(found.name == "minilm")
        let (documents, queries) = try found.load()
        #expect(documents.values == [1, 2] && queries.ids == ["q"])

        try folder.write("other_docs.npy", npy(header("(1, 2)"), floats(1, 2)))
        try folder.write("other_queries.npy", npy(header("(1, 1)"), floats(3)))
        #expect(message { _ = try ReadyVectors.find(in: folder.url) }.contains("minilm, other: choose one"))
        let other = try #require(try ReadyVectors.find(in: folder.url, named: "other"))
        #expect(message { _ = try other.load() }.contains("has 1 dimensions, and other_docs.npy has 2"))
        #expect(message { _ = try ReadyVectors.find(in: folder.url, named: "third") }.contains("minilm, other"))
    }
}
