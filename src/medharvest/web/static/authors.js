// The table of authors: rows are moved, added and removed; the form sends them in their order.
import { say } from "./app.js";

const rowsOf = (form) => [...form.querySelectorAll("tr[data-author]")];
const texts = (row) => [...row.querySelectorAll("input[type=text]")];
const boxes = (row) => [...row.querySelectorAll("input[type=checkbox]")];

// What a table of authors holds, to be kept as a draft.
export function readAuthors(form) {
  const rows = rowsOf(form).map((row) => ({
    name: row.querySelector("[name=row]").value,
    texts: texts(row).map((one) => one.value),
    boxes: boxes(row).map((one) => one.checked),
  }));
  return { rows };
}

export function fillAuthors(form, { rows }) {
  const body = form.querySelector("tbody");
  const pattern = body.lastElementChild;
  body.replaceChildren(...rows.map((kept) => {
    const row = named(pattern.cloneNode(true), kept.name);
    texts(row).forEach((one, n) => { one.value = kept.texts[n] ?? ""; });
    boxes(row).forEach((one, n) => { one.checked = kept.boxes[n] ?? false; });
    return row;
  }));
}

// Give a copied row a name of its own, which its boxes carry.
function named(row, name) {
  row.querySelector("[name=row]").value = name;
  for (const box of boxes(row)) box.value = box.name === "link" ? `${name}:${box.value.split(":")[1]}` : name;
  return row;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (button) move(button.closest("tr"), Number(button.dataset.move), button);
  const add = event.target.closest("[data-add-author]");
  if (add) addAuthor(add.closest("form"));
  const row = event.target.closest("[data-drop]")?.closest("tr");
  if (row) remove(row);
});

document.addEventListener("keydown", (event) => {
  const row = event.target.closest?.("tr[data-author]");
  if (row && event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
    event.preventDefault();
    move(row, event.key === "ArrowUp" ? -1 : 1, event.target);
  }
});

const tell = (row) => row.dispatchEvent(new CustomEvent("edited", { bubbles: true }));

function move(row, by, focus) {
  const other = by < 0 ? row.previousElementSibling : row.nextElementSibling;
  if (!other) return;
  if (by < 0) other.before(row); else other.after(row);
  focus.focus();
  tell(row);
  say(`Author is now number ${[...row.parentElement.children].indexOf(row) + 1}; save to keep the change.`);
}

function remove(row) {
  const body = row.parentElement;
  if (rowsOf(body).length === 1) for (const one of texts(row)) one.value = "";
  else row.remove();
  tell(body);
  say("Removed; save to keep the change.");
}

function addAuthor(form) {
  const body = form.querySelector("tbody");
  const row = named(body.lastElementChild.cloneNode(true), `new${body.children.length}`);
  for (const one of texts(row)) one.value = "";
  for (const one of boxes(row)) one.checked = false;
  body.append(row);
  tell(row);
  texts(row)[0].focus();
}

let dragged = null;
document.addEventListener("dragstart", (event) => { dragged = event.target.closest?.("tr[data-author]"); });
document.addEventListener("dragover", (event) => { if (dragged && event.target.closest?.("tr[data-author]")) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  const row = event.target.closest?.("tr[data-author]");
  if (!dragged || !row || row === dragged || row.parentElement !== dragged.parentElement) return;
  event.preventDefault();
  const rows = [...row.parentElement.children];
  if (rows.indexOf(dragged) < rows.indexOf(row)) row.after(dragged); else row.before(dragged);
  tell(dragged);
  dragged = null;
});
