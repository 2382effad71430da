"""Composes the stages: reads pages, carries out plans, writes files."""

from medharvest.run.harvest import Harvest, harvest_issue
from medharvest.run.inputs import Source, read_sources
from medharvest.run.output import write_citations
from medharvest.run.read import read_bytes, read_page

__all__ = ["Harvest", "Source", "harvest_issue", "read_bytes", "read_page", "read_sources", "write_citations"]
