// The frame around the views: search, the choice of models, and which view an address names.

import { chosenModels, go, href, parameters } from "./address.js";
import { ask } from "./api.js";
import { combobox } from "./combobox.js";
import { announce, element } from "./dom.js";
import { showHome } from "./home.js";
import { showMap } from "./map.js";
import { showPair } from "./pair.js";
import { showSentence } from "./sentence.js";
import { showWord } from "./word.js";

const VIEWS = { "/": showHome, "/word": showWord, "/pair": showPair, "/sentence": showSentence, "/map": showMap };
const place = document.getElementById("main");
let models = [];
let running = null; // what the present view left behind: { path, models, stop, update }

async function start() {
  models = await ask("models");
  document.getElementById("search").append(
    combobox("Search a word", {
      model: () => chosenModels(names())[0],
      choose: (word) => go(href("/word", { word })),
      placeholder: "Search a word",
      hidden: true,
    }).form,
  );
  document.addEventListener("click", followLink);
  addEventListener("popstate", () => show(true, false)); // the browser knows how far the page was scrolled
  addEventListener("address", () => show(true));
  show(false);
}

function names() {
  return models.map((model) => model.name);
}

function show(moved, upwards = moved) {
  const path = location.pathname;
  const chosen = chosenModels(names());
  drawModels(chosen);
  for (const link of document.querySelectorAll("nav a")) {
    const target = new URL(link.href).pathname;
    if (target === path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    link.setAttribute("href", href(target));
  }
  if (running?.update && running.path === path && running.models === chosen.join("\n")) {
    running.update = running.update(parameters()) ?? running.update;
    return;
  }
  running?.stop.abort();
  const stop = new AbortController();
  const view = { path, models: chosen.join("\n"), stop, update: null };
  running = view;
  const shown = models.filter((model) => chosen.includes(model.name));
  place.replaceChildren();
  // A view that can follow a change of its own parameters gives a function for it.
  view.update = VIEWS[path](place, parameters(), { models: shown, signal: stop.signal }) ?? null;
  const heading = place.querySelector("h1");
  document.title = `${heading.textContent} · w2gm explorer`;
  if (moved) {
    announce(heading.textContent);
    if (upwards) scrollTo(0, 0);
    // A form that asks for something takes the focus itself.
    if (!place.contains(document.activeElement)) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
  }
}

// Boxes to choose which models are shown; with one model there is nothing to choose.
function drawModels(chosen) {
  const bar = document.getElementById("models");
  if (models.length < 2) return;
  const boxes = models.map(({ name }) => {
    const box = element("input", { type: "checkbox", value: name, onchange: change });
    box.checked = chosen.includes(name);
    return element("label", {}, box, name);
  });
  if (bar.childElementCount) {
    bar.querySelectorAll("input").forEach((box) => { box.checked = chosen.includes(box.value); });
    return;
  }
  bar.append(element("fieldset", {}, element("legend", {}, "Models"), boxes));
  function change() {
    const wanted = [...bar.querySelectorAll("input:checked")].map((box) => box.value);
    const given = Object.fromEntries([...parameters()].filter(([name]) => name !== "model"));
    go(href(location.pathname, given, wanted.length === models.length ? [] : wanted));
  }
}

// Links within the explorer change the view without loading the page anew.
function followLink(event) {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const target = new URL(link.href);
  if (target.origin !== location.origin || !(target.pathname in VIEWS) || link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  go(target.pathname + target.search);
}

start().catch((error) => {
  place.replaceChildren(element("h1", {}, "No answer"), element("p", { class: "note", role: "alert" }, error.message));
});
