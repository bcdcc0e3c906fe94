// The keys, as a list; fetched when somebody asks for it.
export function open(rows) {
  const list = document.createElement("dl");
  list.className = "facts";
  for (const row of rows.split("\n")) {
    const [keys, what] = row.split("\t");
    const term = document.createElement("dt");
    const said = document.createElement("dd");
    term.textContent = keys;
    said.textContent = what;
    list.append(term, said);
  }
  const help = document.getElementById("keys");
  help.replaceChildren(list);
  help.showModal();
}
