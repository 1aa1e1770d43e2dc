// The grid and the piano.

import { onLink } from "../link/socket.js";
import { find, make } from "../parts/make.js";
import { surface } from "../parts/surface.js";
import { listen, value, watch } from "../store/values.js";
import { octave, pitchClass, printed } from "../store/units.js";
import { setUpGridSettings } from "./gridset.js";
import { setUpPhrase } from "./phrase.js";
import { setUpScales } from "./scales.js";

const least = { width: 45, height: 57 };

/** Sets up the grid page. */
export function setUpGrid() {
  setUpPhrase(find("#grid-foot"));
  setUpGridSettings(find("#grid-more"));
  setUpScales(find("#grid-scales"));
  setUpCells(find("#cells"));
  setUpPiano(find("#piano"));
  setUpLoading();

  const page = find("#grid");
  const turn = find("#piano-turn");
  turn.addEventListener("click", () => {
    const piano = page.classList.toggle("with-piano");
    turn.setAttribute("aria-pressed", String(piano));
  });
}

function setUpCells(element) {
  let size = { rows: 0, columns: 0 };
  let cells = new Map();
  let collecting = [];
  const lit = new Map();
  const touch = surface(element, {
    press: (cell, velocity) => ["/grid/touch", Number(cell.dataset.row), Number(cell.dataset.column), velocity],
    release: (cell) => ["/grid/release", Number(cell.dataset.row), Number(cell.dataset.column)],
  });

  let built = "";
  const build = () => {
    const root = pitchClass(value("/grid/root", "A"));
    // Each subscription resends the layout: an unchanged one stays.
    const wanted = JSON.stringify([size, root, collecting]);
    if (wanted !== built) rebuild(root);
    built = wanted;
    for (const place of cells.keys()) light(place);
  };
  const rebuild = (root) => {
    const focused = element.contains(document.activeElement) && document.activeElement.dataset;
    cells = new Map();
    for (const { row, column, name, key } of collecting) {
      const cell = make("div", "cell", {
        role: "button",
        tabindex: cells.size ? -1 : 0,
        "data-cell": "",
        "data-row": row,
        "data-column": column,
        "aria-label": name ? `${name.replace("#", " sharp").replace(/b$/, " flat")} ${octave(key)}` : `row ${row}, column ${column}`,
      });
      if (name) cell.append(make("b", "", {}, printed(name)), make("small", "", {}, String(octave(key))));
      cell.style.setProperty("--hue", String((((key - root) * 7) % 12 + 12) % 12 * 30));
      if ((key - root) % 12 === 0) cell.classList.add("root");
      cells.set(`${row} ${column}`, cell);
    }
    element.replaceChildren(...cells.values());
    touch.setCells([...cells.values()]);
    arrange();
    if (focused) keepFocus(`${focused.row} ${focused.column}`);
  };

  const keepFocus = (place) => {
    const [first] = cells.values();
    const cell = cells.get(place) ?? first;
    if (!cell) return;
    first.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus({ preventScroll: true });
  };

  // The node's rows are octaves; wide ones become columns, or are folded in two.
  const arrange = () => {
    const { clientWidth: width, clientHeight: height } = element;
    if (!width || !cells.size) return;
    const ways = [];
    for (const fold of [1, 2, 3]) {
      const line = Math.ceil(size.columns / fold);
      const lines = fold === 1 ? size.rows : Math.ceil(cells.size / line);
      for (const turned of [false, true]) {
        const [across, down] = turned ? [lines, line] : [line, lines];
        const room = Math.min(1, width / across / least.width, height / down / least.height);
        ways.push({ line, fold, turned, across, down, room });
      }
    }
    const { line, fold, turned, across, down } = ways.reduce((best, way) => (way.room > best.room + 0.001 ? way : best));
    element.style.setProperty("--across", across);
    element.style.setProperty("--down", down);
    for (const cell of cells.values()) {
      const [row, column] = [Number(cell.dataset.row) - 1, Number(cell.dataset.column) - 1];
      // Rows alternate in direction, and so do the halves of a folded one.
      const along = row % 2 ? size.columns - 1 - column : column;
      const piece = Math.floor(along / line);
      const number = row * fold + piece;
      const step = along % line;
      const isBack = fold > 1 && number % 2;
      let place = fold === 1 ? column : isBack ? line - 1 - step : step;
      // The last cell of a row fills its line.
      const length = along === size.columns - 1 ? line - step : 1;
      if (isBack) place -= length - 1;
      const areas = [`${number + 1}`, `${place + 1} / span ${length}`];
      [cell.style.gridRow, cell.style.gridColumn] = turned ? areas.reverse() : areas;
    }
  };
  new ResizeObserver(arrange).observe(element);

  let due;
  const later = () => {
    clearTimeout(due);
    due = setTimeout(build, 30);
  };
  listen("/grid/layout", (rows, columns) => {
    if (columns === undefined) return;
    size = { rows, columns };
    collecting = [];
    // Lit cells are reported after the cells.
    lit.clear();
    later();
  });
  listen("/grid/cell", (row, column, name, key) => {
    collecting.push({ row, column, name, key });
    later();
  });
  watch("/grid/root", () => collecting.length && later());

  const light = (place) => {
    const cell = cells.get(place);
    if (!cell) return;
    const strength = lit.get(place) ?? 0;
    cell.classList.toggle("lit", strength > 0);
    if (strength > 0) cell.style.setProperty("--strength", strength.toFixed(2));
  };
  listen("/grid/lit", (row, column, strength) => {
    const place = `${row} ${column}`;
    lit.set(place, strength);
    light(place);
  });
  // Without a connection, no cell is known to sound.
  onLink((state) => {
    if (state === "open") return;
    lit.clear();
    for (const place of cells.keys()) light(place);
  });
}

/** Makes the seven keys of an octave in an element. */
export function setUpPiano(element) {
  const keys = [..."CDEFGAB"].map((name, at) =>
    make("div", "key", { role: "button", tabindex: at ? -1 : 0, "data-cell": "", "data-key": at + 1, "aria-label": `${name}, piano` }, make("b", "", {}, name)));
  element.append(...keys);
  const touch = surface(element, {
    press: (key, velocity) => [`/piano/${key.dataset.key}`, velocity],
    release: (key) => [`/piano/${key.dataset.key}`, 0],
  });
  touch.setCells(keys);
  watch("/piano/octave", () => touch.letGo());
}

// A large instrument takes time to load; the current one plays until then.
function setUpLoading() {
  const picks = document.querySelectorAll(".loads");
  watch("/instrument/loading", (part) => {
    for (const pick of picks) pick.style.setProperty("--run", part < 1 ? part : 0);
  });
}
