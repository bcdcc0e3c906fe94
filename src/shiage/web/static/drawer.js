// What was told in this tab, the newest first; fetched when somebody looks.
export function open(all) {
  const rows = all.map((each) => {
    const row = document.createElement("li");
    const time = document.createElement("time");
    const said = document.createElement("span");
    time.dateTime = each.at;
    time.className = "muted";
    time.textContent = new Date(each.at).toLocaleTimeString();
    said.className = each.level;
    said.textContent = ` ${each.text}`;
    row.append(time, said);
    return row;
  });
  document.getElementById("kept").replaceChildren(...rows);
  document.getElementById("none-kept").hidden = rows.length > 0;
  document.getElementById("drawer").showModal();
}
