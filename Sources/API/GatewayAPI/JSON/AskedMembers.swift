/// A member of a text that its decoder does not know.
package struct UnknownMember: Error {
    /// The path of the object with the member, and the name of the member.
    package let path: [any CodingKey]
    /// The names that the object may have, in alphabetical order.
    package let known: [String]
    /// Whether the name is known and given a second time. The first of several values would count.
    package let isRepeated: Bool
}

/// Records which members of each object a decoder asked for, so that those it does not know can be refused.
///
/// Objects that are taken whole, as a ``JSONValue`` or a dictionary, may have any members. Used by one decoder at a time.
final class AskedMembers {
    private struct Object {
        let path: JSONPath
        var names: Set<String> = []
        var takesAll = false
    }
    /// The decoded objects by the index of their node.
    private var objects: [Int: Object] = [:]

    /// Records that an object is read member by member.
    func opened(_ index: Int, at path: JSONPath) {
        if objects.index(forKey: index) == nil { objects[index] = Object(path: path) }
    }

    /// Records that a member was asked for, whether it is present or not.
    func asked(for name: String, of index: Int) { objects[index]?.names.insert(name) }

    /// Records that the members were listed.
    func askedForAll(of index: Int) { objects[index]?.takesAll = true }

    /// The first member, in the order of the text, that was not asked for.
    func firstUnknown(in document: JSONDocument, but tolerated: Set<String>) -> UnknownMember? {
        for (index, object) in objects.sorted(by: { $0.key < $1.key }) where !object.takesAll {
            var seen: Set<String> = []
            var places = document.children(of: index)
            while let place = places.next(), places.next() != nil {
                guard let name = document.text(at: place) else { continue }
                let isKnown = object.names.contains(name)
                if isKnown, seen.insert(name).inserted { continue }
                if !isKnown, index == 0, tolerated.contains(name) { continue }
                return UnknownMember(
                    path: object.path.keys + [JSONKey(stringValue: name)], known: object.names.sorted(),
                    isRepeated: isKnown)
            }
        }
        return nil
    }
}
