// Elements. Text from the domain is only ever set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter(each => each !== undefined && each !== null && each !== ""));
  return made;
}

export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Sets a text without touching an unchanged node, so that a selection in it remains. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node, name, value) {
  if (value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/**
 * Makes the children of `parent` those of `items`, [key, value] pairs: makes missing ones by make(key),
 * removes others, and calls update(child, value, key) for each. Children remain, with their focus.
 */
export function keepChildren(parent, items, make, update) {
  const kept = parent.keptChildren ??= new Map();
  const wanted = new Set(items.map(([key]) => key));
  for (const [key, child] of kept) {
    if (wanted.has(key)) continue;
    child.remove();
    kept.delete(key);
  }
  let previous = null;
  for (const [key, value] of items) {
    let child = kept.get(key);
    if (!child) {
      child = make(key);
      kept.set(key, child);
    }
    const next = previous ? previous.nextSibling : parent.firstChild;
    if (child !== next) parent.insertBefore(child, next);
    update(child, value, key);
    previous = child;
  }
}
