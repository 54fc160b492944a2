import GatewayAPI

extension TaskRecord {
    /// The task with its link to Things: to the task there, or to a form that adds it.
    var withThingsLink: TaskRecord {
        var task = self
        if let id = thingsTaskID, !id.isEmpty {
            task.thingsLink = "things:///show?id=" + Self.escaped(id)
        } else if let title, !title.isEmpty {
            task.thingsLink =
                "things:///add?title=" + Self.escaped(title) + (due.map { "&deadline=" + Self.escaped($0) } ?? "")
        }
        return task
    }

    /// Percent-encodes all bytes but the unreserved ones of RFC 3986.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var result = ""
        for byte in text.utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~".utf8.contains(byte)
            if isPlain {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return result
    }
}
