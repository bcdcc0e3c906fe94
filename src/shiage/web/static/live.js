// One feed per tab, closed while the tab is hidden. A stream first; where it is held up, questions with the same cursor (poll.js).
import { isTouched } from "./folds.js";
import { tell } from "./toasts.js";

const words = JSON.parse(document.body.dataset.words);
const link = document.getElementById("link");
const main = document.getElementById("main");
const asked = document.getElementById("asked");
const HELLO = 3000;
const REFRESH = 150;
const AGAIN = 2000;
const GATHER = 300;
const BANNER = 1500; // ms of silence before a person is told: a restart takes less
let cursor = "";
let source = null;
let polling = null;
let wanted = false;
let about = new Set();
let busy = false;
let banner = 0;
let counting = 0;

function state(name) {
  if (link.dataset.state === name) return;
  link.dataset.state = name;
  link.textContent = name === "lost" ? words.reconnecting : name === "on" ? words.live : "";
  clearTimeout(banner);
  if (name === "lost") banner = setTimeout(() => { document.getElementById("lost").hidden = false; }, BANNER);
  else document.getElementById("lost").hidden = true;
}

function heard(message) {
  for (const event of message.events ?? []) if (event.notify) tell(event);
  if (message.events?.length) {
    dispatchEvent(new CustomEvent("shiage:entries", { detail: message.events }));
    refresh(message.events.map((event) => event.spec));
  }
  if (message.anew) refresh();
}

// Draws what is new; where it is known what the news are about, only that. Without a name everything is meant.
export async function refresh(specs) {
  wanted = true;
  count();
  if (!specs) about = null;
  else specs.forEach((spec) => about?.add(spec));
  if (busy) return;
  busy = true;
  try {
    while (wanted) {
      wanted = false;
      const specs = about;
      about = new Set();
      if (!specs || !(await alone(specs))) await redraw();
      await new Promise((done) => setTimeout(done, REFRESH));
    }
  } catch {
    state("lost");
  } finally {
    busy = false;
  }
}

/** A long list has cards that can be drawn alone; how is fetched where there is one. */
async function alone(specs) {
  if (!document.querySelector("[data-cards]")) return false;
  const { cards } = await import("./cards.js");
  return cards(specs, MORPH, () => refresh());
}

/** How much is asked of a person: a look at every spec, so not for every event alone. */
function count() {
  counting ||= setTimeout(async () => {
    counting = 0;
    if (document.hidden) return;
    const answer = await fetch("/asked").catch(() => null);
    if (!answer?.ok) return; // the feed tells of a lost connection
    const { questions, reading } = await answer.json();
    asked.textContent = (questions || "") + (reading ? "…" : "");
    asked.dataset.n = asked.textContent || 0;
  }, GATHER);
}

async function redraw() {
  if (document.hidden || document.querySelector("[data-still]")) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (answer.status === 401) return location.reload();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("main");
  if (!fresh) return;
  document.title = page.title;
  const bottom = [...document.querySelectorAll("[data-bottom]")].every((each) => each.scrollHeight - each.scrollTop - each.clientHeight < 30);
  Idiomorph.morph(main, fresh, MORPH);
  dispatchEvent(new CustomEvent("shiage:drawn"));
  if (bottom) toBottom();
}

/** What a person has in hand stays: charts, logs, words in a field that is being filled in. */
function beforeNodeMorphed(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) return true;
  if ("keep" in old.dataset && old.dataset.chart === fresh.dataset?.chart) return false;
  if (old.matches("textarea") && old.value) return false;
  if (old.matches("time[title]") && old.dateTime === fresh.dateTime) return false;
  return !old.querySelector(":scope > textarea:focus");
}

function beforeAttributeUpdated(name, node, kind) {
  if (name === "open" && node.matches("details")) return !isTouched(node);
  if (name === "class" && node.classList.contains("at-key")) return false;
  if (name === "title" && kind === "remove" && node.matches("time")) return false;
  return !(kind === "remove" && name === "disabled") && !(name === "value" && node.matches("input, select"));
}

const MORPH = { ignoreActiveValue: true, callbacks: { beforeNodeMorphed, beforeAttributeUpdated } };

export function toBottom() {
  for (const each of document.querySelectorAll("[data-bottom]")) each.scrollTop = each.scrollHeight;
}

addEventListener("shiage:asked", () => refresh()); // a fold was opened whose content is made when it is asked for

// ---------------------------------------------------------------- the feed

function stream() {
  source = new EventSource(`/api/feed${cursor ? `?after=${encodeURIComponent(cursor)}` : ""}`);
  const late = setTimeout(poll, HELLO);
  source.addEventListener("hello", (event) => {
    clearTimeout(late);
    if (link.dataset.state === "lost" || JSON.parse(event.data).anew) refresh();
    else count();
    cursor = event.lastEventId;
    state("on");
  });
  source.addEventListener("batch", (event) => {
    cursor = event.lastEventId;
    heard(JSON.parse(event.data));
  });
  source.onerror = () => {
    state("lost");
    if (source.readyState === EventSource.CLOSED) {
      clearTimeout(late);
      knock();
      setTimeout(() => listens() && source.readyState === EventSource.CLOSED && start(), AGAIN);
    }
  };
}

/** Whoever is not let in any more is shown the door. */
async function knock() {
  const answer = await fetch("/asked").catch(() => null);
  if (answer?.status === 401) location.reload();
}

async function poll() {
  source?.close();
  const mine = new AbortController();
  polling = mine;
  const { asking } = await import("./poll.js");
  await asking(mine.signal, {
    after: () => cursor,
    answered: (message) => {
      cursor = message.cursor;
      if (link.dataset.state === "lost") refresh();
      state("on");
      heard(message);
    },
    failed: () => state("lost"),
  });
}

function start() {
  stop();
  stream();
}

function stop() {
  source?.close();
  polling?.abort();
  polling = null;
}

// ---------------------------------------------------------------- hidden tabs

let release = null; // of the one hidden tab that listens, so that a notification can come
const listens = () => !document.hidden || release;

function hide() {
  stop();
  if (!("Notification" in window) || Notification.permission !== "granted" || !navigator.locks) return;
  navigator.locks.request("shiage-hidden", { mode: "exclusive" }, () => new Promise((done) => {
    if (!document.hidden) return done();
    release = done;
    start();
  }));
}

function show() {
  release?.();
  release = null;
  start();
  refresh();
}

document.addEventListener("visibilitychange", () => (document.hidden ? hide() : show()));
addEventListener("pagehide", stop);
addEventListener("pageshow", (event) => event.persisted && start());
if (!document.hidden) start();

// Times that pass, tickets and logs' ends are in no journal: pages that show them ask again by themselves.
let ticks = 0;
setInterval(async () => {
  const every = Number(main.dataset.every);
  ticks += 1;
  if (every && ticks % every === 0 && !document.hidden && link.dataset.state === "on" && !(await passing())) refresh();
}, 1000);

async function passing() {
  return document.querySelector("[data-cards]") && (await import("./cards.js")).passing(MORPH, () => refresh(), ticks).catch(() => false);
}
