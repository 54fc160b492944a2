import GatewayAPI
import Testing

@Suite struct PageCursors {
    @Test func `cursors are read back, and other texts are none`() {
        for cursor in [
            PageCursor(0, 1), PageCursor(-5, .min, .max), PageCursor(7, id: "a_x ü/%"), PageCursor(1, id: ""),
        ] {
            #expect(PageCursor(text: cursor.text) == cursor)
        }
        for text in ["", "_", "x", "a", "1_", "1_xzz", "1_x0", "1_xff", "1__2", String(repeating: "1_", count: 2000)] {
            #expect(PageCursor(text: text) == nil, "\(text)")
        }
    }
}
