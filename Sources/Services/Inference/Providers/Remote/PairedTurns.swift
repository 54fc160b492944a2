/// Gives each call of a conversation an id and a result, as providers with ids require.
///
/// Calls of other providers may lack ids, and an interrupted conversation may lack results.
enum PairedTurns {
    /// The result of a call that was never carried out.
    static let missingResult = "The call was not carried out."

    private struct Pending {
        var given: String
        var id: String
        var name: String
    }

    /// Returns the conversation with ids of 1 to 64 ASCII letters, digits, `_` and `-`, and with a result for each
    /// call, right after it. Results without a call become text of the user.
    static func pair(_ turns: [ChatTurn]) -> [ChatTurn] {
        var paired: [ChatTurn] = []
        var pending: [Pending] = []
        var count = 0
        func close() {
            for call in pending {
                paired.append(.toolResult(id: call.id, name: call.name, text: missingResult, isError: true))
            }
            pending = []
        }
        for turn in turns {
            guard case .toolResult(let id, let name, let text, let isError) = turn else {
                close()
                guard case .assistant(var reply) = turn else {
                    paired.append(turn)
                    continue
                }
                var ids: Set<String> = []
                for index in reply.calls.indices {
                    count += 1
                    let call = reply.calls[index]
                    let fresh = isID(call.id) && ids.insert(call.id).inserted ? call.id : "call_\(count)"
                    reply.calls[index].id = fresh
                    pending.append(Pending(given: call.id, id: fresh, name: call.name))
                }
                paired.append(.assistant(reply))
                continue
            }
            let place =
                pending.firstIndex { $0.given == id && (!id.isEmpty || $0.name == name) } ?? pending.indices.first
            if let place {
                let call = pending.remove(at: place)
                paired.append(.toolResult(id: call.id, name: call.name, text: text, isError: isError))
            } else {
                paired.append(.user("Result of \(name): \(text)"))
            }
        }
        close()
        return paired
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
    }
}
