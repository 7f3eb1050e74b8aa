// The race: fetches an endpoint by both lanes, compares the bodies, and shows where the time went.
"use strict";

const LANES = ["stock", "fastschema"];
const PARTS = ["database", "instances", "serialization", "waiting", "transfer"];
const KEPT_RUNS = 10;
/** How many requests each lane gets, by the number of rows: short ones vary most. */
const TURNS = { 1: 50, 20: 50, 1000: 9, 20000: 3 };

const form = document.getElementById("race");
const bar = (lane) => document.querySelector(`.bar[data-lane=${lane}]`);
const say = (text) => { document.getElementById("status").textContent = text; };
const complain = (text) => { document.getElementById("error").textContent = text; };
const number = (value, digits = 0) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const milliseconds = (value) => number(value, value < 10 ? 2 : value < 100 ? 1 : 0);

/** Fetch one lane. Returns its body and its times in milliseconds; throws what to tell the user. */
async function run(lane, endpoint) {
  const url = new URL(endpoint, location.href);
  performance.clearResourceTimings();
  let response, body;
  try {
    const headers = { Accept: "application/json", "Race-Lane": lane };
    response = await fetch(url, { cache: "no-store", headers });
    body = new Uint8Array(await response.arrayBuffer());
  } catch {
    throw new Error(`The lane of ${lane} failed: the server does not answer. Is it still running?`);
  }
  if (!response.ok) {
    throw new Error(
      `The lane of ${lane} failed: the server answered ${response.status} ` +
      `${response.statusText}. What it prints says why. If the database has no tables or no ` +
      "flights, stop the server and run “make demo”.");
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

/** Of several requests the median, by their whole time. */
function median(times) {
  const inOrder = [...times].sort((one, other) => one.whole - other.whole);
  return inOrder[Math.floor(inOrder.length / 2)];
}

/** How many flights a body has: one, a list of them or a page. */
function rowsIn(body) {
  const value = JSON.parse(new TextDecoder().decode(body));
  const list = value.results ?? value;
  return Array.isArray(list) ? list.length : 1;
}

/** Race both lanes. Returns the run; throws what to tell the user. */
async function race(endpoint, title, asked) {
  const turns = TURNS[asked];
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, { times: [], spent: 0, rows: 0 }]));
  let body, rows;
  let difference = -1;
  showProgress(lanes, turns);
  // Not with each frame: drawing takes time from the server that is measured.
  const drawing = setInterval(showProgress, 50, lanes, turns);
  try {
    for (let turn = 0; turn < turns; turn++) {
      for (const name of turn % 2 ? [...LANES].reverse() : LANES) {
        const lane = lanes[name];
        lane.since = performance.now();
        const answer = await run(name, endpoint);
        lane.since = undefined;
        body ??= answer.body;
        rows ??= rowsIn(body);
        lane.times.push(answer.times);
        lane.spent += answer.times.whole;
        lane.rows += rows;
        if (difference < 0) difference = firstDifference(body, answer.body);
      }
    }
  } finally {
    clearInterval(drawing);
  }
  if (!rows) {
    throw new Error(
      "The database has no such flights. Stop the server and run “make demo”, " +
      "or “python manage.py load_flights”.");
  }
  return {
    time: new Date().toLocaleTimeString(),
    title,
    asked,
    rows,
    bytes: body.length,
    difference,
    stock: median(lanes.stock.times),
    fastschema: median(lanes.fastschema.times),
  };
}

/** Draw how long each lane has taken so far, and how many rows have arrived. */
function showProgress(lanes, turns) {
  const now = performance.now();
  const spent = LANES.map((lane) => lanes[lane].spent + now - (lanes[lane].since ?? now));
  const answered = LANES.map((lane) => lanes[lane].times.length);
  const longest = Math.max(...spent);
  // As long as the slower lane will take, as soon as both have answered; a guess before that.
  const full = Math.min(...answered)
    ? Math.max(longest, ...LANES.map((lane, index) => lanes[lane].spent / answered[index] * turns))
    : 2 ** Math.ceil(Math.log2(Math.max(longest, 1000)));
  for (const [index, lane] of LANES.entries()) {
    const segment = document.createElement("i");
    segment.dataset.part = "running";
    segment.style.width = `${spent[index] / full * 100}%`;
    bar(lane).replaceChildren(segment);
    label(lane, `${number(spent[index] / 1000, 2)} s`, `${number(lanes[lane].rows)} rows`);
  }
}

/** Say what a bar means, and a little more. */
function label(lane, text, more) {
  const small = document.createElement("small");
  small.textContent = more;
  bar(lane).nextElementSibling.replaceChildren(text, small);
}

const factor = (run) => run.stock.whole / run.fastschema.whole;

function summary(run) {
  const few = run.rows < run.asked ? ` The database has only ${number(run.rows)} such flights.` : "";
  return `fastschema is ${number(factor(run), 1)} times as fast: ` +
    `${milliseconds(run.fastschema.whole)} ms instead of ${milliseconds(run.stock.whole)} ms` +
    (run.difference < 0 ? `, for the same ${number(run.bytes)} bytes.` : ".") + few;
}

function showResult(run) {
  const longest = Math.max(run.stock.whole, run.fastschema.whole);
  for (const [index, lane] of LANES.entries()) {
    bar(lane).replaceChildren();
    for (const part of PARTS) {
      const share = (run[lane][part] ?? 0) / longest;
      const segment = bar(lane).appendChild(document.createElement("i"));
      segment.dataset.part = part;
      segment.style.width = `${share * 100}%`;
      if (share > 0.15) segment.textContent = milliseconds(run[lane][part]);
    }
    bar(lane).appendChild(document.createElement("b")).style.left =
      `${run[lane].firstByte / longest * 100}%`;
    const more = lane === "stock" ? "per request" : `${number(factor(run), 1)} times as fast`;
    label(lane, `${milliseconds(run[lane].whole)} ms`, more);
    for (const row of document.querySelectorAll("#result tr[data-part]")) {
      const value = run[lane][row.dataset.part];
      const cell = row.querySelectorAll("td")[index];
      cell.textContent = value === undefined ? "–" : milliseconds(value);
    }
  }
  document.getElementById("result").hidden = false;
}

function showHistory(runs) {
  const rows = runs.map((run) => {
    const row = document.createElement("tr");
    const bodies = run.difference < 0 ? "same" : `differ from byte ${number(run.difference)}`;
    for (const text of [
      run.time, run.title, number(run.rows), milliseconds(run.stock.whole),
      milliseconds(run.fastschema.whole), number(factor(run), 1), bodies,
    ]) {
      row.insertCell().textContent = text;
    }
    for (const index of [2, 3, 4, 5]) row.cells[index].className = "number";
    for (const index of [0, 2]) row.cells[index].classList.add("wide");
    if (run.difference >= 0) row.cells[6].className = "differ";
    return row;
  });
  document.querySelector("#history tbody").replaceChildren(...rows);
  document.getElementById("history").hidden = !runs.length;
}

/** Show the last run, or what is there before the first one. */
function showLast() {
  if (runs.length) {
    showResult(runs[0]);
    return;
  }
  for (const lane of LANES) {
    bar(lane).replaceChildren();
    label(lane, "0.00 s", "0 rows");
  }
}

// The last runs of this tab, the newest first; they outlive a reload.
const KEY = `race ${document.title}`;
let runs = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
let isRunning = false;
showHistory(runs);
showLast();

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isRunning) return;
  isRunning = true;
  form.setAttribute("aria-busy", "true");
  complain("");
  try {
    say("Racing …");
    const { value, dataset } = form.querySelector(":checked");
    const run = await race(value, dataset.title, Number(dataset.rows));
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
    showLast();
  } finally {
    isRunning = false;
    form.removeAttribute("aria-busy");
  }
});
