// Details of the selected component or connection.
import {element, keepChildren, setText, svg} from "./dom.js";
import {bytesPerSecond, count, end, microseconds, percent, perSecond} from "./format.js";
import * as model from "./model.js";

/** Bars of a histogram of latencies, with a logarithmic axis. */
function histogram(latency) {
  const buckets = latency?.histogram ?? [];
  if (!buckets.length) return element("p", {class: "nothing"}, "No packet in the last seconds.");
  const width = 320;
  const height = 110;
  const floor = height - 20;
  const from = Math.floor(Math.log2(buckets[0][0]));
  const to = Math.max(from + 2, Math.ceil(Math.log2(buckets.at(-1)[0])));
  const at = us => 8 + (Math.log2(us) - from) / (to - from) * (width - 16);
  const most = Math.max(...buckets.map(each => each[1]));
  const bars = buckets.map(([upper, packets]) => {
    const tall = Math.max(1.5, packets / most * (floor - 6));
    const wide = Math.max(2, at(upper) - at(upper * 8 / 9) - 1);
    return svg("rect", {class: "column", x: at(upper) - wide, y: floor - tall, width: wide, height: tall},
      svg("title", {}, `up to ${microseconds(upper)}: ${packets}`));
  });
  const step = Math.max(1, Math.ceil((to - from) / 5));
  const ticks = [];
  for (let power = from; power <= to; power += step) {
    ticks.push(svg("text", {x: Math.min(width - 24, Math.max(18, at(2 ** power))), y: height - 5,
      "text-anchor": "middle"}, microseconds(2 ** power)));
  }
  const marks = ["p50_us", "p99_us"].map(name => svg("line", {class: "mark", x1: at(latency[name]), y1: 2,
    x2: at(latency[name]), y2: floor},
      svg("title", {}, `${name.slice(0, 3)}: ${microseconds(latency[name])}`)));
  return svg("svg", {class: "histogram", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Histogram of latencies: half of the packets below ${microseconds(latency.p50_us)}, ` +
      `99 of 100 below ${microseconds(latency.p99_us)}`},
  svg("line", {class: "axis", x1: 4, y1: floor, x2: width - 4, y2: floor}), ...bars, ...marks, ...ticks);
}

/** The range of a property: ", 0 to 10". */
function rangeOf({min, max}) {
  if (min === undefined && max === undefined) return "";
  if (max === undefined) return `, at least ${min}`;
  return min === undefined ? `, at most ${max}` : `, ${min} to ${max}`;
}

/** The field of a property: a list of its enumeration, several lines of JSON, or one line. */
function propertyInput(property) {
  const attributes = {name: property.id, "data-property": property.id};
  if (property.choices) {
    const isKnown = property.choices.some(each => each.value === property.value);
    const choices = isKnown ? property.choices
      : [{value: property.value, label: property.value}, ...property.choices];
    return element("select", {...attributes, disabled: !property.writable}, ...choices.map(each =>
      element("option", {value: each.value, selected: each.value === property.value},
        each.label === each.value ? each.label : `${each.label} (${each.value})`)));
  }
  if (property.structured)
    return element("textarea", {...attributes, readonly: !property.writable, spellcheck: "false",
      rows: Math.min(8, property.value.split("\n").length)}, property.value);
  return element("input", {...attributes, value: property.value, autocomplete: "off",
    spellcheck: "false", readonly: !property.writable});
}

export class Detail {
  constructor(section, run, closed) {
    this.section = section;
    this.run = run;
    this.title = element("h2", {id: "detail-title", tabindex: -1});
    this.facts = element("dl", {class: "facts"});
    this.chart = element("div");
    this.properties = element("div");
    const close = element("button", {type: "button", onclick: () => this.close(),
      "aria-label": "Close details"}, "✕");
    section.append(element("div", {class: "row spread"}, this.title, close), this.facts,
      this.chart, this.properties);
    section.addEventListener("keydown", event => event.key === "Escape" && this.close());
    this.closed = closed;
  }

  async show(selection, domain) {
    this.opener = document.activeElement;
    this.selection = selection;
    this.section.hidden = false;
    this.properties.replaceChildren();
    this.chart.replaceChildren();
    this.update(domain);
    this.title.focus({preventScroll: true});
    this.section.scrollIntoView({block: "nearest"});
    if (selection.kind === "component") await this.readProperties();
  }

  close() {
    this.selection = null;
    this.section.hidden = true;
    this.closed();
    if (this.opener?.isConnected) this.opener.focus();
  }

  update(domain) {
    if (!this.selection) return;
    const {kind, id} = this.selection;
    const found = domain[`${kind}s`][id];
    if (!found) {
      this.close();
      return;
    }
    const facts = kind === "component" ? this.componentFacts(domain, found)
      : this.connectionFacts(domain, found);
    setText(this.title, kind === "component" ? found.name
      : `${end(domain, found.from)} → ${end(domain, found.to)}`);
    keepChildren(this.facts, facts.filter(([, value]) => value !== undefined && value !== ""),
      () => element("div", {}, element("dt"), element("dd")),
      (pair, value, name) => {
        setText(pair.firstChild, name);
        setText(pair.lastChild, value);
      });
    if (kind === "connection") this.chart.replaceChildren(histogram(found.latency));
    for (const each of this.properties.querySelectorAll("[data-change]")) each.disabled = !model.mayChange();
  }

  componentFacts(domain, component) {
    const ports = Object.entries(component.ports).map(([name, port]) => `${name} (${port.direction})`);
    return [["State", component.state], ["CPU", percent(component.cpu_percent)],
      ["Processor time", component.cpu_seconds === undefined ? undefined
        : `${component.cpu_seconds.toFixed(1)} s`],
      ["Node", domain.nodes[component.node]?.label ?? component.node], ["Device", component.device],
      ["Process", component.process === undefined ? undefined : String(component.process)],
      ["Ports", ports.join(", ")],
      ...Object.entries(component.counters).map(([name, value]) => [name, count(value)])];
  }

  connectionFacts(domain, connection) {
    return [["Transport", connection.transport], ["Packets", perSecond(connection.packets_per_s)],
      ["Samples", bytesPerSecond(connection.bytes_per_s)], ["Received", count(connection.packets)],
      ["Lost", count(connection.lost)], ["Reordered", count(connection.reordered)],
      ["Queue", connection.queue && `${connection.queue.depth} of ${connection.queue.limit}`],
      ["Most in queue", connection.queue && String(connection.queue.high_water)],
      ["p50", microseconds(connection.latency?.p50_us)], ["p99", microseconds(connection.latency?.p99_us)],
      ["Maximum", microseconds(connection.latency?.max_us)]];
  }

  async readProperties() {
    const {id} = this.selection;
    this.properties.replaceChildren(element("p", {class: "nothing"}, "Reading properties…"));
    let list;
    try {
      list = await model.properties(id);
    } catch (error) {
      if (this.selection?.id === id)
        this.properties.replaceChildren(element("p", {class: "problem"}, error.message));
      return;
    }
    if (this.selection?.id !== id) return;
    this.properties.replaceChildren(element("h3", {}, "Properties"),
      ...list.map(property => this.propertyForm(id, property)),
      list.length ? "" : element("p", {class: "nothing"}, "The component has no properties."));
  }

  propertyForm(component, property) {
    const label = property.name && property.name !== property.id
      ? `${property.id}: ${property.name}` : property.id;
    const input = propertyInput(property);
    const set = property.writable &&
      element("button", {type: "submit", "data-change": true, disabled: !model.mayChange()}, "Set");
    const change = event => {
      event.preventDefault();
      this.run(`Set ${property.id}`, model.setProperty(component, property.id, input.value));
    };
    return element("form", {class: "property", onsubmit: change},
      element("label", {title: property.description}, element("span", {}, label,
        element("small", {}, ` ${property.type}${rangeOf(property)}`)), input),
      property.units && element("small", {class: "units"}, property.units), set || null);
  }
}
