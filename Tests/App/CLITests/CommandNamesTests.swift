import GatewayTestSupport
import Testing

@testable import CLI

/// The command that a person meant.
@Suite struct NamesOfCommands {
    @Test(arguments: [
        (["note", "show", "1"], ["notes", "show", "1"]), (["key"], ["keys"]), (["memory"], ["memory"]),
        (["searchs", "x"], ["search", "x"]), (["search", "note"], ["search", "note"]), ([], []),
        (["--help"], ["--help"]), (["serve"], ["serve"]),
    ])
    func `singular and plural are one name`(given: [String], expected: [String]) {
        #expect(CommandNames.corrected(given) == expected)
    }

    @Test(
        arguments: [
            (["serch", "tides"], "serch", "selene search"), (["books", "lst"], "lst", "selene books list"),
            (["keys", "creat", "phone"], "creat", "selene keys create"), (["backfil"], "backfil", "selene backfill"),
            (["xyzzyplugh"], "xyzzyplugh", nil),
        ] as [([String], String, String?)])
    func `a misspelt name has the nearest one`(arguments: [String], given: String, meant: String?) throws {
        let suggestion = try #require(CommandNames.suggestion(for: arguments))
        #expect(suggestion.given == given && suggestion.meant == meant)
    }

    @Test func `what is spelt right has no suggestion`() {
        for arguments in [["search", "--limit", "x"], ["books", "list", "--nope"], ["--nope"], []] {
            #expect(CommandNames.suggestion(for: arguments) == nil, "\(arguments)")
        }
    }

    @Test func `the program says it in one line`() async throws {
        let home = try SeleneHome()
        let wrong = try await home.run(["serch", "tides"])
        #expect(
            wrong.status == 64
                && wrong.errors == "selene: there is no command `serch`; did you mean `selene search`?\n", "\(wrong)")
        let odd = try await home.run(["xyzzyplugh"])
        #expect(odd.status == 64 && odd.errors.contains("`selene --help` lists all"), "\(odd)")
        let nested = try await home.run(["books", "lst"])
        #expect(nested.status == 64 && nested.errors.contains("did you mean `selene books list`?"), "\(nested)")
        #expect(try await home.run(["key", "list"]).status == 0)
        // A word that is an argument of a command is none of its commands.
        #expect(try await home.run(["search", "harbour", "--mode", "keyword"]).status == 0)
    }
}
