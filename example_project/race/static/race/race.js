// The race: fetches an endpoint by both lanes, compares the bodies, and shows where the time went.
"use strict";

const LANES = ["stock", "fastschema"];
const PARTS = ["database", "instances", "serialization", "waiting", "transfer"];
const KEPT_RUNS = 10;
/** How many times to race, by the number of rows: short requests vary most. */
const TIMES = { 20: 9, 1000: 5 };

const form = document.getElementById("race");
const say = (text) => { document.getElementById("status").textContent = text; };
const complain = (text) => { document.getElementById("error").textContent = text; };
const number = (value, digits = 0) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const milliseconds = (value) => number(value, value < 10 ? 2 : value < 100 ? 1 : 0);

/** Fetch one lane. Returns its body and its times in milliseconds; throws what to tell the user. */
async function run(lane, endpoint, rows) {
  const url = new URL(endpoint, location.href);
  url.search = new URLSearchParams({ limit: rows, lane });
  performance.clearResourceTimings();
  let response, body;
  try {
    response = await fetch(url, { cache: "no-store", headers: { Accept: "application/json" } });
    body = new Uint8Array(await response.arrayBuffer());
  } catch {
    throw new Error(`The lane of ${lane} failed: the server does not answer. Is it still running?`);
  }
  if (!response.ok) {
    throw new Error(
      `The lane of ${lane} failed: the server answered ${response.status} ` +
      `${response.statusText}. What it prints says why; has the database been migrated?`);
  }
  return { body, times: times(response, await timing(url)) };
}

/** What the browser measured of a request; it is there soon after the body. */
async function timing(url) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const [entry] = performance.getEntriesByName(url.href, "resource");
    if (entry) return entry;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("This browser does not say how long a request takes (Resource Timing).");
}

/** The parts of a request, first byte and whole: what the server measured, and the browser. */
function times(response, entry) {
  const header = response.headers.get("Server-Timing");
  if (!header) throw new Error("The server does not say where the time went (Server-Timing).");
  const server = Object.fromEntries(header.split(", ").map((each) => {
    const [name, duration] = each.split(";dur=");
    return [name, Number(duration)];
  }));
  const firstByte = entry.responseStart - entry.startTime;
  return {
    database: server.database ?? 0,
    instances: server.instances,
    serialization: server.serialization,
    waiting: Math.max(0, firstByte - server.total),
    transfer: entry.responseEnd - entry.responseStart,
    firstByte,
    whole: entry.responseEnd - entry.startTime,
  };
}

/** The index of the first byte that is not the same; -1 if all are. */
function firstDifference(one, other) {
  const length = Math.max(one.length, other.length);
  for (let index = 0; index < length; index++) {
    if (one[index] !== other[index]) return index;
  }
  return -1;
}

/** Of several runs of a lane the one in the middle, by its whole time. */
function middle(runs) {
  const inOrder = runs.map((each) => each.times).sort((one, other) => one.whole - other.whole);
  return inOrder[Math.floor(inOrder.length / 2)];
}

/** Race both lanes, one after the other, as often as the rows ask for. Returns the run; throws what
 * to tell the user. */
async function race(endpoint, rows, isStockFirst) {
  const results = { stock: [], fastschema: [] };
  const count = TIMES[rows] ?? 1;
  for (let turn = 0; turn < count; turn++) {
    const isForward = isStockFirst === (turn % 2 === 0);
    for (const lane of isForward ? LANES : [...LANES].reverse()) {
      say(`${number(rows)} rows by ${lane}, ${turn + 1} of ${count} …`);
      results[lane].push(await run(lane, endpoint, rows));
    }
  }
  const { body } = results.stock[0];
  const differences = [...results.stock, ...results.fastschema]
    .map((each) => firstDifference(body, each.body));
  const found = JSON.parse(new TextDecoder().decode(body)).length;
  if (!found) {
    throw new Error(
      "The database has no flights. Stop the server and run “make demo”, " +
      "or “python manage.py load_flights”.");
  }
  return {
    time: new Date().toLocaleTimeString(),
    endpoint,
    asked: rows,
    rows: found,
    bytes: body.length,
    difference: differences.find((each) => each >= 0) ?? -1,
    isStockFirst,
    stock: middle(results.stock),
    fastschema: middle(results.fastschema),
  };
}

const factor = (run) => run.stock.whole / run.fastschema.whole;

function summary(run) {
  const isFaster = factor(run) >= 1;
  const times = number(isFaster ? factor(run) : 1 / factor(run), 1);
  const few = run.rows < run.asked ? ` The database has only ${number(run.rows)} flights.` : "";
  return `fastschema is ${times} times ${isFaster ? "faster" : "slower"}: ` +
    `${milliseconds(run.fastschema.whole)} ms, stock ${milliseconds(run.stock.whole)} ms. ` +
    (run.difference < 0 ? `The same ${number(run.bytes)} bytes.` : "") + few;
}

function showResult(run) {
  const longest = Math.max(run.stock.whole, run.fastschema.whole);
  for (const [index, lane] of LANES.entries()) {
    const bar = document.querySelector(`.bar[data-lane=${lane}]`);
    bar.replaceChildren();
    for (const part of PARTS) {
      const share = (run[lane][part] ?? 0) / longest;
      const segment = bar.appendChild(document.createElement("i"));
      segment.dataset.part = part;
      segment.style.width = `${share * 100}%`;
      if (share > 0.15) segment.textContent = milliseconds(run[lane][part]);
    }
    const ratio = lane === "fastschema" ? ` (${number(factor(run), 1)}×)` : "";
    bar.nextElementSibling.textContent = `${milliseconds(run[lane].whole)} ms${ratio}`;
    bar.appendChild(document.createElement("b")).style.left =
      `${run[lane].firstByte / longest * 100}%`;
    bar.getAnimations().forEach((each) => each.play()); // once more
    for (const row of document.querySelectorAll("#result tr[data-part]")) {
      const value = run[lane][row.dataset.part];
      const cell = row.querySelectorAll("td")[index];
      cell.textContent = value === undefined ? "–" : milliseconds(value);
    }
  }
}

function showHistory(runs) {
  const rows = runs.map((run) => {
    const row = document.createElement("tr");
    const bodies = run.difference < 0 ? "the same" : `differ from byte ${number(run.difference)} on`;
    for (const text of [
      run.time, run.endpoint, number(run.rows), milliseconds(run.stock.whole),
      milliseconds(run.fastschema.whole), number(factor(run), 1), bodies,
    ]) {
      row.insertCell().textContent = text;
    }
    for (const index of [0, 1]) row.cells[index].className = "wide";
    for (const index of [2, 3, 4, 5]) row.cells[index].className = "number";
    return row;
  });
  document.querySelector("#history tbody").replaceChildren(...rows);
  document.getElementById("history").hidden = !runs.length;
}

// The last runs of this tab, the newest first; they outlive a reload.
const KEY = `race ${document.title}`;
let runs = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
let isRunning = false;
showHistory(runs);
if (runs.length) showResult(runs[0]);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isRunning) return;
  isRunning = true;
  form.setAttribute("aria-busy", "true");
  complain("");
  try {
    const { endpoint, rows } = Object.fromEntries(new FormData(form));
    const run = await race(endpoint, Number(rows), !runs[0]?.isStockFirst);
    runs = [run, ...runs].slice(0, KEPT_RUNS);
    sessionStorage.setItem(KEY, JSON.stringify(runs));
    showResult(run);
    showHistory(runs);
    say(summary(run));
    if (run.difference >= 0) {
      complain(`The bodies differ from byte ${number(run.difference)} on.`);
    }
  } catch (error) {
    say("");
    complain(error.message);
  } finally {
    isRunning = false;
    form.removeAttribute("aria-busy");
  }
});
