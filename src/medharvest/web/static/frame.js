// Runs in the frame of an archived page: outlines zones for the parent, and tells it which zone was chosen. Of the keys
// pressed here the parent hears of those that could label a zone or leave the page; it decides what they mean.
const zones = new Map();
for (const part of document.querySelectorAll("[data-zone]")) zones.set(part.dataset.zone, part);
// Every visible word belongs to a zone that can be chosen: the innermost one around it.
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) => (
  node.textContent.trim() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT));
const having = new Set(document.querySelectorAll("rect[data-zone]"));
while (texts.nextNode()) having.add(texts.currentNode.parentElement.closest("[data-zone]"));
const choosable = [...zones.values()].filter((part) => having.has(part));
for (const part of choosable) { part.tabIndex = -1; part.classList.add("zone"); }
if (choosable.length) choosable[0].tabIndex = 0; // one stop of Tab; arrows go from zone to zone

function tell(part, key) {
  const chosen = String(getSelection()).trim();
  const selected = Boolean(chosen) && part.contains(getSelection().anchorNode);
  parent.postMessage({ zone: part.dataset.zone, text: selected ? chosen : part.textContent.trim(), selected, key }, "*");
}

function visit(part) {
  if (!part) return;
  for (const other of choosable) other.tabIndex = other === part ? 0 : -1;
  part.focus({ preventScroll: true });
  part.scrollIntoView({ block: "nearest" });
}

addEventListener("click", (event) => { const part = event.target.closest?.(".zone"); if (part) tell(part); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const part = event.target.closest?.(".zone");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && part) { event.preventDefault(); visit(choosable[choosable.indexOf(part) + step]); }
  else if (event.key === "Enter" && part) { event.preventDefault(); tell(part); }
  else if (event.key === "Escape") parent.postMessage({ key: event.key }, "*");
  else if (event.key.length === 1 && part) tell(part, event.key);
});
addEventListener("message", (event) => {
  if (event.source !== parent || !Array.isArray(event.data?.show)) return;
  for (const part of document.querySelectorAll(".shown")) { part.classList.remove("shown"); part.removeAttribute("aria-label"); }
  let first = null;
  for (const path of event.data.show) {
    const part = zones.get(path);
    if (!part) continue;
    part.classList.add("shown");
    part.setAttribute("aria-label", `Evidence of ${event.data.label}`);
    first ??= part;
  }
  first?.scrollIntoView({ block: "center" });
  if (event.data.focus === true) visit(first?.closest(".zone") ?? first?.querySelector(".zone") ?? choosable[0]);
});
parent.postMessage({ ready: true }, "*");
