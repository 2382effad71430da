"""The words, addresses and markup that invented contents pages are made of."""

from __future__ import annotations

TOPICS = """asthma glucose ferns sleep anaemia crystal lattices nurses soil vaccines elderly infants spine
cornea enzymes copper rivers stroke kidney memory bees malaria networks sensors grammar trade schools harvest
polymers ceramics graphs schedules tides glaciers oxygen lipids serum tendons gait hearing vision migration
dialysis zinc cattle""".split()
STUDIES = """Effects Prevalence Modelling Outcomes Structure Synthesis Management Detection Trends Use Costs Patterns
Estimation Comparison Review Safety Role Measurement Control Diagnosis""".split()
PLACES = (
    *("in rural districts", "among adults", "in children under five", "after surgery", "during the dry season"),
    *("with mobile devices", "in two cohorts", "at high altitude", "by means of sampling", "under field conditions"),
    *("in the northern region", "over ten years"),
)
SHORT_TITLES = (
    *("Editorial", "Preface", "News", "Letters", "Correction", "Obituary", "In brief", "From the editor", "Mailbag"),
    *("Reply", "Erratum", "Book review", "Notes and tips", "Conference diary", "Puzzle page", "Announcement"),
    *("Introduction", "Retraction"),
)
FAMILIES = """Abara Brandt Costa Dimov Ekberg Farouk Goto Haas Ivanova Jansen Kimura Lund Moreau Novak Okafor
Pires""".split()
GIVEN = "Ada Boris Chen Dina Emil Farah Gina Hugo Ines Jonas Kaori Lena Marc Nora Omar Petra".split()
MONTHS = "January February March April May June July August September October November December".split()
SUBJECTS = "Medicine Physics Biology Chemistry Education Engineering Nursing Statistics Economics Ecology Law".split()
MENU = (
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
ISSUES = (
    *("Volume {v}, Issue {i} ({m} {y})", "{m} {y}", "Vol. {v} No. {i}", "{p}-{q} Number {i} / {m} {y}", "{y}"),
    *("Issue {i}", "{y}: Volume {v}", "Vol {v}, No {i} ({y})"),
)
ISSUE_ADDRESSES = (
    *("/{v}/{i}/", "vol{v}issue{i}.html", "/toc/{v}/{i}", "/content/vol{v}/issue{i}/", "{y}-{i}.htm", "/loi/{y}"),
)
WHOLE_ISSUE = (
    *("Complete issue (PDF)", "Download this issue", "PDF of this issue", "Entire issue", "Table of contents (PDF)"),
    *("Cover", "Front matter"),
)
SECTIONS = (
    *("Original articles", "Research", "Reviews", "Letters", "Case reports", "Contents", "Papers", "Short notes", ""),
)
BOXES = ("Quick links", "Journal information", "Resources", "Past issues", "Browse", "Tools", "Follow us", "")
BOX_NAMES = ("nav", "sidebar", "header", "block", "region")
# What a link beside a title shows, by the kind it promises.
FORMS = {
    "abstract": ("Abstract", "[Abstract]", "Summary", "Show abstract", "First page", "Résumé", "Resumen", "Abstract »"),
    "fulltext": ("Full text", "[Full Text]", "HTML", "Full article", "Read more", "View article", "Full text (HTML)"),
    "pdf": ("PDF", "[PDF]", "Download PDF", "PDF (312 KB)", "Full text PDF", "Download", "pdf 1.2 MB", "Click here"),
    "supplement": ("Supplementary material", "Supporting information", "Suppl. data", "Data set", "CIF", "Appendix"),
}
# The forms a journal offers beside its titles; many offer none.
OFFERS: tuple[tuple[str, ...], ...] = (
    *((), (), (), (), (), ("pdf",), ("pdf",), ("abstract", "pdf"), ("abstract", "fulltext", "pdf")),
    *(("fulltext", "pdf"), ("pdf", "supplement"), ("abstract",), ("fulltext",)),
    ("abstract", "fulltext", "pdf", "supplement"),
)
FORM_WORDS = {"abstract": "abstract", "fulltext": "full", "pdf": "pdf", "supplement": "suppl"}
# A second link to an article, with words that say nothing of it; most journals have none.
AGAIN = ("", "", "", "", "Click here", "Read more", "[more]", "(page 12)", '<img src="/cover.jpg">')
ACTIONS = (
    *("Cite", "Permissions", "Request permissions", "Buy", "Purchase", "Export citation", "Add to favourites"),
    *("Share", "Cited by", "Related articles", "Email", "Metrics", "Rights", "Show details", "Save", "Open access"),
)
# How authors are named: as links, or as text around them ({0} all, {1} the first).
AUTHORS = {"": "", "plain": "<p>{0}</p>", "by": ", by <i>{1}</i>", "comma": ". {0}.", "links": ""}
AUTHOR_STYLES = ("", "plain", "by", "by", "links", "comma")
# How a site names its articles: the address of the title, and of one form of the article.
ADDRESSES = {
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
BY_HAND = ("slug", "surname", "folder", "pdf")  # sites written by hand are many
WITH_HOST = frozenset({"absolute", "pages"})
# The element of an article and the one around the list.
UNITS = (
    *(("li", "ul"), ("li", "ol"), ("div", ""), ("div", "div"), ("tr><td", "table"), ("p", ""), ("", ""), ("dd", "dl")),
    *(("article", "section"), ("dt", "dl")),
)
