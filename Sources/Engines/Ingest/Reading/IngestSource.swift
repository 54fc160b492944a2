import Documents
import Foundation

/// The file, the folder or the ZIP archive that a person names.
final class IngestSource {
    /// The file or the folder. A folder has its links resolved.
    let url: URL
    let isFolder: Bool
    /// The archive that a file is; nil for other files and for folders.
    let archive: ZipArchive?
    /// The path of the file or folder, links resolved.
    let place: String
    /// The paths of all files below the folder or in the archive; for a file its name.
    let names: [String]
    private let folder: IngestFolder
    private let parts: ArchiveParts?

    /// The most that an archive may unpack to, all of its files together. Notes of a lifetime are far smaller; pictures are not
    /// unpacked.
    static let mostUnpackedBytes = 8 << 30

    /// What is found in a source for a format.
    struct Found {
        var files: [IngestFile] = []
        /// Links that are not followed.
        var skippedLinks: [String] = []
        /// The number of files that are not read, by ending.
        var otherFiles: [String: Int] = [:]
    }

    /// - Throws: when there is no such file, or it is a damaged archive.
    init(path: String) throws(IngestError) {
        let named = URL(filePath: path)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: named.path, isDirectory: &isFolder) else {
            throw IngestError(message: "no such file or folder: \(path)")
        }
        self.isFolder = isFolder.boolValue
        // The enumerator does not follow a folder that is itself a link.
        url = isFolder.boolValue ? named.resolvingSymlinksInPath() : named
        place = Self.place(of: url)
        folder = isFolder.boolValue ? try IngestFolder(of: url) : IngestFolder()
        archive = isFolder.boolValue ? nil : try Self.archive(url)
        let packed = archive.map { Self.visible($0.names) }
        parts = packed.flatMap { [archive, url] names in
            archive.flatMap { ArchiveParts(of: $0, names, at: url.path, limits: Self.limits) }
        }
        names =
            parts.map { Self.visible($0.archives.keys.sorted()) } ?? packed
            ?? (isFolder.boolValue ? folder.names : [url.lastPathComponent])
    }

    /// Folders, and parts of archives, that cannot be read.
    var faults: [IngestProblem] { folder.faults + (parts?.faults ?? []) }
    /// The only file of the source; nil for a folder and for an archive.
    var file: IngestFile? { isFolder || archive != nil ? nil : IngestFile(url, named: url.lastPathComponent) }

    /// Whether there are files of our own formats, which count before those of other programs.
    var hasNotes: Bool { names.contains { MarkdownFile.reads($0) || JSONLines.reads($0) } }

    /// A file of the source by its name.
    func file(_ name: String) -> IngestFile {
        if let archive = parts?.archives[name] ?? archive { return IngestFile(name, in: archive, at: url.path) }
        return IngestFile(isFolder ? url.appending(path: name) : url, named: name)
    }

    /// The files that a reader wants: of a folder and an archive those with the right name, else the one file.
    func find(_ reader: any ItemReader.Type) -> Found {
        if archive != nil {
            var found = Found()
            for name in names.sorted() {
                if reader.reads(name) {
                    found.files.append(file(name))
                } else {
                    found.otherFiles[Ending.of(name), default: 0] += 1
                }
            }
            return found
        }
        guard isFolder else { return Found(files: [file(url.lastPathComponent)]) }
        let links = FolderLinks(below: url)
        let sorted = links.sort(folder.files(reader.reads))
        return Found(
            files: sorted.files.map { IngestFile($0, named: folder.name(of: $0)) },
            skippedLinks: sorted.skipped + (reader.isAlone ? [] : links.foreignFolders(folder.links)),
            otherFiles: reader.isAlone ? [:] : folder.others(than: reader.reads))
    }

    /// The names of an archive's files, without folders, hidden files and what macOS adds.
    private static func visible(_ names: [String]) -> [String] {
        names.filter { name in
            !name.hasSuffix("/") && !name.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__MACOSX" }
        }
    }

    private static var limits: DocumentLimits {
        var limits = DocumentLimits()
        limits.unpackedBytes = mostUnpackedBytes
        return limits
    }

    private static func archive(_ url: URL) throws(IngestError) -> ZipArchive? {
        guard IngestFile(url, named: "").start(4).elementsEqual([0x50, 0x4B, 3, 4]) else { return nil }
        do throws(DocumentError) { return try ZipArchive(path: url.path, limits: limits) } catch {
            throw IngestError(message: "\(url.path): \(error.message)")
        }
    }

    /// The path of a file or folder, its folder's links resolved.
    static func place(of url: URL) -> String {
        let folder = url.standardizedFileURL.deletingLastPathComponent().resolvingSymlinksInPath()
        return folder.appending(path: url.standardizedFileURL.lastPathComponent).standardizedFileURL.path
    }
}
