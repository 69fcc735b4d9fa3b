// <sonde-search>: the search in a frame of another page. Attributes: `query` (parameters of the search), `lang`, `height`.

const BASE = new URL("../", import.meta.url);
const HEIGHT_PX = 640;
const HIGHEST_PX = 20_000;

class SondeSearch extends HTMLElement {
  static readonly observedAttributes = ["query", "lang"];
  readonly #frame = document.createElement("iframe");

  connectedCallback(): void {
    this.#frame.title = this.title || "Search";
    this.#frame.style.cssText = `display: block; width: 100%; border: 0; height: ${Number(this.getAttribute("height")) || HEIGHT_PX}px`;
    this.#frame.src = this.#address();
    (this.shadowRoot ?? this.attachShadow({ mode: "open" })).replaceChildren(this.#frame);
    addEventListener("message", this.#resized);
  }

  disconnectedCallback(): void {
    removeEventListener("message", this.#resized);
  }

  attributeChangedCallback(): void {
    if (this.isConnected && this.#frame.src) this.#frame.src = this.#address();
  }

  #address(): string {
    const address = new URL(`embed?${this.getAttribute("query") ?? ""}`, BASE);
    if (this.lang) address.searchParams.set("lang", this.lang);
    return address.href;
  }

  /** As high as its content, unless the page gives a height. Only messages of the own frame count. */
  readonly #resized = (event: MessageEvent<{ "sonde:height"?: unknown } | null>): void => {
    const height = event.data?.["sonde:height"];
    if (event.source !== this.#frame.contentWindow || event.origin !== BASE.origin || typeof height !== "number") return;
    if (!this.hasAttribute("height")) this.#frame.style.height = `${Math.min(height, HIGHEST_PX)}px`;
  };
}

customElements.define("sonde-search", SondeSearch);
