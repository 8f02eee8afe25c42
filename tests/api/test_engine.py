"""What the engine hands to its parts."""

from pathlib import Path

from lamina.api.engine import spark_settings
from lamina.api.project import open_project
from lamina.api.starter import start_project
from lamina.warehouse.spark.profile import session_conf


def test_secrets_of_the_project_reach_only_spark(tmp_path: Path) -> None:
    root = str(tmp_path / "shop")
    start_project(root, "quickstart")
    with open(f"{root}/lamina.toml", "a", encoding="utf-8") as file:
        file.write('\n[spark.conf]\n"spark.hadoop.fs.s3a.secret.key" = "${KEY}"\n"spark.sql.shuffle.partitions" = 3\n')
    project = open_project(root, variables={"KEY": "hush"})
    settings = spark_settings(project.config, project.graph, project.variables)

    assert "hush" not in repr(settings)
    conf = session_conf(settings)
    assert conf["spark.hadoop.fs.s3a.secret.key"] == "hush"
    assert conf["spark.sql.shuffle.partitions"] == "3"
