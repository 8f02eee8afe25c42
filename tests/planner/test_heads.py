"""Which metadata file was published, when nothing but the files is left."""

from lamina.planner.heads import Kind, MetadataFile, published_head


def file(name: str, *log: str, kind: Kind = "sealed", token: int = 1, updated: int = 0) -> MetadataFile:
    return MetadataFile(name=name, log=log, kind=kind, token=token, updated=updated)


def head(*files: MetadataFile, known: str | None = None, dropped: int | None = None) -> str | None:
    found = published_head(files, known=known, dropped=dropped)
    return None if found is None else found.name


def test_a_version_with_the_mark_of_its_base_shows_that_a_stage_on_it_was_not_published() -> None:
    base = file("a").replace(commit="x")
    stage, expired = file("b", "a", token=9, updated=1).replace(commit="y"), file("c", "a").replace(commit="x")
    assert head(base, stage, expired) == "c"
    marked_again = file("d", "a", token=2, updated=2).replace(commit="x")  # by a rename that was not finished
    assert head(base, stage, marked_again) == "b"


def test_the_end_of_a_chain_is_the_head() -> None:
    assert head(file("a"), file("b", "a", token=2), file("c", "a", "b", token=3)) == "c"


def test_a_table_without_a_finished_batch_has_no_head() -> None:
    assert head(file("a", kind="unfinished"), file("b", "a", kind="unfinished")) is None


def test_a_stage_that_was_not_finished_is_passed_over() -> None:
    assert head(file("a"), file("b", "a", kind="unfinished", token=9, updated=9)) == "a"


def test_of_two_stages_on_one_base_the_one_of_the_later_run_was_published() -> None:
    paused, winner = file("b", "a", token=2, updated=50), file("c", "a", token=3, updated=40)
    assert head(file("a"), paused, winner) == "c"


def test_of_two_stages_of_one_run_the_later_was_published() -> None:
    assert head(file("a"), file("b", "a", token=2, updated=1), file("c", "a", token=2, updated=2)) == "c"


def test_what_was_published_on_a_stage_keeps_it_in_the_history() -> None:
    left, used, last = file("b", "a", token=3, updated=9), file("c", "a", token=2), file("d", "a", "c", token=4)
    assert head(file("a"), left, used, last) == "d"


def test_a_foreign_write_shows_that_a_stage_on_the_same_version_was_not_published() -> None:
    stage, others = file("b", "a", token=9, updated=1), file("c", "a", kind="foreign", token=1, updated=2)
    assert head(file("a"), stage, others) == "c"


def test_files_that_a_stage_passed_through_do_not_break_the_chain() -> None:
    assert head(file("a"), file("x", "a", kind="unfinished"), file("b", "a", "x", token=2)) == "b"


def test_a_table_built_again_after_it_was_dropped_begins_a_new_history() -> None:
    assert head(file("a", token=1), file("b", "a", token=2), file("c", token=3)) == "c"


def test_a_table_that_was_dropped_and_built_again_by_a_later_run_is_the_head() -> None:
    files = (file("a"), file("b", "a", token=2), file("z", token=3), file("y", "z", token=4))
    assert head(*files, known="a") == "y"
    assert head(*files, known="y") == "y"


def test_a_known_version_is_followed_and_older_histories_are_not() -> None:
    files = (file("a"), file("b", "a", token=2), file("z", token=2, updated=9))
    assert head(*files, known="a") == "b"
    assert head(*files, known="b") == "b"
    assert head(*files, known="gone") == "z"


def test_of_a_dropped_table_nothing_is_left_but_what_another_program_put_in_its_place() -> None:
    old = (file("a", kind="foreign", token=0, updated=1), file("b", "a", token=2, updated=2))
    assert head(*old, dropped=3) is None
    assert head(*old, known="b", dropped=3) is None
    assert head(*old, file("c", kind="foreign", token=0, updated=4), dropped=3) == "c"
