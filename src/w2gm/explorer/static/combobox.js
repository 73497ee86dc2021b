// A field that completes words while they are typed, by the pattern of a combobox with a list.

import { ask } from "./api.js";
import { element, figure, freshId } from "./dom.js";

const TOPN = 10;

// model: a function giving the model to search. choose: called with the word. hidden: the label is for screen readers.
export function combobox(label, { model, choose, value = "", placeholder = "", hidden = false, button = null }) {
  const listId = freshId("list");
  const inputId = freshId("word");
  const list = element("ul", { id: listId, role: "listbox", "aria-label": "Words", hidden: true });
  const input = element("input", {
    id: inputId, type: "text", role: "combobox", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 200,
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": listId, placeholder, value,
    oninput: () => search(), onkeydown: steer, onblur: close,
  });
  const form = element(
    "form", { class: "combobox", role: "search", "aria-label": label, onsubmit: submit },
    element("label", { for: inputId, class: hidden ? "unseen" : null }, label),
    element("div", { class: "field" }, input, list),
    button ? element("button", { type: "submit" }, button) : null,
  );
  let active = -1;
  let pending = null;

  async function search() {
    pending?.abort();
    pending = new AbortController();
    const asked = input.value;
    if (!asked.trim()) return close();
    try {
      const found = await ask("complete", { text: asked.trim(), topn: TOPN, model: model() }, pending.signal);
      draw(found);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  }

  function draw(found) {
    active = -1;
    list.replaceChildren(...found.map(({ word, count, edits }, place) => element(
      "li",
      {
        role: "option", id: `${listId}-${place}`, "aria-selected": "false", "data-word": word,
        // The field must not lose the focus before the click arrives.
        onpointerdown: (event) => event.preventDefault(), onclick: () => take(word),
      },
      element("span", { class: edits ? "near" : null }, word),
      element("span", { class: "count" }, figure(count)),
    )));
    // The answer may come after the field was left.
    const open = found.length > 0 && document.activeElement === input;
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    input.removeAttribute("aria-activedescendant");
  }

  function close() {
    pending?.abort();
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function steer(event) {
    const options = [...list.children];
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) return void search();
      const step = event.key === "ArrowDown" ? 1 : -1;
      active = active < 0 && step < 0 ? options.length - 1 : (active + step + options.length) % options.length;
      options.forEach((option, place) => option.setAttribute("aria-selected", String(place === active)));
      input.setAttribute("aria-activedescendant", options[active].id);
      options[active].scrollIntoView({ block: "nearest" });
    }
  }

  function submit(event) {
    event.preventDefault();
    const word = !list.hidden && active >= 0 ? list.children[active].dataset.word : input.value.trim();
    if (word) take(word);
  }

  function take(word) {
    input.value = word;
    close();
    choose(word);
  }

  return { form, input };
}
