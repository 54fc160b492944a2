import Folders
import SourceRoom
import Text

/// A file that is there and not as it was when it was read.
struct Changed: Sendable {
    var path: FilePath
    var sign: FileSign
    var known: StoredSourceFile?
}

/// What differs between the files of a folder and what is known of them. Both are in the order of their paths' bytes.
struct FolderDifference: Sendable {
    private(set) var changed: [Changed] = []
    /// Files that are not there and were, or whose notes are on their way to the bin.
    private(set) var gone: [StoredSourceFile] = []
    /// Files that somebody may still be writing.
    private(set) var unsettled: [FilePath] = []

    init(_ listing: FolderWalk.Listing, _ known: [StoredSourceFile], now: Int64) {
        var place = 0
        for file in listing.files {
            while place < known.count, FilePath(known[place].path) < file.path {
                miss(known[place], listing)
                place += 1
            }
            var row: StoredSourceFile?
            if place < known.count, FilePath(known[place].path) == file.path {
                row = known[place]
                place += 1
            }
            if let row, row.sign == file.sign, row.state == .there || (row.state == .gone && row.problem != nil) {
                continue
            }
            // The time of a change is the system's own, so it is not ahead but by an error of the clock.
            let age = now &- file.sign.changed
            if age >= 0, age < FolderLook.settleTime {
                unsettled.append(file.path)
            } else {
                changed.append(Changed(path: file.path, sign: file.sign, known: row))
            }
        }
        for row in known[place...] { miss(row, listing) }
    }

    private mutating func miss(_ row: StoredSourceFile, _ listing: FolderWalk.Listing) {
        // What is below a folder that cannot be read is unknown, not gone.
        let path = FilePath(row.path)
        guard row.state != .gone, !listing.faults.contains(where: { path.isWithin($0.path) }) else { return }
        gone.append(row)
    }
}

extension StoredSourceFile {
    var sign: FileSign { FileSign(size: size, modified: modified, changed: changed) }
}
