// Words of capture in English. Loaded with its view.
export const words = {
  "capture.text": "Note", "capture.title": "Title", "capture.title.hint": "The first line, if empty", "capture.tags.hint": "Without any, words with # count",
  "capture.save": "Save the note", "capture.change": "Save the change", "capture.list": "Notes that wait", "capture.now": "Send now", "capture.arrived": "Saved:",
  "capture.waiting": { one: "{n} note is on its way to the gateway.", other: "{n} notes are on their way to the gateway." },
  "capture.waiting.offline": { one: "The gateway cannot be reached. {n} note waits in this browser.", other: "The gateway cannot be reached. {n} notes wait in this browser." },
  "capture.refused": "refused: {reason}", "capture.edit": "Edit {title}", "capture.discard": "Discard", "capture.discard.long": "Discard {title}", "capture.discarded": "Discarded: {title}",
  "capture.gone": "The note has arrived meanwhile and was not changed. Your text is kept as a new note.", "capture.full": "Too many notes wait. Send some first.",
  "capture.unkept": "This browser can keep nothing, so the note was not saved. The text stays here.", "capture.book": "Add the page to the books",
};
