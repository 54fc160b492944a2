import CSamples
import Foundation

/// The files of the demo, which are part of the binary.
enum DemoSamples {
    /// Writes the sample notes into a new folder.
    ///
    /// - Throws: The error of a file that cannot be written.
    static func writeNotes(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in files where name.hasSuffix(".jsonl") {
            try bytes.write(to: folder.appending(path: name))
        }
    }

    /// The sample book; nil when the build left it out.
    static var book: (name: String, bytes: Data)? { files.first { $0.name.hasSuffix(".epub") } }

    private static var files: [(name: String, bytes: Data)] {
        var files: [(name: String, bytes: Data)] = []
        while let file = selene_sample_at(files.count)?.pointee {
            files.append((String(cString: file.name), Data(bytes: file.bytes, count: file.count)))
        }
        return files
    }
}
