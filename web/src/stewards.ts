// The views for stewards in one script, which readers of the search never load.

export { DeskView } from "./desk/deskView.tsx";
export { RecordPanel } from "./desk/recordPanel.tsx";
export { SourcesView } from "./sources/sourcesView.tsx";
export { SourceView } from "./sources/sourceView.tsx";
