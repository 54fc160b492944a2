import Foundation
import Ingest
import Testing

/// What holds for the exports of all programs.
@Suite struct ExportDamageTests {
    @Test(arguments: ExportSamples.all)
    func `a sample is recognized, read whole, and the same the second time`(sample: ExportSamples.Sample) throws {
        let read = try ExportHome.read(sample.name, sample.bytes)
        #expect(read.format == sample.format && read.notes.count == sample.notes && read.problems.allSatisfy(\.isEmpty))
        #expect(read.notes.allSatisfy { $0.externalID?.hasPrefix(sample.format.rawValue + ":") == true })
        #expect(Set(read.notes.compactMap(\.externalID)).count == sample.notes)
        #expect(try ExportHome.read(sample.name, sample.bytes, as: sample.format) == read)
        // Whatever the export is called, its notes are the same ones.
        let name =
            "another/"
            + (sample.format == .kindle
                ? "My Clippings.txt" : "chat x." + (sample.name.split(separator: ".").last ?? ""))
        let other = try ExportHome().read([(name, sample.bytes)], at: name, as: sample.format)
        #expect(other.notes.map(\.externalID) == read.notes.map(\.externalID))
    }

    @Test(arguments: ExportSamples.all)
    func `a file that is cut anywhere gives what is whole before the cut, and tells of the rest`(
        sample: ExportSamples.Sample
    ) throws {
        let whole = try ExportHome.read(sample.name, sample.bytes, as: sample.format)
        for part in 0..<50 {
            let bytes = Array(sample.bytes.prefix(sample.bytes.count * part / 50))
            guard let read = try? ExportHome.read(sample.name, bytes, as: sample.format) else {
                // An archive without its end is refused as a whole.
                #expect(sample.name.hasSuffix(".zip"))
                continue
            }
            #expect(read.notes.count <= whole.notes.count)
            for note in read.notes where note.warnings.isEmpty && read.problems.isEmpty {
                #expect(whole.notes.contains { $0.externalID == note.externalID }, "\(part): \(note)")
            }
            if bytes.count > 4 { #expect(!read.notes.isEmpty || !read.problems.isEmpty, "\(part)") }
        }
    }

    @Test(arguments: ExportSamples.all)
    func `changed bytes never end the reading`(sample: ExportSamples.Sample) throws {
        for place in stride(from: 0, to: sample.bytes.count, by: max(1, sample.bytes.count / 60)) {
            for byte: UInt8 in [0, 0x22, 0x3C, 0x5D, 0xFF] {
                var bytes = sample.bytes
                bytes[place] = byte
                if let read = try? ExportHome.read(sample.name, bytes, as: sample.format) {
                    #expect(read.notes.count <= sample.notes + 2)
                }
            }
        }
    }

    @Test func `every format that is an export has a sample`() {
        #expect(Set(ExportSamples.all.map(\.format)) == Set(IngestFormat.allCases.filter(\.isExport)))
    }
}
