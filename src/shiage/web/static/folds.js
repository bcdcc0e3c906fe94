// Which folds a person has opened or closed: the address knows the open ones, and no update changes what was touched.
const touched = new Set();

/** At once, so that no update comes between a hand and what it opens. */
export const touch = (fold) => touched.add(fold.id);
export const isTouched = (fold) => touched.has(fold.id);

export function remember(folds) {
  const address = new URL(location.href);
  const open = new Set((address.searchParams.get("open") ?? "").split(",").filter(Boolean));
  for (const fold of folds) {
    if (!fold.id) continue;
    touched.add(fold.id);
    fold.open ? open.add(fold.id) : open.delete(fold.id);
  }
  open.size ? address.searchParams.set("open", [...open].join(",")) : address.searchParams.delete("open");
  history.replaceState(history.state, "", address);
  if (folds.some((fold) => fold.open && "fetch" in fold.dataset)) dispatchEvent(new Event("shiage:asked"));
}
