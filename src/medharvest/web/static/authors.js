// The list of authors and affiliations: rows are moved, added, removed, split and merged, by keys too; the form sends
// them in their order. A byline that is pasted fills the rows, and is saved like anything else that is typed.
import { ask, say } from "./app.js";

const rowsOf = (form) => [...form.querySelectorAll("[data-author]")];
const texts = (row) => [...row.querySelectorAll("input[type=text]")];
const boxes = (row) => [...row.querySelectorAll("input[type=checkbox]")];
const cell = (row, name) => row.querySelector(`[name=${name}]`);
const placesOf = (form) => [...form.querySelectorAll("textarea[name=place]")];

// What a list of authors holds, to be kept as a draft.
export function readAuthors(form) {
  const rows = rowsOf(form).map((row) => ({
    name: cell(row, "row").value,
    texts: texts(row).map((one) => one.value),
    boxes: boxes(row).map((one) => one.checked),
  }));
  return { rows, places: placesOf(form).map((one) => one.value) };
}

export function fillAuthors(form, { rows, places }) {
  const pattern = rowsOf(form)[0];
  form.querySelector(".people").replaceChildren(...rows.map((kept) => {
    const row = named(pattern.cloneNode(true), kept.name);
    texts(row).forEach((one, n) => { one.value = kept.texts[n] ?? ""; });
    boxes(row).forEach((one, n) => { one.checked = kept.boxes[n] ?? false; });
    return row;
  }));
  const line = placesOf(form)[0].closest("li");
  form.querySelector(".places").replaceChildren(...(places ?? []).map((text) => {
    const item = line.cloneNode(true);
    item.querySelector("textarea").value = text;
    return item;
  }));
  number(form);
}

// Give a copied row a name of its own, which its boxes carry.
function named(row, name) {
  cell(row, "row").value = name;
  for (const box of boxes(row)) box.value = name;
  return row;
}

// The names of controls for screen readers follow the order of the rows.
function number(form) {
  rowsOf(form).forEach((row, n) => {
    for (const one of texts(row)) one.setAttribute("aria-label", one.getAttribute("aria-label").replace(/\d+$/, n + 1));
  });
  placesOf(form).forEach((one, n) => one.setAttribute("aria-label", `Affiliation ${n + 1}`));
}

function changed(form, words) {
  number(form);
  form.dispatchEvent(new CustomEvent("edited", { bubbles: true }));
  if (words) say(`${words}; save to keep the change.`);
}

document.addEventListener("click", (event) => {
  const form = event.target.closest("form[data-authors]");
  if (!form) return;
  const row = event.target.closest("[data-author]");
  const on = (name) => event.target.closest(`[${name}]`);
  if (on("data-move")) move(row, Number(on("data-move").dataset.move), on("data-move"));
  if (on("data-drop")) remove(row);
  if (on("data-more")) unfold(row, on("data-more"));
  if (on("data-add-author")) add(rowsOf(form).at(-1));
  if (on("data-add-place")) addPlace(placesOf(form).at(-1));
  if (on("data-read-byline")) readByline(form, on("data-read-byline").dataset.readByline);
});

document.addEventListener("keydown", (event) => {
  const row = event.target.closest?.("[data-author]");
  const place = event.target.closest?.("textarea[name=place]");
  if (place && event.key === "Enter" && !event.ctrlKey) { event.preventDefault(); addPlace(place); }
  if (!row) return;
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const act = event.altKey ? { Enter: add, Delete: remove, s: split, m: merge }[event.key] : null;
  if (!step && !act) return;
  event.preventDefault();
  event.stopPropagation();
  if (act) act(row, event.target);
  else if (event.altKey) move(row, step, event.target);
  else visit(row, step, event.target);
});

function visit(row, step, from) {
  const rows = rowsOf(row.closest("form"));
  const next = rows[rows.indexOf(row) + step];
  if (next && from.name) cell(next, from.name).focus();
}

function move(row, by, focus) {
  const other = by < 0 ? row.previousElementSibling : row.nextElementSibling;
  if (!other) return;
  if (by < 0) other.before(row); else other.after(row);
  focus.focus();
  changed(row.closest("form"), `Author is now number ${[...row.parentElement.children].indexOf(row) + 1}`);
}

function remove(row, focus) {
  const form = row.closest("form");
  const rows = rowsOf(form);
  const next = rows[rows.indexOf(row) + 1] ?? rows[rows.indexOf(row) - 1];
  if (next) row.remove();
  else for (const one of texts(row)) one.value = "";
  cell(next ?? row, focus?.name || "family").focus();
  changed(form, "Removed");
}

function add(row) {
  const form = row.closest("form");
  const fresh = named(row.cloneNode(true), `new${Date.now()}${rowsOf(form).length}`);
  for (const one of texts(fresh)) one.value = "";
  for (const one of boxes(fresh)) one.checked = false;
  row.after(fresh);
  cell(fresh, "family").focus();
  changed(form);
  return fresh;
}

// What stands behind the cursor becomes the name of a new author, with the same affiliations.
function split(row, input) {
  const at = input.selectionStart ?? 0;
  const rest = input.value.slice(at).replace(/^[\s,;&]+/, "");
  if (!rest || !["family", "given"].includes(input.name)) { say("Put the cursor where the second name begins."); return; }
  input.value = input.value.slice(0, at).replace(/[\s,;&]+$/, "");
  const fresh = add(row);
  cell(fresh, input.name).value = rest;
  cell(fresh, "places").value = cell(row, "places").value;
  cell(fresh, input.name).focus();
  changed(row.closest("form"), "Split");
}

function merge(row, focus) {
  const next = row.nextElementSibling;
  if (!next) return;
  for (const name of ["given", "family", "suffix", "collective", "orcid", "email"]) {
    cell(row, name).value = [cell(row, name).value, cell(next, name).value].filter(Boolean).join(" ");
  }
  const numbers = `${cell(row, "places").value},${cell(next, "places").value}`.split(/[\s,]+/).filter(Boolean);
  cell(row, "places").value = [...new Set(numbers)].join(",");
  next.remove();
  focus.focus();
  changed(row.closest("form"), "Merged with the next");
}

function unfold(row, button) {
  const more = row.querySelector(".more");
  more.hidden = !more.hidden;
  button.setAttribute("aria-expanded", String(!more.hidden));
  if (!more.hidden) more.querySelector("input").focus();
}

function addPlace(last) {
  const item = last.closest("li").cloneNode(true);
  item.querySelector("textarea").value = "";
  last.closest("li").after(item);
  item.querySelector("textarea").focus();
  changed(last.closest("form"));
}

async function readByline(form, url) {
  const body = new FormData();
  body.set("text", form.querySelector("[data-byline]").value);
  const answer = await ask(url, { method: "POST", body });
  if (!answer?.ok) { if (answer) say("No names were found in it."); return; }
  const read = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("form[data-authors]");
  fillAuthors(form, readAuthors(read));
  changed(form, `${rowsOf(form).length} authors were read`);
  cell(rowsOf(form)[0], "family").focus();
}

let dragged = null;
document.addEventListener("dragstart", (event) => { dragged = event.target.closest?.("[data-author]"); });
document.addEventListener("dragover", (event) => { if (dragged && event.target.closest?.("[data-author]")) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  const row = event.target.closest?.("[data-author]");
  if (!dragged || !row || row === dragged || row.parentElement !== dragged.parentElement) return;
  event.preventDefault();
  const rows = [...row.parentElement.children];
  if (rows.indexOf(dragged) < rows.indexOf(row)) row.after(dragged); else row.before(dragged);
  changed(row.closest("form"));
  dragged = null;
});
