"""A search without a model as steps of a navigator."""

from __future__ import annotations

from ..search.sections import SectionSearch
from .actions import Action, Choose, RankDocuments, SearchSections, Stop


def actions_of(search: SectionSearch) -> list[Action]:
    """The actions that lead to the result of a search, in their order."""
    stop = Stop(search.reason, search.weak, search.runners_up)
    if not search.considered:
        return [stop]
    ranking, searching = search.seconds
    return [
        RankDocuments(search.documents, search.considered, ranking),
        SearchSections(search.terms, search.absent, search.found, searching),
        *map(Choose, search.chosen),
        stop,
    ]
