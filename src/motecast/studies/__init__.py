"""One published figure or table a file: scenarios, the paper's numbers, and claims, all stated before anything runs.

A module of this package with a `STUDY` is a study; `motecast study list` finds it by listing the folder.
"""

from motecast.studies.results import Results
from motecast.studies.runner import run_study
from motecast.studies.study import Case, Claim, Published, Scale, Study, find_study, study_names

__all__ = [
    "Case",
    "Claim",
    "Published",
    "Results",
    "Scale",
    "Study",
    "find_study",
    "run_study",
    "study_names",
]
