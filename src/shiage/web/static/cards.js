// A long list is not fetched whole for one event: the cards that it is about are, and the rest where a state has changed.
const MOST = 20;
const SOON = 300;
const LONG = 50; // cards
const ALL = 60; // seconds
let due = 0;

// Whether the cards of these specs were put in place; the caller draws everything where not.
export async function cards(specs, options, everything) {
  const drawn = await draw([...specs], options);
  if (drawn === "moved") later(everything);
  return Boolean(drawn);
}

/** "moved" where the state of one has changed. */
async function draw(names, options) {
  const list = document.querySelector("[data-cards]");
  if (!list || !names.length || names.length > MOST || !names.every((name) => document.getElementById(`spec-${name}`))) return false;
  const answer = await fetch(`${list.dataset.cards}?only=${names.join(",")}`, { headers: { Accept: "text/html" } });
  if (!answer.ok) return false;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  let moved = false;
  for (const card of fresh.querySelectorAll("li[id]")) {
    const old = document.getElementById(card.id);
    if (!old) continue;
    moved ||= state(old) !== state(card);
    Idiomorph.morph(old, card, options);
  }
  return moved ? "moved" : "drawn";
}

// Times pass in what runs: in a long list only those cards are drawn for it, and all of it in a while.
export async function passing(options, everything, ticks) {
  const shown = document.querySelectorAll("[data-cards] .card");
  if (shown.length < LONG || ticks % ALL === 0 || document.querySelector(".card.unread")) return false;
  const names = [...shown].filter((each) => each.classList.contains("running")).map((each) => each.dataset.spec);
  if (names.length && (await draw(names.slice(0, MOST), options)) === "moved") later(everything);
  return true;
}

const state = (card) => card.querySelector(".state")?.className;

// Order and counts follow from the states alone.
function later(everything) {
  due ||= setTimeout(() => { due = 0; everything(); }, SOON);
}
