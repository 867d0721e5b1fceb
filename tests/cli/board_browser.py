"""Looks at a live board with Chromium: board_browser.py FOLDER NAME URL [GO] keeps screenshots in FOLDER. With GO the run
stands still until that file is there, and then goes on to its end."""
import os
import sys
import time

from browser import (check_keyboard, check_names, check_network, check_pictures, open_browser, problem, report_problems,
                     show)
from selenium.webdriver.common.by import By


def text_of(browser, place):
    return browser.execute_script("return document.querySelector(arguments[0]).textContent", place)


def wait_for(browser, name, what, script):
    for _ in range(400):
        if browser.execute_script("return " + script):
            return
        time.sleep(0.1)
    problem(name, f"{what} never came; the page says: {text_of(browser, 'main')[:600]}")


def pictures(browser, folder, name):
    check_pictures(browser, folder, name)
    show(browser, 1280, 900, "light")


def check_ears(browser, name):
    """What a reader of screens is told of a run: a status that waits for its turn, and a progress with a name."""
    # By one script: a part that changes meanwhile takes its elements along.
    status, unnamed = browser.execute_script(
        "return [[...document.querySelectorAll('[aria-live]')].map(e => [e.getAttribute('role'), e.getAttribute('aria-live')]),"
        " [...document.querySelectorAll('progress')].filter(e => !e.getAttribute('aria-label')).length]")
    if status != [["status", "polite"]]:
        problem(name, "there is not one status that waits for its turn")
    if unnamed:
        problem(name, "the progress has no name")


def check_without_program(browser, name, url):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(url)
    text = browser.find_element(By.TAG_NAME, "body").text
    for words in ("Now", "Reload the page", "What happened last"):
        if words not in text:
            problem(name, f"without JavaScript the page lacks '{words}'")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.get(url)
    wait_for(browser, name, "the connection", "document.getElementById('link').textContent.startsWith('Live')")


def see_it_end(browser, folder, name, go):
    """The curve grows, an open table stays open with the keyboard on it, and the page turns into the report."""
    browser.execute_script("const s = document.querySelector('#part-curves summary'); s.focus(); s.parentNode.open = true;"
                           " window.first = document.querySelector('polyline')")
    with open(go, "w", encoding="utf-8"):
        pass
    wait_for(browser, name, "more of the curve", "!window.first.isConnected || !document.getElementById('part-curves')")
    if not browser.execute_script("return !document.getElementById('part-curves') || (document.querySelector('#part-curves details')"
                                  ".open && document.activeElement.tagName === 'SUMMARY')"):
        problem(name, "a table closes, or the keyboard is lost, when the curve grows")
    wait_for(browser, name, "the end", "document.getElementById('latest').textContent === 'The run is done.'")
    wait_for(browser, name, "the report", "!!document.getElementById('results')")
    wait_for(browser, name, "the last word", "document.getElementById('link').textContent.startsWith('The run is over')")
    pictures(browser, folder, name + "-end")
    check_names(browser, name + "-end")


def main():
    folder, name, url = sys.argv[1:4]
    browser = open_browser()
    try:
        check_without_program(browser, name, url)
        pictures(browser, folder, name)
        check_names(browser, name)
        check_ears(browser, name)
        check_keyboard(browser, name)
        if len(sys.argv) > 4:
            see_it_end(browser, folder, name, sys.argv[4])
        check_network(browser, name, (url,))
    finally:
        browser.quit()
    return report_problems("the live board", folder)


sys.exit(main())
