"""A hook of mkdocs (mkdocs.yml): what the pages need to be a site as they are.

The navigation is docs/index.md. README, CHANGELOG and CONTRIBUTING, which lie beside docs, become pages. Links to
other files of the repository lead to the repository, or are left out where its address is not known.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {"README.md": "readme", "CHANGELOG.md": "changelog", "CONTRIBUTING.md": "contributing"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#:]*)(#[^)\s]*)?\)")
CODE = re.compile(r"^```.*?^```|``[^`]*``|`[^`\n]*`", re.M | re.S)


def title_of(text):
    words = " ".join(text.split())
    return words[0].upper() + words[1:]


def navigation():
    """The sections of docs/index.md, each a list of its pages."""
    _, *parts = re.split(r"(?m)^\*\*(.+)\*\*$", (ROOT / "docs" / "index.md").read_text())
    sections = [{"Overview": "index.md"}, {"README": "README.md"}]
    for title, text in zip(parts[::2], parts[1::2]):
        pages = [{title_of(name): target.removeprefix("../")}
                 for _, name, target, _ in LINK.findall(text) if target.endswith(".md")]
        sections.append({title: pages})
    return sections


def on_config(config):
    config["nav"] = navigation()
    return config


def on_files(files, config):
    for name, place in BESIDE.items():
        page = File(name, str(ROOT), config["site_dir"], config["use_directory_urls"])
        page.dest_path, page.url = f"{place}/index.html", f"{place}/"
        page.abs_dest_path = posixpath.join(config["site_dir"], page.dest_path)
        files.append(page)
    return files


def linked_from(source, link, repository):
    """`source` is the page, as mkdocs names it; returns the link as mkdocs wants it, or nothing."""
    own = source if source in BESIDE else "docs/" + source
    target = posixpath.normpath(posixpath.join(posixpath.dirname(own), link))
    inside = target if target in BESIDE else target.removeprefix("docs/") if target.startswith("docs/") else None
    if inside is not None:
        return posixpath.relpath(inside, posixpath.dirname(source) or ".")
    return f"{repository.rstrip('/')}/blob/HEAD/{target}" if repository else None


def on_page_markdown(markdown, page, config, files):
    def link(found):
        mark, text, target, anchor = found.groups()
        if not target:
            return found.group()
        leads = linked_from(page.file.src_uri, target, config["repo_url"] or "")
        return f"{mark}[{text}]({leads}{anchor or ''})" if leads else text

    out, at = [], 0
    for code in CODE.finditer(markdown):  # what looks like a link in code is none
        if code.group().startswith("```"):
            out += [LINK.sub(link, markdown[at:code.start()]), code.group()]
            at = code.end()
    out.append(LINK.sub(link, markdown[at:]))
    # GitHub begins a list anywhere, mkdocs behind an empty line only.
    return re.sub(r"(?m)^(?!- |  |\||$|#)(.*\S.*)\n(?=- )", r"\1\n\n", "".join(out))
