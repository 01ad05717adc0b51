// The live picture: components as boxes, in the order in which samples flow, and connections as lines. Wide:
// a lane for each node, from left to right. Narrow: from top to bottom.
import {keepChildren, setAttribute, setText, svg, element} from "./dom.js";
import {end, microseconds, percent, perSecond} from "./format.js";

const narrowBelow = 700;

/** The longest path to each component from one without inputs; loops are cut. */
export function layersOf(components, connections) {
  const senders = new Map(components.map(([id]) => [id, []]));
  for (const [, connection] of connections) {
    const {from, to} = connection;
    if (senders.has(to.component) && senders.has(from.component))
      senders.get(to.component).push(from.component);
  }
  const layers = new Map();
  const visiting = new Set();
  const layerOf = id => {
    if (layers.has(id)) return layers.get(id);
    if (visiting.has(id)) return -1;
    visiting.add(id);
    const layer = 1 + Math.max(-1, ...senders.get(id).map(layerOf));
    visiting.delete(id);
    layers.set(id, layer);
    return layer;
  };
  for (const [id] of components) layerOf(id);
  return layers;
}

/** Places for wide pictures: lanes of nodes, columns of layers. */
function placeWide(components, layers, width) {
  const depth = 1 + Math.max(0, ...layers.values());
  const left = 8;
  const column = Math.min(190, Math.max(134, (width - 2 * left) / depth));
  const box = {width: column - 46, height: 54};
  const nodes = [...new Set([...components].sort((a, b) => layers.get(a[0]) - layers.get(b[0]))
    .map(([, component]) => component.node ?? ""))];
  const places = new Map();
  const lanes = [];
  let y = 0;
  for (const node of nodes) {
    const used = new Map();
    const members = components.filter(([, component]) => (component.node ?? "") === node);
    for (const [id] of members) {
      const layer = layers.get(id);
      const slot = used.get(layer) ?? 0;
      used.set(layer, slot + 1);
      places.set(id, {x: left + 23 + layer * column, y: y + 30 + slot * 72, ...box});
    }
    const height = 30 + Math.max(...used.values()) * 72;
    lanes.push({node, x: left, y, width: depth * column, height});
    y += height + 10;
  }
  return {places, lanes, width: depth * column + 2 * left, height: y, vertical: false};
}

/** Places for narrow pictures: a row for each layer. */
function placeNarrow(components, layers, width) {
  const rows = new Map();
  for (const [id] of components) {
    const layer = layers.get(id);
    if (!rows.has(layer)) rows.set(layer, []);
    rows.get(layer).push(id);
  }
  const most = Math.max(1, ...[...rows.values()].map(row => row.length));
  const column = Math.max(130, (width - 16) / Math.max(most, 1));
  const box = {width: Math.min(200, column - 16), height: 54};
  const places = new Map();
  for (const [layer, ids] of rows) {
    ids.forEach((id, slot) => {
      const x = most === 1 ? 24 : 8 + slot * column;
      places.set(id, {x, y: 8 + layer * 106, ...box});
    });
  }
  return {places, lanes: [], width: Math.max(width, most * column),
    height: rows.size * 106 - 30, vertical: true};
}

/** Points of a component's ports: inputs on the left or top, outputs on the right or bottom. */
function portsOf(component, place, vertical) {
  const points = new Map();
  for (const direction of ["in", "out"]) {
    const names = Object.keys(component.ports).filter(name => component.ports[name].direction === direction);
    names.forEach((name, index) => {
      const part = (index + 1) / (names.length + 1);
      const outer = direction === "in" ? 0 : 1;
      points.set(name, vertical
        ? {x: place.x + place.width * part, y: place.y + place.height * outer}
        : {x: place.x + place.width * outer, y: place.y + place.height * part});
    });
  }
  return points;
}

function curve(from, to, vertical) {
  const reach = Math.max(24, (vertical ? Math.abs(to.y - from.y) : Math.abs(to.x - from.x)) / 2);
  return vertical
    ? `M${from.x},${from.y} C${from.x},${from.y + reach} ${to.x},${to.y - reach} ${to.x},${to.y}`
    : `M${from.x},${from.y} C${from.x + reach},${from.y} ${to.x - reach},${to.y} ${to.x},${to.y}`;
}

const pressed = action => event => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  action();
};

export class Picture {
  constructor(parent, select) {
    this.parent = parent;
    this.select = select;
    this.shapes = new Map();  // by application: what was drawn
    new ResizeObserver(() => this.domain && this.update(this.domain, this.selected)).observe(parent);
  }

  update(domain, selected) {
    this.domain = domain;
    this.selected = selected;
    const components = Object.entries(domain.components);
    const names = [...new Set(components.map(([, each]) => each.application ?? ""))];
    keepChildren(this.parent, names.map(name => [name, null]), name => this.makeFigure(name),
      (figure, _, name) =>
      this.updateFigure(figure, name, components.filter(([, each]) => (each.application ?? "") === name)));
    if (!names.length && !this.nothing) {
      this.nothing = element("p", {class: "nothing"}, "No application runs.");
      this.parent.after(this.nothing);
    } else if (names.length && this.nothing) {
      this.nothing.remove();
      this.nothing = null;
    }
  }

  makeFigure(name) {
    const drawing = svg("svg", {role: "group"});
    return element("figure", {}, element("figcaption"), element("div", {class: "scroll"}, drawing));
  }

  updateFigure(figure, application, components) {
    const connections = Object.entries(this.domain.connections)
      .filter(([, each]) => (each.application ?? "") === application);
    const width = this.parent.clientWidth || 800;
    const shape = JSON.stringify([width, components.map(([id, each]) => [id, each.node, each.ports]),
      connections.map(([id, each]) => [id, each.from, each.to])]);
    const known = this.domain.applications[application];
    setText(figure.querySelector("figcaption"), known ? known.name : application || "Other components");
    if (figure.shape !== shape) {
      figure.shape = shape;
      this.draw(figure, components, connections, width);
    }
    for (const [id, component] of components) this.updateComponent(figure.boxes.get(id), id, component);
    for (const [id, connection] of connections) this.updateConnection(figure.lines.get(id), id, connection);
  }

  draw(figure, components, connections, width) {
    const layers = layersOf(components, connections);
    const layout = (width < narrowBelow ? placeNarrow : placeWide)(components, layers, width);
    const drawing = figure.querySelector("svg");
    drawing.replaceChildren();
    setAttribute(drawing, "viewBox", `0 0 ${layout.width} ${layout.height}`);
    setAttribute(drawing, "width", layout.width);
    setAttribute(drawing, "height", layout.height);
    for (const lane of layout.lanes) {
      const node = this.domain.nodes[lane.node];
      drawing.append(
        svg("rect", {class: "lane", x: lane.x, y: lane.y, width: lane.width, height: lane.height, rx: 10}),
        svg("text", {class: "lane-name", x: lane.x + 12, y: lane.y + 19},
          node?.label || lane.node || "no node"));
    }
    const ports = new Map(components.map(([id, each]) =>
      [id, portsOf(each, layout.places.get(id), layout.vertical)]));
    figure.lines = new Map(connections.map(([id, each]) => [id, this.makeLine(id, each, ports, layout)]));
    figure.boxes = new Map(components.map(([id, each]) =>
      [id, this.makeBox(id, each, layout.places.get(id), ports.get(id), layout.vertical)]));
    drawing.append(...figure.lines.values(), ...figure.boxes.values());
  }

  makeBox(id, component, place, ports, vertical) {
    const choose = () => this.select({kind: "component", id});
    const marks = [...ports].map(([name, point]) =>
      svg("rect", {class: "port", x: point.x - 4, y: point.y - 4, width: 8, height: 8, rx: 2},
        svg("title", {}, name)));
    const width = place.width - 16;
    const box = svg("g", {class: "box", role: "button", tabindex: 0, onclick: choose,
      onkeydown: pressed(choose)},
      svg("rect", {class: "body", x: place.x, y: place.y, width: place.width, height: place.height, rx: 8}),
      svg("text", {class: "name", x: place.x + 8, y: place.y + 19}),
      svg("circle", {class: "dot", cx: place.x + 12, cy: place.y + 33, r: 3.5}),
      svg("text", {class: "note", x: place.x + 21, y: place.y + 37}),
      svg("rect", {class: "gauge", x: place.x + 8, y: place.y + 45, width, height: 4, rx: 2}),
      svg("rect", {class: "level", x: place.x + 8, y: place.y + 45, width: 0, height: 4, rx: 2}),
      ...marks);
    box.gauge = width;
    box.most = Math.floor((place.width - 12) / 6.6);
    box.vertical = vertical;
    return box;
  }

  makeLine(id, connection, ports, layout) {
    const ends = [connection.from, connection.to].map((of, index) => {
      const place = layout.places.get(of.component);
      const point = ports.get(of.component)?.get(of.port);
      if (point || !place) return point ?? null;
      const outer = index === 0 ? 1 : 0;
      return layout.vertical ? {x: place.x + place.width / 2, y: place.y + place.height * outer}
        : {x: place.x + place.width * outer, y: place.y + place.height / 2};
    });
    const along = layout.vertical ? {x: 0, y: 40} : {x: 30, y: 0};
    const to = ends[1] ?? {x: ends[0]?.x + along.x, y: ends[0]?.y + along.y};
    const from = ends[0] ?? {x: to.x - along.x, y: to.y - along.y};
    const path = curve(from, to, layout.vertical);
    const middle = {x: (from.x + to.x) / 2, y: (from.y + to.y) / 2};
    const choose = () => this.select({kind: "connection", id});
    const labels = layout.vertical
      ? [svg("text", {class: "rate", x: middle.x + 12, y: middle.y - 3, "text-anchor": "start"}),
        svg("text", {class: "delay", x: middle.x + 12, y: middle.y + 13, "text-anchor": "start"})]
      : [svg("text", {class: "rate", x: middle.x, y: middle.y - 8, "text-anchor": "middle"}),
        svg("text", {class: "delay", x: middle.x, y: middle.y + 18, "text-anchor": "middle"})];
    return svg("g", {class: "line", role: "button", tabindex: 0, onclick: choose, onkeydown: pressed(choose)},
      svg("path", {class: "target", d: path}), svg("path", {class: "wire", d: path}),
      svg("path", {class: "flow", d: path}), ...labels);
  }

  updateComponent(box, id, component) {
    const name = component.name.length > box.most
      ? component.name.slice(0, box.most - 1) + "…" : component.name;
    setText(box.querySelector(".name"), name);
    const note = component.cpu_percent === undefined ? component.state ?? "" : percent(component.cpu_percent);
    const where = box.vertical && component.node ? ` · ${component.node}` : "";
    setText(box.querySelector(".note"), note + where);
    setAttribute(box, "data-state", component.state ?? "unknown");
    setAttribute(box, "aria-pressed", String(this.selected?.id === id));
    setAttribute(box, "aria-label",
      `Component ${component.name}, ${component.state ?? "state not known"}, ` +
      `${percent(component.cpu_percent)} of a core`);
    const level = Math.min(100, component.cpu_percent ?? 0) / 100 * box.gauge;
    setAttribute(box.querySelector(".level"), "width", level.toFixed(1));
    setAttribute(box.querySelector(".level"), "data-high", (component.cpu_percent ?? 0) > 80);
  }

  updateConnection(line, id, connection) {
    const moving = (connection.packets_per_s ?? 0) > 0;
    const p99 = connection.latency?.p99_us;
    setText(line.querySelector(".rate"),
      connection.packets_per_s === undefined ? "" : perSecond(connection.packets_per_s));
    setText(line.querySelector(".delay"), p99 === undefined ? "" : microseconds(p99));
    setAttribute(line, "data-state",
      connection.broken ? "broken" : connection.lost ? "lossy" : moving ? "moving" : "idle");
    setAttribute(line, "aria-pressed", String(this.selected?.id === id));
    setAttribute(line, "aria-label", `Connection ${end(this.domain, connection.from)} to ` +
      `${end(this.domain, connection.to)}, ${perSecond(connection.packets_per_s)}, ` +
      `${connection.lost ?? 0} lost`);
  }
}
