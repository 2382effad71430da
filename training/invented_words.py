"""Words, addresses and markup for generated contents pages."""

from __future__ import annotations

TOPIC_WORDS = """asthma glucose ferns sleep anaemia crystal lattices nurses soil vaccines elderly infants spine
cornea enzymes copper rivers stroke kidney memory bees malaria networks sensors grammar trade schools harvest
polymers ceramics graphs schedules tides glaciers oxygen lipids serum tendons gait hearing vision migration
dialysis zinc cattle""".split()
STUDY_WORDS = """Effects Prevalence Modelling Outcomes Structure Synthesis Management Detection Trends Use Costs
Patterns Estimation Comparison Review Safety Role Measurement Control Diagnosis""".split()
STUDY_PLACES = (
    *("in rural districts", "among adults", "in children under five", "after surgery", "during the dry season"),
    *("with mobile devices", "in two cohorts", "at high altitude", "by means of sampling", "under field conditions"),
    *("in the northern region", "over ten years"),
)
SHORT_TITLES = (
    *("Editorial", "Preface", "News", "Letters", "Correction", "Obituary", "In brief", "From the editor", "Mailbag"),
    *("Reply", "Erratum", "Book review", "Notes and tips", "Conference diary", "Puzzle page", "Announcement"),
    *("Introduction", "Retraction"),
)
FAMILY_NAMES = """Abara Brandt Costa Dimov Ekberg Farouk Goto Haas Ivanova Jansen Kimura Lund Moreau Novak Okafor
Pires""".split()
GIVEN_NAMES = "Ada Boris Chen Dina Emil Farah Gina Hugo Ines Jonas Kaori Lena Marc Nora Omar Petra".split()
MONTH_NAMES = "January February March April May June July August September October November December".split()
SUBJECT_NAMES = (
    "Medicine Physics Biology Chemistry Education Engineering Nursing Statistics Economics Ecology Law".split()
)
MENU_ENTRIES = (
    *("Home", "About", "About the journal", "Current issue", "Archive", "Past volumes", "Editorial board"),
    *("For authors", "Submit a manuscript", "Subscribe", "Contact us", "Search", "Advanced search", "Log in"),
    *("Register", "Help", "Alerts", "RSS feeds", "Permissions", "Instructions for authors", "Aims and scope"),
    *("News and events", "Press releases", "Careers", "Reprints", "Advertise", "Privacy policy", "Site map"),
    *("Terms and conditions", "Accessibility", "Ethics and malpractice statement", "Open access policy"),
    *("Peer review process", "Indexing and abstracting", "Librarians", "Society membership", "Follow us"),
    *("Annual meeting of the society", "Recommend to your library", "Feedback", "Cookies", "Cart", "Help desk"),
    *("Most recent issue of the journal", "Guidelines for reviewers", "Copyright transfer form"),
    *("Our other journals", "Partners"),
)
MENU_ADDRESSES = (
    *("{0}.html", "/{0}", "/page/{0}", "/about/{0}.asp", "/{0}/", "?page={0}", "/info/{1}", "{0}.html#top"),
)
ISSUE_TEXTS = (
    *("Volume {v}, Issue {i} ({m} {y})", "{m} {y}", "Vol. {v} No. {i}", "{p}-{q} Number {i} / {m} {y}", "{y}"),
    *("Issue {i}", "{y}: Volume {v}", "Vol {v}, No {i} ({y})"),
)
ISSUE_ADDRESSES = (
    *("/{v}/{i}/", "vol{v}issue{i}.html", "/toc/{v}/{i}", "/content/vol{v}/issue{i}/", "{y}-{i}.htm", "/loi/{y}"),
)
WHOLE_ISSUE_TEXTS = (
    *("Complete issue (PDF)", "Download this issue", "PDF of this issue", "Entire issue", "Table of contents (PDF)"),
    *("Cover", "Front matter"),
)
SECTION_HEADINGS = (
    *("Original articles", "Research", "Reviews", "Letters", "Case reports", "Contents", "Papers", "Short notes", ""),
)
BOX_HEADINGS = ("Quick links", "Journal information", "Resources", "Past issues", "Browse", "Tools", "Follow us", "")
BOX_NAMES = ("nav", "sidebar", "header", "block", "region")
# The text of a link beside a title, by its kind.
FORM_TEXTS = {
    "abstract": ("Abstract", "[Abstract]", "Summary", "Show abstract", "First page", "Résumé", "Resumen", "Abstract »"),
    "fulltext": ("Full text", "[Full Text]", "HTML", "Full article", "Read more", "View article", "Full text (HTML)"),
    "pdf": ("PDF", "[PDF]", "Download PDF", "PDF (312 KB)", "Full text PDF", "Download", "pdf 1.2 MB", "Click here"),
    "supplement": ("Supplementary material", "Supporting information", "Suppl. data", "Data set", "CIF", "Appendix"),
}
# The formats that a journal offers beside its titles; many offer none.
OFFERED_FORMS: tuple[tuple[str, ...], ...] = (
    *((), (), (), (), (), ("pdf",), ("pdf",), ("abstract", "pdf"), ("abstract", "fulltext", "pdf")),
    *(("fulltext", "pdf"), ("pdf", "supplement"), ("abstract",), ("fulltext",)),
    ("abstract", "fulltext", "pdf", "supplement"),
)
FORM_WORDS = {"abstract": "abstract", "fulltext": "full", "pdf": "pdf", "supplement": "suppl"}
# A second link to an article with unspecific words; most journals have none.
SECOND_LINK_TEXTS = ("", "", "", "", "Click here", "Read more", "[more]", "(page 12)", '<img src="/cover.jpg">')
ACTION_TEXTS = (
    *("Cite", "Permissions", "Request permissions", "Buy", "Purchase", "Export citation", "Add to favourites"),
    *("Share", "Cited by", "Related articles", "Email", "Metrics", "Rights", "Show details", "Save", "Open access"),
)
# The authors: as links, or as text ({0} all, {1} the first).
AUTHOR_MARKUP = {"": "", "plain": "<p>{0}</p>", "by": ", by <i>{1}</i>", "comma": ". {0}.", "links": ""}
AUTHOR_STYLES = ("", "plain", "by", "by", "links", "comma")
# The addresses of articles: of the title, and of one format.
ARTICLE_ADDRESSES = {
    "number": ("article/{n}", "article/{n}/{form}"),
    "slug": ("{s}.html", "{s}.{ext}"),
    "surname": ("{w}.html", "{w}.{ext}"),
    "file": ("{n}.htm", "{form}/{n}.{ext}"),
    "pages": ("content/{v}/{i}/{p}", "content/{v}/{i}/{p}.{form}"),
    "doi": ("doi/abs/10.5555/{n}", "doi/{form}/10.5555/{n}"),
    "query": ("article.asp?id={n}", "article.asp?id={n}&type={form}"),
    "pdf": ("papers/{w}{n}.pdf", "papers/{w}{n}.pdf"),
    "spaced": ("download/{s}.pdf", "download/{s}.pdf"),
    "folder": ("v{v}n{i}/{s}.html", "v{v}n{i}/{s}.{ext}"),
    "absolute": ("articles/{n}/", "articles/{n}/{form}"),
    "code": ("{w}{p}/index.html", "{w}{p}/{w}{p}.{ext}"),
    "view": ("article/view/{n}", "article/view/{n}/{p}"),
    "other": ("https://archive.example/{v}/{n}", "https://archive.example/{v}/{n}/{form}"),
}
HANDMADE_ADDRESSES = ("slug", "surname", "folder", "pdf")  # of sites written by hand
ABSOLUTE_ADDRESSES = frozenset({"absolute", "pages"})
# The element of an article, and the element around the list.
ARTICLE_ELEMENTS = (
    *(("li", "ul"), ("li", "ol"), ("div", ""), ("div", "div"), ("tr><td", "table"), ("p", ""), ("", ""), ("dd", "dl")),
    *(("article", "section"), ("dt", "dl")),
)
