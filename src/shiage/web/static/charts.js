// Charts in the page's own colours; the table below each says the same.
const COLOURS = ["link", "waits", "done", "warning", "error", "muted", "text"];
const HEIGHT = 220;

function draw(box) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const { labels, series, shape } = JSON.parse(box.dataset.chart);
  const stacked = shape === "stack";
  const shown = stacked ? sums(series) : series;
  const axis = { stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), size: 4 }, font: "12px system-ui" };
  const bars = uPlot.paths.bars({ size: [0.6, 46], radius: 0.08 });
  const whole = series.every(([, values]) => values.every(Number.isInteger));
  const step = Math.ceil(labels.length / Math.max(1, Math.floor(box.clientWidth / 90)));
  const options = {
    width: box.clientWidth,
    height: HEIGHT,
    padding: [12, 12, 0, 0],
    scales: { x: { time: false, range: [-0.6, labels.length - 0.4] }, y: { range: (_, low, high) => [0, Math.max(1, high * 1.12)] } },
    axes: [
      { ...axis, grid: { show: false }, splits: () => labels.map((_, index) => index).filter((index) => index % step === 0), values: (_, at) => at.map((index) => labels[index] ?? "") },
      { ...axis, size: 46, incrs: whole ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] : undefined },
    ],
    legend: { show: series.length > 1, live: false, markers: { width: 0, fill: (_, index) => colour(COLOURS[(index - 1) % COLOURS.length]) } },
    cursor: { show: false },
    series: [{}, ...shown.map(([name], index) => {
      const own = colour(COLOURS[(stacked ? series.length - 1 - index : index) % COLOURS.length]);
      const filled = shape !== "lines";
      return {
        label: name,
        stroke: own,
        fill: filled ? own : undefined,
        width: filled ? 0 : 2,
        paths: filled ? bars : undefined,
        points: { show: !filled, size: 8, fill: own },
      };
    })],
  };
  box.replaceChildren();
  return new uPlot(options, [labels.map((_, index) => index), ...shown.map(([, values]) => values)], box);
}

/** The tallest first: each covers the ones behind it but for its own share. */
function sums(series) {
  const heights = series[0][1].map(() => 0);
  return series.map(([name, values]) => [name, values.map((value, index) => (heights[index] += value))]).reverse();
}

for (const box of document.querySelectorAll("[data-chart]")) {
  let plot = draw(box);
  let width = box.clientWidth;
  const again = () => { plot.destroy(); plot = draw(box); };
  new ResizeObserver(() => { if (box.clientWidth !== width) { width = box.clientWidth; again(); } }).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}
