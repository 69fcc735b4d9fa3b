// The forms of /docs: sends what they say to the service and shows the answer.

const LONGEST = 20_000;

for (const form of document.querySelectorAll<HTMLFormElement>("form.try")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
}
document.querySelector(".api-key")?.addEventListener("submit", (event) => event.preventDefault());
openNamed();
addEventListener("hashchange", openNamed);

/** Opens the operation that the address names. */
function openNamed(): void {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
  named?.scrollIntoView();
}

async function send(form: HTMLFormElement): Promise<void> {
  const place = form.querySelector<HTMLElement>(".answer");
  if (place === null) return;
  const { url, options } = requestOf(form);
  place.textContent = `${form.dataset.method} ${url} …`;
  try {
    const answer = await fetch(url, options);
    show(place, `${answer.status} ${answer.headers.get("content-type") ?? ""}`, url, await answer.text());
  } catch (error) {
    place.textContent = String(error);
  }
}

/** Empty fields are left out; a path is relative to the page's base. */
function requestOf(form: HTMLFormElement): { url: string; options: RequestInit } {
  const query = new URLSearchParams();
  const headers = new Headers({ Accept: "application/json, application/geo+json, */*;q=0.5" });
  const key = document.querySelector<HTMLInputElement>("#api-key")?.value.trim();
  if (key) headers.set("Authorization", `Bearer ${key}`);
  const options: RequestInit = { method: form.dataset.method ?? "GET", headers };
  let path = (form.dataset.path ?? "").slice(1);
  for (const field of form.querySelectorAll<HTMLInputElement>("[data-in]")) {
    const { name, value, dataset } = field;
    if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === "") continue;
    else if (dataset.in === "query") query.append(name, value);
    else if (dataset.in === "header") headers.set(name, value);
    else if (dataset.in === "body") {
      headers.set("Content-Type", dataset.type ?? "application/json");
      options.body = value;
    }
  }
  return { url: `./${path}${query.size ? `?${query}` : ""}`, options };
}

function show(place: HTMLElement, said: string, url: string, text: string): void {
  const line = document.createElement("p");
  const link = document.createElement("a");
  [link.href, link.textContent] = [url, url.slice(1)];
  line.append(`${said} `, link);
  const body = document.createElement("pre");
  body.tabIndex = 0;
  body.setAttribute("role", "region");
  body.setAttribute("aria-label", said);
  body.textContent = indented(text).slice(0, LONGEST);
  place.replaceChildren(line, body);
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
