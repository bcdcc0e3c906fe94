// A code behind # never leaves the browser in an address: it is taken from there and sent as a form.
const code = new URLSearchParams(location.hash.slice(1)).get("code");
if (code) {
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.getElementById("door");
  form.elements.code.value = code;
  if (!document.querySelector("[role=alert]")) {
    if (location.pathname !== "/door") form.elements.to.value = location.pathname;
    form.submit();
  }
}

// Coming from another site the browser keeps its cookie back; asked from here it does not.
if (!code) {
  const answer = await fetch("/asked", { method: "HEAD" });
  if (answer.ok) location.replace(location.pathname === "/door" ? "/" : location.href);
}
