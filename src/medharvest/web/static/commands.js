// The list of commands: every control of the page by its name, found by typing a part of it.
import { keyOf } from "./app.js";

const box = document.getElementById("commands");
const input = box.querySelector("input");
const list = box.querySelector("ul");
let found = [];
let chosen = 0;
let before = null;

const nameOf = (control) => (control.getAttribute("aria-label") || labelOf(control) || control.title).replace(/\s+/g, " ").trim();

// The words of a control without the key that stands beside them.
function labelOf(control) {
  const copy = control.cloneNode(true);
  for (const key of copy.querySelectorAll("kbd")) key.remove();
  return copy.textContent;
}

function commands() {
  const controls = [...document.querySelectorAll("a[href], button, summary")];
  const seen = new Set();
  return controls.filter((one) => !one.closest("dialog, [hidden], .skip") && !one.hidden && !one.disabled)
    .map((control) => ({ control, name: nameOf(control), key: keyOf(control.dataset.key) }))
    .filter(({ name }) => name && !seen.has(name) && seen.add(name));
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = commands().filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  found = all.slice(0, 60);
  chosen = Math.min(chosen, Math.max(0, found.length - 1));
  list.replaceChildren(...found.map((one, n) => {
    const item = document.createElement("li");
    item.id = `command-${n}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(n === chosen));
    item.append(one.name);
    if (one.key) {
      const key = document.createElement("kbd");
      key.textContent = one.key;
      item.append(key);
    }
    item.addEventListener("click", () => run(one));
    return item;
  }));
  input.setAttribute("aria-activedescendant", found.length ? `command-${chosen}` : "");
  list.children[chosen]?.scrollIntoView({ block: "nearest" });
}

function run({ control }) {
  box.close();
  const closed = control.closest("details:not([open])");
  if (closed && control.parentElement !== closed) closed.open = true;
  if (control.matches("a, summary")) control.focus();
  control.click();
}

document.addEventListener("click", (event) => {
  if (!event.target.closest('[data-key="commands"]')) return;
  before = document.activeElement;
  input.value = "";
  chosen = 0;
  show();
  box.showModal();
});
input.addEventListener("input", () => { chosen = 0; show(); });
input.addEventListener("keydown", (event) => {
  if (["ArrowDown", "ArrowUp"].includes(event.key)) {
    event.preventDefault();
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : found.length - 1)) % Math.max(1, found.length);
    show();
  }
  if (event.key === "Enter" && found[chosen]) { event.preventDefault(); run(found[chosen]); }
});
box.addEventListener("close", () => { if (document.activeElement === document.body) before?.focus?.(); });
