internal import CZip

/// A file of an archive that is unpacked in pieces.
///
/// SAFETY: the pointer stays inside this class, which keeps its archive open.
@safe package final class ZipEntry {
    private let file: OpaquePointer
    private let name: String
    private let archive: ZipArchive
    private var piece = [UInt8](repeating: 0, count: 64 << 10)

    init(_ file: OpaquePointer, named name: String, in archive: ZipArchive) {
        unsafe self.file = file
        self.name = name
        self.archive = archive
    }

    deinit { unsafe zip_fclose(file) }

    /// The next bytes, at most 64 KiB; nil at the end.
    ///
    /// - Throws: `damaged`, or `tooLarge` when everything unpacked from the archive is larger than its limit.
    package func next() throws(DocumentError) -> [UInt8]? {
        let count = unsafe piece.withUnsafeMutableBytes { unsafe zip_fread(file, $0.baseAddress, UInt64($0.count)) }
        guard count >= 0 else {
            throw DocumentError(.damaged, "\"\(name.prefix(200))\" in the archive is damaged.")
        }
        guard count > 0 else { return nil }
        let length = min(Int(count), piece.count)
        try archive.spend(length, on: name)
        return Array(piece[..<length])
    }
}
