// Reads a record's provenance from the API (PROV-O in JSON-LD) for drawing.

export interface Origin {
  derivedFrom: Node[];
  generatedBy: Node[];
  attributedTo: Node[];
  harvested: string | null;
}

export interface Node {
  text: string;
  href: string | null;
}

type Json = Record<string, unknown>;

/** Null if the graph has no origin of the record. */
export function originOf(document: Json): Origin | null {
  const graph = asList(document["@graph"]);
  const entity = graph[0];
  if (!entity) return null;
  const metadata = graph.find((node) => "prov:generatedAtTime" in node);
  const harvested = asList(metadata?.["prov:generatedAtTime"])[0]?.["@value"];
  const origin = {
    derivedFrom: nodes(entity["prov:wasDerivedFrom"]),
    generatedBy: nodes(entity["prov:wasGeneratedBy"]),
    attributedTo: nodes(entity["prov:wasAttributedTo"]),
    harvested: typeof harvested === "string" ? harvested : null,
  };
  const says = origin.derivedFrom.length + origin.generatedBy.length + origin.attributedTo.length > 0;
  return says || origin.harvested ? origin : null;
}

function nodes(value: unknown): Node[] {
  return asList(value)
    .map((node) => {
      const href = typeof node["@id"] === "string" ? node["@id"] : null;
      const label = node["rdfs:label"] ?? node["dct:title"] ?? href;
      return { text: typeof label === "string" ? label : "", href };
    })
    .filter((node) => node.text !== "");
}

function asList(value: unknown): Json[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((one): one is Json => typeof one === "object" && one !== null);
}
