"""Looks at pages of the documents' site with Chromium, at four widths, light and dark: site_browser.py FOLDER PAGE..."""
import os
import sys

from browser import check_pictures, open_browser, report_problems


def main():
    browser = open_browser()
    try:
        for page in sys.argv[2:]:
            name = "site-" + os.path.splitext(os.path.basename(page))[0]
            check_pictures(browser, sys.argv[1], name, "file://" + os.path.abspath(page))
    finally:
        browser.quit()
    return report_problems(f"{len(sys.argv) - 2} pages of the site", sys.argv[1])


sys.exit(main())
