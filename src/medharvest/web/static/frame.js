// Runs in the frame of an archived page: outlines zones for the parent, and tells it which zone was chosen.
const zones = new Map();
for (const part of document.querySelectorAll("[data-zone]")) zones.set(part.dataset.zone, part);
for (const part of zones.values()) {
  const own = [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  if (own || part.matches("rect")) { part.tabIndex = 0; part.classList.add("zone"); }
}

function tell(part, key) {
  const chosen = String(getSelection()).trim();
  const selected = Boolean(chosen) && part.contains(getSelection().anchorNode);
  parent.postMessage({ zone: part.dataset.zone, text: selected ? chosen : part.textContent.trim(), selected, key }, "*");
}

addEventListener("click", (event) => { const part = event.target.closest?.(".zone"); if (part) tell(part); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") parent.postMessage({ key: event.key }, "*");
  else if (event.key === "Enter" && event.target.matches?.(".zone")) { event.preventDefault(); tell(event.target); }
  else if (event.key.length === 1 && event.target.matches?.(".zone")) tell(event.target, event.key);
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
});
parent.postMessage({ ready: true }, "*");
