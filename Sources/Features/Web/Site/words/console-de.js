// Wörter der Konsole auf Deutsch. Werden mit ihr geladen.
export const words = {
  "console.version": "Version {version}, läuft seit {span}", "console.days": "{days} T {hours} Std.", "console.hours": "{hours} Std. {minutes} Min.", "console.forbidden": "Die Konsole braucht einen Schlüssel mit dem Bereich admin.", "console.offline": "Das Gateway ist nicht erreichbar. Die Zahlen sind die von vorher.",
  "console.requests": "Anfragen je Sekunde", "console.requests.of": "{total} insgesamt, {failed} gescheitert", "console.tokens": "Tokens je Sekunde", "console.tokens.of": "{n} erzeugt", "console.queue": "Wartend", "console.queue.of": "{n} von {of} Plätzen belegt",
  "console.memory": "Speicher", "console.connections": "{n} von {of} Verbindungen", "console.upstreams": "Upstreams", "console.name": "Name", "console.state": "Zustand", "console.healthy": "gesund", "console.unhealthy": "gestört", "console.running": "Laufend", "console.models": "Geladene Modelle",
  "console.keys": "Schlüssel", "console.requests.n": "Anfragen", "console.refused": "Abgelehnt", "console.tokens.n": "Tokens", "console.used": "Zuletzt genutzt", "console.jobs": "Aufträge", "console.kind": "Art", "console.done": "Erledigt", "console.begun": "Begonnen", "console.message": "Meldung", "console.none": "Keine.",
  "job.running": "läuft", "job.done": "fertig", "job.failed": "gescheitert", "job.cancelled": "abgebrochen", "job.interrupted": "unterbrochen",
};
