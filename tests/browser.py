"""A page in headless Chromium, as it is in the end."""

import shutil
import subprocess

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--virtual-time-budget=10000",
)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")


def shown(address, folder):
    """Return the markup of the page at an address; the browser keeps its profile in ``folder``."""
    command = [BROWSER, *FLAGS, f"--user-data-dir={folder}", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout
