// The record page: highlights the evidence of a field, labels zones, moves authors; all of it also by key.
import { ask, say, swap } from "./app.js";

const frame = document.querySelector("iframe.evidence");
const desk = document.querySelector(".desk");

const fields = () => [...document.querySelectorAll(".field")];
const current = () => document.querySelector(".field.current") ?? fields()[0];

function choose(field, { focus = true } = {}) {
  if (!field) return;
  for (const other of fields()) other.classList.toggle("current", other === field);
  if (focus) field.querySelector("[data-main]")?.focus();
  field.scrollIntoView({ block: "nearest" });
  const places = JSON.parse(field.dataset.evidence || "[]");
  frame?.contentWindow.postMessage({ show: places, label: field.dataset.label }, "*");
}

function step(by) {
  const all = fields();
  choose(all[Math.min(all.length - 1, Math.max(0, all.indexOf(current()) + by))]);
}

function nextWeak() {
  const open = fields().filter((field) => field.dataset.state === "proposed" && field.dataset.score !== "");
  open.sort((one, other) => Number(one.dataset.score) - Number(other.dataset.score));
  if (open.length) choose(open[0]);
  else say("Every field of this record is accepted or corrected.");
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
    const details = current()?.querySelector("details.edit");
    if (details) { details.open = true; details.querySelector("textarea, input:not([type=hidden])")?.focus(); }
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
  const field = event.target.closest?.(".field");
  if (field && !field.classList.contains("current")) choose(field, { focus: false });
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
    nextWeak();
    askOffer();
  }
});

// Ask whether a correction can teach the journal only after it is saved: searching the page takes a while.
function askOffer() {
  const { offer } = document.querySelector("#fields").dataset;
  if (offer) swap("#teach", offer);
}

// The frame shows a foreign page: accept only the path of a zone from it, and only from that very window.
let picked = "";
window.addEventListener("message", (event) => {
  if (event.source !== frame?.contentWindow || typeof event.data !== "object" || !event.data) return;
  const { zone, text, ready, selected } = event.data;
  if (ready === true) { choose(current(), { focus: false }); return; }
  if (typeof zone !== "string" || zone.length > 20000) return;
  picked = zone;
  const bar = document.querySelector(".picked");
  bar.hidden = false;
  bar.querySelector("[name=path]").value = zone;
  bar.querySelector("[name=text]").value = typeof text === "string" ? text.slice(0, 100000) : "";
  bar.querySelector("output").textContent = typeof text === "string" ? text.slice(0, 120) : "";
  bar.querySelector("[formaction]").hidden = selected !== true;
  bar.querySelector("select").focus();
});

function relabel(label) {
  const bar = document.querySelector(".picked");
  bar.querySelector("select").value = label;
  bar.requestSubmit();
}

// Authors: rows are moved by dragging, by button and by Alt with the arrows; the form sends them in their order.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (button) move(button.closest("tr"), Number(button.dataset.move), button);
  const add = event.target.closest("[data-add-author]");
  if (add) addAuthor(add);
  const drop = event.target.closest("[data-drop]");
  if (drop) { drop.closest("tr").remove(); say("Removed; save to keep the change."); }
});

document.addEventListener("keydown", (event) => {
  const row = event.target.closest?.("tr[data-author]");
  if (row && event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
    event.preventDefault();
    move(row, event.key === "ArrowUp" ? -1 : 1, event.target);
  }
});

function move(row, by, focus) {
  const other = by < 0 ? row.previousElementSibling : row.nextElementSibling;
  if (!other) return;
  if (by < 0) other.before(row); else other.after(row);
  focus.focus();
  say(`Author is now number ${[...row.parentElement.children].indexOf(row) + 1}; save to keep the change.`);
}

function addAuthor(button) {
  const body = button.closest("form").querySelector("tbody");
  const row = body.lastElementChild.cloneNode(true);
  const name = `new${body.children.length}`;
  for (const input of row.querySelectorAll("input")) {
    if (input.name === "row") input.value = name;
    else if (input.type === "checkbox") {
      input.checked = false;
      if (input.name === "link") input.value = `${name}:${input.value.split(":")[1]}`;
      else input.value = name;
    } else input.value = "";
  }
  body.append(row);
  row.querySelector("input[type=text]").focus();
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
  dragged = null;
});

// Renew the lease on the record while the page is visible; afterwards it expires.
if (desk?.dataset.lease) {
  setInterval(() => { if (!document.hidden) ask(desk.dataset.lease, { method: "POST" }); }, 120000);
}
nextWeak();
askOffer();
