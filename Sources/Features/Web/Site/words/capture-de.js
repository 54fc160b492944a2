// Words of capture in German. Loaded with its view.
export const words = {
  "capture.text": "Notiz", "capture.title": "Titel", "capture.title.hint": "Sonst die erste Zeile", "capture.tags.hint": "Ohne Angabe zählen Wörter mit #",
  "capture.save": "Notiz speichern", "capture.change": "Änderung speichern", "capture.list": "Wartende Notizen", "capture.now": "Jetzt senden", "capture.arrived": "Gespeichert:",
  "capture.waiting": { one: "{n} Notiz ist auf dem Weg zum Gateway.", other: "{n} Notizen sind auf dem Weg zum Gateway." },
  "capture.waiting.offline": { one: "Das Gateway ist nicht erreichbar. {n} Notiz wartet in diesem Browser.", other: "Das Gateway ist nicht erreichbar. {n} Notizen warten in diesem Browser." },
  "capture.refused": "abgelehnt: {reason}", "capture.edit": "{title} bearbeiten", "capture.discard": "Verwerfen", "capture.discard.long": "{title} verwerfen", "capture.discarded": "Verworfen: {title}",
  "capture.gone": "Die Notiz ist inzwischen angekommen und wurde nicht geändert. Dein Text bleibt als neue Notiz erhalten.", "capture.full": "Zu viele Notizen warten. Sende erst einige.",
  "capture.unkept": "Dieser Browser kann nichts aufbewahren, die Notiz wurde nicht gespeichert. Der Text bleibt hier.", "capture.book": "Die Seite zu den Büchern legen",
};
