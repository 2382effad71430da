"""Languages: two letters as pages have them, three as MEDLINE and libraries write them."""

from __future__ import annotations

import functools

from medharvest.citations.languages import parse_language

# ISO 639-1 beside ISO 639-2/B, whose codes MEDLINE uses.
_PAIRS = """
aa aar ab abk ae ave af afr ak aka am amh an arg ar ara as asm av ava ay aym az aze ba bak be bel bg bul bi bis bm bam
bn ben bo tib br bre bs bos ca cat ce che ch cha co cos cr cre cs cze cu chu cv chv cy wel da dan de ger dv div dz dzo
ee ewe el gre en eng eo epo es spa et est eu baq fa per ff ful fi fin fj fij fo fao fr fre fy fry ga gle gd gla gl glg
gn grn gu guj gv glv ha hau he heb hi hin ho hmo hr hrv ht hat hu hun hy arm hz her ia ina id ind ie ile ig ibo ii iii
ik ipk io ido is ice it ita iu iku ja jpn jv jav ka geo kg kon ki kik kj kua kk kaz kl kal km khm kn kan ko kor kr kau
ks kas ku kur kv kom kw cor ky kir la lat lb ltz lg lug li lim ln lin lo lao lt lit lu lub lv lav mg mlg mh mah mi mao
mk mac ml mal mn mon mr mar ms may mt mlt my bur na nau nb nob nd nde ne nep ng ndo nl dut nn nno no nor nr nbl nv nav
ny nya oc oci oj oji om orm or ori os oss pa pan pi pli pl pol ps pus pt por qu que rm roh rn run ro rum ru rus rw kin
sa san sc srd sd snd se sme sg sag si sin sk slo sl slv sm smo sn sna so som sq alb sr srp ss ssw st sot su sun sv swe
sw swa ta tam te tel tg tgk th tha ti tir tk tuk tl tgl tn tsn to ton tr tur ts tso tt tat tw twi ty tah ug uig uk ukr
ur urd uz uzb ve ven vi vie vo vol wa wln wo wol xh xho yi yid yo yor za zha zh chi zu zul
""".split()
THREE = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
TWO = {three: two for two, three in THREE.items()}


@functools.lru_cache(maxsize=4096)
def two_letters(code: str) -> str:
    """The two letters of a language, "en" for "eng", "EN-gb" or "English"; empty where it is none."""
    first = code.strip().lower().replace("_", "-").partition("-")[0]
    return first if first in THREE else TWO.get(first) or parse_language(code)


def three_letters(code: str) -> str:
    """The three letters that MEDLINE uses, "fre" for "fr"; empty where the code is none."""
    return THREE.get(two_letters(code), "")
