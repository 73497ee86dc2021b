// A sentence: choose a word in it, see which sense is meant and which of the other words decided.

import { go, href } from "./address.js";
import { ask } from "./api.js";
import { element, figure, freshId, percent } from "./dom.js";
import { bar, columns, problem } from "./forms.js";

const EXAMPLE = "the boat was tied to a tree on the bank of the river";
const LONGEST = 2000;
const DECIDING = 6;

export function showSentence(place, given, { models, signal }) {
  const text = given.get("text") ?? "";
  const id = freshId("sentence");
  const area = element("textarea", { id, rows: 3, maxlength: LONGEST, placeholder: EXAMPLE, onkeydown: enter }, text);
  const form = element("form", { class: "sentence", onsubmit: submit },
    element("label", { for: id }, "Sentence"), area, element("button", { type: "submit" }, "Read"));
  const line = element("div", { class: "tokens", role: "group", "aria-label": "Words of the sentence" });
  const answers = element("div", { "aria-live": "polite" });
  place.append(element("h1", {}, "A sentence and its senses"), form, line, answers);
  let inner = null;
  if (!text) {
    area.focus();
    return undefined;
  }
  ask("tokens", { text, model: models[0].name }, signal).then((tokens) => {
    draw(tokens);
    choose(given.get("at"));
  }).catch((error) => { if (error.name !== "AbortError") answers.replaceChildren(problem(error)); });

  function submit(event) {
    event.preventDefault();
    go(href("/sentence", { text: area.value.trim() || EXAMPLE }));
  }
  function enter(event) {
    if (event.key === "Enter" && !event.shiftKey) submit(event);
  }

  function draw(tokens) {
    line.replaceChildren(...tokens.flatMap(({ before, token, word }, at) => [
      before,
      word === null
        ? element("span", { class: "unknown", title: "not in the model" }, token)
        : element("button", {
          type: "button", "data-at": at, "data-word": word, "aria-pressed": "false",
          onclick: () => go(href("/sentence", { text, at })),
        }, token),
    ]));
  }

  function choose(at) {
    inner?.abort();
    inner = new AbortController();
    signal.addEventListener("abort", () => inner.abort(), { once: true });
    let chosen = null;
    for (const button of line.querySelectorAll("button")) {
      const pressed = button.dataset.at === at;
      button.setAttribute("aria-pressed", String(pressed));
      if (pressed) chosen = button.dataset.word;
    }
    if (chosen === null) {
      answers.replaceChildren(element("p", { class: "hint" }, "Choose a word."));
      return;
    }
    answers.replaceChildren(columns(models, inner.signal, (model) => filled(chosen, text, model, inner.signal)));
  }

  // Another word of the same sentence: the sentence stays as it is.
  return (next) => {
    if ((next.get("text") ?? "") === text && line.childElementCount) {
      choose(next.get("at"));
      return undefined;
    }
    inner?.abort();
    place.replaceChildren();
    return showSentence(place, next, { models, signal });
  };
}

async function filled(word, context, { name: model, context: tables, config }, signal) {
  let answer;
  try {
    answer = await ask("disambiguate", { word, context, model }, signal);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return problem(error, word, model, "/word");
  }
  const cards = answer.senses.map((probability, sense) => {
    const spoke = answer.context.map((entry) => [entry.word, entry.log_odds[sense]]);
    const deciding = spoke.filter(([, odds]) => Math.abs(odds) >= 0.005).slice(0, DECIDING);
    const most = Math.max(1e-9, ...spoke.map(([, odds]) => Math.abs(odds)));
    return element("article", { class: `card sense sense-${sense % 6}`, "aria-label": `${word}:${sense}` },
      element("h3", {}, element("a", { class: "key", href: href("/word", { word }) }, `${word}:${sense}`), " ", element("span", { class: "about" }, answer.labels[sense].join(", "))),
      element("p", { class: "probability" }, bar(probability), element("strong", {}, percent(probability))),
      element("h4", {}, "Words that decided"),
      deciding.length
        ? element("ol", { class: "evidence" }, deciding.map(([other, odds]) => element("li", {},
          element("span", {}, other), bar(Math.abs(odds) / most, odds < 0 ? "against" : ""),
          element("span", { class: "score" }, `${odds < 0 ? "" : "+"}${figure(odds, 2)}`))))
        : element("p", { class: "hint" }, answer.senses.length === 1 ? "There is one sense only." : "None: every word fits all senses alike."));
  });
  return [
    element("div", { class: "senses" }, cards),
    element("p", { class: "hint" }, "Figures are what a word adds to the log-odds of the sense against the others.",
      answer.unknown.length ? ` Not in the model: ${answer.unknown.join(", ")}.` : "",
      tables || !config.separate_output ? "" : " This model was saved without its output tables: the answer is less certain."),
  ];
}
