#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the site of the documents in build/docs/site; called by ./dev docs, after Doxygen.

    docs/site.py PROGRAM

Gathers the pages in the folders that they have in the repository, so that links lead to the same files here and there.
PROGRAM, which is `ostinato`, prints the page on its options. Names in the page on the API become links, by Doxygen's
tag file. MkDocs fails on dead links among the pages; links into the API and anchors are checked here.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "docs"
PAGES, SITE = OUT / "pages", OUT / "site"


def gather():
    shutil.rmtree(PAGES, ignore_errors=True)
    keep = shutil.ignore_patterns("Doxyfile", "*.py", "*.yml", "requirements.txt", "__pycache__")
    for folder in ("docs", "examples"):
        shutil.copytree(ROOT / folder, PAGES / folder, ignore=keep if folder == "docs" else shutil.ignore_patterns("*.md"))
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE", "CITATION.cff"):
        shutil.copy(ROOT / name, PAGES)
    shutil.copytree(OUT / "html", PAGES / "api")


def page_of_options(program):
    def printed(*arguments):
        return subprocess.run([program, *arguments, "--help"], check=True, capture_output=True, text=True).stdout

    top = printed()
    text = f"# The program and its options\n\nAs `ostinato --help` prints them.\n\n```text\n{top}```\n"
    commands = re.findall(r"^  (\w+) ", top[top.index("Commands:") : top.index("Exit codes:")], re.M)
    for command in commands:
        text += f"\n## ostinato {command}\n\n```text\n{printed(command).split('Exit codes:')[0].rstrip()}\n```\n"
    (PAGES / "docs/reference/program.md").write_text(text)


def link_names():
    page = PAGES / "docs/reference/api.md"
    pages = {}
    for compound in xml.etree.ElementTree.parse(OUT / "api.tag").iter("compound"):
        if compound.get("kind") in ("class", "struct", "concept"):
            name, file = compound.findtext("name"), compound.findtext("filename")
            pages[name] = file if file.endswith(".html") else file + ".html"
        for member in compound.findall("member"):
            name = compound.findtext("name") + "::" + member.findtext("name")
            pages.setdefault(name, member.findtext("anchorfile") + "#" + member.findtext("anchor"))
    link = lambda m: f"[`{m[1]}`](../../api/{pages[m[1]]})" if m[1] in pages else m[0]
    page.write_text(re.sub(r"`(ostinato::[\w:]+)`", link, page.read_text()))


class Links(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(file.read_text(errors="replace"))

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("id", "name") and value:
                self.names.add(value)
            if key in ("href", "src") and value:
                self.links.append(value)


def dead_links():
    parsed, dead = {}, []
    read = lambda file: parsed.setdefault(file, Links(file)) if file not in parsed else parsed[file]
    for file in sorted(SITE.rglob("*.html")):
        if file.is_relative_to(SITE / "api") or file.name == "404.html":
            continue
        for link in read(file).links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            path = urllib.parse.unquote(url.path)
            target = pathlib.Path(os.path.normpath(file.parent / path)) if path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                dead.append(f"{file.relative_to(SITE)}: {link}")
            elif url.fragment and target.suffix == ".html" and urllib.parse.unquote(url.fragment) not in read(target).names:
                dead.append(f"{file.relative_to(SITE)}: {link}: no such place")
    return dead


def main():
    gather()
    page_of_options(sys.argv[1])
    link_names()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", ROOT / "docs/mkdocs.yml"]
    built = subprocess.run(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    if built.returncode:
        sys.exit(built.stderr)
    dead = dead_links()
    if dead:
        sys.exit("dead links:\n" + "\n".join(dead))


main()
