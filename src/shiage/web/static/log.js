// The log as a whole: a place for every two hundred lines, filled when it comes near and emptied when it is far away.
const log = document.getElementById("log");
const words = JSON.parse(document.body.dataset.words);
const LINE = 20; // px, as in the stylesheet
const PART = 200; // lines: more at once would hold up a frame
const NEAR = 2; // parts before and after those that are seen
const KEPT = 40; // parts that stay filled
const TALLEST = 30_000_000; // px that browsers lay out; a longer log is reached by parts and by search

const element = (id) => document.getElementById(id);

class Log {
  constructor(box) {
    this.box = box;
    this.url = box.dataset.url;
    this.size = PART;
    this.total = Number(box.dataset.total);
    this.running = Boolean(box.dataset.running);
    this.parts = [];
    this.filled = new Map(); // number of a part -> true, the longest untouched first
    this.busy = new Set();
    this.marked = [0, 0];
    this.unread = 0;
    this.seen = this.total; // lines that were there when the reader let go of the end
    this.adopt([...box.querySelectorAll(".l")]);
  }

  /** What the server has written is put in its places. */
  adopt(lines) {
    this.box.replaceChildren();
    this.grow(this.total);
    const by = Map.groupBy ? Map.groupBy(lines, (line) => this.partOf(number(line))) : groups(lines, (line) => this.partOf(number(line)));
    for (const [at, found] of by) {
      this.parts[at]?.replaceChildren(...chunks(found));
      if (number(found[0]) === at * this.size + 1 && number(found.at(-1)) === this.end(at)) this.filled.set(at, true);
    }
  }

  partOf(line) { return Math.floor((line - 1) / this.size); }
  end(at) { return Math.min((at + 1) * this.size, this.total); }

  /** As many places as there are lines, each as tall as its lines will be. */
  grow(total) {
    const before = this.total;
    this.total = total;
    while (this.parts.length * this.size < total) {
      const part = document.createElement("div");
      part.className = "part";
      this.parts.push(part);
      this.box.append(part);
    }
    for (const at of [this.partOf(Math.max(before, 1)), this.parts.length - 1]) if (this.parts[at]) this.shape(at);
    if (this.parts.length > this.shaped) for (let at = this.shaped; at < this.parts.length; at += 1) this.shape(at);
    this.shaped = this.parts.length;
  }

  shaped = 0;

  shape(at) {
    const whole = Math.min(LINE, TALLEST / Math.max(this.total, 1));
    this.parts[at].style.minHeight = this.parts[at].childElementCount && !this.filled.has(at) ? "" : `${(this.end(at) - at * this.size) * whole}px`;
  }

  async ask(from, most = "") {
    const answer = await fetch(`${this.url}/lines?from=${from}&most=${most}`);
    if (!answer.ok) throw new Error(answer.status);
    const total = Number(answer.headers.get("X-Total-Lines"));
    const body = new DOMParser().parseFromString(await answer.text(), "text/html").body;
    if (total !== this.total) this.count(total);
    return [...body.querySelectorAll(".l")];
  }

  count(total) {
    this.grow(total);
    element("total").textContent = words.lines.replace("{n}", total.toLocaleString());
  }

  async fill(at) {
    if (at < 0 || at >= this.parts.length || this.filled.has(at) || this.busy.has(at)) return;
    this.busy.add(at);
    try {
      const found = await this.ask(at * this.size + 1, this.size);
      if (!found.length) return;
      this.filled.set(at, true);
      this.place(at, found);
    } finally {
      this.busy.delete(at);
    }
  }

  /** Lines above the reader's place may turn out taller or shorter; the place stays. */
  place(at, found) {
    const part = this.parts[at];
    const above = part.getBoundingClientRect().bottom < this.box.getBoundingClientRect().top;
    const height = this.box.scrollHeight;
    part.replaceChildren(...chunks(found));
    this.shape(at);
    if (above) this.box.scrollTop += this.box.scrollHeight - height;
    this.mark();
    this.forget();
  }

  forget() {
    const [first, last] = this.visible();
    for (const at of this.filled.keys()) {
      if (this.filled.size <= KEPT) return;
      if (at >= first - NEAR && at <= last + NEAR) continue;
      if (this.box.classList.contains("wrap")) return;
      this.filled.delete(at);
      this.parts[at].replaceChildren();
      this.shape(at);
    }
  }

  visible() {
    const { top, bottom } = this.box.getBoundingClientRect();
    const inside = (part) => { const place = part.getBoundingClientRect(); return place.bottom >= top && place.top <= bottom; };
    const middle = this.guess();
    let first = middle, last = middle;
    while (first > 0 && inside(this.parts[first - 1])) first -= 1;
    while (last < this.parts.length - 1 && inside(this.parts[last + 1])) last += 1;
    return [first, last];
  }

  /** Found by halving: the places lie in order. */
  guess() {
    const top = this.box.getBoundingClientRect().top;
    let low = 0, high = this.parts.length - 1;
    while (low < high) {
      const at = (low + high) >> 1;
      if (this.parts[at].getBoundingClientRect().bottom < top) low = at + 1;
      else high = at;
    }
    return low;
  }

  async near() {
    const [first, last] = this.visible();
    const wanted = [];
    for (let at = first; at <= last; at += 1) wanted.push(this.fill(at));
    await Promise.all(wanted);
    for (let by = 1; by <= NEAR; by += 1) await Promise.all([this.fill(first - by), this.fill(last + by)]);
  }

  /** What was written since the last look. */
  async news() {
    const before = this.total;
    const at = this.partOf(Math.max(before, 1));
    const found = await this.ask(Math.max(1, before));
    if (this.filled.has(at) || at === this.parts.length - 1) {
      for (const [part, lines] of groups(found, (line) => this.partOf(number(line)))) this.append(part, lines);
    }
    return this.total - before;
  }

  append(at, lines) {
    const part = this.parts[at];
    if (!part || (!this.filled.has(at) && part.childElementCount === 0 && number(lines[0]) !== at * this.size + 1)) return;
    for (const line of lines) document.getElementById(line.id)?.remove(); // the last one may have been half written
    part.append(...chunks(lines));
    if (number(lines[0]) === at * this.size + 1) this.filled.set(at, true);
    this.shape(at);
    this.mark();
  }

  async show(line) {
    const at = this.partOf(Math.min(Math.max(line, 1), this.total));
    await this.fill(at);
    document.getElementById(`L${line}`)?.scrollIntoView({ block: "center" });
    await this.near();
    document.getElementById(`L${line}`)?.scrollIntoView({ block: "center" });
  }

  mark(from = this.marked[0], to = this.marked[1]) {
    this.marked = [from, to];
    for (const old of this.box.querySelectorAll(".l.at")) old.classList.remove("at");
    for (let line = from; from && line <= to && line - from < 5000; line += 1) document.getElementById(`L${line}`)?.classList.add("at");
  }

  get atEnd() { return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight < 30; }
  toEnd() { this.box.scrollTop = this.box.scrollHeight; }
}

const number = (line) => Number(line.id.slice(1));

function groups(lines, key) {
  const found = new Map();
  for (const line of lines) found.set(key(line), [...(found.get(key(line)) ?? []), line]);
  return found;
}

function chunks(lines) {
  const found = [];
  for (let at = 0; at < lines.length; at += 200) {
    const chunk = document.createElement("div");
    chunk.className = "chunk";
    chunk.append(...lines.slice(at, at + 200));
    found.push(chunk);
  }
  return found;
}

// ---------------------------------------------------------------- the reader

function read(view) {
  const { box } = view;
  const follow = element("follow"), newer = element("newer"), wrap = element("wrap"), aloud = element("read");
  let following = false, spoken = view.total, queued = false;

  const press = (on) => {
    following = on;
    follow.setAttribute("aria-pressed", on);
    if (!on) { view.seen = Math.min(view.seen, view.total); return; }
    newer.hidden = true;
    view.seen = view.total;
    view.toEnd();
    view.near().then(() => following && view.toEnd());
  };
  const tell = () => {
    const fresh = view.total - view.seen;
    newer.hidden = following || fresh <= 0;
    newer.textContent = words.newer.replace("{n}", fresh.toLocaleString());
  };

  box.addEventListener("scroll", () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      view.near();
    });
  });
  // Only a hand lets go of the end: the browser's own scrolling after a change does not.
  const hand = () => requestAnimationFrame(() => {
    if (following && !view.atEnd) { view.seen = view.total; press(false); }
    else if (!following && view.atEnd && view.running) press(true);
  });
  for (const kind of ["wheel", "touchmove", "keyup", "pointerup"]) box.addEventListener(kind, hand, { passive: true });

  for (const each of [follow, wrap]) each.hidden = false;
  aloud.hidden = !view.running;
  element("pages").hidden = true;
  follow.onclick = () => press(!following);
  newer.onclick = () => press(true);
  wrap.onclick = () => wrap.setAttribute("aria-pressed", box.classList.toggle("wrap"));
  aloud.onclick = () => {
    const fresh = [...box.querySelectorAll(".l")].filter((line) => number(line) > spoken).map((line) => line.textContent).slice(-40);
    spoken = view.total;
    element("heard").textContent = fresh.join("\n") || words.newer.replace("{n}", 0);
  };

  if (view.running) setInterval(async () => {
    if (document.hidden) return;
    try {
      if (await view.news()) following ? view.toEnd() : tell();
    } catch { /* the banner of the page says that nobody answers; the next look asks again */ }
  }, 1000);
  return press;
}

// ---------------------------------------------------------------- search and places

function find(view, press) {
  const hits = element("hits");
  element("search").addEventListener("submit", async (event) => {
    event.preventDefault();
    const wanted = event.target.elements.q.value;
    const answer = await fetch(`${view.url}/search?q=${encodeURIComponent(wanted)}`);
    if (!answer.ok) return;
    const found = await answer.json();
    hits.replaceChildren(words.hits.replace("{n}", found.count.toLocaleString()));
    if (!found.lines.length) return;
    let at = -1;
    const next = document.createElement("button");
    next.type = "button";
    const go = () => {
      at = (at + 1) % found.lines.length;
      next.textContent = `${words.next} ${at + 1}/${found.lines.length}`;
      press(false);
      view.mark(found.lines[at], found.lines[at]);
      view.show(found.lines[at]);
    };
    next.onclick = go;
    hits.append(" ", next);
    go();
  });
}

/** #L12 and #L12-L20. */
function place() {
  const found = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
  return found && [Number(found[1]), Number(found[2] ?? found[1])].sort((one, two) => one - two);
}

function places(view, press) {
  const go = () => {
    const found = place();
    if (!found) return;
    press(false);
    view.mark(...found);
    view.show(found[0]);
  };
  view.box.addEventListener("click", (event) => {
    const chosen = event.target.closest(".n");
    if (!chosen) return;
    event.preventDefault();
    const line = Number(chosen.dataset.n);
    const [from, to] = event.shiftKey && view.marked[0] ? [Math.min(view.marked[0], line), Math.max(view.marked[0], line)] : [line, line];
    history.replaceState(null, "", from === to ? `#L${from}` : `#L${from}-L${to}`);
    press(false);
    view.mark(from, to);
  });
  addEventListener("hashchange", go);
  return go;
}

if (log) {
  const view = new Log(log);
  const press = read(view);
  find(view, press);
  const go = places(view, press);
  const from = new URLSearchParams(location.search).get("from");
  if (place()) go();
  else if (from) view.show(Number(from));
  else press(true);
}
