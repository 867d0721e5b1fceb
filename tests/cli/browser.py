"""What tests of pages in Chromium share: a browser without a network, pictures, names, keyboard."""
import json
import os
import shutil
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SIZES = {"light": ((1280, 900), (390, 844), (768, 1024), (1440, 900)), "dark": ((1280, 900), (390, 844), (768, 1024))}
problems = []

# Texts of a drawing that stand outside of it, overlap, or are too small to read; what is wider than the page or its table;
# texts below 12 pixels or with a contrast below 4.5; and what a run's page has to show before anyone scrolls.
LOOK = """
const found = [];
const parts = c => (c.match(/[0-9.]+/g) || []).map(Number);
const light = c => { const [r, g, b] = parts(c).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
  if (parts(c).length < 4 || parts(c)[3] > 0) return c; } return 'rgb(255,255,255)'; };
const check = (e, style, color, name) => {
  const a = light(color), b = light(behind(e)), contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) found.push(`the contrast of '${name}' is ${contrast.toFixed(2)}`);
  if (!e.closest('svg') && parseFloat(style.fontSize) < 12) found.push(`'${name}' is ${style.fontSize} tall`);
};
for (const e of document.body.querySelectorAll('*')) {
  if (['title', 'desc', 'STYLE', 'SCRIPT'].includes(e.tagName) || e.getClientRects().length === 0) continue;
  if (e.getBoundingClientRect().width <= 1) continue; /* for readers of screens alone */
  const style = getComputedStyle(e), own = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
  if (own) check(e, style, e.closest('svg') ? style.fill : style.color, own.slice(0, 40));
  if (e.dataset.of) { const before = getComputedStyle(e, '::before'); if (before.content !== 'none') check(e, before, before.color, e.dataset.of); }
}
for (const e of document.querySelectorAll('.scroll, .table-wrapper')) if (e.scrollWidth > e.clientWidth + 1)
  found.push(`the table '${e.getAttribute('aria-label') || e.textContent.trim().slice(0, 40)}' hides ${e.scrollWidth - e.clientWidth} pixels`);
const glance = [...document.querySelectorAll('.glance > div')];
if (!document.querySelector('.note') && !document.querySelector('#link') && ![...document.querySelectorAll('details')].some(e => e.open))
  glance.forEach((e, i) => { const end = i < 2 ? e.lastElementChild.getBoundingClientRect().bottom : e.getBoundingClientRect().top + 60;
    if (end > innerHeight) found.push(`'${e.textContent.trim().slice(0, 30)}' is below the first screen`); });
for (const svg of document.querySelectorAll('svg')) {
  const frame = svg.getBoundingClientRect(), name = (svg.querySelector('title') || svg).textContent;
  const scale = frame.width / svg.viewBox.baseVal.width;
  const texts = [...svg.querySelectorAll('text')].map(e => [e, e.getBoundingClientRect()]).filter(t => t[1].width > 0);
  texts.forEach(([e, r], i) => {
    if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1)
      found.push(`${name}: '${e.textContent}' is cut off`);
    if (parseFloat(getComputedStyle(e).fontSize) * scale < 11.95) found.push(`${name}: '${e.textContent}' is too small`);
    if (e.transform.baseVal.numberOfItems > 0) return; /* the box of turned text is larger than the text */
    for (const [f, s] of texts.slice(i + 1)) {
      if (f.transform.baseVal.numberOfItems > 0) continue;
      if (Math.min(r.right, s.right) - Math.max(r.left, s.left) > 1 &&
          Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top) > 4)
        found.push(`${name}: '${e.textContent}' and '${f.textContent}' overlap`);
    }
  });
}
if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the window: ' +
  [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 &&
    !e.closest('.scroll')).slice(0, 3).map(e => e.tagName + ' ' + e.textContent.slice(0, 40)).join('; '));
return found;
"""


def problem(page, text):
    problems.append(f"{page}: {text}")


def open_browser():
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.*", "--disable-background-networking"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def show(browser, width, height, scheme):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


def check_look(browser, name, where):
    for text in browser.execute_script(LOOK):
        problem(name, f"at {where}: {text}")


def check_paper(browser, name, scheme):
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    if (paper == "rgb(255, 255, 255)") != (scheme == "light"):
        problem(name, f"the paper is {paper} in {scheme}")


def shoot(browser, path, width, scheme):
    """The first screen, and the whole page."""
    browser.save_screenshot(path.replace(".png", "-first.png"))
    tall = min(12000, browser.execute_script("return document.documentElement.scrollHeight"))
    show(browser, width, tall, scheme)
    browser.save_screenshot(path)


def check_pictures(browser, folder, name, address=None):
    """Four widths, two of them in the dark, tables closed and open; a picture of each. With an address the page is read anew each time."""
    for scheme, sizes in SIZES.items():
        for width, height in sizes:
            show(browser, width, height, scheme)
            if address:
                browser.get(address)
            for opened in (False, True):
                browser.execute_script("document.querySelectorAll('details').forEach(e => e.open = arguments[0])", opened)
                check_look(browser, name, f"{width}, {scheme}, tables {'open' if opened else 'closed'}")
            browser.execute_script("document.querySelectorAll('details').forEach(e => e.open = false)")
            check_paper(browser, name, scheme)
            shoot(browser, os.path.join(folder, f"{name}-{width}-{scheme}.png"), width, scheme)


def check_network(browser, name, allowed=("file:",)):
    """Nothing was asked for elsewhere, and nothing went wrong."""
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if not url.startswith((*allowed, "data:,", "about:")):
                problem(name, f"asked for {url}")
    for entry in browser.get_log("browser"):
        problem(name, f"the console says: {entry['message']}")


def check_names(browser, name):
    """What a reader of screens is told: every drawing, table, region and link has a name; headings skip no level."""
    browser.execute_cdp_cmd("Accessibility.enable", {})
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    seen = {}
    level = 0
    for node in nodes:
        if node.get("ignored"):
            continue
        role = node.get("role", {}).get("value", "")
        text = node.get("name", {}).get("value", "").strip()
        seen[role] = seen.get(role, 0) + 1
        if role in ("image", "img", "table", "region", "link", "navigation", "DisclosureTriangle", "heading") and not text:
            problem(name, f"a {role} has no name")
        if role == "heading":
            depth = next((p["value"]["value"] for p in node.get("properties", []) if p["name"] == "level"), 1)
            if depth > level + 1:
                problem(name, f"the heading '{text}' skips a level")
            level = depth
    drawings = browser.execute_script("return document.querySelectorAll('svg').length")
    if seen.get("image", 0) + seen.get("img", 0) + seen.get("graphics-document", 0) < drawings:
        problem(name, f"{drawings} drawings, and a reader of screens finds {seen}")
    for role in ("main", "navigation", "banner", "contentinfo"):
        if seen.get(role, 0) != 1:
            problem(name, f"{seen.get(role, 0)} parts are '{role}'")


def press(find, key):
    """Sends the key to what `find` gives; a page that changes in between gives it anew."""
    for attempt in range(20):
        try:
            return find().send_keys(key)
        except StaleElementReferenceException:
            if attempt == 19:
                raise


def check_keyboard(browser, name):
    """Tab goes to everything that can be used, in order and visibly; Enter opens the tables."""
    wanted = browser.execute_script("return document.querySelectorAll('a[href],summary').length")
    reached = set()
    for step in range(400):
        press((lambda: browser.find_element(By.TAG_NAME, "body")) if step == 0 else (lambda: browser.switch_to.active_element), Keys.TAB)
        at = browser.execute_script(
            "const e = document.activeElement; if (e === document.body) return null;"
            "const s = getComputedStyle(e); return [[...document.querySelectorAll('*')].indexOf(e), e.tagName,"
            " e.textContent.slice(0, 40), s.outlineStyle !== 'none' || e.className === 'skip']")
        if at is None or at[0] in reached:
            break
        reached.add(at[0])
        if step == 0 and at[2] != "Skip to the content":
            problem(name, f"the first stop of the keyboard is '{at[2]}'")
        if not at[3]:
            problem(name, f"focus on '{at[2]}' cannot be seen")
    if len(reached) < wanted:
        problem(name, f"the keyboard reaches {len(reached)} of at least {wanted} places")
    press(lambda: browser.find_element(By.TAG_NAME, "summary"), Keys.ENTER)
    if not browser.execute_script("return document.querySelector('details').open"):
        problem(name, "Enter does not open a table")


def report_problems(what, folder):
    for text in problems:
        print(text, file=sys.stderr)
    print(f"{what}, {len(problems)} problems; pictures are in {folder}")
    return 1 if problems else 0
