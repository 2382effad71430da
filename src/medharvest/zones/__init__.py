"""Page to zones, and zones to labels."""

from medharvest.zones.label import label_zones
from medharvest.zones.segment import segment

__all__ = ["label_zones", "segment"]
