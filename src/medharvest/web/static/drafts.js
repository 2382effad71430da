// Drafts: what people type is kept in the browser until it is saved, under the address that its form sends it to.
// An open edit is saved before its record or field is accepted; a closed one is put aside and stays as it is.
import { ask, say, swap } from "./app.js";
import { fillAuthors, readAuthors } from "./authors.js";

const PREFIX = `draft ${document.body.dataset.person} `;
const KEPT_MS = 30 * 24 * 3600 * 1000; // a month: longer than a record waits
const read = new Map(); // by address: what the server sent, as JSON
const sent = new Map(); // by address: what was last sent, as JSON
const stale = new Set(); // addresses of drafts whose field changed since they were begun

const pathOf = (form) => new URL(form.action).pathname;
const forms = () => [...document.querySelectorAll("form[data-draft]")];
const formOf = (path) => forms().find((form) => pathOf(form) === path);
const controls = (form) => [...form.elements].filter((one) => one.name && one.type !== "hidden");
const written = (form) => JSON.stringify(form.matches("[data-authors]") ? readAuthors(form) : controls(form).map((one) => one.value));

function fill(form, values) {
  if (form.matches("[data-authors]")) fillAuthors(form, values);
  else controls(form).forEach((one, n) => { one.value = values[n] ?? ""; });
}

function load(path) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + path));
  } catch {
    return null;
  }
}

function drop(path) {
  localStorage.removeItem(PREFIX + path);
  stale.delete(path);
}

// Note what a form holds: a draft if it differs from what the server sent.
function keep(form) {
  const path = pathOf(form);
  const now = written(form);
  if (now === read.get(path)) drop(path);
  else {
    const base = load(path)?.base ?? read.get(path);
    const draft = { values: JSON.parse(now), base, open: form.closest("details").open, at: Date.now() };
    localStorage.setItem(PREFIX + path, JSON.stringify(draft));
  }
  describe(form);
}

function restore() {
  for (const form of forms()) {
    const path = pathOf(form);
    read.set(path, written(form));
    const draft = load(path);
    if (!draft) continue;
    const now = JSON.stringify(draft.values);
    if (now === read.get(path)) { drop(path); continue; }
    if (draft.base && draft.base !== read.get(path)) stale.add(path);
    fill(form, draft.values);
    form.closest("details").open = draft.open;
    const empty = form.closest("#empty-fields");
    if (empty) empty.open = true;
    describe(form);
  }
}

// Say in the field that its draft is put aside, or that the field was changed since.
function describe(form) {
  const field = form.closest(".field");
  field?.querySelector(".draft")?.remove();
  const path = pathOf(form);
  const draft = load(path);
  const closed = draft && !form.closest("details").open;
  if (!field || !draft || (!closed && !stale.has(path))) return;
  const line = document.createElement("p");
  line.className = "draft message warning row";
  const text = document.createElement("span");
  text.textContent = closed ? `Put aside, not saved: ${shorten(draft.values)}`
    : "This field was changed meanwhile. Above is its value now, below is what you typed.";
  line.append(text, button("Continue", closed, () => open(form)), button("Discard", true, () => discard(form)));
  form.closest("details").before(line);
}

function button(words, shown, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet";
  made.hidden = !shown;
  made.textContent = words;
  made.addEventListener("click", act);
  return made;
}

function shorten(values) {
  const text = values.rows ? values.rows.map((row) => row.texts.slice(0, 2).join(" ")).join(", ") : values.join(" ");
  return text.length > 120 ? `${text.slice(0, 120)} …` : text || "nothing";
}

function discard(form) {
  const path = pathOf(form);
  fill(form, JSON.parse(read.get(path)));
  drop(path);
  form.closest("details").open = false;
  describe(form);
  say("Discarded.");
}

export function open(form) {
  const details = form.closest("details");
  details.open = true;
  details.querySelector("textarea, input:not([type=hidden], [type=checkbox])")?.focus({ preventScroll: true });
  (details.closest(".field") ?? details).scrollIntoView({ block: form.matches("[data-authors]") ? "start" : "nearest" });
}

// Close the edit or note that has the focus; what was typed is put aside. Return whether there was one.
export function leave() {
  const details = document.activeElement?.closest("details.typed[open]");
  if (!details) return false;
  details.open = false;
  const kept = load(pathOf(details.querySelector("form[data-draft]")));
  (details.closest(".field")?.querySelector("[data-main]") ?? details.querySelector("summary")).focus();
  if (kept) say("Your text is put aside; edit again to go on with it.");
  return true;
}

const typed = (form) => load(pathOf(form)) && form.closest("details").open;

// Save every open edit and note; return whether all of them were saved.
async function saveAll() {
  for (const path of forms().filter(typed).map(pathOf)) {
    const form = formOf(path);
    if (stale.has(path)) {
      open(form);
      say("This field was changed meanwhile; look at it first.");
      return false;
    }
    sent.set(path, written(form));
    const options = { method: "POST", body: new FormData(form) };
    const saved = form.dataset.swap ? await swap(form.dataset.swap, form.action, options)
      : (await ask(form.action, { ...options, stay: true }))?.ok;
    if (!saved) {
      const again = formOf(path);
      if (again) open(again);
      return false;
    }
  }
  return true;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("[data-draft]")) sent.set(pathOf(form), written(form));
  const edit = form.matches("[data-accepts]") && form.closest(".field").querySelector("form[data-draft]");
  if (edit && typed(edit)) {
    stop(event);
    edit.requestSubmit();
  } else if (form.matches("[data-after-drafts]") && forms().some(typed)) {
    stop(event);
    saveAll().then((saved) => { if (saved) document.getElementById(form.id).requestSubmit(); });
  }
}, true);

function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

document.addEventListener("saved", (event) => {
  const path = event.detail;
  const draft = load(path);
  if (!draft) return;
  if (JSON.stringify(draft.values) === sent.get(path)) drop(path);
  else localStorage.setItem(PREFIX + path, JSON.stringify({ ...draft, base: null })); // typed on while it was sent
});

for (const kind of ["input", "change", "edited"]) {
  document.addEventListener(kind, (event) => {
    const form = event.target.closest?.("form[data-draft]");
    if (form) keep(form);
  });
}
document.addEventListener("toggle", (event) => {
  const form = event.target.matches?.("details.typed") && event.target.querySelector("form[data-draft]");
  if (form && load(pathOf(form))) keep(form);
}, true);

// Opened by mouse or key, an edit or note has the focus in its text.
document.addEventListener("click", (event) => {
  const details = event.target.closest("summary")?.parentElement;
  if (details?.matches("details.typed:not([open])")) setTimeout(() => open(details.querySelector("form")));
});

document.addEventListener("replaced", restore);
for (const key of Object.keys(localStorage).filter((one) => one.startsWith("draft "))) {
  const draft = load(key.slice(PREFIX.length));
  if (draft && draft.at < Date.now() - KEPT_MS) localStorage.removeItem(key);
}
restore();
