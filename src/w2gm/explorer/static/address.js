// Every view has an address: a path and parameters. Chosen models go along from view to view.

export function parameters() {
  return new URLSearchParams(location.search);
}

export function chosenModels(all) {
  const named = parameters().getAll("model").filter((name) => all.includes(name));
  return named.length ? [...new Set(named)] : all;
}

// The address of a view; parameters that are empty are left out, models stay unless given.
export function href(path, given = {}, models = parameters().getAll("model")) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  for (const model of models) query.append("model", model);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

// Go to an address: a new entry in the history, or the present one changed.
export function go(address, { replace = false, silent = false } = {}) {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  if (!silent) dispatchEvent(new Event("address"));
}
