"""Every error that thumbindex raises on purpose, in one hierarchy.

    ThumbIndexError
    ├── SourceError                 a document could not be read
    │   ├── SourceNotFound          (also FileNotFoundError)
    │   ├── SourceIsDirectory       (also IsADirectoryError)
    │   ├── SourceUnreadable        no permission, or the system refused
    │   ├── UnsupportedSource       not a kind of document that is read here
    │   ├── EmptySource             no bytes, or no text at all
    │   ├── PasswordNeeded          encrypted, and the password is missing or wrong
    │   ├── DamagedSource           its format is known but its contents are broken
    │   ├── NoTextLayer             pages are images: OCR is needed
    │   ├── OcrFailed               the engine that was to read a scanned page failed
    │   ├── NoPages                 a document without a single page
    │   ├── PageImageUnavailable    its pages cannot be pictured: the file is gone, has changed, or never was
    │   └── SourceLimit             reading took too much time or memory
    ├── LibraryError                the library file cannot be used
    ├── DocumentNotFound            (also KeyError) no such document in the library
    ├── SectionNotFound             (also KeyError) no such section in the document
    │   └── SectionRevised          an earlier revision of the document had it
    ├── PageOutOfRange              (also IndexError) no such page in the document
    ├── InvalidPageSpec             (also ValueError) "5-7,12" is right, "two" is not
    ├── InvalidTree                 (also ValueError) a tree that breaks its own rules, or JSON that is no tree
    ├── ModelError                  a language model could not be used, or not any further
    │   ├── ModelAccessDenied       the key is missing, wrong, without rights or without credit: nothing is tried again
    │   ├── ModelRejected           the server refuses the request: unknown model, prompt too long
    │   ├── ModelUnavailable        no usable reply, even after waiting and trying again
    │   └── ModelLimit              a limit of time or tokens that you set is reached
    └── MissingExtra                (also ImportError) an optional dependency is not installed

Each message names what is wrong and says what to do; the facts are kept as attributes.
"""

from __future__ import annotations


class ThumbIndexError(Exception):
    """Base of every error raised by thumbindex."""

    def __str__(self) -> str:
        # KeyError would show its argument in quotes; a message is a sentence, not a key.
        return str(self.args[0]) if self.args else ""


class SourceError(ThumbIndexError):
    """A document could not be read; `source` is its name or path."""

    def __init__(self, source: str, what: str, remedy: str) -> None:
        super().__init__(f"{source}: {what} {remedy}")
        self.source, self.what, self.remedy = source, what, remedy

    def __reduce__(self) -> tuple[type[SourceError], tuple[str, str, str]]:
        return type(self), (self.source, self.what, self.remedy)


class SourceNotFound(SourceError, FileNotFoundError):
    """There is no file at that path."""


class SourceIsDirectory(SourceError, IsADirectoryError):
    """The path is a folder."""


class SourceUnreadable(SourceError):
    """The system refused to hand the file over."""


class UnsupportedSource(SourceError):
    """The contents are of no kind that is read here."""


class EmptySource(SourceError):
    """The document has no bytes or no text."""


class PasswordNeeded(SourceError):
    """The document is encrypted and the password is missing or wrong."""


class DamagedSource(SourceError):
    """The contents are broken beyond what the reader repairs."""


class NoTextLayer(SourceError):
    """Every page is an image; `page_count` says how many."""

    def __init__(self, source: str, what: str, remedy: str, page_count: int = 0) -> None:
        super().__init__(source, what, remedy)
        self.page_count = page_count

    def __reduce__(self) -> tuple[type[SourceError], tuple[str, str, str, int]]:  # type: ignore[override]
        return type(self), (self.source, self.what, self.remedy, self.page_count)


class OcrFailed(SourceError):
    """The OCR engine failed on a page; its own error is the cause."""


class NoPages(SourceError):
    """The document has no page."""


class PageImageUnavailable(SourceError):
    """A page of a library's document cannot be pictured: its file is gone or has changed, or it has none or is no PDF."""


class SourceLimit(SourceError):
    """Reading went over a limit of size, time or memory: see `thumbindex.Limits`."""


class LibraryError(ThumbIndexError):
    """The library file cannot be opened, read or written."""


class DocumentNotFound(ThumbIndexError, KeyError):
    """No document of the library has that id or name."""


class SectionNotFound(ThumbIndexError, KeyError):
    """No section of the document has that id."""


class SectionRevised(SectionNotFound):
    """An earlier revision of the document had the section; `nearest` is the id of the one nearest to it now."""

    def __init__(self, message: str, nearest: str) -> None:
        super().__init__(message)
        self.nearest = nearest

    def __reduce__(self) -> tuple[type[SectionRevised], tuple[str, str]]:
        return type(self), (str(self), self.nearest)


class PageOutOfRange(ThumbIndexError, IndexError):
    """The page does not exist in the document."""

    def __init__(self, page: int, page_count: int) -> None:
        super().__init__(f"Page {page} does not exist: pages are numbered 1 to {page_count}.")
        self.page, self.page_count = page, page_count


class InvalidPageSpec(ThumbIndexError, ValueError):
    """A list of pages that cannot be read."""


class InvalidTree(ThumbIndexError, ValueError):
    """A tree that breaks its own rules, or JSON that holds no tree."""


class ModelError(ThumbIndexError):
    """A language model could not be used; `model` is its name."""

    def __init__(self, model: str, what: str) -> None:
        super().__init__(f"{model}: {what}")
        self.model, self.what = model, what

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, str]]:
        return type(self), (self.model, self.what)


class ModelAccessDenied(ModelError):
    """The server does not let us in: the key is missing, wrong, without rights or without credit."""


class ModelRejected(ModelError):
    """The server refuses this request and would refuse it again."""


class ModelUnavailable(ModelError):
    """The server gave no usable reply in all the attempts and time it was granted."""


class ModelLimit(ModelError):
    """A limit of time or tokens is reached; `limit` names it."""

    def __init__(self, model: str, what: str, limit: str = "") -> None:
        super().__init__(model, what)
        self.limit = limit

    def __reduce__(self) -> tuple[type[ModelLimit], tuple[str, str, str]]:  # type: ignore[override]
        return type(self), (self.model, self.what, self.limit)


class MissingExtra(ThumbIndexError, ImportError):
    """An optional dependency is missing; the message gives the command that installs it."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs an extra that is not installed: pip install 'thumbindex[{extra}]'")
        self.extra, self.purpose = extra, purpose

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return type(self), (self.extra, self.purpose)
