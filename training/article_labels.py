"""Labels that article sites print, in fourteen languages: one line per label, its alternatives between bars."""

# ruff: noqa: RUF001  (letters of other scripts)

from __future__ import annotations

from collections.abc import Mapping

Labels = Mapping[str, tuple[str, ...]]

_ENGLISH = """
abstract: Abstract | Summary | ABSTRACT | Synopsis | Article abstract
keywords: Keywords | Key words | Index terms | KEYWORDS | Key Words
authors: Authors | Author(s) | Authors and contributors
affiliations: Author affiliations | Affiliations | Author information | Authors' addresses | Institutions
corresponding: Corresponding author | Correspondence to | Address for correspondence | Reprint requests to
email: E-mail | Email | e-mail
present: Present address | Current address
editor: Academic editor | Handling editor | Edited by
equal: These authors contributed equally to this work | Both authors contributed equally
received: Received | Submitted | Manuscript received
accepted: Accepted | Accepted for publication | Approved
published: Published | Published online | First published | Available online
volume: Vol. | Volume | vol
issue: No. | Issue | no
pages: pp. | Pages | p.
by: By | Written by
and: and | &
sections: Background | Objective | Methods | Results | Conclusions | Setting
headings: Introduction | Materials and methods | Results | Discussion | Conclusion | Acknowledgements
references: References | Bibliography | Literature cited
cite: How to cite this article | Cite this article as | Suggested citation | Citation
related: Related articles | Similar articles | You may also like | From the same issue
most_read: Most read | Most cited articles | Trending | Popular this month
share: Share | Share this article | Tools | Send to a friend
metrics: Article metrics | Views | Downloads | Citations
login: Log in | Sign in to your account | Username | Password | Remember me | Register
search: Search | Search this site | Advanced search
cookies: This website uses cookies to improve your visit. By continuing you agree to our use of cookies.
licence: This is an open access article distributed under the terms of a free licence. | All rights reserved.
all: Show all authors | View all | Show more | + Expand authors
about: About the authors | Author biographies | Notes on contributors
comments: Comments | Reader comments | No comments yet | Leave a reply
board: Editorial board | Editors | Editor-in-chief
contents: In this article | Contents | Jump to section | On this page
menu: Home | About | Current issue | Archive | For authors | Contact | Announcements | Subscribe | Submissions | News
other: This article in other languages | Other version | Language
type: Original article | Research | Case report | Review | Short communication | ORIGINAL RESEARCH
pdf: PDF | Download PDF | Full text (PDF) | View full text | Save as PDF
doctor: Dr. | Prof. | Professor | Assoc. Prof.
roles: Associate professor | Lecturer | Consultant physician | Senior researcher | PhD student
"""
_SPANISH = """
abstract: Resumen | RESUMEN | Sumario
keywords: Palabras clave | Palabras claves
authors: Autores | Autor/a
affiliations: Afiliación de los autores | Filiaciones | Información de los autores
corresponding: Autor para correspondencia | Correspondencia | Dirección para correspondencia
email: Correo electrónico | Correo-e
received: Recibido | Fecha de recepción
accepted: Aceptado | Fecha de aceptación
published: Publicado | Publicado en línea
volume: Vol. | Volumen
issue: Núm. | Número
pages: págs. | Páginas
by: Por
and: y
sections: Antecedentes | Objetivo | Métodos | Resultados | Conclusiones | Ámbito
headings: Introducción | Material y métodos | Resultados | Discusión | Conclusión | Agradecimientos
references: Referencias | Bibliografía
cite: Cómo citar | Cómo citar este artículo
related: Artículos relacionados | Artículos similares
share: Compartir | Servicios personalizados
menu: Inicio | Acerca de | Número actual | Archivos | Envíos | Contacto | Buscar | Equipo editorial
type: Artículo original | Artículo de revisión | Caso clínico
pdf: PDF | Descargar PDF | Texto completo
"""
_PORTUGUESE = """
abstract: Resumo | RESUMO | Sumário
keywords: Palavras-chave | Descritores | Unitermos
authors: Autores | Autoria
affiliations: Afiliação dos autores | Afiliações | Informações sobre os autores
corresponding: Autor correspondente | Correspondência | Endereço para correspondência
received: Recebido | Recebido em
accepted: Aceito | Aprovado em
published: Publicado | Publicado em
volume: v. | Volume
issue: n. | Número
pages: p. | Páginas
by: Por
and: e
sections: Introdução | Objetivo | Métodos | Resultados | Conclusões | Local
headings: Introdução | Métodos | Resultados | Discussão | Considerações finais | Agradecimentos
references: Referências | Referências bibliográficas
cite: Como citar | Como citar este artigo
related: Artigos relacionados | Artigos mais lidos
share: Compartilhar | Serviços
menu: Início | Sobre | Edição atual | Edições anteriores | Submissões | Contato | Corpo editorial
type: Artigo original | Artigo de revisão | Relato de caso
pdf: PDF | Baixar PDF | Texto completo
"""
_FRENCH = """
abstract: Résumé | RÉSUMÉ | Sommaire
keywords: Mots-clés | Mots clés
authors: Auteurs | Auteur(s)
affiliations: Affiliations des auteurs | Affiliations | Adresses des auteurs
corresponding: Auteur correspondant | Correspondance | Adresse pour correspondance
email: Courriel | Adresse e-mail
received: Reçu le | Soumis le
accepted: Accepté le
published: Publié le | Mis en ligne le
volume: Vol. | Tome
issue: N° | Numéro
pages: pp. | Pages
by: Par
and: et
sections: Contexte | Objectif | Méthodes | Résultats | Conclusions | Cadre
headings: Introduction | Matériel et méthodes | Résultats | Discussion | Conclusion | Remerciements
references: Références | Bibliographie
cite: Pour citer cet article | Comment citer
related: Articles similaires | Du même auteur
share: Partager | Outils
menu: Accueil | À propos | Numéro en cours | Archives | Soumissions | Contact | Comité de rédaction
type: Article original | Article de synthèse | Cas clinique
pdf: PDF | Télécharger le PDF | Texte intégral
"""
_GERMAN = """
abstract: Zusammenfassung | Kurzfassung | ZUSAMMENFASSUNG
keywords: Schlüsselwörter | Schlagwörter
authors: Autoren | Autorinnen und Autoren
affiliations: Institutsangaben | Angaben zu den Autoren | Anschriften
corresponding: Korrespondenzadresse | Korrespondierender Autor | Anschrift für die Verfasser
received: Eingegangen | Eingereicht
accepted: Angenommen | Akzeptiert
published: Veröffentlicht | Online publiziert
volume: Bd. | Band
issue: Nr. | Heft
pages: S. | Seiten
by: Von
and: und
sections: Hintergrund | Ziel | Methoden | Ergebnisse | Schlussfolgerungen | Ort
headings: Einleitung | Methoden | Ergebnisse | Diskussion | Fazit | Danksagung
references: Literatur | Literaturverzeichnis
cite: Zitierweise | Zitiervorschlag
related: Ähnliche Beiträge | Weitere Artikel
share: Teilen | Beitrag empfehlen
menu: Startseite | Über uns | Aktuelles Heft | Archiv | Autorenrichtlinien | Kontakt | Impressum
type: Originalarbeit | Übersichtsarbeit | Fallbericht
pdf: PDF | PDF herunterladen | Volltext
"""
_ITALIAN = """
abstract: Riassunto | Sommario | RIASSUNTO
keywords: Parole chiave
authors: Autori
affiliations: Affiliazioni degli autori | Affiliazioni
corresponding: Autore corrispondente | Corrispondenza | Indirizzo per la corrispondenza
received: Ricevuto | Pervenuto
accepted: Accettato
published: Pubblicato | Pubblicato online
volume: Vol. | Volume
issue: N. | Fascicolo
pages: pp. | Pagine
by: Di
and: e
sections: Premessa | Obiettivo | Metodi | Risultati | Conclusioni | Ambito
headings: Introduzione | Materiali e metodi | Risultati | Discussione | Conclusioni | Ringraziamenti
references: Bibliografia | Riferimenti bibliografici
cite: Come citare | Come citare questo articolo
related: Articoli correlati
share: Condividi
menu: Home | Informazioni | Ultimo fascicolo | Archivio | Proposte | Contatti | Redazione
type: Articolo originale | Rassegna | Caso clinico
pdf: PDF | Scarica il PDF | Testo completo
"""
_POLISH = """
abstract: Streszczenie | Abstrakt | STRESZCZENIE
keywords: Słowa kluczowe
authors: Autorzy
affiliations: Afiliacje autorów | Afiliacje
corresponding: Adres do korespondencji | Autor do korespondencji
received: Otrzymano | Nadesłano
accepted: Zaakceptowano | Przyjęto do druku
published: Opublikowano | Data publikacji
volume: T. | Tom
issue: Nr | Zeszyt
pages: s. | Strony
by: Autor:
and: i
sections: Wstęp | Cel | Metody | Wyniki | Wnioski | Miejsce
headings: Wstęp | Materiał i metody | Wyniki | Dyskusja | Wnioski | Podziękowania
references: Piśmiennictwo | Bibliografia
cite: Jak cytować
related: Podobne artykuły
share: Udostępnij
menu: Strona główna | O czasopiśmie | Bieżący numer | Archiwum | Dla autorów | Kontakt | Redakcja
type: Praca oryginalna | Praca poglądowa | Opis przypadku
pdf: PDF | Pobierz PDF | Pełny tekst
"""
_RUSSIAN = """
abstract: Аннотация | Резюме | Реферат | АННОТАЦИЯ
keywords: Ключевые слова
authors: Авторы | Автор(ы)
affiliations: Сведения об авторах | Аффилиации | Информация об авторах
corresponding: Для корреспонденции | Контактное лицо | Адрес для переписки
received: Поступила | Получено
accepted: Принята к печати | Принято
published: Опубликована | Опубликовано
volume: Т. | Том
issue: № | Выпуск
pages: С. | Страницы
by: Автор:
and: и
sections: Введение | Цель | Методы | Результаты | Выводы | Место
headings: Введение | Материалы и методы | Результаты | Обсуждение | Заключение | Благодарности
references: Список литературы | Литература
cite: Для цитирования | Как цитировать
related: Похожие статьи
share: Поделиться
menu: Главная | О журнале | Текущий выпуск | Архив | Авторам | Контакты | Редакция
type: Оригинальная статья | Обзор | Клинический случай
pdf: PDF | Скачать PDF | Полный текст
"""
_TURKISH = """
abstract: Öz | Özet | ÖZET
keywords: Anahtar kelimeler | Anahtar sözcükler
authors: Yazarlar
affiliations: Yazar bilgileri | Yazar adresleri | Kurumlar
corresponding: Sorumlu yazar | Yazışma adresi | İletişim yazarı
email: E-posta
received: Geliş tarihi | Gönderilme tarihi
accepted: Kabul tarihi
published: Yayın tarihi | Yayımlanma tarihi
volume: Cilt
issue: Sayı
pages: ss. | Sayfa
by: Yazan:
and: ve
sections: Giriş | Amaç | Yöntemler | Bulgular | Sonuç | Yer
headings: Giriş | Gereç ve yöntem | Bulgular | Tartışma | Sonuç | Teşekkür
references: Kaynaklar | Kaynakça
cite: Kaynak göster | Nasıl atıf yapılır
related: Benzer makaleler
share: Paylaş
menu: Ana sayfa | Hakkında | Son sayı | Arşiv | Yazarlara bilgi | İletişim | Editörler
type: Araştırma makalesi | Derleme | Olgu sunumu
pdf: PDF | PDF indir | Tam metin
"""
_INDONESIAN = """
abstract: Abstrak | ABSTRAK | Ringkasan
keywords: Kata kunci
authors: Penulis
affiliations: Afiliasi penulis | Afiliasi
corresponding: Penulis korespondensi | Alamat korespondensi
received: Diterima | Naskah masuk
accepted: Disetujui
published: Diterbitkan | Dipublikasikan
volume: Vol. | Jilid
issue: No. | Nomor
pages: hlm. | Halaman
by: Oleh
and: dan
sections: Latar belakang | Tujuan | Metode | Hasil | Kesimpulan | Tempat
headings: Pendahuluan | Metode penelitian | Hasil | Pembahasan | Kesimpulan | Ucapan terima kasih
references: Daftar pustaka | Referensi
cite: Cara mengutip
related: Artikel terkait
share: Bagikan
menu: Beranda | Tentang kami | Terbitan terkini | Arsip | Panduan penulis | Kontak | Dewan redaksi
type: Artikel penelitian | Tinjauan pustaka | Laporan kasus
pdf: PDF | Unduh PDF | Teks lengkap
"""
_CHINESE = """
abstract: 摘要 | 【摘要】 | 内容提要
keywords: 关键词 | 【关键词】
authors: 作者
affiliations: 作者单位 | 作者信息
corresponding: 通信作者 | 通讯作者
email: 电子邮箱
received: 收稿日期
accepted: 接受日期 | 录用日期
published: 出版日期 | 发布日期
volume: 卷
issue: 期
pages: 页码 | 页
by: 作者：
and: 和
sections: 背景 | 目的 | 方法 | 结果 | 结论 | 地点
headings: 引言 | 材料与方法 | 结果 | 讨论 | 结论 | 致谢
references: 参考文献
cite: 引用本文
related: 相关文章
share: 分享
menu: 首页 | 期刊简介 | 当期目录 | 过刊浏览 | 投稿指南 | 联系我们 | 编委会
type: 论著 | 综述 | 病例报告
pdf: PDF | 下载 PDF | 全文
"""
_JAPANESE = """
abstract: 抄録 | 要旨 | 要約
keywords: キーワード
authors: 著者
affiliations: 著者所属 | 所属機関
corresponding: 責任著者 | 連絡先
email: メールアドレス
received: 受付日
accepted: 受理日
published: 公開日 | 発行日
volume: 巻
issue: 号
pages: ページ
by: 著者：
and: と
sections: 背景 | 目的 | 方法 | 結果 | 結論 | 場所
headings: はじめに | 方法 | 結果 | 考察 | 結論 | 謝辞
references: 引用文献 | 参考文献
cite: この記事の引用
related: 関連記事
share: 共有
menu: ホーム | 本誌について | 最新号 | 巻号一覧 | 投稿規定 | お問い合わせ | 編集委員会
type: 原著論文 | 総説 | 症例報告
pdf: PDF | PDFをダウンロード | 全文
"""
_PERSIAN = """
abstract: چکیده | خلاصه
keywords: کلیدواژه‌ها | واژگان کلیدی
authors: نویسندگان
affiliations: وابستگی نویسندگان | اطلاعات نویسندگان
corresponding: نویسنده مسئول
email: رایانامه
received: تاریخ دریافت
accepted: تاریخ پذیرش
published: تاریخ انتشار
volume: دوره
issue: شماره
pages: صفحات
by: نوشته
and: و
sections: زمینه | هدف | روش‌ها | یافته‌ها | نتیجه‌گیری | محل
headings: مقدمه | روش کار | یافته‌ها | بحث | نتیجه‌گیری | سپاسگزاری
references: منابع
cite: نحوه استناد
related: مقالات مرتبط
share: اشتراک‌گذاری
menu: صفحه اصلی | درباره نشریه | شماره جاری | آرشیو | راهنمای نویسندگان | تماس با ما
type: مقاله پژوهشی | مقاله مروری
pdf: PDF | دریافت فایل
"""
_ARABIC = """
abstract: الملخص | المستخلص
keywords: الكلمات المفتاحية | الكلمات الدالة
authors: المؤلفون | الباحثون
affiliations: انتماءات المؤلفين | عناوين المؤلفين
corresponding: المؤلف المراسل
email: البريد الإلكتروني
received: تاريخ الاستلام
accepted: تاريخ القبول
published: تاريخ النشر
volume: المجلد
issue: العدد
pages: الصفحات
by: بقلم
and: و
sections: الخلفية | الهدف | الطرق | النتائج | الاستنتاجات | المكان
headings: المقدمة | المواد والطرق | النتائج | المناقشة | الخاتمة | شكر
references: المراجع
cite: كيفية الاقتباس
related: مقالات ذات صلة
share: مشاركة
menu: الرئيسية | عن المجلة | العدد الحالي | الأرشيف | دليل المؤلف | اتصل بنا
type: مقالة بحثية | مراجعة
pdf: PDF | تحميل الملف
"""


def _read_labels(lines: str) -> Labels:
    rows = (line.partition(": ") for line in lines.strip().splitlines())
    return {name: tuple(text.strip() for text in texts.split(" | ")) for name, _, texts in rows}


# A label that a language lacks is printed in English, as sites do that are half translated.
LABELS: Mapping[str, Labels] = {
    language: {**_read_labels(_ENGLISH), **_read_labels(lines)}
    for language, lines in {
        "en": _ENGLISH,
        "es": _SPANISH,
        "pt": _PORTUGUESE,
        "fr": _FRENCH,
        "de": _GERMAN,
        "it": _ITALIAN,
        "pl": _POLISH,
        "ru": _RUSSIAN,
        "tr": _TURKISH,
        "id": _INDONESIAN,
        "zh": _CHINESE,
        "ja": _JAPANESE,
        "fa": _PERSIAN,
        "ar": _ARABIC,
    }.items()
}
