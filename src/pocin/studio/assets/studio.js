// SPDX-License-Identifier: MIT
// The studio's page: asks its own process and nobody else.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const page = document.documentElement;
  let source = null, timer = null, asked = 0, polling = false, drawing = false;

  async function ask(what, body) {
    const how = body === undefined ? {} : {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Pocin-Studio": "1" },
      body: JSON.stringify(body),
    };
    let answer;
    try {
      answer = await fetch(what, how);
    } catch {
      throw new Error("The studio has stopped: start it again by pocin studio.");
    }
    const said = await answer.json();
    if (said.error !== undefined) throw new Error(said.error);
    return said;
  }

  function says(id, sentence) {
    $(id).hidden = !sentence;
    $(id).textContent = sentence ? sentence[0].toUpperCase() + sentence.slice(1) + (/[.!?]$/.test(sentence) ? "" : ".") : "";
  }

  function show(id, html) {
    if ($(id).dataset.html !== html) {
      $(id).innerHTML = html;
      $(id).dataset.html = html;
    }
  }

  const value = (input) => {
    if (input.dataset.steps === undefined) return input.value;
    const step = input.dataset.steps.split(" ")[Number(input.value)];
    return step === "automatic" ? "" : step;
  };

  function fields() {
    const found = {};
    for (const input of $("form").elements) found[input.name] = value(input);
    return found;
  }

  function labels() {
    for (const input of $("form").querySelectorAll("[data-steps]")) {
      const step = value(input) || "automatic";
      const shown = input.name === "beta" ? `${Number((100 * step).toPrecision(3))} %` : step;
      input.closest("label").querySelector("output").textContent = shown;
      input.setAttribute("aria-valuetext", shown);
    }
    const figure = $("form").elements.figure.value;
    for (const field of $("form").querySelectorAll("[data-for]")) field.hidden = field.dataset.for !== figure;
  }

  function ready() {
    const told = $("spend").firstElementChild;
    const may = told !== null && told.dataset.spend !== undefined && told.dataset.refused === undefined;
    $("sure").disabled = !may || drawing;
    $("go").disabled = !may || drawing || !$("sure").checked;
    $("open").disabled = drawing;
  }

  function state(said) {
    show("preview", said.preview.html);
    $("try").disabled = said.preview.running;
    $("try").hidden = said.preview.running || said.preview.done === said.preview.of;
    const before = drawing;
    drawing = said.release.running;
    $("progress").textContent = drawing ? `Drawing the release: ${said.release.step}.` : "";
    show("outcome", said.release.html);
    page.dataset.preview = said.preview.running ? "running" : `${said.preview.done}`;
    page.dataset.release = drawing ? "running" : said.release.html ? "ended" : "none";
    if (before && !drawing) {
      $("sure").checked = false;
      if (said.release.html) plan(); // the ledger has moved
    }
    ready();
    if (said.preview.running || drawing) poll();
  }

  function poll() {
    if (polling) return;
    polling = true;
    setTimeout(async () => {
      polling = false;
      try {
        state(await ask("state"));
      } catch (error) {
        says("plan-says", error.message);
      }
    }, 300);
  }

  async function plan() {
    const mine = ++asked;
    $("plan").classList.add("stale");
    $("preview").classList.add("stale");
    try {
      const said = await ask("plan", { source, fields: fields() });
      if (mine !== asked) return;
      says("plan-says", "");
      show("plan", said.plan);
      show("spend", said.spend);
      $("expect").hidden = $("draw").hidden = false;
      state(said);
      $("plan").classList.remove("stale");
      $("preview").classList.remove("stale");
      page.dataset.planned = String(mine);
    } catch (error) {
      if (mine !== asked) return;
      says("plan-says", error.message);
      show("spend", "");
      ready();
    }
  }

  function changed() {
    labels();
    show("spend", "");
    $("sure").checked = false;
    ready();
    clearTimeout(timer);
    timer = setTimeout(plan, 250);
  }

  async function open() {
    says("open-says", "");
    $("open").disabled = true;
    source = $("case").value || $("path").value.trim();
    for (const step of ["parameters", "expect", "draw"]) $(step).hidden = true;
    for (const place of ["plan", "spend", "preview", "outcome"]) show(place, "");
    try {
      show("controls", (await ask("open", { source })).controls);
      $("form").addEventListener("input", changed);
      $("form").addEventListener("submit", (event) => event.preventDefault());
      labels();
      $("parameters").hidden = false;
      await plan();
    } catch (error) {
      says("open-says", error.message);
    }
    ready();
  }

  async function act(what, body) {
    try {
      state(await ask(what, body));
    } catch (error) {
      show("outcome", "");
      says("plan-says", error.message);
    }
  }

  $("case").addEventListener("change", () => { $("own").hidden = $("case").value !== ""; });
  $("open").addEventListener("click", open);
  $("path").addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
  $("try").addEventListener("click", () => act("preview", {}));
  $("sure").addEventListener("change", ready);
  $("go").addEventListener("click", () => {
    const spend = $("spend").firstElementChild.dataset.spend;
    $("go").disabled = true;
    act("release", { source, fields: fields(), spend });
  });
  $("own").hidden = $("case").value !== "";
  page.dataset.ready = "1";
})();
