internal import CZip

/// The files in a ZIP archive. Everything that it unpacks counts against one limit.
///
/// SAFETY: libzip reads from the copied bytes, which live as long as the archive; both pointers stay inside this class.
@safe package final class ZipArchive {
    /// The names in the order of the archive's directory. Folders end in `/`.
    package let names: [String]
    private let places: [String: UInt64]
    /// The names by what is left of them without what writers spell otherwise: see ``lenient(_:)``.
    private let lenientNames: [String: String]
    private let maxEntryBytes: Int
    /// Bytes that may still be unpacked.
    private var budget: Int
    /// The archive's bytes, which libzip reads until `deinit`; nil for an archive that stays in its file.
    private let bytes: UnsafeMutableRawBufferPointer?
    private let archive: OpaquePointer

    /// The largest file that is unpacked. Chapters, styles and covers are far smaller.
    static let maxEntryBytes = 64 << 20
    static let maxEntries = 200_000

    /// Opens an archive.
    ///
    /// - Throws: `damaged` when the directory of the archive cannot be read, `tooLarge` when it is too long.
    convenience init(_ file: [UInt8], limits: DocumentLimits) throws(DocumentError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, file.count), alignment: 16)
        unsafe bytes.copyBytes(from: file)
        var problem = unsafe zip_error_t()
        unsafe zip_error_init(&problem)
        defer { unsafe zip_error_fini(&problem) }
        let source = unsafe zip_source_buffer_create(bytes.baseAddress, UInt64(file.count), 0, &problem)
        unsafe try self.init(opened: source.flatMap { unsafe Self.open($0) }, bytes: bytes, limits: limits)
    }

    /// Opens an archive that stays in its file, however large it is.
    ///
    /// - Throws: as the other initializer does; `damaged` also when there is no such file.
    package convenience init(path: String, limits: DocumentLimits) throws(DocumentError) {
        unsafe try self.init(opened: zip_open(path, CInt(ZIP_RDONLY), nil), bytes: nil, limits: limits)
    }

    /// Takes over an open archive and the bytes below it.
    private init(
        opened: OpaquePointer?, bytes: UnsafeMutableRawBufferPointer?, limits: DocumentLimits
    ) throws(DocumentError) {
        budget = limits.unpackedBytes
        maxEntryBytes = min(Self.maxEntryBytes, limits.unpackedBytes)
        guard let opened = unsafe opened else {
            unsafe bytes?.deallocate()
            throw DocumentError(.damaged, "The file is not a complete ZIP archive. Download or export it again.")
        }
        unsafe self.bytes = unsafe bytes
        unsafe archive = opened
        let count = unsafe zip_get_num_entries(opened, 0)
        guard count <= Self.maxEntries else {
            unsafe zip_discard(opened)
            unsafe bytes?.deallocate()
            throw DocumentError(.tooLarge, "The archive has \(count) files; the limit is \(Self.maxEntries).")
        }
        var (names, places, lenientNames): ([String], [String: UInt64], [String: String]) = ([], [:], [:])
        for index in 0..<UInt64(max(0, count)) {
            guard let raw = unsafe zip_get_name(opened, index, zip_flags_t(ZIP_FL_ENC_RAW)) else { continue }
            let name = unsafe String(cString: raw)
            names.append(name)
            if places[name] == nil { places[name] = index }
            // Old archives have names in the charset of their machine.
            let guessed = unsafe zip_get_name(opened, index, 0).map { unsafe String(cString: $0) }
            for spelling in [name, guessed ?? name] {
                let key = Self.lenient(spelling)
                if lenientNames[key] == nil { lenientNames[key] = name }
            }
        }
        self.names = names
        self.places = places
        self.lenientNames = lenientNames
    }

    deinit {
        unsafe zip_discard(archive)
        unsafe bytes?.deallocate()
    }

    private static func open(_ source: OpaquePointer) -> OpaquePointer? {
        if let archive = unsafe zip_open_from_source(source, CInt(ZIP_RDONLY), nil) { return unsafe archive }
        unsafe zip_source_free(source)
        return nil
    }

    func contains(_ name: String) -> Bool { place(of: name) != nil }

    /// The name of a file as the archive has it: the same, else one that differs in its spelling; nil for no file.
    func spelling(of name: String) -> String? { places[name] == nil ? lenientNames[Self.lenient(name)] : name }

    private func place(of name: String) -> UInt64? { spelling(of: name).flatMap { places[$0] } }

    /// A name without percent escapes, case, the form of its accents (NFC or NFD), backslashes and `.` folders.
    private static func lenient(_ name: String) -> String {
        ArchivePath.unescaped(name).replacing("\\", with: "/").split(separator: "/").filter { $0 != "." }
            .joined(separator: "/").lowercased()
    }

    /// Unpacks a file that a document can do without; nil when the archive lacks it or it is damaged.
    func readIfIntact(_ name: String) throws(DocumentError) -> [UInt8]? {
        do throws(DocumentError) { return try read(name) } catch {
            if error.code == .damaged { return nil }
            throw error
        }
    }

    /// Unpacks a file; nil when the archive has no file of that name.
    ///
    /// - Throws: `tooLarge` when the file or everything unpacked so far is larger than the limit, `encrypted` when a ZIP
    ///   password is needed, `damaged` when the packed bytes are damaged.
    package func read(_ name: String) throws(DocumentError) -> [UInt8]? {
        guard let entry = try open(name) else { return nil }
        // The directory may lie about the size, so that the file grows as it is read.
        var result: [UInt8] = []
        while let piece = try entry.next() {
            guard result.count + piece.count <= maxEntryBytes else { throw Self.tooLarge(name) }
            result += piece
        }
        return result
    }

    /// Opens a file to be unpacked in pieces, however large it is; nil when the archive has no file of that name.
    ///
    /// - Throws: `encrypted` or `damaged`, as ``read(_:)`` does.
    package func open(_ name: String) throws(DocumentError) -> ZipEntry? {
        guard let index = place(of: name) else { return nil }
        var stat = unsafe zip_stat_t()
        unsafe zip_stat_init(&stat)
        if unsafe zip_stat_index(archive, index, 0, &stat) == 0, unsafe stat.encryption_method != 0 {
            throw DocumentError(.encrypted, "The archive has a password. Make a copy without it.")
        }
        guard let file = unsafe zip_fopen_index(archive, index, 0) else {
            throw DocumentError(.damaged, "\"\(name.prefix(200))\" in the archive cannot be unpacked.")
        }
        return unsafe ZipEntry(file, named: name, in: self)
    }

    /// The unpacked size of a file in bytes as the archive's directory has it, which may lie; 0 for none.
    package func size(of name: String) -> Int {
        guard let index = place(of: name) else { return 0 }
        var stat = unsafe zip_stat_t()
        unsafe zip_stat_init(&stat)
        guard unsafe zip_stat_index(archive, index, 0, &stat) == 0 else { return 0 }
        return unsafe Int(clamping: stat.size)
    }

    /// Counts bytes that were unpacked.
    func spend(_ count: Int, on name: String) throws(DocumentError) {
        budget -= count
        guard budget >= 0 else { throw Self.tooLarge(name) }
    }

    private static func tooLarge(_ name: String) -> DocumentError {
        DocumentError(.tooLarge, "The archive unpacks to more than the limit; \"\(name.prefix(200))\" is too large.")
    }
}
