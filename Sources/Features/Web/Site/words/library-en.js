// Words of books, threads and notes in English. Loaded with the first of these views.
export const words = {
  "books.search": "Search books", "books.none": "No books yet", "books.none.text": "Add PDF, EPUB, Word, HTML, Markdown or text files, or the address of a page. Then ask about them and read what an answer cites.",
  "books.unfound": "No book matches.", "books.offline": "The gateway cannot be reached. Books are read from there.",
  "book.title": "Title", "book.private": "private", "book.private.help": "Private: only models on this machine may read it", "book.source": "From: {source}", "book.ask": "Ask this book", "book.export": "Save the text",
  "book.remove": "Remove from the library", "book.removed": "Removed: {title}", "book.gone": "This book is no longer in the library.", "book.tools": "With this book",
  "book.state.pending": "Waiting to be read", "book.state.parsing": "Reading the file", "book.state.embedding": "Preparing the search", "book.state.failed": "The import failed.", "book.state.ready": "Ready",
  "book.parsing.of": "Reading: {n} of {of}", "book.embedding.of": "Preparing the search: {n} of {of} passages. Words can be found already.",
  "format.pdf": "PDF", "format.epub": "EPUB", "format.docx": "Word", "format.html": "Web page", "format.markdown": "Markdown", "format.text": "Text", "pages.n": { one: "{n} page", other: "{n} pages" }, "pages.list": "pages {list}",
  "import": "Add a book", "import.pick": "Choose files", "import.formats": "PDF, EPUB, Word, HTML, Markdown or text. Files may also be dropped onto the list.", "import.url": "Or the address of a page", "import.url.hint": "https://", "import.add": "Add",
  "import.shared": "Add “{name}” ({size})?", "import.drop": "Drop to add to the library", "import.running": "Being sent", "import.sending": "Sending {size}", "import.known": "Already in the library: {title}", "import.dismiss": "Dismiss",
  "import.too_large": "The file is larger than this gateway accepts.", "import.unknown_format": "This kind of file cannot be read. PDF, EPUB, Word, HTML, Markdown and text can.", "import.no_space": "The gateway's disk is full.",
  "import.unreachable": "The gateway cannot be reached. The file was not sent.", "import.private_address": "This address is not public. The gateway fetches public addresses only.", "import.not_text": "There is no text at this address.",
  "page": "Page", "pages": "Pages", "page.before": "Previous page", "page.after": "Next page", "page.go": "Go to page", "page.of": "of {of}", "page.place": "page {n} of {of}", "page.estimated": "estimated", "page.unknown": "There is no page {page}.",
  "mark": "Cited:", "chat.back": "Back to the chat", "contents": "Contents", "contents.none": "This book has no headings.", "contents.to": "Shown up to your reading position.", "contents.whole": "Shown beyond your reading position.", "contents.all": "Show all", "contents.less": "Show less",
  "find": "Find", "find.hint": "Words in this book", "find.none": "Not found.", "find.n": { one: "Found {n} time", other: "Found {n} times" }, "find.later": { one: "{n} more after your reading position", other: "{n} more after your reading position" }, "find.show": "Show",
  "position": "Reading position", "position.short": "Read to page {page} ({percent}%)", "position.at": "You have read to page {page} ({percent}%). Answers use nothing beyond it.", "position.none": "No reading position: answers may use the whole book.",
  "position.here": "I have read to here", "position.clear": "Remove the limit", "position.set": "Read to page {page}", "position.cleared": "No reading position: answers may use the whole book.",
};
