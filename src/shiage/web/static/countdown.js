// The time that a run still waits, counted down while the page is looked at.
const stretch = (seconds) => {
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes, left] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return hours ? `${hours}:${two(minutes)}:${two(left)}` : `${minutes}:${two(left)}`;
};

setInterval(draw, 1000);
draw();

function draw() {
  for (const place of document.hidden ? [] : document.querySelectorAll("[data-until]")) {
    const seconds = Math.max(0, Math.round(place.dataset.until - Date.now() / 1000));
    place.textContent = place.dataset.said.replace("{left}", stretch(seconds));
  }
}
