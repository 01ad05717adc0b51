// The page of the monitor.
import {byId, element, keepChildren, setAttribute, setText} from "./dom.js";
import {bytesPerSecond, count, percent, perSecond, time} from "./format.js";
import {Detail} from "./detail.js";
import {Log} from "./log.js";
import * as model from "./model.js";
import {Picture} from "./picture.js";
import {Tables} from "./tables.js";

let domain = null;
let selection = null;
let hideMessage = 0;

function say(text, failed = false) {
  const message = byId("message");
  setText(message, text);
  message.hidden = false;
  setAttribute(message, "data-failed", failed);
  clearTimeout(hideMessage);
  hideMessage = setTimeout(() => message.hidden = true, failed ? 10000 : 4000);
}

/** Reports the outcome of a command. */
async function run(what, promise) {
  try {
    await promise;
    say(`${what}: done`);
  } catch (error) {
    say(`${what}: ${error.message}`, true);
  }
}

function select(what) {
  selection = what;
  detail.show(what, domain);
  render();
}

const picture = new Picture(byId("picture"), select);
const detail = new Detail(byId("detail"), run, () => {
  selection = null;
  render();
});
const log = new Log();
const tables = new Tables(
  {applications: byId("applications"), connections: byId("connections"), components: byId("components"),
    nodes: byId("nodes")},
  {select, run, start: model.start, stop: model.stop, release: model.release});

function sum(values, of) {
  return Object.values(values).reduce((total, each) => total + (of(each) ?? 0), 0);
}

function renderSummary() {
  const {nodes, applications, components, connections} = domain;
  const running = Object.values(applications).filter(each => each.state === "started").length;
  const failed = Object.values(applications).filter(each => each.state === "failed").length;
  const facts = [
    ["Nodes", count(Object.keys(nodes).length)],
    ["Applications",
      `${running} of ${Object.keys(applications).length} started${failed ? `, ${failed} failed` : ""}`],
    ["Components", count(Object.keys(components).length)],
    ["CPU", percent(sum(components, each => each.cpu_percent))],
    ["Packets", perSecond(Math.round(sum(connections, each => each.packets_per_s)))],
    ["Samples", bytesPerSecond(sum(connections, each => each.bytes_per_s))],
    ["Lost", count(sum(connections, each => each.lost))]];
  keepChildren(byId("summary"), facts, () => element("div", {}, element("dt"), element("dd")),
    (pair, value, name) => {
    setText(pair.firstChild, name);
    setText(pair.lastChild, value);
  });
}

function renderCreate() {
  const installed = Object.entries(domain.installed);
  byId("create").hidden = installed.length === 0 || !model.mayChange();
  keepChildren(byId("create-installed"), installed, id => element("option", {value: id}),
    (option, each) => setText(option, each.name));
}

function render() {
  if (!domain) return;
  setText(byId("domain"), domain.domain);
  document.title = `${domain.domain} – Orbweaver monitor`;
  setText(byId("problem"), domain.problem ?? "");
  byId("problem").hidden = !domain.problem;
  setText(byId("read"), `read at ${time(domain.read_ms)}`);
  renderSummary();
  renderCreate();
  picture.update(domain, selection);
  tables.update(domain, model.mayChange());
  detail.update(domain);
}

function setUpTheme() {
  const themes = ["system", "light", "dark"];
  const apply = theme => {
    setAttribute(document.documentElement, "data-theme", theme !== "system" && theme);
    setText(byId("theme"), `Theme: ${theme}`);
  };
  let theme = localStorage.getItem("orbweaver-theme") ?? "system";
  if (!themes.includes(theme)) theme = "system";
  apply(theme);
  byId("theme").addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    localStorage.setItem("orbweaver-theme", theme);
    apply(theme);
  });
}

function setUpToken() {
  const dialog = byId("token-dialog");
  const texts = {allowed: "Changes unlocked", disabled: "Changes disabled",
    "token required": "Changes locked"};
  model.on("access", changes => {
    setText(byId("token"), texts[changes]);
    setAttribute(byId("token"), "data-state", changes === "allowed" && "unlocked");
    setText(byId("token-help"), changes === "disabled"
      ? "The monitor was started without --http-token-file: nothing can be changed."
      : "The content of the file of --http-token-file. It is kept until this tab is closed.");
    byId("token-input").disabled = changes === "disabled";
    render();
  });
  byId("token").addEventListener("click", () => {
    byId("token-input").value = "";
    byId("token-error").hidden = true;
    dialog.showModal();
  });
  byId("token-cancel").addEventListener("click", () => dialog.close());
  byId("token-forget").addEventListener("click", async () => {
    await model.useToken("");
    dialog.close();
  });
  byId("token-form").addEventListener("submit", async event => {
    event.preventDefault();
    if (await model.useToken(byId("token-input").value.trim()) === "allowed") {
      dialog.close();
      return;
    }
    setText(byId("token-error"), "This is not the token.");
    byId("token-error").hidden = false;
  });
}

function setUpCreate() {
  byId("create").addEventListener("submit", event => {
    event.preventDefault();
    const name = byId("create-name").value.trim();
    if (name) run(`Create ${name}`, model.create(byId("create-installed").value, name));
  });
}

setUpTheme();
setUpToken();
setUpCreate();
model.on("status", status => {
  setText(byId("status"), status);
  setAttribute(byId("status"), "data-state", status === "live" ? "started" : "failed");
});
model.on("domain", next => {
  domain = next;
  render();
});
model.on("log", lines => log.add(lines));
model.connect();
