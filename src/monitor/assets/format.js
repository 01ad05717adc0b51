// Numbers as people read them.

function digits(value) {
  return value < 10 ? value.toFixed(1) : Math.round(value).toString();
}

function scaled(value, units, step) {
  let at = 0;
  while (value >= step && at < units.length - 1) {
    value /= step;
    ++at;
  }
  return at === 0 && Number.isInteger(value) ? [String(value), units[0]] : [digits(value), units[at]];
}

export function count(value) {
  if (value === undefined) return "–";
  if (value < 10000) return Number.isInteger(value) ? String(value) : digits(value);
  const [number, unit] = scaled(value, ["", "k", "M", "G", "T"], 1000);
  return `${number} ${unit}`.trim();
}

export function perSecond(value) {
  return value === undefined ? "–" : `${count(value)}/s`;
}

export function bytesPerSecond(value) {
  if (value === undefined) return "–";
  const [number, unit] = scaled(value, ["B/s", "kB/s", "MB/s", "GB/s"], 1000);
  return `${number} ${unit}`;
}

export function microseconds(value) {
  if (value === undefined) return "–";
  if (value < 1) return `${Math.round(value * 1000)} ns`;
  const [number, unit] = scaled(value, ["µs", "ms", "s"], 1000);
  return unit === "µs" || value < 1e3 ? `${digits(value)} µs` : `${number} ${unit}`;
}

export function percent(value) {
  return value === undefined ? "–" : `${value.toFixed(1)} %`;
}

export function time(ms) {
  return new Date(ms).toLocaleTimeString([], {hour12: false});
}

/** The end of a connection: "source_1.speech_out". */
export function end(domain, of) {
  const component = domain.components[of.component];
  const name = component ? component.name : of.component ?? "elsewhere";
  return of.port ? `${name}.${of.port}` : name;
}
