"""Elements that sites of different eras print text with; a site takes one form of each."""

from __future__ import annotations

from collections.abc import Mapping

Templates = Mapping[str, tuple[str, ...]]

# {0} is the content, {c} the class attribute with a space before it, or nothing.
_TODAY: Templates = {
    "title": ("<h1{c}>{0}</h1>", "<h1{c}><span>{0}</span></h1>", "<header><h1{c}>{0}</h1></header>", "<h2{c}>{0}</h2>"),
    "line": ("<div{c}>{0}</div>", "<p{c}>{0}</p>"),
    "text": ("<p{c}>{0}</p>", "<div{c}><p>{0}</p></div>", "<div{c}>{0}</div>"),
    "heading": ("<h2{c}>{0}</h2>", "<h3{c}>{0}</h3>"),
    "subheading": ("<h3{c}>{0}</h3>", "<h4{c}>{0}</h4>", "<div{c}><strong>{0}</strong></div>"),
    "box": ("<section{c}>{0}</section>", "<div{c}>{0}</div>"),
    "aside": ("<aside{c}>{0}</aside>", "<div{c}>{0}</div>", "<section{c}>{0}</section>"),
    "menu": ("<nav{c}>{0}</nav>", "<div{c}>{0}</div>"),
    "list": ("<ul{c}>{0}</ul>", "<ol{c}>{0}</ol>", "<div{c}>{0}</div>"),
    "item": ("<li{c}>{0}</li>",),
    "bold": ("<strong>{0}</strong>", "<b>{0}</b>", "<span{c}>{0}</span>"),
    "page": (
        "<body>{top}<main><article>{content}</article></main>{left}{right}{bottom}</body>",
        "<body>{top}<div>{left}<main>{content}</main>{right}</div>{bottom}</body>",
    ),
}
_DIVISIONS: Templates = {
    **_TODAY,
    "title": (
        "<h1{c}>{0}</h1>",
        "<h2{c}>{0}</h2>",
        "<div{c}><h1>{0}</h1></div>",
        "<div{c}>{0}</div>",
        "<h3{c}>{0}</h3>",
    ),
    "heading": ("<h2{c}>{0}</h2>", "<h3{c}>{0}</h3>", "<h4{c}>{0}</h4>", "<div{c}><b>{0}</b></div>"),
    "subheading": ("<h4{c}>{0}</h4>", "<h5{c}>{0}</h5>", "<p{c}><b>{0}</b></p>"),
    "box": ("<div{c}>{0}</div>", "<div{c}><div>{0}</div></div>"),
    "aside": ("<div{c}>{0}</div>",),
    "menu": ("<div{c}>{0}</div>",),
    "page": (
        '<body><div id="wrapper">{top}{left}<div id="content">{content}</div>{right}{bottom}</div></body>',
        '<body><div id="page">{top}<div id="col">{content}</div><div id="no2">{left}{right}</div>{bottom}</div></body>',
    ),
}
_UTILITY: Templates = {
    **_TODAY,
    "title": ("<div{c}><h1>{0}</h1></div>", "<h1{c}>{0}</h1>", "<div{c}>{0}</div>"),
    "line": ("<div{c}>{0}</div>", "<div{c}><div>{0}</div></div>"),
    "text": ("<div{c}>{0}</div>", "<div{c}><div><p>{0}</p></div></div>"),
    "heading": ("<div{c}>{0}</div>", "<h2{c}>{0}</h2>", "<div{c}><span>{0}</span></div>"),
    "page": ('<body><div id="app">{top}<div><div>{content}</div><div>{left}{right}</div></div>{bottom}</div></body>',),
}
_TABLES: Templates = {
    "title": (
        '<center{c}><font size="5"><b>{0}</b></font></center>',
        '<p align="center"{c}><b><font size="+2" face="Arial">{0}</font></b></p>',
        '<h2 align="center"{c}>{0}</h2>',
        '<font size="4" color="#003366"><b>{0}</b></font><br>',
    ),
    "line": ('<p{c}><font size="2">{0}</font></p>', "{0}<br>\n", '<p align="center"{c}>{0}</p>'),
    "text": ('<p align="justify"{c}><font face="Arial" size="2">{0}</font></p>', "{0}<br><br>\n", "<p{c}>{0}</p>"),
    "heading": ("<p><b>{0}</b></p>", '<font color="#990000"><b>{0}</b></font><br>', "<h3>{0}</h3>"),
    "subheading": ("<p><i>{0}</i></p>", "<b>{0}</b><br>", "<h4>{0}</h4>"),
    "box": ('<table width="100%"{c}><tr><td>{0}</td></tr></table>', '<div align="left"{c}>{0}</div>'),
    "aside": ('<table border="1" width="160"{c}><tr><td>{0}</td></tr></table>', '<div align="right"{c}>{0}</div>'),
    "menu": ("<table{c}><tr><td>{0}</td></tr></table>", "<center{c}>{0}</center>"),
    "list": ("<ul>{0}</ul>", "<ol>{0}</ol>"),
    "item": ("<li>{0}</li>", '<li><font size="2">{0}</font></li>'),
    "bold": ("<b>{0}</b>", '<font color="#003366">{0}</font>'),
    "page": (
        "<body>{top}<table><tr><td>{left}</td><td>{content}</td><td>{right}</td></tr></table>{bottom}</body>",
        '<body>{top}<table align="center"><tr><td>{content}</td></tr></table>{left}{right}<hr>{bottom}</body>',
    ),
}
_STATIC: Templates = {
    "title": ("<h1>{0}</h1>", "<h2>{0}</h2>", "<h1><center>{0}</center></h1>", "<p><big><b>{0}</b></big></p>"),
    "line": ("<p>{0}</p>", "<p><i>{0}</i></p>", "{0}<br>\n"),
    "text": ("<p>{0}</p>", "<blockquote>{0}</blockquote>"),
    "heading": ("<h2>{0}</h2>", "<h3>{0}</h3>", "<p><b>{0}</b></p>"),
    "subheading": ("<h4>{0}</h4>", "<p><i>{0}</i></p>"),
    "box": ("<div>{0}</div>", "<div>{0}</div><hr>"),
    "aside": ("<div>{0}</div><hr>",),
    "menu": ("<p>{0}</p>", "<hr>{0}<hr>"),
    "list": ("<ul>{0}</ul>", "<ol>{0}</ol>"),
    "item": ("<li>{0}</li>", "<li>{0}\n"),
    "bold": ("<b>{0}</b>", "<em>{0}</em>", "<strong>{0}</strong>"),
    "page": ("<body>{top}{left}{content}{right}{bottom}</body>",),
}
_PLAIN: Templates = {
    **_STATIC,
    "title": ("<h1>{0}</h1>", "<h1>{0}</h1><hr>"),
    "line": ("<p>{0}</p>",),
    "text": ("<p>{0}</p>",),
    "heading": ("<h2>{0}</h2>", "<p><strong>{0}</strong></p>"),
    "subheading": ("<h3>{0}</h3>", "<p><strong>{0}</strong></p>"),
    "item": ("<li>{0}</li>", "<li><p>{0}</p></li>"),
    "page": ("<body>{top}<div>{content}</div>{left}{right}{bottom}</body>",),
}
ERA_TEMPLATES: Mapping[str, Templates] = {
    "today": _TODAY,
    "utility": _UTILITY,
    "divisions": _DIVISIONS,
    "tables": _TABLES,
    "static": _STATIC,
    "plain": _PLAIN,
}
UTILITY_CLASSES = """flex grid mt-2 mb-4 px-3 py-1 text-sm text-lg font-bold w-full gap-2 items-center leading-6 block
inline-flex border rounded p-4 text-gray max-w-4 col-6 row m-0""".split()
# How text is hidden until a reader asks for it.
HIDDEN_FORMS = (
    '<div{c} style="display:none">{0}</div>',
    "<div{c} hidden>{0}</div>",
    '<div{c} style="visibility: hidden">{0}</div>',
    '<div{c} aria-hidden="true" style="display: none;">{0}</div>',
)
