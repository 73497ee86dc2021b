// Questions to the JSON API. A refusal is an `Error` with the server's one line and its status.

export class Refusal extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

export async function ask(name, parameters = {}, signal = undefined) {
  const response = await fetched(name, parameters, signal);
  return response.json();
}

export async function askFloats(name, parameters = {}, signal = undefined) {
  const response = await fetched(name, parameters, signal);
  return new Float32Array(await response.arrayBuffer());
}

async function fetched(name, parameters, signal) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given);
  const response = await fetch(`/api/${name}?${query}`, { signal });
  if (!response.ok) {
    const body = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
    throw new Refusal(body.error, response.status);
  }
  return response;
}
