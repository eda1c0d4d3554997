"""The Kubernetes manifests as the tests read them: their pods and containers, with what each is given."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from backoffice.running import database_and_mail_settings

FOLDER = database_and_mail_settings.ROOT / "tools" / "deploy" / "kubernetes"
SECRETS = "/run/secrets/"
Manifest = dict[str, Any]


class Pod(NamedTuple):
    """A pod that a manifest makes, with the kind of its manifest."""

    name: str
    kind: str
    labels: dict[str, str]
    spec: Manifest

    @property
    def container(self) -> Manifest:
        """The pod's one container."""
        [container] = self.spec["containers"]
        return dict(container)

    @property
    def environment(self) -> dict[str, str]:
        """The settings of the house, and those of this pod over them."""
        own = {variable["name"]: str(variable["value"]) for variable in self.container["env"]}
        return {**settings(), **own}

    @property
    def secrets(self) -> set[str]:
        """The names of the files in which its secrets lie."""
        [sources] = [volume["projected"]["sources"] for volume in self.spec["volumes"] if "projected" in volume]
        return {item["path"] for source in sources for item in source["secret"]["items"]}

    @property
    def claims(self) -> dict[str, str]:
        """The mount path of each persistent volume, by its claim; a read-only path ends with `:ro`."""
        claims = {
            volume["name"]: volume["persistentVolumeClaim"]["claimName"]
            for volume in self.spec["volumes"]
            if "persistentVolumeClaim" in volume
        }
        return {
            claims[mount["name"]]: mount["mountPath"] + (":ro" if mount.get("readOnly") else "")
            for mount in self.container["volumeMounts"]
            if mount["name"] in claims
        }


def manifests() -> Iterator[tuple[Path, Manifest]]:
    """Every object of every file."""
    for path in sorted(FOLDER.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            yield path, document


def of_kind(kind: str) -> list[Manifest]:
    """The objects of one kind."""
    return [document for _, document in manifests() if document["kind"] == kind]


def settings() -> dict[str, str]:
    """The settings that every pod is given."""
    [config_map] = of_kind("ConfigMap")
    return dict(config_map["data"])


def pods() -> dict[str, Pod]:
    """Every pod, by its name."""
    pods_ = {}
    for _, document in manifests():
        template = document.get("spec", {})
        template = template.get("jobTemplate", {}).get("spec", template).get("template")
        if template:
            name = document["metadata"]["name"]
            pods_[name] = Pod(name, document["kind"], template["metadata"]["labels"], template["spec"])
    return pods_
