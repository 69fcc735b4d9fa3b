// Made by `npm run api-types` from the OpenAPI document. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What is asked, of which passages, and what was said before. */
        AskBody: {
            /** @description As for `/search`: only records of that place. */
            bbox?: string;
            /** @description Only the documents of this collection: public ones and its owner's. Replaces `scope`. */
            collection?: string;
            /** @description Keep question and answer: in a new conversation, or in one that the caller has. */
            conversation?: "new" | string;
            /** @description As for `/search`. */
            datetime?: string;
            document?: string;
            /** @description Only these documents. */
            documents?: string[];
            keyword?: string[];
            question: string;
            /** @description Only passages of this record's documents. */
            record?: string;
            /**
             * @description `mine` and `both` need a token.
             * @enum {string}
             */
            scope?: "public" | "mine" | "both";
            /** @description methods, results, ... */
            section_role?: string[];
            source?: string[];
            /** @description Server-sent events; so does `Accept: text/event-stream`. */
            stream?: boolean;
            /** @description Minimum relevance of a passage. */
            threshold?: number;
            /** @description Number of passages to read. */
            top_k?: number;
            /** @description Earlier turns, oldest first. */
            turns?: components["schemas"]["EarlierTurn"][];
        };
        /** @description The records of a catalogue, counted by indicator. */
        CatalogueFairness: {
            catalogue: string;
            /** @description Each with `id`, `principle`, `priority`, `question`, `advice`, and of how many of the records that were looked at it `holds`, `fails`, and was `notMeasured`. */
            indicators: {
                [key: string]: unknown;
            }[];
            links: {
                [key: string]: unknown;
            }[];
            /** @description All records, or a random part of a large catalogue. */
            lookedAt: number;
            /** @description The DOI of the model. */
            model: string;
            records: number;
        };
        /**
         * @description The answer, its sentences with what they cite, and the passages it was made from.
         *
         *     A passage of the kind `record` is the abstract of a record and has no `document`; `href` opens what it is from.
         */
        CitedAnswer: {
            answer: string;
            /** @description Where it is kept, if it was asked for. */
            conversation?: string;
            degraded: string[];
            language: string | null;
            /** @description Of a refusal: the search for the same question. */
            links?: {
                [key: string]: unknown;
            }[];
            /** @enum {string} */
            mode: "model" | "extractive" | "refusal";
            /** @description Of a refusal: the best passages below the threshold. */
            near_misses: {
                [key: string]: unknown;
            }[];
            passages: {
                [key: string]: unknown;
            }[];
            refused: boolean;
            sentences: {
                [key: string]: unknown;
            }[];
            took_ms: {
                [key: string]: number;
            };
        };
        /** @description A new collection. Its documents are the caller's own or public ones. */
        CollectionBody: {
            description?: string;
            documents?: string[];
            /** @description Groups of the caller whose members may read these documents, too. */
            groups?: string[];
            name: string;
        };
        /** @description What is sent replaces what was there; `add` and `remove` change the documents one by one. */
        CollectionChange: {
            add?: string[];
            description?: string;
            documents?: string[];
            groups?: string[];
            name?: string;
            remove?: string[];
        };
        /** @description One change. */
        CurationChange: {
            action: string;
            id: string;
            kind: string;
            rule: string;
        };
        /** @description The lines that count now, and those that do not, with what is wrong with them. */
        CurationTaken: {
            accepted: {
                [key: string]: unknown;
            }[];
            /** @description Overlays that count from the next harvest on, because one is under way. */
            later: string[];
            refused: {
                [key: string]: unknown;
            }[];
        };
        /** @description Each question with the records that move among its first ten; the mean nDCG@10 of the judged ones. */
        CurationTried: {
            ndcg_after: number | null;
            ndcg_before: number | null;
            questions: {
                [key: string]: unknown;
            }[];
        };
        /** @description One document. Columns without a value are left out. */
        DocumentBody: {
            /** @description What its owner set. */
            edited?: string[];
            id: string;
            links?: {
                [key: string]: unknown;
            }[];
            /** @description Why it failed, for people. */
            message?: string;
            name?: string;
            /** @description While it is read or embedded, once a part is done. */
            progress?: components["schemas"]["ProgressBody"];
            /** @description Why it failed, for machines. */
            reason?: string;
            /** @description It failed; POST to `/library/documents/{id}/retry` reads it again. */
            retry?: boolean;
            /** @description `waiting` for its file, in progress, `ready`, or `failed`. */
            state?: "waiting" | "queued" | "parsing" | "embedding" | "ready" | "failed" | "deleted";
            title?: string;
        };
        /** @description A document that can be read now. */
        DocumentOfCollection: {
            id: string;
            links: {
                [key: string]: unknown;
            }[];
            private: boolean;
            title: string;
        };
        /** @description A question asked before, and its answer. */
        EarlierTurn: {
            answer?: string;
            question: string;
        };
        /** @description Saved searches, the last round of matching, and deliveries by channel and state. */
        InsightAlerts: {
            deliveries: {
                [key: string]: unknown;
            }[];
            round: {
                [key: string]: unknown;
            } | null;
            searches: number;
        };
        /** @description What a steward looks at beside a record. */
        InsightRecord: {
            /** @description Of its links, those that failed at the last check. */
            broken_links: string[];
            /** @description 0 to 1, as in the quality report of its source. */
            completeness: number;
            hidden: {
                [key: string]: unknown;
            };
            missing: string[];
            /** @description Questions of five people or more whose askers opened it. */
            questions: {
                [key: string]: unknown;
            }[];
            repaired: string[];
        };
        /** @description Sums over all questions. */
        InsightSummary: {
            asked: number;
            by: {
                [key: string]: unknown;
            };
            /** @description What is kept of a question: off, counts or full. */
            keep: string;
            over_time: {
                [key: string]: unknown;
            }[];
        };
        /** @description A judgement, as `sonde judge` gives them: 0 not relevant to 3 exactly what was asked for. */
        JudgedPair: {
            grade: number;
            question: string;
            record: string;
        };
        /** @description A page of the library, and the remaining space. */
        Library: {
            documents: components["schemas"]["DocumentBody"][];
            links: {
                [key: string]: unknown;
            }[];
            numberMatched: number;
            numberReturned: number;
            quota: components["schemas"]["QuotaBody"];
        };
        /** @description A collection. `own`: the caller may change it; `gone`: documents that were deleted or are hidden now. */
        LibraryCollection: {
            created: string;
            description: string;
            documents?: components["schemas"]["DocumentOfCollection"][];
            gone?: number;
            groups: string[];
            id: string;
            links: {
                [key: string]: unknown;
            }[];
            name: string;
            numberOfDocuments: number;
            own: boolean;
            updated: string;
        };
        /** @description The caller's collections, and those that are shared with the caller's groups. */
        LibraryCollections: {
            collections: components["schemas"]["LibraryCollection"][];
            /** @description The caller's own groups, with which a collection can be shared. */
            groups: string[];
            links: {
                [key: string]: unknown;
            }[];
        };
        /** @description Questions and answers, oldest first, as `/ask` takes and gives them. */
        LibraryConversation: {
            created: string;
            id: string;
            links: {
                [key: string]: unknown;
            }[];
            numberOfTurns: number;
            title: string;
            turns?: {
                [key: string]: unknown;
            }[];
            updated: string;
        };
        /** @description The documents of a reference list, and what could not be read of it. */
        LibraryImported: {
            documents: components["schemas"]["DocumentBody"][];
            links: {
                [key: string]: unknown;
            }[];
            numberMatched: number;
            numberReturned: number;
            problems: components["schemas"]["ProblemBody"][];
        };
        /** @description Whether the schedule of a source is paused. */
        PauseBody: {
            paused: boolean;
        };
        /** @description A part of the list that is no reference. */
        ProblemBody: {
            line?: number;
            message: string;
        };
        /** @description The progress of a document in its present state. */
        ProgressBody: {
            done: number;
            total: number;
            /**
             * @description `pages` while it is read, `passages` while embedded.
             * @enum {string}
             */
            unit: "pages" | "passages";
        };
        /** @description The totals of the caller's documents, and the limits; bytes are those of the files. */
        QuotaBody: {
            bytes: number;
            documents: number;
            most_bytes: number;
            most_documents: number;
        };
        /** @description What a user sends. */
        SavedSearch: {
            /** @description `false` pauses it. */
            active?: boolean;
            /** @description Whether changed records are told too, or only new ones. */
            changes?: boolean;
            /**
             * @description A digest each day, or each week on Monday.
             * @enum {string}
             */
            every?: "day" | "week";
            /** @description Of its mails. Default: `Accept-Language`, or as before. */
            language?: "en" | "de" | "fr" | "es" | "it" | "pt";
            /** @description Told by mail, once the address is confirmed. */
            mail?: string;
            /** @description The parameters of `GET /search`; those of its presentation are left. */
            search: components["schemas"]["SearchParameters"];
            title: string;
            /** @description Told by a signed POST (CloudEvents). */
            webhook?: string;
        };
        /** @description A saved search as it is kept. */
        SavedSearchKept: {
            active: boolean;
            changed: string;
            changes: boolean;
            created: string;
            every: string;
            /** @description An Atom feed that needs no key: keep its address to yourself. */
            feed: string;
            id: string;
            /** @description Of its mails. */
            language: string;
            mail: string | null;
            mail_confirmed: boolean;
            /** @description Why it tells nothing now. */
            problem: string | null;
            /** @description What is asked: the parameters of `GET /search`. */
            search: {
                [key: string]: unknown;
            };
            title: string;
            webhook: string | null;
            /** @description Signs each POST (Standard Webhooks). */
            webhook_secret: string | null;
        };
        /** @description A GeoJSON FeatureCollection (OGC API - Records items), best hit first. */
        SearchAnswer: {
            /** @description Records with `sonde:score`, `sonde:signals` and, if meaning judged the hit, `sonde:relevance`: how probable it is that the record answers the question, 0 to 1. `sonde:estimatedBoxes` of a record without an extent are places that its title names. `sonde:supersededBy`, only where a newer version is known: `id` and `title` of the newest record that the search found, or the `href` that the metadata state. */
            features: {
                [key: string]: unknown;
            }[];
            links: {
                [key: string]: unknown;
            }[];
            /** @description Hits that you can page through: at most 1,000. */
            numberMatched: number;
            numberReturned: number;
            /** @description The original question, if its corrected form was answered. */
            "sonde:correctedFrom"?: string;
            /** @description What this answer goes without: signals that were down (`dense`, `cross_encoder`), and parts of the question that could not be read (`understanding.place`, `understanding.time`, ...), and other catalogues that did not answer (`federation.ID`). */
            "sonde:degraded": string[];
            /** @description A better spelling. */
            "sonde:didYouMean"?: string;
            /** @description Only if requested. */
            "sonde:facets"?: {
                [key: string]: unknown;
            };
            /** @description With `distributedSearch`: each catalogue that was asked, `numberReturned` of it, and in `folded` our hits that it has too. Its hits are in `features` with `sonde:origin`, not in `numberMatched`. */
            "sonde:federated"?: {
                [key: string]: unknown;
            }[];
            /** @description What was read from the question. A place with `source` "catalogue" is a name from the titles of this catalogue, not of the gazetteer: `records` says how many have it, and `bbox` where most of them lie. */
            "sonde:interpretation": {
                [key: string]: unknown;
            };
            /** @description What to tell the visitor: `code` and an English `text`; only if there is something. `nothing_about_topic`: no record is about the topic; the text says whether each hit is from the place or time of the question. `nothing_there`: no hit of the page lies in the asked place, or none in the asked time. `weak_matches`: `sonde:relevance` of each hit of the page is low. `offer_missing`: no hit of the page states a format or licence of the question. `flow_unknown`: "upstream of" a place is read as around it. */
            "sonde:notes"?: {
                [key: string]: unknown;
            }[];
            "sonde:took_ms": {
                [key: string]: number;
            };
            /** @description How many records match, each copy of a data set counted; facets count the same records. */
            "sonde:total": number;
            /**
             * @description The total is exact.
             * @constant
             */
            "sonde:totalRelation"?: "exact";
            /** @description Words of the topic that no record contains, in small letters; only if there are any. */
            "sonde:unknownWords"?: string[];
            type?: string;
        };
        /** @description Parameters of ``GET /search``. Several values of one filter mean any of them. */
        SearchParameters: {
            /**
             * @description `sbert` is another name for `dense`.
             * @enum {string}
             */
            algorithm?: "hybrid" | "bm25" | "dense" | "sbert";
            /**
             * @description west,south,east,north in degrees WGS 84; west > east crosses the antimeridian.
             * @example 10,-35,41,-8
             */
            bbox?: number[];
            /**
             * @description The part of the world that the facet `cell` counts, as west,south,east,north. It filters nothing.
             * @example -10,35,30,60
             */
            cell_area?: number[];
            /** @description The grid of the facet `cell`: cells of 180/2^level degrees. Without it, and at most: the finest with 2048 cells in the area. The facet's `level` tells which one was counted. */
            cell_level?: number;
            /** @description From the `next` link. */
            cursor?: string;
            /**
             * @description An instant or `start/end`, ISO 8601, `..` for an open end.
             * @example 1990-01-01/..
             */
            datetime?: string;
            /** @description Whether the catalogues that the operator chose are asked too; they get the question. Their best hits are merged into the first page by rank, each with its `sonde:origin`. Filters: `bbox`, `place`, `datetime` only. */
            distributedSearch?: boolean;
            /**
             * @description Whether to move further records of a series down, so that they do not fill a page.
             * @enum {string}
             */
            diversity?: "on" | "off";
            /**
             * @description Whether to search synonyms and narrower terms too, with low weight.
             * @enum {string}
             */
            expand?: "on" | "off";
            /** @description Explain the rank of each hit. */
            explain?: boolean;
            /** @description `atom`: the search as a feed to subscribe to; `csv`: a table; `bibtex`, `ris`, `csl`: citations; `html`: the search page. The header `Link` leads to the next page. Without it a caller that would rather have HTML than JSON gets the page. */
            f?: "json" | "atom" | "csv" | "bibtex" | "ris" | "csl" | "html";
            /**
             * @description Facets to count, or `all`: all but `person`, `cell` and `year`, which have hundreds of values.
             * @example type,decade,region
             */
            facets?: ("type" | "source" | "organisation" | "keyword" | "theme" | "provenance" | "licence" | "format" | "decade" | "region" | "platform" | "instrument" | "project" | "variable" | "processing_level" | "person" | "cell" | "year")[];
            /**
             * Format: separated
             * @description The ids of the catalogues to ask; without it all.
             */
            federatedCatalogs?: string[];
            /** @description CQL2 over the queryables of /collections/all/queryables. */
            filter?: string;
            /** @enum {string} */
            "filter-lang"?: "cql2-text" | "cql2-json";
            /** @description Distribution format, in upper or lower case. */
            format?: string[];
            /**
             * @description An area as WKT or GeoJSON, in place of `bbox`.
             * @example POLYGON((10 40, 20 40, 15 50, 10 40))
             */
            geometry?: string;
            /**
             * @description `identity` shows the same data set of several sources, formats or versions once, as the best of its records.
             * @enum {string}
             */
            group?: "identity" | "none";
            /** @description Show where the words were found. */
            highlight?: boolean;
            /** @description How far the search may go on; with 0 or 1 no other catalogue is asked. */
            hopCount?: number;
            /** @description Instrument, complete, in any case. */
            instrument?: string[];
            /** @description all, none, or a list of place,time,relation,scale,kind,names,terms,conditions. */
            interpret?: string;
            /** @description A complete keyword, in any case. */
            keyword?: string[];
            licence?: string[];
            limit?: number;
            /** @description Media type of one of the record's links. */
            media_type?: string[];
            /** @description A contact's organisation, complete, in any case. */
            organisation?: string[];
            /**
             * @description A contact or author, complete, in any case: `Ada Lovelace` or `Lovelace, Ada`. Repeat it for several. A service may refuse it, to protect people.
             * @example Konrad Steffen
             */
            person?: string[];
            /** @description A place name; its box filters like `bbox`. */
            place?: string;
            /** @description Satellite, ship, station or mission, complete, in any case. */
            platform?: string[];
            /**
             * @description Level of processing: `L2A`.
             * @example L2A
             */
            processing_level?: string[];
            /** @description Project or campaign, complete, in any case. */
            project?: string[];
            /** @description Kind of product. */
            provenance?: ("observation" | "simulation" | "projection" | "reanalysis" | "derived" | "unknown")[];
            /**
             * @description The question, in plain words.
             * @example rainfall in southern Africa
             */
            q?: string;
            /** @description Relation of the record to the area: `within` is inside it, `contains` covers it. */
            relation?: "intersects" | "within" | "contains" | "disjoint" | "near" | "north_of" | "south_of" | "east_of" | "west_of";
            /** @description Whether late interaction, and a cross-encoder if one is named, rank the best hits. */
            rerank?: boolean;
            /**
             * @description `mine`: the caller's documents; `both`: documents and records. Needs a key.
             * @enum {string}
             */
            scope?: "public" | "mine" | "both";
            /**
             * @description The order of the hits that can be paged, instead of the best first: `-updated`, `+title`, ... (the sortables of `/collections/all/sortables`). Records without it come last.
             * @example -updated
             */
            sortby?: string;
            /**
             * Format: separated
             * @description Ids of harvested catalogues.
             */
            source?: string[];
            /**
             * @description How place ranks; `hausdorff` orders the best hits by distance only.
             * @enum {string}
             */
            spatial?: "blend" | "hausdorff" | "off";
            /**
             * @description `auto` answers the question with corrected spelling if the correction is certain: no record has the word as typed, and a very similar one is common. `sonde:correctedFrom` then holds the original question.
             * @enum {string}
             */
            spelling?: "auto" | "off";
            /** @enum {string} */
            temporal?: "on" | "off";
            /**
             * Format: separated
             * @description Topic category.
             */
            theme?: string[];
            /**
             * Format: separated
             * @description dataset, series, service, document, ...
             */
            type?: string[];
            /** @description The question is still being typed: the query log does not note it. Ask again without `typed` what the user stays with. */
            typed?: boolean;
            /** @description Measured or modelled quantity, complete, in any case. */
            variable?: string[];
        };
        /** @description What to harvest now. */
        StartBody: {
            /** @description Id of a source of sources.yaml. */
            source: string;
        };
        /** @description Questions, judged or not, and those of the query log; together at most 50. */
        TryBody: {
            judgements?: components["schemas"]["JudgedPair"][];
            questions?: string[];
            /** @description And so many of the last week's most asked. */
            recent?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AskBody = components['schemas']['AskBody'];
export type CatalogueFairness = components['schemas']['CatalogueFairness'];
export type CitedAnswer = components['schemas']['CitedAnswer'];
export type CollectionBody = components['schemas']['CollectionBody'];
export type CollectionChange = components['schemas']['CollectionChange'];
export type CurationChange = components['schemas']['CurationChange'];
export type CurationTaken = components['schemas']['CurationTaken'];
export type CurationTried = components['schemas']['CurationTried'];
export type DocumentBody = components['schemas']['DocumentBody'];
export type DocumentOfCollection = components['schemas']['DocumentOfCollection'];
export type EarlierTurn = components['schemas']['EarlierTurn'];
export type InsightAlerts = components['schemas']['InsightAlerts'];
export type InsightRecord = components['schemas']['InsightRecord'];
export type InsightSummary = components['schemas']['InsightSummary'];
export type JudgedPair = components['schemas']['JudgedPair'];
export type Library = components['schemas']['Library'];
export type LibraryCollection = components['schemas']['LibraryCollection'];
export type LibraryCollections = components['schemas']['LibraryCollections'];
export type LibraryConversation = components['schemas']['LibraryConversation'];
export type LibraryImported = components['schemas']['LibraryImported'];
export type PauseBody = components['schemas']['PauseBody'];
export type ProblemBody = components['schemas']['ProblemBody'];
export type ProgressBody = components['schemas']['ProgressBody'];
export type QuotaBody = components['schemas']['QuotaBody'];
export type SavedSearch = components['schemas']['SavedSearch'];
export type SavedSearchKept = components['schemas']['SavedSearchKept'];
export type SearchAnswer = components['schemas']['SearchAnswer'];
export type SearchParameters = components['schemas']['SearchParameters'];
export type StartBody = components['schemas']['StartBody'];
export type TryBody = components['schemas']['TryBody'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
