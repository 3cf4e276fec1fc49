"""Opening a PDF, and what PDFium's refusal means."""

from __future__ import annotations

from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from ...errors import DamagedSource, NoPages, PasswordNeeded, SourceUnreadable


def open_pdf(data: bytes | Path, name: str, password: str | None) -> pdfium.PdfDocument:
    """Opens a PDF from its bytes or its path; the caller closes it.

    Raises:
        PasswordNeeded: The file is encrypted, and the password is missing or wrong.
        DamagedSource: PDFium cannot open the file.
        NoPages: The file has no pages.
        SourceUnreadable: The file was removed before it was opened.
    """
    try:
        return pdfium.PdfDocument(data, password=password)
    except FileNotFoundError:
        raise SourceUnreadable(
            name, "the file was removed before it was read.", "Check the path and try again."
        ) from None
    except pdfium.PdfiumError as error:
        raise _explain(error, name, password, _opens(data, password)) from None


def _opens(data: bytes | Path, password: str | None) -> bool:
    """Returns whether PDFium opens the file. A file without pages opens, and leaves the last file's error code in place."""
    secret = None if password is None else password.encode()
    if isinstance(data, Path):
        handle = raw.FPDF_LoadDocument(str(data).encode(), secret)
    else:
        handle = raw.FPDF_LoadMemDocument64(data, len(data), secret)
    if not handle:
        return False
    raw.FPDF_CloseDocument(handle)
    return True


def _explain(error: pdfium.PdfiumError, name: str, password: str | None, opens: bool) -> Exception:
    if opens:
        return NoPages(name, "the PDF has no pages.", "Check that the program that exported it finished.")
    code = getattr(error, "err_code", None)
    if code == raw.FPDF_ERR_PASSWORD:
        what = (
            "the PDF is encrypted and needs a password." if password is None else "the password does not open the PDF."
        )
        return PasswordNeeded(name, what, "Pass the right one as password=... (command line: --password).")
    if code == raw.FPDF_ERR_SECURITY:
        return PasswordNeeded(
            name,
            "the PDF uses a protection that PDFium does not support.",
            "Save a copy without protection and add that.",
        )
    return DamagedSource(
        name,
        "the PDF is damaged and cannot be opened.",
        "Open it in a viewer and save it again, or download it again: a broken download is the usual cause.",
    )
