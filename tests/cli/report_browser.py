"""Looks at pages of sotto report with Chromium: report_browser.py FOLDER PAGE... keeps screenshots and PDFs in FOLDER."""
import base64
import os
import re
import sys

from browser import (check_keyboard, check_names, check_network, check_pictures, open_browser, problem, report_problems,
                     show)


def print_page(browser, name, path):
    browser.execute_script("document.querySelectorAll('details').forEach(e => e.open = false)")
    pdf = base64.b64decode(browser.execute_cdp_cmd(
        "Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})["data"])
    with open(path, "wb") as file:
        file.write(pdf)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    if not pdf.startswith(b"%PDF") or not boxes:
        problem(name, "does not print")
    for wide, tall in boxes:
        if abs(float(wide) - 595.3) > 2 or abs(float(tall) - 841.9) > 2:
            problem(name, f"prints on {wide.decode()} x {tall.decode()} points, which is not A4")


def look(browser, folder, page):
    name = os.path.splitext(os.path.basename(page))[0]
    address = "file://" + os.path.abspath(page)
    check_pictures(browser, folder, name, address)
    show(browser, 1280, 900, "dark")
    browser.get(address)
    check_names(browser, name)
    check_keyboard(browser, name)
    print_page(browser, name, os.path.join(folder, f"{name}.pdf"))
    check_network(browser, name)


def main():
    browser = open_browser()
    try:
        for page in sys.argv[2:]:
            look(browser, sys.argv[1], page)
    finally:
        browser.quit()
    return report_problems(f"{len(sys.argv) - 2} pages", sys.argv[1])


sys.exit(main())
