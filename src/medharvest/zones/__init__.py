"""Page to zones, and zones to labels."""

from medharvest.zones.labeller import label_zones
from medharvest.zones.segmentation import segment

__all__ = ["label_zones", "segment"]
