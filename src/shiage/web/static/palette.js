// Go, find and act in one field.
const words = JSON.parse(document.body.dataset.words);
const palette = document.getElementById("palette");

function here() {
  const pages = [...document.querySelectorAll(".bar nav a")].map((a) => ({ text: a.textContent, go: () => location.assign(a.href) }));
  const acts = [...document.querySelectorAll("form[data-act] button[type=submit]:not([aria-disabled=true])")]
    .map((button) => ({ text: `${button.closest("[data-spec]")?.dataset.spec ?? ""} ${button.textContent}`.trim(), go: () => button.click() }));
  const places = [...document.querySelectorAll("main details.round > summary")].map((fold) => ({ text: fold.innerText.replaceAll("\n", " "), go: () => { fold.parentElement.open = true; fold.focus(); fold.scrollIntoView(); } }));
  return [[...acts, ...pages], places];
}

async function specs() {
  const answer = await fetch("/api/status").catch(() => null);
  const found = answer?.ok ? (await answer.json()).specs : [];
  const state = (each) => [each.status, each.phase].filter(Boolean).join(" · ");
  return found.map((each) => ({ text: each.spec, kind: state(each), go: () => location.assign(`/specs/${each.spec}`) }));
}

export async function open() {
  const input = document.createElement("input");
  const list = document.createElement("ul");
  input.type = "text";
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", "choices");
  input.setAttribute("aria-label", words.palette);
  list.id = "choices";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", words.palette);
  const told = document.createElement("p");
  told.className = "muted";
  told.setAttribute("role", "status");
  told.textContent = words.loading;
  palette.replaceChildren(input, list, told);
  palette.showModal();
  input.focus();
  const [before, after] = here();
  let all = [...before, ...after];
  let waits = words.loading;
  let chosen = false; // before the specs were there to choose from
  let at = 0;
  let shown = [];
  const draw = () => {
    const parts = input.value.toLowerCase().split(/\s+/);
    shown = all.filter((each) => parts.every((part) => each.text.toLowerCase().includes(part))).slice(0, 50);
    at = Math.max(0, Math.min(at, shown.length - 1));
    list.replaceChildren(...shown.map((each, index) => {
      const row = document.createElement("li");
      row.id = `choice-${index}`;
      row.textContent = each.text;
      if (each.kind) row.append(Object.assign(document.createElement("span"), { className: "muted", textContent: each.kind }));
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", index === at);
      row.onclick = () => choose(index);
      return row;
    }));
    told.textContent = waits || (shown.length ? "" : words.nothing);
    if (shown.length) input.setAttribute("aria-activedescendant", `choice-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const choose = (index) => {
    if (!shown.length && waits) return void (chosen = true);
    palette.close();
    shown[index]?.go();
  };
  input.oninput = () => { at = 0; chosen = false; draw(); };
  input.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); at += step; draw(); }
    if (event.key === "Enter") { event.preventDefault(); choose(at); }
  };
  draw();
  all = [...before, ...(await specs()), ...after];
  waits = "";
  if (!input.isConnected || !palette.open) return;
  draw();
  if (chosen) choose(at);
}
