const sonde = process.env.SONDE_URL ?? "http://localhost:8080";
const asked = new URLSearchParams({ q: "rainfall in southern Africa since 1990", bbox: "10,-36,52,0", limit: 3 });
const answer = await fetch(`${sonde}/search?${asked}`);
const found = await answer.json();
if (!answer.ok) throw new Error(found.detail ?? found.title);
console.log(found["sonde:total"], "records");
for (const hit of found.features) {
  console.log(hit["sonde:score"].toFixed(2), hit.properties.title);
}
