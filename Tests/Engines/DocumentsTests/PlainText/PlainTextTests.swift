import Foundation
import TestSupport
import Testing

@testable import Documents

@Suite struct PlainText {
    func read(_ text: String) throws -> Document {
        let document = try DocumentReader.read(Array(text.utf8), name: "a.txt")
        expectPromises(document, "\(text.prefix(40))")
        return document
    }

    static let filler = String(
        repeating: "The tide comes in twice a day, and nobody has ever seen it hurry. ", count: 12)

    @Test func paragraphs() throws {
        let text = "  One\nline two \n \nThree.\n\n\n\tFour\n"
        let document = try read(text)
        #expect(document.text == text)
        #expect(document.blockTexts == ["One\nline two", "Three.", "Four"])
        #expect(document.numbering == .estimated)
    }

    @Test func longLinesAreParagraphs() throws {
        #expect(try read(Self.filler + "\n" + Self.filler).blocks.count == 2)
    }

    @Test func formFeedsArePages() throws {
        let document = try read("One.\u{C}Two.\n\u{C}\u{C}Four.\u{C}\n")
        #expect(document.numbering == .physical)
        #expect(document.pages.map { document.text($0.range) } == ["One.\n", "Two.\n\n", "\n", "Four.\n\n"])
    }

    @Test func headings() throws {
        let filler = Self.filler
        let document = try read(
            """
            A TALE

            Contents

            Chapter 1

            Chapter 2

            Chapter 3

            PART ONE

            CHAPTER I.

            The Problem

            \(filler)

            Chapter 2. Of Ships

            \(filler)

            Chapter two tells of ships that never came home.

            Chapter 3: Home

            \(filler)

            PART TWO

            Epilogue

            \(filler)
            """)
        #expect(
            document.headings.map { "\($0.level) \($0.title)" } == [
                "1 PART ONE", "2 CHAPTER I. The Problem", "2 Chapter 2. Of Ships", "2 Chapter 3: Home", "1 PART TWO",
                "2 Epilogue",
            ])
    }

    @Test func numbersAreHeadingsOnlyInOrder() throws {
        let filler = Self.filler
        let roman = try read("I\n\nThe Start\n\n\(filler)\n\nII\n\nThe End\n\n\(filler)")
        #expect(roman.headings.map(\.title) == ["I: The Start", "II: The End"])
        #expect(roman.text(roman.headings[0].range) == "I\n\nThe Start")
        #expect(try read("1. Eggs\n\n2. Milk\n\n3. Flour\n\n\(filler)").headings.isEmpty)
        #expect(try read("I\n\n\(filler)\n\nV. Title\n\n\(filler)").headings.isEmpty)
    }

    @Test(
        arguments: [
            ("mix", nil), ("I", 1), ("iv", 4), ("MCM", nil), ("XLIX", 49), ("IIII", nil), ("XC", 90), ("CCCXCIX", 399),
            ("", nil),
        ] as [(String, Int?)])
    func romanNumbers(_ text: String, _ value: Int?) { #expect(HeadingLine.roman(text) == value) }

    @Test(.slow) func theFirstWordAloneRulesOutNoHeading() {
        let words = [
            "Chapter", "CHAPTER", "chapter.", "part", "Prologue", "prologue:", "Avant-propos", "Acknowledgements",
            "XII", "xii.", "I", "i'm",
            "IV)", "3", "3.", "Letter", "Kapitel", "Capítulo", "préface", "Préface.", "第三章", "Глава", "a", "the",
            "Mixed", "civil", "—", "(Part",
            "one", "Two", "Act,", "act!", "x\u{301}", "Book\u{A0}I", "",
        ]
        var generator = SeededGenerator(7)
        for round in 0..<20_000 {
            let line = (0..<(1 + round % 4)).map { _ in words.randomElement(using: &generator) ?? "" }.joined(
                separator: " ")
            if !HeadingLine.mayBegin(line.utf8) { #expect(HeadingLine(reading: line) == nil, "\(line)") }
            #expect(
                HeadingLine(line) == HeadingLine(reading: line) || line.utf8.count > HeadingLine.maxBytes, "\(line)")
        }
    }

    @Test func romanNumbersRoundTrip() {
        for value in 1..<400 {
            var (rest, text) = (value, "")
            for (worth, letters) in [
                (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
            ] {
                while rest >= worth { (rest, text) = (rest - worth, text + letters) }
            }
            #expect(HeadingLine.roman(text) == value)
        }
    }

    @Test func gutenbergHeader() throws {
        let document = try read(
            "The Project Gutenberg eBook of X\n\nTitle: X and Y\n\nAuthor: Z\n\nLanguage: German\n\nText.")
        #expect(document.title == "X and Y")
        #expect(document.authors == ["Z"])
        #expect(document.language == "de")
    }

    @Test func otherLineEndsAndControls() throws {
        let document = try read("\u{FEFF}One\r\nTwo\rThree\u{0}\u{1B}\u{85}Cafe\u{301}\u{2028}x\ty")
        #expect(document.text.unicodeScalars.elementsEqual("One\nTwo\nThree  \nCafé\nx\ty".unicodeScalars))
    }

    @Test func emptyFiles() {
        for text in ["", " \n\t", "\u{FEFF}", "\u{C}"] {
            #expect(throws: DocumentError.self) { try read(text) }
        }
    }

    @Test func limits() throws {
        var limits = DocumentLimits()
        limits.textBytes = 101
        let long = try DocumentReader.read(Array(String(repeating: "ü", count: 900).utf8), limits: limits)
        expectPromises(long, "cut")
        #expect(long.text.utf8.count == 100)
        #expect(long.notices.map(\.code) == [.cut])
        limits = DocumentLimits()
        limits.pages = 3
        let pages = try DocumentReader.read(Array(String(repeating: "Page.\u{C}", count: 9).utf8), limits: limits)
        expectPromises(pages, "pages")
        #expect(pages.pages.count == 3)
        #expect(pages.notices.map(\.code) == [.cut])
        limits.fileBytes = 10
        #expect(throws: DocumentError.self) { try DocumentReader.read(Array("12345678901".utf8), limits: limits) }
    }

    /// The question sets give byte ranges of their files.
    @Test(.slow) func questionSetsKeepTheirOffsets() throws {
        for set in ["hound", "fairytale-val", "chunk-spans"] {
            for path in Shared.files("books/\(set)/books", "txt") {
                let file = try #require(Shared.file(path))
                let document = try DocumentReader.read(file, name: path)
                expectPromises(document, "\(path)")
                #expect(Array(document.text.utf8) == file, "\(path)")
                #expect(document.notices.isEmpty, "\(path)")
            }
        }
    }

    @Test func chaptersOfANovel() throws {
        guard let file = Shared.file("books/hound/books/hound.txt") else { return }
        let document = try DocumentReader.read(file, name: "hound.txt")
        let sections = Shared.lines("books/hound/sections.jsonl").compactMap { $0["title"] as? String }
        #expect(document.headings.count == sections.count)
        for (heading, title) in zip(document.headings, sections) { #expect(heading.title.hasSuffix(": " + title)) }
    }

    @Test(.slow) func anyTextKeepsThePromises() throws {
        var random = SeededGenerator(3)
        let pieces = [
            "word ", "\n", "\n\n", "Chapter 1\n\n", "II\n\n", "\u{C}", "é", "e\u{301}", "\u{301}", "\r", "\u{0}", "潮。",
            "👩‍👩‍👧‍👦", "1. Item\n\n", Self.filler, String(repeating: "x", count: 5000),
        ]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let document = try? DocumentReader.read(Array(text.utf8), name: "a.txt") else { continue }
            expectPromises(document, "random")
        }
    }
}
