"""Page to links: the raw scan, and which links are articles."""

from medharvest.links.constraints import judge_links
from medharvest.links.scan import scan_links

__all__ = ["judge_links", "scan_links"]
