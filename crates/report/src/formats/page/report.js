// Searches, filters and sorts the table of problems, and copies commands. Everything here can be read without it.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  const copied = (text) => {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done ? Promise.resolve() : Promise.reject(new Error("copy"));
  };
  const say = (text) => { byId("said").textContent = text; };
  for (const command of document.querySelectorAll(".steps code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy the command " + command.textContent);
    button.addEventListener("click", () => {
      copied(command.textContent).then(
        () => { button.textContent = "Copied"; say("Copied"); },
        () => { getSelection().selectAllChildren(command); say("Selected: press Ctrl+C"); });
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    command.after(" ", button);
  }

  const table = byId("table");
  if (!table) return;
  // So many rows are in the page at once: more make it slow.
  const STEP = 200;
  const body = table.tBodies[0];
  const hosts = [...byId("by-host").options].slice(1).map((option) => option.text.toLowerCase());
  const rows = [...body.rows].map((row) => {
    const [family, level, kind, customer] = row.dataset.of.split(" ");
    const link = row.querySelector("a");
    return {
      row, family, level, kind, customer,
      hosts: row.dataset.hosts ? row.dataset.hosts.split(" ") : [],
      section: link && byId(link.hash.slice(1)),
      text: null,
    };
  });
  // Texts are read when they are first searched.
  const textOf = (one) => {
    if (one.text === null) {
      const names = one.hosts.map((host) => hosts[host]);
      const section = one.section ? one.section.textContent : "";
      one.text = [one.row.textContent, names.join(" "), section].join("\n").toLowerCase();
    }
    return one.text;
  };
  const search = byId("search");
  const by = ["family", "level", "kind", "customer"].map((key) => [key, byId("by-" + key)]).filter(([, choice]) => choice);
  const byHost = byId("by-host");
  let order = rows;
  let shown = rows;
  let most = STEP;

  const more = byId("more");
  const show = () => {
    body.replaceChildren(...shown.slice(0, most).map((one) => one.row));
    const left = shown.length - most;
    more.hidden = left <= 0;
    more.firstElementChild.textContent = "Show " + Math.min(left, STEP) + " more of " + left.toLocaleString("en");
    byId("count").textContent = shown.length === rows.length
      ? rows.length.toLocaleString("en") + " problems"
      : shown.length.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " problems";
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = by.filter(([, choice]) => choice.value);
    const fits = (one) => wanted.every(([key, choice]) => one[key] === choice.value)
      && (!byHost.value || one.hosts.includes(byHost.value))
      && words.every((word) => textOf(one).includes(word));
    shown = [];
    for (const one of order) {
      const fit = fits(one);
      if (fit) shown.push(one);
      if (one.section && one.section.hidden === fit) one.section.hidden = !fit;
    }
    most = STEP;
    show();
  };

  const form = byId("filters");
  form.hidden = false;
  byId("count").hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  more.firstElementChild.addEventListener("click", () => {
    const next = shown[most];
    most += STEP;
    show();
    const link = next && next.row.querySelector("a");
    if (link) link.focus();
  });

  const heads = [...table.tHead.rows[0].cells];
  const collator = new Intl.Collator("en", { numeric: true });
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "ascending";
      // The first click on a number shows the highest.
      const down = up || (!head.hasAttribute("aria-sort") && head.dataset.sort === "number" && column > 0);
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (one) => {
        const cell = one.row.cells[column];
        const value = cell.dataset.by || cell.textContent;
        return head.dataset.sort === "number" ? Number(value) : value;
      };
      const keyed = rows.map((one, place) => ({ one, place, key: key(one) }));
      const compare = head.dataset.sort === "number" ? (a, b) => a - b : collator.compare;
      keyed.sort((a, b) => (down ? compare(b.key, a.key) : compare(a.key, b.key)) || a.place - b.place);
      order = keyed.map(({ one }) => one);
      filter();
    });
  });

  // A link to a problem that the filters hide shows it.
  addEventListener("hashchange", () => {
    const section = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
    if (section && section.hidden) {
      form.reset();
      setTimeout(() => section.scrollIntoView());
    }
  });
  show();
})();
