import GatewayAPI
import Testing

@testable import Chat

/// The names of models that answer from notes, and what their APIs say.
@Suite struct NotesModelNames {
    @Test(
        arguments: [
            ("notes", .notes, nil), ("Notes:latest", .notes, nil), ("notes+llama3.2:3b", .notes, "llama3.2:3b"),
            ("notes+claude/opus", .notes, "claude/opus"), ("notes+hf.co/a/b+c:q4", .notes, "hf.co/a/b+c:q4"),
            ("notes:harbour", .thread("harbour"), nil), ("notes:12:latest", .thread("12"), nil),
            ("notes:harbour+qwen3:0.6b", .thread("harbour"), "qwen3:0.6b"), ("book:Dune", .book("dune"), nil),
            ("book:dune+a", .book("dune"), "a"), ("notes:a:b", .thread("a:b"), nil),
        ] as [(String, NotesModelName.Subject, String?)])
    func `a name says what answers, and which model writes`(
        _ name: String, _ subject: NotesModelName.Subject, _ model: String?
    ) {
        let read = NotesModelName(name)
        #expect(read?.subject == subject && read?.model == model)
    }

    @Test(arguments: [
        "", "note", "notesx", "notes+", "notes:", "book", "book:", "book:latest", "books:dune", "my-notes", "a/notes",
        "llama3.2", "+notes", "notes:+llama", ":notes",
    ])
    func `other names are of other models`(_ name: String) { #expect(NotesModelName(name) == nil) }

    @Test func `a name that is too long is no name`() {
        #expect(NotesModelName("notes:" + String(repeating: "x", count: 600)) == nil)
    }

    @Test(
        arguments: [
            ("Harbour Works!", "harbour-works"), ("  Über   Müller ", "über-müller"), ("C++ & Rust", "c-rust"),
            ("???", ""), ("", ""), ("Der Mann ohne Eigenschaften", "der-mann-ohne-eigenschaften"), ("1984", "1984"),
        ])
    func `a title becomes a part of a name`(_ title: String, _ slug: String) {
        #expect(NotesModelName.slug(of: title) == slug)
    }

    @Test func `long titles are cut between words, and endless words at 60 letters`() {
        let words = NotesModelName.slug(of: String(repeating: "harbour ", count: 40))
        #expect(words.count <= 60 && words.hasSuffix("-harbour"))
        #expect(NotesModelName.slug(of: String(repeating: "x", count: 200)).count == 60)
    }

    @Test func `every entry of a list has a name that finds it`() {
        let entries: [(id: Int64, title: String)] = [
            (1, "Gauge"), (2, "gauge!"), (3, "???"), (4, "1984"), (5, "Harbour Works"), (6, "Harbour"), (7, "latest"),
        ]
        let names = NotesModels.names("notes", entries)
        #expect(
            names == [
                "notes:gauge", "notes:gauge-2", "notes:3", "notes:1984-4", "notes:harbour-works", "notes:harbour",
                "notes:latest-7",
            ])
        for (name, entry) in zip(names, entries) {
            guard case .thread(let word)? = NotesModelName(name)?.subject else {
                Issue.record("\(name)")
                continue
            }
            #expect(NotesModels.find(word, among: entries) == entry.id, "\(name)")
        }
        #expect(NotesModels.find("5", among: entries) == 5)
        #expect(NotesModels.find("1984", among: entries) == 4)
        #expect(NotesModels.find("harb", among: entries) == nil && NotesModels.find("none", among: entries) == nil)
        #expect(NotesModels.find("harbour", among: [(1, "Harbour One"), (2, "Harbour Two")]) == nil)
        #expect(NotesModels.find("harbour", among: [(1, "Harbour One"), (2, "Gauge")]) == 1)
    }
}

/// What a client sends again of an answer.
@Suite struct ResentAnswers {
    private static let answer = "The gauge was repaired [1]. "
    private static let sources = AnswerSources.heading + "[1] gauge, 2026-01-01"

    @Test(
        arguments: [
            (answer, answer, false, true), (answer, answer + sources, false, true),
            (answer, "The gauge was repaired [1].", false, true), (answer, "\n" + answer + sources + "\n", false, true),
            (answer, "The gauge was", false, false), (answer, "The gauge was", true, true), (answer, "", true, false),
            (answer, "Something else.", true, false), (answer, answer + " And more.", false, false),
            // A model may write such a list itself.
            (answer + sources, answer + sources + sources, false, true),
            (answer + sources, answer + sources, false, true),
            ("", "", false, true),
        ])
    func `it is the same with its sources, without white space around it, and cut where it was stopped`(
        _ text: String, _ sent: String, _ isCut: Bool, _ isSame: Bool
    ) {
        #expect(ResentConversation.isSame(text, sent, isCut: isCut) == isSame)
    }
}

/// The sources behind an answer.
@Suite struct AnswerSourceLists {
    private func run(_ text: String, _ citations: [ChatCitation], withheld: [Int64] = []) -> ChatRun {
        var run = ChatRun(id: "r", session: "s", question: "q", kind: "ask", model: "m", createdAt: "")
        var record = ChatRecord()
        record.passages = [
            ChatPassage(
                number: 1, note: 7, title: "gauge", date: "2026-05-01", text: "t", range: 0..<1, source: "search"),
            ChatPassage(
                number: 2, book: 3, page: 42, label: "40", lastPage: 42, title: "Tides", text: "t", range: 0..<1,
                offsets: nil, source: "search"),
            ChatPassage(number: 3, note: 9, title: "unused", date: "", text: "t", range: 0..<1, source: "search"),
        ]
        (record.citations, record.withheld) = (citations, withheld)
        (run.text, run.record) = (text, record)
        return run
    }

    @Test func `cited passages are listed once, by number, and citations are placed in scalars`() {
        let text = "Über [2] und [1], 👩‍👧 [1]."
        let markers = text.ranges(of: #/\[\d\]/#).map {
            text[..<$0.lowerBound].utf8.count..<text[..<$0.upperBound].utf8.count
        }
        let numbers = [2, 1, 1]
        let citations = zip(markers, numbers).map {
            ChatCitation(marker: $0, number: $1, note: nil, verdict: .supported)
        }
        let sources = AnswerSources(of: run(text, citations), base: "http://h")
        #expect(sources.text == "\n\nSources:\n[1] gauge, 2026-05-01\n[2] Tides, p. 40")
        #expect(
            sources.citations.map(\.address) == ["http://h/#/books/3/p/42", "http://h/#/notes/7", "http://h/#/notes/7"])
        let scalars = Array(text.unicodeScalars)
        for (citation, number) in zip(sources.citations, numbers) {
            #expect(String(String.UnicodeScalarView(scalars[citation.range])) == "[\(number)]")
        }
    }

    @Test func `an invented number and a damaged place are left out, and private notes are told of`() {
        let citations = [
            ChatCitation(marker: 0..<1, number: 8, note: nil, verdict: .invented),
            ChatCitation(marker: 0..<999, number: 1, note: 7, verdict: .supported),
        ]
        #expect(AnswerSources(of: run("No.", citations), base: "").text == "")
        #expect(
            AnswerSources(of: run("No.", [], withheld: [1, 2]), base: "").text
                == "\n\nSources:\nNot sent to this model, because they are private: 2 notes.")
    }
}

/// The marks around notes.
@Suite struct SessionFenceMarks {
    @Test func `a session keeps its mark, and no other session or process has it`() {
        let (fences, others) = (SessionFences(), SessionFences())
        #expect(fences.fence(of: "tides") == fences.fence(of: "tides"))
        #expect(fences.fence(of: "tides") != fences.fence(of: "tide"))
        #expect(fences.fence(of: "tides") != others.fence(of: "tides"))
        #expect(fences.fence(of: "").wholeMatch(of: #/=====[0-9a-z]{6,}=====/#) != nil)
    }
}
