// German, for the rooms besides the search.

import type { Reason } from "../types.ts";
import type { rooms as english } from "./rooms.en.ts";

const many = (n: number, one: string, more: string) => (n === 1 ? `1 ${one}` : `${n} ${more}`);
const decimal = (n: number | null | undefined, digits: number) =>
  (n ?? 0).toLocaleString("de", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const percent = (share: number | undefined) => ((share ?? 0) >= 0.01 ? `${Math.round((share ?? 0) * 100)} %` : "weniger als 1 %");
const times = (ratio: number | undefined) =>
  (ratio ?? 0) >= 0.1 ? `das ${decimal(ratio, 1)}-Fache` : `${+((ratio ?? 0) * 100).toPrecision(2)} %`.replace(".", ",");
const asked = ({ place, number, of }: Reason) => (place ? `„${place}“` : "dem gefragten Gebiet") + (of ? ` (${number} von ${of})` : "");
const period = ({ start, end }: Reason) => `${start ?? "…"} bis ${end ?? "heute"}`;
const WHERE: Record<string, string> = {
  bm25: "Wörter im Datensatz", passage_bm25: "Wörter in seinen Dokumenten",
  dense: "Bedeutung des Datensatzes", passage_dense: "Bedeutung einer Textstelle",
};
const KINDS: Record<string, string> = {
  observation: "Beobachtung", simulation: "Simulation", projection: "Projektion", reanalysis: "Reanalyse",
  derived: "abgeleitet", unknown: "unbekannt",
};
const SILENT: Record<string, string> = {
  spatial: "sagt nichts über sein Gebiet", temporal: "sagt nichts über seine Zeit",
  resolution: "sagt nichts über seine Auflösung", kind: "seine Art ist unbekannt",
};

const UNITS: Record<string, [string, string]> = {
  s: ["jede Sekunde", "Sekunden"], m: ["jede Minute", "Minuten"], h: ["jede Stunde", "Stunden"],
  d: ["jeden Tag", "Tage"], w: ["jede Woche", "Wochen"],
};

export const rooms: typeof english = {
  key: {
    label: "Schlüssel oder Token",
    use: "Verwenden",
    help: "Er bleibt in diesem Tab und geht nur an diesen Dienst.",
    forget: "Schlüssel vergessen",
    needed: "Dafür braucht es einen Schlüssel",
  },
  reasons: {
    score: (r, signal) => `${WHERE[signal] ?? signal}: ${decimal(r.raw, 2)}, der beste Treffer hat ${decimal(r.best, 2)}`,
    cosine: (r, signal) => `${WHERE[signal] ?? signal}: Kosinus ${decimal(r.raw, 3)}, der beste Treffer hat ${decimal(r.best, 3)}`,
    read: (r) => `zusammen mit der Frage gelesen: ${decimal(r.raw, 2)} von 1`,
    outside_place: (r) => `liegt außerhalb von ${asked(r)}, ${decimal(r.distance_deg, 1)} Grad entfernt (Hausdorff)`,
    stands_back: () => "liegt ganz außerhalb des gefragten Gebiets: steht hinter dem zurück, was darin liegt",
    inside_place: (r) => `liegt in ${asked(r)}`,
    covers_place: (r) => `deckt ${percent(r.share)} von ${asked(r)} ab; die eigene Fläche ist ${times(r.area_ratio)} davon`,
    recency: (r) => `wie neu: ${decimal(r.raw, 2)} von 1`,
    inside_period: (r) => `${percent(r.share)} seiner Zeit liegen in ${period(r)}`,
    outside_period: (r) => `liegt außerhalb von ${period(r)}`,
    covers_period: (r) => `deckt ${percent(r.share)} von ${period(r)} ab`,
    resolution_expected: (r) => `${own(r)}, verglichen mit dem, was ein Gebiet dieser Größe braucht`,
    resolution_asked: (r) => `${own(r)} gegenüber ${[r.asked_m == null ? "" : `${r.asked_m} m`, ...(Array.isArray(r.asked) ? r.asked : [])].filter(Boolean).join(", ")}`,
    kind: (r) => `${KINDS[r.own ?? ""] ?? r.own}, gefragt ist ${KINDS[String(r.asked)] ?? r.asked}`,
    unknown: (r, signal) => `${SILENT[signal] ?? "sagt nichts darüber"}: zählt als ${decimal(r.counted, 2)}`,
    not_read: () => "nicht unter denen, die mit der Frage gelesen wurden: trägt nichts bei",
    not_measured: () => "nicht gemessen: trägt nichts bei",
  },
  answers: {
    title: "Die Dokumente fragen",
    help: "Die Antwort stammt aus Textstellen in Dokumenten. Jede Zahl öffnet die Stelle hinter dem Satz.",
    label: "Ihre Frage",
    placeholder: "Wie wurde der Niederschlag gemessen?",
    ask: "Fragen",
    more: "Weiterfragen",
    anew: "Neue Frage",
    scope: "Suchen in",
    scopes: { public: "öffentlichen Dokumenten", mine: "meinen Dokumenten", both: "beiden" },
    looking: "Textstellen werden gesucht …",
    writing: "Die Antwort wird geschrieben …",
    done: "Die Antwort ist da.",
    extractive: "Wörtlich aus den Dokumenten zitiert; kein Sprachmodell ist beteiligt.",
    refused: "Keine Textstelle beantwortet das.",
    refusedHelp: "Fragen Sie mit anderen Wörtern, genauer, oder nach etwas, das in den Dokumenten steht.",
    degraded: (names) => `Beantwortet ohne ${names}; eine bessere Stelle kann deshalb fehlen.`,
    unsupported: "wird von der angeführten Stelle nicht belegt",
    cites: (n) => `Textstelle ${n} zeigen`,
    passages: (n) => many(n, "Textstelle", "Textstellen"),
    toRecord: "Zum Datensatz",
    pages: (first, last) => (first === last ? `Seite ${first}` : `Seiten ${first} bis ${last}`),
    relevance: (n) => `zu ${n} % passend`,
  },
  library: {
    title: "Meine Dokumente",
    help: "PDF, Word, HTML und Text. Nur Sie finden sie: in der Suche in Ihren Dokumenten und in Antworten.",
    add: "Dokumente hinzufügen",
    drop: "Dateien wählen oder hierher ziehen",
    sending: (name, n) => `${name}: ${n} % gesendet`,
    sent: (name) => `${name}: gesendet, wird gelesen`,
    notSent: (name, why) => `${name}: ${why}`,
    clear: "Diese Liste leeren",
    references: "Über BibTeX oder DOI hinzufügen",
    referencesHelp: "BibTeX oder eine DOI je Zeile. Sonde holt die Datei, wo das geht; sonst laden Sie sie später hoch.",
    import: "Hinzufügen",
    search: "Suche in Titeln, Namen, Autoren, Zeitschriften",
    find: "Suchen",
    state: "Zustand",
    anyState: "jeder",
    states: {
      waiting: "wartet auf seine Datei", queued: "in der Schlange", parsing: "wird gelesen", embedding: "wird indexiert",
      ready: "bereit", failed: "gescheitert",
    },
    found: (n) => many(n, "Dokument", "Dokumente"),
    empty: "Hier ist noch nichts.",
    nothing: "Kein Dokument passt.",
    name: "Dokument",
    facts: (pages, passages) =>
      [pages === undefined ? "" : many(pages, "Seite", "Seiten"), passages === undefined ? "" : many(passages, "Textstelle", "Textstellen")]
        .filter(Boolean)
        .join(", "),
    progress: (done, total, unit) =>
      unit === "pages" ? `${done} von ${many(total, "Seite", "Seiten")} gelesen` : `${done} von ${many(total, "Textstelle", "Textstellen")} indexiert`,
    file: "Datei",
    fileOf: (name) => `Die Datei ${name} holen`,
    remove: "Löschen",
    removeOf: (name) => `${name} löschen`,
    really: "Wirklich löschen?",
    more: "Mehr zeigen",
    quota: (used, all) => `${used} von ${all} belegt`,
    ask: "Meine Dokumente fragen",
  },
  harvest: {
    stewards: "Für Datenverantwortliche",
    stewardsHelp: "Ein Schlüssel mit dem Recht admin zeigt Läufe, Ablehnungen und Zeitpläne der Quellen.",
    noSchedule: "Der Broker ist ausgefallen; nächste Läufe und Pausen sind deshalb unbekannt.",
    onDemand: "nur auf Anforderung",
    every: (interval) => {
      const [, count, unit] = /^(\d+)([smhdw])$/.exec(interval) ?? [];
      const [each, more] = UNITS[unit ?? ""] ?? [];
      return each ? (count === "1" ? each : `alle ${count} ${more}`) : `alle ${interval}`;
    },
    cron: (line) => `${line} (cron, UTC)`,
    notConfigured: "nicht in sources.yaml",
    next: (when) => `nächster Lauf ${when}`,
    paused: { file: "in sources.yaml angehalten", steward: "angehalten" },
    never: "nie geerntet",
    last: (when) => `letzter Lauf ${when}`,
    states: {
      running: "läuft", complete: "vollständig", failed: "gescheitert", interrupted: "unterbrochen",
      refused_removal: "abgebrochen: Zu viele Datensätze würden entfernt",
    },
    silent: "der Arbeiter meldet sich nicht",
    counts: {
      seen: "gesehen", new: "neu", changed: "geändert", moved: "verschoben", same: "unverändert", refused: "abgelehnt",
      failed: "gescheitert", removed: "entfernt", duplicates: "doppelt", warned: "mit Warnungen",
      without_vector: "ohne Vektor",
    },
    runNow: "Jetzt ernten",
    runNowOf: (title) => `${title} jetzt ernten`,
    queued: "In der Schlange; der Lauf erscheint, sobald ein Arbeiter ihn beginnt.",
    pause: "Anhalten",
    pauseOf: (title) => `Den Zeitplan von ${title} anhalten`,
    resume: "Fortsetzen",
    resumeOf: (title) => `Den Zeitplan von ${title} fortsetzen`,
    details: "Läufe, Ablehnungen, Qualität",
    detailsOf: (title) => `Läufe, Ablehnungen und Qualität von ${title}`,
    trend: (n, last, refused) =>
      `Die letzten ${many(n, "Lauf", "Läufe")}, ältester zuerst; der letzte sah ${last} und lehnte ${refused} ab.`,
    runsTitle: "Läufe",
    began: "Beginn",
    outcome: "Ergebnis",
    full: "alles",
    changesOnly: "nur Änderungen",
    showRun: "Was geschah",
    showRunOf: (when) => `Was im Lauf vom ${when} geschah`,
    refusedTitle: (n) => `Abgelehnt: ${n}`,
    failedTitle: (n) => `Nicht gespeichert: ${n}`,
    kept: "die frühere Fassung bleibt auffindbar",
    warningsTitle: "Warnungen",
    nothingRefused: "Nichts wurde abgelehnt.",
    tookTitle: "Zeit",
    stages: {
      fetch: "Holen", wait: "Warten auf die Quelle", parse: "Lesen", segment: "Zerlegen", plan: "Vergleichen", embed: "Einbetten",
      commit: "Schreiben", sweep: "Aufräumen",
    },
    qualityTitle: "Qualität der Metadaten",
    measure: "Jetzt messen",
    measuring: "Jeder Datensatz wird angesehen …",
    completeness: (records, n) => `${many(records, "Datensatz", "Datensätze")}, im Mittel zu ${n} % vollständig`,
    noRecords: "Kein Datensatz dieser Quelle ist auffindbar.",
    missing: "Fehlt",
    repaired: "Repariert oder weggelassen",
    couldNotBeRead: "Nicht lesbar",
    brokenLinks: "Kaputte Links",
    nothingMissing: "Nichts fehlt.",
    saveReport: "Den Bericht als Seite speichern",
    allSources: "Alle Quellen",
    gone: "Diese Quelle gibt es nicht",
  },
};

function own({ own_m }: Reason): string {
  if (own_m == null) return "seine Ausdehnung oder sein Zeitschritt";
  return own_m >= 1000 ? `${(+(own_m / 1000).toPrecision(2)).toLocaleString("de")} km` : `${decimal(own_m, own_m < 10 ? 1 : 0)} m`;
}
