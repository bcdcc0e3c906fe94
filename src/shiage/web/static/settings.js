// What this browser alone remembers or allows.
const LETTERS = "shiage-letters";
const box = document.getElementById("letter-keys");
document.getElementById("letters").hidden = false;
box.checked = localStorage.getItem(LETTERS) !== "off";
box.onchange = () => localStorage.setItem(LETTERS, box.checked ? "on" : "off");

const notify = document.getElementById("notify");
function notifying() {
  if (!("Notification" in window)) return;
  notify.hidden = Notification.permission !== "default";
  document.getElementById("notify-on").hidden = Notification.permission !== "granted";
  document.getElementById("notify-off").hidden = Notification.permission !== "denied";
}
notify.onclick = async () => { await Notification.requestPermission(); notifying(); };
notifying();
