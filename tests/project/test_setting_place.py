"""Where a setting of a model is written."""

from pathlib import Path

from lamina.project.setting_place import setting_place

CHECKS = (
    '[strategy]\ntype = "full_refresh"\n[[checks]]\ntype = "unique"\ncolumn = "id"\n[[checks]]\ntype = "row_count"\n'
)


def test_a_check_is_found_in_the_sidecar_or_in_the_nearest_defaults(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "sales" / "eu"
    folder.mkdir(parents=True)
    model = "models/sales/eu/orders.sql"
    assert setting_place(str(tmp_path), model, "checks.0") is None

    (tmp_path / "models" / "_defaults.toml").write_text(CHECKS)
    assert str(setting_place(str(tmp_path), model, "checks.1")) == "models/_defaults.toml:6:3"
    (folder / "orders.toml").write_text(f"# orders\n{CHECKS}")
    assert str(setting_place(str(tmp_path), model, "checks.1")) == "models/sales/eu/orders.toml:7:3"
