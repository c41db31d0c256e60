"""README and the pages of docs: their examples run, their tables are the games' own, their links lead on."""

import re
from pathlib import Path

import pytest

from docs import generate
from tests.plain import ROOT

PAGES = [ROOT / "README.md", *(ROOT / "docs" / name for name in generate.PAGES)]
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pages
def test_the_python_examples_run_one_after_the_other(page: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= (3 if page.name == "README.md" else 1)
    exec(compile("\n".join(blocks), str(page), "exec"), {})


@pages
def test_links_to_files_lead_to_them(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8"))
    assert links
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("name", generate.PAGES)
def test_the_tables_of_docs_are_not_stale(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    assert text == generate.renewed(name, text), "run python -m docs.generate"
    assert generate.renewed(name, text.replace("| ", "|  ")) != text.replace("| ", "|  "), (
        "a stale page is seen"
    )


def test_a_page_without_one_of_its_tables_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"has the generated tables \['actions'\]: must have \['arguments', "
    ):
        generate.renewed("palace.md", "<!-- generated: actions -->\n<!-- end -->\n")


def test_options_of_which_nothing_is_told_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"the meanings of \['seat'\] are told: must be those of \['button', "
    ):
        generate.options(generate.PAGES["palace.md"], {"seat": "where one sits"})
