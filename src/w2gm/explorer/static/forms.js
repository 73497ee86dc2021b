// Parts that several views have: choices, errors with a way out, columns of models.

import { href } from "./address.js";
import { ask } from "./api.js";
import { element, freshId } from "./dom.js";

// A labelled choice; options are [value, text] pairs.
export function choice(label, options, value, onchange) {
  const id = freshId("choice");
  const select = element("select", { id, onchange: () => onchange(select.value) }, options.map(([name, text]) =>
    element("option", { value: name, selected: name === value }, text)));
  return element("div", { class: "choice" }, element("label", { for: id }, label), select);
}

// What went wrong in the server's words; for an unknown word, links to words that look like it.
export function problem(error, word, model, path, otherwise = {}) {
  const note = element("div", { class: "note", role: "alert" }, element("p", {}, error.message));
  if (error.status === 404 && word) {
    ask("complete", { text: word, topn: 5, model }).then((found) => {
      if (found.length) note.append(element("p", { class: "chips" }, "Did you mean ", found.map((each) =>
        element("a", { href: href(path, { ...otherwise, word: each.word }) }, each.word))));
    }).catch(() => {}); // the error above is enough
  }
  return note;
}

// One section for each model, filled when its answer is there; others do not wait.
export function columns(models, signal, fill) {
  return element("div", { class: "columns" }, models.map((model) => {
    const body = element("div", { "aria-busy": "true" }, element("p", { class: "waiting" }, "…"));
    const section = element(
      "section", { class: "column" },
      models.length > 1 ? element("h2", { class: "model" }, model.name, element("small", {}, ` ${model.senses} ${model.senses === 1 ? "sense" : "senses"} a word`)) : null,
      body,
    );
    fill(model, signal)
      .then((nodes) => body.replaceChildren(...[nodes].flat()))
      .catch((error) => { if (error.name !== "AbortError") body.replaceChildren(problem(error)); })
      .finally(() => body.removeAttribute("aria-busy"));
    return section;
  }));
}

// A bar from 0 to 1 beside its figure.
export function bar(share, kind = "") {
  const inner = element("span", { class: `fill ${kind}` });
  inner.style.inlineSize = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return element("span", { class: "bar", "aria-hidden": "true" }, inner);
}
