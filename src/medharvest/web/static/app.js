// Shared by all pages: forms that replace a part of the page, parts that refresh themselves, keys, the status line.
let csrf = document.querySelector('meta[name="csrf"]')?.content ?? "";
const live = document.querySelector(".live");
let quiet;

say(sessionStorage.getItem("say"));
sessionStorage.removeItem("say");

export const token = () => csrf;

export function say(text) {
  if (!text) return;
  live.textContent = text;
  clearTimeout(quiet);
  quiet = setTimeout(() => { live.textContent = ""; }, 6000);
}

async function fetched(url, options) {
  const headers = { "X-CSRF": csrf, "X-Fragment": "1", ...options.headers };
  try {
    return await fetch(url, { credentials: "same-origin", redirect: "follow", ...options, headers });
  } catch {
    say("The server does not answer. What you accepted is saved; start `medharvest review` again and reload.");
    return null;
  }
}

// After a new login in another tab this page still has the CSRF token of the old session: fetch the new one, once.
async function renewed() {
  const answer = await fetched("/word", {});
  if (answer?.ok) csrf = await answer.text();
  return answer?.ok;
}

export async function ask(url, options = {}) {
  const answer = await answered(url, options);
  if (answer) tell(answer);
  return answer;
}

// The status line says what was done only when the page shows it: the next key must not meet the old page.
function tell(answer) {
  say(decodeURIComponent(answer.headers.get("X-Say") ?? ""));
}

async function answered(url, options) {
  let answer = await fetched(url, options);
  if (answer?.headers.get("X-Stale") && await renewed()) answer = await fetched(url, options);
  if (!answer) return null;
  if (answer.status === 401) {
    document.getElementById("ended").showModal();
    return null;
  }
  if (answer.ok && options.method === "POST") {
    document.dispatchEvent(new CustomEvent("saved", { detail: new URL(url, location.href).pathname }));
  }
  const to = answer.headers.get("X-Go");
  if (to && !options.stay) {
    sessionStorage.setItem("say", decodeURIComponent(answer.headers.get("X-Say") ?? ""));
    const target = new URL(to, location.href);
    if (target.pathname + target.search === location.pathname + location.search) {
      history.replaceState(null, "", target); // browsers do not reload for another fragment of the same page
      location.reload();
    } else location.assign(to);
    return null;
  }
  return answer;
}

export async function swap(target, url, options = {}) {
  const answer = await answered(url, options);
  if (!answer) return false;
  const text = await answer.text();
  const place = document.querySelector(target);
  if (!place || !text) {
    tell(answer);
    return answer.ok;
  }
  const made = new DOMParser().parseFromString(text, "text/html");
  const fresh = made.querySelector(target);
  if (!fresh) {
    tell(answer);
    trouble(answer, made);
    return false;
  }
  const { id, selectionStart, selectionEnd } = document.activeElement ?? {};
  place.replaceWith(document.adoptNode(fresh));
  document.dispatchEvent(new CustomEvent("replaced", { detail: target })); // before anything looks at the new part
  const again = id ? document.getElementById(id) : null;
  again?.focus({ preventScroll: true });
  if (typeof selectionStart === "number") again?.setSelectionRange?.(selectionStart, selectionEnd);
  tell(answer);
  document.dispatchEvent(new CustomEvent("swapped", { detail: target }));
  return answer.ok;
}

async function send(url, body) {
  const answer = await ask(url, { method: "POST", body });
  if (!answer || answer.ok) return;
  trouble(answer, new DOMParser().parseFromString(await answer.text(), "text/html"));
}

// Show an error in the status line; show a conflict in a dialog, so that what was typed stays on the page.
function trouble(answer, made) {
  const main = made.querySelector("main");
  if (answer.status !== 409) {
    say([...main?.querySelectorAll("p") ?? []].map((line) => line.textContent).join(" ") || "Something went wrong; reload.");
    return;
  }
  const box = document.getElementById("problem");
  box.querySelector("div").replaceChildren(...[...main.childNodes].map((node) => document.adoptNode(node)));
  box.showModal();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const own = event.submitter?.getAttribute("formaction");
  const target = own ? undefined : form.dataset.swap;
  if (form.method !== "post" || form.dataset.plain !== undefined) return;
  event.preventDefault();
  const body = new FormData(form, event.submitter);
  if (target) swap(target, form.action, { method: "POST", body });
  else send(own ?? form.action, body);
});

document.addEventListener("change", (event) => {
  if (event.target.closest("[data-submit]")) event.target.form.requestSubmit();
});

// Parts with data-renew are fetched again every few seconds, as long as the answer has that attribute.
function renew() {
  for (const part of document.querySelectorAll("[data-renew]")) {
    const seconds = Number(part.dataset.renew);
    if (part.dataset.waits) continue;
    part.dataset.waits = "1";
    setTimeout(async () => {
      if (!document.hidden) await swap(`#${part.id}`, location.href);
      else delete part.dataset.waits;
      renew();
    }, seconds * 1000);
  }
}
renew();
document.addEventListener("swapped", renew);

// Keys: data-key names the action of an element; the page brings the person's key for each action.
const keys = JSON.parse(document.body.dataset.keys ?? "{}");
const byKey = Object.fromEntries(Object.entries(keys).map(([action, key]) => [key, action]));

function pressed(event) {
  const parts = [event.ctrlKey && "Ctrl", event.altKey && "Alt", event.shiftKey && event.key.length > 1 && "Shift"];
  return [...parts.filter(Boolean), event.key.length === 1 ? event.key.toUpperCase() : event.key].join("+");
}

export const keyOf = (action) => keys[action] ?? "";
export const actionOf = (chord) => byKey[chord.length === 1 ? chord.toUpperCase() : chord];

document.addEventListener("keydown", (event) => {
  if (document.body.dataset.keysOff || event.isComposing || document.querySelector("dialog[open]")) return;
  const writing = event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
  const chord = pressed(event);
  const action = byKey[chord];
  if (!action || (writing && !event.ctrlKey && !event.altKey && chord !== "Escape")) return;
  if (chord === "Enter" && event.target.closest("a, button, summary, input, select")) return;
  const handled = new CustomEvent("act", { cancelable: true, detail: action });
  if (!document.dispatchEvent(handled)) { event.preventDefault(); return; }
  const control = document.querySelector(`[data-key="${action}"]`);
  if (!control) return;
  event.preventDefault();
  if (control.matches("input, textarea, select")) control.focus();
  else control.click();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (opener) document.getElementById(opener.dataset.open)?.showModal();
  if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
});
