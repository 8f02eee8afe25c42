"""A warm Spark Connect server: the coordinator is killed, the JVM stays, so a kill costs seconds."""

import os
import socket
import subprocess
import time
from pathlib import Path

import pyspark

from lamina.warehouse.spark.jars import resolve_jars
from lamina.warehouse.spark.java import find_java

_START_SECONDS = 120


class ConnectServer:
    """One server process; its address is for `spark.remote`."""

    def __init__(self, folder: Path) -> None:
        self._port = _free_port()
        home = Path(pyspark.__file__).parent
        class_path = os.pathsep.join(str(jar) for jar in resolve_jars((), find_java()))
        conf = {
            "spark.driver.extraClassPath": class_path,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(self._port),
            "spark.ui.enabled": "false",
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        }
        flags = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
        command = [
            str(home / "bin" / "spark-submit"),
            "--master",
            "local[2]",
            "--class",
            "org.apache.spark.sql.connect.service.SparkConnectServer",
            *flags,
            "spark-internal",
        ]
        self._log = (folder / "connect.log").open("wb")
        environment = {**os.environ, "SPARK_HOME": str(home)}
        self._process = subprocess.Popen(
            command, cwd=folder, stdout=self._log, stderr=self._log, env=environment, start_new_session=True
        )
        self._wait(folder)

    @property
    def address(self) -> str:
        """The address of the server, as `spark.remote` wants it."""
        return f"sc://127.0.0.1:{self._port}"

    def stop(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait(timeout=60)
        self._log.close()

    def _wait(self, folder: Path) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            assert self._process.poll() is None, (folder / "connect.log").read_text()[-2000:]
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.3)
        raise AssertionError("the Connect server did not start")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
