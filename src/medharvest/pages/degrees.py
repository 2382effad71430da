"""The degrees and fellowships that stand behind names, in small letters and without stops."""

from __future__ import annotations

DEGREES = frozenset(
    """ba bs bsc bchir bds bm bmbs chb chm dds dm dmd do dphil dpharm drph dsc dvm edd faan facc facp facs fracp frcp
    frcs frcpc frcpath frcpch frcpsych jd llm ma mb mba mbbs mbchb md mdres med meng mph mphil mrcp mrcs ms msc msn mscn
    np pa pharmd phd psyd pt rd rn rnc scd vmd""".split()
)
