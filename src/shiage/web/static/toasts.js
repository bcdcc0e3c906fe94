// Short messages: info for six seconds, errors until closed; never more than three, and each once over all tabs.
const words = JSON.parse(document.body.dataset.words);
const MOST = 3;
const SECONDS = 6;
const KEPT = 50;
const CLAIM = 120; // ms in which another tab may say that it shows the same
const STORE = "shiage-messages";
const ENDS = new Set(["RUN_PAUSED", "RUN_FAILED", "RUN_COMPLETED", "STEP_COMPLETED"]);
const me = Math.random();
const heard = new Set(); // event ids of this tab
const claims = new Map(); // event id -> the smallest tab that wants to show it
const waiting = [];
const channel = "BroadcastChannel" in window ? new BroadcastChannel("shiage") : null;
if (channel) channel.onmessage = ({ data }) => {
  const mine = claims.get(data.id);
  claims.set(data.id, Math.min(mine ?? Infinity, data.tab));
  if (mine === me && data.tab > me) channel.postMessage({ id: data.id, tab: me });
};

const boxes = { info: document.getElementById("said"), warning: document.getElementById("warned"), error: document.getElementById("warned") };
const more = document.getElementById("more");
const opener = document.getElementById("drawer-open");

const kept = () => JSON.parse(sessionStorage.getItem(STORE) ?? "[]");

/** Something that happened, told once over all tabs. */
export async function tell(event) {
  const id = `${event.spec}/${event.seq}`;
  if (heard.has(id)) return;
  heard.add(id);
  if (claims.has(id)) return keep(event.text, event.level, event.spec); // another tab was first
  claims.set(id, me);
  channel?.postMessage({ id, tab: me });
  await new Promise((done) => setTimeout(done, channel ? CLAIM : 0));
  if (claims.get(id) !== me) return keep(event.text, event.level, event.spec);
  toast(`${event.spec}: ${event.text}`, event.level, event.spec);
  if (ENDS.has(event.event_type) && document.hidden && "Notification" in window && Notification.permission === "granted") {
    const note = new Notification(`shiage · ${event.spec}`, { body: event.text, tag: id });
    note.onclick = () => { focus(); location.assign(`/specs/${event.spec}`); };
  }
}

export function toast(text, level = "info", spec = "") {
  if (!text) return;
  keep(text, level, spec);
  waiting.push({ text, level });
  fill();
}

/** As many as fit are shown; the rest is counted and waits. */
function fill() {
  while (waiting.length && document.querySelectorAll(".toast").length < MOST) show(waiting.shift());
  more.hidden = !waiting.length;
  more.textContent = words.more.replace("{n}", waiting.length);
}

function show({ text, level }) {
  const made = document.createElement("div");
  made.className = `toast ${level}`;
  const said = document.createElement("span");
  said.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", words.close);
  const end = () => { made.remove(); fill(); };
  close.onclick = end;
  made.append(said, close);
  boxes[level].append(made);
  if (level === "info") setTimeout(end, SECONDS * 1000);
}

// ---------------------------------------------------------------- the drawer keeps what was told

function keep(text, level, spec) {
  const all = [{ text, level, spec, at: new Date().toISOString() }, ...kept()].slice(0, KEPT);
  sessionStorage.setItem(STORE, JSON.stringify(all));
  count();
}

function count() {
  const number = kept().length;
  document.getElementById("drawer-count").textContent = number || "";
}

export async function openDrawer() {
  waiting.length = 0;
  fill();
  (await import("./drawer.js")).open(kept());
}

opener.hidden = false;
opener.onclick = openDrawer;
more.onclick = openDrawer;
count();
