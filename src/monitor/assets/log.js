// The records of the log: the latest ones, filtered by level and text.
import {byId, element} from "./dom.js";
import {time} from "./format.js";

const mostLines = 500;

export class Log {
  constructor() {
    this.list = byId("log");
    this.lines = [];
    this.last = 0;
    byId("log-filter").addEventListener("submit", event => event.preventDefault());
    for (const id of ["log-level", "log-text"]) byId(id).addEventListener("input", () => this.show());
  }

  add(lines) {
    for (const line of lines) {
      if (line.number < this.last) this.lines = [];  // the domain has restarted
      if (line.number !== this.last) this.lines.push(line);
      this.last = line.number;
    }
    this.lines.splice(0, this.lines.length - mostLines);
    this.show();
  }

  show() {
    const level = byId("log-level").value;
    const part = byId("log-text").value.toLowerCase();
    const levels = {error: ["error"], warning: ["error", "warning"]}[level];
    const shown = this.lines.filter(line => (!levels || levels.includes(line.level)) &&
      `${line.level_name} ${line.source} ${line.source_id} ${line.text}`.toLowerCase().includes(part));
    const atEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 8;
    this.list.replaceChildren(...shown.map(line => element("li", {"data-level": line.level},
      element("time", {title: new Date(line.time_ms).toISOString()}, time(line.time_ms)),
      element("span", {class: "level-name"}, line.level_name),
      element("span", {class: "producer", title: line.source_id}, line.source),
      element("span", {}, line.text))));
    if (atEnd) this.list.scrollTop = this.list.scrollHeight;
  }
}
