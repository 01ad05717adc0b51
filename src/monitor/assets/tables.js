// The tables of applications, connections, components and nodes.
import {element, keepChildren, setAttribute, setText, svg} from "./dom.js";
import {bytesPerSecond, count, end, microseconds, percent, perSecond} from "./format.js";
import {layersOf} from "./picture.js";

/** A table whose rows are kept. `columns`: {title, make(key) → content, update(content, value, key)}.
 *  `nothing`: what is shown instead of an empty one. */
class Table {
  constructor(parent, label, columns, nothing) {
    this.columns = columns;
    this.body = element("tbody");
    this.table = element("table", {"aria-label": label, hidden: true},
      element("thead", {}, element("tr", {}, ...columns.map(each => element("th", {scope: "col",
        class: each.number && "number"}, each.title)))),
      this.body);
    this.nothing = element("p", {class: "nothing"}, "The domain is being read…");
    this.nothingText = nothing;
    parent.append(this.table, this.nothing);
  }

  update(items) {
    this.table.hidden = items.length === 0;
    this.nothing.hidden = items.length > 0;
    setText(this.nothing, this.nothingText);
    keepChildren(this.body, items, key => this.makeRow(key), (row, value, key) =>
      this.columns.forEach((column, index) => column.update(row.contents[index], value, key)));
  }

  makeRow(key) {
    const contents = this.columns.map(column => column.make(key));
    const cells = this.columns.map((column, index) =>
      element(index === 0 ? "th" : "td", {"data-label": column.title, scope: index === 0 && "row",
        class: column.number && "number"}, contents[index]));
    const row = element("tr", {}, ...cells);
    row.contents = contents;
    return row;
  }
}

const text = (title, value, number = false) => ({
  title, number,
  make: () => element("span"),
  update: (content, row, key) => setText(content, value(row, key)),
});

const link = (title, value, action) => ({
  title,
  make: key => element("button", {type: "button", class: "link", onclick: () => action(key)}),
  update: (content, row, key) => setText(content, value(row, key)),
});

const badge = (title, value) => ({
  title,
  make: () => element("span", {class: "badge"}),
  update: (content, row) => {
    setText(content, value(row) ?? "not known");
    setAttribute(content, "data-state", value(row) ?? "unknown");
  },
});

/** A bar with a text: the part of `most` that `value` is. */
const bar = (title, value, most, label) => ({
  title,
  make: () => {
    const level = svg("rect", {class: "level", height: 6, rx: 3});
    const note = element("span");
    const drawing = svg("svg", {class: "bar", viewBox: "0 0 60 6", "aria-hidden": "true"},
      svg("rect", {class: "gauge", width: 60, height: 6, rx: 3}), level);
    return Object.assign(element("span", {class: "with-bar"}, drawing, note), {level, note});
  },
  update: (content, row) => {
    const part = most(row) ? Math.min(1, (value(row) ?? 0) / most(row)) : 0;
    setAttribute(content.level, "width", (60 * part).toFixed(1));
    setAttribute(content.level, "data-high", part > 0.8);
    setText(content.note, label(row));
  },
});

/** A histogram of latencies without numbers. */
const sketch = title => ({
  title,
  make: () => svg("svg", {class: "sketch", viewBox: "0 0 80 20", "aria-hidden": "true"}, svg("path")),
  update: (content, row) => {
    const buckets = row.latency?.histogram ?? [];
    const most = Math.max(1, ...buckets.map(each => each[1]));
    const from = Math.log(buckets[0]?.[0] ?? 1);
    const range = Math.log(buckets.at(-1)?.[0] ?? 2) - from || 1;
    const x = upper => 2 + (Math.log(upper) - from) / range * 76;
    const bars = buckets.map(([upper, packets]) =>
      `M${x(upper).toFixed(1)},20v-${Math.max(1, packets / most * 19).toFixed(1)}`);
    setAttribute(content.firstChild, "d", bars.join(""));
  },
});

export class Tables {
  /** `actions`: select({kind, id}), run(what, promise), start, stop, release. */
  constructor(parents, actions) {
    this.actions = actions;
    this.mayChange = false;
    this.applications = new Table(parents.applications, "Applications", [
      text("Name", row => row.name), badge("State", row => row.state),
      text("Installed as", (row, key) => this.domain.installed[row.installed]?.name ?? row.installed ?? ""),
      text("Failure", row => row.failure ?? ""), this.commands()], "No application has been created.");
    this.connections = new Table(parents.connections, "Connections", [
      link("Connection", row => `${end(this.domain, row.from)} → ${end(this.domain, row.to)}`,
        id => actions.select({kind: "connection", id})),
      text("Transport", row => row.broken ? "broken" : row.transport ?? ""),
      text("Packets", row => perSecond(row.packets_per_s), true),
      text("Samples", row => bytesPerSecond(row.bytes_per_s), true),
      text("Lost", row => count(row.lost), true),
      bar("Queue", row => row.queue?.depth, row => row.queue?.limit,
        row => row.queue ? `${row.queue.depth} / ${row.queue.limit}` : "–"),
      text("p50", row => microseconds(row.latency?.p50_us), true),
      text("p99", row => microseconds(row.latency?.p99_us), true),
      sketch("Latency")], "There are no connections.");
    this.components = new Table(parents.components, "Components", [
      link("Component", row => row.name, id => actions.select({kind: "component", id})),
      badge("State", row => row.state),
      text("Node", row => this.domain.nodes[row.node]?.label ?? row.node ?? ""),
      text("Process", row => row.process === undefined ? "" : String(row.process), true),
      bar("CPU", row => row.cpu_percent, () => 100, row => percent(row.cpu_percent))],
        "There are no components.");
    this.nodes = parents.nodes;
  }

  commands() {
    const button = (label, action) => key => element("button", {type: "button",
      onclick: () => this.actions.run(`${label} ${this.domain.applications[key]?.name ?? key}`,
        action(key))}, label);
    return {
      title: "Commands",
      make: key => element("span", {class: "row"}, button("Start", this.actions.start)(key),
        button("Stop", this.actions.stop)(key), element("button", {type: "button", class: "danger",
          onclick: () => this.release(key)}, "Release")),
      update: (content, row) => {
        const [start, stop, release] = content.children;
        start.disabled = !this.mayChange || row.state !== "stopped";
        stop.disabled = !this.mayChange || row.state !== "started";
        release.disabled = !this.mayChange || row.state === "releasing";
      },
    };
  }

  release(key) {
    const name = this.domain.applications[key]?.name ?? key;
    if (confirm(`Release ${name}? Its components end.`))
      this.actions.run(`Release ${name}`, this.actions.release(key));
  }

  update(domain, mayChange) {
    this.domain = domain;
    this.mayChange = mayChange;
    const components = Object.entries(domain.components);
    const connections = Object.entries(domain.connections);
    const layers = layersOf(components, connections);
    const inFlow = (of, layer) => (a, b) =>
      (of(a).application ?? "").localeCompare(of(b).application ?? "") || layer(a) - layer(b);
    components.sort(inFlow(([, each]) => each, ([id]) => layers.get(id)));
    connections.sort(inFlow(([, each]) => each, ([, each]) => layers.get(each.from.component) ?? -1));
    this.applications.update(Object.entries(domain.applications));
    this.connections.update(connections);
    this.components.update(components);
    this.updateNodes(domain);
  }

  updateNodes(domain) {
    keepChildren(this.nodes, Object.entries(domain.nodes), () =>
      element("article", {class: "card"}, element("h3"), element("p", {class: "badge"}), element("ul")),
    (card, node, id) => {
      const [title, state, devices] = card.children;
      setText(title, node.label || id);
      setText(state, node.responds ? "responds" : "does not respond");
      setAttribute(state, "data-state", node.responds ? "started" : "failed");
      keepChildren(devices, Object.entries(node.devices), () => element("li"), (item, device, key) =>
        setText(item, [device.label || key, device.usage, device.administration, device.operation]
          .filter(Boolean).join(" · ")));
    });
  }
}
