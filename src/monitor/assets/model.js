// The domain, as the server's events describe it, and commands.

const listeners = {domain: [], log: [], status: [], access: []};
let domain = null;
let source = null;
let token = sessionStorage.getItem("orbweaver-token") ?? "";
let changes = "disabled";

export function on(name, listener) {
  listeners[name].push(listener);
}

function tell(name, value) {
  for (const each of listeners[name]) each(value);
}

/** JSON Merge Patch, RFC 7396. Objects that do not change remain the same. */
export function patched(target, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const base = target !== null && typeof target === "object" && !Array.isArray(target) ? target : {};
  const result = {...base};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = patched(base[name], value);
  }
  return result;
}

function receive(event, update) {
  domain = update(JSON.parse(event.data));
  tell("domain", domain);
}

function open() {
  if (source) return;
  source = new EventSource("/api/v1/events");
  source.addEventListener("open", () => {
    tell("status", "live");
    updateAccess();
  });
  source.addEventListener("snapshot", event => receive(event, data => data));
  source.addEventListener("change", event => domain && receive(event, data => patched(domain, data)));
  source.addEventListener("log", event => tell("log", JSON.parse(event.data)));
  source.addEventListener("error", () => {
    tell("status", "disconnected");
    if (source && source.readyState === EventSource.CLOSED) {
      close();
      setTimeout(open, 3000);
    }
  });
}

function close() {
  if (source) source.close();
  source = null;
}

/** Receives events while the page is visible: the domain is read only while somebody looks. */
export function connect() {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      close();
      tell("status", "paused");
    } else {
      open();
    }
  });
  open();
}

async function request(method, path, body) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(path, {method, headers,
    body: body === undefined ? body : JSON.stringify(body)});
  if (response.status === 204) return null;
  const data = await response.json();
  if (!response.ok) throw new Error(data.error ?? `status ${response.status}`);
  return data;
}

export async function updateAccess() {
  try {
    changes = (await request("GET", "/api/v1/access")).changes;
  } catch {
    changes = "disabled";
  }
  tell("access", changes);
}

export function mayChange() {
  return changes === "allowed";
}

/** Uses a token for changes; an empty one forgets it. Returns what changes are now. */
export async function useToken(text) {
  token = text;
  if (text) sessionStorage.setItem("orbweaver-token", text);
  else sessionStorage.removeItem("orbweaver-token");
  await updateAccess();
  return changes;
}

const applications = "/api/v1/applications";
const pathOf = (collection, id) => `/api/v1/${collection}/${encodeURIComponent(id)}`;

export const start = id => request("POST", `${pathOf("applications", id)}/start`);
export const stop = id => request("POST", `${pathOf("applications", id)}/stop`);
export const release = id => request("DELETE", pathOf("applications", id));
export const create = (installed, name) => request("POST", applications, {installed, name});
export const properties = id => request("GET", `${pathOf("components", id)}/properties`);
export const setProperty = (id, property, value) =>
  request("PATCH", `${pathOf("components", id)}/properties`, {[property]: value});
