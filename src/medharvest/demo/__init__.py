"""The bundled journals, which are invented: their truth, their pages and a loopback server for them.

with serve() as server:
    print(server.url + list_demo_issues()[0].path)
"""

from medharvest.demo.server import (
    Always,
    DemoArticle,
    DemoIssue,
    DemoPage,
    DemoRequest,
    DemoServer,
    Fault,
    Fine,
    LinkTruth,
    Once,
    Redirect,
    Slow,
    Truncated,
    ZoneTruth,
    default_faults,
    link_truth,
    list_demo_issues,
    list_demo_pages,
    read_demo_file,
    serve,
    zone_truth,
)

__all__ = [
    "Always",
    "DemoArticle",
    "DemoIssue",
    "DemoPage",
    "DemoRequest",
    "DemoServer",
    "Fault",
    "Fine",
    "LinkTruth",
    "Once",
    "Redirect",
    "Slow",
    "Truncated",
    "ZoneTruth",
    "default_faults",
    "link_truth",
    "list_demo_issues",
    "list_demo_pages",
    "read_demo_file",
    "serve",
    "zone_truth",
]
