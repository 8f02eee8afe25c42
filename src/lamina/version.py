"""The version of lamina, known without reading any package metadata."""

VERSION = "0.1.0"
