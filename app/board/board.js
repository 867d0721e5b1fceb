// The live board: puts parts of the page in place as the server sends them, and at the end the run's report.
"use strict";
(() => {
  const link = document.getElementById("link"), latest = document.getElementById("latest");
  const parts = [...document.querySelectorAll("main > div[id^=part-]")].map((part) => part.id);
  const stops = (part) => [...part.querySelectorAll("summary, a[href], [tabindex]")];
  let events, ended = false;

  const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

  // Tables that were opened stay open, and the keyboard stays where it was.
  const put = (id, html) => {
    const part = document.getElementById(id), fresh = parsed(html).body;
    const opened = [...part.querySelectorAll("details")].map((one) => one.open);
    const at = stops(part).indexOf(document.activeElement);
    fresh.querySelectorAll("details").forEach((one, i) => { one.open = opened[i] === true; });
    part.replaceChildren(...fresh.childNodes);
    if (at >= 0 && at < stops(part).length) stops(part)[at].focus({ preventScroll: true });
  };

  // The report takes the place of all but how the run ended.
  const turn = (html) => {
    const report = parsed(html), kept = document.createElement("p");
    kept.textContent = "The report of this run follows. It is in the run folder, too, as report.html.";
    for (const id of parts.slice(1)) document.getElementById(id).remove();
    document.getElementById("report").replaceChildren(kept, ...report.querySelector("main").childNodes);
    document.querySelector("nav ul").replaceChildren(...report.querySelector("nav ul").childNodes);
    document.querySelector("h1").textContent = document.title = report.title;
  };

  const end = () => {
    ended = true;
    events.close();
    link.textContent = "The run is over, and so is this page: it cannot be loaded again.";
  };

  const lost = () => {
    if (ended) return;
    link.textContent = "No connection. The run may have ended: its log and its run folder say more. Trying again.";
    link.className = "note";
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, 5000); // refused, not broken
  };

  const follow = () => {
    events = new EventSource("events");
    events.onopen = () => {
      link.textContent = "Live: this page follows the run.";
      link.className = "small";
    };
    events.onerror = lost;
    for (const id of parts) events.addEventListener(id, (event) => put(id, event.data));
    events.addEventListener("latest", (event) => { latest.textContent = event.data; });
    events.addEventListener("report", (event) => turn(event.data));
    events.addEventListener("end", end);
  };
  follow();
})();
