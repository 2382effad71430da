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
// The text of a zone with single blanks, and where each of its characters is.
function textOf(part) {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const places = [];
  let text = "";
  while (walker.nextNode()) {
    const node = walker.currentNode;
    for (let at = 0; at < node.length; at += 1) {
      const blank = !node.data[at].trim();
      if (blank && text.endsWith(" ")) continue;
      text += blank ? " " : node.data[at].toLowerCase();
      places.push([node, at]);
    }
  }
  return { text, places };
}

function rangesIn(part, values) {
  const { text, places } = textOf(part);
  return values.flatMap((value) => {
    const wanted = value.toLowerCase().replace(/\s+/g, " ").trim();
    const at = wanted && text.length === places.length ? text.indexOf(wanted) : -1;
    if (at < 0) return [];
    const range = new Range();
    range.setStart(...places[at]);
    const [node, last] = places[at + wanted.length - 1];
    range.setEnd(node, last + 1);
    return [range];
  });
}

// Light what the zones of a field print, value by value; a zone that is taller than the frame gets no outline.
function light(show, label) {
  for (const part of document.querySelectorAll(".shown")) { part.classList.remove("shown"); part.removeAttribute("aria-label"); }
  const lit = show.map(({ path, texts }) => ({ part: zones.get(path), texts })).filter(({ part }) => part);
  const ranges = [];
  for (const { part, texts } of lit) {
    const found = part.matches("rect") ? [] : rangesIn(part, texts);
    ranges.push(...found);
    part.setAttribute("aria-label", `Evidence of ${label}`);
    const tall = part.getBoundingClientRect().height > innerHeight * 0.8;
    if (!tall || !found.length) part.classList.add("shown");
  }
  mark("value", ranges);
  mark("strong", []);
  const first = ranges[0] ?? lit[0]?.part;
  const top = first?.getBoundingClientRect().top;
  if (first) scrollBy(0, top - innerHeight / 3);
  return lit[0]?.part;
}

function mark(name, ranges) {
  globalThis.CSS?.highlights?.set(name, new Highlight(...ranges));
}

addEventListener("message", (event) => {
  if (event.source !== parent) return;
  const { show, label, focus, strong } = event.data ?? {};
  if (typeof strong === "string") {
    mark("strong", [...document.querySelectorAll(".shown")].flatMap((part) => rangesIn(part, [strong])));
  }
  if (!Array.isArray(show)) return;
  const first = light(show, label);
  if (focus === true) visit(first?.closest(".zone") ?? first?.querySelector(".zone") ?? choosable[0]);
});
parent.postMessage({ ready: true }, "*");
