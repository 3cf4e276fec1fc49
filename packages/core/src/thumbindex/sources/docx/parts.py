"""The parts of a Word file, and access to attributes and properties in its namespace."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ..archive import Archive, joined_path, local_name
from ..office import whole_number

_OFF = ("0", "false", "off", "none")


class Parts:
    """The parts of a Word file beside its main part.

    Args:
        archive: The file.
        main: Path of the main part.
        namespace: Namespace of the main part's elements, in braces; it differs between variants of the format.
    """

    def __init__(self, archive: Archive, main: str, namespace: str) -> None:
        self.namespace = namespace
        self._archive = archive
        self._folder, _, self._main = main.rpartition("/")

    def part(self, name: str) -> Element | None:
        """Returns the root element of a part, such as "styles"; None where the file has no such part."""
        path = f"{self._folder}/{name}.xml"
        return self._archive.xml(path) if path in self._archive else None

    def embedded(self, element: Element) -> tuple[str, bytes] | None:
        """Returns the path and the contents of the part that an element embeds; None where the file has no such part."""
        ids = [value for key, value in element.attrib.items() if key.rpartition("}")[2] == "id"]
        relations = f"{self._folder}/_rels/{self._main}.rels"
        if not ids or relations not in self._archive:
            return None
        for relation in self._archive.xml(relations):
            if relation.get("Id") == ids[0] and relation.get("TargetMode") != "External":
                target = relation.get("Target", "")
                path = target.lstrip("/") if target.startswith("/") else joined_path(self._folder, target)
                return (path, self._archive.read(path)) if path in self._archive else None
        return None

    def notes(self, name: str, kind: str) -> dict[str, Element]:
        """Returns the footnotes or endnotes of a part by id, without separators."""
        root = self.part(name)
        notes = [] if root is None else [note for note in root if local_name(note) == kind]
        return {self.get(note, "id") or "": note for note in notes if self.get(note, "type") in (None, "normal")}

    def get(self, element: Element | None, key: str) -> str | None:
        """Returns an attribute of an element, with or without the namespace."""
        return None if element is None else element.get(self.namespace + key, element.get(key))

    def child(self, element: Element | None, *path: str) -> Element | None:
        """Returns the first descendant of an element along a path of names."""
        for name in path:
            element = None if element is None else element.find(self.namespace + name)
        return element

    def value(self, element: Element | None, *path: str) -> str | None:
        """Returns the `w:val` of the descendant along a path of names."""
        return self.get(self.child(element, *path), "val")

    def number(self, element: Element | None, *path: str) -> int | None:
        """Returns the `w:val` of the descendant along a path of names as a number."""
        return whole_number(self.value(element, *path))

    def switch(self, element: Element | None, *path: str) -> bool | None:
        """Returns the state of a toggle property such as `<w:b w:val="0"/>`; None where it is not set."""
        found = self.child(element, *path)
        return None if found is None else found.get(f"{self.namespace}val", "1") not in _OFF
