"""Cut a page into zones and label each zone: title, author, affiliation, abstract and so on.

`label_zones(page)` returns labelled zones; `item.zone.text` is the text of one, `item.verdict.label` its label.
"""

from medharvest.zones.labeller import label_zones
from medharvest.zones.segmentation import segment

__all__ = ["label_zones", "segment"]
