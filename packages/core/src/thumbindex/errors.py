"""Every error that thumbindex raises on purpose, in one hierarchy.

    ThumbIndexError
    ├── SourceError                 a document could not be read
    │   ├── SourceNotFound          (also FileNotFoundError)
    │   ├── SourceIsDirectory       (also IsADirectoryError)
    │   ├── SourceUnreadable        no permission, or the system refused to read it
    │   ├── UnsupportedSource       not a supported format
    │   ├── EmptySource             no bytes, or no text at all
    │   ├── PasswordNeeded          encrypted, and the password is missing or wrong
    │   ├── DamagedSource           its format is known but its contents are broken
    │   ├── NoTextLayer             pages are images: OCR is needed
    │   ├── OcrFailed               the OCR engine failed on a scanned page
    │   ├── NoPages                 a document without a single page
    │   ├── PageImageUnavailable    its pages cannot be rendered: the file is gone, has changed, or never existed
    │   └── SourceLimit             reading took too much time or memory
    ├── LibraryError                the library file cannot be used
    ├── DocumentNotFound            (also KeyError) no such document in the library
    ├── SectionNotFound             (also KeyError) no such section in the document
    │   └── SectionRevised          an earlier revision of the document had it
    ├── PageOutOfRange              (also IndexError) no such page in the document
    ├── InvalidPageSpec             (also ValueError) "5-7,12" is valid, "two" is not
    ├── InvalidTree                 (also ValueError) a tree that violates an invariant, or JSON that is not a tree
    ├── ModelError                  a language model could not be used, or not to the end
    │   ├── ModelAccessDenied       the key is missing, wrong, without rights or without credit; never retried
    │   ├── ModelRejected           the server refuses the request: unknown model, prompt too long
    │   ├── ModelUnavailable        no usable reply, even after retries
    │   └── ModelLimit              a limit of time or tokens that you set was reached
    ├── InvalidNavigator            (also TypeError) a navigator that does not yield its requests
    └── MissingExtra                (also ImportError) an optional dependency is not installed

Each message states what is wrong and what to do; the facts are attributes.
"""

from __future__ import annotations


class ThumbIndexError(Exception):
    """Base class of every error that thumbindex raises."""

    def __str__(self) -> str:
        # KeyError puts its argument in quotes; a message is a sentence, not a key.
        return str(self.args[0]) if self.args else ""


class SourceError(ThumbIndexError):
    """A document could not be read.

    Attributes:
        source: Name or path of the document.
        what: What is wrong with it.
        remedy: What to do about it.
    """

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
    """The system refused to read the file."""


class UnsupportedSource(SourceError):
    """The contents have no supported format."""


class EmptySource(SourceError):
    """The document has no bytes or no text."""


class PasswordNeeded(SourceError):
    """The document is encrypted and the password is missing or wrong."""


class DamagedSource(SourceError):
    """The contents are damaged beyond what the reader repairs."""


class NoTextLayer(SourceError):
    """Every page is an image.

    Attributes:
        page_count: Number of pages.
    """

    def __init__(self, source: str, what: str, remedy: str, page_count: int = 0) -> None:
        super().__init__(source, what, remedy)
        self.page_count = page_count

    def __reduce__(self) -> tuple[type[SourceError], tuple[str, str, str, int]]:  # type: ignore[override]
        return type(self), (self.source, self.what, self.remedy, self.page_count)


class OcrFailed(SourceError):
    """The OCR engine failed on a page; its own error is the cause."""


class NoPages(SourceError):
    """The document has no pages."""


class PageImageUnavailable(SourceError):
    """A page of a document in a library cannot be rendered: its file is gone or has changed, or it has none or is not a PDF."""


class SourceLimit(SourceError):
    """Reading exceeded a limit of size, time or memory: see `thumbindex.Limits`."""


class LibraryError(ThumbIndexError):
    """The library file cannot be opened, read or written."""


class DocumentNotFound(ThumbIndexError, KeyError):
    """No document of the library has that id or name."""


class SectionNotFound(ThumbIndexError, KeyError):
    """No section of the document has that id."""


class SectionRevised(SectionNotFound):
    """An earlier revision of the document had the section.

    Attributes:
        nearest: Id of the nearest section in the current revision.
    """

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
    """A page specification that cannot be parsed."""


class InvalidTree(ThumbIndexError, ValueError):
    """A tree that violates an invariant, or JSON that is not a tree."""


class InvalidNavigator(ThumbIndexError, TypeError):
    """An object was passed as a navigator whose `navigate` is no generator function."""


class ModelError(ThumbIndexError):
    """A language model could not be used.

    Attributes:
        model: Name of the model.
        what: What went wrong.
    """

    def __init__(self, model: str, what: str) -> None:
        super().__init__(f"{model}: {what}")
        self.model, self.what = model, what

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, str]]:
        return type(self), (self.model, self.what)


class ModelAccessDenied(ModelError):
    """The server denies access: the key is missing, wrong, without rights or without credit."""


class ModelRejected(ModelError):
    """The server refuses this request and would refuse it again."""


class ModelUnavailable(ModelError):
    """The server gave no usable reply within the allowed attempts and time."""


class ModelLimit(ModelError):
    """A limit of time or tokens was reached.

    Attributes:
        limit: Name of the limit.
    """

    def __init__(self, model: str, what: str, limit: str = "") -> None:
        super().__init__(model, what)
        self.limit = limit

    def __reduce__(self) -> tuple[type[ModelLimit], tuple[str, str, str]]:  # type: ignore[override]
        return type(self), (self.model, self.what, self.limit)


class MissingExtra(ThumbIndexError, ImportError):
    """An optional dependency is not installed; the message gives the command that installs it.

    Attributes:
        extra: Name of the extra.
        purpose: What needs it.
    """

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs an extra that is not installed: pip install 'thumbindex[{extra}]'")
        self.extra, self.purpose = extra, purpose

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return type(self), (self.extra, self.purpose)
