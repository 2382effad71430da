"""Words, names and short texts for generated article pages; people, places and sites are invented."""

# ruff: noqa: RUF001  (letters of other scripts)

from __future__ import annotations

from collections.abc import Mapping

# An article in another language than that of its text: the title and the sentences of the abstract.
_OTHER_TEXTS = """
en: Quiet rooms and the rest of shift workers in three towns | We asked workers in three towns how they rested after
a night shift. | Those with a quiet room slept an hour longer. | Quiet rooms cost little and help many. | The sample
was small. | Two of the towns lie by the sea. | Further studies over several years are needed. | Women and men did
not differ in the time that they slept.

es: Habitaciones tranquilas y descanso de los trabajadores nocturnos | Preguntamos a trabajadores de tres ciudades
cómo descansaban después del turno de noche. | Quienes tenían una habitación tranquila dormían una hora más. | Las
habitaciones tranquilas cuestan poco. | La muestra era pequeña. | Dos de las ciudades están junto al mar. | Se
necesitan más estudios durante varios años. | Mujeres y hombres no se diferenciaron en las horas de sueño.

pt: Quartos silenciosos e o descanso de trabalhadores noturnos | Perguntamos a trabalhadores de três cidades como
descansavam depois do turno da noite. | Quem tinha um quarto silencioso dormia uma hora a mais. | Quartos
silenciosos custam pouco. | A amostra era pequena. | Duas das cidades ficam à beira-mar. | São necessários mais
estudos ao longo de vários anos. | Mulheres e homens não diferiram nas horas de sono.

fr: Chambres calmes et repos des travailleurs de nuit | Nous avons demandé aux travailleurs de trois villes comment
ils se reposaient après une nuit de travail. | Ceux qui avaient une chambre calme dormaient une heure de plus. | Une
chambre calme coûte peu. | L'échantillon était petit. | Deux des villes se trouvent au bord de la mer. | D'autres
études sur plusieurs années sont nécessaires. | La durée du sommeil était la même chez les femmes et les hommes.

de: Ruhige Zimmer und die Erholung von Schichtarbeitern | Wir fragten Beschäftigte in drei Städten, wie sie sich
nach der Nachtschicht erholen. | Wer ein ruhiges Zimmer hatte, schlief eine Stunde länger. | Ruhige Zimmer kosten
wenig. | Die Stichprobe war klein. | Zwei der Städte liegen am Meer. | Weitere Untersuchungen über mehrere Jahre
sind nötig. | Frauen und Männer unterschieden sich nicht in der Dauer des Schlafs.

it: Stanze silenziose e riposo dei lavoratori notturni | Abbiamo chiesto ai lavoratori di tre città come riposano
dopo il turno di notte. | Chi aveva una stanza silenziosa dormiva un'ora in più. | Le stanze silenziose costano
poco. | Il campione era piccolo. | Due delle città si trovano sul mare. | Sono necessari altri studi su più anni. |
Donne e uomini non differivano nelle ore di sonno.

pl: Ciche pokoje a odpoczynek pracowników zmianowych | Zapytaliśmy pracowników z trzech miast, jak odpoczywają po
nocnej zmianie. | Osoby z cichym pokojem spały godzinę dłużej. | Ciche pokoje kosztują niewiele. | Próba była mała.
| Dwa z miast leżą nad morzem. | Potrzebne są dalsze badania trwające kilka lat. | Kobiety i mężczyźni nie różnili
się długością snu.

ru: Тихие комнаты и отдых работников ночной смены | Мы спросили работников трёх городов, как они отдыхают после
ночной смены. | Те, у кого была тихая комната, спали на час дольше. | Тихие комнаты стоят недорого. | Выборка была
небольшой. | Два города расположены у моря. | Необходимы дальнейшие исследования в течение нескольких лет. | Женщины
и мужчины не различались по длительности сна.

tr: Sessiz odalar ve vardiyalı çalışanların dinlenmesi | Üç kentteki çalışanlara gece vardiyasından sonra nasıl
dinlendiklerini sorduk. | Sessiz odası olanlar bir saat daha uzun uyudu. | Sessiz odaların maliyeti düşüktür. |
Örneklem küçüktü. | Kentlerden ikisi deniz kıyısındadır. | Birkaç yıl sürecek yeni çalışmalara gerek vardır. |
Kadınlarla erkekler arasında uyku süresi bakımından fark yoktu.

id: Kamar tenang dan istirahat pekerja malam | Kami bertanya kepada pekerja di tiga kota bagaimana mereka
beristirahat setelah giliran malam. | Mereka yang memiliki kamar tenang tidur satu jam lebih lama. | Kamar tenang
tidak mahal. | Sampel penelitian ini kecil. | Dua dari kota itu terletak di tepi laut. | Diperlukan penelitian
lanjutan selama beberapa tahun. | Lama tidur perempuan dan laki-laki tidak berbeda.

zh: 安静房间与夜班工人的休息 | 我们询问了三个城市的工人在夜班之后如何休息。 | 拥有安静房间的人多睡一个小时。 |
安静房间花费不多，却能帮助许多人。 | 样本量较小。 | 其中两个城市位于海边。 | 还需要为期数年的进一步研究。 |
男女的睡眠时间没有差异。

ja: 静かな部屋と夜勤労働者の休息 | 三つの町の労働者に、夜勤の後にどのように休むかを尋ねた。 |
静かな部屋を持つ人は一時間長く眠った。 | 静かな部屋の費用は少ない。 | 標本は小さかった。 | 二つの町は海辺にある。 |
数年にわたるさらなる研究が必要である。 | 男女の睡眠時間に差はなかった。

fa: اتاق‌های آرام و استراحت کارگران شب | از کارگران سه شهر پرسیدیم که پس از شیفت شب چگونه استراحت می‌کنند. | کسانی
که اتاق آرام داشتند یک ساعت بیشتر خوابیدند. | اتاق آرام هزینه کمی دارد. | نمونه کوچک بود. | دو شهر در کنار دریا قرار
دارند. | پژوهش‌های بیشتری در چند سال لازم است. | زنان و مردان در مدت خواب تفاوتی نداشتند.

ar: الغرف الهادئة وراحة عمال الليل | سألنا العمال في ثلاث مدن كيف يستريحون بعد نوبة الليل. | نام من لديهم غرفة هادئة
ساعة أطول. | الغرف الهادئة قليلة الكلفة وتساعد كثيرين. | كانت العينة صغيرة. | تقع مدينتان على البحر. | نحتاج إلى
دراسات أخرى على مدى سنوات. | لم يختلف النساء والرجال في مدة النوم.
"""


def _read_other_texts(blocks: str) -> Mapping[str, tuple[str, ...]]:
    rows = (" ".join(block.split()).partition(": ") for block in blocks.strip().split("\n\n"))
    return {language: tuple(texts.split(" | ")) for language, _, texts in rows}


OTHER_TEXTS = _read_other_texts(_OTHER_TEXTS)
RIGHT_TO_LEFT = frozenset({"fa", "ar"})
# Month names; other languages print dates with numbers.
MONTHS: Mapping[str, tuple[str, ...]] = {
    language: tuple(names.split())
    for language, names in {
        "en": "January February March April May June July August September October November December",
        "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    }.items()
}
SITE_WORDS = """alder birch cedar delta ember fjord grove harbor island juniper kestrel lumen meadow nectar orchid
prairie quartz river summit thicket upland valley willow zenith""".split()
SITE_KINDS = ("journals", "press", "review", "medpages", "annals", "archive", "online", "")
PUBLISHER_KINDS = ("Publishing House", "University Press", "Medical Society", "Academy of Medicine", "Open Journals")
TOWNS = """Ostrava Bay, Norrholm, Villa Clara del Sur, Port Ansel, Lindenau am See, Kestrel Falls, Saint-Aubry,
Tarnowiec Górny, Mirabad, Hoshigawa""".replace("\n", " ").split(", ")
FAMILIES = """Abara Brandt Castellan Dimovic Ekbergh Faroukhi Gotoh Haasen Ivanovna Janssens Kimurah Lundmark Moreaux
Novakova Okaforo Pirezzi Quillan Rosander Szabados Tanakawa""".split()
GIVENS = "Ada Boris Chenoa Dina Emil Farah Gina Hugo Ines Jonas Kaori Lena Marc Nora Omar Petra".split()
DEGREES = ("MD", "PhD", "MD, PhD", "MSc", "MPH", "RN", "MBBS", "BSc", "DDS", "Dr. med.", "MD PhD", "M.D.", "Ph.D.")
DEGREE_LETTERS = "ABCDEFHMNPRS"  # of degrees that no list knows
# Short lines beside the title that say something of the article, not who wrote it.
KICKERS = (
    *("Checked by Reviewers", "Free to Read", "Chosen by the Board", "Winter Series", "Early View", "Invited Paper"),
    *("Registered Study", "Peer Reviewed", "First Online", "Cover Story", "Reader Favourite", "Double Issue"),
)
ACCESS_LINES = ("Access provided by {}", "You have access through {}", "Licensed to: {}", "Signed in via {}", "{}")
STREETS = ("Mill Lane", "Harbour Road", "Station Street", "Elm Avenue", "Market Square", "North Ring")
ADVERTISEMENTS = (
    *("Advertisement", "Register now for the annual meeting", "Call for papers: special issue", "Sponsored content"),
    *("Your advertisement here", "Free trial for libraries", "Job openings for physicians"),
)
CAPTIONS = ("Figure 1. Flow of participants", "Table 1. Baseline values", "Fig. 2. Change over time", "Box 1")
BIOGRAPHIES = (
    "is a physician who has worked on the wards of several hospitals and teaches students of medicine",
    "studied in two countries and now leads a group that works on better care for patients at home",
    "has published widely on the subject and serves on the board of a learned society",
)
METRIC_LINES = ("Views: {0}", "{0} downloads", "Cited by {0}", "PDF downloads ({0})", "Total accesses {0}", "{0} Reads")
SOCIAL_WORDS = ("Bird", "Face", "Mail", "Print", "Link", "Bookmark", "RSS", "Export citation", "Save")
# Links and subjects of two words with capitals, which look like names: every first word goes with every second.
ACTION_VERBS = "Save Print Send Order Follow Rate Open Hide Mark Quote Copy Report Translate Enlarge Collect".split()
ACTION_NOUNS = "Page Paper Figures Text File Journal Entry Problem Issue Tables Source Notes Version Summary".split()
SUBJECT_KINDS = "Rural Marine Applied Family Tropical Winter Urban Alpine Veterinary Coastal School Practical".split()
SUBJECT_FIELDS = "Medicine Botany Nursing Ecology Statistics Dentistry Nutrition Surgery Hygiene Zoology".split()
TABLE_CELLS = (
    *("Morning Group", "Evening Group", "Upper Valley", "Lower Valley", "Usual Diet", "Second Visit", "Mean Weight"),
    *("All Towns", "At Start", "Week 12", "L. acidifora", "B. montana", "12.4", "0.03", "45 (23 %)", "n = 31"),
)
REFERENCE_LINKS = ("Go to Source", "Library Copy", "Whole Text", "Look Up", "Short Form", "[Link]", "Show")
CARD_LINES = ("Nothing is known of this person", "All papers of this person", "Wrote the first draft", "Open profile")
NAME_LINKS = ("Write to this author", "Profile", "Find more", "Who is this?")
HELP_TEXTS = """Did you find a mistake on this page? Write to the office and tell us where it stands. We look at every
letter, and what was wrong is put right with the next issue. Thank you for your help.

The complete article is open to members of the society only. Members sign in with their number; all others can order a
copy by post, or visit a library that keeps the printed volumes.

Type one or more words into the field above. A page is listed if it has all of these words, and the newest pages come
first. Put a minus before a word that must not occur.

These numbers are counted once a week. Visits by machines are left out, and so are visits to copies of the article on
other sites.""".split("\n\n")
SYMBOLS = ("*", "†", "‡", "§", "¶", "#", "**", "††", "‡‡", "§§")
# How a citation line is written; a form is used if the article has every value that it names.
CITATION_FORMS = (
    "{journal} {year};{volume}({issue}):{pages}",
    "{journal}. {year} {month};{volume}({issue}):{pages}.",
    "{journal}, {volume_label} {volume}, {issue_label} {issue}, {year}, {pages_label} {pages}",
    "{journal} {volume}, {pages} ({year})",
    "{volume_label} {volume} {issue_label} {issue} ({year})",
    "{journal}, {year}, {volume}({issue}), {pages}",
    "{journal} | {volume_label} {volume}, {issue_label} {issue} | {pages_label} {pages}",
    "{year}, {volume_label} {volume}, {issue_label} {issue}: {pages}",
    "{volume}:{pages} {year}",
    "{volume_label} {volume} · {issue_label} {issue} · {month} {year}",
    "{journal} ({year}) {volume}:{pages}",
    "{journal} / {volume_label} {volume} ({year}) / {pages_label} {pages}",
    "{month} {year}, {volume_label} {volume}, {issue_label} {issue}, {pages_label} {pages}",
    "{journal}. {volume}({issue}); {year}: {pages_label} {pages}",
)
FALLBACK_FORMS = ("{journal} {year};{volume}:{pages}", "{journal} {volume} ({year})", "{journal} ({year})", "{journal}")
# How a day is written: y year, m month, d day, M the name of the month.
DATE_FORMS = (
    "{d} {M} {y}",
    "{M} {d}, {y}",
    "{y}-{m:02}-{d:02}",
    "{d:02}.{m:02}.{y}",
    "{y}/{m:02}/{d:02}",
    "{d} {A} {y}",
)
DATE_FORMS_IN_NUMBERS = ("{y}-{m:02}-{d:02}", "{d:02}.{m:02}.{y}", "{y}/{m:02}/{d:02}")
DOI_FORMS = ("DOI: {0}", "doi:{0}", "https://doi.org/{0}", "DOI {0}", "[{0}]", "Digital object identifier: {0}")
# Words for class names, by what an element holds; a site takes one of each. They are general English words.
CLASS_WORDS: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "headline", "main-title", "article-name", "heading1", "tit", "paper"),
    "byline": ("byline", "authors", "people", "contributors", "writers", "author-list", "names", "aut"),
    "author": ("author", "person", "contributor", "name", "who", "writer"),
    "places": ("affiliations", "places", "institutes", "addresses", "where", "affil", "org-list"),
    "place": ("affiliation", "institution", "address", "org", "place"),
    "panel": ("panel", "popup", "tooltip", "details", "drawer", "dropdown", "card"),
    "note": ("note", "footnote", "contact", "correspondence", "info", "small"),
    "abstract": ("abstract", "summary", "intro", "synopsis", "lead", "abs", "description"),
    "section": ("section", "part", "sec", "block", "content"),
    "keywords": ("keywords", "tags", "terms", "kw", "topics"),
    "citation": ("citation", "source", "issue-line", "pubinfo", "meta", "biblio", "ref"),
    "history": ("history", "dates", "timeline", "dateline", "received"),
    "body": ("body", "fulltext", "text", "article-text", "content", "main"),
    "references": ("references", "bibliography", "literature", "reflist", "sources"),
    "menu": ("menu", "nav", "topbar", "navigation", "links"),
    "box": ("box", "sidebar", "widget", "module", "aside", "panel", "region"),
    "footer": ("footer", "bottom", "foot", "imprint", "colophon"),
    "header": ("header", "masthead", "banner", "top", "brand"),
    "label": ("label", "caption", "subtitle", "kicker", "h", "heading"),
    "line": ("line", "row", "item", "field", "para", "value"),
}
TITLE_LABELS: Mapping[str, str] = {"es": "Título", "pt": "Título", "fr": "Titre", "de": "Titel", "it": "Titolo"}
# What a publisher prints below every article: its authors speak for themselves.
DISCLAIMERS: Mapping[str, str] = {
    "en": "What authors write in these pages is their own view and not that of their institutions or of the society.",
    "es": "Lo que escriben los autores en estas páginas es su propia opinión y no la de sus instituciones.",
    "pt": "O que os autores escrevem nestas páginas é a sua própria opinião e não a das suas instituições.",
    "fr": "Les avis des auteurs dans ces pages sont les leurs et non ceux de leurs institutions ou de la société.",
    "de": "Was die Verfasser auf diesen Seiten schreiben, ist ihre eigene Ansicht und nicht die ihrer Einrichtungen.",
    "it": "Quanto scrivono gli autori in queste pagine è la loro opinione e non quella delle loro istituzioni.",
    "pl": "To, co autorzy piszą na tych stronach, jest ich własnym poglądem, a nie poglądem ich instytucji.",
    "ru": "Авторы высказывают на этих страницах собственное мнение, а не мнение своих учреждений.",
    "tr": "Yazarların bu sayfalarda yazdıkları kendi görüşleridir ve kurumlarının görüşleri değildir.",
    "id": "Apa yang ditulis para penulis di halaman ini adalah pendapat mereka sendiri, bukan pendapat lembaganya.",
    "zh": "作者在本页所述仅为其个人观点，不代表其所在机构或本学会的立场。",
    "ja": "本誌に掲載された意見は著者個人のものであり、所属機関や学会の見解ではない。",
    "fa": "آنچه نویسندگان در این صفحه‌ها می‌نویسند نظر خود آنان است و نه نظر مؤسسه‌های آنان.",
    "ar": "ما يكتبه المؤلفون في هذه الصفحات هو رأيهم الخاص وليس رأي مؤسساتهم.",
}
REVIEWER_HEADINGS = ("Reviewed by", "Referees", "Open peer review", "Reviewer status", "Current referee status")
