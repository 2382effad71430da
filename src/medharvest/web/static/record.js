// The record page: highlights the evidence of a field and labels zones; all of it also by key.
import { actionOf, ask, say, swap, token } from "./app.js";
import { leave, open } from "./drafts.js";

const frame = document.querySelector("iframe.evidence");
const desk = document.querySelector(".desk");

const fields = () => [...document.querySelectorAll(".field")].filter((field) => field.checkVisibility());
const current = () => document.querySelector(".field.current") ?? fields()[0];

function choose(field, { focus = true } = {}) {
  if (!field) return;
  for (const other of fields()) other.classList.toggle("current", other === field);
  if (focus) field.querySelector("[data-main]")?.focus();
  field.scrollIntoView({ block: "nearest" });
  light(field);
}

// Zones of this page that print a field, and what they print; the paths of another page would mean other zones here.
const printedIn = (field) => JSON.parse(field?.dataset.evidence || "{}")[desk.dataset.page] ?? {};

function light(field, options = {}) {
  const values = JSON.parse(field.dataset.values || "[]");
  const show = Object.entries(printedIn(field)).map(([path, texts]) => ({ path, texts: values.length ? values : texts }));
  frame?.contentWindow.postMessage({ show, label: field.dataset.label, ...options }, "*");
  pointElsewhere(field, show.length);
}

// A field that only other pages of the article print says which, with a link.
function pointElsewhere(field, here) {
  const line = field.querySelector(".elsewhere");
  if (!line) return;
  const tabs = [...document.querySelectorAll("[data-digest]")];
  const other = here ? null : tabs.find((tab) => tab.dataset.digest in JSON.parse(field.dataset.evidence || "{}"));
  line.hidden = !other;
  if (!other) return;
  const link = document.createElement("a");
  link.href = `${other.getAttribute("href")}&field=${field.id.slice("field-".length)}`;
  link.textContent = other.textContent;
  line.replaceChildren("Printed on: ", link);
}

// The field whose evidence a zone is.
const fieldOf = (zone) => fields().find((field) => zone in printedIn(field));

function step(by) {
  const all = fields();
  choose(all[Math.min(all.length - 1, Math.max(0, all.indexOf(current()) + by))]);
}

// Go to the open field with the greatest expected harm.
function nextWeak() {
  const open = fields().filter((field) => field.dataset.state === "proposed" && Number(field.dataset.harm) > 0);
  open.sort((one, other) => Number(other.dataset.harm) - Number(one.dataset.harm));
  if (open.length) choose(open[0]);
  else say("Every field of this record is accepted or corrected.");
}

// Records that were open in this tab, the latest last.
const visited = JSON.parse(sessionStorage.getItem("visited") ?? "[]");
const number = /^\/records\/\d+$/;
if (number.test(location.pathname)) {
  sessionStorage.setItem("visited", JSON.stringify([...visited.filter((one) => one !== location.pathname), location.pathname].slice(-50)));
}

const acts = {
  "next-field": () => step(1),
  "previous-field": () => step(-1),
  "accept-field": async () => {
    const button = current()?.querySelector("[data-accept]");
    if (button) button.click();
    else nextWeak();
  },
  edit: () => {
    const form = current()?.querySelector("form[data-draft]");
    if (form) open(form);
  },
  note: () => open(document.querySelector("#note form")),
  more: () => {
    const menu = document.getElementById("more");
    menu.open = true;
    menu.querySelector("a, button").focus();
  },
  "last-record": () => {
    const before = visited.findLast((one) => one !== location.pathname);
    if (before) location.assign(before);
    else say("No other record was open in this tab.");
  },
  zone: () => {
    const field = current();
    const elsewhere = field?.querySelector(".elsewhere:not([hidden]) a");
    if (elsewhere) { elsewhere.click(); return; }
    frame?.focus();
    if (field) light(field, { focus: true });
  },
  leave: () => {
    if (leave() || closeMenu()) return;
    if (!unpick()) document.querySelector("#teach")?.replaceChildren();
    current()?.querySelector("[data-main]")?.focus();
  },
  alternative: () => current()?.querySelector("[data-alternative]")?.click(),
};

document.addEventListener("act", (event) => {
  const act = acts[event.detail];
  if (act) { event.preventDefault(); act(); }
  const label = /^label-(\w+)$/.exec(event.detail)?.[1];
  if (label && picked) { event.preventDefault(); relabel(label); }
});

document.addEventListener("focusin", (event) => {
  const author = event.target.closest?.("[data-author]");
  if (author) frame?.contentWindow.postMessage({ strong: [...author.querySelectorAll("[name=given], [name=family]")].reverse().map((one) => one.value).join(" ").trim() }, "*");
  const field = event.target.closest?.(".field");
  if (field && !field.classList.contains("current")) choose(field, { focus: false });
});

// The list of empty fields stays as open as it was when the fields are replaced.
let emptyOpen = false;
document.addEventListener("toggle", (event) => { if (event.target.id === "empty-fields") emptyOpen = event.target.open; }, true);
document.addEventListener("replaced", () => {
  const empty = document.getElementById("empty-fields");
  if (empty && emptyOpen) empty.open = true;
});

document.addEventListener("swapped", (event) => {
  if (event.detail.startsWith("#field-")) {
    const field = document.querySelector(event.detail);
    if (field.dataset.state === "proposed") choose(field);
    else nextWeak();
  }
  if (event.detail === "#fields") {
    const { version } = document.querySelector("#fields").dataset;
    for (const input of document.querySelectorAll("input[name=version]")) input.value = version;
    if (!document.activeElement?.closest("details.typed[open]")) nextWeak();
    askOffer();
  }
});

// Ask whether a correction can teach the journal only after it is saved: searching the page takes a while.
function askOffer() {
  const { offer } = document.querySelector("#fields").dataset;
  if (offer) swap("#teach", offer);
}

// The frame shows a foreign page: accept only the path of a zone from it, and only from that very window. A key
// pressed there may label the zone, which only shows a preview, or bring the focus back; no other key counts.
let picked = "";
window.addEventListener("message", (event) => {
  if (event.source !== frame?.contentWindow || typeof event.data !== "object" || !event.data) return;
  const { zone, text, ready, selected, key } = event.data;
  if (ready === true) { choose(current(), { focus: false }); return; }
  const action = typeof key === "string" ? actionOf(key) : "";
  if (action === "leave") { choose(current()); return; }
  if (action === "zone") { choose(fieldOf(zone) ?? current()); return; }
  if (typeof zone !== "string" || zone.length > 20000) return;
  const label = /^label-(\w+)$/.exec(action ?? "")?.[1];
  if (typeof key === "string" && !label) return;
  picked = zone;
  const bar = document.querySelector(".picked");
  bar.hidden = false;
  bar.querySelector("[name=path]").value = zone;
  bar.querySelector("[name=text]").value = typeof text === "string" ? text.slice(0, 100000) : "";
  bar.querySelector("output").textContent = typeof text === "string" ? text.slice(0, 120) : "";
  bar.dataset.selected = selected === true ? "1" : "";
  if (label) { relabel(label); return; }
  const likely = current()?.dataset.zoneLabel ?? current()?.id.slice("field-".length);
  if (bar.querySelector(`option[value="${CSS.escape(likely ?? "")}"]`)) bar.querySelector("select").value = likely;
  offerButtons(bar);
  bar.querySelector("button:not([hidden])").focus(); // not the list, in which numbers would not be keys
});

// A label teaches; a text is put into a field: any text into a field that has no label, else what was selected.
function offerButtons(bar) {
  const plain = bar.querySelector("select").selectedOptions[0]?.dataset.plain !== undefined;
  bar.querySelector("[data-teaches]").hidden = plain;
  for (const button of bar.querySelectorAll("[formaction]")) button.hidden = !plain && !bar.dataset.selected;
}

document.querySelector(".picked select")?.addEventListener("change", (event) => offerButtons(event.target.form));

function closeMenu() {
  const menu = document.querySelector("details.menu[open]");
  if (!menu) return false;
  menu.open = false;
  menu.querySelector("summary").focus();
  return true;
}

// A menu closes when something else is chosen.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]:not(.typed)")) if (!menu.contains(event.target)) menu.open = false;
});

function unpick() {
  const bar = document.querySelector(".picked");
  if (!bar || bar.hidden) return false;
  bar.hidden = true;
  picked = "";
  return true;
}

function relabel(label) {
  const bar = document.querySelector(".picked");
  bar.querySelector("select").value = label;
  offerButtons(bar);
  bar.requestSubmit();
}

// The record is reserved with the first letter or change, and given back when the page is left. Looking reserves nothing.
let claimed = false;

async function claim() {
  if (claimed || !desk?.dataset.lease) return;
  claimed = true;
  const answer = await ask(desk.dataset.lease, { method: "POST" });
  if (answer?.status === 409) lose(await answer.text());
}

// Somebody else has the record: say so until the page is left. What was typed stays a draft.
function lose(holder) {
  claimed = false;
  const line = document.getElementById("held");
  line.textContent = `${holder} is working on this record now. What you typed stays in this browser.`;
  line.hidden = false;
  say(line.textContent);
}

for (const kind of ["input", "edited"]) {
  document.addEventListener(kind, (event) => { if (event.target.closest?.("form[data-draft]")) claim(); });
}
document.addEventListener("saved", (event) => { if (event.detail.includes("/fields/")) claimed = true; });
addEventListener("pagehide", () => {
  if (claimed) navigator.sendBeacon(`${desk.dataset.lease}/end`, new URLSearchParams({ csrf: token() }));
  claimed = false;
});
setInterval(() => {
  if (!claimed || document.hidden) return;
  claimed = false;
  claim();
}, 120000);

const wanted = document.getElementById(`field-${new URLSearchParams(location.search).get("field")}`);
if (wanted) choose(wanted);
else nextWeak();
askOffer();
