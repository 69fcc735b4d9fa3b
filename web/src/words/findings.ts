// Translates the findings of a harvest to German: the service writes them in English, in a small number of patterns.

export interface Said {
  text: string;
  /** The language of the text, if it differs from the page's. */
  lang?: "en";
}

const PATTERNS: readonly [RegExp, string][] = [
  [/^a title$/, "ein Titel"],
  [/^an abstract$/, "eine Zusammenfassung von mindestens 100 Zeichen"],
  [/^an extent$/, "eine räumliche Ausdehnung"],
  [/^a period$/, "ein Zeitraum"],
  [/^keywords$/, "Schlagwörter"],
  [/^a contact$/, "ein Kontakt"],
  [/^a licence or constraints$/, "eine Lizenz oder Nutzungsbedingungen"],
  [/^a link$/, "ein Link"],
  [/^a date$/, "ein Datum"],
  [/^abstract: none given, the purpose is used$/, "Zusammenfassung: keine angegeben, der Zweck steht dafür"],
  [/^title: none given, the (.+) is used$/, "Titel: keiner angegeben, dafür steht: $1"],
  [/^identifier: none given, the source's own name for the document is used$/, "Kennung: keine angegeben, der Name des Dokuments in der Quelle steht dafür"],
  [/^dates: left out: (.+)$/, "Datum: weggelassen: $1"],
  [/^extent: an area that the data set excludes was left out$/, "Ausdehnung: ein Gebiet, das der Datensatz ausschließt, wurde weggelassen"],
  [/^extent: latitude and longitude of a (box|polygon) were swapped$/, "Ausdehnung: Breite und Länge waren vertauscht"],
  [/^extent: latitude (\S+) was cut to (\S+)$/, "Ausdehnung: Breite $1 wurde auf $2 gekürzt"],
  [/^extent: longitudes \S+ brought to \S+$/, "Ausdehnung: Längen von 0 bis 360 wurden auf -180 bis 180 gebracht"],
  [/^extent: south and north were swapped$/, "Ausdehnung: Süd und Nord waren vertauscht"],
  [/^extent: polygon left out: (.+)$/, "Ausdehnung: Vieleck weggelassen: $1"],
  [/^extent: left out: (.+)$/, "Ausdehnung: weggelassen: $1"],
  [/^resolution: distance (\S+) (.*)left out$/, "Auflösung: Abstand $1 $2weggelassen"],
  [/^resolution: scale denominator (\S+) left out$/, "Auflösung: Maßstabszahl $1 weggelassen"],
  [/^time: begin and end were swapped$/, "Zeit: Beginn und Ende waren vertauscht"],
  [/^time: begin (.+) read as open$/, "Zeit: Beginn $1 als offen gelesen"],
  [/^time: end (.+) read as open$/, "Zeit: Ende $1 als offen gelesen"],
  [/^time: (.+) read as (.+)$/, "Zeit: $1 als $2 gelesen"],
  [/^time: period left out: its reference system (.+) is not the calendar$/, "Zeit: Zeitraum weggelassen: sein Bezugssystem $1 ist nicht der Kalender"],
  [/^type: (.+) is no scope code, read as dataset$/, "Art: $1 ist keine bekannte Art, als Datensatz gelesen"],
  [/^vertical: extents in other units than (.+) were left out$/, "Höhe: Angaben in anderen Einheiten als $1 wurden weggelassen"],
  [/^vertical: minimum and maximum were swapped$/, "Höhe: kleinste und größte waren vertauscht"],
  [/^xml: bytes that are not UTF-\S+ were read as Windows-\S+$/, "XML: Bytes, die kein UTF-8 sind, wurden als Windows-1252 gelesen"],
  [/^xml: control characters were removed$/, "XML: Steuerzeichen wurden entfernt"],
  [/^the document is empty$/, "das Dokument ist leer"],
  [/^it is a web page, not metadata$/, "eine Webseite statt Metadaten"],
  [/^it is neither XML, JSON nor RDF$/, "weder XML noch JSON noch RDF"],
  [/^it is not well-formed (XML|JSON|RDF): (.+)$/, "kein wohlgeformtes $1: $2"],
  [/^it has neither identifier, title nor abstract$/, "weder Kennung noch Titel noch Zusammenfassung"],
  [/^it declares entities, which are never read$/, "es vereinbart Entitäten; sie werden nie gelesen"],
  [/^its root element is (.+), not (.+)$/, "das Wurzelelement ist $1, nicht $2"],
  [/^no reader knows this format: (.+)$/, "kein Leser kennt dieses Format: $1"],
  [/^no reason given$/, "kein Grund angegeben"],
];

/** The finding in the page's language; unchanged if no pattern matches. */
export function findingText(what: string, language: string): Said {
  if (language !== "de") return { text: what };
  // A finding can start with its format: "iso19139: it is ...".
  const named = /^([a-z0-9_]+): (it |its |the document )/.exec(what);
  const head = named ? `${named[1]}: ` : "";
  const rest = what.slice(head.length);
  const found = PATTERNS.find(([pattern]) => pattern.test(rest));
  return found ? { text: head + rest.replace(found[0], found[1]) } : { text: what, lang: "en" };
}
