// Keyboard: every way to go and to act. Single letters can be switched off in the settings.
import { remember } from "./folds.js";
import { openDrawer } from "./toasts.js";

const words = JSON.parse(document.body.dataset.words);
const GO = { s: "/", q: "/questions", u: "/queue", a: "/activity", n: "/numbers", t: "/settings" };
let going = 0;

const letters = () => localStorage.getItem("shiage-letters") !== "off";

function entries() {
  return [...document.querySelectorAll("[data-list]")].flatMap((list) => [...list.querySelectorAll(list.dataset.list)]);
}

function move(by, all = entries()) {
  if (!all.length) return;
  const now = all.findIndex((each) => each.classList.contains("at-key"));
  const next = all[Math.max(0, Math.min(all.length - 1, now + by))];
  for (const each of document.querySelectorAll(".at-key")) each.classList.remove("at-key");
  next.classList.add("at-key");
  (next.matches("details") ? next.querySelector("summary") : next.querySelector("a, summary, button") ?? next).focus();
  next.scrollIntoView({ block: "nearest" });
}

function folds() {
  const all = [...document.querySelectorAll("main details.round, main details.attempt, main details.file")];
  const open = all.some((each) => !each.open);
  for (const each of all) each.open = open;
  remember(all);
}

/** One level up, to the place from which this page was reached. */
function up() {
  const to = document.querySelector("[rel=up]");
  if (!to) return;
  const from = document.referrer && new URL(document.referrer);
  if (from && from.origin === location.origin && from.pathname === new URL(to.href).pathname) history.back();
  else to.click();
}

const rounds = () => [...document.querySelectorAll("details.round")];
const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  "]": () => move(1, rounds()),
  "[": () => move(-1, rounds()),
  x: folds,
  m: openDrawer,
  f: () => document.getElementById("follow")?.click(),
  "/": () => document.querySelector("[data-find]")?.focus(),
  ".": () => document.querySelector(".at-key button, .at-key .button, [data-actions] button, .actions button")?.focus(),
  Escape: up,
  "?": async () => (await import("./help.js")).open(words.keys),
};

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    return openPalette();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (!letters() && event.key !== "?" && event.key !== "Escape") return;
  if (going && Date.now() - going < 1500 && GO[event.key]) return location.assign(GO[event.key]);
  going = event.key === "g" ? Date.now() : 0;
  if (KEYS[event.key]) {
    event.preventDefault();
    KEYS[event.key]();
  }
});

const openPalette = async () => (await import("./palette.js")).open(); // fetched when it is wanted first

const opener = document.getElementById("palette-open");
if (opener) {
  opener.hidden = false;
  opener.onclick = openPalette;
}
