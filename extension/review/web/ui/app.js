// Comfort over pages that work without it: a drawer for steps, zoom and keys on
// the timeline, copying, a switch of colours, lists that stay fresh.
"use strict";
(() => {
  const all = (sel, root = document) => [...root.querySelectorAll(sel)];
  const root = document.documentElement;

  // Colours.
  const stored = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
  if (stored === "light" || stored === "dark") root.dataset.theme = stored;
  for (const b of all("[data-theme-toggle]")) {
    b.hidden = false;
    b.addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not kept */ }
    });
  }

  // Steps open beside the page. A link opened in another tab stays a link.
  const drawer = document.getElementById("drawer");
  let opener = null;
  const fetchPage = async (url) => {
    const res = await fetch(url, { headers: { Accept: "text/html" } });
    if (!res.ok) throw new Error(String(res.status));
    return new DOMParser().parseFromString(await res.text(), "text/html");
  };
  const openStep = async (url) => {
    try {
      const part = (await fetchPage(url)).querySelector("[data-drawer]");
      if (!part) { location.href = url; return; }
      const close = document.createElement("button");
      close.type = "button";
      close.className = "close";
      close.textContent = "Close";
      close.addEventListener("click", () => drawer.close());
      const whole = document.createElement("a");
      whole.href = url;
      whole.textContent = "Open as a page";
      drawer.replaceChildren(close, whole, document.importNode(part, true));
      if (!drawer.open) drawer.showModal();
      drawer.scrollTop = 0;
      close.focus();
    } catch { location.href = url; }
  };
  document.addEventListener("click", (e) => {
    const a = e.target.closest("a[data-step]");
    const href = a && a.getAttribute("href");
    if (!href || href.startsWith("#") || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || !drawer.showModal) return;
    e.preventDefault();
    if (!drawer.contains(a)) opener = a;
    openStep(href);
  });
  drawer.addEventListener("close", () => { if (opener) opener.focus(); opener = null; });
  drawer.addEventListener("click", (e) => { if (e.target === drawer) drawer.close(); });

  // Timeline: zoom, and keys that go from step to step.
  for (const tl of all("[data-timeline]")) {
    const scroll = tl.querySelector(".tl-scroll"), svg = tl.querySelector(".tl-svg");
    const section = tl.closest("section"), tools = section.querySelector("[data-zoom]"), out = tools.querySelector("output");
    const say = section.querySelector("[data-timeline-status]");
    let zoom = 1;
    const set = (to, at = 0.5) => {
      const where = (scroll.scrollLeft + scroll.clientWidth * at) / svg.clientWidth;
      zoom = Math.min(Math.max(to, 1), 64);
      svg.style.width = `${zoom * 100}%`;
      scroll.scrollLeft = where * svg.clientWidth - scroll.clientWidth * at;
      out.textContent = `${zoom}×`;
    };
    tools.hidden = false;
    tools.querySelector("[data-zoom-in]").addEventListener("click", () => set(zoom * 2));
    tools.querySelector("[data-zoom-out]").addEventListener("click", () => set(zoom / 2));
    tools.querySelector("[data-zoom-fit]").addEventListener("click", () => set(1));
    scroll.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      set(e.deltaY < 0 ? zoom * 2 : zoom / 2, (e.clientX - scroll.getBoundingClientRect().left) / scroll.clientWidth);
    }, { passive: false });
    const bars = all(".bar", svg);
    let here = -1;
    bars.forEach((b, i) => {
      b.setAttribute("tabindex", i === 0 ? "0" : "-1");
      b.addEventListener("focus", () => {
        if (here >= 0) bars[here].setAttribute("tabindex", "-1");
        here = i;
        b.setAttribute("tabindex", "0");
      });
    });
    const go = (i) => {
      if (i < 0 || i >= bars.length) return;
      bars[i].focus();
      const box = bars[i].getBoundingClientRect(), view = scroll.getBoundingClientRect();
      if (box.left < view.left || box.right > view.right) scroll.scrollLeft += box.width > view.width - 80 ? box.left - view.left - 40 : (box.left + box.right - view.left - view.right) / 2;
      say.textContent = bars[i].querySelector("title").textContent;
    };
    const near = (to) => { set(to); if (here >= 0) go(here); }; // what has the focus stays in sight
    scroll.addEventListener("keydown", (e) => {
      const keys = {
        ArrowRight: () => go(here + 1), ArrowLeft: () => go(here - 1), ArrowDown: () => go(here + 1), ArrowUp: () => go(here - 1),
        Home: () => go(0), End: () => go(bars.length - 1), "+": () => near(zoom * 2), "=": () => near(zoom * 2), "-": () => near(zoom / 2), 0: () => set(1),
        f: () => go(bars.findIndex((b) => b.classList.contains("first"))),
      };
      if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      keys[e.key]();
    });
  }

  // Copying.
  for (const b of all("[data-copy]")) {
    if (!navigator.clipboard) continue;
    b.hidden = false;
    b.addEventListener("click", async () => {
      const text = b.textContent;
      try {
        const res = await fetch(b.dataset.copy);
        if (!res.ok) throw new Error();
        await navigator.clipboard.writeText(await res.text());
        b.textContent = "Copied";
      } catch { b.textContent = "Not copied"; }
      setTimeout(() => { b.textContent = text; }, 1500);
    });
  }

  // Lists that stay fresh, unless somebody is reading in them: has gone down, has a
  // link or a text. A list that could not be read again says since when it is old.
  const seconds = Number(document.body.dataset.refresh);
  const live = document.getElementById("live");
  const status = document.querySelector("[data-live-status]");
  if (seconds && live && status) {
    let read = new Date();
    setInterval(async () => {
      if (document.hidden || drawer.open || live.contains(document.activeElement) || String(getSelection()) || scrollY > live.offsetTop) return;
      try {
        const next = (await fetchPage(location.href)).getElementById("live");
        if (!next) throw new Error();
        if (next.innerHTML !== live.innerHTML) live.replaceChildren(...[...next.childNodes].map((n) => document.importNode(n, true)));
        read = new Date();
        status.hidden = true;
      } catch {
        status.textContent = `This list is as of ${read.toISOString().slice(11, 19)} UTC: it could not be read again. It is tried every ${seconds} seconds.`;
        status.hidden = false;
      }
    }, seconds * 1000);
  }
})();
