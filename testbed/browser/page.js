// What a reviewer sees of a page, and where to point at. Evaluated as a function
// of the page; it changes nothing but how far the page is scrolled.
(() => {
  const plain = (text) => (text || "").replace(/\s+/g, " ").trim();
  // What is open over the page hides the rest of it.
  const top = () => document.querySelector("dialog[open]") || document.body || document.documentElement;
  const shown = (el) => el.checkVisibility({ visibilityProperty: true }) && el.getClientRects().length > 0;
  const hidden = (el) => el.closest(".hidden, .skip:not(:focus)") !== null;
  const text = (el) => plain(el.innerText === undefined ? el.textContent : el.innerText);
  const names = (el) => [text(el), plain(el.getAttribute("aria-label")), plain(el.labels && el.labels[0] && el.labels[0].firstChild.textContent)];
  const find = (what) => {
    const all = [...top().querySelectorAll("a[href], button, summary, select, input, [tabindex='0']")].filter((el) => shown(el) && !hidden(el));
    return all.find((el) => names(el).some((n) => n === what)) || all.find((el) => names(el).some((n) => n.includes(what)));
  };
  const inside = (r) => r.width > 0 && r.height > 0 && r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth;
  const clear = (el, r) => {
    const at = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
    return at !== null && (el.contains(at) || at.contains(el));
  };
  return {
    plain, find, shown, text,
    all: () => text(top()),
    // The smallest elements that say something.
    saying: (what) => [...top().querySelectorAll("*")].filter((el) => shown(el) && !hidden(el) && text(el).includes(what))
      .filter((el, _, list) => !list.some((other) => other !== el && el.contains(other))),
    // Where a thing is to be clicked; scrolls to it as a person would.
    point: (what) => {
      const el = find(what);
      if (!el) return { why: "nothing to click is called so" };
      if (!inside(el.getBoundingClientRect())) el.scrollIntoView({ block: "center", behavior: "instant" });
      const r = el.getClientRects()[0];
      if (!clear(el, r)) return { why: "it is covered by something" };
      return { x: r.left + Math.min(r.width, 400) / 2, y: r.top + r.height / 2 };
    },
    inside, clear,
    // Widest thing that sticks out of the window.
    overflow: () => {
      const wide = document.documentElement.scrollWidth, room = document.documentElement.clientWidth;
      if (wide <= room) return "";
      const kept = (el) => { for (let up = el.parentElement; up && up !== document.body; up = up.parentElement) if (getComputedStyle(up).overflowX !== "visible") return true; return false; };
      const out = [...document.querySelectorAll("body *")].filter((el) => el.getBoundingClientRect().right > room + 1 && !kept(el));
      const last = out[out.length - 1];
      return `${wide} px of ${room}: ${last ? `${last.tagName} ${last.getAttribute("class") || ""} ${text(last).slice(0, 60)}` : "?"}`;
    },
  };
})()
