// What every page gets beyond what it says without scripts: live updates, actions in place, keys.
import { remember, touch } from "./folds.js";
import { refresh, toBottom } from "./live.js";
import { toast } from "./toasts.js";
import "./keys.js";

const words = JSON.parse(document.body.dataset.words);

function sure(text) {
  const dialog = document.getElementById("sure");
  document.getElementById("sure-what").textContent = text;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.matches("[data-filter]")) return filter(event);
  if (form.matches("[data-sure]:not([data-act])")) return asked(event);
  if (!form.matches("[data-act]")) return;
  event.preventDefault();
  const button = form.querySelector("button[type=submit]");
  if (button.getAttribute("aria-disabled") === "true") return toast(button.title, "warning");
  const body = new URLSearchParams(new FormData(form));
  if (form.dataset.sure && !(await sure(form.dataset.sure))) return;
  button.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
    const said = await answer.json();
    if (!answer.ok) return toast([said.error.message, said.error.help].filter(Boolean).join(" — "), "error");
    toast(said.text);
    form.reset();
    if (location.pathname === "/" && form.action.endsWith("/specs")) location.assign(said.to);
    else refresh();
  } catch {
    toast(words.unreachable, "error");
  } finally {
    button.disabled = false;
  }
});

/** A plain form that cannot be undone. */
async function asked(event) {
  event.preventDefault();
  if (await sure(event.target.dataset.sure)) event.target.submit();
}

/** Only what was filled in stands in the address. */
function filter(event) {
  event.preventDefault();
  const address = new URL(event.target.action);
  for (const [name, value] of new FormData(event.target)) if (value) address.searchParams.set(name, value);
  location.assign(address);
}

for (const select of document.querySelectorAll("[data-filter] select")) select.onchange = () => select.form.requestSubmit();

// Folds that a person opened belong to the address: it can be shared, and a reload shows the same.
document.addEventListener("click", (event) => {
  const summary = event.target.closest?.("main summary");
  if (!summary) return;
  touch(summary.parentElement);
  setTimeout(() => remember([summary.parentElement]));
});

/** A place in the address lies within folds: they open. */
function reveal() {
  const place = document.getElementById(location.hash.slice(1));
  for (let fold = place?.closest?.("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  place?.scrollIntoView({ block: "start" });
}

/** Moments as the person's own clock and language have them. */
function times() {
  if (document.querySelector("[data-until]")) import("./countdown.js");
  const chosen = document.documentElement.lang;
  const language = navigator.language.startsWith(chosen) ? navigator.language : chosen;
  const short = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const exact = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });
  for (const time of document.querySelectorAll("main time[datetime]:not([title])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    time.title = exact.format(at);
    time.textContent = "seconds" in time.dataset ? `${short.format(at)}:${String(at.getSeconds()).padStart(2, "0")}` : short.format(at);
  }
}

addEventListener("shiage:drawn", times);
addEventListener("hashchange", reveal);
times();
for (const each of document.querySelectorAll("nav [aria-current], .track [aria-current]")) each.scrollIntoView({ block: "nearest", inline: "center" });
reveal();
toBottom();
