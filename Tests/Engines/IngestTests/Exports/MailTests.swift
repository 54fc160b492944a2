import Foundation
import Ingest
import TestSupport
import Testing

/// Letters in mbox files.
@Suite struct MailTests {
    static let letters = #"""
        From ada@example.org Mon Jan 15 10:00:00 2024
        From: =?UTF-8?Q?Ada_L=C3=B6velace?= <ada@example.org>
        To: Bob <bob@example.org>,
         Cy <cy@example.org>
        Subject: =?utf-8?B?VGlkZXMgw6Q=?= =?utf-8?Q?_and_moons?=
        Date: Mon, 15 Jan 2024 10:00:00 +0100
        Message-ID: <1@example.org>
        X-Gmail-Labels: Inbox,"boat",Category updates
        MIME-Version: 1.0
        Content-Type: multipart/mixed; boundary="out;er"

        no text
        --out;er
        Content-Type: multipart/alternative; boundary=inner

        --inner
        Content-Type: text/html; charset=utf-8

        <p>rich</p>
        --inner
        Content-Type: text/plain; charset=iso-8859-1
        Content-Transfer-Encoding: quoted-printable

        caf=E9 at the=
         pier
        --inner--
        --out;er
        Content-Type: image/png; name="=?utf-8?Q?m=C3=A4p.png?="
        Content-Transfer-Encoding: base64

        iVBORw0KGgo=
        --out;er
        Content-Type: application/pdf
        Content-Disposition: attachment; filename*0*=utf-8''tide%20; filename*1*=table.pdf

        x
        --out;er--

        From bob@example.org Tue Jan 16 10:00:00 2024
        From: bob@example.org
        Subject: Re
        Date: Tue, 16 Jan 2024 10:00:00 GMT
        Message-ID: <2@example.org>
        Content-Type: text/html
        Content-Transfer-Encoding: base64

        PGgxPkhlYWQ8L2gxPjxwPlNlZSA8YSBocmVmPSJodHRwczovL2V4YW1wbGUub3JnIj50aGlzPC9h
        PjwvcD4=

        From nobody
        Subject: From
        Date: soon

        one
        From here on, it is text.

        >From there, too.
        >>From far.

        """#

    @Test func `headers, parts, encodings and quoted From lines are read`() throws {
        let read = try ExportHome.read("mail.mbox", Self.letters)
        #expect(read.format == .mbox && read.problems.isEmpty)
        #expect(read.notes.map(\.title) == ["Tides ä and moons", "Re", "From"])
        #expect(
            read.notes.map(\.content) == [
                "From: Ada Lövelace <ada@example.org>\nTo: Bob <bob@example.org>, Cy <cy@example.org>\n\n"
                    + "café at the pier\n\nFiles: mäp.png, tide table.pdf",
                "From: bob@example.org\n\n# Head\n\nSee [this](https://example.org)",
                "one\nFrom here on, it is text.\n\nFrom there, too.\n>From far.",
            ])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15T10:00:00+01:00", "2024-01-16 10:00:00", nil])
        #expect(read.notes.map(\.externalID).prefix(2) == ["mbox:1@example.org", "mbox:2@example.org"])
        #expect(read.notes.map(\.tags) == [["boat"], [], []])
        #expect(read.notes.map(\.warnings) == [[], [], ["its date \"soon\" was not understood"]])
        #expect(read.notes.map(\.location) == ["mail.mbox:1", "mail.mbox:2", "mail.mbox:3"])
        let windows = try ExportHome.read("mail.mbox", Self.letters.replacing("\n", with: "\r\n"))
        #expect(windows.notes.map(\.content) == read.notes.map(\.content))
    }

    @Test func `one letter is a file, too, and what has no headers is none`() throws {
        let letter = try ExportHome.read("a.eml", "Subject: One\n\ntext\n")
        #expect(letter.format == .mbox && letter.notes.map(\.content) == ["text"])
        let read = try ExportHome.read("a.mbox", "From x\n\nno headers\n\nFrom y\nSubject: Two\n\n\nFrom z\nX: y\n\n")
        #expect(read.notes.map(\.title) == ["Two"])
        #expect(
            read.problems.map(\.reason) == ["is not a letter: it has no headers", "has neither a subject nor a text"])
    }

    @Test func `parts within parts without end are bounded, and cut encodings give what is whole`() throws {
        var deep = "text"
        for level in 0..<40 {
            deep = "Content-Type: multipart/mixed; boundary=b\(level)\n\n--b\(level)\n\(deep)\n--b\(level)--\n"
        }
        let nested = try ExportHome.read("a.eml", "Subject: Deep\n" + deep)
        #expect(nested.notes.map(\.warnings) == [["has more parts than are read; the rest is left out"]])
        let many =
            "Subject: Many\nContent-Type: multipart/mixed; boundary=b\n\n"
            + String(repeating: "--b\n\nx\n", count: 3000)
        #expect(try ExportHome.read("a.eml", many).notes.map(\.warnings.count) == [1])
        let cut = "Subject: =?utf-8?B?Y2Fmw6k\nContent-Transfer-Encoding: base64\n\nY2Fmw6kx="
        #expect(try ExportHome.read("a.eml", cut).notes.map(\.content) == ["café1"])
        #expect(try ExportHome.read("a.eml", cut).notes.map(\.title) == ["=?utf-8?B?Y2Fmw6k"])
    }

    @Test(.slow) func `a large file is read letter by letter`() throws {
        let letter = "From x\nSubject: S\n\n\(String(repeating: "line\n", count: 200))\n"
        let long = "From x\nSubject: L\n\n" + String(repeating: "x", count: 65 << 20) + "\n\n"
        let read = try ExportHome.read("a.mbox", String(repeating: letter, count: 5000) + long + letter)
        #expect(read.notes.count == 5001)
        #expect(read.problems.map(\.reason) == ["letter 5001 is larger than \(64 << 20) bytes"])
    }
}
