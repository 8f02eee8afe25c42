"""The pages of codes: one for each, saying why and what to do."""

import pytest

from lamina.api.rulebook import RulePage, find_rule, rule_pages


@pytest.mark.parametrize("page", rule_pages(), ids=lambda page: page.code)
def test_every_page_says_why_and_what_to_do(page: RulePage) -> None:
    assert page.title
    assert [line[:4] for line in page.text.splitlines() if line.startswith(("Why: ", "Fix: "))] == ["Why:", "Fix:"]


def test_codes_and_names_are_given_once() -> None:
    codes = [page.code for page in rule_pages()]
    names = [page.name for page in rule_pages()]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)


def test_a_page_is_found_by_code_or_name_in_any_case() -> None:
    assert find_rule("l701") == find_rule("LeaseHeld") is not None
    assert find_rule("L000") is None
